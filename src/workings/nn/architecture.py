"""Architecture: everything that is needed to build a transformer, except its numbers."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar, Literal, get_args, get_type_hints

from ..engine.arguments import MAX_SHOWN_CHARS, CheckedCall, unknown_choice
from ..engine.errors import OptionError, ShapeError

Kind = Literal["encoder", "decoder", "encoder-decoder"]
Activation = Literal["relu", "gelu", "gelu_tanh"]
Norm = Literal["none", "layer", "rms"]
NormPlace = Literal["pre", "post"]
NormCorrection = Literal[0, 1]
NormEpsilonPlace = Literal["inside", "outside"]
ResidualPlace = Literal["all", "none", "attention", "feed_forward"]
MaskKind = Literal["none", "causal"]
AttentionScale = Literal["head", "model"]
Projections = Literal["packed", "per-head"]
Biases = Literal["all", "feed_forward", "none"]
Position = Literal["none", "interleaved", "concatenated", "learned"]
HeadKind = Literal["none", "last-token", "all-tokens", "masked-tokens", "token-sigmoid", "classifier"]
Pool = Literal["mean", "first", "pooler"]


@dataclass(frozen=True)
class Architecture(metaclass=CheckedCall):
    """The parts and sizes of a transformer. Every choice is made here; nothing is left to a convention.

    >>> Architecture(kind="decoder", vocab_size=50257, width=768, heads=12, layers=12, hidden=3072).head_size
    64

    The options have the same names as the keys under `model:` and `convention:` in a scenario. In brackets is what
    PyTorch and Hugging Face call them, where that is another word.

    kind                encoder, decoder or encoder-decoder
    vocab_size          the number of tokens in the vocabulary
    width               the size of a token's vector (d_model, hidden_size)
    heads               the number of attention heads (nhead, num_attention_heads)
    head_size           the size of each head's queries, keys and values (head_dim); 0: width / heads
    layers              the number of blocks; in an encoder-decoder, those of the encoder (num_layers)
    decoder_layers      the number of decoder blocks in an encoder-decoder; 0: as many as `layers`
    hidden              the size of the feed-forward network's hidden layer (dim_feedforward, intermediate_size);
                        0: the blocks have no feed-forward network
    activation          the nonlinearity of the feed-forward network: relu, gelu or gelu_tanh
    norm                layer, rms or none
    norm_place          pre: before attention and feed-forward; post: after the residual is added (norm_first)
    norm_epsilon        what is added to the variance of a norm (eps, layer_norm_eps)
    norm_correction     the variance is divided by n - this: 0 or 1
    norm_epsilon_place  inside the root, or outside of it
    final_norm          whether one more norm follows the last block
    residual            where residual connections are: all, attention, feed_forward or none
    mask                causal: each token attends to itself and earlier tokens; none: to every token; None: causal in
                        a decoder, none in an encoder (is_causal)
    attention_scale     scores are divided by the root of the head size (head) or of the width (model)
    projections         packed: one W_Q, W_K and W_V for all heads side by side; per-head: one for each head
    output_projection   whether W_O mixes the results of the heads (out_proj)
    biases              which linear layers have a bias: all, feed_forward or none (bias)
    position            none, learned, or sines and cosines: interleaved or concatenated
    max_positions       the rows of a learned position table (max_position_embeddings)
    segments            the rows of a segment table as in BERT (type_vocab_size); 0: there is none
    head                what is predicted: the token after the text (last-token), after every token (all-tokens) or in
                        place of <mask> (masked-tokens), a yes or no for each token (token-sigmoid), a class for the
                        text (classifier), or nothing (none)
    tied_embeddings     whether the output layer is the transposed embedding table (tie_word_embeddings)
    head_bias           whether the output layer has a bias
    classes             the number of classes of a classifier (num_labels)
    pool                how a classifier sums up a text: mean, the first token (first), or BERT's pooler
    dropout             the probability with which an entry is set to 0 while training
    """

    RENAMED: ClassVar[dict[str, str]] = {
        "vocabulary": "vocab_size",
        "causal": "mask",
        "packed": "projections",
        "positions": "max_positions",
        "tied": "tied_embeddings",
    }

    kind: Kind
    vocab_size: int
    width: int
    heads: int = 1
    head_size: int = 0
    layers: int = 1
    decoder_layers: int = 0
    hidden: int = 0
    activation: Activation = "relu"
    norm: Norm = "layer"
    norm_place: NormPlace = "pre"
    norm_epsilon: float = 1e-5
    norm_correction: NormCorrection = 0
    norm_epsilon_place: NormEpsilonPlace = "inside"
    final_norm: bool = False
    residual: ResidualPlace = "all"
    mask: MaskKind | None = None
    attention_scale: AttentionScale = "head"
    projections: Projections = "packed"
    output_projection: bool = True
    biases: Biases = "all"
    position: Position = "none"
    max_positions: int = 0
    segments: int = 0
    head: HeadKind = "last-token"
    tied_embeddings: bool = False
    head_bias: bool = False
    classes: int = 0
    pool: Pool = "mean"
    dropout: float = 0.0

    def __post_init__(self) -> None:
        self._check_values()
        if not self.head_size:
            if self.width % self.heads:
                raise OptionError(
                    f"A width of {self.width} cannot be divided evenly among {self.heads} heads.",
                    option="heads",
                    given=f"width={self.width}, heads={self.heads}",
                    hint=f"The number of heads must divide {self.width}. The nearest that do: "
                    f"{_nearest_divisors(self.width, self.heads)}.",
                )
            object.__setattr__(self, "head_size", self.width // self.heads)
        if self.mask is None:
            object.__setattr__(self, "mask", "causal" if self.kind == "decoder" else "none")
        if not self.decoder_layers:
            object.__setattr__(self, "decoder_layers", self.layers)
        self._check_parts()
        if self.attention_width != self.width:
            self._refuse_other_width()

    def _check_values(self) -> None:
        """Refuse words that are not among the choices, and sizes that are no whole numbers."""
        hints = get_type_hints(Architecture)
        for name in (field.name for field in fields(self)):
            value, kind, choices = getattr(self, name), hints[name], _choices(hints[name])
            if choices and value not in choices:
                raise unknown_choice(name, value, choices)
            least = 1 if name in ("vocab_size", "width", "heads", "layers") else 0
            if kind is int and (type(value) is not int or value < least):
                raise OptionError(
                    f"{name} must be a whole number of at least {least}.",
                    option=name,
                    given=f"{name}={value!r}"[:MAX_SHOWN_CHARS],
                    hint=f"For example: {name}=4.",
                )
        if not 0 <= self.dropout < 1:
            raise OptionError(
                "dropout is a probability below 1.",
                option="dropout",
                given=f"dropout={self.dropout!r}",
                hint="Give a number from 0 up to, but not including, 1.",
            )

    def _check_parts(self) -> None:
        """Refuse parts that need something that is not there."""
        if self.heads > 1 and not self.output_projection:
            raise OptionError(
                f"{self.heads} heads give {self.heads} results side by side, and W_O has to mix them.",
                option="output_projection",
                hint="Leave out `output_projection`, or use one head.",
            )
        if self.kind == "encoder-decoder" and not self.hidden:
            raise OptionError(
                "The blocks of an encoder-decoder have a feed-forward network, and it needs a size.",
                option="hidden",
                hint="Give its size: `hidden: 8`. Papers use four times the width.",
            )
        if self.position == "learned" and not self.max_positions:
            raise OptionError(
                "A learned position table needs a number of rows.",
                option="max_positions",
                hint="Give `max_positions: 16`, or as many as the longest text has tokens.",
            )
        if self.head == "classifier" and not self.classes:
            raise OptionError(
                "A classifier needs classes.",
                option="classes",
                hint="Give their number, `classes: 2`, or list their names.",
            )
        if self.kind == "encoder-decoder" and self.head == "masked-tokens":
            raise OptionError(
                "An encoder-decoder generates text; it does not predict masked tokens.",
                option="head",
                hint="Use `head: all-tokens` or `last-token`, or an encoder.",
            )

    def _refuse_other_width(self) -> None:
        """The output of attention is as wide as its heads. If that is not the width, nothing may need it to be."""
        if self.residual != "none":
            raise ShapeError(
                f"A residual connection adds the input (width {self.width}) to the output of attention (width "
                f"{self.attention_width}): the widths must be equal.",
                hint="Use `residual: none`, a head size of width / heads, or an output projection.",
            )
        deeper = not self.hidden and (self.layers > 1 or self.final_norm or self.tied_embeddings)
        if self.norm != "none" or deeper or self.pool == "pooler":
            raise ShapeError(
                f"The output of attention has width {self.attention_width}, and the model has width {self.width}: "
                "norms, further layers and tied embeddings need the width of the model.",
                hint="Use a head size of width / heads, or an output projection.",
            )

    @property
    def joined(self) -> int:
        """The columns of all heads together."""
        return self.heads * self.head_size

    @property
    def attention_width(self) -> int:
        """The columns of the output of attention."""
        return self.width if self.output_projection else self.joined


def _choices(kind: object) -> tuple[object, ...]:
    """The values that a Literal type allows, also where None is allowed besides."""
    parts = get_args(kind)
    return tuple(choice for part in parts for choice in get_args(part) or ([None] if part is type(None) else [part]))


def _nearest_divisors(width: int, heads: int) -> str:
    """The numbers of heads next to this one by which the width can be divided."""
    divisors = [count for count in range(1, width + 1) if width % count == 0]
    below = [count for count in divisors if count < heads][-1:]
    above = [count for count in divisors if count > heads][:1]
    return " and ".join(str(count) for count in (*below, *above))
