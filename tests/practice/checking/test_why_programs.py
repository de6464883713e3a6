"""The programs that `why` is tuned on do what they say: the right ones are right, and the broken ones are not."""

import ast
from pathlib import Path

import numpy
import pytest
from simulated import engineers
from simulated.tally import Tally
from simulated.why_programs import BROKEN, RIGHT

from workings.practice.checking.reference import reference_step
from workings.practice.checking.why import Why

BENCH = Path(__file__).parents[3] / "bench" / "simulated"
CLEARLY, ROUNDING = 1e-3, {"float16": 1e-3, "float32": 1e-5, "float64": 1e-9}
PRINTED = 5.1e-4  # by those who print three decimals


def numbers_of(program):
    got, given = program.draw(numpy.random.default_rng(19))
    return numpy.asarray(got), numpy.asarray(reference_step(program.what, given).value)


@pytest.mark.parametrize("program", RIGHT, ids=lambda program: program.name)
def test_right_program_gives_the_true_numbers(program):
    got, true = numbers_of(program)
    rounding = PRINTED if "decimals" in program.name else ROUNDING[str(got.dtype)]
    assert got.size == true.size
    assert numpy.max(numpy.abs(got.reshape(true.shape) - true)) <= rounding * max(1.0, numpy.max(numpy.abs(true)))


@pytest.mark.parametrize("program", BROKEN, ids=lambda program: program.name)
def test_broken_program_gives_clearly_other_numbers(program):
    got, true = numbers_of(program)
    assert got.shape == true.shape
    assert numpy.max(numpy.abs(got - true)) > CLEARLY * numpy.max(numpy.abs(true[numpy.isfinite(true)]))
    assert program.ids


def test_set_is_large_and_its_names_are_different():
    names = [program.name for program in (*BROKEN, *RIGHT)]
    assert len(BROKEN) >= 60
    assert len(RIGHT) >= 40
    assert len(set(names)) == len(names)


def test_programs_import_nothing_of_this_package():
    for name in ("why_cases", "why_programs", "why_right"):
        text = (BENCH / f"{name}.py").read_text(encoding="utf-8")
        imported = [node.module for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)]
        assert not [module for module in imported if module and module.startswith("workings")]


def test_one_who_names_nothing_or_accuses_everybody_misses_the_figures(monkeypatch):
    silent = lambda got, what, **inputs: Why("x", "exact")  # noqa: E731
    deaf = lambda got, what, **inputs: Why("x", "none")  # noqa: E731
    for why, unmet in ((silent, {"why named"}), (deaf, {"why named", "why accused"})):
        monkeypatch.setattr(engineers.w, "why", why)
        tally = Tally(engineers.ROWS)
        engineers.judge_broken(BROKEN[0], 1, tally)
        engineers.judge_right(RIGHT[0], 1, tally)
        assert {key for key, figure in tally.figures().items() if not figure.is_met} == unmet
