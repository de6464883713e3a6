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
    """Moves every weight by about the learning rate: its average gradient, divided by the usual size of its gradients.

    `m` and `v` are the running averages of the gradient and of its square; both begin at 0, which the bias
    correction compensates. `t` counts the updates from 1. Gives the new weight and the new m and v.

    t: the number of the update, counted from 1
    rate: the learning rate
    beta1: how much of the average gradient is kept
    beta2: how much of the average squared gradient is kept
    epsilon: a small number that keeps the divisor above 0
    name: the name of the step in the trace
    """

@_op
def adam_direction(
    m: Tensor | AnyArray, v: Tensor | AnyArray, /, *, epsilon: float = 1e-08, name: str | None = None
) -> Tensor:
    """Divides the average gradient by the root of the average squared gradient: near 1 in size where the gradients
    agree, near 0 where they contradict each other. `epsilon` keeps a weight without gradients from dividing by 0.

    epsilon: a small number that keeps the divisor above 0
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
    """Pulls every weight a little towards 0, and then moves it as Adam does. The pull stays out of the averages,
    so that it is the same for weights with large and with small gradients.

    `m` and `v` begin at 0, `t` counts the updates from 1. Gives the new weight and the new m and v.

    t: the number of the update, counted from 1
    rate: the learning rate
    decay: the weight decay
    beta1: how much of the average gradient is kept
    beta2: how much of the average squared gradient is kept
    epsilon: a small number that keeps the divisor above 0
    name: the name of the step in the trace
    """

@_op
def add(a: Tensor | AnyArray, b: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Adds two tensors entry by entry; a bias row is added to every row.

    name: the name of the step in the trace
    """

@_op
def add_rows(
    x: Tensor | AnyArray, ids: Tensor | AnyArray, /, *, rows: int, word: str = "vocab", name: str | None = None
) -> Tensor:
    """Adds each row into a table of zeros, at the row that its id names: the gradient of a lookup.

    rows: how many rows the table has
    word: the word of the new axis
    name: the name of the step in the trace
    """

@_op
def argmax(x: Tensor | AnyArray, /, *, axis: int | str = -1, name: str | None = None) -> Tensor:
    """Finds the position of the largest entry of each row, counted from 0; of equal ones the first counts.

    axis: the axis, by its word or its position
    name: the name of the step in the trace
    """

