"""Calls that must be refused, each with the error, what it says, and what it says was given."""

from __future__ import annotations

from collections.abc import Callable

import numpy

import workings as w
from workings import ops
from workings.engine.errors import AxisError, CallError, NumberError, ShapeError, WorkingsError
from workings.engine.tensor import Tensor

NAN, INF = float("nan"), float("inf")


def X():
    return w.given([[1.0, 2.0], [3.0, 4.0]], "token model", name="X")


def W():
    return w.parameter([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], "model hidden", name="W")


def logits():
    return w.given([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], "token vocab", name="logits")


def gamma():
    return w.parameter([0.5, 2.0], "model", name="gamma")


def tokens(count):
    return w.given(numpy.ones((count, 2)), "token model", name=f"{count} tokens")


# What is computed, the error, what happened, what was given.
CALLS: dict[str, tuple[Callable[[], Tensor], type[WorkingsError], str, str]] = {
    "too few columns": (
        lambda: ops.matmul(W(), W().rename(model="hidden", hidden="vocab"), name="y"),
        ShapeError,
        "3 is not 2",
        "a: model 2 × hidden 3, b: hidden 2 × vocab 3",
    ),
    "words of a product": (
        lambda: ops.matmul(X(), W().rename(model="vocab"), name="y"),
        AxisError,
        "'model'.*'vocab'",
        "a: token 2 × model 2, b: vocab 2 × hidden 3",
    ),
    "a number times a matrix": (
        lambda: ops.matmul(w.given(2.0), X(), name="y"),
        ShapeError,
        "this one has 0 axes",
        "a: one number, b: token 2 × model 2",
    ),
    "a bias as long as the rows that come in": (
        lambda: ops.linear(X(), W(), gamma(), name="y"),
        ShapeError,
        r"A row of W and b need the same shape, but have \(3,\) and \(2,\)",
        "x: token 2 × model 2, W: model 2 × hidden 3, b: model 2",
    ),
    "a bias that is too long": (
        lambda: ops.linear(X(), X().rename(token="model", model="hidden"), w.given([1.0, 2.0, 3.0]), name="y"),
        ShapeError,
        r"A row of W and b need the same shape, but have \(2,\) and \(3,\)",
        "b: 3",
    ),
    "a layer with a row as its weight": (
        lambda: ops.linear(X(), gamma(), w.given(1.0), name="y"),
        ShapeError,
        "linear.*exactly two axes for W.*this one has 1 axis",
        "W: model 2, b: one number",
    ),
    "a bias for each row": (
        lambda: ops.linear(X(), W(), W().rename(model="token"), name="y"),
        ShapeError,
        r"but have \(3,\) and \(2, 3\)",
        "b: token 2 × hidden 3",
    ),
    "words of a bias": (
        lambda: ops.linear(X(), W(), w.given([1.0, 2.0, 3.0], "vocab"), name="y"),
        AxisError,
        "'hidden' meets 'vocab'",
        "b: vocab 3",
    ),
    "words of a layer": (
        lambda: ops.linear(X(), W().rename(model="vocab"), w.given([1.0, 2.0, 3.0]), name="y"),
        AxisError,
        "'model'.*'vocab'",
        "x: token 2 × model 2, W: vocab 2 × hidden 3",
    ),
    "a layer with a weight for each head": (
        lambda: ops.linear(X(), w.given([[[1.0], [2.0]]], "head model hidden"), w.given([1.0]), name="y"),
        ShapeError,
        "linear.*exactly two axes for W.*this one has 3 axes",
        "W: head 1 × model 2 × hidden 1",
    ),
    "words that clash": (
        lambda: ops.add(X(), X().rename(model="hidden"), name="y"),
        AxisError,
        "'model' meets 'hidden'",
        "b: token 2 × hidden 2",
    ),
    "a word twice": (
        lambda: ops.matmul(X(), ops.transpose(X()), name="y"),
        AxisError,
        "'token' would name two axes",
        "b: model 2 × token 2",
    ),
    "sizes that clash": (
        lambda: ops.mul(X(), w.given([1.0, 2.0, 3.0], "model"), name="y"),
        ShapeError,
        "'model' has 2 in one input and 3",
        "b: model 3",
    ),
    "one token and three": (
        lambda: ops.add(tokens(1), tokens(3), name="y"),
        ShapeError,
        "'token' has 1 in one input and 3",
        "a: token 1 × model 2, b: token 3 × model 2",
    ),
    "three tokens and one": (lambda: ops.sub(tokens(3), tokens(1), name="y"), ShapeError, "'token' has 1", "token 3"),
    "one row for a product": (
        lambda: ops.matmul(
            w.given(numpy.ones((1, 2, 2)), "batch token model"),
            w.given(numpy.ones((3, 2, 2)), "batch model hidden"),
            name="y",
        ),
        ShapeError,
        "'batch' has 1",
        "batch 1 × token 2 × model 2",
    ),
    "a weight and its gradient": (
        lambda: ops.sgd(W(), w.given([1.0, 2.0, 3.0], "hidden"), rate=0.1, name="y"),
        ShapeError,
        r"but have \(2, 3\) and \(3,\)",
        "W: model 2 × hidden 3, dW: hidden 3",
    ),
    "answers for all tokens at once": (
        lambda: ops.binary_cross_entropy(ops.sigmoid(X()), w.given([1.0, 0.0], "model"), name="y"),
        ShapeError,
        "Both inputs need the same shape",
        "p: token 2 × model 2, y: model 2",
    ),
    "a row and a vocabulary": (
        lambda: ops.cross_entropy(logits(), w.ids([0, 1, 2]), name="y"),
        ShapeError,
        "one label for each row",
        "logits: token 2 × vocab 3, target: token 3",
    ),
    "words of labels": (
        lambda: ops.cross_entropy(logits(), w.ids([0, 1], "batch"), name="y"),
        AxisError,
        "'token' meets 'batch'",
        "target: batch 2",
    ),
    "log of 0": (
        lambda: ops.log(w.given([[1.0, 0.0]], "token model"), name="y"),
        NumberError,
        r"logarithm of 0 \(entry \[0\]\[1\]\)",
        "x: token 1 × model 2",
    ),
    "log of -1": (lambda: ops.log(w.given([-1.0], "token"), name="y"), NumberError, "logarithm of -1", "x: token 1"),
    "root of -1": (
        lambda: ops.sqrt(w.given([4.0, -1.0], "token"), name="y"),
        NumberError,
        r"root of -1 \(entry \[1\]\)",
        "x: token 2",
    ),
    "division by 0": (
        lambda: ops.div(X(), w.given([[1.0, 2.0], [0.0, 1.0]], "token model"), name="y"),
        NumberError,
        r"\[1\]\[0\] would be divided by 0",
        "b: token 2 × model 2",
    ),
    "division by the number 0": (
        lambda: ops.divide_by(X(), divisor=0, name="y"),
        NumberError,
        "divided by 0",
        "x: token 2",
    ),
    "exp of 1000": (
        lambda: ops.exp(w.given([1000.0], "token"), name="y"),
        NumberError,
        "e to the power 1000",
        "x: token 1",
    ),
    "product too large": (
        lambda: ops.mul(w.given([1e200], "token"), w.given([1e200], "token"), name="y"),
        NumberError,
        "inf: too large",
        "a: token 1, b: token 1",
    ),
    "matrix product too large": (
        lambda: ops.matmul(w.given([[1e200]], "token model"), w.given([[1e200]], "model hidden"), name="y"),
        NumberError,
        r"Entry \[0\]\[0\]",
        "b: model 1 × hidden 1",
    ),
    "sum too large": (
        lambda: ops.sum(w.given([1e308, 1e308], "token"), name="y"),
        NumberError,
        "too large",
        "x: token 2",
    ),
    "a row masked everywhere": (
        lambda: ops.softmax(w.constant([[0.0, 1.0], [-INF, -INF]], "query key"), name="y"),
        NumberError,
        r"Row \[1\] is masked everywhere",
        "x: query 2 × key 2",
    ),
    "a probability of 1": (
        lambda: ops.binary_cross_entropy(w.given([1.0], "token"), w.given([1.0], "token"), name="y"),
        NumberError,
        "not strictly between",
        "p: token 1",
    ),
    "a label too large": (
        lambda: ops.cross_entropy(logits(), w.ids([0, 3]), name="y"),
        NumberError,
        "label 3 is outside the vocabulary of 3",
        "logits: token 2 × vocab 3",
    ),
    "a label below 0": (
        lambda: ops.cross_entropy(logits(), w.ids([0, -1]), name="y"),
        NumberError,
        "label -1",
        "target",
    ),
    "a token too large": (
        lambda: ops.lookup(W(), w.ids([0, 2]), name="y"),
        NumberError,
        "label 2 is outside the vocabulary of 2",
        "E: model 2 × hidden 3, ids: token 2",
    ),
    "labels with a fraction": (
        lambda: ops.cross_entropy(logits(), w.given([0.0, 1.0], "token"), name="y"),
        NumberError,
        "must be whole numbers, not float64",
        "target: token 2",
    ),
    "a row outside": (
        lambda: ops.take_row(X(), index=2, name="y"),
        NumberError,
        "position 2 is outside the 2",
        "x: token 2",
    ),
    "a flat row": (
        lambda: ops.layer_norm(tokens(2), gamma(), gamma(), epsilon=0.0, name="y"),
        NumberError,
        r"Row \[0\] has the size 0",
        "x: token 2 × model 2, gamma: model 2, beta: model 2",
    ),
    "a row of zeros": (
        lambda: ops.rms_norm(0.0 * tokens(2), gamma(), epsilon=0.0, name="y"),
        NumberError,
        r"Row \[0\] has the size 0",
        "x: token 2 × model 2, gamma: model 2",
    ),
    "a gamma for each token": (
        lambda: ops.layer_norm(X(), X(), gamma(), name="y"),
        ShapeError,
        r"each of the 2 entries of a row, but a vector of shape \(2, 2\)",
        "gamma: token 2 × model 2",
    ),
    "n - 1 of a single entry": (
        lambda: ops.layer_norm(w.given([[2.0]]), w.given([1.0]), w.given([0.0]), correction=1, name="y"),
        CallError,
        "correction of layer_norm cannot be 1",
        "x: 1 × 1",
    ),
    "an epsilon below 0": (
        lambda: ops.rms_norm(X(), gamma(), epsilon=-1.0, name="y"),
        CallError,
        "epsilon of rms_norm cannot be -1.0",
        "x: token 2 × model 2",
    ),
    "parts of several heights": (
        lambda: ops.concat(tokens(2), tokens(3), axis="model", name="y"),
        ShapeError,
        "'token' has 2 in part 1 and 3 in part 2",
        "parts1: token 2 × model 2, parts2: token 3 × model 2",
    ),
    "parts of several ranks": (
        lambda: ops.concat(X(), w.given([1.0, 2.0], "model"), axis="model", name="y"),
        ShapeError,
        "part 1 has 2 axes and part 2 has 1",
        "parts2: model 2",
    ),
    "parts of several meanings": (
        lambda: ops.concat(X(), X().rename(token="key"), axis="model", name="y"),
        AxisError,
        "'token' meets 'key'",
        "parts2: key 2 × model 2",
    ),
    "numbers side by side": (
        lambda: ops.concat(w.given(1.0), axis=0, name="y"),
        ShapeError,
        "this one has 0 axes",
        "one number",
    ),
    "pieces that are too small": (
        lambda: ops.split(W(), sizes=(1, 1), part=0, axis="hidden", name="y"),
        ShapeError,
        "Parts of 1, 1 entries make 2 together, but 'hidden' has 3",
        "x: model 2 × hidden 3",
    ),
    "an empty piece": (
        lambda: ops.split(W(), sizes=(3, 0), part=0, axis=-1, name="y"),
        ShapeError,
        "Parts of 3, 0",
        "hidden 3",
    ),
    "a piece too many": (
        lambda: ops.split(W(), sizes=(1, 2), part=2, axis=-1, name="y"),
        NumberError,
        "no part 2: sizes 1, 2 make 2 parts",
        "hidden 3",
    ),
    "an order with an axis twice": (
        lambda: ops.permute(X(), order=("token", "token"), name="y"),
        AxisError,
        "order token token does not name every axis of token 2 × model 2 once",
        "x: token 2 × model 2",
    ),
    "an order that is too short": (lambda: ops.permute(X(), order=(1,), name="y"), AxisError, "order 1", "token 2"),
    "heads of several widths": (
        lambda: ops.split_heads(w.given(numpy.ones((2, 12)), "token model"), heads=5, name="y"),
        ShapeError,
        "12 columns cannot be divided evenly among 5 heads",
        "x: token 2 × model 12",
    ),
    "no heads": (lambda: ops.split_heads(X(), heads=0, name="y"), ShapeError, "evenly among 0 heads", "token 2"),
    "heads of a single row": (
        lambda: ops.split_heads(w.given([1.0, 2.0], "model"), heads=2, name="y"),
        ShapeError,
        "two axes or more",
        "x: model 2",
    ),
    "heads behind the tokens": (
        lambda: ops.merge_heads(w.given(numpy.ones((3, 2, 4)), "token head head_size"), name="y"),
        AxisError,
        "heads must come before the tokens",
        "x: token 3 × head 2 × head_size 4",
    ),
    "heads that are not there": (lambda: ops.merge_heads(X(), name="y"), ShapeError, "three axes", "token 2"),
    "more ranks than entries": (
        lambda: ops.top_k(W(), k=4, name="y"),
        CallError,
        "k of top_k cannot be 4",
        "x: model 2 × hidden 3",
    ),
    "too few inputs": (
        lambda: ops.matmul(X(), name="y"),
        CallError,
        "takes 2 inputs .* 1 was given",
        "a: token 2 × model 2",
    ),
    "too many inputs": (
        lambda: ops.exp(X(), X(), name="y"),
        CallError,
        "takes 1 input .* 2 were given",
        "x: token 2 × model 2",
    ),
    "no inputs": (lambda: ops.collect(name="y"), CallError, "takes 1 input .* 0 were given", ""),
    "an unknown setting": (lambda: ops.softmax(X(), axes=1, name="y"), CallError, "no setting 'axes'", "x: token 2"),
    "a missing setting": (lambda: ops.scale(X(), name="y"), CallError, "needs the setting 'factor'", "x: token 2"),
    "an unknown reduction": (
        lambda: ops.cross_entropy(logits(), w.ids([0, 1]), reduction="none", name="y"),
        CallError,
        "reduction of cross_entropy cannot be none",
        "logits: token 2 × vocab 3",
    ),
    "an unknown axis": (
        lambda: ops.softmax(X(), axis="key", name="y"),
        AxisError,
        "no axis 'key'",
        "token 2 × model 2",
    ),
    "an axis outside": (lambda: ops.sum(X(), axis=2, name="y"), AxisError, "no axis '2'", "token 2 × model 2"),
    "an axis of two words": (
        lambda: ops.sum(X(), axis=["token", "model"], name="y"),
        CallError,
        "cannot be",
        "token 2",
    ),
    "a factor of two numbers": (lambda: ops.scale(X(), factor=[1.0, 2.0], name="y"), CallError, "factor", "token 2"),
    "a factor that is an array": (
        lambda: ops.scale(X(), factor=numpy.ones(2), name="y"),
        CallError,
        "factor",
        "token 2",
    ),
    "a factor that is no number": (lambda: ops.scale(X(), factor=NAN, name="y"), CallError, "cannot be nan", "token 2"),
    "a word for a number": (
        lambda: ops.divide_by_root(X(), d="two", name="y"),
        CallError,
        "cannot be 'two'",
        "token 2",
    ),
    "a root of -1": (lambda: ops.divide_by_root(X(), d=-1, name="y"), CallError, "cannot be -1", "x: token 2"),
    "a list": (lambda: ops.exp([1.0, 2.0], name="y"), CallError, "is a list, which is not an array", "x: list"),
    "nothing": (lambda: ops.exp(None, name="y"), CallError, "is a NoneType", "x: NoneType"),
    "a text": (lambda: ops.add(X(), "1", name="y"), CallError, "is a str", "a: token 2 × model 2, b: str"),
    "an array of words": (lambda: ops.exp(numpy.array(["a"]), name="y"), ShapeError, "not a number", "x: 1"),
    "a bare array with nan": (
        lambda: ops.exp(numpy.array([[1.0, NAN]]), name="y"),
        NumberError,
        r"nan at \[0\]\[1\]",
        "x: 1 × 2",
    ),
    "entries that do not fit a shape": (
        lambda: ops.reshape(X(), shape=(3, 2), name="y"),
        ShapeError,
        "4 entries",
        "x: token 2",
    ),
    "a fraction as a power of a negative number": (
        lambda: ops.power(w.given([[1.0, -2.0]], "token model"), exponent=0.5, name="y"),
        NumberError,
        r"-2 \(entry \[0\]\[1\]\) to the power 0.5 does not exist",
        "x: token 1 × model 2",
    ),
    "a negative power of 0": (
        lambda: ops.power(w.given([3.0, 0.0], "model"), exponent=-1, name="y"),
        NumberError,
        r"0 \(entry \[1\]\) to the power -1 does not exist",
        "x: model 2",
    ),
    "a cube without end": (
        lambda: ops.gelu_tanh(w.given([2.0, -1e103], "model"), name="y"),
        NumberError,
        r"The cube of -1e\+103 \(entry \[1\]\) is larger than any number of type float64",
        "x: model 2",
    ),
    "a position between two tokens": (
        lambda: ops.positional_encoding(w.given([0.5], "token"), size=4, name="y"),
        NumberError,
        "positions must be whole numbers, not float64",
        "positions: token 1",
    ),
    "more sines than cosines": (
        lambda: ops.positional_encoding(w.ids([0, 1]), size=3, layout="concatenated", name="y"),
        CallError,
        "The setting size of positional_encoding cannot be 3",
        "positions: token 2",
    ),
    "a dot product with a number that a sum left": (
        lambda: ops.dot(X(), ops.sum(X(), axis=-1, keep=True), name="y"),
        ShapeError,
        "The rows are not equally long",
        "a: token 2 × model 2, b: token 2 × model 1",
    ),
    "a dot product with a single number": (
        lambda: ops.dot(w.given([3.0], "model"), w.given(2.0), name="y"),
        ShapeError,
        "The rows are not equally long",
        "a: model 1, b: one number",
    ),
    "parts of other sizes": (
        lambda: ops.concat(X(), W().rename(model="token", hidden="model"), axis=-2, name="y"),
        ShapeError,
        "3",
        "token 2 × model 2",
    ),
    "parts of smaller sizes": (
        lambda: ops.concat(tokens(3), tokens(2), axis=-1, name="y"),
        ShapeError,
        "2",
        "token 3 × model 2",
    ),
    "parts with more axes": (
        lambda: ops.concat(w.given([1.0, 2.0], "model"), X(), axis=-1, name="y"),
        ShapeError,
        "axes",
        "token 2 × model 2",
    ),
    "the logarithm of shares of a masked row": (
        lambda: ops.log_softmax(w.constant([[0.0, 1.0], [-INF, -INF]], "query key"), name="y"),
        NumberError,
        r"Row \[1\] is masked everywhere",
        "x: query 2 × key 2",
    ),
    "the sum of a masked row": (
        lambda: ops.log_sum_exp(w.constant([[0.0, 1.0], [-INF, -INF]], "query key"), name="y"),
        NumberError,
        r"Row \[1\] is masked everywhere",
        "x: query 2 × key 2",
    ),
    "a label far too large": (
        lambda: ops.cross_entropy(logits(), w.ids([0, 9]), name="y"),
        NumberError,
        "label 9 is outside the vocabulary of 3",
        "logits: token 2 × vocab 3",
    ),
    "one label for two rows": (
        lambda: ops.cross_entropy(logits(), w.ids([0]), name="y"),
        ShapeError,
        r"\(2,\).*\(1,\)",
        "logits: token 2 × vocab 3, target: token 1",
    ),
    "one label picked from two rows": (
        lambda: ops.pick(logits(), w.ids([0]), name="y"),
        ShapeError,
        "one label for each row",
        "x: token 2 × vocab 3, target: token 1",
    ),
    "three labels picked from two rows": (
        lambda: ops.pick(logits(), w.ids([0, 1, 2]), name="y"),
        ShapeError,
        "one label for each row",
        "x: token 2 × vocab 3, target: token 3",
    ),
    "a label of a single number": (
        lambda: ops.pick(w.given(2.0), w.ids(0), name="y"),
        ShapeError,
        "this one has 0 axes",
        "x: one number, target: one number",
    ),
    "rows of a row": (
        lambda: ops.lookup(w.given([1.0, 2.0], "vocab"), w.ids([0]), name="y"),
        ShapeError,
        "this one has 1 axis",
        "E: vocab 2, ids: token 1",
    ),
    "rows of a stack of tables": (
        lambda: ops.lookup(w.given(numpy.ones((2, 2, 2)), "batch vocab model"), w.ids([0]), name="y"),
        ShapeError,
        "this one has 3 axes",
        "E: batch 2 × vocab 2 × model 2, ids: token 1",
    ),
    "a mask for one number": (
        lambda: ops.mask(w.given(2.0), w.given(1.0), name="y"),
        ShapeError,
        "this one has 0 axes",
        "x: one number, allow: one number",
    ),
    "the outer product of a matrix": (
        lambda: ops.outer(X(), w.given([1.0], "hidden"), name="y"),
        ShapeError,
        "this one has 2 axes",
        "a: token 2 × model 2, b: hidden 1",
    ),
    "the outer product with a number": (
        lambda: ops.outer(w.given([1.0], "hidden"), w.given(2.0), name="y"),
        ShapeError,
        "this one has 0 axes",
        "a: hidden 1, b: one number",
    ),
}
