"""The numbers in hand calculations: each one can be computed again, from the trace or from the page itself."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from calculator_lines import check_every_line
from line_reader import Findings
from printed_arithmetic import calculate
from traces import ALL, PRECISIONS, SMALL, cells, heads, layer, long, numbers_in, small

import workings as w
from workings.document.blocks import Number, plain_text
from workings.engine.arrays import indices

CALCULATORS = [precision for precision in PRECISIONS if precision.startswith("calculator")]
METHOD = (0, 1, 2, 3, 2 * math.pi)  # positions, powers, the numbers of GELU
TRACES = [(name, precision) for name in ALL for precision in PRECISIONS if name in SMALL or precision == "float64"]
CALCULATED = [(name, p) for name in ALL for p in CALCULATORS if name in SMALL or p == "calculator 4 significant"]


def test_the_evaluator_can_calculate():
    assert calculate("0.31×0.38 + 0.14×0.82") == Decimal("0.2326")
    assert calculate("-0.2 + (-0.1) + (3 smaller: -0.5)") == Decimal("-0.8")
    assert calculate("(-0.5) − (-0.25)") == Decimal("-0.25")
    assert calculate("max(0.1, -2.0, 24 more)") == Decimal("0.1")
    assert calculate("0.5 · [1.0 > 0] / 2") == Decimal("0.25")
    assert calculate("3 / (-0.5)^2") == Decimal(12)
    assert calculate("min(0.1, -∞)") == Decimal("-Infinity")
    assert abs(calculate("tanh(0.5) + sin(1)") - Decimal("1.3035881420679063")) < Decimal("1e-15")
    assert calculate("[2 = 2] + [1 = 2]") == 1
    assert calculate("−(-0.5)") == Decimal("0.5")
    assert abs(calculate("ln(e^(2.5e-01)) + √(4)") - Decimal("2.25")) < Decimal("1e-50")
    for text in ("1 +", "1 2", "(1", "Q[0]", "1 + a"):
        with pytest.raises(ValueError, match="not"):
            calculate(text)


@pytest.mark.parametrize(("name", "precision"), TRACES)
def test_every_number_can_be_recomputed_from_the_trace(name, precision):
    trace = small(name, precision)
    for cell in cells(trace):
        results = [line.value for line in cell.lines]
        for number in numbers_in(cell):
            assert isinstance(number.index, tuple)
            if number.role == "entry":
                assert trace.recording.value(number.step)[number.index].item() == float(number.value)
            else:  # a line, a setting or a rest belongs to the calculation of this entry
                assert (number.step, number.index) == (cell.step, cell.index)
            if number.role == "line" and "π" not in str(cell):  # π has its letter, and no line of its own
                assert any(number.value == result.value and number.text == result.text for result in results)
        assert results[-1].role == "entry"
        assert (results[-1].step, results[-1].index) == (cell.step, cell.index)


@pytest.mark.parametrize(("name", "precision"), TRACES)
def test_every_setting_is_a_setting_of_the_step_or_a_number_of_the_method(name, precision):
    trace = small(name, precision)
    for cell in cells(trace):
        step = trace.recording.step(cell.step)
        known = {*METHOD, *cell.index, *numbers_of(trace, step)}
        for number in numbers_in(cell):
            if number.role == "setting":
                assert math.isclose(float(number.text), number.value, rel_tol=1e-3)  # of 2π not all digits are shown
                assert number.value in known


def numbers_of(trace, step):
    """The settings of a step, and those of the rules that made it; how many entries there are of what they read."""
    recording = trace.recording
    groups = [group for group in recording.groups.values() if step.id in {group.result, *group.inputs}]
    forward = [recording.step(group.rule_of) for group in groups if group.rule_of and group.result == step.id]
    for part in (step, *forward):
        yield from (value for value in part.settings.values() if isinstance(value, int | float))
        yield from (size for id in part.inputs for size in recording.step(id).form.shape)


@pytest.mark.parametrize("name", ALL)
def test_at_least_four_digits_of_each_value_are_shown_and_of_a_result_no_more(name):
    for cell in cells(small(name)):
        for number in numbers_in(cell):
            if number.role != "entry" or not math.isfinite(float(number.value)):
                continue  # a number of the method is written in full, a line is computed from what is printed
            assert abs(Fraction(number.text) - Fraction(number.value)) <= abs(Fraction(number.value)) / 1000
        before, _, after = cell.lines[-1].value.text.partition("e")[0].lstrip("-").partition(".")
        digits = (before + after).lstrip("0")
        assert len(digits) <= 4 or after in ("", "0")  # those before the point are not rounded away


@pytest.mark.parametrize(("name", "precision"), CALCULATED)
def test_a_calculator_gives_each_result_from_the_digits_on_the_page(name, precision):
    check_every_line(small(name, precision), precision)


@pytest.mark.parametrize("precision", CALCULATORS)
def test_a_calculator_follows_biases_gains_and_means(precision):
    check_every_line(layer(precision), precision)


@pytest.mark.parametrize("precision", CALCULATORS)
def test_a_calculator_follows_sums_of_512_terms(precision):
    trace = long(precision)
    for name in ("c", "s", "p"):
        check_every_line(trace, precision, only=name)


@pytest.mark.parametrize("digits", [2, 4, 7])
@pytest.mark.parametrize(("name", "precision"), [(name, p) for name, p in TRACES if p.startswith("float")])
def test_in_floating_point_every_line_follows_from_its_printed_digits(name, precision, digits):
    found = Findings()
    for view in small(name, precision):
        for at in indices(view.shape):
            for line in view.cell(*at, digits=digits).lines:
                found.check(str(line), digits)
    assert (found.wrong, found.unread) == ([], [])
    assert found.held


@pytest.mark.parametrize("name", ["c", "s"])
def test_a_long_sum_adds_up_exactly_and_in_print(name):
    view = long()[name]
    for at in indices(view.shape):
        (line,) = view.cell(*at).lines
        numbers = [span for span in line.forms[-1] if isinstance(span, Number)]
        *shown, rest = numbers
        assert rest.role == "rest"
        assert [number.role for number in shown] == ["entry"] * len(shown)
        values = [number.value for number in shown]
        terms = [a * b for a, b in zip(values[::2], values[1::2], strict=True)] if name == "c" else values
        assert len(terms) == 6
        assert math.isclose(sum(terms) + rest.value, view.value[at], rel_tol=1e-12)
        printed = calculate(plain_text(line.forms[-1]))
        assert abs(float(printed) - view.value[at]) < 0.01
        # No term that is left out is larger than one that is shown.
        entries = {(number.step, number.index) for number in shown}
        assert min(abs(term) for term in terms) >= largest_hidden(view, at, entries)


def largest_hidden(view, at, shown):
    trace = view.trace
    B, column = trace["B"], at[-1]
    hidden = []
    for k in range(512):
        term = B.value[k, column] * (trace["a"].value[0, k] if view.name == "c" else 1.0)
        if (B.id, (k, column)) not in shown:
            hidden.append(abs(float(term)))
    assert len(hidden) == 506
    return max(hidden)


def test_the_rest_under_a_calculator_has_no_binary_dust():
    (line,) = long("calculator 4 significant")["c"].cell(0, 0).lines
    rest = next(span for span in line.forms[-1] if isinstance(span, Number) and span.role == "rest")
    assert len(rest.text.lstrip("-").replace(".", "")) <= 9  # products of three decimals each


def test_numbers_of_four_axes_point_at_their_entries():
    trace = heads()
    for name in ("scores", "dV", "dweights", "context"):
        cell = trace[name].cell(1, 0, 2, 1)
        for number in numbers_in(cell):
            assert trace.recording.value(number.step)[number.index].item() == number.value


def test_dust_is_shown_as_zero_and_keeps_its_value():
    with w.Trace() as trace:
        x = w.given([[0.1, 0.2, -0.3], [1.0, 2.0, 3.0]], "token model", name="x")
        w.ops.sum(x, axis="model", name="s")
    line = trace["s"].cell(0).lines[-1]
    assert trace["s"].value[0] != 0
    assert line.value.text == "0.0"
    assert line.value.value == trace["s"].value[0]


def test_literal_is_shown_in_full_unless_it_is_too_long():
    with w.Trace() as trace:
        x = w.given([2.0, -1.5], "model", name="x")
        w.ops.gelu_tanh(x, name="y")
        w.ops.scale(x, factor=1 / 3, name="third")
        w.ops.power(x, exponent=-2, name="square")
    lines = str(trace["y"].cell(0)).splitlines()
    assert lines[0] == "root = √(2 / π) = √(2 / 3.1416) = 0.79788"
    assert lines[2] == "cubic = cube × 0.044715 = 8.0 × 0.044715 = 0.35772"
    assert str(trace["third"].cell(0)) == "third[0] = x[0] × 0.33333 = 2.0 × 0.33333 = 0.6667"
    assert str(trace["square"].cell(1)) == "square[1] = x[1]^(-2) = (-1.5)^(-2) = 0.4444"


def test_numbers_without_end_are_words():
    with w.Trace() as trace:
        mask = w.constant([[0.0, float("-inf")]], "query key", name="mask")
        x = w.given([[1.0, 2.0]], "query key", name="x")
        w.ops.add(x, mask, name="masked")
    number = trace["masked"].cell(0, 1).lines[-1].value
    assert (number.text, number.value) == ("-∞", "-inf")
    assert str(trace["masked"].cell(0, 1)) == "masked[0][1] = x[0][1] + mask[0][1] = 2 + (-∞) = -∞"
