"""Two causes in one program: what follows from wrong numbers is right in itself, what does not has its own cause."""

import json

import numpy
import pytest
import torch

import workings as w
from workings.practice.checking.data import comparison_data
from workings.practice.checking.reference import reference_step

torch.manual_seed(3)
ATTENTION = torch.nn.MultiheadAttention(8, 2, bias=False, batch_first=True, dtype=torch.float64)
X, UPSTREAM = torch.randn(5, 8).double(), torch.randn(5, 8).double()


def program(scale=2.0, mask_shift=1, axis=-1, output=True, kind=torch.float64, merged=True, names=("scores", "attn")):
    """An attention as people write it, with what can go wrong; its own gradients are those of autograd."""
    weights = [part.detach().clone().to(kind).requires_grad_() for part in ATTENTION.in_proj_weight.chunk(3)]
    back = ATTENTION.out_proj.weight.detach().clone().to(kind)
    q, k, v = ((X.to(kind) @ part.T).view(5, 2, 4).transpose(0, 1) for part in weights)
    scores = q @ k.transpose(-2, -1) / scale
    hidden = torch.ones(5, 5).triu(mask_shift) == 1
    attn = scores.masked_fill(hidden, float("-inf")).softmax(axis)
    context = attn @ v
    joined = context.transpose(0, 1).reshape(5, 8) if merged else context.reshape(5, 8)
    out = joined @ back.T if output else joined
    out.backward(UPSTREAM.to(kind))
    found = {"q": q, "k": k, "v": v, names[0]: scores, names[1]: attn, "y": joined, "out": out}
    return {**found, "dW_Q": weights[0].grad.T, "dW_K": weights[1].grad.T, "dW_V": weights[2].grad.T}


@pytest.fixture(scope="module")
def trace():
    inputs = {"X": X, "padding": "causal", "cotangent": UPSTREAM}
    return reference_step(w.nn.from_torch(ATTENTION), inputs).trace


def causes(found):
    return [next(iter(cause.why.candidates)).id for cause in found.causes]


def verdicts(found):
    return {step.name: step.verdict for step in found.steps}


@pytest.mark.parametrize("kind", [torch.float64, torch.float32])
def test_a_right_program_with_its_gradients_has_no_cause(trace, kind):
    found = w.compare(program(kind=kind), to=trace)
    assert found.first is None
    assert found.causes == ()


@pytest.mark.parametrize("kind", [torch.float64, torch.float32])
@pytest.mark.parametrize(
    ("broken", "first", "expected"),
    [
        ({"scale": 1.0}, "attn", ["divide_by_root.not_divided"]),
        ({"scale": 8**0.5}, "scores", ["divide_by_root.root_of_model"]),
        ({"mask_shift": 2}, "attn", ["causal_mask.one_ahead"]),
        ({"merged": False}, "y", ["merge_heads.reshape_without_transpose"]),
    ],
)
def test_one_mistake_is_one_cause_and_the_rest_follows(trace, kind, broken, first, expected):
    found = w.compare(program(**broken, kind=kind), to=trace)
    assert (found.first.name, causes(found)) == (first, expected)
    assert {found[name].verdict for name in ("out", "dW_Q", "dW_K", "dW_V")} == {"follows"}  # autograd follows, too


@pytest.mark.parametrize("kind", [torch.float64, torch.float32])
@pytest.mark.parametrize(
    ("broken", "expected"),
    [
        ({"scale": 8**0.5, "output": False}, ["divide_by_root.root_of_model", "relation.other_step"]),
        ({"scale": 4.0, "mask_shift": 2}, ["divide_by_root.root_forgotten", "causal_mask.one_ahead"]),
        ({"mask_shift": 2, "merged": False}, ["causal_mask.one_ahead", "merge_heads.reshape_without_transpose"]),
        ({"merged": False, "output": False}, ["merge_heads.reshape_without_transpose", "relation.other_step"]),
    ],
)
def test_two_independent_mistakes_are_both_named(trace, kind, broken, expected):
    found = w.compare(program(**broken, kind=kind), to=trace)
    assert causes(found) == expected
    assert found.why is found.causes[0].why


def test_a_gradient_that_is_wrong_in_itself_has_its_own_cause(trace):
    mine = program(mask_shift=2)
    mine["dW_V"] = 3 * mine["dW_V"]
    found = w.compare(mine, to=trace)
    assert [cause.name for cause in found.causes] == ["attn", "dW_V"]
    assert found.causes[1].why.cause.id == "relation.factor"


def test_the_same_cause_in_several_steps_is_listed_once(trace):
    mine = program()
    for name in "qkv":
        mine[name] = mine[name].transpose(0, 1).reshape(2, 5, 4)
    found = w.compare({name: mine[name] for name in "qkv"}, to=trace)
    assert [(cause.name, cause.also) for cause in found.causes] == [("q", ("k", "v"))]
    assert "The same holds for k, v." in str(found)


def test_gradients_are_not_accused_where_the_forward_pass_went_an_unknown_way(trace):
    found = w.compare(program(output=False), to=trace)
    assert [cause.name for cause in found.causes] == ["out"]
    assert found["dW_Q"].verdict == "different"


def test_what_depends_on_numbers_of_another_shape_is_not_accused(trace):
    mine = program(scale=1.0)
    mine["attn"] = mine["attn"][:, :3]
    found = w.compare({name: mine[name] for name in ("attn", "y", "out")}, to=trace)
    assert [cause.name for cause in found.causes] == ["attn"]
    assert verdicts(found) == {"attn": "another shape", "y": "different", "out": "follows"}


def test_page_and_data_show_both_causes(trace):
    found = w.compare(program(mask_shift=2, output=False), to=trace)
    shown = " ".join(str(found).split())
    assert "A difference of its own: out does not follow from your numbers before it." in shown
    assert "follows" in shown
    data = json.loads(json.dumps(comparison_data(found)))
    assert [cause["cause"] for cause in data["causes"]] == ["causal_mask.one_ahead", "relation.other_step"]
    assert data["why"] == data["causes"][0]["why"]
    assert {step["name"]: step["verdict"] for step in data["steps"]}["y"] == "follows"


def test_a_step_that_is_right_after_a_wrong_one_stays_right(trace):
    mine = program()
    found = w.compare({**mine, "attn": numpy.asarray(mine["attn"].detach()) + 0.1}, to=trace)
    assert verdicts(found)["attn"] == "different"
    assert verdicts(found)["out"] in ("approximate", "exact")
