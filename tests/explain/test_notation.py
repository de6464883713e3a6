"""Notation: other names, another way to count, columns instead of rows. What is written changes; no number does."""

import json
import re
from dataclasses import replace

import numpy
import pytest
from calculator_lines import check_every_line
from katex_judge import complaints
from schema_files import DOCUMENT
from traces import SMALL, cells, heads, layer, numbers_in, small

import workings as w
from workings.document.blocks import Link, plain_text, to_data
from workings.document.notation import Notation, NotationError, check_symbols, name_of, path_of
from workings.document.numbers import PLAIN, Style
from workings.engine.arrays import indices
from workings.engine.errors import WorkingsError
from workings.explain.cell import cell
from workings.explain.op_page import op_document, run_op
from workings.explain.story import story
from workings.ops import OPS

SYMBOLS = {"weights": "α", "Q": "q", "X": r"\xi", "W_Q": "B"}
NOTATIONS = {
    "symbols": Notation(SYMBOLS),
    "from 1": Notation(count_from=1),
    "columns": Notation(vectors="column"),
    "all": Notation(SYMBOLS, 1, "column"),
}
EACH = pytest.mark.parametrize("notation", NOTATIONS.values(), ids=NOTATIONS)


def seen(trace, notation):
    """The same trace, shown in a notation."""
    return w.Trace(recording=trace.recording, style=Style(notation=notation), convention=trace.convention)


def blocks(trace, kind):
    return [block for block in trace.document("title").blocks if block.kind == kind]


def formula(trace, name):
    """The formula of a step in the story."""
    told = trace.document("title").blocks
    at = next(n for n, b in enumerate(told) if b.kind == "text" and linked(b) == trace.recording.paths[name])
    assert told[at + 1].kind == "formula"
    return told[at + 1].math


def linked(block):
    return block.spans[0].step if isinstance(block.spans[0], Link) else ""


def titles(trace):
    return [plain_text(block.spans) for block in blocks(trace, "text")]


# -- symbols -----------------------------------------------------------------------------------


def test_symbol_replaces_the_name_everywhere():
    trace = seen(small("attention-backward"), Notation({"weights": "α"}))
    assert str(trace["weights"].cell(1, 0)).splitlines()[-1] == "α[1][0] = e0 / total = 1.0 / 1.834 = 0.5453"
    assert str(trace["context"].cell(0, 0)).startswith("context[0][0] = α[0] · V[:,0] = ")
    assert str(trace["dV"].cell(0, 1)).startswith("dV[0][1] = α[:,0] · dcontext[:,1] = ")
    assert "α = softmax(scaled)" in titles(trace)
    assert "context = matmul(α, V)" in titles(trace)
    assert "dα (gradient of the loss with respect to α)" in titles(trace)
    assert [row.name for row in blocks(trace, "ledger")[0].rows].count("α") == 1
    page = json.dumps(to_data(trace.document("title")), ensure_ascii=False)
    assert "weights" not in re.sub(r"α is weights|attention weights|\"reason\": \"[^\"]*\"", "", page)


def test_a_formula_has_the_symbol_in_all_its_forms():
    trace = seen(small("attention-backward"), Notation({"weights": "α"}))
    math = formula(trace, "attention.context")
    assert math.latex == r"\mathrm{context}_{ij} = \sum_k \alpha_{ik} \, V_{kj}"
    assert math.text == "contextᵢⱼ = Σₖ αᵢₖ Vₖⱼ"
    assert math.ascii == "context_ij = sum_k alpha_ik V_kj"
    assert math.speech == "context sub i j equals the sum over k of alpha sub i k times V sub k j"
    back = formula(trace, "attention.dweights")
    assert (back.text, back.ascii) == ("dα = dcontext Vᵀ", "dalpha = dcontext V^T")
    assert back.speech == "d alpha equals d context times V transposed"
    assert formula(trace, "dV").text == "dV = αᵀ dcontext"


