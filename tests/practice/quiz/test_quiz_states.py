"""A quiz without a terminal: its questions, its replies, and its points."""

import json
from pathlib import Path

import jsonschema
import numpy
import pytest

import workings as w
from workings.document.blocks import plain_text, to_data
from workings.engine.errors import InputError
from workings.engine.rounding import round_float
from workings.practice.blanks import Blank
from workings.practice.quiz.entry import COST, QuizEntry
from workings.practice.quiz.quiz import Quiz
from workings.practice.sheet import make_sheet

DOCUMENT = jsonschema.Draft202012Validator(
    json.loads((Path(w.__file__).parent / "schema" / "document.json").read_text(encoding="utf-8"))
)


@pytest.fixture(scope="module")
def sheets():
    made = {}

    def make(name, blanks="few", **options):
        key = (name, blanks, *options.items())
        made[key] = made.get(key) or make_sheet(name, 1, blanks, **options)
        return made[key]

    return make


@pytest.fixture
def quiz(sheets):
    return Quiz(sheets("token-i"))


def truth(blank, digits=4):
    if blank.kind == "number":
        return repr(round_float(blank.true, digits, "significant"))
    return blank.true if isinstance(blank.true, str) else ", ".join(map(str, blank.true)) or "none"


def right_answers(question):
    return {blank.label: truth(blank) for blank in question.fields}


def go_to(quiz, name):
    while quiz.question.name != name:
        quiz.skip()
    return quiz.question


def texts(document):
    return [plain_text(block.spans) for block in document.blocks if block.kind in ("text", "note")]


def mistake_at(quiz, id):
    step = quiz.question.step
    return next(mistake for mistake in quiz.sheet.mistakes if mistake.step == step and mistake.id == id)


@pytest.mark.parametrize("name", ["example-1", "example-3", "token-i", "layer-norm", "causal-mask", "hello-world"])
@pytest.mark.parametrize("blanks", ["few", "some"])
def test_rounded_true_answers_are_right_everywhere(sheets, name, blanks):
    quiz = Quiz(sheets(name, blanks))
    while (question := quiz.question) is not None:
        reply = quiz.answer(right_answers(question))
        assert {mark.verdict for mark in reply.marks} == {"right"}
    summary = quiz.summary()
    assert quiz.done
    assert summary.points == len(quiz.sheet.fields) == len(summary.entries)
    assert summary.done == summary.count


def test_question_shows_everything_its_step_is_computed_from(quiz):
    question = go_to(quiz, "Q")
    assert [block.title for block in question.given] == ["X", "W_Q"]
    assert texts(question.document())[-1] == "Find Q[0][0] to 4 significant digits."
    assert question.formula.math.text.startswith("Q")
    assert "formula" not in {block.kind for block in question.document().blocks}  # which is the first hint


def test_question_gives_the_learning_rate_and_hides_d(sheets):
    quiz = Quiz(sheets("example-3"))
    scaled = go_to(quiz, "scaled")
    assert [block.kind for block in scaled.given] == ["matrix", "ledger"]
    assert [row.name for row in scaled.given[1].rows] == ["Q", "K"]
    update = go_to(quiz, "W_Q_new")
    assert texts(update.document())[1] == f"rate = {quiz.sheet.trace['W_Q_new'].settings['rate']}"


def test_negative_position_is_shown_from_the_beginning(sheets):
    """The last of two rows is number 1, also where the trace says -1 and names the axis by its word."""
    for name, step in (("example-1", "last"), ("hello-world", "last")):
        quiz = Quiz(sheets(name, "all"))
        question = go_to(quiz, step)
        index, rows = quiz.sheet.trace[question.step].settings["index"], question.given[0].shape[0]
        assert index == -1
        assert texts(question.document())[1] == f"index = {rows - 1}"


def test_json_of_a_question_hides_the_answer(sheets):
    quiz = Quiz(sheets("token-i"))
    data = quiz.question.to_data()
    assert data["fields"] == [
        {"label": "Q[0][0]", "kind": "number", "index": [0, 0], "question": "", "choices": []},
    ]
    assert repr(quiz.question.fields[0].true)[:6] not in json.dumps(data)
    DOCUMENT.validate(data["document"])


