"""Architecture: all that has to be said of a transformer to build it, except its numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args, get_type_hints

from ..engine.errors import CallError, ShapeError
from ..engine.sentences import add_sentences, say

Kind = Literal["encoder", "decoder", "encoder-decoder"]
HeadKind = Literal["none", "last-token", "all-tokens", "masked-tokens", "token-sigmoid", "classifier"]


@dataclass(frozen=True)
class Architecture:
    """The parts and sizes of a transformer. Every choice is made here; nothing is left to a convention.

    >>> Architecture(kind="decoder", vocabulary=50257, width=768, heads=12, layers=12, hidden=3072).head_size
    64
    """

    kind: Kind
    vocabulary: int
    width: int
    heads: int = 1
    head_size: int = 0  # 0: the width, shared out among the heads
    layers: int = 1
    decoder_layers: int = 0  # of an encoder-decoder; 0: as many as `layers`
    hidden: int = 0  # of the feed-forward layer; 0: there is none
    activation: Literal["relu", "gelu", "gelu_tanh"] = "relu"
    norm: Literal["none", "layer", "rms"] = "layer"
    norm_place: Literal["pre", "post"] = "pre"
    norm_epsilon: float = 1e-5
    norm_correction: Literal[0, 1] = 0
    norm_epsilon_place: Literal["inside", "outside"] = "inside"
    final_norm: bool = False
    residual: Literal["all", "none", "attention", "feed_forward"] = "all"
    causal: bool | None = None  # None: a decoder looks back only, an encoder all around
    attention_scale: Literal["head", "model"] = "head"
    packed: bool = True
    output_projection: bool = True  # W_O
    biases: Literal["all", "feed_forward", "none"] = "all"
    position: Literal["none", "interleaved", "concatenated", "learned"] = "none"
    positions: int = 0  # rows of a learned table
    segments: int = 0  # rows of BERT's table of segments, with which its embedding is normed
    head: HeadKind = "last-token"
    tied: bool = False
    head_bias: bool = False
    classes: int = 0
    pool: Literal["mean", "first", "pooler"] = "mean"
    dropout: float = 0.0

    def __post_init__(self) -> None:
        self._refuse_unfit_values()
        if not self.head_size:
            if self.width % self.heads:
                raise ShapeError(
                    "shape.heads", width=self.width, heads=self.heads, nearest=_fitting(self.width, self.heads)
                )
            object.__setattr__(self, "head_size", self.width // self.heads)
        if self.causal is None:
            object.__setattr__(self, "causal", self.kind == "decoder")
        if not self.decoder_layers:
            object.__setattr__(self, "decoder_layers", self.layers)
        if self.heads > 1 and not self.output_projection:
            raise CallError("architecture.heads", heads=self.heads)
        if self.kind == "encoder-decoder" and not self.hidden:
            raise CallError("architecture.hidden")
        if self.position == "learned" and not self.positions:
            raise CallError("architecture.positions")
        if self.head == "classifier" and not self.classes:
            raise CallError("architecture.classes")
        if self.kind == "encoder-decoder" and self.head == "masked-tokens":
            raise CallError("architecture.covered")
        if self.found != self.width:
            self._refuse_narrow()

    def _refuse_unfit_values(self) -> None:
        """Words that are not among the choices, and sizes that are no whole numbers."""
        for name, kind in get_type_hints(Architecture).items():
            value, choices = getattr(self, name), get_args(kind)
            if choices and kind != bool | None and value not in choices:
                raise CallError("architecture.choice", name=name, value=value, choices=", ".join(map(str, choices)))
            least = 1 if name in ("vocabulary", "width", "heads", "layers") else 0
            if kind is int and (type(value) is not int or value < least):
                raise CallError("architecture.size", size=name, value=value, least=least)
        if not 0 <= self.dropout < 1:
            raise CallError("architecture.choice", name="dropout", value=self.dropout, choices=say("setting.share"))

    def _refuse_narrow(self) -> None:
        """What attention gives is as wide as its heads. If that is not the width, nothing may need it to be."""
        if self.residual != "none":
            raise ShapeError("architecture.residual", width=self.width, found=self.found)
        wide = self.norm != "none" or (not self.hidden and (self.layers > 1 or self.final_norm or self.tied))
        if wide or self.pool == "pooler":
            raise ShapeError("architecture.narrow", width=self.width, found=self.found)

    @property
    def joined(self) -> int:
        """The columns of all heads together."""
        return self.heads * self.head_size

    @property
    def found(self) -> int:
        """The columns of what attention gives."""
        return self.width if self.output_projection else self.joined


def _fitting(width: int, heads: int) -> str:
    """The numbers of heads next to this one by which the width can be divided."""
    fitting = [count for count in range(1, width + 1) if width % count == 0]
    below = [count for count in fitting if count < heads][-1:]
    above = [count for count in fitting if count > heads][:1]
    return " and ".join(str(count) for count in (*below, *above))


add_sentences(
    "error",
    {
        "architecture.size": "{size} must be a whole number of at least {least}, and is {value}.",
        "architecture.size.try": "Give such a number.",
        "architecture.choice": "{name} cannot be {value}.",
        "architecture.choice.try": "Choices: {choices}.",
        "architecture.covered": "An encoder-decoder writes a text; it is not asked for covered words.",
        "architecture.covered.try": "Use `head: all-tokens` or `last-token`, or an encoder.",
        "architecture.narrow": "Attention gives {found} columns, and the model is {width} wide: norms, further "
        "layers and a tied output need the width.",
        "architecture.narrow.try": "Use a head size of width / heads, or an output projection.",
        "architecture.heads": "{heads} heads give {heads} results side by side, and something has to mix them: W_O.",
        "architecture.heads.try": "Leave out `output_projection`, or use one head.",
        "architecture.hidden": "The blocks of an encoder-decoder have a feed-forward layer, and it needs a size.",
        "architecture.hidden.try": "Say how wide it is: `hidden: 8`. Papers take four times the width.",
        "architecture.positions": "Learned positions need to know how many there are.",
        "architecture.positions.try": "Say `positions: 16`, or as many as the longest text has tokens.",
        "architecture.classes": "A classifier needs to know its classes.",
        "architecture.classes.try": "Say how many: `classes: 2`, or list their names.",
        "architecture.residual": "A residual adds what came in (width {width}) to what attention gives (width "
        "{found}): they must be equal.",
        "architecture.residual.try": "Use `residual: none`, a head size of width / heads, or an output projection.",
    },
)