def test_gradients_and_new_weights_follow_the_symbol_of_their_step():
    trace = seen(small("attention-training"), Notation({**SYMBOLS, "K": "κ"}))
    names = {step.path: name_of(trace.recording, step.step, trace.style.notation) for step in trace}
    assert names["step1.dX"] == "dξ"
    assert names["step1.dX.via_Q"] == "dξ.via_q"
    assert names["step1.dX.via_V"] == "dξ.via_V"
    assert names["step1.W_Q_new"] == "B_new"
    assert names["step1.attention.K_T"] == "κ_T"
    assert names["step1.attention.dK_T"] == "dκ_T"
    assert names["step1.W_K_new"] == "W_K_new"
    assert path_of(trace.recording, trace["step1.dX.via_Q"].step, trace.style.notation) == "step1.dξ.via_q"
    assert "dξ.via_q (gradient that flows back into ξ through q)" in titles(trace)
    assert "q = matmul(ξ, B)" in titles(trace)
    named = [[row.name for row in ledger.rows] for ledger in blocks(trace, "ledger")]
    assert ["scores", "scaled", "α", "context"] in named


def test_a_gradient_that_is_still_to_be_summed_and_a_step_of_its_own():
    trace = seen(layer(), Notation({"gain": "γ", "db": "δ"}))
    names = {step.path: name_of(trace.recording, step.step, trace.style.notation) for step in trace}
    assert (names["dgain.unsummed"], names["dgain"]) == ("dγ.unsummed", "dγ")
    assert (names["b"], names["db"]) == ("b", "δ")  # a gradient may have a symbol that does not come from its twin
    assert names["scaled"] == "scaled"


def test_a_name_that_only_begins_alike_keeps_its_own():
    with w.Trace() as trace:
        a = w.given([1.0, 2.0], "key", name="d")
        w.ops.exp(a, name="dx")
        w.ops.exp(w.given([1.0], "key", name="x"), name="xs")
    trace = seen(trace, Notation({"x": "β", "d": "δ"}))
    shown = [name_of(trace.recording, step.step, trace.style.notation) for step in trace]
    assert shown == ["δ", "dx", "β", "xs"]


def test_the_end_of_a_path_can_have_a_symbol_and_the_longest_end_wins():
    trace = seen(small("attention-training"), Notation({"weights": "A", "step2.attention.weights": "B"}))
    assert str(trace["step1.attention.weights"].cell(0, 0)).splitlines()[-1].startswith("A[0][0] = ")
    assert str(trace["step2.attention.weights"].cell(0, 0)).splitlines()[-1].startswith("B[0][0] = ")


def test_a_module_and_its_formula_follow_too():
    trace = seen(small("attention-forward"), Notation({"attention": "head", "Q": "q", "context": "Z"}))
    assert [block.text for block in blocks(trace, "heading") if block.level == 3] == ["head", "after head"]
    (whole,) = [block for block in blocks(trace, "formula") if block.reason]
    assert whole.math.text == "Z = softmax(q Kᵀ / √d) V"


def test_a_link_leads_to_the_step_itself():
    plain, trace = small("attention-backward"), seen(small("attention-backward"), NOTATIONS["all"])
    links = [[s for s in b.spans if isinstance(s, Link)] for b in blocks(trace, "text")]
    usual = [[s for s in b.spans if isinstance(s, Link)] for b in blocks(plain, "text")]
    assert [sorted(link.step for link in row) for row in links] == [sorted(s.step for s in row) for row in usual]


# -- counting from 1 ---------------------------------------------------------------------------


def test_entries_are_counted_from_one():
    trace = seen(small("attention-forward"), Notation(count_from=1))
    assert str(trace["scores"].cell(1, 0)).startswith("scores[2][1] = Q[2] · K[1] = ")
    lines = str(trace["weights"].cell(1, 0)).splitlines()
    assert lines[1].startswith("s1 = scaled[2][1] − max = ")
    assert lines[-1].startswith("weights[2][1] = e1 / total = ")
    assert trace["weights"].cell(1, 0).index == (1, 0)
    assert formula(trace, "last").text == "lastⱼ = context_(2,j)"


