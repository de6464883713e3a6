"""The figures of bench/learners.py, in small, and that the harness is honest: its people do what they say."""

import ast
import random
from pathlib import Path

import numpy
import pytest
from simulated import catalogue, learners, sets
from simulated.answering import Habits, answers_of, numbers_at, worked
from simulated.catalogue import judge_people
from simulated.desk import Hand
from simulated.learners import judge_mistaken, judge_nudges, judge_right, judge_slips, judge_two, operations_of
from simulated.programs import PEOPLE, RIGHT
from simulated.programs.attention_mistakes import DownTheColumns, KeysNotTransposed, NotScaled
from simulated.programs.paper import names_of, person, right_of
from simulated.programs.transformer import Example3, MultiHead
from simulated.slips import SLIPS, drawn_slip
from simulated.sources import desk_with, sources
from simulated.tally import Figure, Tally

from workings.practice.grading.grade import grade

BENCH = Path(__file__).parents[3] / "bench" / "simulated"
QUICK = ["example-1", "example-5", "layer-norm", "causal-mask", "matrix-core"]
MISTAKEN = [one for one in PEOPLE if one.wrong_step]


# -- people who make the mistakes of our own catalogue ------------------------------------------------------


def tallied(names, seeds, mistakes):
    draw, failures = random.Random(3), []
    tally = Tally(catalogue.ROWS, lambda what, where: failures.append(f"{what}: {where}"))
    for number, name in enumerate(names):
        desk = desk_with(name, seeds[number % len(seeds)], ("few", "some", "all")[number % 3])
        judge_people(desk, draw, mistakes, tally)
    return tally.figures(), failures


def missed(found, failures):
    """Which figures are not reached, with what went wrong."""
    return [str(found[key]) for key in found if not found[key].is_met] and failures


def test_the_figures_are_reached():
    found, failures = tallied(QUICK, [3, 8, 21], mistakes=4)
    assert not missed(found, failures)
    assert all(figure.all for key, figure in found.items())


@pytest.mark.slow
def test_the_figures_are_reached_on_all_lessons_and_scenarios():
    found, failures = tallied(sources() * 2, range(30, 60), mistakes=8)
    assert not missed(found, failures)
    assert found["first"].all > 500


# -- programs in plain NumPy --------------------------------------------------------------------------------


@pytest.mark.parametrize("somebody", RIGHT, ids=lambda one: one.__name__)
def test_right_program_writes_the_true_numbers(somebody):
    sheet = desk_with(somebody.lesson, 3, "all").sheet
    worker = worked(somebody, sheet, Habits(digits=15))
    for path in {field.step for field in sheet.fields if field.kind == "number"}:
        numpy.testing.assert_allclose(
            numbers_at(worker, sheet, path), sheet.trace[path].value, rtol=1e-9, atol=1e-12, err_msg=path
        )


@pytest.mark.parametrize("lesson", sorted({one.lesson for one in MISTAKEN}))
def test_mistaken_program_goes_wrong_first_where_it_says(lesson):
    """In some numbers a mistake does not show: if the likeliest token is the right one, for instance."""
    people = [one for one in MISTAKEN if one.lesson == lesson]
    shown = set()
    for sheet in (desk_with(lesson, seed, "all").sheet for seed in (3, 4, 5)):
        for somebody in people:
            first = first_difference(somebody, sheet)
            assert first in (None, sheet.trace.find_step(somebody.wrong_step).path), somebody.__name__
            shown |= {somebody} if first is not None else set()
    assert shown == set(people)


def first_difference(somebody, sheet):
    """The first step, in the order of the sheet, at which somebody has other numbers than without the mistake."""
    own, twin = (worked(one, sheet, Habits(digits=12)) for one in (somebody, right_of(somebody)))
    for step in sheet.trace.recording.steps.values():
        a, b = numbers_at(own, sheet, step.path), numbers_at(twin, sheet, step.path)
        if a is not None and not numpy.array_equal(a, b):
            return step.path
    return None


def test_programs_cover_many_different_mistakes():
    assert len({name for one in MISTAKEN for name in names_of(one)}) >= 140
    assert len({(one.lesson, one.wrong_step, one.__name__) for one in MISTAKEN}) == len(MISTAKEN) >= 400
    assert all(names_of(one) and operations_of(one) for one in MISTAKEN)


def test_programs_do_not_import_this_package():
    files = [*(BENCH / "programs").glob("*.py")]
    assert len(files) > 5
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert {name.name for name in node.names} == {"numpy"}, file
            elif isinstance(node, ast.ImportFrom) and not node.level:
                assert node.module in ("__future__", "typing"), file
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 1, file  # each other


def test_the_two_sets_share_no_seed_and_no_lesson():
    tuning, heldout = (sets.learner_set(name) for name in ("tuning", "heldout"))
    assert not set(tuning.seeds) & set(heldout.seeds)
    assert not set(tuning.lessons) & set(heldout.lessons)
    assert tuning.broken
    assert heldout.broken


