"""Every op, called with odd settings and odd inputs: it works or raises a WorkingsError, and nothing else."""

import contextlib
import random
import re

import numpy
from loops import for_each

from workings.engine.arithmetic import arithmetic
from workings.engine.compiled_recording import CompiledRecording
from workings.engine.errors import WorkingsError
from workings.engine.form import form_of
from workings.engine.op import OPS, first_of
from workings.engine.tensor import Tensor

SETTINGS = [
    0, 1, -1, 2, 5, -7, 100, 10**30, 0.5, -0.5, 1e300, float("nan"), float("inf"), None, True, False, object(),
    "", "a", "token", "model", "float32", "mean", (), (0,), (-1,), (-5,), (1, 2), (2, 3), (0, 0), ("a",), ("a", "b"),
    [1], [[1]], {}, numpy.float32(0.5), numpy.int64(1), numpy.array(2.0), numpy.array([1, 2]),
]  # fmt: skip
PRECISIONS = ("float64", "float32", "calculator 3 decimals")
TRIES = 60


def tensors(example):
    arrays = [numpy.asarray(value.numbers) for value in example.inputs]
    words = [value.axes or ("",) * array.ndim for value, array in zip(example.inputs, arrays, strict=True)]
    return [Tensor(array, form_of(axes, array.shape)) for array, axes in zip(arrays, words, strict=True)]


def spoiled(inputs, choice):
    """The inputs with one of them lost, doubled, turned, or of another kind or size."""
    place = choice.randrange(len(inputs))
    array = inputs[place].array
    instead = [
        [], [inputs[place]] * 2, [Tensor(numpy.asarray(1.0))], [Tensor(array.T.copy())], [array], [array.tolist()],
        [Tensor(numpy.asarray(array * 1e200))], [Tensor(array.astype("int64"))], [Tensor(-array)], [None],
        [Tensor(array[..., None])], [Tensor(numpy.zeros_like(array))],
    ]  # fmt: skip
    return [*inputs[:place], *choice.choice(instead), *inputs[place + 1 :]]


@for_each("name", sorted(OPS))
def test_an_odd_call_works_or_raises_a_workings_error(name):
    op, choice = OPS[name], random.Random(name)
    for _ in range(TRIES):
        example = choice.choice(op.page.examples)
        inputs, settings = tensors(example), dict(example.settings)
        if choice.random() < 0.5:
            inputs = spoiled(inputs, choice)
        if op.page.settings and choice.random() < 0.7:
            settings[choice.choice(op.page.settings)] = choice.choice(SETTINGS)
        with contextlib.suppress(WorkingsError):
            op(*inputs, **settings)
        with contextlib.suppress(WorkingsError), CompiledRecording(arithmetic=arithmetic(choice.choice(PRECISIONS))):
            op(*inputs, **settings)


@for_each("name", sorted(OPS))
def test_what_works_outside_a_recording_works_inside_and_gives_the_same(name):
    op, choice = OPS[name], random.Random(name)
    for _ in range(TRIES):
        example = choice.choice(op.page.examples)
        inputs = spoiled(tensors(example), choice)
        results = []
        for context in (contextlib.nullcontext(), CompiledRecording()):
            try:
                with context:
                    results.append(first_of(op(*inputs, **example.settings)).array.tolist())
            except WorkingsError as error:
                results.append((type(error), re.sub(r"^Entry \S+", "", error.what)))  # inside it may be another entry
        assert results[0] == results[1]
