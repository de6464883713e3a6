"""Lines such as `weights = softmax(scaled, axis=key)`: what they may say, what they give, and what is refused."""

import pytest
from hypothesis import given as forall
from hypothesis import settings
from hypothesis import strategies as some
from numpy.testing import assert_allclose, assert_array_equal

import workings as w
from workings import ops
from workings.engine.errors import CallError, NumberError, ScenarioError, ShapeError, WorkingsError
from workings.engine.tensor import Tensor
from workings.scenarios.reading.calculate_lines import (
    MAX_DEPTH,
    MAX_LINE_CHARS,
    CalculateLine,
    Call,
    NumberLiteral,
    Value,
    parse_line,
)
from workings.scenarios.running.calculate import calculate
from workings.scenarios.scenario import scenario_from

X = w.given([[2.0, 1.5, 0.3], [0.1, -0.4, 0.8]], "query key", name="X")
Y = w.given([[0.5, -1.0, 4.0], [2.0, 0.25, -0.5]], "query key", name="Y")
W = w.given([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]], "key model", name="W")


def run(*texts: str, **values: Tensor) -> dict[str, Tensor]:
    return calculate([parse_line(text, number) for number, text in enumerate(texts, 3)], values)


def refused(text: str, error: type[WorkingsError] = ScenarioError) -> WorkingsError:
    with pytest.raises(error) as raised:
        run(text, X=X, Y=Y, W=W)
    assert raised.value.where == "line 3" or raised.value.keys == ("calculate", 0)
    return raised.value


# -- what a line says ---------------------------------------------------------------------------


def test_a_line_is_a_tree_of_calls():
    line = parse_line("  weights = softmax(scores / 2, axis=key)  # shares", 7)
    scaled = Call("divide_by", (Value("scores"),), (("divisor", 2),))
    expected = Call("softmax", (scaled,), (("axis", "key"),), depth=2)
    assert line == CalculateLine("weights", expected, "weights = softmax(scores / 2, axis=key)  # shares", 7)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("2", 2), ("-2", -2), ("+2", 2), ("0.5", 0.5), (".5", 0.5), ("-1e-5", -1e-5), ("1/4", 0.25), ("key", "key"),
        ('"key"', "key"), ("'two words'", "two words"), ("true", True), ("False", False), ("[1, 2]", (1, 2)),
        ("(1, -2)", (1, -2)), ("(1)", 1), ("(1,)", (1,)), ("[key, model]", ("key", "model")), ("[]", ()),
    ],
)  # fmt: skip
def test_settings_are_numbers_words_texts_and_lists(written, value):
    parsed = parser_setting(written)
    assert parsed == value
    assert type(parsed) is type(value)


def parser_setting(written):
    from workings.scenarios.reading.calculate_lines import _LineParser

    return _LineParser(written).setting()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y = X + Y", lambda: X.array + Y.array),
        ("y = X - Y", lambda: X.array - Y.array),
        ("y = X * Y", lambda: X.array * Y.array),
        ("y = X / Y", lambda: X.array / Y.array),
        ("y = X @ W", lambda: X.array @ W.array),
        ("y = W.T @ X.T", lambda: W.array.T @ X.array.T),
        ("y = X.T.T", lambda: X.array),
        ("y = (X + Y).T", lambda: (X.array + Y.array).T),
        ("y = -X", lambda: -X.array),
        ("y = --X + 0", lambda: X.array),
        ("y = 2 * X", lambda: 2 * X.array),
        ("y = X * -2", lambda: -2 * X.array),
        ("y = X / 4", lambda: X.array / 4),
        ("y = 4 / Y", lambda: 4 / Y.array),
        ("y = 1 - X", lambda: 1 - X.array),
        ("y = X - 1", lambda: X.array - 1),
        ("y = 1/2 * X", lambda: X.array / 2),
        ("y = X + Y * 2 - X / Y", lambda: X.array + Y.array * 2 - X.array / Y.array),
        ("y = X - Y - X", lambda: -Y.array),
        ("y = X / Y / 2", lambda: X.array / Y.array / 2),
        ("y = -X @ W", lambda: -X.array @ W.array),
        ("y = add(X, 1)", lambda: X.array + 1),
        ("y = sum(X, axis=query, keep=true)", lambda: X.array.sum(0, keepdims=True)),
        ("y = sum(X, axis=-2)", lambda: X.array.sum(0)),
        ("y = reshape(X, shape=(3, 2))", lambda: X.array.reshape(3, 2)),
        ("y = permute(X, order=[key, query])", lambda: X.array.T),
        ("y = relu(neg(X) + Y)", lambda: (Y.array - X.array).clip(0)),
        ("y = pick(X, argmax(Y))", lambda: [X.array[0, 2], X.array[1, 0]]),
        ("y = pick(take_row(X, index=0), 1)", lambda: X.array[0, 1]),
        ("y = exp(0) * 2", lambda: 2.0),
    ],
)
def test_what_a_line_gives(text, expected):
    assert_allclose(run(text, X=X, Y=Y, W=W)["y"].array, expected(), rtol=1e-15, atol=1e-15)


