"""The exam's programs for `why` do what they say: the right ones are right, and the broken ones are not."""

import ast
from pathlib import Path

import numpy
import pytest
from simulated.exam import SEEDS
from simulated.exam_why import BROKEN, RIGHT
from test_fresh_programs import CLEARLY, ROUNDING, numbers_of

EXAM = Path(__file__).parents[3] / "bench" / "simulated" / "exam_why"
FOLDERS = {"__future__", "math", "numpy", "attention", "block", "heads", "layers", "norms", "right", "training"}


@pytest.mark.parametrize("program", RIGHT, ids=lambda program: program.name)
def test_right_program_gives_the_true_numbers(program):
    for seed in SEEDS[:3]:
        got, true = numbers_of(program, seed)
        assert got.shape == true.shape
        assert numpy.max(numpy.abs(got - true)) <= ROUNDING[str(got.dtype)] * max(1.0, numpy.max(numpy.abs(true)))
    assert not program.ids


@pytest.mark.parametrize("program", BROKEN, ids=lambda program: program.name)
def test_broken_program_gives_clearly_other_numbers(program):
    for seed in SEEDS[:3]:
        got, true = numbers_of(program, seed)
        assert got.shape == true.shape
        assert numpy.max(numpy.abs(got - true)) > CLEARLY * numpy.max(numpy.abs(true))
    assert program.ids
    assert program.says.endswith(".")


def test_set_is_large_and_its_names_are_different():
    names = [program.name for program in (*BROKEN, *RIGHT)]
    assert len(BROKEN) >= 50
    assert len(RIGHT) >= 30
    assert len(set(names)) == len(names)


def test_programs_import_nothing_of_this_package():
    for file in EXAM.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert {name.name for name in node.names} <= FOLDERS, file
            elif isinstance(node, ast.ImportFrom):
                assert node.module in FOLDERS or str(node.module).startswith("fresh_why."), file
