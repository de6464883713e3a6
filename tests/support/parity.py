"""What it takes to run a module of PyTorch and its twin of ours side by side, and to compare every number."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy
import torch
from hypothesis import strategies as st
from torch.nn import functional

import workings as w
from workings import nn

CLOSE = 1e-10
ACTIVATIONS: dict[str, Callable[[], Any]] = {
    "relu": lambda: "relu",
    "gelu": lambda: "gelu",
    "relu function": lambda: functional.relu,
    "torch.relu": lambda: torch.relu,
    "gelu function": lambda: functional.gelu,
    "ReLU": torch.nn.ReLU,
    "GELU": torch.nn.GELU,
    "tanh GELU": lambda: torch.nn.GELU(approximate="tanh"),
    "tanh gelu function": lambda: partial(functional.gelu, approximate="tanh"),
}
KINDS = (
    "MultiheadAttention",
    "TransformerEncoderLayer",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerDecoder",
    "Transformer",
)


@dataclass(frozen=True)
class Masking:
    """The masks of one attention. `table` is for queries and keys, `padding` for keys."""

    table: str
    padding: str


@dataclass(frozen=True)
class Setup:
    """One configuration of one class of PyTorch, and the shapes of what it is called with."""

    kind: str
    layers: int
    decoder_layers: int
    heads: int
    head_size: int
    hidden: int
    tokens: int
    source: int
    batch: int  # 0: one text, without an axis for texts
    batch_first: bool
    norm_first: bool
    activation: str
    bias: bool
    final_norm: str
    epsilon: float
    key_size: int  # of what MultiheadAttention looks at; 0: as wide as what looks
    value_size: int
    looks_at_itself: bool
    own: Masking
    reading: Masking  # of the source, in a Transformer
    memory: Masking
    seed: int

    @property
    def width(self) -> int:
        return self.heads * self.head_size

    def random(self) -> numpy.random.Generator:
        return numpy.random.default_rng(self.seed)


maskings = st.builds(
    Masking,
    table=st.sampled_from(["none", "causal", "causal numbers", "hidden", "layers hidden", "numbers", "layers numbers"]),
    padding=st.sampled_from(["none", "hidden", "numbers"]),
)


def setups(kind: str) -> st.SearchStrategy[Setup]:
    return st.builds(
        Setup,
        kind=st.just(kind),
        layers=st.integers(1, 3),
        decoder_layers=st.integers(1, 3),
        heads=st.integers(1, 4),
        head_size=st.integers(2, 5),
        hidden=st.integers(1, 9),
        tokens=st.integers(1, 5),
        source=st.integers(1, 5),
        batch=st.integers(0, 3),
        batch_first=st.booleans(),
        norm_first=st.booleans(),
        activation=st.sampled_from(list(ACTIVATIONS)),
        bias=st.booleans(),
        final_norm=st.sampled_from(["none", "layer", "rms", "plain"]),
        epsilon=st.sampled_from([1e-5, 1e-6, 1e-3, 0.1]),
        key_size=st.integers(0, 4),
        value_size=st.integers(0, 4),
        looks_at_itself=st.booleans(),
        own=maskings,
        reading=maskings,
        memory=maskings,
        seed=st.integers(0, 2**32 - 1),
    )


# -- modules of PyTorch ----------------------------------------------------------------------------


def made(setup: Setup) -> torch.nn.Module:
    """The module of PyTorch, in eval mode, with random numbers in every weight, bias and norm."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says why it will not use nested tensors
        module = _made(setup).double().eval()
    random = setup.random()
    with torch.no_grad():
        for name, weight in module.named_parameters():
            size = weight.shape[-1] ** -0.5 if weight.ndim > 1 else 0.5
            centre = 1.0 if "norm" in name and name.endswith("weight") else 0.0
            weight.copy_(torch.tensor(random.normal(centre, size, tuple(weight.shape))))
    return module


def _made(setup: Setup) -> torch.nn.Module:
    options: dict[str, Any] = {"bias": setup.bias, "batch_first": setup.batch_first, "dropout": 0.1}
    if setup.kind == "MultiheadAttention":
        sizes = {} if setup.looks_at_itself else {"kdim": setup.key_size or None, "vdim": setup.value_size or None}
        return torch.nn.MultiheadAttention(setup.width, setup.heads, **sizes, **options)
    options |= {
        "d_model": setup.width,
        "nhead": setup.heads,
        "dim_feedforward": setup.hidden,
        "activation": ACTIVATIONS[setup.activation](),
        "norm_first": setup.norm_first,
        "layer_norm_eps": setup.epsilon,
    }
    if setup.kind == "Transformer":
        return torch.nn.Transformer(num_encoder_layers=setup.layers, num_decoder_layers=setup.decoder_layers, **options)
    if setup.kind.endswith("Layer"):
        return getattr(torch.nn, setup.kind)(**options)
    layer = getattr(torch.nn, f"{setup.kind}Layer")(**options)
    norms = {
        "none": lambda: None,
        "layer": lambda: torch.nn.LayerNorm(setup.width, setup.epsilon, bias=setup.bias),
        "rms": lambda: torch.nn.RMSNorm(setup.width, None if setup.epsilon == 0.1 else setup.epsilon),
        "plain": lambda: torch.nn.LayerNorm(setup.width, setup.epsilon, elementwise_affine=False),
    }
    return getattr(torch.nn, setup.kind)(layer, setup.layers, norm=norms[setup.final_norm]())


