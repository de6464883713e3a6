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
    assert str(found).endswith("The first difference is in scores.")
    assert "largest difference" in found._repr_html_()
    assert "not filled in" in repr(found)
    assert "first" not in str(w.compare({"Q": trace["Q"].value}, to=trace))


@pytest.mark.parametrize(
    ("values", "error", "says"),
    [
        ({"scorse": 1}, StepError, "Did you mean scores?"),
        ({"scores": "a word"}, InputError, "no array of numbers"),
        ({"scores": [[1], [2, 3]]}, InputError, "no array of numbers"),
        ({"scores": object()}, InputError, "no array of numbers"),
        ([1, 2], InputError, "has no names"),
        ({1: 2}, InputError, "The name of a step is a text, and 1 is of the type int."),
        ({("scores",): 2}, InputError, "is of the type tuple"),
        ({"scores": torch.ones(2, device="meta")}, InputError, "no array of numbers"),
        ({"scores": torch.ones(2, dtype=torch.complex64)}, InputError, "no array of numbers"),
        ({"scores": numpy.ones((2, 2)) * 1j}, InputError, "no array of numbers"),
    ],
)
def test_what_cannot_be_compared_is_refused(trace, values, error, says):
    with pytest.raises(error, match=says):
        w.compare(values, to=trace)


def test_only_a_trace_can_be_compared_to():
    with pytest.raises(InputError, match="a Lesson is none"):
        w.compare({}, to=w.lesson("example-1"))
