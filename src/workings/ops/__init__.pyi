"""The ops as editors and type checkers see them. `make reference` writes this file from the op pages."""

from collections.abc import Callable
from typing import Generic, Literal, ParamSpec, TypeVar

from ..engine.arrays import AnyArray
from ..engine.op import Op
from ..engine.tensor import Tensor
from .given import constant as constant
from .given import given as given
from .given import ids as ids
from .given import parameter as parameter
from .given import random as random

_Call = ParamSpec("_Call")
_Result = TypeVar("_Result")

class _TypedOp(Op, Generic[_Call, _Result]):
    def __call__(self, *inputs: _Call.args, **settings: _Call.kwargs) -> _Result: ...  # type: ignore[override]

def _op(signature: Callable[_Call, _Result]) -> _TypedOp[_Call, _Result]: ...
@_op
def adam(
    W: Tensor | AnyArray,
    dW: Tensor | AnyArray,
    m: Tensor | AnyArray,
    v: Tensor | AnyArray,
    /,
    *,
    t: int,
    rate: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-08,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Moves every weight by about the learning rate: its average gradient, divided by the typical size of its
    gradients.

    `m` and `v` are exponential moving averages of the gradient and of its square. Both start at 0; bias correction
    compensates for that. `t` counts the updates from 1. Returns the new weight and the new m and v.

    t: the number of this update, counted from 1
    rate: the learning rate
    beta1: the decay rate of the average gradient
    beta2: the decay rate of the average squared gradient
    epsilon: a small number that prevents a division by 0
    name: the name of the step in the trace
    """

@_op
def adam_direction(
    m: Tensor | AnyArray, v: Tensor | AnyArray, /, *, epsilon: float = 1e-08, name: str | None = None
) -> Tensor:
    """Divides the average gradient by the root of the average squared gradient: about ±1 where gradients agree, near
    0 where they cancel. `epsilon` prevents a division by 0 for a weight that has no gradient.

    epsilon: a small number that prevents a division by 0
    name: the name of the step in the trace
    """

@_op
def adamw(
    W: Tensor | AnyArray,
    dW: Tensor | AnyArray,
    m: Tensor | AnyArray,
    v: Tensor | AnyArray,
    /,
    *,
    t: int,
    rate: float,
    decay: float = 0.01,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-08,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Shrinks every weight slightly towards 0, then moves it as Adam does. The decay stays out of the moving averages,
    so it is equally strong for weights with large and with small gradients.

    `m` and `v` start at 0, `t` counts the updates from 1. Returns the new weight and the new m and v.

    t: the number of this update, counted from 1
    rate: the learning rate
    decay: the weight decay
    beta1: the decay rate of the average gradient
    beta2: the decay rate of the average squared gradient
    epsilon: a small number that prevents a division by 0
    name: the name of the step in the trace
    """

@_op
def add(a: Tensor | AnyArray, b: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Adds two tensors entry by entry. A bias is added to every row.

    name: the name of the step in the trace
    """

@_op
def add_rows(
    x: Tensor | AnyArray, ids: Tensor | AnyArray, /, *, rows: int, word: str = "vocab", name: str | None = None
) -> Tensor:
    """Adds each row to a table of zeros, at the row of its id (scatter-add): the gradient of a lookup.

    rows: how many rows the table has
    word: the name of the new axis
    name: the name of the step in the trace
    """

@_op
def argmax(x: Tensor | AnyArray, /, *, axis: int | str = -1, name: str | None = None) -> Tensor:
    """Finds the index of the largest entry of each row, counted from 0. In a tie, the first one wins.

    axis: the axis, by name or position
    name: the name of the step in the trace
    """

@_op
def at_most(x: Tensor | AnyArray, /, *, limit: float, name: str | None = None) -> Tensor:
    """Replaces every entry above the limit by the limit and keeps all others.

    limit: the largest value that an entry may have
    name: the name of the step in the trace
    """

@_op
def attention(
    Q: Tensor | AnyArray,
    K: Tensor | AnyArray,
    V: Tensor | AnyArray,
    /,
    *,
    d: float | None = None,
    name: str | None = None,
) -> Tensor:
    """Scores every query against every key, turns the scores into attention weights, and averages the values with them.

    The rows of Q are queries, those of K and V are keys: a `token` axis is read as `query` or as `key`, and the result
    has a `token` axis again.

    d: the scores are divided by its square root; by default the size of a head
    name: the name of the step in the trace
    """

@_op
def bias_correction(x: Tensor | AnyArray, /, *, beta: float, t: int, name: str | None = None) -> Tensor:
    """Divides a moving average that started at 0 by the total weight that real values have in it after `t` steps.

    After t steps the initial zero still has the weight beta^t. Dividing by 1 - beta^t makes the average as large as if
    it had never been there. The first step is t = 1.

    beta: the decay rate, the part of the average that each step keeps
    t: the number of this update, counted from 1
    name: the name of the step in the trace
    """

@_op
def binary_cross_entropy(
    p: Tensor | AnyArray,
    y: Tensor | AnyArray,
    /,
    *,
    reduction: Literal["mean", "sum"] = "mean",
    name: str | None = None,
) -> Tensor:
    """Takes -ln p where the label is 1, and -ln(1 - p) where it is 0, for each predicted probability p.

    reduction: whether to average or to sum the losses of all rows
    name: the name of the step in the trace
    """

@_op
def binary_cross_entropy_from_logits(
    z: Tensor | AnyArray,
    y: Tensor | AnyArray,
    /,
    *,
    reduction: Literal["mean", "sum"] = "mean",
    name: str | None = None,
) -> Tensor:
    """Applies the sigmoid and the binary cross-entropy in one step, which is numerically stable for any logit.

    reduction: whether to average or to sum the losses of all rows
    name: the name of the step in the trace
    """

@_op
def causal_mask(x: Tensor | AnyArray, /, *, past: int = 0, name: str | None = None) -> Tensor:
    """Masks the keys of later tokens for each query, so that a model cannot see the tokens that it has to predict.

    Query i attends to keys 0 to i + past. `past` is the number of earlier tokens that have keys here but no queries: 0
    for a whole sequence, and keys minus queries with a KV cache.

    past: the number of earlier tokens that have keys here but no queries
    name: the name of the step in the trace
    """

@_op
def clip_by_norm(
    x: Tensor | AnyArray, norm: Tensor | AnyArray, /, *, limit: float, epsilon: float = 0.0, name: str | None = None
) -> Tensor:
    """Scales x down if the norm exceeds the limit; otherwise x stays as it is.

    The norm is usually the global norm of all gradients, of which x is one: all are scaled by the same factor, so the
    step gets shorter but keeps its direction. A norm of 0 is refused, because it would be divided by; adding a small
    epsilon prevents that (PyTorch's clip_grad_norm_ adds 1e-6).

    limit: the largest norm that is not scaled down
    epsilon: a small number that prevents a division by 0
    name: the name of the step in the trace
    """

@_op
def collect(*parts: Tensor | AnyArray, name: str | None = None) -> Tensor:
    """Sums the gradients that flow back from all uses of a value: gradients accumulate, they never replace each
    other.

    name: the name of the step in the trace
    """

@_op
def concat(*parts: Tensor | AnyArray, axis: int | str, name: str | None = None) -> Tensor:
    """Joins arrays along an axis, in the given order.

    The parts must have the same size along every other axis.

    axis: the axis, by name or position
    name: the name of the step in the trace
    """

@_op
def cos(x: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Takes the cosine of each entry, an angle in radians: a wave between -1 and 1 that starts at its peak.

    It is the sine, shifted by a quarter turn.

    name: the name of the step in the trace
    """

@_op
def cross_entropy(
    logits: Tensor | AnyArray,
    target: Tensor | AnyArray,
    /,
    *,
    reduction: Literal["mean", "sum"] = "mean",
    name: str | None = None,
) -> Tensor:
    """Takes the negative log of the probability that softmax gives to the target of each row; a perfect prediction
    costs 0.

    It reads logits rather than probabilities, so it never takes the logarithm of a probability that was rounded to 0.

    reduction: whether to average or to sum the losses of all rows
    name: the name of the step in the trace
    """

@_op
def cumulative_sum(
    x: Tensor | AnyArray, /, *, axis: int | str = -1, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Replaces every entry by the sum of all entries up to and including itself.

    With `reverse`, the sums start at the end of the row: every entry is added to those after it.

    reverse: whether to sum from the end of the row
    axis: the axis, by name or position
    name: the name of the step in the trace
    """

@_op
def div(a: Tensor | AnyArray, b: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Divides the first tensor by the second, entry by entry.

    name: the name of the step in the trace
    """

@_op
def divide_by(x: Tensor | AnyArray, /, *, divisor: float, name: str | None = None) -> Tensor:
    """Divides every entry by the same number.

    divisor: the number
    name: the name of the step in the trace
    """

@_op
def divide_by_root(x: Tensor | AnyArray, /, *, d: float, name: str | None = None) -> Tensor:
    """Divides every entry by the square root of the same number.

    The dot product of two vectors with d entries typically grows with √d. Dividing by √d keeps attention scores equally
    large for every head size.

    d: the number whose square root divides the entries
    name: the name of the step in the trace
    """

@_op
def dot(a: Tensor | AnyArray, b: Tensor | AnyArray, /, *, axis: int | str = -1, name: str | None = None) -> Tensor:
    """Multiplies two rows entry by entry and sums the products: one number per row, kept as a column.

    axis: the axis, by name or position
    name: the name of the step in the trace
    """

@_op
def draw_by_share(shares: Tensor | AnyArray, drawn: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Samples one index from each row of probabilities: the first where the cumulative sum exceeds the drawn number.

    The probabilities, side by side, fill the interval from 0 to 1, and the drawn number points at one of them. An index
    of probability 0 takes up no room there, so it is never chosen. `drawn` has one number for each row, from 0 up to,
    but not including, 1 (see `Draws.uniform`). Rounding may leave the last cumulative sum below the drawn number, or
    round the drawn number up to 1: then the last index that increased the cumulative sum is chosen.

    name: the name of the step in the trace
    """

@_op
def dropout(x: Tensor | AnyArray, kept: Tensor | AnyArray, /, *, rate: float, name: str | None = None) -> Tensor:
    """Sets the entries that are not kept to 0, and scales up the others.

    `kept` is a random 0/1 mask, drawn anew for each training step: 0 with the probability `rate` (see `Draws.kept`).
    Dividing by 1 - rate preserves the expected value of each entry, so inference simply leaves dropout out.

    rate: the probability of dropping an entry
    name: the name of the step in the trace
    """

@_op
def erf(x: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Computes the error function: the area under a normalized bell curve between -x and x, with the sign of x.

    Like tanh, it runs from -1 to 1. Pocket calculators have no key for it; spreadsheets have the function ERF, and
    textbooks have tables.

    name: the name of the step in the trace
    """

@_op
def exp(x: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Raises e = 2.718... to the power of each entry: always positive, and steeper the larger the entry.

    name: the name of the step in the trace
    """

@_op
def first_above(x: Tensor | AnyArray, bound: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Finds the first entry of each row that exceeds the row's bound, and returns its index, counted from 0.

    If no entry exceeds the bound, it returns the index of the largest entry, the first one in a tie.

    name: the name of the step in the trace
    """

@_op
def gelu(x: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Multiplies each entry by Φ(x), the cumulative distribution function of the standard normal: a smooth ReLU.

    This is the exact form, used by BERT and, by default, by PyTorch's GELU. GPT-2 uses `gelu_tanh`, which replaces erf
    by a tanh and differs from this one by less than 0.0005.

    name: the name of the step in the trace
    """

@_op
def gelu_tanh(x: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Approximates GELU: multiplies each entry by a factor between 0 and 1 that contains a tanh instead of erf.

    GPT-2 uses this form, which was faster where erf was slow. BERT uses the exact one, and so does PyTorch's
    GELU by default. The two differ by less than 0.0005.

    name: the name of the step in the trace
    """

@_op
def is_max(x: Tensor | AnyArray, /, *, axis: int | str = -1, name: str | None = None) -> Tensor:
    """Marks the largest entry of each row with 1 and the others with 0. In a tie, the largest entries split the 1
    evenly.

    axis: the axis, by name or position
    name: the name of the step in the trace
    """

@_op
def keep_top_k(x: Tensor | AnyArray, /, *, k: int, name: str | None = None) -> Tensor:
    """Marks the k largest entries of each row with 1 and the others with 0.

    In a tie, the first entry is kept, so that exactly k are. `mask` reads this 0/1 mask: then the next token is sampled
    from the k most likely ones.

    k: how many entries of a row are kept
    name: the name of the step in the trace
    """

@_op
def keep_top_p(shares: Tensor | AnyArray, /, *, p: float, name: str | None = None) -> Tensor:
    """Marks with 1 the smallest set of most probable entries of each row whose sum reaches p, and the others with 0.

    This is nucleus or top-p sampling. The entry that reaches p is kept too, so at least one always is; in a tie, the
    first entry is kept. Other programs do the same: TopPLogitsWarper of Hugging Face transformers also keeps the token
    that crosses p. Write p as 0.9, not as 90.

    p: what the kept entries of a row sum to, at least
    name: the name of the step in the trace
    """

@_op
def layer_norm(
    x: Tensor | AnyArray,
    gamma: Tensor | AnyArray,
    beta: Tensor | AnyArray,
    /,
    *,
    correction: Literal[0, 1] = 0,
    epsilon: float = 1e-05,
    place: Literal["inside", "outside"] = "inside",
    name: str | None = None,
) -> Tensor:
    """Subtracts the mean of each row, divides by its standard deviation, then scales by gamma and shifts by beta.

    correction: 0 divides the sum of squares by n, 1 by n - 1
    epsilon: a small number that prevents a division by 0
    place: whether epsilon is added inside or outside the square root
    name: the name of the step in the trace
    """

@_op
def linear(x: Tensor | AnyArray, W: Tensor | AnyArray, b: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Multiplies every row by a weight matrix and adds a bias: each output is a dot product plus a number.

    A single row may be given too. Leading axes (batch) only mean more rows: all use the same weight and bias.

    name: the name of the step in the trace
    """

@_op
def log(x: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Takes the natural logarithm of each entry: the power to which e must be raised to give that entry.

    name: the name of the step in the trace
    """

@_op
def log_softmax(x: Tensor | AnyArray, /, *, axis: int | str = -1, name: str | None = None) -> Tensor:
    """Turns a row of scores into log-probabilities: the closer to 0, the more likely.

    It never takes the logarithm of a probability that was rounded to 0. A masked score stays -∞.

    axis: the axis, by name or position
    name: the name of the step in the trace
    """

@_op
def log_sum_exp(
    x: Tensor | AnyArray, /, *, axis: int | str = -1, keep: bool = False, name: str | None = None
) -> Tensor:
    """Sums the exponentials of a row and takes the logarithm: slightly more than the row's largest score.

    It is the logarithm of the denominator of softmax. `keep` keeps the axis with one entry. A masked score, -∞, adds
    nothing to the sum.

    axis: the axis, by name or position
    keep: whether to keep the axis, with one entry
    name: the name of the step in the trace
    """

@_op
def lookup(E: Tensor | AnyArray, ids: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Takes the row of each token id out of a table: an embedding lookup.

    name: the name of the step in the trace
    """

@_op
def mask(x: Tensor | AnyArray, allow: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Keeps the scores that are allowed (1) and replaces all others (0) by -∞, which softmax turns into the weight 0.

    Each row, along the last axis, must have at least one allowed score.

    name: the name of the step in the trace
    """

@_op
def matmul(a: Tensor | AnyArray, b: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Multiplies two matrices: each entry is the dot product of a row of the first with a column of the second.

    The first input may also be a single row. Leading axes (batch, head) are batched over.

    name: the name of the step in the trace
    """

@_op
def mean(
    x: Tensor | AnyArray, /, *, axis: int | str | None = None, keep: bool = False, name: str | None = None
) -> Tensor:
    """Averages along an axis, or over all entries; `keep` keeps that axis with one entry.

    axis: the axis, by name or position
    keep: whether to keep the axis, with one entry
    name: the name of the step in the trace
    """

@_op
def mean_squared_error(
    y: Tensor | AnyArray,
    target: Tensor | AnyArray,
    /,
    *,
    reduction: Literal["mean", "sum"] = "mean",
    name: str | None = None,
) -> Tensor:
    """Squares the difference between each number and its target, and averages; a perfect prediction costs 0.

    A difference twice as large costs four times as much, and its sign does not matter.

    reduction: whether to average or to sum the losses of all rows
    name: the name of the step in the trace
    """

@_op
def merge_heads(x: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Concatenates the rows that the heads have for a token: d columns from each head, starting with head 0.

    The axes [head, token, head_size] become [token, model]; the second one may have any name.

    name: the name of the step in the trace
    """

@_op
def momentum(
    W: Tensor | AnyArray,
    dW: Tensor | AnyArray,
    velocity: Tensor | AnyArray,
    /,
    *,
    rate: float,
    beta: float = 0.9,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Adds each gradient to a decaying velocity, and moves the weight against the velocity.

    `beta` is the part of the velocity that each step keeps. The velocity starts at 0. Returns the new weight and the
    new velocity.

    beta: the part of the velocity that each step keeps
    rate: the learning rate
    name: the name of the step in the trace
    """

@_op
def mul(a: Tensor | AnyArray, b: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Multiplies two tensors entry by entry. This is not the matrix product.

    name: the name of the step in the trace
    """

@_op
def neg(x: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Flips the sign of every entry.

    name: the name of the step in the trace
    """

@_op
def negative_log_likelihood(
    P: Tensor | AnyArray,
    target: Tensor | AnyArray,
    /,
    *,
    reduction: Literal["mean", "sum"] = "mean",
    name: str | None = None,
) -> Tensor:
    """Takes the negative log of the probability that each row gives to its target; a perfect prediction costs 0.

    It expects probabilities. From logits, `cross_entropy` gives the same loss and never takes the logarithm of a
    probability that was rounded to 0.

    reduction: whether to average or to sum the losses of all rows
    name: the name of the step in the trace
    """

@_op
def norm(*parts: Tensor | AnyArray, name: str | None = None) -> Tensor:
    """Takes the square root of the sum of all squared entries: the length of all parts together.

    Over the gradients of all weights it is the "global norm", which says how steep the loss is here. It is 0 only if
    every entry is 0; it has no derivative there, so no gradient can flow back.

    name: the name of the step in the trace
    """

@_op
def one_hot(
    ids: Tensor | AnyArray,
    /,
    *,
    size: int,
    word: str = "vocab",
    dtype: Literal["float64", "float32", "float16", "int64", "int32"] = "float64",
    name: str | None = None,
) -> Tensor:
    """Turns each label into a row of zeros with a 1 at the index of the label.

    size: the number of classes
    word: the name of the new axis
    dtype: the type of the numbers
    name: the name of the step in the trace
    """

@_op
def outer(a: Tensor | AnyArray, b: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Multiplies every entry of one vector by every entry of another: the weight gradient of a single row.

    name: the name of the step in the trace
    """

@_op
def padding_mask(x: Tensor | AnyArray, keep: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Masks the keys that are only padding, for every query and every head.

    The texts of a batch are padded to the same length. `keep` is 1 for a token and 0 for padding, one number for each
    key of each text. Queries that are padding are not masked: their output is not used.

    name: the name of the step in the trace
    """

@_op
def pass_(x: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Passes a value on unchanged, under a name of its own.

    name: the name of the step in the trace
    """

@_op
def permute(
    x: Tensor | AnyArray,
    /,
    *,
    order: list[int] | tuple[int, ...] | list[str] | tuple[str, ...],
    name: str | None = None,
) -> Tensor:
    """Reorders the axes; each entry keeps its index on every axis.

    order: all axes, by name or position, in their new order
    name: the name of the step in the trace
    """

@_op
def pick(x: Tensor | AnyArray, target: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Selects from each row the entry at the index of the row's label, such as the probability of the target.

    name: the name of the step in the trace
    """

@_op
def place_row(
    x: Tensor | AnyArray, /, *, index: int, axis: int, size: int, word: str = "", name: str | None = None
) -> Tensor:
    """Puts a row into a matrix of zeros at the given index: the gradient of taking that row.

    index: the index of the row
    size: how many rows the matrix has
    axis: the axis, by name or position
    word: the name of the new axis
    name: the name of the step in the trace
    """

@_op
def positional_encoding(
    positions: Tensor | AnyArray,
    /,
    *,
    size: int,
    base: float = 10000.0,
    layout: Literal["interleaved", "concatenated"] = "interleaved",
    dtype: Literal["float64", "float32", "float16"] = "float64",
    name: str | None = None,
) -> Tensor:
    """Encodes each position as a row of sines and cosines whose wavelengths increase along the row.

    Interleaved, the columns alternate: sine, cosine, sine, cosine; an odd size ends with a sine. Concatenated, all
    sines come first, then all cosines, so the size must be even. Both layouts hold the same numbers.

    size: how many columns there are
    base: sets the longest wavelength
    layout: whether sines and cosines alternate
    dtype: the type of the numbers
    name: the name of the step in the trace
    """

@_op
def positive(x: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Marks the entries above 0 with 1 and all others, including 0, with 0.

    name: the name of the step in the trace
    """

@_op
def power(x: Tensor | AnyArray, /, *, exponent: float, name: str | None = None) -> Tensor:
    """Raises each entry to the same exponent: 2 squares it, 3 cubes it, 0.5 is the square root, -1 is 1 / x.

    exponent: the exponent
    name: the name of the step in the trace
    """

@_op
def relu(x: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Keeps every positive entry and sets the others to 0.

    name: the name of the step in the trace
    """

@_op
def reshape(
    x: Tensor | AnyArray,
    /,
    *,
    shape: list[int] | tuple[int, ...],
    axes: list[str] | tuple[str, ...] = (),
    name: str | None = None,
) -> Tensor:
    """Reads the entries row by row and writes them row by row into another shape; no entry changes.

    shape: the new sizes
    axes: the names of the new axes; by default they have none
    name: the name of the step in the trace
    """

@_op
def rms_norm(
    x: Tensor | AnyArray, gamma: Tensor | AnyArray, /, *, epsilon: float = 1e-06, name: str | None = None
) -> Tensor:
    """Divides each row by its root mean square (RMS), then scales it by gamma.

    Unlike layer_norm, it subtracts no mean and adds no beta.

    epsilon: a small number that prevents a division by 0
    name: the name of the step in the trace
    """

@_op
def row_max(x: Tensor | AnyArray, /, *, axis: int | str = -1, name: str | None = None) -> Tensor:
    """Finds the largest entry of each row and keeps it as a column.

    axis: the axis, by name or position
    name: the name of the step in the trace
    """

@_op
def running_mean(mean: Tensor | AnyArray, x: Tensor | AnyArray, /, *, beta: float, name: str | None = None) -> Tensor:
    """Keeps the part `beta` of the average so far and adds the part 1 - beta of the new value, so old values fade.

    beta: the decay rate, the part of the average that is kept
    name: the name of the step in the trace
    """

@_op
def scale(x: Tensor | AnyArray, /, *, factor: float, name: str | None = None) -> Tensor:
    """Multiplies every entry by the same number.

    factor: the number
    name: the name of the step in the trace
    """

@_op
def sgd(W: Tensor | AnyArray, dW: Tensor | AnyArray, /, *, rate: float, name: str | None = None) -> Tensor:
    """Moves every weight a small step against its gradient, so that the loss decreases. The learning rate sets the
    step size.

    rate: the learning rate
    name: the name of the step in the trace
    """

@_op
def sigmoid(x: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Turns every score into a number between 0 and 1: almost 0 far below 0, 1/2 at 0, almost 1 far above.

    name: the name of the step in the trace
    """

@_op
def sin(x: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Takes the sine of each entry, an angle in radians: a wave between -1 and 1 that starts at 0 and rises.

    A full turn is 2π = 6.283...; set your calculator to RAD, not DEG.

    name: the name of the step in the trace
    """

@_op
def softmax(x: Tensor | AnyArray, /, *, axis: int | str = -1, name: str | None = None) -> Tensor:
    """Turns a row of scores into a probability distribution: every entry is positive and the row sums to 1.

    axis: the axis, by name or position
    name: the name of the step in the trace
    """

@_op
def split(
    x: Tensor | AnyArray, /, *, sizes: list[int] | tuple[int, ...], part: int, axis: int | str, name: str | None = None
) -> Tensor:
    """Splits an axis into consecutive parts of the given sizes, and returns one of them.

    sizes: the size of each part
    part: the index of the part, counted from 0; -1 is the last one
    axis: the axis, by name or position
    name: the name of the step in the trace
    """

@_op
def split_heads(x: Tensor | AnyArray, /, *, heads: int, name: str | None = None) -> Tensor:
    """Gives each head a block of d adjacent columns of every token: d is the width divided by the number of heads.

    The axes [token, model] become [head, token, head_size]; the first one may have any name.

    heads: the number of heads
    name: the name of the step in the trace
    """

@_op
def spread(
    x: Tensor | AnyArray,
    /,
    *,
    drop: list[int] | tuple[int, ...],
    keep: list[int] | tuple[int, ...],
    axes: list[str] | tuple[str, ...],
    shape: list[int] | tuple[int, ...],
    name: str | None = None,
) -> Tensor:
    """Repeats each entry along the axes that a sum removed (`drop`) or reduced to one entry (`keep`).

    drop: the axes that were removed
    keep: the axes that have one entry
    axes: the names of the axes of the result
    shape: the sizes of the result
    name: the name of the step in the trace
    """

@_op
def sqrt(x: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Takes the square root of each entry: the number that gives the entry when multiplied by itself.

    name: the name of the step in the trace
    """

@_op
def sub(a: Tensor | AnyArray, b: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Subtracts the second tensor from the first, entry by entry.

    name: the name of the step in the trace
    """

@_op
def sum(
    x: Tensor | AnyArray, /, *, axis: int | str | None = None, keep: bool = False, name: str | None = None
) -> Tensor:
    """Sums the entries along an axis, or all of them; `keep` keeps that axis with one entry.

    axis: the axis, by name or position
    keep: whether to keep the axis, with one entry
    name: the name of the step in the trace
    """

@_op
def sum_to(
    x: Tensor | AnyArray,
    /,
    *,
    drop: list[int] | tuple[int, ...],
    keep: list[int] | tuple[int, ...],
    name: str | None = None,
) -> Tensor:
    """Sums the gradient over all copies of an input that was broadcast: over the axes that the input did not have
    (`drop`), and over those where it had one entry (`keep`).

    drop: the axes that the input did not have
    keep: the axes where it had one entry
    name: the name of the step in the trace
    """

@_op
def take_row(x: Tensor | AnyArray, /, *, index: int, axis: int | str = -2, name: str | None = None) -> Tensor:
    """Selects one row of a matrix, such as that of the last token; `axis` names the axis that is removed.

    index: the index of the row, counted from 0; -1 is the last one
    axis: the axis, by name or position
    name: the name of the step in the trace
    """

@_op
def tanh(x: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Squeezes each entry into the range from -1 to 1: it hardly changes entries near 0, and saturates far from 0.

    name: the name of the step in the trace
    """

@_op
def top_k(x: Tensor | AnyArray, /, *, k: int, word: str = "rank", name: str | None = None) -> Tensor:
    """Finds the indices of the k largest entries of each row, counted from 0, in descending order.

    In a tie, the first entry comes first. `word` names the axis of the k indices.

    k: the number of indices
    word: the name of the new axis
    name: the name of the step in the trace
    """

@_op
def transpose(x: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Swaps the last two axes: rows become columns and columns become rows.

    name: the name of the step in the trace
    """

@_op
def weight_decay(W: Tensor | AnyArray, /, *, rate: float, decay: float, name: str | None = None) -> Tensor:
    """Shrinks every weight slightly towards 0, in proportion to its size and whatever its gradient.

    rate: the learning rate
    decay: the weight decay
    name: the name of the step in the trace
    """