@_op
def at_most(x: Tensor | AnyArray, /, *, limit: float, name: str | None = None) -> Tensor:
    """Keeps every entry up to a limit and replaces those above it by the limit.

    limit: the largest number that stays
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
    """Scores each query against every key, turns the scores into attention weights, and averages the values by them.

    The rows of Q are queries, those of K and V are keys: a `token` axis is read as `query` or as
    `key`, and the result has a `token` axis again.

    d: the number whose root divides the scores; unless given, the size of a head
    name: the name of the step in the trace
    """

@_op
def bias_correction(x: Tensor | AnyArray, /, *, beta: float, t: int, name: str | None = None) -> Tensor:
    """Divides a running average that began at 0 by the part of it that real values make up after `t` steps.

    After t steps the zeros of the beginning still count with beta^t. Divided by 1 - beta^t, the
    average is as large as if they had never been there. The first step is t = 1.

    beta: how much of the average was kept at each step
    t: the number of the update, counted from 1
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
    """Measures probabilities of yes against labels: -ln p where the label is 1, -ln(1 - p) where it is 0.

    reduction: whether the losses of all rows are averaged or added up
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
    """Measures scores of yes against labels: the binary cross-entropy of their sigmoid, safe for any score.

    reduction: whether the losses of all rows are averaged or added up
    name: the name of the step in the trace
    """

@_op
def causal_mask(x: Tensor | AnyArray, /, *, past: int = 0, name: str | None = None) -> Tensor:
    """Hides from each query the keys of later tokens: a model that predicts the next token must not see it.

    Query i attends to keys 0 to i + past. `past` is the number of earlier tokens whose keys are there, but not
    their queries: 0 for a whole text, and keys minus queries with a KV cache.

    past: how many earlier tokens have keys here but no queries
    name: the name of the step in the trace
    """

@_op
def clip_by_norm(
    x: Tensor | AnyArray, norm: Tensor | AnyArray, /, *, limit: float, epsilon: float = 0.0, name: str | None = None
) -> Tensor:
    """Shrinks x by the same factor everywhere if the norm is above the limit; below it x stays as it is.

    The norm is usually that of all gradients together, of which x is one: all are scaled alike, so the step gets
    shorter and keeps its direction. A norm of 0 is refused, since it would be divided by 0; a small epsilon
    prevents that (PyTorch's clip_grad_norm_ takes 1e-6).

    limit: the largest norm that stays
    epsilon: a small number that keeps the divisor above 0
    name: the name of the step in the trace
    """

@_op
def collect(*parts: Tensor | AnyArray, name: str | None = None) -> Tensor:
    """Adds up what flows back from every place where a value was used: gradients add, they are never replaced.

    name: the name of the step in the trace
    """

@_op
def concat(*parts: Tensor | AnyArray, axis: int | str, name: str | None = None) -> Tensor:
    """Puts arrays side by side along an axis, in the order in which they are given; no entry changes.

    The parts may differ in their size along that axis and in nothing else.

    axis: the axis, by its word or its position
    name: the name of the step in the trace
    """

@_op
def cos(x: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Takes the cosine of each entry, an angle in radians: a wave between -1 and 1 that starts at its top.

    It is the sine of an angle that is a quarter turn ahead.

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
    """Takes minus the logarithm of the probability that softmax gives to the right answer of each row. 0 is perfect.

    It starts from the scores (logits), so that it never takes the logarithm of a rounded 0.

    reduction: whether the losses of all rows are averaged or added up
    name: the name of the step in the trace
    """

@_op
def cumulative_sum(
    x: Tensor | AnyArray, /, *, axis: int | str = -1, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Adds up each row step by step: every entry becomes the total of all entries up to and including itself.

    With `reverse` the totals are built up from the end of the row, so that every entry counts those after it.

    reverse: whether the totals start at the end of the row
    axis: the axis, by its word or its position
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

    A dot product of d terms is about √d times as large as one of its terms. Divided by √d, the
    scores of attention stay as large for long rows as for short ones.

    d: the number whose root is taken
    name: the name of the step in the trace
    """

@_op
def dot(a: Tensor | AnyArray, b: Tensor | AnyArray, /, *, axis: int | str = -1, name: str | None = None) -> Tensor:
    """Multiplies two rows entry by entry and adds up: one number per row, kept as a column.

    axis: the axis, by its word or its position
    name: the name of the step in the trace
    """

@_op
def draw_by_share(shares: Tensor | AnyArray, drawn: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Samples one place of each row by its drawn number: the first place where the running total is above it.

    Side by side, the probabilities fill the interval from 0 to 1, and the drawn number points at one of them. A place
    of probability 0 has no room there, so it is never chosen. `drawn` is one number for each row, from 0 up to, but not
    including, 1 (see `Draws.uniform`). Rounding may leave the last total below the drawn number, or round that one to
    1: then the last place that added anything to the total is chosen.

    name: the name of the step in the trace
    """

@_op
def dropout(x: Tensor | AnyArray, kept: Tensor | AnyArray, /, *, rate: float, name: str | None = None) -> Tensor:
    """Sets the entries that are not kept to 0, and scales up the others.

    `kept` is drawn again for each training step: 0 with the probability `rate`, else 1 (see `Draws.kept`).
    Divided by 1 - rate, an entry has the same size on average as without dropout. So inference
    changes nothing: it only leaves dropout out.

    rate: the probability with which an entry is left out
    name: the name of the step in the trace
    """

@_op
def erf(x: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Takes the error function: the part of a bell curve that lies between -x and x, with the sign of x.

    It runs from -1 to 1, as tanh does. Pocket calculators have no key for it; books have tables,
    and spreadsheets have the function ERF.

    name: the name of the step in the trace
    """

@_op
def exp(x: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Raises e = 2.718... to the power of each entry: always positive, and steeper the larger the entry.

    name: the name of the step in the trace
    """

@_op
def first_above(x: Tensor | AnyArray, bound: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Finds the first entry of each row that is above the bound of that row, and gives its position, counted from 0.

    If no entry is above the bound, the position of the largest one is given; of equal ones the first counts.

    name: the name of the step in the trace
    """

@_op
def gelu(x: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Multiplies each entry by Φ(x), the part of the bell curve that lies below it: a ReLU without the corner.

    This is the exact form, used by BERT and, by default, by PyTorch's GELU. GPT-2 uses `gelu_tanh`, which
    replaces erf by a tanh and differs from this one by less than 0.0005.

    name: the name of the step in the trace
    """

@_op
def gelu_tanh(x: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Multiplies each entry by a number between 0 and 1 that tanh makes: almost the exact `gelu`.

    GPT-2 uses this form; it was made for machines on which erf is slow. BERT uses the exact one, and so does PyTorch's
    GELU by default. The two differ by less than 0.0005.

    name: the name of the step in the trace
    """

@_op
def is_max(x: Tensor | AnyArray, /, *, axis: int | str = -1, name: str | None = None) -> Tensor:
    """Marks the largest entry of each row with 1 and the others with 0; if several are largest, they divide the 1.

    axis: the axis, by its word or its position
    name: the name of the step in the trace
    """

@_op
def keep_top_k(x: Tensor | AnyArray, /, *, k: int, name: str | None = None) -> Tensor:
    """Marks the k largest entries of each row with 1 and the others with 0.

    Of equal entries the first is kept first, so that exactly k are kept. The marks say what
    `mask` allows: then the next token is drawn from the k most likely ones.

    k: how many entries of a row are kept
    name: the name of the step in the trace
    """

@_op
def keep_top_p(shares: Tensor | AnyArray, /, *, p: float, name: str | None = None) -> Tensor:
    """Marks the largest probabilities of each row, up to the first that brings their sum to p, with 1; others with 0.

    This is called nucleus or top-p sampling. The probability that reaches p is kept too, so at least one always is; of
    equal ones the first is kept first. Other programs do the same: TopPLogitsWarper of Hugging Face transformers keeps
    the token that crosses p as well. Write p as 0.9 for nine tenths.

    p: what the kept entries of a row add up to at least
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
    """Subtracts its mean from each row, divides by the standard deviation, and scales and shifts by gamma and beta.

    correction: 0 divides the sum of squares by n, 1 by n - 1
    epsilon: a small number that keeps the divisor above 0
    place: whether epsilon is added inside or outside the root
    name: the name of the step in the trace
    """

@_op
def linear(x: Tensor | AnyArray, W: Tensor | AnyArray, b: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Multiplies every row by a weight and adds a bias: each column of the result is a dot product plus a number.

    A single row may be given too. Leading axes (batch) only mean more rows: all have the same weight and bias.

    name: the name of the step in the trace
    """

@_op
def log(x: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Takes the natural logarithm of each entry: the power to which e must be raised to give that entry.

    name: the name of the step in the trace
    """

@_op
def log_softmax(x: Tensor | AnyArray, /, *, axis: int | str = -1, name: str | None = None) -> Tensor:
    """Turns a row of scores into log-probabilities: the nearer to 0, the larger the probability.

    It never takes the logarithm of a probability that was rounded to 0. A masked score stays -∞.

    axis: the axis, by its word or its position
    name: the name of the step in the trace
    """

@_op
def log_sum_exp(
    x: Tensor | AnyArray, /, *, axis: int | str = -1, keep: bool = False, name: str | None = None
) -> Tensor:
    """Adds up the powers of e of a row and takes the logarithm: a little more than the largest score of the row.

    It is what softmax divides by, as a logarithm; `keep` leaves the axis behind with one entry. A masked
    score, -∞, adds nothing to the sum.

    axis: the axis, by its word or its position
    keep: whether the axis stays, with one entry
    name: the name of the step in the trace
    """

@_op
def lookup(E: Tensor | AnyArray, ids: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Takes rows out of a table: the row of each token id. This is what an embedding does.

    name: the name of the step in the trace
    """

@_op
def mask(x: Tensor | AnyArray, allow: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Keeps the scores that are allowed (1) and turns all others (0) into -∞, to which softmax gives the weight 0.

    Each row, along the last axis, must have at least one score that is allowed.

    name: the name of the step in the trace
    """

@_op
def matmul(a: Tensor | AnyArray, b: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Multiplies two matrices: each entry is the dot product of a row of the first with a column of the second.

    The first input may also be a single row. Leading axes (batch, head) are carried along.

    name: the name of the step in the trace
    """

@_op
def mean(
    x: Tensor | AnyArray, /, *, axis: int | str | None = None, keep: bool = False, name: str | None = None
) -> Tensor:
    """Takes the average along an axis, or of all entries; `keep` leaves that axis behind with one entry.

    axis: the axis, by its word or its position
    keep: whether the axis stays, with one entry
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
    """Squares the difference between each number and its target, and takes the mean. 0 is perfect.

    A difference twice as large counts four times as much, and its sign does not matter.

    reduction: whether the losses of all rows are averaged or added up
    name: the name of the step in the trace
    """

@_op
def merge_heads(x: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Puts the rows that the heads have for a token side by side: d columns from each head, head 0 first.

    The axes [head, token, head_size] become [token, model], whatever the second of them is called.

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
    """Adds each gradient to a velocity that fades, and moves the weight against the velocity.

    `beta` says how much of the velocity is kept. The velocity begins at 0. Gives the new weight and the new velocity.

    beta: how much of the velocity is kept
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
    """Reverses the sign of every entry.

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
    """Takes minus the logarithm of the probability that each row gives to its right answer. 0 is perfect.

    The rows are probabilities already. From the scores before softmax, `cross_entropy` gives the
    same loss and never takes the logarithm of a rounded 0.

    reduction: whether the losses of all rows are averaged or added up
    name: the name of the step in the trace
    """

@_op
def norm(*parts: Tensor | AnyArray, name: str | None = None) -> Tensor:
    """Squares every entry of every part, adds up, and takes the square root: the length of all parts together.

    Of the gradients of all weights it is the "global norm", which says how steep the loss is here. It is 0
    only if every entry is 0; there it has no slope, so nothing can flow back.

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
    """Writes each label as a row that is 0 everywhere but for a 1 at the position of the label.

    size: how many labels there are
    word: the word of the new axis
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

    Texts of a batch are padded to the same length. `keep` is 1 for a token and 0 for padding: one mark per
    key, for each text of the batch. Queries that are padding stay: their output is not used.

    name: the name of the step in the trace
    """

@_op
def pass_(x: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Hands a value on unchanged, so that it has a name of its own where it arrives.

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
    """Puts the axes into another order; each entry keeps its position on every axis.

    order: all axes, by word or position, in their new order
    name: the name of the step in the trace
    """

@_op
def pick(x: Tensor | AnyArray, target: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Picks one entry of each row: the one at the position of the row's label, such as that of the right answer.

    name: the name of the step in the trace
    """

@_op
def place_row(
    x: Tensor | AnyArray, /, *, index: int, axis: int, size: int, word: str = "", name: str | None = None
) -> Tensor:
    """Puts a row into a matrix of zeros, at one position: the gradient of taking that row.

    index: the position of the row
    size: how many rows there are
    axis: the axis, by its word or its position
    word: the word of the new axis
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
    """Encodes each position as a row of sines and cosines, whose wavelengths grow along the row.

    Interleaved, the columns alternate: sine, cosine, sine, cosine; an odd size ends with a sine. Concatenated,
    all sines come first, then all cosines, so that the size must be even. Both hold the same numbers.

    size: how many columns there are
    base: sets the longest wave
    layout: whether sines and cosines take turns
    dtype: the type of the numbers
    name: the name of the step in the trace
    """

@_op
def positive(x: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Marks the entries above 0 with 1 and all others, 0 among them, with 0.

    name: the name of the step in the trace
    """

@_op
def power(x: Tensor | AnyArray, /, *, exponent: float, name: str | None = None) -> Tensor:
    """Raises each entry to the power of the same number: 2 squares it, 3 cubes it, 0.5 is the root, -1 is 1 / x.

    exponent: the number
    name: the name of the step in the trace
    """

@_op
def relu(x: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Keeps every entry above 0 and sets the others to 0.

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
    """Lays the entries out in another shape. They are read row by row and written row by row; none changes.

    shape: the new sizes
    axes: the words of the new axes; unless given, they have none
    name: the name of the step in the trace
    """

@_op
def rms_norm(
    x: Tensor | AnyArray, gamma: Tensor | AnyArray, /, *, epsilon: float = 1e-06, name: str | None = None
) -> Tensor:
    """Divides each row by the root of the mean of its squares (its RMS), and scales it by gamma.

    Unlike layer_norm it subtracts no mean and adds nothing at the end.

    epsilon: a small number that keeps the divisor above 0
    name: the name of the step in the trace
    """

@_op
def row_max(x: Tensor | AnyArray, /, *, axis: int | str = -1, name: str | None = None) -> Tensor:
    """Finds the largest entry of each row, and keeps it as a column of one entry per row.

    axis: the axis, by its word or its position
    name: the name of the step in the trace
    """

@_op
def running_mean(mean: Tensor | AnyArray, x: Tensor | AnyArray, /, *, beta: float, name: str | None = None) -> Tensor:
    """Keeps a part `beta` of the average so far and fills the rest up with the new value: old values fade away.

    beta: how much of the average is kept
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
    """Moves every weight a small step against its gradient, so that the loss falls. The learning rate says how far.

    rate: the learning rate
    name: the name of the step in the trace
    """

@_op
def sigmoid(x: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Turns every score into a probability: far below 0 it is almost 0, at 0 it is one half, far above almost 1.

    name: the name of the step in the trace
    """

@_op
def sin(x: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Takes the sine of each entry, an angle in radians: a wave between -1 and 1 that starts at 0 and rises.

    One whole turn is 2π = 6.283...; on a calculator choose RAD, not DEG.

    name: the name of the step in the trace
    """

@_op
def softmax(x: Tensor | AnyArray, /, *, axis: int | str = -1, name: str | None = None) -> Tensor:
    """Turns a row of scores into a probability distribution: every entry is positive and the row sums to 1.

    axis: the axis, by its word or its position
    name: the name of the step in the trace
    """

@_op
def split(
    x: Tensor | AnyArray, /, *, sizes: list[int] | tuple[int, ...], part: int, axis: int | str, name: str | None = None
) -> Tensor:
    """Cuts an axis into pieces of the given sizes, one after another, and returns the piece with the number `part`.

    sizes: how many entries each piece has
    part: the number of the piece, counted from 0; -1 is the last one
    axis: the axis, by its word or its position
    name: the name of the step in the trace
    """

@_op
def split_heads(x: Tensor | AnyArray, /, *, heads: int, name: str | None = None) -> Tensor:
    """Gives each head a block of d neighboring columns of every token: d is the width divided by the heads.

    The axes [token, model] become [head, token, head_size], whatever the first of them is called.

    heads: how many heads there are
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
    """Repeats each entry along the axes that a sum took away (`drop`) or left with one entry (`keep`).

    drop: the axes that are gone
    keep: the axes that have one entry
    axes: the words of the result
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
    """Adds up the entries along an axis, or all of them; `keep` leaves that axis behind with one entry.

    axis: the axis, by its word or its position
    keep: whether the axis stays, with one entry
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
    """Adds up the gradient over every repetition of an input that was broadcast: over the axes that the
    input did not have (`drop`), and over those where it had one entry (`keep`).

    drop: the axes that the input did not have
    keep: the axes where it had one entry
    name: the name of the step in the trace
    """

@_op
def take_row(x: Tensor | AnyArray, /, *, index: int, axis: int | str = -2, name: str | None = None) -> Tensor:
    """Takes one row out of a matrix, such as that of the last token; `axis` names the axis that is left out.

    index: the position, counted from 0; -1 is the last one
    axis: the axis, by its word or its position
    name: the name of the step in the trace
    """

@_op
def tanh(x: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Squeezes each entry between -1 and 1: near 0 it hardly changes it, far out it comes close to -1 or 1.

    name: the name of the step in the trace
    """

@_op
def top_k(x: Tensor | AnyArray, /, *, k: int, word: str = "rank", name: str | None = None) -> Tensor:
    """Finds the positions of the k largest entries of each row, counted from 0, the largest first.

    Of equal entries the first comes first. `word` names the axis of the k positions.

    k: how many positions are found
    word: the word of the new axis
    name: the name of the step in the trace
    """

@_op
def transpose(x: Tensor | AnyArray, /, *, name: str | None = None) -> Tensor:
    """Exchanges the last two axes: rows become columns and columns become rows.

    name: the name of the step in the trace
    """

@_op
def weight_decay(W: Tensor | AnyArray, /, *, rate: float, decay: float, name: str | None = None) -> Tensor:
    """Pulls every weight a little towards 0, the more the larger it is, whatever its gradient says.

    rate: the learning rate
    decay: the weight decay
    name: the name of the step in the trace
    """
