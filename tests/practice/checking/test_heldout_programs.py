"""The held-out programs for `why` do what they say: the right ones are right, and the broken ones are not."""

import numpy
import pytest
from simulated.heldout_why import BROKEN, PROGRAMS, RIGHT

from workings.practice.checking.reference import reference_step
from workings.practice.checking.why import Why

ROUNDING = {"float16": 1e-3, "float32": 1e-5, "float64": 5.1e-5}  # one program prints four decimals
CLEARLY = 1e-4  # of the largest entry; programs in float64 round away 1e-9 of it


def names(checked):
    return checked.name


def truth_for(checked):
    """The reference, in the arrangement of the program: heads apart or side by side."""
    got, true = numpy.asarray(checked.call.program()), reference_step(checked.call.what, checked.call.inputs)
    value = numpy.asarray(true.value)
    if got.shape != value.shape and true.op == "merge_heads":
        value = numpy.asarray(true.inputs[0].value)
    return got, value


@pytest.mark.parametrize("checked", RIGHT, ids=names)
def test_right_program_gives_the_true_numbers(checked):
    got, true = truth_for(checked)
    assert got.shape == true.shape
    assert numpy.max(numpy.abs(got - true)) <= ROUNDING[str(got.dtype)] * max(1.0, float(numpy.max(numpy.abs(true))))
    assert checked.is_right
    assert not checked.ids


@pytest.mark.parametrize("checked", BROKEN, ids=names)
def test_broken_program_gives_clearly_other_numbers(checked):
    got, true = truth_for(checked)
    assert got.shape == true.shape
    assert not numpy.max(numpy.abs(got - true)) <= CLEARLY * numpy.max(numpy.abs(true))
    assert not checked.is_right
    assert checked.ids


def test_every_program_can_be_asked_about():
    for checked in (BROKEN[0], RIGHT[0]):
        assert isinstance(checked.call(), Why)


def test_set_is_large_and_its_names_are_different():
    assert len(BROKEN) >= 60
    assert len(RIGHT) >= 40
    assert len({checked.name for checked in PROGRAMS}) == len(PROGRAMS)