def test_matrices_of_a_batch_count_from_one():
    trace = seen(heads(), Notation(count_from=1))
    scores = next(block for block in blocks(trace, "matrix") if block.title == "" and len(block.slices) == 4)
    assert [part.index for part in scores.slices] == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert scores.slices[0].rows[0][0].index == (0, 0, 0, 0)


def test_ids_positions_and_settings_keep_their_values():
    with w.Trace() as trace:
        x = w.given([[0.5, 2.0, 1.0]], "token vocab", name="x")
        w.ops.argmax(x, axis="vocab", name="best")
    (_, line) = seen(trace, Notation(count_from=1))["best"].cell(0).lines
    assert str(line) == "best[1] = first position of max in x[1] = first position of 2.0 in 0: 0.5, 1: 2.0, 2: 1.0 = 1"


def test_parts_count_from_one_and_lines_as_their_entries():
    count = Notation(count_from=1)
    assert [count.line(symbol) for symbol in ("e0", "s3[1]", "loss[0][2]", "total", "squares1", "log_p[0]")] == [
        "e1", "s4[2]", "loss[1][3]", "total", "squares1", "log_p[1]",
    ]  # fmt: skip
    assert Notation(vectors="column").line("loss[0][2]") == "loss[2][0]"
    assert Notation().line("e0") == "e0"


# -- columns -----------------------------------------------------------------------------------


def test_products_are_in_reverse_order():
    trace = seen(small("attention-backward"), Notation(vectors="column"))
    assert "Q = matmul(W_Q, X)" in titles(trace)
    assert formula(trace, "Q").text == "Qᵢⱼ = Σₖ W_Qᵢₖ Xₖⱼ"
    assert formula(trace, "dW_Q").text == "dW_Q = dQ Xᵀ"
    assert formula(trace, "dQ").text == "dQ = K dscores"
    assert formula(trace, "attention.weights").text == ("weightsᵢⱼ = e^(scaledᵢⱼ) / Σₖ e^(scaledₖⱼ)")
    (whole,) = [block for block in blocks(trace, "formula") if block.reason]
    assert whole.math.text == "context = V softmax(Kᵀ Q / √d)"
    assert str(trace["Q"].cell(1, 0)) == "Q[0][1] = W_Q[0] · X[:,1] = 0.3×(-0.3) + 0.5×0.8 = 0.31"
    assert str(trace["scores"].cell(1, 0)).startswith("scores[0][1] = K[:,0] · Q[:,1] = ")


def test_matrices_and_shapes_are_shown_transposed():
    plain, trace = small("block"), seen(small("block"), Notation(vectors="column"))
    for usual, turned in zip(blocks(plain, "matrix"), blocks(trace, "matrix"), strict=True):
        assert turned.step == usual.step
        assert turned.shape == (*usual.shape[:-2], *usual.shape[-2:][::-1])
        assert turned.axes == (*usual.axes[:-2], *usual.axes[-2:][::-1])
        for one, other in zip(usual.slices, turned.slices, strict=True):
            assert one.index == other.index
            assert one.rows == tuple(zip(*other.rows, strict=True))
    rows = {row.name: row.axes for ledger in blocks(trace, "ledger") for row in ledger.rows}
    assert rows["X"] == ("model", "token")
    assert rows["weights"][-2:] == ("key", "query")


def test_formula_that_cannot_be_transposed_says_so():
    with w.Trace() as trace:
        a = w.given([[1.0, 2.0], [3.0, 4.0]], "token model", name="a")
        b = w.given([[5.0], [6.0]], "token model", name="b")
        w.ops.concat(a, b, axis="model", name="c")
        w.ops.sum(a, axis="token", name="s")
    c, s = blocks(seen(trace, Notation(vectors="column")), "formula")
    assert (c.math.text, c.reason) == ("c = [a, b]", "Written for row vectors.")
    assert (s.math.text, s.reason) == ("sᵢ = Σₖ aᵢₖ", "")
    assert [block.reason for block in blocks(trace, "formula")] == ["", ""]


