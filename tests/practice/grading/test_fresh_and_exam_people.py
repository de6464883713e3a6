"""The people of the fresh set, of the exam and of the trial do what they say: right ones are right, and the others go
wrong first where they say.
"""

import ast
import itertools
import random
from functools import cache
from pathlib import Path

import numpy
import pytest
from loops import slow_if
from simulated import exam, fresh, learners, sets, trial
from simulated.answering import Habits, numbers_at, path_of, read_back, worked
from simulated.fresh.lessons import RIGHT
from simulated.learners import can_be_written, has_own_ways, is_visible
from simulated.programs.paper import names_of, right_of
from simulated.slips import SLIPS, drawn_slip
from simulated.sources import desk_with

FOLDER = Path(__file__).parents[3] / "bench" / "simulated"
SETS = {"fresh": fresh, "exam": exam, "trial": trial}
LONG = ("example-6", "small-decoder", "heads-and-layers", "block", "cat-sat-encoder")
LEAST = {"fresh": {"concept": 90, "two": 12, "right": 8}, "exam": {"concept": 80, "two": 10, "right": 32}}
LEAST["trial"] = LEAST["exam"]
MODULES = {"fresh": ("programs", "heldout"), "exam": ("programs", "heldout", "fresh")}
MODULES["trial"] = (*MODULES["exam"], "exam")  # that a set is made from
FINE = Habits(digits=15)  # so that what is left is a mistake and no rounding
NOT_ASKED = {"IdsCountedFromOne", "LastPromptTokenAgain"}  # their step is printed, and shows in the steps that follow
DIAGONAL = {"OwnTokenHidden"}  # the sheet asks for the entries above it


@cache
def sheet_of(lesson, seed):
    return desk_with(lesson, seed, "all").sheet


def people_of(name, lesson, *kinds):
    return [person for person in SETS[name].PEOPLE if person.lesson == lesson and person.kind in kinds]


def lessons_of(*kinds):
    """Each set with each of the lessons that it has such people for."""
    return [
        (name, lesson)
        for name, one in SETS.items()
        for lesson in sorted({person.lesson for person in one.PEOPLE if not kinds or person.kind in kinds})
    ]


EVERY = slow_if([case for case in lessons_of() if case[1] in LONG], lessons_of())


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


@pytest.mark.parametrize(("name", "lesson"), EVERY)
def test_right_people_write_the_true_numbers_into_every_blank(name, lesson):
    sheet = sheet_of(lesson, SETS[name].SEEDS[0])
    for person in people_of(name, lesson, "right"):
        worker = worked(person, sheet, FINE)
        for path in paths_of(sheet):
            numpy.testing.assert_allclose(
                numbers_at(worker, sheet, path),
                sheet.trace[path].value,
                rtol=1e-9,
                atol=1e-12,
                err_msg=f"{person.__name__} at {path}",
            )


@pytest.mark.parametrize(("name", "lesson"), EVERY)
def test_every_mistake_goes_wrong_first_where_it_says_and_shows_there(name, lesson):
    """In some numbers a mistake does not show: if the likeliest token is the right one, for instance."""
    people, shown = people_of(name, lesson, "concept", "two"), set()
    for sheet in (sheet_of(lesson, seed) for seed in SETS[name].SEEDS[: 1 if lesson in LONG else 3]):
        for person in people:
            step = path_of(sheet, person.wrong_step)
            assert first_difference(person, sheet) in (None, step), person.__name__
            own, twin = (worked(one, sheet, Habits()) for one in (person, right_of(person)))
            assert can_be_written(own, sheet, step), person.__name__
            is_later = name == "fresh" and person.__name__ in NOT_ASKED
            later = is_later and any(is_visible(own, twin, sheet, path) for path in paths_of(sheet))
            if later or is_visible(own, twin, sheet, step):
                shown.add(person)
    assert {person.__name__ for person in set(people) - shown} <= (DIAGONAL if name == "fresh" else set())


