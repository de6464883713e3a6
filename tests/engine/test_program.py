"""The compiled program: one function of plain array calls that gives the bits of a replay."""

import numpy
import pytest
from graphs import bits, random_plan, run
from hypothesis import given, settings
from hypothesis import strategies as some
from small_traces import Weights, attention_backward, attention_training, train_once

import workings as w
from workings import ops
from workings.engine.changes import Changes
from workings.engine.compile import compile_recording
from workings.engine.errors import CallError, NumberError, ReplayError, ShapeError
from workings.engine.replay import replay

EXAMPLES = settings(max_examples=60, deadline=None, derandomize=True, database=None)


@pytest.fixture(scope="module")
def trace():
    return attention_backward()


def compiled(recorded, outputs, inputs=None):
    step = recorded.recording.step
    return compile_recording(
        recorded.recording, [step(id) for id in inputs or recorded.leaves], [step(id) for id in outputs]
    )


# -- compiled = replayed ---------------------------------------------------------------------


@EXAMPLES
@given(seed=some.integers(0, 10**6), data=some.data())
def test_a_compiled_random_graph_gives_the_bits_of_a_replay(seed, data):
    plan = random_plan(seed)
    recorded = run(plan, plan.values(seed))
    outputs = data.draw(some.lists(some.sampled_from(list(recorded.recording.steps)), min_size=1, max_size=6))
    program = compiled(recorded, outputs)
    for other in (seed, seed + 1, seed + 2):
        values = plan.values(other)
        replayed = replay(recorded.recording, Changes(values=dict(zip(recorded.leaves, values, strict=True))))
        results = program(*values)
        assert [bits(array) for array in results] == [bits(replayed.value(id)) for id in outputs]


@EXAMPLES
@given(seed=some.integers(0, 10**6))
def test_all_steps_at_once_and_one_at_a_time_give_the_same_bits(seed):
    plan = random_plan(seed, lines=8)
    recorded = run(plan, plan.values(seed), back=False)
    together = compiled(recorded, recorded.results)(*plan.values(seed + 1))
    for id, array in zip(recorded.results, together, strict=True):
        (alone,) = compiled(recorded, [id])(*plan.values(seed + 1))
        assert bits(alone) == bits(array)


@EXAMPLES
@given(seed=some.integers(0, 10**6))
def test_what_does_not_depend_on_the_inputs_becomes_a_constant(seed):
    plan = random_plan(seed)
    recorded = run(plan, plan.values(seed))
    program = compiled(recorded, [recorded.loss], inputs=recorded.leaves[:1])
    value = plan.values(seed + 1)[0]
    replayed = replay(recorded.recording, Changes(values={recorded.leaves[0]: value}))
    assert bits(program(value)[0]) == bits(replayed.value(recorded.loss))


def test_the_same_value_twice_transposed_twice_is_one_value():
    with w.Trace() as trace:
        x = w.given([[1.0, 2.0], [0.5, 0.1]], name="x")
        first, second = (ops.transpose(ops.transpose(x)) for _ in range(2))
        ops.add(ops.exp(first), ops.exp(second), name="y")
    (y,) = trace.compile(["x"], ["y"])(trace["x"].value)
    assert bits(y) == bits(trace["y"].value)


def test_a_composite_of_a_renamed_input_compiles():
    with w.Trace() as trace:
        x = w.given([[1.0, 2.0], [0.5, 0.1]], "token model", name="x")
        ops.softmax(x.rename(model="key"), axis="key", name="P")
    (P,) = trace.compile(["x"], ["P"])(trace["x"].value)
    assert bits(P) == bits(trace["P"].value)


def test_a_one_of_a_wider_type_still_widens():
    with w.Trace() as trace:
        x = w.given(numpy.ones(3, dtype="float32"), name="x")
        ops.mul(x, w.constant(1.0, name="one"), name="y")
    (y,) = trace.compile(["x"], ["y"])(trace["x"].value)
    assert bits(y) == bits(trace["y"].value)


def test_an_input_that_lies_in_columns_gives_the_same_bits(trace):
    program = trace.compile(["E", "W_Q"], ["loss", "dE", "dW_Q"])
    numbers = numpy.random.default_rng(1)
    E, W_Q = numbers.standard_normal((4, 2)), numbers.standard_normal((2, 2))
    rows, columns = program(E, W_Q), program(numpy.asfortranarray(E), numpy.asfortranarray(W_Q))
    assert [bits(array) for array in columns] == [bits(array) for array in rows]


# -- results belong to the caller ------------------------------------------------------------


def pass_through():
    a, b = (w.given([[1.0, 2.0], [3.0, 4.0]], "token model", name=name) for name in "ab")
    with w.Trace() as trace:
        turned = ops.transpose(ops.exp(ops.add(a, b, name="sum"), name="powers"), name="turned")
        ops.take_row(turned, index=0, name="row")
        ops.transpose(a, name="view")
        ops.neg(w.constant([1.0], name="fixed"), name="nothing")
    return trace.backward("sum", cotangent=numpy.ones((2, 2)))


OUTPUTS = ["a", "sum", "powers", "turned", "row", "view", "nothing", "da", "db", "dsum", "a", "sum"]


