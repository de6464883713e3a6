"""Grading answers: every verdict, and what leads to it. The answers come from programs in plain NumPy."""

import pytest
from simulated.answering import answers_of
from simulated.programs.attention_mistakes import DownTheColumns, KeysNotTransposed, NotScaled
from simulated.programs.layer_mistakes import NotActivatedEitherWay
from simulated.programs.masking import Masking
from simulated.programs.paper import person
from simulated.programs.transformer import Example3 as Attentive
from simulated.programs.transformer import Example5
from simulated.programs.update_mistakes import Uphill as UphillMistake

from workings.engine import replay
from workings.engine.errors import InputError
from workings.practice.answers.file import FileAnswers
from workings.practice.grading import grade as grading
from workings.practice.grading import mistake_search
from workings.practice.grading.grade import grade
from workings.practice.grading.grader import shape_note
from workings.practice.grading.verdicts import POINTS, WRONG
from workings.practice.sheet import make_sheet

RootForgotten = person(NotScaled, Attentive, "scaled")
KeysNotTurned = person(KeysNotTransposed, Attentive, "scores")
SharesDownTheColumns = person(DownTheColumns, Attentive, "weights")
Uphill = person(UphillMistake, Attentive, "W_Q_new")
NotBentEitherWay = person(NotActivatedEitherWay, Example5, "activated")
ROUGHLY = "right to the digits given"


@pytest.fixture(scope="module")
def sheet():
    return make_sheet("example-3", 1, "all")


@pytest.fixture(scope="module")
def right(sheet):
    return answers_of(Attentive, sheet)


def verdicts(graded, name):
    return {mark.verdict for mark in graded.marks if mark.blank.label.startswith(name)}


def scaled_by(answers, factor, name):
    return {label: repr(float(text) * factor) for label, text in answers.items() if label.startswith(name)}


# -- the verdicts ------------------------------------------------------------------------------------


def test_everything_right(sheet, right):
    graded = grade(sheet, right)
    assert {mark.verdict for mark in graded.marks if mark.blank.kind == "number"} == {"right"}
    assert (graded.first_wrong, graded.mistakes) == ("", ())


def test_error_is_carried_forward(sheet):
    graded = grade(sheet, answers_of(RootForgotten, sheet))
    assert graded.first_wrong == "block1.attention.scaled"
    assert graded.mistakes == ("divide_by_root.not_divided",)
    assert verdicts(graded, "scaled") == {"mistake"}
    assert verdicts(graded, "weights") == {"follows"}
    assert not {mark.blank.step for mark in graded.marks if mark.is_wrong} - {graded.first_wrong}
    mark = graded["weights[0][0]"]
    assert mark.expected == pytest.approx(float(mark.given), abs=mark.tolerance)
    assert mark.expected != pytest.approx(mark.blank.true, abs=mark.tolerance)


def test_unexplained_numbers_are_unknown(sheet, right):
    graded = grade(sheet, right | scaled_by(right, 1.37, "scores"))
    assert verdicts(graded, "scores") == {"unknown"}
    assert graded.first_wrong == "block1.attention.scores"
    assert graded.mistakes == ()


def test_blank_is_not_zero(sheet, right):
    label = next(label for label, text in right.items() if label.startswith("dscaled") and float(text))
    for text in ("", "  ", "_", None):
        graded = grade(sheet, right | {label: text})
        assert graded[label].verdict == "blank"
        assert graded.first_wrong == ""
    assert grade(sheet, right | {label: "0"})[label].is_wrong
    assert {mark.verdict for mark in grade(sheet, {}).marks} == {"blank"}


def test_more_digits_than_required_are_right(sheet):
    graded = grade(sheet, {blank.label: repr(blank.true) for blank in sheet.fields if blank.kind == "number"})
    assert {mark.verdict for mark in graded.marks if mark.blank.kind == "number"} == {"right"}


@pytest.mark.parametrize(
    "write", [lambda text: text.replace(".", ","), lambda text: f"{float(text):.8e}", lambda text: f"+{text}"]
)
def test_other_ways_to_write_a_number(sheet, right, write):
    label = next(label for label, text in right.items() if float(text) > 0 and "." in text)
    assert grade(sheet, {label: write(right[label])})[label].verdict == "right"


def test_unreadable_answer_has_a_reason(sheet, right):
    graded = grade(sheet, right | {"loss": "about two"})
    assert graded["loss"].verdict == "unreadable"
    assert graded["loss"].note
    assert graded.first_wrong == "loss"


