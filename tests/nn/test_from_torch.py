"""What `from_torch` and `mask_from_torch` take, what they give, and what they refuse."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

import numpy
import pytest
import torch
from parity import assert_close
from torch.nn import functional

import workings as w
from workings import nn
from workings.engine.errors import WorkingsError

X = numpy.random.default_rng(5).normal(size=(2, 3, 4))


def given_X(dtype="float64"):
    return w.given(X.astype(dtype), "batch token model", name="X")


def refused(call, key):
    with pytest.raises(WorkingsError) as raised:
        call()
    error = raised.value
    assert key in error.what
    assert error.hint
    assert str(error)  # all its values are there
    return error


# -- what it gives ---------------------------------------------------------------------------------


def test_importing_nn_loads_no_torch():
    code = "import sys, workings.nn as nn; nn.from_torch, nn.mask_from_torch; print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_weights_are_parameters_under_our_names():
    model = nn.from_torch(torch.nn.TransformerDecoderLayer(4, 2, 6))
    assert list(model.parameters())[:10] == [
        "attention.W_Q", "attention.W_K", "attention.W_V", "attention.W_O",
        "attention.b_Q", "attention.b_K", "attention.b_V", "attention.b_O",
        "attention.norm.gamma", "attention.norm.beta",
    ]  # fmt: skip
    assert all(weight.leaf == "parameter" for weight in model.parameters().values())
    assert all(weight.name == path.rpartition(".")[2] for path, weight in model.parameters().items())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_type_is_that_of_the_module(dtype):
    module = torch.nn.TransformerEncoderLayer(4, 2, 6, dtype=getattr(torch, dtype), bias=False, batch_first=True)
    hidden = torch.tensor([[False, True, True], [False, False, True]])
    model, mask = nn.from_torch(module), nn.mask_from_torch(key_padding_mask=hidden, dtype=dtype)
    assert {weight.array.dtype.name for weight in model.parameters().values()} == {dtype}
    with w.Trace() as trace:
        trace.start_from(given_X(dtype))
        model.write_down()
        model(given_X(dtype), mask)
    trace.backward(list(trace)[-1].path, numpy.ones_like(X, dtype=dtype))
    assert {step.value.dtype.name for step in trace} == {dtype}


def test_changing_the_module_afterwards_changes_nothing():
    module = torch.nn.Transformer(4, 2, 1, 1, 6, batch_first=True)
    model = nn.from_torch(module)
    before = {path: weight.array.copy() for path, weight in model.parameters().items()}
    with torch.no_grad():
        for weight in module.parameters():
            weight += 1
    for path, weight in model.parameters().items():
        assert numpy.array_equal(weight.array, before[path])
        assert not weight.array.flags.writeable


def test_a_weight_that_stands_in_two_places_is_one_weight():
    layer = torch.nn.TransformerEncoderLayer(4, 2, 6, batch_first=True, dtype=torch.float64).eval()
    module = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    module.layers = torch.nn.ModuleList([layer, layer])
    model = nn.from_torch(module)
    assert {path.partition(".")[0] for path in model.parameters()} == {"block1"}
    with w.Trace() as trace:
        model.write_down()
        model(given_X())
    trace.backward(list(trace)[-1].path, numpy.sin(X))
    (module(torch.tensor(X)) * torch.sin(torch.tensor(X))).sum().backward()
    assert_close(trace["block1.feed_forward.dW_1"].value, layer.linear1.weight.grad.T, "dW_1")


def test_the_weights_of_attention_are_those_that_pytorch_gives():
    module = torch.nn.MultiheadAttention(4, 2, batch_first=True, dtype=torch.float64).eval()
    _, weights = module(*[torch.tensor(X)] * 3, average_attn_weights=False)
    with w.Trace() as trace:
        nn.from_torch(module)(given_X())
    assert_close(trace["weights"].value, weights, "weights")


@pytest.mark.parametrize(
    "module",
    [
        torch.nn.Linear(4, 5),
        torch.nn.Linear(4, 1, bias=False),
        torch.nn.LayerNorm(4, 0.01),
        torch.nn.LayerNorm(4, bias=False),
        torch.nn.LayerNorm(4, elementwise_affine=False),
        torch.nn.RMSNorm(4, 0.01),
        torch.nn.RMSNorm(4),
        torch.nn.RMSNorm(4, elementwise_affine=False),
        torch.nn.Identity(),
        type("Named", (torch.nn.Linear,), {"extra": 1})(4, 2),
        torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(4, 2)),
    ],
    ids=str,
)
def test_small_modules(module):
    found = nn.from_torch(module.double())(given_X())
    assert_close(found.array, module(torch.tensor(X)), str(module))


def test_an_embedding():
    module = torch.nn.Embedding(5, 2)
    found = nn.from_torch(module)(w.ids([4, 0, 4]))
    assert numpy.array_equal(found.array, module(torch.tensor([4, 0, 4])).detach().numpy())


def test_dropout_is_left_out():
    module = torch.nn.TransformerEncoderLayer(4, 2, 6, dropout=0.9, batch_first=True, dtype=torch.float64).train()
    found = nn.from_torch(module)(given_X())
    assert_close(found.array, module.eval()(torch.tensor(X)), "output")


# -- what it refuses -------------------------------------------------------------------------------


class Doubled(torch.nn.TransformerEncoderLayer):
    def _ff_block(self, x):
        return 2 * super()._ff_block(x)


class Own(torch.nn.Linear):
    def forward(self, input):
        return super().forward(input) + 1


def patched():
    module = torch.nn.Linear(2, 2)
    module.forward = lambda x: x
    return module


def nested(place, part):
    """An encoder in which one part is something else."""
    layer = torch.nn.TransformerEncoderLayer(4, 2, 6)
    module = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    owner, _, name = place.rpartition(".")
    setattr(module.get_submodule(owner), name, part)
    return module


def activated(activation):
    return torch.nn.TransformerEncoderLayer(4, 2, 6, activation=activation)


REFUSED = {
    "a number": (lambda: 3, "This is not a module of PyTorch: its type is", "int"),
    "an array": (lambda: torch.zeros(2), "This is not a module of PyTorch: its type is", "Tensor"),
    "a function": (lambda: functional.relu, "This is not a module of PyTorch: its type is", "function"),
    "nothing": (lambda: None, "This is not a module of PyTorch: its type is", "NoneType"),
    "a class": (lambda: torch.nn.MultiheadAttention, "is a class, not a module made by it.", "MultiheadAttention"),
    "another layer": (lambda: torch.nn.LSTM(2, 2), "cannot be read here.", "TransformerEncoderLayer"),
    "a nearby name": (lambda: torch.nn.Bilinear(2, 2, 2), "cannot be read here.", "Did you mean Linear"),
    "its own forward": (lambda: Own(2, 2), "it may compute anything.", "Own comes from Linear, but has a `forward`"),
    "its own part": (lambda: Doubled(4, 2), "it may compute anything.", "`_ff_block`"),
    "a forward that was set": (patched, "it may compute anything.", "`forward`"),
    "another layer inside": (lambda: nested("layers.1", torch.nn.Linear(4, 4)), "cannot be read", "where: layers.1"),
    "another norm": (lambda: nested("norm", torch.nn.BatchNorm1d(4)), "cannot be read here.", "Known here: LayerNorm"),
    "another linear": (
        lambda: nested("layers.0.linear2", torch.nn.Sequential()), "cannot be read here.", "where: layers.0.linear2"
    ),
    "add_bias_kv": (lambda: torch.nn.MultiheadAttention(4, 2, add_bias_kv=True), "no counterpart", "`add_bias_kv`"),
    "add_zero_attn": (
        lambda: torch.nn.MultiheadAttention(4, 2, add_zero_attn=True), "has no counterpart here.", "`add_zero_attn`"
    ),
    "padding_idx": (lambda: torch.nn.Embedding(4, 2, padding_idx=0), "has no counterpart here.", "`padding_idx`"),
    "max_norm": (lambda: torch.nn.Embedding(4, 2, max_norm=1.0), "has no counterpart here.", "`max_norm`"),
    "norm of tables": (lambda: torch.nn.LayerNorm((3, 4)), "has no counterpart here.", "`normalized_shape`"),
    "a bend": (lambda: activated(torch.tanh), "The activation", "activation tanh"),
    "a bend of one's own": (lambda: activated(lambda x: functional.relu(x)), "The activation", "relu, gelu"),
    "another module as a bend": (lambda: activated(torch.nn.SiLU()), "cannot be read here.", "Known here: ReLU, GELU"),
    "half a bend": (lambda: activated(partial(functional.relu, inplace=False)), "The activation", "partial"),
    "complex numbers": (lambda: torch.nn.Linear(2, 2, dtype=torch.complex64), ", which is not supported.", "complex64"),
    "no numbers": (lambda: torch.nn.Linear(2, 2, device="meta"), "The weights have no numbers to read.", "'meta'"),
    "not yet numbers": (lambda: torch.nn.LazyLinear(2), "The weights have no numbers to read.", "lazy"),
}  # fmt: skip


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16])
def test_weights_of_half_precision_are_the_same_numbers(kind):
    module = torch.nn.Transformer(8, 2, 1, 1, 16, batch_first=True).to(kind)
    read = nn.from_torch(module).parameters()
    assert {str(weight.array.dtype) for weight in read.values()} == {"float32"}
    table = module.encoder.layers[0].linear1.weight
    assert torch.equal(torch.from_numpy(read["encoder.block1.feed_forward.W_1"].array.copy()).mT.to(kind), table)


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.filterwarnings("ignore:Lazy modules")
def test_what_cannot_be_read_is_refused_in_words(case):
    make, key, said = REFUSED[case]
    assert said in str(refused(lambda: nn.from_torch(make()), key))


def test_weights_that_are_no_numbers_are_refused():
    module = torch.nn.Linear(2, 2)
    with torch.no_grad():
        module.weight[1, 0] = torch.nan
    assert "W contains nan at [0][1]" in str(refused(lambda: nn.from_torch(module), "contains"))


# -- masks -----------------------------------------------------------------------------------------

LATER = torch.nn.Transformer.generate_square_subsequent_mask(3, dtype=torch.float64)


@pytest.mark.parametrize(
    "masks",
    [
        {"is_causal": True},
        {"attn_mask": LATER},
        {"attn_mask": LATER.bfloat16()},
        {"attn_mask": LATER < 0},
        {"attn_mask": LATER, "is_causal": True},
        {"attn_mask": (LATER < 0).numpy()},
    ],
)
def test_a_mask_that_hides_what_is_later_is_causal(masks):
    assert nn.mask_from_torch(**masks) == nn.Causal()


def test_what_hides_nothing_and_adds_nothing_is_left_out():
    nothing = nn.SeeAll()
    assert nn.mask_from_torch() == nothing
    assert nn.mask_from_torch(torch.zeros(2, 3), torch.zeros(3, dtype=torch.bool)) == nothing


def test_a_mask_with_numbers_adds_them_and_hides_where_they_are_infinite():
    mask = nn.mask_from_torch(torch.tensor([[0.5, -torch.inf], [1.0, 0.0]]), torch.tensor([[0.25, 2.0]]))
    scores = w.given([[[[1.0, 2.0], [3.0, 4.0]]]], "batch head query key", name="scores")
    assert mask(scores).array.tolist() == [[[[1.75, -numpy.inf], [4.25, 6.0]]]]


def test_a_mask_of_each_head_knows_its_heads():
    hidden = torch.zeros(4, 2, 2, dtype=torch.bool)
    hidden[1, 0, 1] = True  # the second head of the first text
    mask = nn.mask_from_torch(hidden, heads=2)
    assert mask.allow.axes == ("batch", "head", "query", "key")
    assert mask.allow.array[0, 1].tolist() == [[1.0, 0.0], [1.0, 1.0]]
    assert mask.allow.array.sum() == 15
    assert nn.mask_from_torch(hidden, heads=4).allow.axes == ("head", "query", "key")


@pytest.mark.parametrize(
    ("masks", "key", "said"),
    [
        ({"attn_mask": LATER.T, "is_causal": True}, "The mask is said to be causal (`is_causal`), but", "is_causal"),
        (
            {"attn_mask": LATER + torch.tensor(0.5), "is_causal": True},
            "The mask is said to be causal (`is_causal`), but",
            "is_causal",
        ),
        (
            {"attn_mask": torch.ones(3, 3, dtype=torch.int64)},
            "could mean both: 1 hidden, or 1 added to the score.",
            "int64",
        ),
        ({"key_padding_mask": [0, 1]}, "could mean both: 1 hidden, or 1 added to the score.", "truth values"),
        (
            {"attn_mask": [[True], [True, False]]},
            "The rows are not equally long, or an entry is not a number.",
            "attn_mask",
        ),
        ({"attn_mask": torch.tensor([[torch.nan, 0.0]])}, "contains", "[0][0]"),
        ({"attn_mask": torch.tensor([[0.0, torch.inf]])}, "contains", "inf at [0][1]"),
        ({"attn_mask": torch.ones(4, 2, 2)}, "does not fit", "4 layers"),
        (
            {"attn_mask": torch.ones(4, 2, 2), "heads": 3},
            "does not fit",
            "4 layers",
        ),
        ({"attn_mask": torch.ones(2)}, "; this one has", "attn_mask needs"),
        ({"key_padding_mask": torch.ones(2, 2, 2)}, "; this one has", "key_padding_mask needs"),
        ({"key_padding_mask": torch.tensor(True)}, "; this one has", "0 axes"),
    ],
)
def test_masks_that_say_nothing_clear_are_refused(masks, key, said):
    assert said in str(refused(lambda: nn.mask_from_torch(**masks), key))


def test_a_mask_that_hides_a_whole_row_is_refused_when_it_is_used():
    hidden = torch.tensor([[False, True, True], [True, True, True], [True, False, False]])
    model = nn.from_torch(torch.nn.MultiheadAttention(4, 2, dtype=torch.float64))
    with w.Trace():
        error = refused(
            lambda: model(given_X(), None, nn.mask_from_torch(hidden)),
            "is masked everywhere: all its scores are -inf",
        )
    assert "Row [1] is masked everywhere" in str(error)
    assert error.where == "allowed"


def test_numbers_for_keys_must_fit_the_scores():
    bias = nn.BiasedKeys(w.constant([[0.5, 1.0]], "batch key"))
    with pytest.raises(WorkingsError):
        bias(w.given([[1.0, 2.0]], "query key"))
    with pytest.raises(WorkingsError):
        bias(w.given([[[1.0, 2.0, 3.0]]], "batch query key"))