@pytest.mark.parametrize(("name", "lesson"), slow_if([("exam", "block")], lessons_of("two")))
def test_second_mistake_is_made_on_top_of_the_first(name, lesson):
    sheet = sheet_of(lesson, SETS[name].SEEDS[0])
    places = {step.path: number for number, step in enumerate(sheet.trace.recording.steps.values())}
    for person in people_of(name, lesson, "two"):
        first_only = person.__bases__[0]
        assert (first_only.wrong_step, first_only.names) == (person.wrong_step, person.names)
        first, second = (path_of(sheet, name) for name in (person.wrong_step, person.second_step))
        assert places[first] < places[second]
        both, one = (worked(somebody, sheet, Habits()) for somebody in (person, first_only))
        assert numpy.array_equal(numbers_at(both, sheet, first), numbers_at(one, sheet, first))
        assert is_visible(both, one, sheet, second), person.__name__


@pytest.mark.parametrize(("name", "lesson"), EVERY)
def test_tables_that_were_confused_have_one_shape_and_factors_are_constants(name, lesson):
    sheet = sheet_of(lesson, SETS[name].SEEDS[0])
    for person in people_of(name, lesson, "concept"):
        if used := getattr(person, "used", ()):
            wrong, right = (sheet.trace[path_of(sheet, ending)].value for ending in used)
            assert wrong.shape == right.shape, person.__name__
            assert not numpy.allclose(wrong, right), person.__name__
        if getattr(person, "factor", False):
            step = path_of(sheet, person.wrong_step)
            own, twin = (worked(one, sheet, FINE) for one in (person, right_of(person)))
            a, b = (numpy.ravel(numbers_at(one, sheet, step)) for one in (own, twin))
            ratios = a[b != 0] / b[b != 0]
            assert numpy.allclose(ratios, ratios[0], rtol=1e-7), person.__name__
            assert numpy.all(a[b == 0] == 0), person.__name__


@pytest.mark.parametrize("kind", SLIPS)
def test_framework_makes_slips_for_right_people(kind):
    for person in RIGHT:
        assert not has_own_ways(person)
    person, sheet = RIGHT[0], sheet_of(RIGHT[0].lesson, fresh.SEEDS[0])
    slip = drawn_slip(kind, person, sheet, Habits(), random.Random(2026))
    right, wrong = (read_back(worked(person, sheet, Habits(), hook), sheet, Habits()) for hook in (None, slip.hook))
    assert right[slip.blank.label] != wrong[slip.blank.label]


@pytest.mark.parametrize("name", SETS)
def test_right_people_fill_every_blank_in_every_habit(name):
    sheet = sheet_of("layer-norm", SETS[name].SEEDS[0])
    for person in people_of(name, "layer-norm", "right"):
        for habits in learners.right_habits(sheet):
            assert len(read_back(worked(person, sheet, habits), sheet, habits)) == len(sheet.fields)


@pytest.mark.parametrize("name", SETS)
def test_set_is_large_and_covers_all_lessons(name):
    people = SETS[name].PEOPLE
    kinds = [person.kind for person in people]
    assert {kind: kinds.count(kind) >= least for kind, least in LEAST[name].items()} == dict.fromkeys(LEAST[name], True)
    tuning, heldout, own = (sets.learner_set(one) for one in ("tuning", "heldout", name))
    assert set(own.lessons) == set(tuning.lessons) | set(heldout.lessons)
    assert {one.lesson for one in people if one.kind == "concept"} == set(own.lessons)
    names = [person.__name__ for person in people]
    assert len(set(names)) == len(names)


def test_no_two_sets_have_a_seed_in_common():
    for one, other in itertools.combinations(map(sets.learner_set, sets.SETS), 2):
        assert not set(one.seeds) & set(other.seeds), (one.name, other.name)


@pytest.mark.parametrize("name", SETS)
def test_every_mistake_has_an_id_and_a_sentence_of_its_own(name):
    mistaken = [person for person in SETS[name].PEOPLE if person.kind in ("concept", "two")]
    for person in mistaken:
        assert person.says.endswith("."), person
        assert names_of(person), person
    concepts = [person.says for person in mistaken if person.kind == "concept"]
    assert len(set(concepts)) == len(concepts)


@pytest.mark.parametrize("name", SETS)
def test_programs_know_nothing_of_this_package(name):
    files = [*(FOLDER / name).glob("*.py")]
    assert len(files) > 5
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert {one.name for one in node.names} <= {"numpy", "random"}, file
            elif isinstance(node, ast.ImportFrom) and not node.level:
                assert node.module in ("__future__", "typing", "decimal"), file
            elif isinstance(node, ast.ImportFrom) and node.level == 2:
                assert node.module.partition(".")[0] in MODULES[name], file
