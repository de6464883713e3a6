"""The fresh programs for `why` do what they say: the right ones are right, and the broken ones are not."""

import ast
from pathlib import Path

import numpy
import pytest
from simulated import engineers
from simulated.fresh import SEEDS
from simulated.fresh_why import BROKEN, RIGHT
from simulated.tally import Tally

from workings.practice.checking.reference import reference_step

FRESH = Path(__file__).parents[3] / "bench" / "simulated" / "fresh_why"
CLEARLY, ROUNDING = 1e-3, {"float32": 1e-5, "float64": 1e-9}


def numbers_of(program, seed):
    got, given = program.draw(numpy.random.default_rng(seed))
    return numpy.asarray(got), numpy.asarray(reference_step(program.what, given).value)


@pytest.mark.parametrize("program", RIGHT, ids=lambda program: program.name)
def test_right_program_gives_the_true_numbers(program):
    for seed in SEEDS[:3]:
        got, true = numbers_of(program, seed)
        assert got.shape == true.shape
        assert numpy.max(numpy.abs(got - true)) <= ROUNDING[str(got.dtype)] * max(1.0, numpy.max(numpy.abs(true)))
    assert not program.ids
    assert not program.says


@pytest.mark.parametrize("program", BROKEN, ids=lambda program: program.name)
def test_broken_program_gives_clearly_other_numbers(program):
    for seed in SEEDS[:3]:
        got, true = numbers_of(program, seed)
        assert got.shape == true.shape
        assert numpy.max(numpy.abs(got - true)) > CLEARLY * numpy.max(numpy.abs(true[numpy.isfinite(true)]))
    assert program.ids
    assert program.says.endswith(".")


def test_every_program_can_be_asked_about():
    tally = Tally(engineers.ROWS)
    engineers.judge_broken(BROKEN[0], SEEDS[0], tally)
    engineers.judge_right(RIGHT[0], SEEDS[0], tally)
    assert {key for key, figure in tally.figures().items() if figure.all} >= {"why named", "why accused"}


def test_set_is_large_and_its_names_are_different():
    names = [program.name for program in (*BROKEN, *RIGHT)]
    assert len(BROKEN) >= 60
    assert len(RIGHT) >= 40
    assert len(set(names)) == len(names)


def test_only_the_module_that_is_asked_about_comes_from_this_package():
    for file in FRESH.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported = {name.name for name in node.names}
                assert imported <= ({"numpy", "workings"} if file.name == "block.py" else {"numpy", "math"}), file
            elif isinstance(node, ast.ImportFrom) and not node.level:
                assert node.module in ("__future__", "typing", "collections.abc", "dataclasses", "functools"), file
