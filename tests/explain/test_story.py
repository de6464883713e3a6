"""The story of a trace: what is told, in which order, under which headings, and in which names."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from katex_judge import complaints
from schema_files import DOCUMENT, SCHEMAS, TRACE
from traces import ALL, PRECISIONS, SMALL, heads, layer, long, numbers_in, small

import workings as w
from workings.document.blocks import plain_text, to_data
from workings.engine.op import OPS
from workings.explain.story import is_shown

OTHERS = {"layer": layer, "heads": heads, "long": long}


def blocks(trace, kind):
    return [block for block in trace.document("title").blocks if block.kind == kind]


def headings(trace):
    return [(block.level, block.text) for block in blocks(trace, "heading")]


def titles(trace):
    return [plain_text(block.spans) for block in blocks(trace, "text")][1:]  # the first says the precision


def formulas(trace):
    return [block.math.text for block in blocks(trace, "formula")]


# -- order -------------------------------------------------------------------------------------


def test_the_forward_story_has_its_parts_in_order():
    assert headings(small("attention-forward")) == [
        (2, "Shapes"),
        (2, "Forward"),
        (3, "attention"),
        (3, "after attention"),
    ]


def test_backward_pass_follows_with_a_heading_for_each_module():
    assert headings(small("attention-backward")) == [
        (2, "Shapes"),
        (2, "Forward"),
        (3, "attention"),
        (3, "after attention"),
        (2, "Backward"),
        (3, "attention"),
    ]


def test_training_tells_both_steps():
    told = [text for level, text in headings(small("attention-training")) if level == 2]
    assert told == ["Shapes", "Forward", "Backward", "Update", "Forward"]
    told = headings(small("attention-training"))
    paths = [text for level, text in told[told.index((2, "Forward")) :] if level == 3]
    assert paths[:3] == ["step1", "step1.attention", "step1"]
    assert paths[-3:] == ["step2", "step2.attention", "step2"]


def test_a_module_is_introduced_by_its_formula_and_summary_once():
    reasons = [block for block in blocks(small("attention-backward"), "formula") if block.reason]
    (attention,) = reasons
    assert attention.math.text == "context = softmax(Q Kᵀ / √d) V"
    assert attention.reason == OPS["attention"].page.summary


# -- what is told ------------------------------------------------------------------------------


def told_steps(trace):
    """The steps that have a text of their own, by the link at its beginning."""
    found = []
    for block in blocks(trace, "text")[1 if trace.convention is None else 2 :]:
        assert block.spans[0].kind == "link"
        found.append(block.spans[0].step)
    return found


@pytest.mark.parametrize("trace", [*map(small, ALL), layer(), heads()], ids=[*ALL, "layer", "heads"])
def test_every_named_step_is_shown_once_and_no_other(trace):
    told = told_steps(trace)
    assert len(told) == len(set(told))
    recording = trace.recording
    results = {group.result: group for group in recording.groups.values() if group.rule_of}
    members = {step.id for group in recording.groups.values() if group.rule_of for step in recording.members(group)}
    for step in recording.steps.values():
        group = results.get(step.id)
        final = step.id not in members or step.path == recording.groups[step.group].path
        repeated = group is not None and step.path != group.path and step.op_name != "pass"
        constant = step.leaf == "constant" and not step.twin
        expected = step.named and not constant and (final or repeated)
        assert (step.id in told) is expected, step.path
        assert is_shown(recording, step) is expected


def test_steps_that_only_move_entries_are_not_shown():
    names = {title.split()[0] for title in titles(small("attention-backward"))}
    assert not {"K_T", "transpose", "dX.W_T", "W_vocab_T"} & names
    assert {"E", "tokens", "X", "scores", "loss", "dloss", "dK_T", "dX.via_Q", "dX", "dE"} <= names


def test_copies_of_a_bias_are_not_shown_but_products_with_a_gain_are():
    names = [title.split()[0] for title in titles(layer())]
    assert "db.unsummed" not in names
    assert names.index("dgain.unsummed") + 1 == names.index("dgain")
    assert "dgain.unsummed (gradient of gain before the sum over its copies)" in titles(layer())


def test_each_step_has_its_value_and_one_entry_by_hand():
    for name in ALL:
        trace = small(name)
        told = told_steps(trace)
        assert [block.step for block in blocks(trace, "matrix")] == told
        derived = [block.step for block in blocks(trace, "derivation")]
        assert derived == [id for id in told if trace.recording.step(id).op is not None]


def test_titles_say_where_a_value_comes_from():
    told = titles(small("attention-backward"))
    assert "E (a weight)" in told
    assert "tokens (given)" in told
    assert "X = lookup(E, tokens)" in told
    assert "scores = matmul(Q, Kᵀ)" in told
    assert "dloss (upstream gradient of loss)" in told
    assert "dscores (gradient of the loss with respect to scores)" in told
    assert "dK_T (gradient of the loss with respect to Kᵀ)" in told
    assert "dX.via_Q (gradient that flows back into X through Q)" in told
    assert "dX (sum of all gradients that flow back into X)" in told
    assert "E_new = sgd(E, dE)" in titles(small("attention-training"))


@pytest.mark.parametrize(
    ("precision", "sentence"),
    [
        ("float64", "Numbers: float64, shown to 4 significant digits."),
        ("calculator 3 decimals", "Numbers: calculator 3 decimals. Each line starts from the digits shown."),
    ],
)
def test_the_page_states_its_precision_first(precision, sentence):
    first = small("attention-forward", precision).document().blocks[0]
    assert plain_text(first.spans) == sentence


# -- formulas in the names of the trace --------------------------------------------------------


@pytest.mark.parametrize(
    "formula",
    [
        "Xₜⱼ = E_(tokensₜ,j)",
        "Qᵢⱼ = Σₖ Xᵢₖ W_Qₖⱼ",
        "scoresᵢⱼ = Σₖ Qᵢₖ Kᵀₖⱼ",
        "scaledᵢⱼ = scoresᵢⱼ / √2",
        "weightsᵢⱼ = e^(scaledᵢⱼ) / Σₖ e^(scaledᵢₖ)",
        "lastⱼ = context_(1,j)",
        "dlast = dlogits W_vocabᵀ",
        "dweights = dcontext Vᵀ",
        "dscaledᵢⱼ = weightsᵢⱼ (dweightsᵢⱼ − Σₖ dweightsᵢₖ weightsᵢₖ)",
        "dscoresᵢⱼ = dscaledᵢⱼ / √2",
        "dQ = dscores K",
        "dK_T = Qᵀ dscores",
        "dW_Q = Xᵀ dQ",
        "dX = dX.via_V + dX.via_K + dX.via_Q",
        "dEᵣⱼ = Σₜ [tokensₜ = r] dXₜⱼ",
    ],
)
def test_formulas_use_the_names_of_the_trace(formula):
    assert formula in formulas(small("attention-backward"))


def test_the_update_and_the_bias_have_their_formulas():
    assert "W_Q_newᵢⱼ = W_Qᵢⱼ − 0.1 · dW_Qᵢⱼ" in formulas(small("attention-training"))
    assert "yᵢⱼ = hᵢⱼ + bⱼ" in formulas(layer())
    assert "dgainᵢⱼ = dscaledᵢⱼ yᵢⱼ" in [text.replace("dgain.unsummed", "dgain") for text in formulas(layer())]


def all_math():
    traces = {name: small(name) for name in ALL} | {name: make() for name, make in OTHERS.items()}
    return {(name, block.math) for name, trace in traces.items() for block in blocks(trace, "formula")}


def test_katex_accepts_every_formula_of_every_story():
    found = sorted({math.latex for _, math in all_math()})
    assert len(found) > 40
    refused = {latex: error for latex, error in zip(found, complaints(found), strict=True) if error}
    assert not refused


def test_every_formula_has_a_form_for_every_reader():
    for _, math in all_math():
        assert math.ascii.isascii()
        assert math.speech
        assert "_{" not in math.text
        assert not set(math.speech) & set("ᵢⱼₖ√Σ−{}^")


@pytest.mark.parametrize(
    "name", ["größe", "a b", "50%", "x^2", "α", "h'", "W{1}", "a\\b", "$x$", "#1", "&", "~", "Q2", "日本", "x|y"]
)
def test_any_name_can_be_part_of_a_formula(name):
    with w.Trace() as trace:
        x = w.given([[1.0, 2.0], [3.0, 4.0]], "token model", name=name)
        product = w.ops.matmul(w.ops.softmax(x, name=f"y{name}"), w.ops.transpose(x.rename(token="hidden")))
        w.ops.sum(product, name="l")
    found = [block.math for block in blocks(trace.backward("l"), "formula")]
    assert any(name in math.text for math in found)
    assert all(math.ascii.isascii() for math in found)
    assert complaints([math.latex for math in found]) == [None] * len(found)


# -- the shape ledger --------------------------------------------------------------------------


def test_the_ledger_lists_the_forward_steps_with_their_shapes():
    (ledger,) = blocks(small("attention-backward"), "ledger")
    assert ledger.headings == ("step", "op", "shape")
    rows = {row.name: row for row in ledger.rows}
    assert [row.name for row in ledger.rows][:4] == ["E", "tokens", "X", "W_Q"]
    assert (rows["scores"].op, rows["scores"].axes, rows["scores"].shape) == ("matmul", ("query", "key"), (2, 2))
    assert rows["loss"].shape == ()
    assert not any(row.note for row in ledger.rows)
    assert "dscores" not in rows


def test_ledger_names_broadcast_inputs():
    (ledger,) = blocks(layer(), "ledger")
    notes = {row.name: row.note for row in ledger.rows if row.note}
    assert notes == {
        "y": "b is broadcast along token, 3 times",
        "scaled": "gain is broadcast along token, 3 times",
    }


def test_steps_of_the_same_name_lie_in_ledgers_of_their_own():
    trace = small("attention-training")
    ledgers = blocks(trace, "ledger")
    assert [row.name for row in ledgers[0].rows] == ["E", "W_Q", "W_K", "W_V", "W_vocab", "tokens", "target"]
    paths = [trace.recording.step(row.step).path for ledger in ledgers for row in ledger.rows]
    assert sorted(paths) == sorted(set(paths))
    assert {"step1.attention.scores", "step2.attention.scores"} <= set(paths)
    for ledger in ledgers:
        names = [row.name for row in ledger.rows]
        assert len(names) == len(set(names))
    told = [text for level, text in headings(trace) if level == 3]
    assert told[:4] == ["step1", "step1.attention", "step2", "step2.attention"]


# -- the document and the trace as data --------------------------------------------------------


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("name", SMALL)
def test_documents_and_traces_fit_their_schemas(name, precision):
    trace = small(name, precision)
    DOCUMENT.validate(json.loads(json.dumps(to_data(trace.document(name)))))
    TRACE.validate(json.loads(trace.to_json(name)))


@pytest.mark.parametrize("make", OTHERS.values(), ids=OTHERS)
def test_larger_documents_fit_their_schema_too(make):
    DOCUMENT.validate(json.loads(json.dumps(to_data(make().document()))))
    TRACE.validate(json.loads(make().to_json()))


def test_schema_rejects_data_that_is_not_a_document():
    data = json.loads(json.dumps(to_data(small("attention-forward").document())))
    data["blocks"].append({"kind": "poem", "text": "x"})
    assert not DOCUMENT.is_valid(data)
    del data["blocks"]
    assert not DOCUMENT.is_valid(data)


def test_schema_files_match_the_types():
    script = Path(__file__).parents[1] / "support/schema.py"
    derived = subprocess.run([sys.executable, str(script)], capture_output=True, check=True, encoding="utf-8")
    assert json.loads(derived.stdout) == SCHEMAS


def test_a_trace_that_was_read_back_tells_the_same_story():
    for name in SMALL:
        again = w.Trace.from_json(small(name).to_json())
        again = again.with_run(style=small(name).style)  # how things are written is no part of the numbers
        assert again.document(name) == small(name).document(name)


@pytest.mark.parametrize("name", ALL)
def test_every_number_of_a_document_points_into_the_trace(name):
    trace = small(name)
    for block in trace.document(name).blocks:
        if block.kind == "matrix":
            found = [number for part in block.slices for row in part.rows for number in row]
            assert len(found) == trace.recording.value(block.step).size
        else:
            found = list(numbers_in(block)) if block.kind == "derivation" else []
        for number in found:
            if number.role == "entry":
                assert trace.recording.value(number.step)[number.index].item() == float(number.value)


def test_of_a_large_value_the_corner_is_shown_and_said_so():
    trace = long()
    (matrix,) = (block for block in blocks(trace, "matrix") if block.step == trace["B"].id)
    assert matrix.note == "The corner of model 512 × hidden 2: the rest is in the data."
    assert [len(part.rows) for part in matrix.slices] == [6]
    assert [len(row) for row in matrix.slices[0].rows] == [2] * 6


@pytest.mark.parametrize("precision", ["calculator 6 significant", "calculator 2 decimals"])
def test_under_a_calculator_every_digit_is_shown(precision):
    trace = small("attention-backward", precision)
    for block in blocks(trace, "matrix"):
        for number in (number for part in block.slices for row in part.rows for number in row):
            assert float(number.text) == number.value


def test_each_matrix_of_many_axes_has_its_index():
    (matrix,) = (block for block in blocks(heads(), "matrix") if block.step == heads()["scores"].id)
    assert [part.index for part in matrix.slices] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert matrix.slices[2].rows[1][2].index == (1, 0, 1, 2)