def shown_values(trace):
    """Every step as its page shows it: by name, an array of the values in their shown places."""
    found = {}
    for step in trace:
        block = next(b for b in step.document().blocks if b.kind == "matrix")
        lead = block.shape[:-2]
        values = numpy.array([[[float(n.value) for n in row] for row in part.rows] for part in block.slices])
        found[name_of(trace.recording, step.step, trace.style.notation)] = (
            values.reshape(*lead, *values.shape[1:]) if len(block.shape) > 1 else values.reshape(block.shape)
        )
    return found


REFERENCE = re.compile(r"([^\W\d][\w.]*)((?:\[\d+\])*|\[[\d:,]+\])")


def looked_up(text, shown, first):
    """What `W[0]`, `X[:,1]` or `loss` is on the page, by someone who counts from `first`."""
    name, places = REFERENCE.fullmatch(text).groups()
    if ":" in places:
        at = tuple(slice(None) if p == ":" else int(p) - first for p in places.strip("[]").split(","))
    else:
        at = tuple(int(p) - first for p in re.findall(r"\d+", places))
    return shown[name][at]


@EACH
@pytest.mark.parametrize("name", ["attention-backward", "attention-forward"])
def test_whoever_looks_up_the_letters_on_the_page_finds_the_numbers(name, notation):
    """The products in letters, worked out with the matrices as they are printed."""
    trace = seen(small(name), notation)
    shown, products, copies = shown_values(trace), 0, 0
    for derivation in cells(trace):
        for line in derivation.lines:
            letters = plain_text(line.forms[0]) if line.forms else ""
            reads = [r for r in letters.split(" · ") if REFERENCE.fullmatch(r) and REFERENCE.fullmatch(r)[1] in shown]
            if " · ".join(reads) != letters or not reads:
                continue
            values = [looked_up(read, shown, notation.count_from) for read in reads]
            result = numpy.dot(*values) if len(values) == 2 else values[0]
            assert result == pytest.approx(float(line.value.value), rel=1e-12, abs=1e-15), str(line)
            products += len(values) == 2
            copies += len(values) == 1
        left = plain_text(derivation.lines[-1].left)
        assert looked_up(left, shown, notation.count_from) == float(derivation.lines[-1].value.value)
    assert products > 10
    assert copies > 0


PRODUCT = re.compile(r"(\S+) = (\S+) (\S+)|(\S+)ᵢⱼ = Σₖ (\S+)ᵢₖ (\S+)ₖⱼ")


@EACH
def test_multiplying_as_the_formula_says_gives_the_shown_values(notation):
    trace = seen(small("attention-backward"), notation)
    shown, checked = shown_values(trace), 0
    for block in blocks(trace, "formula"):
        found = PRODUCT.fullmatch(block.math.text)
        if found:
            result, *factors = [part for part in found.groups() if part]
            one, other = (shown[f.removesuffix("ᵀ")].T if f.endswith("ᵀ") else shown[f] for f in factors)
            if min(one.ndim, other.ndim) == 2:
                numpy.testing.assert_allclose(one @ other, shown[result], rtol=1e-12, atol=1e-15)
                checked += 1
    assert checked >= 10


# -- all of them -------------------------------------------------------------------------------


@EACH
@pytest.mark.parametrize("name", SMALL)
def test_every_number_keeps_its_step_and_index(name, notation):
    plain, trace = small(name), seen(small(name), notation)
    for usual, derivation in zip(cells(plain), cells(trace), strict=True):
        assert (derivation.step, derivation.index) == (usual.step, usual.index)
        assert [line.value for line in derivation.lines] == [line.value for line in usual.lines]
        for number in numbers_in(derivation):
            if number.role == "entry":
                assert trace.recording.value(number.step)[number.index].item() == float(number.value)
        spoken = sorted((n.step, n.index, n.text) for n in numbers_in(derivation))
        assert spoken == sorted((n.step, n.index, n.text) for n in numbers_in(usual))