def test_somebody_who_reads_the_sheet_goes_on_with_the_printed_numbers():
    sheet = desk_with("example-3", 3, "few").sheet
    wrong = person(NotScaled, Example3, "scaled")
    reading, alone = (worked(wrong, sheet, Habits(reads_printed=reads)) for reads in (True, False))
    path = "block1.attention.weights"
    assert not numpy.array_equal(reading.written[path], alone.written[path])


def test_program_of_few_digits_writes_few_digits():
    sheet = desk_with("example-3", 3, "all").sheet
    for habits in (Habits(digits=3), Habits(pen_digits=3)):
        texts = answers_of(Example3, sheet, habits).values()
        assert max(len(text.lstrip("-0.").replace(".", "").partition("e")[0]) for text in texts) == 3


@pytest.mark.parametrize("kind", SLIPS)
def test_slip_changes_one_number_alone(kind):
    sheet, habits = desk_with("multi-head", 3, "all").sheet, Habits()
    slip = drawn_slip(kind, MultiHead, sheet, habits, random.Random(1))
    right, wrong = answers_of(MultiHead, sheet, habits), answers_of(MultiHead, sheet, habits, slip.hook)
    changed = [label for label in right if right[label] != wrong[label]]
    assert changed[0] == slip.blank.label
    assert [label for label in changed if sheet.by_label[label].step == slip.blank.step] == [slip.blank.label]


# -- that the harness would notice --------------------------------------------------------------------------


def unmet(module, judge, grader, monkeypatch, rows):
    monkeypatch.setattr(module, "grade", grader)
    tally = Tally(rows)
    judge(tally)
    return {key for key, figure in tally.figures().items() if figure.all and not figure.is_met}


def right_answers(sheet):
    plain = {blank.label: blank.true for blank in sheet.fields}
    return {label: " ".join(map(str, true)) if isinstance(true, tuple) else true for label, true in plain.items()}


def deaf(sheet, answers):
    return grade(sheet, {})


def lenient(sheet, answers):
    return grade(sheet, right_answers(sheet))


def hasty(sheet, answers):
    mistake = next(mistake for mistake in sheet.mistakes if mistake.id == "softmax.wrong_axis")
    wrong = {f.label: repr(float(mistake.value[f.index])) for f in sheet.fields if f.step == mistake.step}
    return grade(sheet, right_answers(sheet) | wrong)


def test_bad_graders_miss_the_figures_of_the_catalogue(monkeypatch):
    desk = desk_with("example-1", 3, "all")
    unheard = {"first", "named", "found"}
    graders = ((deaf, {*unheard, "careful"}), (lenient, unheard), (hasty, {*unheard, "careful", "just", "digit"}))
    for grader, keys in graders:
        found = unmet(
            catalogue, lambda tally: judge_people(desk, random.Random(1), 5, tally), grader, monkeypatch, catalogue.ROWS
        )
        assert found == keys


def test_bad_graders_miss_the_figures_of_the_programs(monkeypatch):
    sheet = desk_with("example-3", 3, "all").sheet

    def everybody(tally):
        judge_mistaken(person(NotScaled, Example3, "scaled"), sheet, Habits(), tally)
        judge_slips(Example3, sheet, random.Random(1), 1, tally)
        judge_right(Example3, sheet, Habits(), tally)
        judge_right(Example3, sheet, Habits(pen_digits=3), tally)
        judge_nudges(sheet, random.Random(1), tally)

    unheard = {"first", "named"}
    accused = {"untrue", "slip", "careful", "short accused", "short wrong"}
    graders = ((lenient, {*unheard, "nudged"}), (hasty, {*unheard, *accused, "nudged"}))
    for grader, keys in graders:
        assert unmet(learners, everybody, grader, monkeypatch, learners.ROWS) == keys


def test_second_of_two_mistakes_is_counted():
    sheet, tally = desk_with("example-3", 3, "all").sheet, Tally(learners.ROWS)
    first, second = person(KeysNotTransposed, Example3, "scores"), person(DownTheColumns, Example3, "weights")
    judge_two(first, second, sheet, Habits(), tally)
    found = tally.figures()
    assert (found["second own"].all, found["second true"].all) == (1, 1)
    assert found["second own"].good == 1


def test_a_figure_is_met_on_its_side_of_the_limit():
    assert Figure("", 0.99, True, 99, 100).is_met
    assert not Figure("", 0.99, True, 98, 100).is_met
    assert Figure("", 0.01, False, 1, 100).is_met
    assert not Figure("", 0.01, False, 2, 100).is_met


def test_simulated_people_go_on_with_the_numbers_on_the_sheet():
    """Where something is asked for, one's own rounded answer; elsewhere the printed number, rounded too."""
    desk = desk_with("example-1", 3, "some")
    before = desk.right_before("block1.attention.weights", Hand())
    scaled = before.numbers[desk.sheet.trace.find_step("scaled").id]
    assert all(float(f"{value:.3e}") == value for value in scaled.ravel())
