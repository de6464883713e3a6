"""Verdicts are fair: what is clearly off is wrong; what too few digits cannot tell is neither right nor wrong; other
ways to the same number are right; and nobody is accused of a mistake that cannot be made here.
"""

import re

import pytest
from simulated.desk import Hand, written
from simulated.sources import desk_with

from workings.engine.arithmetic import Calculator
from workings.engine.arrays import is_float
from workings.explain.story import is_shown
from workings.practice.answers.number import read_number
from workings.practice.carried_forward import CarriedForward
from workings.practice.grading.accepted import accepted_answers
from workings.practice.grading.few_digits import needed_digits
from workings.practice.grading.grade import grade
from workings.practice.grading.slips import SLIPS, find_slip
from workings.practice.mistakes import MistakeFinder
from workings.practice.quiz.quiz import Quiz
from workings.practice.sheet import make_sheet
from workings.practice.tolerance import half_unit, rounded_to

ROUGHLY, TOO_FEW = "right to the digits given", "too few digits"


@pytest.fixture(scope="module")
def sheet():
    return make_sheet("example-3", 1, "all")


def right_answers(sheet):
    return {blank.label: written(blank.true, sheet.digits) for blank in numbers_of(sheet)}


def numbers_of(sheet):
    return [blank for blank in sheet.fields if blank.kind == "number" and abs(blank.true) < float("inf")]


