"""Random small computations: square matrices without words, so that everything fits everything."""

from __future__ import annotations

import random
from typing import NamedTuple

import numpy

from workings import ops
from workings.engine.backward import backward
from workings.engine.compiled_recording import CompiledRecording
from workings.engine.recording import Recording
from workings.engine.tensor import Tensor

ONE = {
    "exp": lambda x: ops.exp(ops.scale(x, factor=0.1)),
    "relu": ops.relu,
    "sigmoid": ops.sigmoid,
    "softmax": ops.softmax,
    "softmax of columns": lambda x: ops.softmax(x, axis=0),
    "neg": ops.neg,
    "scale": lambda x: ops.scale(x, factor=-0.7),
    "root": lambda x: ops.divide_by_root(x, d=3),
    "transpose": ops.transpose,
    "less its row maximum": lambda x: ops.sub(x, ops.row_max(x)),
    "less its mean": lambda x: ops.sub(x, ops.mean(x, axis=-1, keep=True)),
    "bias of its columns": lambda x: ops.add(x, ops.sum(x, axis=0)),
    "turned and back": lambda x: ops.reshape(ops.reshape(x, shape=(x.entries,)), shape=x.shape),
    "last row": lambda x: ops.add(x, ops.take_row(x, index=-1)),
    "share of a half": lambda x: 1 / (1.5 + ops.sigmoid(x)),
}
TWO = {
    "add": ops.add,
    "sub": ops.sub,
    "mul": ops.mul,
    "matmul": lambda a, b: ops.scale(ops.matmul(a, b), factor=0.4),
}


class Plan(NamedTuple):
    """What to compute: how many leaves of which size, and a list of (what, the values that it reads)."""

    leaves: int
    size: int
    lines: list[tuple[str, tuple[int, ...]]]

    def values(self, seed: int) -> list[numpy.ndarray]:
        numbers = numpy.random.default_rng(seed)
        return [numbers.standard_normal((self.size, self.size)) for _ in range(self.leaves)]


class Run(NamedTuple):
    recording: Recording
    leaves: list[str]
    results: list[str]  # the step of each line of the plan
    loss: str


def random_plan(seed: int, lines: int = 12) -> Plan:
    """Lines prefer late values, so that the graph is deep as well as wide."""
    choice = random.Random(seed)
    leaves, size = choice.randint(1, 3), choice.randint(1, 4)
    plan = []
    for count in range(leaves, leaves + lines):
        what = choice.choice([*ONE, *TWO])
        reads = 2 if what in TWO else 1
        plan.append((what, tuple(max(choice.randrange(count), choice.randrange(count)) for _ in range(reads))))
    return Plan(leaves, size, plan)


def run(plan: Plan, values: list[numpy.ndarray], back: bool = True) -> Run:
    """Record a plan, and the gradient of the sum of its last value."""
    with CompiledRecording() as recording:
        tensors = [Tensor(array, name=f"leaf{n}") for n, array in enumerate(values)]
        leaves = [recording.id_of(tensor) for tensor in tensors]
        for what, reads in plan.lines:
            tensors.append({**ONE, **TWO}[what](*(tensors[n] for n in reads)))
        loss = recording.id_of(ops.sum(ops.mul(tensors[-1], tensors[-1]), name="loss"))
        results = [recording.id_of(tensor) for tensor in tensors[len(values) :]]
    if back:
        backward(recording, recording.step(loss))
    return Run(recording, leaves, results, loss)


def bits(array: numpy.ndarray) -> tuple[object, ...]:
    """Everything about an array but where it lies."""
    array = numpy.asarray(array)
    return array.dtype.name, array.shape, array.tobytes()


def same_steps(one: Recording, other: Recording) -> None:
    """Refuse any step whose value differs in a single bit."""
    assert list(one.steps) == list(other.steps)
    for id, step in one.steps.items():
        assert bits(step.tensor.array) == bits(other.value(id)), f"{id} {step.path} ({step.op_name})"


def depending_on(recording: Recording, changed: set[str]) -> set[str]:
    """The steps that follow from some others, these included."""
    found = set(changed)
    for id, step in recording.steps.items():
        if any(input in found for input in step.inputs):
            found.add(id)
    return found
