"""Somebody's numbers beside those of a trace."""

import numpy
import pytest
import torch

import workings as w
from workings.engine.errors import InputError, StepError


@pytest.fixture(scope="module")
def trace():
    return w.scenario("example-3").trace("twin")


def verdicts(found):
    return {step.name: step.verdict for step in found.steps}


def test_every_verdict(trace):
    true = {name: trace[name].value for name in ("Q", "scores", "scaled", "weights", "context", "P")}
    wrong = numpy.array(true["weights"])
    wrong[1, 0] += 0.001
    given = {
        "P": None,
        "context": ...,
        "weights": wrong,
        "scaled": true["scaled"].T[:1],
        "scores": true["scores"] * (1 + 1e-14),
        "Q": true["Q"],
    }
    found = w.compare(given, to=trace)
    assert verdicts(found) == {
        "Q": "exact",
        "scores": "approximate",
        "scaled": "another shape",
        "weights": "different",
        "context": "not filled in",
        "P": "not filled in",
    }
    assert list(verdicts(found)) == ["Q", "scores", "scaled", "weights", "context", "P"]
    assert found.first.name == "scaled"
    assert not found.agrees
    assert found["weights"].index == (1, 0)
    assert found["weights"].gap == pytest.approx(0.001)
    assert found["weights"].yours == wrong[1, 0]
    assert found["weights"].ours == true["weights"][1, 0]
    assert found["scaled"].yours == true["scaled"].T[:1].shape
    assert found["scaled"].ours == true["scaled"].shape


def test_a_root_that_was_forgotten_is_no_rounding(trace):
    """In the first example it changes the weights by less than two tenths of a percent."""
    small = w.scenario("example-1").trace()
    unscaled = numpy.exp(small["scores"].value) / numpy.exp(small["scores"].value).sum(-1, keepdims=True)
    for kind in ("float64", "float32", "float16"):
        assert not w.compare({"weights": unscaled.astype(kind)}, to=small).agrees


def test_tensors_of_another_library(trace):
    q = torch.tensor(trace["Q"].value, requires_grad=True)
    found = w.compare({"Q": q, "scores": torch.tensor(trace["scores"].value).float()}, to=trace)
    assert verdicts(found) == {"Q": "exact", "scores": "approximate"}
    assert w.compare({"Q": q.bfloat16()}, to=trace)["Q"].verdict == "approximate"
    assert w.compare({"Q": trace["Q"]}, to=trace).agrees
    assert w.compare({"Q": trace["Q"].value.tolist()}, to=trace).agrees


def test_what_rounding_leaves_of_zero_is_no_difference(trace):
    with w.Trace() as small:
        w.ops.matmul(w.given([[1.0, 1.0]], "a b", name="x"), w.given([[1.0], [-1.0]], "b c", name="y"), name="z")
    assert w.compare({"z": [[1e-17]]}, to=small)["z"].verdict == "approximate"
    assert w.compare({"z": [[1e-9]]}, to=small)["z"].verdict == "different"


def test_infinite_numbers_and_what_is_no_number():
    masked = w.scenario("example-3").trace("masked")
    true = numpy.array(masked["masked"].value)
    assert numpy.isinf(true[0, 1])
    assert w.compare({"masked": true}, to=masked).agrees
    for wrong in (0.0, float("nan"), float("inf")):
        true[0, 1] = wrong
        [found] = w.compare({"masked": true}, to=masked).steps
        assert (found.verdict, found.gap, found.index) == ("different", float("inf"), (0, 1))


def test_gradients_and_heads_are_compared_by_name():
    heads = w.scenario("hello-world").trace()
    names = ("head2.weights", "dW_vocab", "logits")
    assert w.compare({name: heads[name].value for name in names}, to=heads).agrees


def test_the_table_names_the_first_difference(trace):
    found = w.compare({"Q": trace["Q"].value, "scores": trace["scores"].value + 1, "P": ...}, to=trace)
    assert "The first difference is in scores." in str(found)
    assert "off by" in found._repr_html_()
    assert "not filled in" in repr(found)
    assert "first" not in str(w.compare({"Q": trace["Q"].value}, to=trace))