def test_known_mistake_is_named_and_the_step_repeated(quiz):
    go_to(quiz, "scaled")
    wrong = mistake_at(quiz, "divide_by_root.not_divided")
    reply = quiz.answer({"scaled[0][0]": repr(round_float(float(wrong.value[0, 0]), 4, "significant"))})
    assert [(mark.verdict, mark.mistake) for mark in reply.marks] == [("mistake", "divide_by_root.not_divided")]
    assert reply.next == "again"
    assert any(wrong.hint in text for text in texts(reply.document()))
    assert texts(reply.document())[-1].endswith("workings op divide_by_root")
    assert quiz.question.name == "scaled"
    assert quiz.mistakes == ["divide_by_root.not_divided"]
    assert quiz.answer(right_answers(quiz.question)).next == "on"
    assert quiz.summary().mistakes == ("divide_by_root.not_divided",)


def test_every_mistake_of_a_sheet_is_wrong_and_mostly_named(sheets):
    """A mistake that differs from the truth is never graded as right."""
    sheet = sheets("example-1", "some")
    named = 0
    for mistake in sheet.mistakes:
        blanks = [blank for blank in sheet.fields if blank.step == mistake.step and blank.kind == "number"]
        quiz = Quiz(sheet)
        if not blanks or mistake.value.shape != sheet.trace[mistake.step].shape:
            continue
        while quiz.question.step != mistake.step:
            quiz.skip()
        values = {blank.label: float(mistake.value[blank.index]) for blank in blanks}
        far = any(abs(values[blank.label] - blank.true) > 5 * blank.tolerance for blank in blanks)
        if not far or not numpy.isfinite(list(values.values())).all():
            continue
        given = {label: repr(round_float(value, 4, "significant")) for label, value in values.items()}
        reply = quiz.answer(given)
        assert any(mark.verdict in ("mistake", "slip", "unknown") for mark in reply.marks), mistake.id
        found = {id for mark in reply.marks if mark.verdict == "mistake" for id in (mark.mistake, *mark.also)}
        assert not found or {mistake.id, *mistake.also} & found, mistake.id
        named += bool(found)
    assert named > 20


def test_wrong_answer_is_not_carried_forward(quiz):
    go_to(quiz, "weights")
    quiz.answer({"weights[0][0]": "0.9"})
    quiz.skip()
    for mark in quiz.answer(right_answers(quiz.question)).marks:
        assert (mark.verdict, mark.expected) == ("right", None)


def test_reply_to_fewer_digits_gives_the_full_number(quiz):
    go_to(quiz, "scaled")
    blank = quiz.question.fields[0]
    assert quiz.answer({blank.label: truth(blank, 2)}).marks[0].verdict == "too few digits"
    reply = quiz.answer({blank.label: truth(blank, 3)})
    assert reply.marks[0].verdict == "right to the digits given"
    assert truth(blank) in texts(reply.document())[0]
    assert reply.next == "on"


def test_unreadable_answer_costs_nothing(quiz):
    reply = quiz.answer({"Q[0][0]": "about five"})
    assert reply.marks[0].verdict == "unreadable"
    assert reply.next == "again"
    assert "about five" in texts(reply.document())[0]
    quiz.answer(right_answers(quiz.question))
    assert quiz.summary().points == 1


def test_blank_stays_open(sheets):
    quiz = Quiz(sheets("matrix-core", "some"))
    first, second = quiz.question.fields
    assert quiz.answer({first.label: "", second.label: " "}).marks == ()
    reply = quiz.answer({first.label: truth(first), second.label: "____"})
    assert [mark.blank for mark in reply.marks] == [first]
    assert reply.next == "again"
    assert quiz.question.fields == (second,)
    quiz.skip(second.label)
    assert quiz.question.number == 2
    assert [entry.outcome for entry in quiz.summary().entries] == ["right", "left"]


