"""A trace worked out again in another precision, and the fewest digits at which a check still holds."""

import numpy
import pytest
from small_traces import SMALL_TRACES

import workings as w
from workings.engine.errors import PrecisionError

PRECISIONS = ("float32", "calculator 3 significant", "calculator 5 decimals")


@pytest.mark.parametrize("name", SMALL_TRACES)
@pytest.mark.parametrize("precision", PRECISIONS)
def test_worked_out_again_is_the_same_as_recorded_in_that_precision(name, precision):
    again = SMALL_TRACES[name]("float64").in_precision(precision)
    recorded = SMALL_TRACES[name](precision)
    assert again.precision == precision
    assert [step.path for step in again] == [step.path for step in recorded]
    for step in recorded:
        numpy.testing.assert_array_equal(again[step.path].value, step.value, strict=True)


def test_the_first_trace_stays_as_it_was():
    trace = SMALL_TRACES["attention-backward"]("float64")
    before = {step.id: step.value.copy() for step in trace}
    trace.in_precision("calculator 2 significant")
    for step in trace:
        numpy.testing.assert_array_equal(step.value, before[step.id])


def test_the_fewest_digits_are_those_below_which_the_check_fails():
    trace = SMALL_TRACES["attention-backward"]("float64")
    truth = float(trace["loss"].value)

    def check(other: w.Trace) -> bool:
        return abs(other["loss"].value - truth) < 0.001

    fewest = trace.fewest_digits(check)
    assert 1 < fewest < 12
    for digits in range(fewest, 13):
        assert check(trace.in_precision(f"calculator {digits} significant"))
    assert not check(trace.in_precision(f"calculator {fewest - 1} significant"))


def test_a_check_that_happens_to_hold_with_fewer_digits_does_not_count():
    """0.95 + 1.05 is 1 + 1 with one digit, which fits by chance; with two it is 0.95 + 1.1."""
    with w.Trace() as trace:
        w.ops.sum(w.given([0.95, 1.05], "model", name="x"), name="total")
    totals = {n: float(trace.in_precision(f"calculator {n} significant")["total"].value) for n in (1, 2, 3)}
    assert totals == {1: 2.0, 2: 2.1, 3: 2.0}
    assert trace.fewest_digits(lambda again: again["total"].value == 2.0) == 3


def test_a_check_may_assert_and_need_not_return_anything():
    trace = SMALL_TRACES["attention-forward"]("float64")

    def check(other: w.Trace) -> None:
        numpy.testing.assert_allclose(other["P"].value.sum(), 1, atol=1e-4)

    fewest = trace.fewest_digits(check, unit="decimals")
    check(trace.in_precision(f"calculator {fewest} decimals"))
    with pytest.raises(AssertionError):
        check(trace.in_precision(f"calculator {fewest - 1} decimals"))


def test_a_division_by_zero_that_rounding_makes_is_a_failure():
    with w.Trace() as trace:
        small = w.given(0.004, name="small")
        w.ops.div(w.given(1.0, name="one"), small, name="large")
    assert trace.fewest_digits(lambda again: "large" in again, unit="decimals") == 3


def test_a_check_that_never_holds_is_said_to():
    trace = SMALL_TRACES["attention-forward"]("float64")
    with pytest.raises(PrecisionError) as error:
        trace.fewest_digits(lambda _: False)
    assert "12 significant" in str(error.value)
