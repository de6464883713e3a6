"""Op pages: every op with its own example, and with given numbers."""

import io
import json

import numpy
import pytest
from loops import for_each
from schema_files import DOCUMENT
from traces import numbers_in

import workings as w
from workings.cli.op import op_call
from workings.document.blocks import Number, plain_text, to_data
from workings.engine.file import plain
from workings.engine.op import OPS
from workings.engine.page import Example
from workings.explain.op_page import op_document, run_op
from workings.render.terminal import show

ALL = sorted(OPS)
EXAMPLES = [(name, number) for name in ALL for number in range(len(OPS[name].page.examples))]


def inputs_of(op, example: Example):
    names = op.slot_names(len(example.inputs))
    made = []
    for name, value in zip(names, example.inputs, strict=True):
        whole = numpy.asarray(value.numbers).dtype.kind == "i"
        make = w.ids if whole else w.given
        made.append(make(value.numbers, " ".join(value.axes), name=name))
    return made


def run_example(name, number=0, precision="float64"):
    op = OPS[name]
    example = op.page.examples[number]
    return run_op(op, inputs_of(op, example), dict(example.settings), example.cotangent, precision)


def run_words(name, *words):
    call = op_call(name, list(words))
    return run_op(call.op, call.inputs, call.settings, call.cotangent)


def kinds(document, kind):
    return [block for block in document.blocks if block.kind == kind]


def headings(document):
    return [block.text for block in kinds(document, "heading")]


def notes(document):
    return {block.mistake: plain_text(block.spans) for block in kinds(document, "note") if block.mistake}


def derivations(document):
    return ["\n".join(str(line) for line in block.lines) for block in kinds(document, "derivation")]


def rendered(document, width, encoding="utf-8"):
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="")
    show(document, stream, width)
    stream.seek(0)
    return stream.read()


# -- every page --------------------------------------------------------------------------------


@for_each(("name", "number"), [pair for pair in EXAMPLES if pair[1] == 0])
def test_the_page_of_an_op_fits_the_schema(name, number):
    document = op_document(run_example(name, number))
    DOCUMENT.validate(json.loads(json.dumps(to_data(document), allow_nan=False)))


@pytest.mark.slow
@for_each(("name", "number"), EXAMPLES)
def test_every_example_gives_a_page_that_fits_the_schema(name, number):
    document = op_document(run_example(name, number))
    DOCUMENT.validate(json.loads(json.dumps(to_data(document), allow_nan=False)))


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@for_each("name", ALL)
def test_every_page_fits_the_terminal(name, encoding):
    document = op_document(run_example(name))
    for width in (80, 40):
        text = rendered(document, width, encoding)
        assert text.startswith(f"{name}\n")
        assert max(len(line) for line in text.splitlines()) <= width


@for_each("name", ALL)
def test_every_page_has_its_parts(name):
    op = OPS[name]
    document = op_document(run_example(name))
    told = headings(document)
    if op.page.conventions:
        assert told.pop(1) == "Conventions"
    assert told[:2] == ["Given", "Update" if op.stage == "update" else "Forward"]
    assert kinds(document, "formula")[0].math.latex
    calculated = {block.step for block in kinds(document, "derivation")}
    run = run_example(name)
    assert run.trace[run.result].id in calculated
    if op.page.rules or op.page.no_rule or op.kind == "group":
        assert told[2] == "Backward"
    if op.page.rules:
        assert "Why" in told
        reasons = [block.reason for block in kinds(document, "formula") if block.reason]
        assert reasons == [reason for _, reason in op.page.derivation]
    hints = [plain_text(block.spans) for block in kinds(document, "note") if block.tone == "hint"]
    assert len(hints) == len(op.page.no_rule)


@for_each("name", ALL)
def test_every_page_shows_what_its_mistakes_would_give(name):
    shown = notes(op_document(run_example(name)))
    mistakes = OPS[name].page.mistakes.values()
    across = {mistake.id for mistake in mistakes if mistake.across}
    assert across <= set(shown)
    expected = {mistake.id for mistake in mistakes}
    assert set(shown) <= expected
    assert set(shown) - across
    if len(OPS[name].page.examples) == 1:  # every mistake shows on some example of its page
        assert set(shown) == expected


@for_each("name", ALL)
def test_every_mistake_shows_its_hint_and_a_different_number(name):
    document = op_document(run_example(name))
    for block in kinds(document, "note"):
        if not block.mistake:
            continue
        _, _, mistake = block.mistake.partition(".")
        assert OPS[name].page.mistakes[mistake].hint in plain_text(block.spans)
        numbers = [span for span in block.spans if isinstance(span, Number)]
        if numbers:
            false, truth = numbers
            assert (false.role, truth.role) == ("mistake", "entry")
            assert false.text != truth.text
            assert (false.step, false.index) == (truth.step, truth.index)


@for_each("name", ALL)
def test_every_number_on_a_page_points_into_its_trace(name):
    run = run_example(name)
    for block in op_document(run).blocks:
        found = []
        if block.kind == "derivation":
            found = list(numbers_in(block))
        elif block.kind == "matrix":
            found = [number for part in block.slices for row in part.rows for number in row]
        elif block.kind == "note":
            found = [span for span in block.spans if isinstance(span, Number)]
        for number in found:
            if number.role == "entry":
                assert plain(run.trace.recording.value(number.step)[number.index].item()) == number.value


