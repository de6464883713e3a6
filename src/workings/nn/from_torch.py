"""From PyTorch: a module of ours with the numbers and the settings of a module of PyTorch.

PyTorch keeps a weight as [out, in] and computes X Wᵀ; ours is [in, out], and the formula is X W as in textbooks. It
keeps W_Q, W_K and W_V in one table; here they are three. PyTorch is not imported: the caller has loaded it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy

from ..engine.arrays import Array
from ..engine.errors import CallError, NumberError, did_you_mean
from ..engine.op import Op
from ..engine.tensor import Tensor
from ..ops.gelu import gelu
from ..ops.gelu_tanh import gelu_tanh
from ..ops.given import parameter
from ..ops.relu import relu
from .attention import PackedHeads
from .block import Block, CrossBlock, Decoder, Encoder, EncoderDecoderStack
from .embedding import Embedding
from .feed_forward import FeedForward
from .module import Module, Same
from .norm import LayerNorm, RMSNorm
from .projection import Linear
from .sublayer import PostNorm, PreNorm

TYPES = ("float32", "float64")
HALF = ("float16", "bfloat16")  # types in which nothing here computes: their numbers are taken over as float32
NORMS = ("LayerNorm", "RMSNorm", "Identity")
# A subclass that overrides one of these computes something else.
COMPUTES = ("forward", "__call__", "_sa_block", "_mha_block", "_ff_block")


def from_torch(module: Any) -> Module:
    """The same computation as a module of ours; its numbers are copies.

    Known are MultiheadAttention, TransformerEncoderLayer, TransformerDecoderLayer, TransformerEncoder,
    TransformerDecoder, Transformer, Linear, LayerNorm, RMSNorm, Embedding and Identity. A subclass is taken for what
    it comes from, unless it computes in its own way (`forward`).

    It computes as PyTorch does after `module.eval()`: nothing is dropped out, and hooks are not called. Whatever
    `batch_first` says, ours takes `batch token model`, or `token model` for one text. Attention gives what it
    found; its weights, for each head, are the step `weights` of the trace. Masks: see `mask_from_torch`. Weights
    of half precision (bfloat16, float16) become float32, each the same number.
    """
    return _ModuleReader().read(module, "", _READERS)


class _ModuleReader:
    """Reads one module with all its parts. A weight that is used in two places is one weight here, too."""

    def __init__(self) -> None:
        # The array of PyTorch is kept: its identity means something only as long as it lives.
        self._known: dict[tuple[int, int], tuple[Any, Tensor]] = {}

    def read(self, module: Any, where: str, kinds: Iterable[str]) -> Module:
        """A module of one of these kinds."""
        return _READERS[_kind(module, where, kinds)](self, module, where)

    # -- stacks and blocks -------------------------------------------------------------------------

    def transformer(self, module: Any, where: str) -> EncoderDecoderStack:
        return EncoderDecoderStack(
            self.read(module.encoder, _at(where, "encoder"), ("TransformerEncoder",)),
            self.read(module.decoder, _at(where, "decoder"), ("TransformerDecoder",)),
        )

    def encoder(self, module: Any, where: str) -> Encoder:
        return Encoder(*self.stack(module, where, "TransformerEncoderLayer"))

    def decoder(self, module: Any, where: str) -> Decoder:
        return Decoder(*self.stack(module, where, "TransformerDecoderLayer"))

    def stack(self, module: Any, where: str, kind: str) -> tuple[tuple[Module, ...], Module]:
        places = ((layer, _at(where, f"layers.{n}")) for n, layer in enumerate(module.layers))
        blocks = tuple(self.read(layer, place, (kind,)) for layer, place in places)
        return blocks, Same() if module.norm is None else self.read(module.norm, _at(where, "norm"), NORMS)

    def encoder_layer(self, module: Any, where: str) -> Block:
        return Block(
            self.sublayer(module, where, self.part(module, where, "self_attn"), "norm1"),
            self.sublayer(module, where, self.feed_forward(module, where), "norm2"),
        )

    def decoder_layer(self, module: Any, where: str) -> CrossBlock:
        return CrossBlock(
            self.sublayer(module, where, self.part(module, where, "self_attn"), "norm1"),
            self.sublayer(module, where, self.part(module, where, "multihead_attn"), "norm2"),
            self.sublayer(module, where, self.feed_forward(module, where), "norm3"),
        )

    def sublayer(self, layer: Any, where: str, part: Module, norm: str) -> Module:
        around = PreNorm if layer.norm_first else PostNorm
        return around(part, self.read(getattr(layer, norm), _at(where, norm), NORMS))

    def part(self, layer: Any, where: str, name: str) -> Module:
        return self.read(getattr(layer, name), _at(where, name), ("MultiheadAttention",))

    def feed_forward(self, layer: Any, where: str) -> FeedForward:
        activation = _activation(layer.activation, _at(where, "activation"))
        first = self.pair(layer.linear1, _at(where, "linear1"), "1", "model hidden")
        return FeedForward(*first, *self.pair(layer.linear2, _at(where, "linear2"), "2", "hidden model"), activation)

    # -- parts with weights ------------------------------------------------------------------------

    def attention(self, module: Any, where: str) -> PackedHeads:
        _refuse(module, "bias_k", where, name="add_bias_kv")
        _refuse(module, "add_zero_attn", where)
        width, table = module.embed_dim, module.in_proj_weight
        weights: dict[str, Any] = {}
        for number, letter in enumerate("QKV"):
            third = slice(number * width, (number + 1) * width)
            if table is not None:
                weights[f"W_{letter}"] = self.weight(table, where, f"W_{letter}", "model joined", third)
            else:  # keys or values are not as wide as queries, so each has a table of its own
                own = getattr(module, f"{letter.lower()}_proj_weight")
                weights[f"W_{letter}"] = self.weight(own, where, f"W_{letter}", "model joined")
            weights[f"b_{letter}"] = self.weight(module.in_proj_bias, where, f"b_{letter}", "joined", third)
        W_O, b_O = self.pair(module.out_proj, _at(where, "out_proj"), "O", "joined model")
        return PackedHeads(**weights, W_O=W_O, b_O=b_O, heads=module.num_heads)

    def linear(self, module: Any, where: str) -> Linear:
        W = self.weight(module.weight, where, "W", "model output")
        return Linear(W, self.weight(module.bias, where, "b", "output"))

    def layer_norm(self, module: Any, where: str) -> LayerNorm:
        return LayerNorm(*self.row_and_shift(module, where), epsilon=float(module.eps))

    def rms_norm(self, module: Any, where: str) -> RMSNorm:
        gamma, _ = self.row_and_shift(module, where)
        # Without an epsilon PyTorch takes the smallest step above 1 in the type of the numbers.
        kind = numpy.float64 if gamma is None else gamma.array.dtype
        return RMSNorm(gamma, float(numpy.finfo(kind).eps if module.eps is None else module.eps))

    def row_and_shift(self, module: Any, where: str) -> tuple[Tensor | None, Tensor | None]:
        if len(module.normalized_shape) != 1:
            _refuse(module, "normalized_shape", where)
        shift = getattr(module, "bias", None)
        return self.weight(module.weight, where, "gamma", "model"), self.weight(shift, where, "beta", "model")

    def embedding(self, module: Any, where: str) -> Embedding:
        for setting in ("padding_idx", "max_norm", "scale_grad_by_freq"):
            _refuse(module, setting, where)
        return Embedding(parameter(_numbers(module.weight, _at(where, "weight")), "vocab model", name="E"))

    def same(self, module: Any, where: str) -> Same:
        return Same()

    # -- numbers -----------------------------------------------------------------------------------

    def pair(self, module: Any, where: str, letter: str, axes: str) -> tuple[Any, Any]:
        """The matrix of a linear layer, and its bias or None."""
        _kind(module, where, ("Linear",))
        W = self.weight(module.weight, where, f"W_{letter}", axes)
        return W, self.weight(module.bias, where, f"b_{letter}", axes.split()[1])

    def weight(self, table: Any, where: str, name: str, axes: str, rows_of: slice = slice(0, None)) -> Any:
        """Some rows of a weight of PyTorch, transposed so that they are our columns; None where there is none."""
        if table is None:
            return None
        place = id(table), rows_of.start
        if place not in self._known:
            rows = _numbers(table, _at(where, name))[rows_of]
            self._known[place] = table, parameter(rows.T, axes, name=name)
        return self._known[place][1]


_READERS: dict[str, Callable[[_ModuleReader, Any, str], Module]] = {
    "MultiheadAttention": _ModuleReader.attention,
    "TransformerEncoderLayer": _ModuleReader.encoder_layer,
    "TransformerDecoderLayer": _ModuleReader.decoder_layer,
    "TransformerEncoder": _ModuleReader.encoder,
    "TransformerDecoder": _ModuleReader.decoder,
    "Transformer": _ModuleReader.transformer,
    "Linear": _ModuleReader.linear,
    "LayerNorm": _ModuleReader.layer_norm,
    "RMSNorm": _ModuleReader.rms_norm,
    "Embedding": _ModuleReader.embedding,
    "Identity": _ModuleReader.same,
}


# -- checks --------------------------------------------------------------------------------------


def _at(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _kind(module: Any, where: str, kinds: Iterable[str]) -> str:
    """The name of PyTorch's own class that this module is made by."""
    if isinstance(module, type):
        raise CallError(
            f"{module.__name__} is a class, not a module made by it.",
            hint=f"Make one first, with its sizes: {module.__name__}(...).",
            where=where,
        )
    classes = type(module).__mro__
    if not _is_module(module):
        raise CallError(
            f"This is not a module of PyTorch: its type is {type(module).__name__}.",
            hint="Give a module that was made with torch.nn, such as torch.nn.MultiheadAttention(4, 2).",
            where=where,
        )
    kinds = tuple(kinds)
    for number, kind in enumerate(classes):
        if kind.__module__.startswith("torch.nn.modules.") and kind.__name__ in kinds:
            own = [*map(vars, classes[:number]), vars(module)]
            changed = [name for name in COMPUTES if any(name in part for part in own)]
            if changed:
                name = type(module).__name__
                raise CallError(
                    f"{name} comes from {kind.__name__}, but has a `{changed[0]}` of its own: it may compute anything.",
                    hint="Give the parts of it that PyTorch computes itself, one by one.",
                    where=where,
                )
            return kind.__name__
    name = type(module).__name__
    raise CallError(
        f"The module {name} cannot be read here.",
        hint=f"{did_you_mean(name, kinds)}Known here: {', '.join(kinds)}.",
        where=where,
    )


