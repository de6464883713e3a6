"""The figures of bench/learners.py, in small: how well grading finds what simulated people did wrong."""

import ast
import random
from pathlib import Path

import pytest
from simulated import figures
from simulated.answering import answers_of
from simulated.desk import Hand
from simulated.figures import Figure, Tally, judge_people, judge_program
from simulated.programs import PEOPLE
from simulated.sources import desk_with, sources

from workings.practice.grading.grade import grade

PROGRAMS = Path(__file__).parents[3] / "bench" / "simulated" / "programs"
QUICK = ["example-1", "example-5", "layer-norm", "causal-mask", "matrix-core"]


def tallied(names, seeds, mistakes):
    draw, failures = random.Random(3), []
    tally = Tally(lambda what, where: failures.append(f"{what}: {where}"))
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
    assert all(figure.all for key, figure in found.items() if not key.startswith("program"))


@pytest.mark.slow
def test_the_figures_are_reached_on_all_lessons_and_scenarios():
    found, failures = tallied(sources() * 2, range(30, 60), mistakes=8)
    assert not missed(found, failures)
    assert found["first"].all > 500


# -- programs in plain NumPy --------------------------------------------------------------------------


@pytest.mark.parametrize("person", PEOPLE, ids=lambda person: person.__name__)
def test_mistake_of_a_program_is_found_and_named(person):
    failures = []
    tally = Tally(lambda what, where: failures.append(f"{what}: {where}"))
    judge_program(person, desk_with(person.lesson, 3, "all").sheet, tally)
    assert not failures
    assert tally.figures()["program first"].all == 1


def test_programs_cover_many_different_mistakes():
    wrong = [(person.lesson, person.wrong_step, person.mistake) for person in PEOPLE if person.mistake]
    assert len({mistake for _, _, mistake in wrong}) >= 20
    assert len(PEOPLE) - len(wrong) >= 5


def test_programs_do_not_import_this_package():
    files = [*PROGRAMS.glob("*.py")]
    assert len(files) > 5
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert {name.name for name in node.names} == {"numpy"}, file
            elif isinstance(node, ast.ImportFrom) and not node.level:
                assert node.module in ("__future__", "typing"), file
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 1, file  # each other


# -- that the harness would notice --------------------------------------------------------------------


def test_bad_graders_miss_the_figures(monkeypatch):
    desk = desk_with("example-1", 3, "all")

    def right(sheet):
        plain = {blank.label: blank.true for blank in sheet.fields}
        return {label: " ".join(map(str, true)) if isinstance(true, tuple) else true for label, true in plain.items()}

    def deaf(sheet, answers):
        return grade(sheet, {})

    def lenient(sheet, answers):
        return grade(sheet, right(sheet))

    def hasty(sheet, answers):
        mistake = next(mistake for mistake in sheet.mistakes if mistake.id == "softmax.wrong_axis")
        wrong = {f.label: repr(float(mistake.value[f.index])) for f in sheet.fields if f.step == mistake.step}
        return grade(sheet, right(sheet) | wrong)

    unheard = {"first", "named", "found"}
    graders = ((deaf, {*unheard, "careful"}), (lenient, unheard), (hasty, {*unheard, "careful", "just", "digit"}))
    for grader, unmet in graders:
        monkeypatch.setattr(figures, "grade", grader)
        tally = Tally()
        judge_people(desk, random.Random(1), 5, tally)
        assert {key for key, figure in tally.figures().items() if not figure.is_met} == unmet


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


def test_program_leaves_blank_what_it_does_not_compute():
    person = next(person for person in PEOPLE if person.lesson == "multi-head")
    sheet = desk_with("multi-head", 3, "all").sheet
    answered = {sheet.by_label[label].step for label in answers_of(person, sheet)}
    assert "block1.attention.attended" in answered
    assert "embedding.dE" not in answered
