"""One whole block of a transformer, small enough for a pencil: two heads, a causal mask, residuals, layer norm, GELU.

Three tokens of width 4. It follows a convention, so that two of them can be laid side by side. The
weights are drawn from a seed, in tenths.
"""

from __future__ import annotations

from collections.abc import Callable

from ..conventions import Convention, convention, settings_from
from ..engine.registry import OPS
from ..engine.tensor import Tensor
from ..explain.view import Trace
from ..ops.add import add
from ..ops.causal_mask import causal_mask
from ..ops.cross_entropy import cross_entropy
from ..ops.drawing import Draws
from ..ops.given import ids, parameter
from ..ops.layer_norm import layer_norm
from ..ops.lookup import lookup
from ..ops.matmul import matmul
from ..ops.merge_heads import merge_heads
from ..ops.positional_encoding import positional_encoding
from ..ops.root_scale import divide_by_root
from ..ops.softmax import softmax
from ..ops.split_heads import split_heads
from ..ops.transpose import transpose

Part = Callable[[Tensor], Tensor]

SEED = 7
VOCABULARY, WIDTH, HEADS, HIDDEN = 5, 4, 2, 6
TOKENS, TARGETS = [0, 3, 1], [3, 1, 4]

# Where biases stand under each choice of a convention.
BIASES = {"all": ("attention", "feed_forward"), "feed_forward": ("feed_forward",), "none": ()}

_SHAPES: dict[str, tuple[str, tuple[int, ...]]] = {
    "E": ("vocab model", (VOCABULARY, WIDTH)),
    **{f"W_{letter}": ("model joined", (WIDTH, WIDTH)) for letter in "QKV"},
    "W_O": ("joined model", (WIDTH, WIDTH)),
    **{f"b_{letter}": ("joined", (WIDTH,)) for letter in "QKV"},
    "b_O": ("model", (WIDTH,)),
    **{f"{letter}{number}": ("model", (WIDTH,)) for number in (1, 2) for letter in ("gamma", "beta")},
    "W_1": ("model hidden", (WIDTH, HIDDEN)),
    "b_1": ("hidden", (HIDDEN,)),
    "W_2": ("hidden model", (HIDDEN, WIDTH)),
    "b_2": ("model", (WIDTH,)),
    "W_vocab": ("model vocab", (WIDTH, VOCABULARY)),
    "places": ("place model", (len(TOKENS), WIDTH)),
}


def block(precision: str = "float64", choice: Convention | None = None) -> Trace:
    """What follows each token of a sentence of three? A whole transformer block, its loss, and the way back."""
    chosen = choice or convention("seed")
    trace = Trace(precision=precision, convention=chosen, rerun=lambda other: block(precision, other))
    model = Block(chosen)
    with trace:
        tokens, target = ids(TOKENS, name="tokens"), ids(TARGETS, name="target")
        cross_entropy(model(tokens), target, reduction=chosen.loss_reduction, name="loss")
    return trace.backward("loss")


class Block:
    """The weights of the block, and the way through it."""

    def __init__(self, choice: Convention) -> None:
        self.convention = choice
        draws = Draws(SEED)
        self.weights = {
            name: parameter((draws.whole(shape, below=19) - 9) / 10, axes, name=name)
            for name, (axes, shape) in _SHAPES.items()
        }

    def __call__(self, tokens: Tensor) -> Tensor:
        """The logits of the token that follows each token."""
        choice, E = self.convention, self.weights["E"]
        embedded = lookup(E, tokens, name="embedded")
        X = add(embedded, self.positions(ids(list(range(tokens.shape[0])), name="order")), name="X")
        around = {"pre": self.before, "post": self.after}[choice.norm_place]
        X = around(self.feed_forward, around(self.attention, X, 1), 2)
        return matmul(X, transpose(E) if choice.tied_output else self.weights["W_vocab"], name="logits")

    def positions(self, order: Tensor) -> Tensor:
        """Where each token stands: rows of a learned table, or sines and cosines."""
        if self.convention.position == "learned":
            return lookup(self.weights["places"], order, name="positions")
        return positional_encoding(order, size=WIDTH, layout=self.convention.position, name="positions")

    def before(self, part: Part, X: Tensor, number: int) -> Tensor:
        """Pre-norm: norm, part, residual."""
        return add(X, part(self.norm(X, number)), name=f"residual{number}")

    def after(self, part: Part, X: Tensor, number: int) -> Tensor:
        """Post-norm: part, residual, norm."""
        return self.norm(add(X, part(X), name=f"residual{number}"), number)

    def norm(self, X: Tensor, number: int) -> Tensor:
        """Layer norm as the convention has it."""
        gamma, beta = self.weights[f"gamma{number}"], self.weights[f"beta{number}"]
        return layer_norm(X, gamma, beta, **settings_from(layer_norm, self.convention), name=f"normed{number}")

    def attention(self, X: Tensor) -> Tensor:
        """Two heads, each token looking at the tokens up to itself."""
        Q, K, V = (self.linear("attention", X, letter, letter) for letter in "QKV")
        Q = split_heads(Q, heads=HEADS, name="Q_heads").rename(token="query")
        K = split_heads(K, heads=HEADS, name="K_heads").rename(token="key")
        V = split_heads(V, heads=HEADS, name="V_heads").rename(token="key")
        scores = matmul(Q, transpose(K), name="scores")
        size = {"head": WIDTH // HEADS, "model": WIDTH}[self.convention.attention_scale]
        scaled = divide_by_root(scores, d=size, name="scaled")
        weights = softmax(causal_mask(scaled, name="masked"), axis="key", name="weights")
        context = matmul(weights, V, name="context").rename(query="token")
        return self.linear("attention", merge_heads(context, name="joined"), "O", "attended")

    def feed_forward(self, X: Tensor) -> Tensor:
        """Wider, bent, and back."""
        bend = OPS[self.convention.activation]
        hidden = bend(self.linear("feed_forward", X, "1", "wide"), name="hidden")
        return self.linear("feed_forward", hidden, "2", "fed")

    def linear(self, layer: str, X: Tensor, letter: str, name: str) -> Tensor:
        """X times a weight, plus a bias where the convention has one."""
        W, b = self.weights[f"W_{letter}"], self.weights[f"b_{letter}"]
        X = X.relabelled((*X.axes[:-1], W.axes[0]))
        if layer not in BIASES[self.convention.biases]:
            return matmul(X, W, name=name)
        return add(matmul(X, W, name=f"{name}_product"), b, name=name)