def _is_module(thing: Any) -> bool:
    return any((c.__module__, c.__name__) == ("torch.nn.modules.module", "Module") for c in type(thing).__mro__)


def _refuse(module: Any, setting: str, where: str, name: str = "") -> None:
    """A setting that changes what is computed, and that ours does not have."""
    value = getattr(module, setting, None)
    if value is not None and value is not False:
        raise CallError(
            f"This {type(module).__name__} uses `{name or setting}` in a way that has no counterpart here.",
            hint=f"Make the module with an ordinary `{name or setting}`, or without it.",
            where=where,
        )


def _activation(activation: Any, where: str) -> Op:
    """The op of an activation function, which PyTorch holds as a function, a module, or a word."""
    known: dict[Any, Op] = {("relu", "none"): relu, ("gelu", "none"): gelu, ("gelu", "tanh"): gelu_tanh}
    function: Any = activation
    form = "none"
    if isinstance(function, partial) and not function.args and set(function.keywords) == {"approximate"}:
        function, form = function.func, function.keywords["approximate"]
    if _is_module(function):
        word = _kind(function, where, ("ReLU", "GELU")).lower()
        form = getattr(function, "approximate", form)
    else:
        library: Any = sys.modules["torch"]
        places = (library, library.nn.functional)
        alike = (word for word in ("relu", "gelu") for place in places if function is getattr(place, word, word))
        word = function if isinstance(function, str) else next(alike, "")
    if (word, form) not in known:
        name = getattr(activation, "__name__", None) or type(activation).__name__
        raise CallError(
            f"The activation {activation if isinstance(activation, str) else name} is not known.",
            hint="Known are relu, gelu, and gelu with approximate='tanh', as functions or modules of PyTorch.",
            where=where,
        )
    return known[word, form]


def _numbers(table: Any, where: str) -> Array:
    """The numbers of a tensor of PyTorch. They are still its own: `parameter` copies them."""
    kind = str(table.dtype).rpartition(".")[2]
    if kind not in (*TYPES, *HALF):
        raise NumberError(
            f"The weights are of type {kind}, which is not supported.",
            hint="Convert the module first: module.float() or module.double().",
            where=where,
        )
    try:
        numbers = table.detach().cpu()
        return (numbers.float() if kind in HALF else numbers).numpy()
    except (RuntimeError, TypeError, ValueError):  # on no device, or not yet made
        raise NumberError(
            "The weights have no numbers to read.",
            hint="Fill the module first; one on the device 'meta', or a lazy one, has only shapes.",
            where=where,
        ) from None