def test_every_result_is_an_array_of_its_own():
    trace = pass_through()
    program = trace.compile(["a", "b"], OUTPUTS)
    a, b = numpy.array([[0.5, 0.1], [0.2, 0.3]]), numpy.ones((2, 2))
    results = program(a, b)
    for n, result in enumerate(results):
        assert result.flags.writeable
        assert not any(numpy.shares_memory(result, other) for other in (a, b, *results[:n]))
    expected = trace.replay(values={"a": a, "b": b})
    assert [bits(result) for result in results] == [bits(expected[name].value) for name in OUTPUTS]


@EXAMPLES
@given(seed=some.integers(0, 10**6))
def test_later_calls_do_not_touch_earlier_results_and_results_do_not_touch_later_calls(seed):
    plan = random_plan(seed)
    recorded = run(plan, plan.values(seed))
    outputs = [*recorded.results, *list(recorded.recording.steps)[-6:]]
    program = compiled(recorded, outputs)
    first = program(*plan.values(seed + 1))
    kept = [bits(array) for array in first]
    program(*plan.values(seed + 2))
    assert [bits(array) for array in first] == kept
    for array in first:
        if isinstance(array, numpy.ndarray):
            array[...] = 9.0
    assert [bits(array) for array in program(*plan.values(seed + 1))] == kept


# -- what a program is asked for -------------------------------------------------------------


def test_the_source_names_the_paths_of_its_steps(trace):
    program = trace.compile(["W_Q", "E"], ["loss", "dW_Q"])
    assert program.source.startswith("def program(x0, x1):\n    # x0: W_Q, model 2 × head_size 2\n")
    for path in ("Q", "attention.scores", "attention.weights/exp", "loss/log", "attention.dscores", "dW_Q"):
        assert f"# {path}" in program.source
    assert (program.inputs, program.outputs) == (("W_Q", "E"), ("loss", "dW_Q"))
    assert "numpy" not in program.source


def test_no_name_becomes_code():
    with w.Trace() as trace:
        x = w.given([1.0], name="x\n    raise SystemExit\r    raise SystemExit")
        ops.exp(x, name="y\n    raise SystemExit\u2028    raise SystemExit\x0craise SystemExit")
    (y,) = trace.compile(["1"], ["2"])(numpy.zeros(1))
    assert y.tolist() == [1.0]


@pytest.mark.parametrize(
    ("arrays", "error", "words"),
    [
        (
            [numpy.ones((2, 3)), numpy.ones((4, 2))],
            ShapeError,
            r"has the shape \(2, 2\) in this program, but the array given has \(2, 3\)",
        ),
        ([numpy.ones(4), numpy.ones((4, 2))], ShapeError, "in this program, but the array given has"),
        ([numpy.ones((2, 2), dtype="float32"), numpy.ones((4, 2))], ReplayError, "float64 in this program"),
        ([numpy.ones((2, 2), dtype=int), numpy.ones((4, 2))], ReplayError, "int64"),
        ([[[1.0, 0.0], [0.0, 1.0]], numpy.ones((4, 2))], CallError, "is a list"),
        ([numpy.ones((2, 2))], CallError, r"takes 2 inputs \(W_Q, E\), but 1 was given"),
        ([numpy.ones((2, 2))] * 3, CallError, "but 3 were given"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(trace, arrays, error, words):
    program = trace.compile(["W_Q", "E"], ["loss"])
    with pytest.raises(error, match=words) as raised:
        program(*arrays)
    assert raised.value.hint


def test_numbers_that_overflow_are_refused_and_do_not_only_warn(trace):
    program = trace.compile(["E"], ["loss"])
    with pytest.raises(NumberError, match="too large"):
        program(numpy.full((4, 2), 1e200))


def test_a_computed_input_is_refused(trace):
    with pytest.raises(ReplayError, match=r"Q is computed") as raised:
        trace.compile(["Q"], ["loss"])
    assert "W_Q" in raised.value.hint


def test_an_input_that_is_named_twice_is_refused(trace):
    with pytest.raises(ReplayError, match="twice"):
        trace.compile(["W_Q", "W_K", "W_Q"], ["loss"])


def test_a_calculator_cannot_be_compiled():
    with pytest.raises(ReplayError, match="calculator 3 decimals"):
        attention_backward("calculator 3 decimals").compile(["W_Q"], ["loss"])


def test_a_program_without_inputs_or_outputs_is_still_a_program(trace):
    assert bits(trace.compile([], ["loss"])()[0]) == bits(trace["loss"].value)
    assert trace.compile(["W_Q"], [])(numpy.ones((2, 2))) == ()


# -- training --------------------------------------------------------------------------------


def test_fifty_compiled_steps_of_training_are_fifty_recorded_ones_to_the_bit():
    names = Weights.first().names()
    program = attention_training().compile(names, [f"step1.{name}_new" for name in names] + ["step1.loss"])
    arrays = [getattr(Weights.first(), name).array for name in names]
    weights, tokens, target = Weights.first(), w.ids([0, 1], name="tokens"), w.ids(2, name="target")
    losses = []
    for _ in range(50):
        trace = w.Trace()
        new = train_once(trace, weights, tokens, target)
        *arrays, loss = program(*arrays)
        assert [bits(getattr(new, name).array) for name in names] == [bits(array) for array in arrays]
        assert bits(loss) == bits(trace["step1.loss"].value)
        losses.append(float(loss))
        weights = Weights(**{n: w.parameter(getattr(new, n), " ".join(getattr(new, n).axes), name=n) for n in names})
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.5 * losses[0]