def test_whole_matrix_answers_every_entry(sheets):
    quiz = Quiz(sheets("matrix-core", "some"))
    question = quiz.question
    rows = [", ".join(repr(float(value)) for value in row) for row in quiz.sheet.trace["C"].value]
    reply = quiz.answer({"C": f"[[{'], ['.join(rows)}]]"})
    assert [mark.blank for mark in reply.marks] == list(question.fields)
    assert [mark.verdict for mark in reply.marks] == ["right", "right"]


def test_matrix_of_another_shape_has_a_verdict(quiz):
    go_to(quiz, "Q")
    reply = quiz.answer({"Q": "1 2; 3 4; 5 6; 7 8"})
    assert reply.marks[0].verdict == "another shape"
    assert "rows and columns are swapped" in texts(reply.document())[1]
    assert quiz.entries["Q[0][0]"].wrong == 1


@pytest.mark.parametrize("label", ["scaled[0][0]", "X[9][9]", "scaled"])
def test_only_open_blanks_can_be_answered(quiz, label):
    with pytest.raises(InputError, match="is not open now"):
        quiz.answer({label: "1"})


def test_finished_quiz_takes_no_answers(quiz):
    while not quiz.done:
        quiz.skip()
    assert quiz.question is None
    for act in (lambda: quiz.answer({"X[0][1]": "1"}), quiz.hint, quiz.give_up, quiz.skip):
        with pytest.raises(InputError, match="The quiz is over"):
            act()


def test_blanks_for_text_are_part_of_a_quiz(sheets):
    quiz = Quiz(sheets("causal-mask", "some"))
    go_to(quiz, "masked")
    blank = quiz.question.fields[0]
    assert blank.kind == "positions"
    wrong = quiz.answer({blank.label: "0"})
    assert wrong.next == "again"
    assert not any("calculate the line again" in text for text in texts(wrong.document()))
    assert quiz.answer({blank.label: "{1, 2, 3}"}).marks[0].verdict == "right"


# -- points --------------------------------------------------------------------------------------------


def test_every_hint_and_every_wrong_answer_costs_a_quarter(quiz):
    go_to(quiz, "weights")
    quiz.hint()
    quiz.answer({"weights[0][0]": "0.9"})
    quiz.hint()
    quiz.answer(right_answers(quiz.question))
    entry = quiz.entries["weights[0][0]"]
    assert (entry.hints, entry.wrong, entry.points) == (2, 1, 1 - 3 * COST)


def test_points_are_never_negative_and_only_for_right_answers():
    blank = Blank("a", "a", ())
    assert QuizEntry(blank, "right", hints=3, wrong=9).points == 0
    assert [QuizEntry(blank, outcome).points for outcome in ("open", "right", "shown", "left")] == [0, 1, 0, 0]


def test_summary_of_a_stopped_quiz(quiz):
    assert texts(quiz.summary().document()) == ["You stopped after 0 of 10 steps.", "Nothing was answered."]
    quiz.answer(right_answers(quiz.question))
    quiz.answer({"scaled[0][0]": "12"})
    summary = quiz.summary()
    assert (summary.done, summary.points, len(summary.entries)) == (1, 1, 2)
    assert texts(summary.document())[:2] == ["You stopped after 1 of 10 steps.", "1 of 2 points."]
    assert [row["outcome"] for row in summary.to_data()["entries"]] == ["right", "open"]


def test_documents_match_the_schema(quiz):
    DOCUMENT.validate(to_data(quiz.introduction))
    reply = quiz.answer({"Q[0][0]": "12"})
    for data in (quiz.question.to_data(), reply.to_data(), quiz.summary().to_data()):
        assert json.loads(json.dumps(data)) == data
        DOCUMENT.validate(data["document"])


def test_sheet_without_blanks_is_rejected(sheets):
    from dataclasses import replace

    with pytest.raises(InputError, match="has no steps to practice"):
        Quiz(replace(sheets("token-i"), fields=()))
