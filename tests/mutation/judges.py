"""What a mutant meets. Imported where the mutated module is in place already: everything here runs with it.

1. The pages: the checks of every page that the changed file defines (or of those that import it, if it defines none),
   the calls that must be refused, and the doctests of the file.
2. The test files about the changed file (TESTS_OF).
3. All others: the pages written with it, all other pages, and the tests of what the pages share.
"""

from __future__ import annotations

import doctest
import re
import sys
from pathlib import Path

import page_checks
import pytest
from frozen import check_frozen
from more_examples import examples_of

import workings
from workings.engine.op import Op
from workings.engine.registry import OPS

BACKWARD = "workings.engine.backward"
HANDFUL = ("softmax", "add", "mul", "sub", "matmul")  # pages that meet most of what backward does
PAGES = Path(workings.__file__).parent / "ops"

LONG_CHECKS = ("libraries", "differences", "replay", "second_order", "calculator")

CORNERS = ("tests/test_page_corners.py",)  # of all pages
MASKS = ("tests/engine/test_masks.py",)
UPDATES = ("tests/test_updates.py",)
NORMS = ("tests/test_norms.py",)
ACROSS = ("tests/explain/test_fitting.py",)  # mistakes across steps are made in whole traces only
TESTS_OF = {  # by the file that is changed
    "adam": UPDATES,
    "adam_direction": (*UPDATES, *MASKS),
    "adamw": UPDATES,
    "add": ACROSS,
    "attention": ("tests/engine/test_recording.py", *ACROSS),
    "backward": ("tests/engine/test_recording.py", "tests/engine/test_replay.py", "tests/models/test_block.py"),
    "bias_correction": UPDATES,
    "causal_mask": MASKS,
    "clip_by_norm": MASKS,
    "cross_entropy": (*MASKS, *ACROSS),
    "drawing": ("tests/engine/test_drawing.py",),
    "dropout": ("tests/engine/test_drawing.py", *MASKS),
    "erf": ("tests/engine/test_erf.py", "tests/engine/test_hand_tables.py"),
    "exp": ("tests/engine/test_hand_tables.py", "tests/engine/test_precision.py"),
    "given": ("tests/engine/test_errors.py", "tests/engine/test_recording.py"),
    "labels": MASKS,
    "layer_norm": (*NORMS, *ACROSS),
    "log": ("tests/engine/test_hand_tables.py",),
    "log_softmax": MASKS,
    "log_sum_exp": MASKS,
    "mask": MASKS,
    "matmul": ACROSS,
    "momentum": UPDATES,
    "norm": MASKS,
    "one_hot": MASKS,
    "padding_mask": MASKS,
    "positional_encoding": ("tests/engine/test_positional_encoding.py",),
    "power": ("tests/engine/test_hand_tables.py",),
    "reduction": ("tests/engine/test_odd_calls.py",),
    "rms_norm": (*NORMS, *ACROSS),
    "root_scale": ACROSS,
    "row_norms": NORMS,
    "row_norms_by_hand": NORMS,
    "running_mean": UPDATES,
    "sgd": (*UPDATES, *ACROSS),
    "sin": ("tests/engine/test_hand_tables.py", "tests/engine/test_positional_encoding.py"),
    "softmax": (*MASKS, *ACROSS),
    "take_row": ACROSS,
    "tanh": ("tests/engine/test_hand_tables.py",),
    "weight_decay": UPDATES,
}
SHARED_TESTS = (
    "tests/test_backward.py",
    "tests/test_compile.py",
    "tests/test_engine_corners.py",
    "tests/test_page_parts.py",
    "tests/engine/test_errors.py",
    "tests/engine/test_odd_calls.py",
    "tests/engine/test_recording.py",
    "tests/explain/test_cell.py",
    "tests/explain/test_parts_and_positions.py",
    "tests/models/test_block.py",
)


class Caught(AssertionError):
    """A judge saw that something is wrong."""


def judge_pages(module: str) -> None:
    """The first round."""
    if module == BACKWARD:
        run_tests("tests/test_backward.py")
        stand_all([OPS[name] for name in HANDFUL])
    stand_all(pages_of(module) or pages_written_with(module))
    refuse_bad_calls()
    failed, _ = doctest.testmod(sys.modules[module])
    if failed:
        raise Caught(f"a doctest of {module}")


def judge_tests(module: str) -> None:
    """The second round."""
    run_tests(*tests_of(module))


def judge_others(module: str) -> None:
    """The third round."""
    own, near = pages_of(module), pages_written_with(module)
    stand_all([op for op in near if op not in own])
    stand_all([op for op in OPS.values() if op not in own and op not in near])
    run_tests(*(file for file in SHARED_TESTS if file not in tests_of(module)))


ROUNDS = (judge_pages, judge_tests, judge_others)


def tests_of(module: str) -> tuple[str, ...]:
    """The test files about a module."""
    return *CORNERS, *TESTS_OF.get(module.rpartition(".")[2], ())


def pages_of(module: str) -> list[Op]:
    """The pages that a module defines."""
    return [op for op in OPS.values() if type(op).__module__ == module]


def pages_written_with(module: str) -> list[Op]:
    """The pages that import a module of the folder."""
    name = module.rpartition(".")[2]
    imported = re.compile(rf"from \.{name} import |from \. import (.*, )?{name}\b")
    return [op for op in OPS.values() if imported.search(_text(op))]


def _text(op: Op) -> str:
    return (PAGES / f"{type(op).__module__.rpartition('.')[2]}.py").read_text(encoding="utf-8")


def stand_all(pages: list[Op]) -> None:
    """Every check on every example of these pages, as in test_pages.py and test_frozen.py; the long ones at the end."""
    for op in pages:
        _stand(op, [check for check in page_checks.checks_for(op) if check not in LONG_CHECKS])
        check_frozen(op)
    for op in pages:
        _stand(op, [check for check in page_checks.checks_for(op) if check in LONG_CHECKS])
        for mistake in op.page.mistakes.values():
            if not mistake.across:
                page_checks.check_mistake(op, mistake)


def _stand(op: Op, checks: list[str]) -> None:
    for example in examples_of(op):
        for check in checks:
            page_checks.CHECKS[check](op, example)


def refuse_bad_calls() -> None:
    """The calls that must be refused, each with the error that it must give."""
    from bad_calls import CALLS  # of tests/engine, which run.py has put on the path

    for case, (call, kind, what, given) in CALLS.items():
        try:
            call()
        except kind as error:
            if not re.search(what, error.what) or given not in error.given:
                raise Caught(f"{case}: {error}") from error
        else:
            raise Caught(f"{case} was not refused")


def run_tests(*files: str) -> None:
    """Test files, up to the first test that fails."""
    loaded = "ignore:Module already imported:pytest.PytestAssertRewriteWarning"  # hypothesis is: see run.py
    if code := pytest.main(["-x", "-m", "not slow", "-p", "no:xdist", "-p", "no:cov", "-W", loaded, *files]):
        raise Caught(f"{' '.join(files)}: {code!r}")
