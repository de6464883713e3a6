"""What a step gives with a function or a table too many."""

import numpy
import pytest

import workings as w
from workings.practice.grading.other_operations import with_other_operations
from workings.practice.mistakes import MistakeFinder


@pytest.fixture(scope="module")
def trace():
    return w.scenario("cat-sleeps").trace("twin")


def outcomes(trace, name):
    step = trace.find_step(name)
    return {found.hint: found.value for found in with_other_operations(MistakeFinder(trace), step, trace.recording)}


def test_a_function_of_the_result_is_tried(trace):
    found, own = outcomes(trace, "scores"), trace["scores"].value
    numpy.testing.assert_allclose(found["You took the ReLU of the result as well."], numpy.maximum(own, 0))
    powers = numpy.exp(own)
    softmax = powers / powers.sum(axis=-1, keepdims=True)
    numpy.testing.assert_allclose(found["You took the softmax of the result as well."], softmax)


def test_a_function_of_a_table_that_the_step_reads_is_tried(trace):
    found = outcomes(trace, "O")
    own = trace["weights"].value @ numpy.abs(trace["V"].value)
    numpy.testing.assert_allclose(found["You took the absolute value of V first."], own)


def test_two_tables_are_combined_entry_by_entry(trace):
    found = outcomes(trace, "dhidden")
    product = trace["dH"].value * trace["hidden"].value
    assert any(value.shape == product.shape and numpy.allclose(value, product) for value in found.values())


def test_what_changes_nothing_is_not_among_them(trace):
    own = trace["H"].value
    assert all(not numpy.allclose(value, own, rtol=1e-12, atol=0) for value in outcomes(trace, "H").values())