def test_labels_are_whole_numbers():
    logits, target = w.given([[1.0, 2.0, 0.5]], "token vocab"), w.ids([1])
    found = run("P = softmax(logits)", "p = pick(P, target)", "loss = cross_entropy(logits, target)", **locals())
    assert_allclose(found["loss"].array, -ops.log(found["p"]).array[0])


def test_later_lines_use_earlier_names_and_each_step_has_the_name_of_its_line():
    with w.Trace() as trace:
        found = run("scaled = X @ Y.T / 2", "weights = softmax(scaled)", X=X, Y=Y.rename(query="token"))
    assert list(found) == ["scaled", "weights"]
    assert [step.name for step in trace] == ["Y", "Y_T", "X", "matmul", "scaled", "weights"]
    assert_array_equal(trace["weights"].value, found["weights"].array)


def test_the_points_of_a_name_are_its_path():
    with w.Trace() as trace:
        run(
            "block1.attention.weights = softmax(block1.scores)",
            "out = relu(block1.attention.weights)",
            **{"block1.scores": X},
        )
    assert trace["weights"].path == "block1.attention.weights"
    assert trace["out"].path == "out"


def test_names_may_be_of_any_alphabet():
    found = run("α = softmax(x̂)", "重み = relu(α)", "W₁ = -重み", x̂=X)
    assert list(found) == ["α", "重み", "W₁"]


def test_an_update_gives_the_new_weight_and_its_moments_stand_beside_it():
    zeros = w.given([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], "query key")
    with w.Trace() as trace:
        found = run("X_new = adam(X, Y, m, v, t=1, rate=0.1)", X=X, Y=Y, m=zeros, v=zeros)
    assert_array_equal(trace["X_new"].value, found["X_new"].array)
    assert_allclose(trace["X_m"].value, 0.1 * Y.array)
    with w.Trace() as trace:
        run("X_new = sgd(X, Y, rate=0.1)", X=X, Y=Y)
    assert_allclose(trace["X_new"].value, X.array - 0.1 * Y.array)


# -- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "", "y", "y =", "= relu(X)", "relu(X)", "y = relu(X", "y = relu X", "y = relu(X))", "y = relu(X) relu(X)",
        "y == X + Y", "y = X ** 2", "y = X // 2", "y = X ^ 2", "y = X[0]", "y = relu(X).shape", "y = X +", "y = * X",
        "y, z = X + Y", "y.T = relu(X)", "y = 2X + Y", "y = X if X else Y", "y = lambda: X", "y = [X]", "y = {X}",
        "y = relu(X; Y)", "y = relu(X,,)", "y = softmax(X, axis=)", "y = softmax(X, axis=key", "y = X § Y", "y = \\x",
        "y = softmax(X, axis=[key)", "y = softmax(X, axis={})", "y = f'{X}' + X", "y := X + Y", "y = X @ @ Y",
        "2 = relu(X)", "y = softmax(X, axis='key)", "y = 2 @ 3", "y = relu(X)\ny = relu(X)",
    ],
)  # fmt: skip
def test_what_is_no_line_is_refused(text):
    error = refused(text)
    assert error.what.startswith(("This line cannot be read from '", "This line stops too early."))
    assert error.given == text.strip()


@pytest.mark.parametrize(
    ("text", "error", "key", "says"),
    [
        ("y = sotfmax(X)", CallError, "There is no op '", "softmax"),
        ("y = __import__('os')", CallError, "There is no op '", ""),
        ("y = os.system('ls')", CallError, "There is no op '", ""),
        ("y = softmax(X, axes=key)", CallError, "has no setting '", "Settings of softmax: axis"),
        ("y = softmax(X, axis=0.5)", CallError, "The setting", "axis"),
        ("y = sum(X, keep=2)", CallError, "The setting", "keep"),
        ("y = take_row(X)", CallError, "needs the setting '", "index"),
        ("y = softmax(X, name=z)", CallError, "has no setting '", "name"),
        ("y = add(X)", CallError, ": inputs needed", "needed 2, given 1"),
        ("y = softmax(X, Y)", CallError, ": inputs needed", "needed 1, given 2"),
        ("y = concat(axis=0)", CallError, ": inputs needed", "given 0"),
        ("y = softmax(X, axis=key, axis=key)", ScenarioError, "is given twice.", "axis"),
        ("y = softmax(x=X)", ScenarioError, ", and inputs have no names here.", "x is an input of softmax"),
        ("y = dropout(X, rate=0.5, Y)", ScenarioError, "comes after a setting.", "dropout"),
        ("y = relu(x)", ScenarioError, "' here: it is neither given nor computed above.", "Did you mean X?"),
        ("y = relu(y)", ScenarioError, "' here: it is neither given nor computed above.", "Did you mean Y?"),
        ("y = X", ScenarioError, "This line computes nothing for", "y"),
        ("y = X.shape", ScenarioError, "This line computes nothing for", "y"),
        ("y = relu(X.shape)", ScenarioError, "' here: it is neither given nor computed above.", "X.shape"),
        ("y = 1/2", ScenarioError, "This line computes nothing for", "y"),
        ("y = X / 0", NumberError, "would be divided by 0.", "divided by 0"),
        ("y = 1/0 * X", ScenarioError, "is not a finite number.", "1/0"),
        ("y = X * 1e999", ScenarioError, "is not a finite number.", "1e999"),
        ("y = X + 1e300 * 1e300", ScenarioError, "is not a finite number.", "1e+300 * 1e+300"),
        ("X = relu(Y)", ScenarioError, "is already given.", "X"),
        ("y = X @ Y", WorkingsError, "', the rows of the right input are '", ""),
        ("y = softmax(X, axis=token)", WorkingsError, "There is no axis '", "query 2 × key 3"),
        ("y = one_hot(argmax(X), size=4503599627370496)", ScenarioError, "too large for the memory.", "its settings"),
    ],
)  # fmt: skip
def test_an_error_says_the_line_and_what_would_fit(text, error, key, says):
    found = refused(text, error)
    assert key in found.what
    assert says in str(found)
    assert text in str(found)