def test_whole_matrix_is_graded_and_another_shape_has_a_verdict(sheet):
    scores = sheet.trace["scores"].value
    graded = grade(sheet, {"scores": repr(scores.tolist())})
    assert verdicts(graded, "scores") == {"right"}
    graded = grade(sheet, {"scores": repr(scores[:1].tolist())})
    assert verdicts(graded, "scores") == {"another shape"}
    assert grade(sheet, {"dW_vocab": repr(sheet.trace["dW_vocab"].value.T.tolist())})["dW_vocab[0][0]"].is_wrong


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ((3, 2), "rows and columns"),
        ((2,), "An axis is missing"),
        ((1, 3), "A row or a column"),
        ((4, 4), "another shape"),
    ],
)
def test_note_about_another_shape(given, key):
    assert key in shape_note(given, (2, 3))


# -- one's own numbers -------------------------------------------------------------------------------


def test_return_to_the_true_numbers_is_right(sheet, right):
    graded = grade(sheet, right | scaled_by(right, 1.37, "scores"))
    assert verdicts(graded, "scaled") == {"right"}  # the true ones, though the scores are wrong
    assert verdicts(graded, "weights") == {"right"}


def test_trivial_numbers_are_not_carried_forward(sheet, right):
    zeros = {label: "0" for label in right if label.startswith("scores")}
    followed = {label: "0" for label in right if label.startswith("scaled")}
    followed |= {label: "0.5" for label in right if label.startswith("weights")}
    graded = grade(sheet, right | zeros | followed)
    assert verdicts(graded, "scores") == {"unknown"}
    assert verdicts(graded, "weights") == {"unknown"}
    assert any("trivial" in mark.note for mark in graded.marks)


def test_mistake_in_an_open_step_is_found_after_it(sheet):
    answers = {
        label: text for label, text in answers_of(RootForgotten, sheet).items() if not label.startswith("scaled")
    }
    graded = grade(sheet, answers)
    assert graded.first_wrong == "block1.attention.weights"
    assert all("divide_by_root.not_divided" in (mark.mistake, *mark.also) for mark in graded.marks if mark.mistake)
    assert graded.mistakes
    assert verdicts(graded, "context") == {"follows"}


def test_open_steps_do_not_block_later_ones(sheet, right):
    graded = grade(sheet, {label: text for label, text in right.items() if label.startswith(("X", "logits", "W_"))})
    assert {mark.verdict for mark in graded.marks} == {"right", "blank"}


def test_repeated_mistake_is_named_everywhere(sheet):
    graded = grade(sheet, answers_of(Uphill, sheet))
    assert graded.mistakes == ("sgd.added",)
    assert len({mark.blank.step for mark in graded.marks if mark.verdict == "mistake"}) == 4


def test_backward_rule_of_a_mistake_is_the_same_mistake():
    sheet = make_sheet("example-5", 3, "all")
    graded = grade(sheet, answers_of(NotBentEitherWay, sheet))
    names = {name.removesuffix("+rule") for mark in graded.marks for name in (mark.mistake, *mark.also) if name}
    assert graded.first_wrong == "block1.feed_forward.activated"
    assert "relu.forgotten" in names


# -- which mistake it was ----------------------------------------------------------------------------


def test_mistakes_with_equal_numbers_are_named_together(sheet):
    graded = grade(sheet, answers_of(KeysNotTurned, sheet))
    mark = next(mark for mark in graded.marks if mark.mistake)
    assert {mark.mistake, *mark.also} == {"matmul.second_transposed", "transpose.forgotten"}


def test_two_mistakes_that_give_an_answer_are_both_named(tmp_path):
    """1/3 is 1/(1 + 2) and 2/(2 + 4): without powers, or with powers of 2."""
    sheet = one_softmax(tmp_path, "[[1.0, 2.0], [3.0, 5.0]]")
    mark = grade(sheet, {"b[0][0]": "0.3333"})["b[0][0]"]
    assert {mark.mistake, *mark.also} == {"softmax.no_exponential", "softmax.base_two"}
    assert " Or: " in mark.reasons


def one_softmax(folder, rows):
    path = folder / "one-softmax.yaml"
    path.write_text(f"scenario: 1\ngiven: {{a: {rows}}}\ncalculate:\n  - b = softmax(a, axis=-1)\n", encoding="utf-8")
    return make_sheet(path, 0, "all")


def test_ambiguous_mistake_is_not_named(tmp_path, monkeypatch):
    monkeypatch.setattr(mistake_search, "MAX_NAMED", 1)
    mark = grade(one_softmax(tmp_path, "[[1.0, 2.0], [3.0, 5.0]]"), {"b[0][0]": "0.3333"})["b[0][0]"]
    assert mark.verdict == "unknown"
    assert "More than one" in mark.note


def test_mistake_must_fit_all_answers_of_its_step(sheet):
    answers = answers_of(SharesDownTheColumns, sheet)
    assert grade(sheet, answers).mistakes == ("softmax.wrong_axis",)
    label = next(label for label in answers if label.startswith("weights"))
    other = answers | {label: repr(float(answers[label]) * 1.2)}
    graded = grade(sheet, other)
    assert verdicts(graded, "weights") == {"unknown"}