# -- clearly off ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("blanks", ["few", "some", "all"])
@pytest.mark.parametrize(
    ("name", "seed"), [("example-2", 5), ("multi-head", 5), ("hello-world", 5), ("causal-mask", 1)]
)
def test_answer_off_by_20_tolerances_is_wrong(name, seed, blanks):
    sheet = make_sheet(name, seed, blanks)
    right = right_answers(sheet)
    nudged = [blank for blank in numbers_of(sheet) if blank.tolerance]
    for blank in nudged[:: max(1, len(nudged) // 40)]:
        text = written(blank.true + 20 * blank.tolerance, sheet.digits)
        assert grade(sheet, right | {blank.label: text})[blank.label].is_wrong, (blank, text)


@pytest.mark.parametrize(
    ("name", "seed"), [("why-transformers", 57), ("cat-sleeps", 3), ("example-1", 3), ("multi-head", 57)]
)
def test_own_paper_is_right_even_where_roundings_add_up_to_more(name, seed):
    for arithmetic in (None, Calculator(4)):
        desk = desk_with(name, seed, "few")
        graded = grade(desk.sheet, desk.fill(Hand(arithmetic=arithmetic, own_paper=True)).answers)
        assert not [mark for mark in graded.marks if mark.is_wrong]


# -- too few digits ------------------------------------------------------------------------------------


def test_too_few_digits_is_neither_right_nor_wrong(sheet):
    near = (blank for blank in numbers_of(sheet) if 0.75 < blank.true < 0.95)
    blank = next(blank for blank in near if abs(blank.true - round(blank.true, 1)) > 0.01)
    for text in ("1", f"{blank.true:.1f}"):
        graded = grade(sheet, {blank.label: text})
        mark = graded[blank.label]
        assert (mark.verdict, mark.points, mark.is_wrong, mark.mistake) == (TOO_FEW, 0, False, "")
        assert re.fullmatch(r"Too few digits to tell; give at least [234]\.", mark.sentence(sheet.digits))
        assert (graded.first_wrong, graded.mistakes) == ("", ())
        assert graded.to_data()["entries"][sheet.fields.index(blank)]["verdict"] == TOO_FEW
        assert "Too few digits" in repr(graded)
        assert "Everything that you answered is right" not in repr(graded)


@pytest.mark.parametrize("digits", [3, 2])
def test_fewer_digits_are_right_if_they_are_enough(sheet, digits):
    right = right_answers(sheet)
    for blank in [blank for blank in numbers_of(sheet) if 0.1 < blank.true < 0.9][:20]:
        given = f"{blank.true:.{digits}f}"
        if abs(float(given) - blank.true) <= blank.tolerance or given.endswith("0"):
            continue
        coarser = half_unit(blank.true, needed_digits(sheet, blank)) - half_unit(blank.true, sheet.digits)
        is_enough = abs(float(given) - blank.true) <= coarser + 1.01 * blank.tolerance
        verdict = grade(sheet, right | {blank.label: given})[blank.label].verdict
        assert verdict in (("right", ROUGHLY) if is_enough else (TOO_FEW,))
        further = f"{float(given) + 3 * 10**-digits:.{digits}f}"
        assert grade(sheet, right | {blank.label: further})[blank.label].is_wrong


def test_end_zeros_may_be_dropped():
    """0.7 for 0.7003 may be a 0.700, and is no known mistake that gives 0.7."""
    found = 0
    for seed in range(1, 6):
        sheet = make_sheet("example-3", seed, "all")
        for blank in numbers_of(sheet):
            short = f"{blank.true:.2e}"
            if not short.startswith(("1.00", "-1.00")) and re.match(r"-?\d\.\d0e", short):
                mark = grade(sheet, {blank.label: repr(float(short))})[blank.label]
                assert mark.verdict in ("right", ROUGHLY, TOO_FEW), (blank, short)
                found += mark.verdict in ("right", ROUGHLY)
    assert found > 10


@pytest.mark.parametrize("blanks", ["few", "some"])
@pytest.mark.parametrize("name", ["example-3", "cat-sleeps", "layer-norm", "adam"])
def test_learner_who_writes_three_digits_is_not_accused(name, blanks):
    desk = desk_with(name, 3, blanks)
    for pen in (lambda blank, text: written(float(text), 3), lambda blank, text: f"{float(text):.3g}"):
        graded = grade(desk.sheet, desk.fill(Hand(pen=pen)).answers)
        assert not [mark for mark in graded.marks if mark.is_wrong]


def test_answers_go_on_from_a_number_with_too_few_digits(sheet):
    """Both who noted one digit and went on with all, and who went on with what they noted."""
    blank = sheet.by_label["scaled[0][0]"]
    short = f"{blank.true:.0e}"
    truth = right_answers(sheet) | {blank.label: short}
    assert {mark.verdict for mark in grade(sheet, truth).marks if mark.given} <= {"right", TOO_FEW}
    value = sheet.trace["scaled"].value.copy()
    value[0, 0] = float(short)
    own = sheet.trace.replay(values={"scaled": value})
    answers = {b.label: written(float(own[b.step].value[b.index]), 4) for b in numbers_of(sheet)} | {blank.label: short}
    graded = grade(sheet, answers)
    assert graded["weights[0][0]"].points == 1


def test_quiz_asks_again_after_too_few_digits_and_takes_no_points(sheet):
    quiz = Quiz(make_sheet("example-3", 7, "few"))
    while all(
        abs(blank.true) < 0.11 or abs(blank.true - round(blank.true, 1)) < 0.01 for blank in quiz.question.fields
    ):
        quiz.skip()
    blank = next(b for b in quiz.question.fields if abs(b.true) > 0.11 and abs(b.true - round(b.true, 1)) > 0.01)
    reply = quiz.answer({blank.label: f"{blank.true:.1f}"})
    assert (reply.marks[0].verdict, reply.next) == (TOO_FEW, "again")
    assert "too few digits to tell" in str(reply.document())
    quiz.answer({blank.label: repr(blank.true)})
    assert quiz.entries[blank.label].points == 1


def test_offline_answers_know_how_many_digits_are_needed(sheet):
    blank = sheet.by_label["scaled[0][0]"]
    first = accepted_answers(sheet, blank).numbers[0]
    assert first.too_few.verdict == TOO_FEW
    assert first.half_unit <= first.coarsest <= 10 * blank.tolerance


# -- what cannot be, and other ways ----------------------------------------------------------------------


def on_paper(truth, digits):
    """The computation of a learner who notes every named step with so many significant digits and goes on from it."""
    carried = CarriedForward(truth)
    for step in truth.steps.values():
        value = carried.compute(step)
        if step.op is not None and is_shown(truth, step) and is_float(value):
            carried.state(step, rounded_to(value, digits))
    return carried.recording


@pytest.mark.parametrize("name", ["example-3", "cat-sleeps"])
def test_impossible_mistake_is_not_offered(name):
    """With one row there is nothing to average, however the numbers before it were rounded."""
    sheet = make_sheet(name, 1, "all")
    mistakes, rounded = MistakeFinder(sheet.trace), on_paper(sheet.trace.recording, sheet.digits)
    possible = {(id, outcome.step) for outcome in mistakes.all for id in outcome.names}
    steps = [step.path for step in mistakes.named_steps if step.op is not None]
    offered = {(id, path) for path in steps for outcome in mistakes.at(path, (), rounded) for id in outcome.names}
    assert offered
    assert offered <= possible


def test_number_recomputed_from_earlier_printed_ones_is_right():
    """What the step reads was not taken from the sheet but computed once more from what is printed before it."""
    sheet = make_sheet("example-3", 5, "some")
    earlier = sheet.trace.replay(values={name: _rounded(sheet, name) for name in ("weights", "V")})
    blanks = [blank for blank in numbers_of(sheet) if blank.label.startswith("last")]
    answers = {blank.label: written(float(earlier[blank.step].value[blank.index]), 4) for blank in blanks}
    assert any(abs(float(answers[blank.label]) - blank.true) > 1.5 * blank.tolerance for blank in blanks)
    assert all(grade(sheet, answers)[label].verdict == "right" for label in answers)


def _rounded(sheet, name):
    return rounded_to(sheet.trace[name].value, sheet.digits)


def test_second_mistake_is_recognized_from_own_and_from_true_numbers(sheet):
    """The scores are not divided; then softmax goes over the other axis, of one's own numbers or of the true ones."""
    trace = sheet.trace
    first = trace.replay(values={"scaled": trace["scores"].value})
    for base in (first, trace):
        weights = base.replay(ops={"weights": "softmax.wrong_axis"})["weights"].value
        both = first.replay(values={"weights": weights})
        answers = {b.label: written(float(both[b.step].value[b.index]), 4) for b in numbers_of(sheet)}
        graded = grade(sheet, answers)
        assert graded.mistakes[:2] == ("divide_by_root.not_divided", "softmax.wrong_axis")


# -- slips ---------------------------------------------------------------------------------------------


def slipped(text):
    digits = [place for place, sign in enumerate(text) if sign.isdigit()][-3:]
    swapped = list(text)
    swapped[digits[0]], swapped[digits[1]] = text[digits[1]], text[digits[0]]
    return {
        "slip.sign": text[1:] if text.startswith("-") else f"-{text}",
        "slip.decimal_point": repr(float(text) * 10),
        "slip.swapped_digits": "".join(swapped),
        "slip.wrong_digit": text[: digits[1]] + str((int(text[digits[1]]) + 5) % 10) + text[digits[1] + 1 :],
    }


def test_slip_is_called_that_and_accuses_nobody(sheet):
    right = right_answers(sheet)
    plain = [label for label, text in right.items() if label.startswith(("context", "scaled")) and "." in text[:-3]]
    label = next(label for label in plain if len({*right[label][-3:]}) == 3 and "0" not in right[label][-3:])
    for slip, text in slipped(right[label]).items():
        graded = grade(sheet, right | {label: text})
        mark = graded[label]
        assert (mark.verdict, mark.mistake, mark.points) == ("slip", slip, 0.5), text
        assert (graded.mistakes, graded.slips, graded.first_wrong) == ((), (slip,), mark.blank.step)
        assert SLIPS[slip] in repr(graded)
        assert "workings quiz" not in repr(graded)


def test_dropped_term_is_a_slip(sheet):
    right, trace = right_answers(sheet), sheet.trace
    weights, values = trace["weights"].value, trace["V"].value
    label, text = "context[1][0]", written(float(weights[1, 0] * values[0, 0]), 4)
    graded = grade(sheet, right | {label: text})
    assert (graded[label].verdict, graded[label].mistake) == ("slip", "slip.dropped_term")


def test_concept_that_explains_all_answers_of_a_step_beats_a_slip(tmp_path):
    """With the wrong sign everywhere, it is the subtraction that was exchanged."""
    path = tmp_path / "difference.yaml"
    path.write_text("scenario: 1\ngiven: {a: [1.234, 5.678], b: [0.411, 3.217]}\ncalculate:\n  - d = sub(a, b)\n")
    sheet = make_sheet(path, 0, "all")
    assert grade(sheet, {"d[0]": "-0.823", "d[1]": "-2.461"}).mistakes
    one = grade(sheet, {"d[0]": "-0.823", "d[1]": "2.461"})
    assert (one.mistakes, one.slips) == ((), ("slip.sign",))


@pytest.mark.parametrize("text", ["1e-13", "-1e-300", "inf", "-inf", "1/3", "1e300"])
def test_numbers_without_digits_are_no_slips(text):
    assert find_slip(read_number(text), 0.25344, 0.0001, 4) is None
