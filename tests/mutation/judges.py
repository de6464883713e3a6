"""What a mutant meets. Imported where the mutated module is in place already: everything here runs with it.

The first round is quick: the checks of every page that the changed file defines (or of those that import it, if it
defines none), the calls that must be refused, the file's own doctests. What survives meets the second: the pages
written with it, all other pages, a few tests of the engine, and the tests that name one of its ops.
"""

from __future__ import annotations

import doctest
import re
import sys
from collections.abc import Iterable
from pathlib import Path

import page_checks
import pytest
from frozen import check_frozen
from mutants import ROOT

import workings
from workings.engine.op import Op
from workings.engine.registry import OPS

BACKWARD = "workings.engine.backward"
HANDFUL = ("softmax", "add", "mul", "sub", "matmul")  # pages that meet most of what backward does
PAGES = Path(workings.__file__).parent / "ops"
QUICK_TESTS = (  # a few seconds in all
    "tests/test_backward.py",
    "tests/test_compile.py",
    "tests/test_engine_corners.py",
    "tests/test_page_parts.py",
    "tests/engine/test_errors.py",
    "tests/engine/test_odd_calls.py",
    "tests/engine/test_recording.py",
    "tests/explain/test_cell.py",
)
FOLDERS = ("tests", "tests/engine", "tests/models")  # their tests that name an op


class Caught(AssertionError):
    """A judge saw that something is wrong."""


def first_round(module: str) -> None:
    """The quick judges."""
    if module == BACKWARD:
        run_tests("tests/test_backward.py")
        stand_all(OPS[name] for name in HANDFUL)
    stand_all(pages_of(module) or pages_written_with(module))
    refuse_bad_calls()
    failed, _ = doctest.testmod(sys.modules[module])
    if failed:
        raise Caught(f"a doctest of {module}")


def second_round(module: str) -> None:
    """All others."""
    own, near = pages_of(module), pages_written_with(module)
    stand_all(op for op in near if op not in own)
    stand_all(op for op in OPS.values() if op not in own and op not in near)
    run_tests(*dict.fromkeys((*QUICK_TESTS, *tests_about(module))))


def pages_of(module: str) -> list[Op]:
    """The pages that a module defines."""
    return [op for op in OPS.values() if type(op).__module__ == module]


def pages_written_with(module: str) -> list[Op]:
    """The pages that import a module of the folder."""
    imported = f"from .{module.rpartition('.')[2]} import"
    return [op for op in OPS.values() if imported in _text(op)]


def tests_about(module: str) -> list[str]:
    """The test files that name the module, or an op that it defines; the pages were judged one by one already."""
    names = {module.rpartition(".")[2], *(op.name for op in pages_of(module))}
    named = re.compile(rf"\b(?:ops\.|ops import .*|\"|import )(?:{'|'.join(map(re.escape, names))})\b")
    files = sorted(path for folder in FOLDERS for path in (ROOT / folder).glob("test_*.py"))
    done = ("test_pages.py", "test_frozen.py")
    return [str(path) for path in files if path.name not in done and named.search(path.read_text(encoding="utf-8"))]


def _text(op: Op) -> str:
    return (PAGES / f"{type(op).__module__.rpartition('.')[2]}.py").read_text(encoding="utf-8")


def stand_all(pages: Iterable[Op]) -> None:
    """Every check on every example of these pages, as in test_pages.py and test_frozen.py."""
    for op in pages:
        for example in op.page.examples:
            for check in page_checks.checks_for(op):
                page_checks.CHECKS[check](op, example)
        for mistake in op.page.mistakes.values():
            if not mistake.across:
                page_checks.check_mistake(op, mistake)
        check_frozen(op)


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
