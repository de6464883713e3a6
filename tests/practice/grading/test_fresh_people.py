"""The people of the fresh set do what they say: right ones are right, and the others go wrong first where they say."""

import ast
import random
from functools import cache
from pathlib import Path

import numpy
import pytest
from loops import slow_if
from simulated import learners, sets
from simulated.answering import Habits, numbers_at, path_of, read_back, worked
from simulated.fresh import PEOPLE, SEEDS
from simulated.fresh.lessons import RIGHT
from simulated.learners import can_be_written, has_own_ways, is_visible
from simulated.programs.paper import names_of, right_of
from simulated.slips import SLIPS, drawn_slip
from simulated.sources import desk_with

FRESH = Path(__file__).parents[3] / "bench" / "simulated" / "fresh"
LONG = ("example-6", "small-decoder", "heads-and-layers", "block", "cat-sat-encoder")
LESSONS = slow_if(LONG, sorted({person.lesson for person in PEOPLE}))
LEAST = {"concept": 90, "two": 12, "right": 8}
FINE = Habits(digits=15)  # so that what is left is a mistake and no rounding
NOT_ASKED = {"IdsCountedFromOne", "LastPromptTokenAgain"}  # their step is printed, and shows in the steps that follow
DIAGONAL = {"OwnTokenHidden"}  # the sheet asks for the entries above it


@cache
def sheet_of(lesson, seed=SEEDS[0]):
    return desk_with(lesson, seed, "all").sheet


def people_of(lesson, *kinds):
    return [person for person in PEOPLE if person.lesson == lesson and person.kind in kinds]


def paths_of(sheet):
    return dict.fromkeys(field.step for field in sheet.fields if field.kind == "number")


def first_difference(person, sheet):
    """The first step, in the order of the sheet, at which somebody has other numbers than without the mistake."""
    own, twin = (worked(one, sheet, Habits(digits=12)) for one in (person, right_of(person)))
    for step in sheet.trace.recording.steps.values():
        a, b = numbers_at(own, sheet, step.path), numbers_at(twin, sheet, step.path)
        if a is not None and not numpy.array_equal(a, b):
            return step.path
    return None


@pytest.mark.parametrize("lesson", LESSONS)
def test_right_people_write_the_true_numbers_into_every_blank(lesson):
    sheet = sheet_of(lesson)
    for person in people_of(lesson, "right"):
        worker = worked(person, sheet, FINE)
        for path in paths_of(sheet):
            numpy.testing.assert_allclose(
                numbers_at(worker, sheet, path),
                sheet.trace[path].value,
                rtol=1e-9,
                atol=1e-12,
                err_msg=f"{person.__name__} at {path}",
            )


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_mistake_goes_wrong_first_where_it_says_and_shows_there(lesson):
    """In some numbers a mistake does not show: if the likeliest token is the right one, for instance."""
    people, shown = people_of(lesson, "concept", "two"), set()
    for sheet in (sheet_of(lesson, seed) for seed in SEEDS[: 1 if lesson in LONG else 3]):
        for person in people:
            step = path_of(sheet, person.wrong_step)
            assert first_difference(person, sheet) in (None, step), person.__name__
            own, twin = (worked(one, sheet, Habits()) for one in (person, right_of(person)))
            assert can_be_written(own, sheet, step), person.__name__
            later = person.__name__ in NOT_ASKED and any(is_visible(own, twin, sheet, path) for path in paths_of(sheet))
            if later or is_visible(own, twin, sheet, step):
                shown.add(person)
    assert {person.__name__ for person in set(people) - shown} <= DIAGONAL


@pytest.mark.parametrize("lesson", slow_if([], sorted({one.lesson for one in PEOPLE if one.kind == "two"})))
def test_second_mistake_is_made_on_top_of_the_first(lesson):
    sheet = sheet_of(lesson)
    order = list(sheet.trace.recording.steps.values())
    places = {step.path: number for number, step in enumerate(order)}
    for person in people_of(lesson, "two"):
        first_only = person.__bases__[0]
        assert (first_only.wrong_step, first_only.names) == (person.wrong_step, person.names)
        first, second = (path_of(sheet, name) for name in (person.wrong_step, person.second_step))
        assert places[first] < places[second]
        both, one = (worked(somebody, sheet, Habits()) for somebody in (person, first_only))
        assert numpy.array_equal(numbers_at(both, sheet, first), numbers_at(one, sheet, first))
        assert is_visible(both, one, sheet, second), person.__name__


@pytest.mark.parametrize("kind", SLIPS)
def test_framework_makes_slips_for_right_people_of_this_set(kind):
    for person in RIGHT:
        assert not has_own_ways(person)
    person, sheet = RIGHT[0], sheet_of(RIGHT[0].lesson)
    slip = drawn_slip(kind, person, sheet, Habits(), random.Random(2026))
    right, wrong = (read_back(worked(person, sheet, Habits(), hook), sheet, Habits()) for hook in (None, slip.hook))
    assert right[slip.blank.label] != wrong[slip.blank.label]


def test_right_people_fill_every_blank_in_every_habit():
    sheet = sheet_of("layer-norm")
    for person in people_of("layer-norm", "right"):
        for habits in learners.right_habits(sheet):
            assert len(read_back(worked(person, sheet, habits), sheet, habits)) == len(sheet.fields)


def test_set_is_large_and_covers_the_lessons_of_both_others():
    kinds = [person.kind for person in PEOPLE]
    assert {kind: kinds.count(kind) >= least for kind, least in LEAST.items()} == dict.fromkeys(LEAST, True)
    fresh, tuning, heldout = (sets.learner_set(name) for name in ("fresh", "tuning", "heldout"))
    assert set(fresh.lessons) == set(tuning.lessons) | set(heldout.lessons)
    assert {one.lesson for one in PEOPLE if one.kind == "concept"} == set(fresh.lessons)
    assert not set(fresh.seeds) & (set(tuning.seeds) | set(heldout.seeds))
    assert len(set(PEOPLE)) == len(PEOPLE)
    names = [person.__name__ for person in PEOPLE]
    assert len(set(names)) == len(names)


def test_every_mistake_has_an_id_and_a_sentence_of_its_own():
    mistaken = [person for person in PEOPLE if person.kind == "concept"]
    for person in (*mistaken, *(one for one in PEOPLE if one.kind == "two")):
        assert person.says.endswith("."), person
        assert names_of(person), person
    assert len({person.says for person in mistaken}) == len(mistaken)


def test_programs_know_nothing_of_this_package():
    files = [*FRESH.glob("*.py")]
    assert len(files) > 5
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert {name.name for name in node.names} <= {"numpy", "random"}, file
            elif isinstance(node, ast.ImportFrom) and not node.level:
                assert node.module in ("__future__", "typing"), file
            elif isinstance(node, ast.ImportFrom) and node.level == 2:
                assert node.module.partition(".")[0] in ("programs", "heldout"), file