@pytest.mark.parametrize(
    ("values", "error", "says"),
    [
        ({"scorse": 1}, StepError, "Did you mean scores?"),
        ({"scores": "a word"}, InputError, "not an array of numbers"),
        ({"scores": [[1], [2, 3]]}, InputError, "not an array of numbers"),
        ({"scores": object()}, InputError, "not an array of numbers"),
        ([1, 2], InputError, "need the names of their steps"),
        ({1: 2}, InputError, "The name of a step is a text; got int: 1."),
        ({("scores",): 2}, InputError, "got tuple"),
        ({"scores": torch.ones(2, device="meta")}, InputError, "not an array of numbers"),
        ({"scores": torch.ones(2, dtype=torch.complex64)}, InputError, "not an array of numbers"),
        ({"scores": numpy.ones((2, 2)) * 1j}, InputError, "not an array of numbers"),
    ],
)
def test_what_cannot_be_compared_is_refused(trace, values, error, says):
    with pytest.raises(error, match=says):
        w.compare(values, to=trace)


def test_only_a_trace_can_be_compared_to():
    with pytest.raises(InputError, match="got Lesson"):
        w.compare({}, to=w.lesson("example-1"))


# -- why the first difference is there ---------------------------------------------------------


def softmax(x, axis=-1):
    powers = numpy.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def test_the_reason_for_the_first_difference_starts_from_their_own_numbers(trace):
    """Scores that are a little off, so that only a softmax of these very scores explains what comes next."""
    scores = trace["scaled"].value * (1 + 3e-10)
    weights = softmax(scores, axis=0)
    found = w.compare({"scaled": scores, "weights": weights, "P": None}, to=trace)
    assert (found.first.name, found.between) == ("weights", ())
    assert (found.why.verdict, found.why.cause.id) == ("mistake", "softmax.wrong_axis")
    assert found.why.cause.gap < 1e-15
    assert "softmax.wrong_axis" in str(found)


def test_steps_that_were_not_given_are_named_as_a_place_to_look(trace):
    weights = softmax(trace["scores"].value)
    found = w.compare({"Q": trace["Q"].value, "K": trace["K"].value, "weights": weights}, to=trace)
    assert [path.rpartition(".")[2] for path in found.between] == ["scores", "scaled"]
    assert found.why.cause.id == "divide_by_root.not_divided"
    assert "You did not give the steps between" in str(found)


def test_where_nothing_differs_there_is_no_reason(trace):
    assert w.compare({"Q": trace["Q"].value}, to=trace).why is None


def test_whatever_follows_from_rounded_numbers_agrees(trace):
    """Each line in bfloat16: what comes of it is far from the truth, and near to what their own numbers give."""
    narrow = torch.tensor(30 * trace["scaled"].value).bfloat16()
    with w.Trace() as large:
        w.ops.softmax(w.given(30 * trace["scaled"].value, "query key", name="scores"), name="weights")
    weights = torch.softmax(narrow, -1)
    assert w.compare({"scores": narrow, "weights": weights}, to=large).first is None


# -- names of others ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["attn", "attn_weights", "Attention_Probs", "alpha", "probs"])
def test_usual_names_of_others_are_known(trace, name):
    found = w.compare({name: trace["weights"].value}, to=trace)
    assert (found[name].verdict, found[name].path) == ("exact", "block1.attention.weights")
    assert f"{name} (our weights)" in str(found)


def test_our_names_come_first(trace):
    assert w.compare({"K": trace["K"].value, "k": trace["K"].value}, to=trace).agrees
    assert w.compare({"X": trace["X"].value}, to=trace)["X"].path.endswith("X")


def test_heads_are_told_by_their_shape():
    heads = torch.nn.MultiheadAttention(8, 2, batch_first=True, dtype=torch.float64)
    x = torch.randn(1, 5, 8, dtype=torch.float64)
    read = w.nn.from_torch(heads)
    with w.Trace() as packed:
        read(w.given(x[0].numpy(), "token model", name="X"))
    q = packed["Q"].value
    apart = q.reshape(5, 2, 4).transpose(1, 0, 2)
    assert w.compare({"q": q}, to=packed)["q"].path == "Q"
    assert w.compare({"q": apart[None]}, to=packed)["q"].path == "Q_heads"  # a batch of one text
    out, weights = heads(x, x, x)
    found = w.compare({"attn_weights": weights, "out": out}, to=read, X=x)
    assert [step.verdict for step in found.steps] == ["arranged otherwise", "approximate"]
    assert found.first is None