@EACH
@pytest.mark.parametrize("name", ["attention-backward", "attention-training"])
def test_a_calculator_still_gives_each_result_from_the_digits_on_the_page(name, notation):
    precision = "calculator 4 significant"
    check_every_line(seen(small(name, precision), notation), precision)


@EACH
def test_nothing_is_computed_again(notation):
    plain, trace = small("attention-training"), seen(small("attention-training"), notation)
    assert trace.to_data()["runs"] == plain.to_data()["runs"]
    again = trace.replay()
    assert again.style == trace.style
    assert again.document("title") == trace.document("title")
    for step in plain:
        assert again[step.path].value.tobytes() == step.value.tobytes()
    halved = trace.replay(values={"W_Q": plain["W_Q"].value / 2})
    assert halved["step1.loss"].value == plain.replay(values={"W_Q": plain["W_Q"].value / 2})["step1.loss"].value


@EACH
@pytest.mark.parametrize("trace", [*map(small, SMALL), layer(), heads()], ids=[*SMALL, "layer", "heads"])
def test_the_document_follows_its_schema_and_katex_sets_its_formulas(trace, notation):
    document = seen(trace, notation).document("title")
    DOCUMENT.validate(json.loads(json.dumps(to_data(document))))
    latex = sorted({block.math.latex for block in document.blocks if block.kind == "formula"})
    assert [text for text, error in zip(latex, complaints(latex), strict=True) if error] == []


def test_page_describes_only_unusual_notation():
    def said(notation):
        return titles(seen(small("attention-forward"), notation))[0]

    usual = said(Notation())
    assert usual == "Numbers: float64, shown to 4 significant digits."
    assert said(Notation({"weights": "α", "nothing": "β"})) == f"{usual} Symbols: α is weights."
    assert said(Notation(count_from=1)).startswith(f"{usual} Indices count from 1.")
    assert "--cell on the command line counts from 0" in said(Notation(count_from=1))
    assert said(Notation(vectors="column")).startswith(f"{usual} Vectors are columns: ")


@pytest.mark.parametrize("name", SMALL)
def test_the_usual_notation_changes_nothing(name):
    trace = small(name)
    assert Style() == PLAIN == Style(notation=Notation({}, 0, "row"))
    assert story(trace.recording, "title", Style(notation=Notation())) == story(trace.recording, "title")


@EACH
def test_op_page_follows_the_notation(notation):
    x = w.given([[2.0, 1.5, 0.5], [1.0, 0.0, -1.0]], "query key", name="x")
    named = replace(notation, symbols={"x": "z", "P": "α"} if notation.symbols else ())
    run = run_op(OPS["softmax"], [x], {"axis": "key"}, [[0.3, -0.7, 0.1], [0.2, 0.5, 0.4]], style=Style(notation=named))
    document = op_document(run)
    DOCUMENT.validate(json.loads(json.dumps(to_data(document))))
    texts = [block.math.text for block in document.blocks if block.kind == "formula"]
    z, P = ("z", "α") if named.symbols else ("x", "P")
    over, at = ("ₖⱼ", "ᵢ") if named.columns else ("ᵢₖ", "ⱼ")
    assert texts[0] == f"{P}ᵢⱼ = e^({z}ᵢⱼ) / Σₖ e^({z}{over})"
    assert f"d{z}{at} = {P}{at} (d{P}{at} − Σₖ d{P}ₖ {P}ₖ)" in texts
    notes = [plain_text(block.spans) for block in document.blocks if block.kind == "note" and block.mistake]
    entries = {match[1] for note in notes for match in re.finditer(r" at (\S+)\.$", note)}
    assert entries
    limits = numpy.array((3, 2) if named.columns else (2, 3))
    for entry in entries:
        name, places = REFERENCE.fullmatch(entry).groups()
        assert name in (P, f"d{z}")
        place = numpy.array([int(p) for p in re.findall(r"\d+", places)]) - named.count_from
        assert (place >= 0).all()
        assert (place < limits).all()