def test_a_name_that_is_defined_twice_is_refused_before_anything_is_computed():
    with w.Trace() as trace, pytest.raises(ScenarioError, match="already computed on line 3") as raised:
        run("y = relu(X)", "z = relu(X)", "y = -X", X=X)
    assert raised.value.keys == ("calculate", 2)
    assert raised.value.given == "y = -X"
    assert len(list(trace)) == 0


def test_nothing_given_is_an_error_of_its_own():
    with pytest.raises(ScenarioError, match="nothing is given"):
        run("y = relu(X)")


def test_an_error_of_an_op_keeps_its_shapes_and_gets_the_line():
    with pytest.raises(ShapeError) as raised:
        calculate([parse_line("y = X @ X", 7)], {"X": w.given([[1.0, 2.0, 3.0]])})
    assert raised.value.where == "y = X @ X"
    assert raised.value.keys == ("calculate", 0)
    assert raised.value.given == "a: 1 × 3, b: 1 × 3"


def test_an_error_of_an_op_in_a_file_has_the_line_of_the_file():
    text = "scenario: 1\ngiven: {X: 1 2 3}\ncalculate:\n- y = relu(X)\n# here\n- z = y @ y"
    with pytest.raises(ShapeError) as raised:
        scenario_from(text, "example.yaml").trace()
    assert raised.value.where == "example.yaml, line 6, calculate[1], z = y @ y"
    assert raised.value.keys == ("calculate", 1)


@pytest.mark.parametrize(
    "inside",
    [
        "relu(" * 10_000 + "X" + ")" * 10_000,
        "relu(" * (MAX_DEPTH + 1) + "X" + ")" * (MAX_DEPTH + 1),
        "(" * (MAX_DEPTH + 1) + "X" + ")" * (MAX_DEPTH + 1),
        "-" * MAX_LINE_CHARS + "X",
        " + ".join(["X"] * (MAX_DEPTH + 2)),
        "softmax(X, axis=" + "[" * (MAX_DEPTH + 1),
        "X" + ".T" * (MAX_DEPTH + 1),
        "relu(X)" + ".T" * (MAX_DEPTH + 1),
    ],
)
def test_deep_and_huge_lines_are_refused(inside):
    said = refused(f"y = {inside}").what
    assert "calls, signs or brackets are nested here." in said or "This line is longer than" in said


def test_what_is_just_not_too_deep_is_carried_out():
    assert_allclose(run("y = " + " + ".join(["X"] * (MAX_DEPTH + 1)), X=X)["y"].array, X.array * (MAX_DEPTH + 1))
    assert_array_equal(run("y = " + "-" * 1001 + "X", X=X)["y"].array, -X.array)
    brackets = MAX_DEPTH - 1
    assert_array_equal(run(f"y = -{'(' * brackets}X{')' * brackets}", X=X)["y"].array, -X.array)


PIECES = [*"XYyT()[],=+-*/@.2 '#α", "relu", "softmax", "axis", "key", "0.5", "1e5"]


@settings(max_examples=300, deadline=None)
@forall(some.one_of(some.text(max_size=60), some.lists(some.sampled_from(PIECES), max_size=20).map("".join)))
def test_any_text_is_a_line_or_an_error(text):
    for line in (text, f"y = {text}"):
        found = None
        try:
            calculate([parse_line(line, 7)], {"X": X, "Y": Y})
        except WorkingsError as error:
            found = error
        assert found is None or found.where == "line 7" or found.keys == ("calculate", 0)


def test_a_number_is_kept_whole_or_not():
    assert parse_line("y = X + 2").expression.inputs[1] == NumberLiteral(2)
    assert isinstance(parse_line("y = X + 2").expression.inputs[1].value, int)
    assert isinstance(parse_line("y = X + 2.").expression.inputs[1].value, float)
