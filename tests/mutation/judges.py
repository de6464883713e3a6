"""What a mutant meets. Imported where the mutated module is in place already: everything here runs with it.

1. The pages: the checks of every page that the changed file defines (or of those that import it, if it defines none),
   the calls that must be refused, and the doctests of the file.
2. The test files about the changed file: tests_of_modules.py.
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
from tests_of_modules import SHARED_TESTS, files_about

import workings
from workings.engine.op import OPS, Op

BACKWARD = "workings.engine.backward"
HANDFUL = ("softmax", "add", "mul", "sub", "matmul")  # pages that meet most of what backward does
PAGES = Path(workings.__file__).parent / "ops"

LONG_CHECKS = ("libraries", "differences", "replay", "second_order", "calculator")


class Caught(AssertionError):
    """A judge saw that something is wrong."""


def judge_pages(module: str) -> None:
    """The first round."""
    if module == BACKWARD:
        run_tests("tests/engine/test_backward.py")
        stand_all([OPS[name] for name in HANDFUL])
    stand_all(pages_of(module) or pages_written_with(module))
    refuse_bad_calls()
    failed, _ = doctest.testmod(sys.modules[module])
    if failed:
        raise Caught(f"a doctest of {module}")


def judge_tests(module: str) -> None:
    """The second round."""
    run_tests(*files_about(module))


def judge_others(module: str) -> None:
    """The third round."""
    own, near = pages_of(module), pages_written_with(module)
    stand_all([op for op in near if op not in own])
    stand_all([op for op in OPS.values() if op not in own and op not in near])
    run_tests(*(file for file in SHARED_TESTS if file not in files_about(module)))


ROUNDS = (judge_pages, judge_tests, judge_others)


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
