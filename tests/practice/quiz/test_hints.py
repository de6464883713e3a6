"""The hints to an entry: from the formula to the answer."""

import json
from pathlib import Path

import jsonschema
import pytest

import workings as w
from workings.document.blocks import all_blocks, plain_text, to_data
from workings.document.numbers import Style, write
from workings.engine.rounding import round_float
from workings.practice.quiz.hints import GAP, hint, rungs_of
from workings.practice.quiz.quiz import Quiz
from workings.practice.sheet import make_sheet

DOCUMENT = jsonschema.Draft202012Validator(
    json.loads((Path(w.__file__).parent / "schema" / "document.json").read_text(encoding="utf-8"))
)


@pytest.fixture(scope="module")
def sheet():
    return make_sheet("token-i", 1, "few")


def at(quiz, name):
    while quiz.question.name != name:
        quiz.skip()
    return quiz


def test_the_four_rungs(sheet):
    quiz = at(Quiz(sheet), "Q")
    formula, operands, line, answer = (quiz.hint() for _ in range(4))
    q, x, weight = (sheet.trace[name].value for name in ("Q", "X", "W_Q"))
    assert [block.kind for block in formula.blocks] == ["heading", "formula"]
    assert formula.blocks[1].math.text == "Qᵢⱼ = Σₖ Xᵢₖ W_Qₖⱼ"
    numbers = [span.value for block in operands.blocks[1:] for span in block.spans if span.kind == "number"]
    assert numbers == [*x[0], *weight[:, 0]]
    assert str(line.blocks[1]).endswith(f" = {GAP}")
    assert str(answer.blocks[1]).endswith(f" = {write(float(q[0, 0]))}")
    assert str(line.blocks[1])[: -len(GAP)] == str(answer.blocks[1])[: -len(write(float(q[0, 0])))]


def test_next_question_uses_the_true_value_after_the_answer(sheet):
    quiz = at(Quiz(sheet), "scaled")
    for _ in range(4):
        quiz.hint()
    assert quiz.entries["scaled[0][0]"].outcome == "shown"
    question = quiz.question
    assert question.name == "weights"
    shown = question.given[0].slices[0].rows[0][0]
    assert shown.value == sheet.trace["scaled"].value[0, 0]


def test_giving_up_shows_the_answer_immediately(sheet):
    quiz = at(Quiz(sheet), "scaled")
    quiz.answer({"scaled[0][0]": "5"})
    assert quiz.give_up() == hint(sheet, sheet.by_label["scaled[0][0]"], "answer")
    assert quiz.question.name == "weights"
    assert quiz.summary().points == 0


def test_formula_keeps_its_symbols(sheet):
    """The d of √d is what the learner should remember."""
    quiz = at(Quiz(sheet), "scaled")
    assert quiz.hint().blocks[1].math.text == "scaledᵢⱼ = scoresᵢⱼ / √d"


@pytest.mark.parametrize("name", ["example-1", "example-3", "layer-norm", "causal-mask", "cat-sleeps"])
def test_every_blank_has_hints(name):
    sheet = make_sheet(name, 1, "some")
    for blank in sheet.fields:
        rungs = rungs_of(sheet, blank)
        assert rungs[-1] == "answer"
        assert len(rungs) > 1, blank.label
        for rung in rungs:
            document = hint(sheet, blank, rung)
            assert len(document.blocks) > 1, (blank.label, rung)
            DOCUMENT.validate(to_data(document))


@pytest.mark.parametrize("name", ["example-3", "layer-norm"])
def test_line_without_its_last_number_is_otherwise_the_answer(name):
    """The numbers of the last line give the answer; the gap holds nothing."""
    sheet = make_sheet(name, 1, "some")
    for blank in (blank for blank in sheet.fields if blank.kind == "number" and "line" in rungs_of(sheet, blank)):
        (line,) = (block for block in hint(sheet, blank, "line").blocks if block.kind == "derivation")
        (answer,) = (block for block in hint(sheet, blank, "answer").blocks if block.kind == "derivation")
        assert line.lines[-1].value.text == GAP == line.lines[-1].value.value
        assert line.lines[:-1] == answer.lines[:-1]
        assert line.lines[-1].forms == answer.lines[-1].forms
        assert answer.lines[-1].value.value == pytest.approx(blank.true)


def test_blank_for_text_has_no_calculation():
    sheet = make_sheet("causal-mask", 1, "some")
    (blank,) = (blank for blank in sheet.fields if blank.kind == "positions")
    assert rungs_of(sheet, blank) == ("formula", "operands", "answer")
    assert plain_text(hint(sheet, blank, "answer").blocks[1].spans) == "hidden in masked[0]: {1, 2, 3}"


def test_operands_of_a_shape_are_shapes():
    sheet = make_sheet("multi-head", 1, "some")
    blank = next(blank for blank in sheet.fields if blank.kind == "shape")
    (ledger,) = hint(sheet, blank, "operands").blocks[1:]
    assert ledger.kind == "ledger"
    assert hint(sheet, blank, "answer").blocks[1].spans[0].text.endswith(" × ".join(map(str, blank.true)))


def test_numbers_have_the_digits_of_the_sheet():
    sheet = make_sheet("token-i", 1, "few", digits=6)
    quiz = at(Quiz(sheet), "weights")
    texts = [number.text for number in quiz.question.given[0].slices[0].rows[0]]
    assert texts == [write(float(value), Style(6)) for value in sheet.trace["scaled"].value[0]]
    answer = quiz.give_up().blocks[1]
    assert answer.lines[-1].value.text == write(round_float(answer.lines[-1].value.value, 6, "significant"), Style(6))


def test_every_number_of_a_hint_knows_its_entry(sheet):
    for blank in sheet.fields:
        for rung in rungs_of(sheet, blank):
            for block in all_blocks(hint(sheet, blank, rung).blocks):
                for span in getattr(block, "spans", ()):
                    if span.kind == "number":
                        step = sheet.trace.recording.step(span.step)
                        assert span.value == step.tensor.array[span.index]
