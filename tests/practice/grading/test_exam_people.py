"""The people of the exam do what they say: right ones are right, and the others go wrong first where they say."""

import ast
from pathlib import Path

import numpy
import pytest
from loops import slow_if
from simulated import sets
from simulated.answering import Habits, numbers_at, path_of, worked
from simulated.exam import PEOPLE, SEEDS
from simulated.learners import can_be_written, is_visible
from simulated.programs.paper import names_of, right_of
from test_fresh_people import FINE, LONG, first_difference, paths_of, sheet_of

EXAM = Path(__file__).parents[3] / "bench" / "simulated" / "exam"
LESSONS = slow_if(LONG, sorted({person.lesson for person in PEOPLE}))
LEAST = {"concept": 80, "two": 10, "right": 32}


def people_of(lesson, *kinds):
    return [person for person in PEOPLE if person.lesson == lesson and person.kind in kinds]


@pytest.mark.parametrize("lesson", LESSONS)
def test_right_people_write_the_true_numbers_into_every_blank(lesson):
    sheet = sheet_of(lesson, SEEDS[0])
    for person in people_of(lesson, "right"):
        worker = worked(person, sheet, FINE)
        for path in paths_of(sheet):
            got, true = numbers_at(worker, sheet, path), sheet.trace[path].value
            assert numpy.allclose(got, true, rtol=1e-9, atol=1e-12), f"{person.__name__} at {path}"


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_mistake_goes_wrong_first_where_it_says_and_shows_there(lesson):
    """In some numbers a mistake does not show."""
    people, shown = people_of(lesson, "concept", "two"), set()
    for sheet in (sheet_of(lesson, seed) for seed in SEEDS[: 1 if lesson in LONG else 3]):
        for person in people:
            step = path_of(sheet, person.wrong_step)
            assert first_difference(person, sheet) in (None, step), person.__name__
            own, twin = (worked(one, sheet, Habits()) for one in (person, right_of(person)))
            assert can_be_written(own, sheet, step), person.__name__
            if is_visible(own, twin, sheet, step):
                shown.add(person.__name__)
    assert {person.__name__ for person in people} == shown


@pytest.mark.parametrize("lesson", slow_if(["block"], sorted({one.lesson for one in PEOPLE if one.kind == "two"})))
def test_second_mistake_is_made_on_top_of_the_first(lesson):
    sheet = sheet_of(lesson, SEEDS[0])
    places = {step.path: number for number, step in enumerate(sheet.trace.recording.steps.values())}
    for person in people_of(lesson, "two"):
        first_only = person.__bases__[0]
        assert (first_only.wrong_step, first_only.names) == (person.wrong_step, person.names)
        first, second = (path_of(sheet, name) for name in (person.wrong_step, person.second_step))
        assert places[first] < places[second]
        both, one = (worked(somebody, sheet, Habits()) for somebody in (person, first_only))
        assert numpy.array_equal(numbers_at(both, sheet, first), numbers_at(one, sheet, first))
        assert is_visible(both, one, sheet, second), person.__name__


@pytest.mark.parametrize("lesson", LESSONS)
def test_tables_that_were_confused_have_one_shape_and_factors_are_constants(lesson):
    sheet = sheet_of(lesson, SEEDS[0])
    for person in people_of(lesson, "concept"):
        own, twin = (worked(one, sheet, FINE) for one in (person, right_of(person)))
        if used := getattr(person, "used", ()):
            wrong, right = (sheet.trace[path_of(sheet, ending)].value for ending in used)
            assert wrong.shape == right.shape, person.__name__
            assert not numpy.allclose(wrong, right), person.__name__
        step = path_of(sheet, person.wrong_step)
        a, b = (numpy.ravel(numbers_at(one, sheet, step)) for one in (own, twin))
        with numpy.errstate(all="ignore"):
            ratios = a[b != 0] / b[b != 0]
        is_constant = bool(numpy.allclose(ratios, ratios[0], rtol=1e-7) and numpy.all(a[b == 0] == 0))
        assert not (getattr(person, "factor", False) and not is_constant), person.__name__


def test_set_is_large_and_covers_all_lessons():
    kinds = [person.kind for person in PEOPLE]
    assert {kind: kinds.count(kind) >= least for kind, least in LEAST.items()} == dict.fromkeys(LEAST, True)
    others = [sets.learner_set(name) for name in ("fresh", "tuning", "heldout")]
    assert {one.lesson for one in PEOPLE if one.kind == "concept"} == set(others[0].lessons)
    assert not set(SEEDS) & {seed for other in others for seed in other.seeds}
    names = [person.__name__ for person in PEOPLE]
    assert len(set(names)) == len(names)


def test_every_mistake_has_an_id_and_a_sentence_of_its_own():
    mistaken = [person for person in PEOPLE if person.kind != "right"]
    assert {person.__name__ for person in mistaken if not (person.says.endswith(".") and names_of(person))} == set()
    assert len({person.says for person in mistaken}) == len(mistaken)


def test_programs_know_nothing_of_this_package():
    for file in EXAM.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert {name.name for name in node.names} <= {"numpy", "random"}, file
            elif isinstance(node, ast.ImportFrom) and not node.level:
                assert node.module in ("__future__", "decimal"), file
            elif isinstance(node, ast.ImportFrom) and node.level == 2:
                assert node.module.partition(".")[0] in ("programs", "heldout", "fresh"), file