def test_possible_wrong_digit_prevents_naming_a_mistake(tmp_path):
    """8 = 2 × 4, and 6 may be 2 + 4 or a wrong digit."""
    path = tmp_path / "two-numbers.yaml"
    path.write_text("scenario: 1\ngiven: {a: 2.0, b: 4.0, c: 11.0}\ncalculate:\n  - d = mul(a, b)\n  - e = mul(b, c)\n")
    graded = grade(make_sheet(path, 0, "all"), {"d": "6", "e": "15"})
    assert graded["d"].verdict == "unknown"
    assert "slip of the pen" in graded["d"].note
    assert graded["e"].mistake == "mul.added"  # 44 and 15 have no digit in common


def test_lost_sign_and_the_mistake_that_gives_it_are_both_possible(tmp_path):
    path = tmp_path / "difference.yaml"
    path.write_text("scenario: 1\ngiven: {a: 2.413, b: 4.136}\ncalculate:\n  - d = sub(a, b)\n")
    graded = grade(make_sheet(path, 0, "all"), {"d": "1.723"})
    assert (graded["d"].verdict, graded["d"].mistake) == ("slip", "slip.sign")
    assert "sub.reversed" in graded["d"].also
    assert graded.mistakes == ()


# -- what is no number -------------------------------------------------------------------------------


def test_shapes_positions_and_choices():
    heads = make_sheet("multi-head", 1, "all")
    shape = next(blank for blank in heads.fields if blank.kind == "shape")
    assert grade(heads, {shape.label: " x ".join(map(str, shape.true))})[shape.label].verdict == "right"
    turned = grade(heads, {shape.label: " x ".join(map(str, shape.true[::-1]))})[shape.label]
    assert (turned.verdict, bool(turned.note)) == ("unknown", True)

    example = make_sheet("example-3", 1, "all")
    choice = next(blank for blank in example.fields if blank.kind == "choice")
    other = next(word for word in choice.choices if word != choice.true)
    assert grade(example, {choice.label: choice.true})[choice.label].verdict == "right"
    assert grade(example, {choice.label: other})[choice.label].verdict == "unknown"
    assert grade(example, {choice.label: "Z"})[choice.label].verdict == "unreadable"


def test_hidden_positions_name_the_mistake_in_the_mask():
    sheet = make_sheet("causal-mask", 1, "all")
    blank = next(blank for blank in sheet.fields if blank.kind == "positions")
    assert (blank.index, blank.true) == ((0,), (1, 2, 3))
    assert grade(sheet, {blank.label: "1, 2, 3"})[blank.label].verdict == "right"
    assert grade(sheet, {blank.label: "{3, 1, 2}"})[blank.label].verdict == "right"
    graded = grade(sheet, answers_of(Masking, sheet) | {blank.label: "2 3"})
    assert graded[blank.label].mistake == "causal_mask.one_ahead"


# -- points, files ------------------------------------------------------------------------------------


def test_points_are_counted_by_the_rule(sheet):
    graded = grade(sheet, answers_of(RootForgotten, sheet))
    wrong = sum(mark.blank.label.startswith("scaled") for mark in graded.marks)
    blank = sum(mark.verdict == "blank" for mark in graded.marks)
    assert graded.points == len(graded.marks) - blank - wrong / 2
    assert all(
        (POINTS[verdict] == 1) == (verdict in ("right", "right to the digits given", "follows")) for verdict in POINTS
    )
    assert all(POINTS[verdict] < 1 for verdict in WRONG)


def test_answers_to_another_sheet_are_rejected(sheet, right):
    with pytest.raises(InputError, match="These answers are for the sheet"):
        grade(sheet, FileAnswers("example-3.twin-9-1-0000", right, {}))
    with pytest.raises(InputError, match="has no blank named"):
        grade(sheet, {"nothing[0]": "1"})


def test_grading_needs_few_replays(sheet, right, monkeypatch):
    """Over 100 right answers need no replay at all, a wrong step only those of the mistakes near it."""
    replays = []
    run = replay._Replay.run
    monkeypatch.setattr(replay._Replay, "run", lambda made: replays.append(1) or run(made))
    assert len(right) > 100
    grade(sheet, right)
    assert len(replays) == 0
    grade(sheet, answers_of(RootForgotten, sheet))
    assert 0 < len(replays) < 60


def test_json_of_a_grade(sheet):
    data = grade(sheet, answers_of(RootForgotten, sheet)).to_data()
    assert data["schema"] == grading.SCHEMA
    assert data["first_wrong"] == "block1.attention.scaled"
    entry = next(entry for entry in data["entries"] if entry["mistake"])
    assert (entry["step"], entry["verdict"]) == ("block1.attention.scaled", "mistake")
    assert entry["hint"]