def our_names(module: torch.nn.Module) -> dict[str, torch.Tensor]:
    """The gradient of every weight of PyTorch under our name, laid out as ours is."""
    found: dict[str, torch.Tensor] = {}
    for name, weight in module.named_parameters():
        *path, last = name.split(".")
        crosses = any("multihead_attn" in other for other, _ in module.named_parameters()) and "encoder" not in path
        prefix = "".join(f"{part}." for part in _our_path(path, crosses) if part)
        # One that is in no formula has no gradient in PyTorch; there is none here.
        assert weight.grad is not None, name
        gradient = weight.grad.T if weight.ndim == 2 else weight.grad
        letter = {"q_proj_weight": "Q", "k_proj_weight": "K", "v_proj_weight": "V"}.get(last)
        if last.startswith("in_proj"):
            kind = "W" if last.endswith("weight") else "b"
            for part, third in zip("QKV", gradient.chunk(3, dim=-1), strict=True):
                found[f"{prefix}{kind}_{part}"] = third
        elif letter:
            found[f"{prefix}W_{letter}"] = gradient
        else:
            found[prefix + _our_weight(path[-1], last)] = gradient
    return found


def _our_path(path: list[str], crosses: bool) -> list[str]:
    second = "cross_attention.norm" if crosses else "feed_forward.norm"
    words = {
        "self_attn": "attention", "multihead_attn": "cross_attention", "norm1": "attention.norm", "norm2": second,
        "norm3": "feed_forward.norm", "linear1": "feed_forward", "linear2": "feed_forward", "norm": "final_norm",
        "layers": "", "out_proj": "",
    }  # fmt: skip
    return [f"block{int(part) + 1}" if part.isdigit() else words.get(part, part) for part in path]


def _our_weight(part: str, last: str) -> str:
    if part.startswith("norm"):
        return {"weight": "gamma", "bias": "beta"}[last]
    return {"weight": "W_", "bias": "b_"}[last] + {"out_proj": "O", "linear1": "1", "linear2": "2"}[part]


# -- masks -----------------------------------------------------------------------------------------


def masks(random: numpy.random.Generator, how: Masking, setup: Setup, queries: int, keys: int) -> dict[str, Any]:
    """`attn_mask` and `key_padding_mask` as PyTorch takes them. One key is never hidden: a row that is hidden
    everywhere is refused here, and NaN there.
    """
    seen = 0 if how.table.startswith("causal") else int(random.integers(keys))
    layers = (max(setup.batch, 1) * setup.heads,) if how.table.startswith("layers") else ()
    numbers = "numbers" in how.table or (how.table == "none" and how.padding == "numbers")
    table = random.random((*layers, queries, keys)) < 0.4
    if how.table.startswith("causal"):
        table = numpy.triu(numpy.ones((queries, keys), dtype=bool), k=1)
    table[..., seen] = False
    padding = random.random((setup.batch, keys) if setup.batch else (keys,)) < 0.4
    padding[..., seen] = False
    is_plain = how.table == "causal numbers"
    return {
        "attn_mask": None if how.table == "none" else _as_mask(random, table, numbers, is_plain),
        "key_padding_mask": None
        if how.padding == "none"
        else _as_mask(random, padding, numbers, how.padding == "hidden"),
    }


def _as_mask(random: numpy.random.Generator, hidden: Any, numbers: bool, only_hides: bool) -> torch.Tensor:
    if not numbers:
        return torch.tensor(hidden)
    added = numpy.zeros(hidden.shape) if only_hides else random.normal(size=hidden.shape)
    return torch.tensor(numpy.where(hidden, -numpy.inf, added))


# -- ours ------------------------------------------------------------------------------------------


def gradients(trace: w.Trace, model: nn.Module) -> dict[str, numpy.ndarray]:
    """The gradient of every weight by the path of the weight."""
    found = {}
    for path in model.parameters():
        before, dot, name = path.rpartition(".")
        found[path] = trace[f"{before}{dot}d{name}"].value
    return found


def assert_close(ours: Any, theirs: Any, what: str, close: float = CLOSE) -> None:
    theirs = theirs.detach().numpy() if isinstance(theirs, torch.Tensor) else numpy.asarray(theirs)
    assert ours.shape == theirs.shape, what
    apart = numpy.abs(ours - theirs) / numpy.maximum(1, numpy.abs(theirs))
    assert apart.max() <= close, f"{what}: {apart.max():.3g} apart"