def test_the_inside_of_a_step_is_seen_in_the_notation():
    trace = seen(small("attention-forward"), NOTATIONS["from 1"])
    inner = trace["weights"].inside[-1]
    at = next(indices(inner.shape))
    assert str(inner.cell(*at)).startswith(f"{inner.name}[1][1] = ")
    assert str(cell(trace.recording, trace["Q"].step, (0, 0), trace.style)).startswith("Q[1][1] = ")


# -- what is refused ---------------------------------------------------------------------------

REFUSED = [
    ({"symbols": {"weights": "A^{(1)}"}}, "cannot be the symbol for"),
    ({"symbols": {"weights": "2"}}, "cannot be the symbol for"),
    ({"symbols": {"weights": ""}}, "cannot be the symbol for"),
    ({"symbols": {"weights": "Kᵀ"}}, "cannot be the symbol for"),
    ({"symbols": {"weights": "a b"}}, "cannot be the symbol for"),
    ({"symbols": {"weights": r"\foo"}}, "cannot be the symbol for"),
    ({"symbols": {"weights": "Σ"}}, "cannot be the symbol for"),
    ({"symbols": {"weights": "max"}}, "cannot be the symbol for"),
    ({"symbols": {"weights": "α", "scores": r"\alpha"}}, "would stand for two steps:"),
    ({"symbols": (("weights", "α"), ("weights", "β"))}, "We cannot read the symbols of this notation."),
    ({"symbols": {"weights": 3}}, "We cannot read the symbols of this notation."),
    ({"symbols": {"weights": ["α"]}}, "We cannot read the symbols of this notation."),
    ({"symbols": {"": "α"}}, "We cannot read the symbols of this notation."),
    ({"symbols": 7}, "We cannot read the symbols of this notation."),
    ({"symbols": "weights"}, "We cannot read the symbols of this notation."),
    ({"count_from": 2}, "Entries cannot be counted from"),
    ({"count_from": True}, "Entries cannot be counted from"),
    ({"count_from": "1"}, "Entries cannot be counted from"),
    ({"vectors": "columns"}, "Vectors cannot be shown as"),
    ({"vectors": None}, "Vectors cannot be shown as"),
]


@pytest.mark.parametrize(("given", "key"), REFUSED, ids=[str(given) for given, _ in REFUSED])
def test_unusable_notation_is_rejected_with_a_hint(given, key):
    with pytest.raises(NotationError) as caught:
        Notation(**given)
    assert isinstance(caught.value, WorkingsError)
    assert key in caught.value.what
    assert caught.value.hint
    assert not {"{symbol}", "{name}", "{value}"} & set(str(caught.value).split())


@pytest.mark.parametrize("symbol", ["α", r"\beta", "A", "W_Q", "α_1", "h2", "Γ", "ε"])
def test_greek_letters_and_plain_names_are_symbols(symbol):
    notation = Notation({"weights": symbol})
    ((_, written),) = notation.symbols
    latex = formula(seen(small("attention-backward"), notation), "attention.dweights").latex
    assert complaints([latex]) == [None]
    assert written.replace("_", r"\_") in latex


def test_symbols_can_be_checked_against_a_trace():
    recording = small("attention-training").recording
    check_symbols(recording, NOTATIONS["all"])
    check_symbols(recording, Notation({"Q": "K", "K": "Q"}))  # two names change places
    with pytest.raises(NotationError, match="no step 'wieghts'") as caught:
        check_symbols(recording, Notation({"wieghts": "α"}))
    assert "weights" in caught.value.hint
    with pytest.raises(NotationError, match=r"two steps: step1\.Q, step1\.K"):
        check_symbols(recording, Notation({"K": "Q"}))
    with pytest.raises(NotationError, match="two steps: W_Q, W_K"):
        check_symbols(recording, Notation({"W_K": "W_Q"}))
