"""The held-out people do what they say: the right ones are right, and each of the others is wrong where they say so."""

import ast
from functools import cache
from pathlib import Path

import numpy
import pytest
from loops import slow_if
from simulated.answering import given_on
from simulated.heldout import PEOPLE, SEEDS
from simulated.programs import PEOPLE as TUNED
from simulated.sets import SEEDS as TUNED_SEEDS
from simulated.sources import desk_with

from workings.practice.blanks import step_label
from workings.practice.mistakes import known_mistakes

HELDOUT = Path(__file__).parents[3] / "bench" / "simulated" / "heldout"
FINE = 12  # digits, so that what is left is a mistake and no rounding
LEAST = {"concept": 60, "two": 15, "right": 10, "slip": 10}
ROUNDING = 1e-4  # of those who round more than that by themselves


@cache
def sheet_of(lesson, seed):
    return desk_with(lesson, seed, "all").sheet


@cache
def truth_on(lesson, seed):
    """What belongs into the blanks, by the names that people use, in the order of the sheet."""
    trace = sheet_of(lesson, seed).trace
    paths = dict.fromkeys(field.step for field in sheet_of(lesson, seed).fields if field.kind == "number")
    return {step_label(trace, trace.find_step(path)): numpy.asarray(trace[path].value) for path in paths}


def written_by(person, seed):
    worker = person(given_on(sheet_of(person.lesson, seed)), FINE)
    with numpy.errstate(all="ignore"):
        worker.work()
    return worker.written


def is_same(one, other, rounding=1e-7):
    assert one.shape == other.shape
    with numpy.errstate(invalid="ignore"):
        return bool(numpy.allclose(one, other, rtol=rounding, atol=rounding))


def wrong_steps(person, seed):
    """The steps whose numbers are not the true ones."""
    written = written_by(person, seed)
    return [name for name, true in truth_on(person.lesson, seed).items() if not is_same(written[name], true)]


def people(*kinds):
    """Everybody of these kinds with every seed; those but the first are for slow tests."""
    chosen = [(person, seed) for person in PEOPLE if person.kind in kinds for seed in SEEDS]
    return slow_if([pair for pair in chosen if pair[1] != SEEDS[0]], chosen)


@pytest.mark.parametrize(("person", "seed"), people("right"))
def test_right_person_writes_the_true_numbers_into_every_blank(person, seed):
    written = written_by(person, seed)
    for name, true in truth_on(person.lesson, seed).items():
        assert is_same(written[name], true, ROUNDING), name


@pytest.mark.parametrize(("person", "seed"), people("concept", "two", "slip"))
def test_mistake_is_made_where_the_person_says_and_shows_clearly(person, seed):
    assert wrong_steps(person, seed)[0] == person.wrong_step
    sheet, written = sheet_of(person.lesson, seed), written_by(person, seed)[person.wrong_step]
    fields = [field for field in sheet.fields if field.kind == "number"]
    own = [f for f in fields if step_label(sheet.trace, sheet.trace.find_step(f.step)) == person.wrong_step]
    assert any(not abs(written[f.index] - f.true) <= 5 * f.tolerance for f in own)


@pytest.mark.parametrize(("person", "seed"), people("two"))
def test_second_mistake_is_made_on_top_of_the_first(person, seed):
    first_only = person.__bases__[0]
    assert first_only.wrong_step == person.wrong_step
    both, one = written_by(person, seed), written_by(first_only, seed)
    assert not is_same(both[person.second_step], one[person.second_step], 1e-3)
    assert is_same(both[person.wrong_step], one[person.wrong_step])
    order = list(truth_on(person.lesson, seed))
    assert order.index(person.wrong_step) < order.index(person.second_step)


@pytest.mark.parametrize(("person", "seed"), people("slip"))
def test_slip_changes_one_entry_and_is_no_mistake(person, seed):
    written, true = written_by(person, seed)[person.wrong_step], truth_on(person.lesson, seed)[person.wrong_step]
    assert numpy.sum(~numpy.isclose(written, true, rtol=1e-7, atol=1e-9)) == 1
    assert not person.names


def test_set_is_large_and_apart_from_the_one_that_is_tuned_on():
    kinds = [person.kind for person in PEOPLE]
    assert {kind: kinds.count(kind) >= least for kind, least in LEAST.items()} == dict.fromkeys(LEAST, True)
    names = [person.__name__ for person in (*PEOPLE, *TUNED)]
    assert len(set(names)) == len(names)
    assert not {person.lesson for person in PEOPLE} & {person.lesson for person in TUNED}
    assert not set(SEEDS) & set(TUNED_SEEDS)


def test_mistake_has_an_id_or_words():
    known = set(known_mistakes())
    for person in PEOPLE:
        if person.kind in ("concept", "two"):
            assert person.names & known or person.says, person
            assert all(name.count(".") >= 1 for name in person.names | person.second_names)


def test_programs_know_nothing_of_this_package():
    for file in HELDOUT.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert {name.name for name in node.names} <= {"numpy", "math"}, file
            elif isinstance(node, ast.ImportFrom) and not node.level:
                assert node.module in ("__future__", "typing", "fractions"), file
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 1 or node.module == "programs.paper", file
