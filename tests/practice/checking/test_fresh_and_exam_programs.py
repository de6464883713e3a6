"""The programs for `why` of the fresh set, of the exam and of the trial do what they say: the right ones are right,
and the broken ones are not.
"""

import ast
from pathlib import Path

import numpy
import pytest
from simulated import engineers, exam, exam_why, fresh, fresh_why, trial, trial_why
from simulated.tally import Tally

from workings.practice.checking.reference import reference_step

FOLDER = Path(__file__).parents[3] / "bench" / "simulated"
CLEARLY, ROUNDING = 1e-3, {"float32": 1e-5, "float64": 1e-9}
SETS = {"fresh": (fresh_why, fresh.SEEDS, 60, 40), "exam": (exam_why, exam.SEEDS, 50, 30)}
SETS["trial"] = (trial_why, trial.SEEDS, 50, 20)
OF_PYTHON = ("__future__", "typing", "collections.abc", "dataclasses", "functools")


def each(kind):
    """Parameters of a test: each program with the seeds of its set."""
    return [
        pytest.param(program, seeds[:3], id=f"{name} {program.name}")
        for name, (programs, seeds, _, _) in SETS.items()
        for program in getattr(programs, kind)
    ]


def numbers_of(program, seed):
    got, given = program.draw(numpy.random.default_rng(seed))
    return numpy.asarray(got), numpy.asarray(reference_step(program.what, given).value)


@pytest.mark.parametrize(("program", "seeds"), each("RIGHT"))
def test_right_program_gives_the_true_numbers(program, seeds):
    for seed in seeds:
        got, true = numbers_of(program, seed)
        assert got.shape == true.shape
        assert numpy.max(numpy.abs(got - true)) <= ROUNDING[str(got.dtype)] * max(1.0, numpy.max(numpy.abs(true)))
    assert not program.ids
    assert not program.says


@pytest.mark.parametrize(("program", "seeds"), each("BROKEN"))
def test_broken_program_gives_clearly_other_numbers(program, seeds):
    for seed in seeds:
        got, true = numbers_of(program, seed)
        assert got.shape == true.shape
        assert numpy.max(numpy.abs(got - true)) > CLEARLY * numpy.max(numpy.abs(true[numpy.isfinite(true)]))
    assert program.ids
    assert program.says.endswith(".")


@pytest.mark.parametrize("name", SETS)
def test_every_program_can_be_asked_about(name):
    programs, seeds, _, _ = SETS[name]
    tally = Tally(engineers.ROWS)
    engineers.judge_broken(programs.BROKEN[0], seeds[0], tally)
    engineers.judge_right(programs.RIGHT[0], seeds[0], tally)
    assert {key for key, figure in tally.figures().items() if figure.all} >= {"why named", "why accused"}


@pytest.mark.parametrize("name", SETS)
def test_set_is_large_and_its_names_are_different(name):
    programs, _, broken, right = SETS[name]
    names = [program.name for program in (*programs.BROKEN, *programs.RIGHT)]
    assert len(programs.BROKEN) >= broken
    assert len(programs.RIGHT) >= right
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", SETS)
def test_only_the_module_that_is_asked_about_comes_from_this_package(name):
    for file in (FOLDER / f"{name}_why").glob("*.py"):
        is_module = name == "fresh" and file.name == "block.py"
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert {one.name for one in node.names} <= {"numpy", "workings" if is_module else "math"}, file
            elif isinstance(node, ast.ImportFrom) and not node.level:
                assert node.module in OF_PYTHON, file
