"""Numbers with few digits: what they may not be taken for, and what is still found."""

import numpy
import pytest

import workings as w
from workings.practice.answers.matrix import read_matrix
from workings.practice.checking.closeness import LINE_SLACK, Closeness, closeness
from workings.practice.checking.user_array import to_user_array

X = [[2.0, 1.0, 0.5], [0.1, 0.2, 0.3]]
NUMBERS = numpy.random.default_rng(15)


@pytest.fixture(scope="module")
def trace():
    return w.scenario("example-3").trace("twin")


@pytest.mark.parametrize(("most", "decimals"), [(1, 1), (2, 1), (10, 1), (1, 2)])
def test_any_numbers_with_few_digits_name_nothing(most, decimals):
    for _ in range(40):
        found = w.why(NUMBERS.uniform(0, most, (2, 3)).round(decimals), "softmax", x=X)
        assert found.verdict == "none", found


def test_ones_are_no_mistake_and_no_multiple():
    found = w.why(numpy.ones((2, 3)), "softmax", x=X)
    assert (found.verdict, found.candidates) == ("none", ())


def test_one_digit_is_enough_for_numbers_that_are_equal():
    whole = numpy.array([[1.0, 2.0], [3.0, 4.0]])
    assert w.why(whole.T, "pass", x=whole).cause.id == "relation.transposed"


def by_hand(trace, mistake, digits):
    """The gradient of whoever makes a mistake, and rounds every line on the way to it."""
    fit = next(fit for fit in trace.mistakes() if fit.id == mistake)
    return fit.make().in_precision(f"calculator {digits} significant")["dW_Q"].value


def test_a_mistake_with_every_line_rounded_is_named_and_called_weak(trace):
    found = w.why(by_hand(trace, "cross_entropy.base_ten+rule", 3), trace["dW_Q"])
    assert (found.verdict, found.cause.id) == ("mistake", "cross_entropy.base_ten+rule")
    assert found.cause.by_lines
    assert found.is_weak
    told = " ".join(repr(found).split())
    assert "if every line was rounded to as many. So few may also agree by chance" in told


def test_of_two_mistakes_that_are_near_each_other_not_one_is_named(trace):
    """The root of 2 that was forgotten, and a logarithm to the base 2: factors of 1.41 and of 1.44."""
    found = w.why(by_hand(trace, "divide_by_root.gradient_not_divided", 2), trace["dW_Q"])
    assert found.verdict in ("relation", "several", "none")


def test_what_rounding_every_line_may_do_is_little_beside_the_numbers():
    with w.Trace() as trace:
        w.ops.softmax(w.given(X, "query key", name="x"), name="weights")
    view = trace["weights"]
    coarse = closeness(to_user_array(numpy.round(view.value + 0.06, 1)), view, lines=True)
    assert (coarse.agrees, coarse.reach) == (False, 0.0)
    fine = closeness(to_user_array(numpy.round(view.value + 0.0006, 3)), view, lines=True)
    assert isinstance(fine, Closeness)
    assert fine.lines
    assert fine.gap <= fine.reach <= 0.1 * numpy.max(view.value)
    assert fine.reach > LINE_SLACK * 0.0005


# -- too few digits to call them right -----------------------------------------------------------


TOO_FEW = [  # what was typed, and the true numbers
    ("2 3; 2 3", [[2.0, 3.0], [2.34, 3.34]]),
    ("2 3; 2 3", [[1.66, 2.66], [2.34, 3.34]]),
    ("0.7 0.3", [0.7311, 0.2689]),
    ("0.01 0; 0 0.01", [[0.00707, 0.0], [0.0, 0.00707]]),
    ("0.00 0.00 0.00", [0.003, 0.001, -0.002]),
    ("5", 4.6),
    ("200 300; 200 300", [[204.0, 296.0], [199.0, 340.0]]),
]


@pytest.mark.parametrize(("typed", "true"), TOO_FEW)
def test_numbers_of_one_digit_that_are_off_are_never_called_right(typed, true):
    found = w.why(read_matrix(typed, numpy.shape(true)), "pass", x=true)
    assert found.verdict in ("too few digits", "none")
    assert not found.is_right
    assert "right." not in repr(found)


@pytest.mark.parametrize("shape", [(2, 2), (3, 5), (7,), (2, 3, 4), (1, 1)])
def test_whole_numbers_in_the_place_of_true_ones_are_never_called_right(shape):
    true = NUMBERS.uniform(1.0, 9.0, shape)
    found = w.why(read_matrix(str(numpy.round(true).tolist()).replace(".0", ""), shape), "pass", x=true)
    assert found.verdict == "too few digits"
    assert "Give at least 3 digits" in " ".join(repr(found).split())


@pytest.mark.parametrize(
    ("typed", "true", "verdict"),
    [
        ("2 3; 2.3 3.3", [[2.0, 3.0], [2.34, 3.34]], "rounded"),  # two digits each: 2 is 2.0
        ("2.00 3; 2 3", [[2.0, 3.0], [2.34, 3.34]], "none"),  # one entry has three digits, so all have
        ("2 3; 2.34 3.34", [[2.04, 3.0], [2.34, 3.34]], "relation"),  # all but one are right
        ("0.5 0.5", [0.4999, 0.5001], "rounded"),  # a number does not show its trailing zeros
        ("2 3; 2 3", [[2.0, 3.0], [2.0, 3.0]], "exact"),
        ("0.73 0.27", [0.7311, 0.2689], "rounded"),
    ],
)
def test_the_finest_entry_says_to_how_many_digits_all_are_compared(typed, true, verdict):
    assert w.why(read_matrix(typed, numpy.shape(true)), "pass", x=true).verdict == verdict