def test_scores_that_are_scaled_already_are_no_difference(trace):
    found = w.compare({"scores": trace["scaled"].value, "weights": trace["weights"].value}, to=trace)
    assert [step.verdict for step in found.steps] == ["another step", "exact"]
    assert found["scores"].path == "block1.attention.scaled"
    assert found.first is None
    assert not found.agrees  # they are right, but they are not the scores
    both = w.compare({"scores": trace["scaled"].value, "scaled": trace["scaled"].value}, to=trace)
    assert [step.verdict for step in both.steps] == ["different", "exact"]


def test_a_result_is_not_taken_for_what_it_is_made_from():
    module = torch.nn.MultiheadAttention(8, 2, bias=False, batch_first=True, dtype=torch.float64)
    read = w.nn.from_torch(module)
    with w.Trace() as packed:
        read(w.given(torch.randn(5, 8).double().numpy(), "token model", name="X"))
    found = w.compare({"out": packed["joined"].value}, to=packed)
    assert (found.first.path, found.why.verdict) == ("attended", found.why.cause.kind)


def test_hidden_scores_may_be_large_negative_numbers():
    masked = w.scenario("example-3").trace("masked")
    for hidden in (-1e9, float(numpy.finfo("float32").min), -1e4):
        mine = numpy.where(numpy.isinf(masked["masked"].value), hidden, masked["masked"].value)
        assert w.compare({"masked": mine}, to=masked).agrees
    mine = numpy.where(numpy.isinf(masked["masked"].value), -10.0, masked["masked"].value)
    assert w.compare({"masked": mine}, to=masked).first.name == "masked"


def test_unknown_names_can_be_listed(trace):
    found = w.compare({"Q": trace["Q"].value, "lr": 0.1, "mystery": [1]}, to=trace)
    assert found.unknown == ("lr", "mystery")
    assert "There is no step for: lr, mystery." in str(found)
    with pytest.raises(StepError):
        w.compare({"Q": trace["Q"].value, "mystery": [1]}, to=trace, strict=True)
    with pytest.raises(StepError):
        w.compare({"mystery": [1]}, to=trace)


def test_a_trace_takes_no_inputs(trace):
    with pytest.raises(InputError, match="takes no others: X"):
        w.compare({"Q": 1}, to=trace, X=1)


# -- modules of PyTorch ------------------------------------------------------------------------


MODULES = {
    "attention": (
        lambda kind: torch.nn.MultiheadAttention(8, 2, batch_first=True, dtype=kind),
        lambda m, x: m(x, x, x)[0],
    ),
    "encoder layer": (lambda kind: torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, dtype=kind), None),
    "decoder layer": (lambda kind: torch.nn.TransformerDecoderLayer(8, 2, 16, batch_first=True, dtype=kind), None),
    "transformer": (lambda kind: torch.nn.Transformer(8, 2, 1, 1, 16, batch_first=True, dtype=kind), None),
}
INPUTS = {"decoder layer": ("X", "memory"), "transformer": ("source", "X")}


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", MODULES)
@pytest.mark.filterwarnings("ignore")
def test_whole_modules_of_torch_beside_ours(name, kind):
    torch.manual_seed(8)
    make, call = MODULES[name]
    module = make(kind).eval()
    inputs = {word: torch.randn(2, 5, 8).to(kind) for word in INPUTS.get(name, ("X",))}
    out = (call or (lambda m, *tensors: m(*tensors)))(module, *inputs.values())
    read = w.nn.from_torch(module)
    found = w.compare({"out": out}, to=read, **inputs)
    assert found["out"].verdict == "approximate"
    wrong = w.compare({"out": out * 1.2}, to=read, **inputs)
    assert wrong.first is not None
    assert wrong.why.cause is None or wrong.why.cause.kind == "relation"


def test_right_numbers_are_told_to_be_right(trace):
    assert "No difference." in str(w.compare({"Q": trace["Q"].value}, to=trace))
    assert "No difference." not in str(w.compare({"Q": None}, to=trace))
    assert "No difference." not in str(w.compare({"Q": 2 * trace["Q"].value}, to=trace))


def test_a_module_of_torch_or_without_its_inputs_is_refused_in_words():
    module = torch.nn.MultiheadAttention(8, 2, batch_first=True)
    for ask in (lambda: w.compare({"q": [1.0]}, to=module), lambda: w.why([1.0], module)):
        with pytest.raises(InputError, match="from_torch"):
            ask()
    read = w.nn.from_torch(module)
    for ask in (lambda: w.compare({"q": [1.0]}, to=read), lambda: w.why([1.0], read)):
        with pytest.raises(InputError, match="also needs X"):
            ask()