@for_each("name", ALL)
def test_every_gradient_on_a_page_is_a_gradient(name):
    """The matrix after Backward is the cotangent, and no given value is passed off as a gradient."""
    run = run_example(name)
    blocks = op_document(run).blocks
    places = [n for n, block in enumerate(blocks) if block.kind == "heading" and block.text == "Backward"]
    if places:
        for block in blocks[places[0] :]:
            if block.kind == "matrix":
                assert run.trace.recording.step(block.step).stage == "backward"


# -- particular pages --------------------------------------------------------------------------


def test_the_page_of_attention_shows_all_of_its_parts_once_both_ways():
    document = op_document(run_example("attention"))
    titles = [block.title for block in kinds(document, "matrix")]
    assert titles[:7] == ["Q", "K", "V", "scores", "scaled", "weights", "context"]
    assert titles[7:] == ["dcontext", "dweights", "dV", "dscaled", "dscores", "dQ", "dK_T", "dK"]
    formulas = [block.math.text for block in kinds(document, "formula")]
    assert "scoresᵢⱼ = Σₖ Qᵢₖ Kᵀₖⱼ" in formulas
    assert "dQ = dscores K" in formulas


def test_the_page_of_sgd_tells_the_given_gradient_from_the_one_of_the_weight():
    document = op_document(run_example("sgd"))
    titles = [block.title for block in kinds(document, "matrix")]
    assert titles == ["W", "dW", "y", "dy", "dW2", "ddW"]
    assert "dW2[1][1] = dy[1][1] = 0.9" in derivations(document)
    assert "sgd.weight_scaled" in notes(document)


def test_the_page_of_lookup_shows_a_row_that_was_taken_twice():
    assert "dE[2][2] = dy[0][2] + dy[2][2] = 0.5 + 0.1 = 0.6" in derivations(op_document(run_example("lookup")))


def test_a_number_of_the_method_is_bracketed_where_it_is_negative():
    assert "ddW[1][1] = dy[1][1] × (-0.1) = 0.9 × (-0.1) = -0.09" in derivations(op_document(run_example("sgd")))


@pytest.mark.parametrize(
    ("name", "words", "line"),
    [
        ("scale", (), "factor = 0.3"),
        ("divide_by_root", (), "d = 3"),
        ("softmax", (), "axis = key"),
        ("softmax", ("--x", "2 1", "--axis", "0"), "axis = key"),
        ("cross_entropy", (), "reduction = mean"),
        ("take_row", (), "index = 1, axis = token"),
        ("sum", ("--x", "1 2; 3 4", "--axis", "key", "--keep", "true"), "axis = key, keep = true"),
        ("place_row", (), "index = 1, axis = -2, size = 3, word = token"),
        ("attention", ("--d", "5"), "d = 5"),
    ],
)
def test_page_shows_the_settings_of_the_call(name, words, line):
    texts = [plain_text(block.spans) for block in kinds(op_document(run_words(name, *words)), "text")]
    assert line in texts


def test_an_op_without_settings_has_no_line_for_them():
    document = op_document(run_example("matmul"))
    assert len(kinds(document, "text")) == 2  # the summary, the precision


def test_the_page_states_its_precision():
    document = op_document(run_example("softmax", precision="calculator 3 decimals"))
    assert "calculator 3 decimals" in plain_text(kinds(document, "text")[1].spans)


def test_a_chosen_entry_is_the_one_that_is_calculated():
    document = op_document(run_example("softmax"), (1, 2))
    assert derivations(document)[0].splitlines()[-1].startswith("P[1][2] = e2 / total = ")
    group = op_document(run_example("attention"), (2, 1))
    assert any(text.startswith("context[2][1] = weights[2] · V[:,1] = ") for text in derivations(group))


def test_a_mistake_of_another_shape_names_both_shapes():
    shown = notes(op_document(run_example("transpose")))
    assert shown["transpose.forgotten"].endswith("It gives the shape token 2 × model 3 instead of model 3 × token 2.")


def test_mistakes_in_the_gradient_of_a_repeated_input_are_seen_in_its_sum():
    run = run_words("mul", "--a", "1 2; 3 4", "--b", "0.5 0.25", "--cotangent", "1 2; 3 4")
    document = op_document(run)
    assert [block.title for block in kinds(document, "matrix")][-2:] == ["db.unsummed", "db"]
    assert "db[1] = Σ db.unsummed[:,1] = 4 + 16 = 20" in derivations(document)
    of_b = [mistake.id for mistake in OPS["mul"].page.mistakes.values() if mistake.of == "b"]
    assert set(of_b) <= set(notes(document))
    for id in of_b:
        assert " at db[" in notes(document)[id]


def test_mistake_that_changes_nothing_is_not_shown():
    document = op_document(run_words("add", "--a", "1 2", "--b", "0 0", "--cotangent", "1 1"))
    assert "add.forgotten" not in notes(document)
    assert "add.subtracted" not in notes(document)


def test_two_values_that_look_equal_get_more_digits():
    document = op_document(run_words("add", "--a", "1 2", "--b", "0.000001 0", "--cotangent", "1 1"))
    assert notes(document)["add.forgotten"].endswith("It gives 1.0 instead of 1.000001 at y[0].")


def test_without_a_cotangent_there_is_no_backward_pass():
    op = OPS["softmax"]
    run = run_op(op, inputs_of(op, op.page.example), {})
    told = ["Given", "Forward", "Common mistakes", "Mistakes that involve other steps"]
    assert headings(op_document(run)) == told
