"""Arrays of others as they come: tensors that fail, entries that are hidden, numbers at the edge of what there is."""

import warnings

import numpy
import pytest

import workings as w
from workings.engine.errors import InputError
from workings.practice.checking.relations import ArrayPair, dropped, factor, offset, row_factors
from workings.practice.checking.user_array import to_user_array

X = [[2.0, 1.0, 0.5], [0.1, 0.2, 0.3]]


class Failing:
    """A tensor of a library that raises errors of its own."""

    def __init__(self, at):
        self.at = at

    def fail(self, at):
        if at == self.at:
            raise LookupError("the device is gone")
        return self

    def detach(self):
        return self.fail("detach")

    def cpu(self):
        return self.fail("cpu")

    def __array__(self, *given, **more):
        raise LookupError("no array here")


@pytest.mark.parametrize("at", ["detach", "cpu", "array"])
def test_the_errors_of_another_library_are_said_in_words(at):
    with pytest.raises(InputError, match="scores is not an array"):
        to_user_array(Failing(at), "scores")


def test_entries_that_are_hidden_are_not_given():
    hidden = numpy.ma.masked_greater(numpy.array([[1.0, 9.0], [2.0, 9.0]]), 5)
    with pytest.raises(InputError, match="scores is a masked array, and hides 2 of its entries"):
        to_user_array(hidden, "scores")
    assert to_user_array(numpy.ma.masked_greater(numpy.ones(2), 5)).array.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("shape", "asked", "given"),
    [
        ((1, 2, 3), (2, 3), (2, 3)),
        ((2, 1, 3), (2, 3), (2, 3)),
        ((2,), (2, 1), (2, 1)),
        ((1, 3, 2), (2, 3), (3, 2)),
        ((1, 3), (2, 3), (1, 3)),
    ],
)
def test_axes_of_one_entry(shape, asked, given):
    assert to_user_array(numpy.ones(shape)).without_ones(asked).array.shape == given


def test_a_batch_of_one_text_is_also_left_out_of_numbers_that_were_turned():
    turned = numpy.arange(6.0).reshape(2, 3).T[None]
    assert w.why(turned, "pass", x=numpy.arange(6.0).reshape(2, 3)).cause.id == "shape.transposed"


@pytest.mark.parametrize("relation", [factor, offset, dropped, row_factors])
@pytest.mark.parametrize("truth", [numpy.full((2, 3), 0.4), numpy.full((2, 3), 1e-200), numpy.full((2, 3), 1e200)])
@pytest.mark.parametrize("got", [1e308, -1e308, numpy.inf])
def test_a_factor_that_is_not_finite_is_none(relation, truth, got):
    numbers = numpy.full((2, 3), got)
    numbers[1, 1] = 0.0 if relation is dropped else got
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = relation(ArrayPair(numbers, truth, numpy.full((2, 3), 5e307)))
    assert found is None or "∞" not in found


def test_the_largest_numbers_are_no_multiple_of_the_true_ones():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert w.why(numpy.full((2, 3), 1e308), "softmax", x=X).verdict == "none"


def test_equal_weights_are_not_taken_for_an_average_over_the_keys():
    """Averaged over the keys, the rows of every softmax give such numbers, whatever the weights are."""
    found = w.why([1 / 3, 1 / 3], "softmax", x=X)
    assert (found.verdict, found.candidates) == ("another shape", ())
