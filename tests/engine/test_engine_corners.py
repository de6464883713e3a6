"""Corners of the engine where something went wrong once."""

import numpy
import page_checks
import pytest

from workings import ops
from workings.engine.backward import backward
from workings.engine.changes import Changes
from workings.engine.compiled_recording import CompiledRecording
from workings.engine.errors import WorkingsError
from workings.engine.form import form_of
from workings.engine.op import OPS, Primitive
from workings.engine.page import Example, formula, mistake, rule, values
from workings.engine.replay import replay
from workings.engine.tensor import Tensor


def tensor(numbers):
    array = numpy.asarray(numbers, dtype="float64")
    return Tensor(array, form_of(("token", "model"), array.shape), name="X")


@pytest.mark.parametrize("d", [1024, 0.0004])
def test_an_opened_composite_keeps_the_constants_of_its_method_unrounded(d):
    example = Example(values([[2.0, 1.5]], "query key"), d=d, cotangent=[[0.3, 0.2]])
    page_checks.check_calculator(OPS["divide_by_root"], example)


def test_a_numpy_scalar_can_be_given():
    with CompiledRecording():
        ops.exp(Tensor(numpy.float64(0.5), name="x"))


def test_a_numpy_scalar_can_be_pinned():
    with CompiledRecording() as recording:
        total = ops.sum(tensor([[1.0, 2.0]]))
        ops.exp(total)
    replay(recording, Changes(values={recording.id_of(total): numpy.float64(0.5)}))


def test_a_rule_that_returns_another_shape_is_refused():
    with CompiledRecording() as recording:
        output = Turned()(tensor([[0.2, -0.5, 1.0], [0.7, 0.1, -0.3]]))
    del OPS["turned"]
    with pytest.raises(WorkingsError):
        backward(recording, recording.step(recording.id_of(output)), numpy.ones((3, 2)))


class Turned(Primitive):
    """Exchanges rows and columns, with a rule that forgets to turn the gradient back."""

    layout = type(OPS["transpose"]).layout
    by_hand = type(OPS["transpose"]).by_hand
    by_hand_dx = type(OPS["transpose"]).by_hand_dx
    derivation = ((r"dx = dy", "wrong on purpose"),)
    example = OPS["transpose"].page.example

    @formula(r"y_{ji} = x_{ij}")
    def forward(self, x):
        return x.T

    @rule("x", r"dx_{ij} = dy_{ij}")
    def dx(self, g):
        return 1.0 * g

    @mistake("You left the matrix as it was.")
    def forgotten(self, x):
        return 1.0 * x


def test_a_second_page_of_the_same_name_is_refused_as_a_page():
    parts = {key: part for key, part in vars(Turned).items() if not key.startswith("__")}
    with pytest.raises(WorkingsError):
        type("Softmax", (Primitive,), parts | {"__doc__": "Another page."})()
