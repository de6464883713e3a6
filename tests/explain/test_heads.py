"""One head of packed heads by name: the right numbers, everywhere where a step can be named."""

import numpy
import pytest

import workings as w
from workings import ops
from workings.cli.main import main
from workings.document.blocks import Derivation, Matrix, plain_text
from workings.engine.arrays import indices
from workings.engine.errors import EntryError, NumberError, ShapeError, StepError

HEADS, TOKENS, SIZE = 2, 3, 2
SCORES = "block1.attention.scores"


def attend(trace, X, number):
    """One block with packed heads; the weights have names of their own."""
    numbers = numpy.random.default_rng(number)
    Q, K = (w.parameter(numbers.standard_normal((4, 4)).round(1), "model hidden", name=name) for name in ("W_Q", "W_K"))
    with trace.scope(f"block{number}"), trace.scope("attention"):
        queries = ops.split_heads(ops.matmul(X, Q, name="Q"), heads=HEADS, name="Q_heads").rename(token="query")
        keys = ops.split_heads(ops.matmul(X, K, name="K"), heads=HEADS, name="K_heads").rename(token="key")
        scores = ops.matmul(queries, ops.transpose(keys), name="scores")
        return ops.softmax(scores, axis="key", name="weights")


def packed(blocks=1, aliases=None, **options):
    X = w.given(numpy.random.default_rng(0).standard_normal((TOKENS, 4)).round(1), "token model", name="X")
    with w.Trace(aliases=aliases, **options) as trace:
        squares = [ops.mul(weights, weights) for weights in (attend(trace, X, n + 1) for n in range(blocks))]
        ops.sum(ops.collect(*squares) if blocks > 1 else squares[0], name="loss")
    return trace.backward("loss")


@pytest.fixture(scope="module")
def trace():
    return packed()


def refused(action, error=StepError):
    with pytest.raises(error) as raised:
        action()
    return raised.value


# -- looking ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("head", [1, 2])
@pytest.mark.parametrize("name", ["scores", "weights", "Q_heads", "dscores", "dK_heads"])
def test_a_head_is_that_slice(trace, name, head):
    whole = trace[name]
    for part in (trace[f"head{head}.{name}"], trace[f"block1.attention.head{head}.{name}"]):
        assert part.path == f"block1.attention.head{head}.{name}"
        assert part.name == f"head{head}.{name}"
        assert (part.id, part.op, part.settings, part.formula) == (whole.id, whole.op, whole.settings, whole.formula)
        assert (part.axes, part.shape) == (whole.axes[1:], whole.shape[1:])
        numpy.testing.assert_array_equal(part.value, whole.value[head - 1])
        numpy.testing.assert_array_equal(numpy.asarray(part), whole.value[head - 1])
        assert not part.value.flags.writeable


def test_size_of_an_axis_of_a_head_knows_the_axis_of_the_whole_step(trace):
    whole, head = trace[SCORES], trace["head2.scores"]
    for axis, size in enumerate(head.shape):
        number = head.axis_size(axis)
        assert (number.value, number.step, number.role) == (size, whole.id, "size")
        assert whole.axes[number.index[0]] == head.axes[axis]
    assert [whole.axis_size(axis).index for axis in range(3)] == [(0,), (1,), (2,)]


def test_the_two_heads_are_different(trace):
    assert not numpy.allclose(trace["head1.scores"].value, trace["head2.scores"].value)


@pytest.mark.parametrize("name", ["scores", "weights", "dscores"])
def test_the_cell_of_a_head_is_that_entry(trace, name):
    for head in (1, 2):
        part = trace[f"head{head}.{name}"]
        for at in indices(part.shape):
            assert part.cell(*at) == trace[name].cell(head - 1, *at)
    assert part.cell(-1, -1) == part.cell(TOKENS - 1, TOKENS - 1)
    assert part.cell(0, 0, digits=2) == trace[name].cell(1, 0, 0, digits=2)


@pytest.mark.parametrize("name", ["scores", "weights", "dscores", "Q_heads", "dK_heads"])
def test_document_of_a_head_has_its_numbers_with_their_indices(trace, name):
    part = trace[f"head2.{name}"]
    document = part.document()
    assert document.title == f"block1.attention.head2.{name}"
    (matrix,) = (block for block in document.blocks if isinstance(block, Matrix))
    assert (matrix.axes, matrix.shape, matrix.title) == (part.axes, part.shape, "")
    (rows,) = matrix.slices
    shown = {number.index: float(number.value) for row in rows.rows for number in row}
    assert shown == {(1, *at): part.value[at] for at in indices(part.shape)}
    (derivation,) = (block for block in document.blocks if isinstance(block, Derivation))
    assert derivation.index[0] == 1
    assert derivation == part.cell(*derivation.index[1:])
    title = plain_text(document.blocks[1].spans)
    assert title.startswith(f"head2.{name} ")
    assert title.removeprefix("head2.") == plain_text(trace[name].document().blocks[1].spans)
    assert repr(part).splitlines()[0] == f"block1.attention.head2.{name} ({part.form}, {part.op})"


def test_the_document_of_one_cell(trace):
    blocks = trace["head2.scores"].document((1, 0)).blocks
    assert blocks[-1] == trace["scores"].cell(1, 1, 0)
    assert plain_text(blocks[-2].spans).startswith("head2.scores = matmul(")


def test_inputs_and_twin_of_a_head_are_the_same_head(trace):
    part = trace["head2.scores"]
    assert [step.path for step in part.inputs] == ["block1.attention.head2.Q_heads", "block1.attention.head2.K_heads_T"]
    assert [step.path for step in part.inputs[0].inputs] == ["block1.attention.Q"]
    assert trace["head2.dscores"].twin.path == part.path
    assert part.twin is None
    paths = [step.path for step in trace["head2.weights"].inside]
    assert paths == [f"block1.attention.head2.weights/{name}" for name in ("max", "sub", "exp", "total", "div")]


def test_the_inside_of_a_head(trace):
    part = trace["head2.weights/exp"]
    assert part.path == "block1.attention.head2.weights/exp"
    numpy.testing.assert_array_equal(part.value, trace["weights/exp"].value[1])
    assert part.cell(1, 0) == trace["weights/exp"].cell(1, 1, 0)
    assert float(part.document().blocks[-1].lines[-1].value.value) in part.value
    assert trace[part.path].shape == (TOKENS, TOKENS)
    error = refused(lambda: trace["head2.weights/expo"])
    assert error.what == "There is no step 'expo'."
    assert error.where == "block1.attention.weights"


def test_going_on_with_a_head_is_a_recorded_step():
    trace = packed()
    assert trace["head2.scores"].tensor.array.tolist() == trace["scores"].value[1].tolist()
    with trace:
        ops.sum(trace["head2.scores"].tensor, name="total")
    trace.backward("total", wrt=["W_Q"])
    assert (trace["total"].inputs[0].op, trace["total"].inputs[0].inputs[0].path) == ("take_row", SCORES)
    assert trace["backward2.block1.attention.dscores"].value[0].tolist() == numpy.zeros((TOKENS, TOKENS)).tolist()
    part = trace["backward2.block1.attention.head2.dscores"]
    assert part.value.tolist() == numpy.ones((TOKENS, TOKENS)).tolist()


def test_a_head_anywhere_among_the_axes():
    numbers = numpy.arange(24.0).reshape(2, 3, 4)
    with w.Trace() as trace:
        for axes in ("head batch token", "batch head token", "batch token head"):
            ops.scale(w.given(numbers, axes), factor=2.0, name=axes.split()[2] + axes[0])
        ops.scale(w.given([3.0, 4.0, 5.0], "head"), factor=2.0, name="row")
    for name, place in (("tokenh", 0), ("tokenb", 1), ("headb", 2)):
        part = trace[f"head2.{name}"]
        numpy.testing.assert_array_equal(part.value, 2 * numbers.take(1, axis=place))
        at = [0, 1]
        at.insert(place, 1)
        assert part.cell(0, 1) == trace[name].cell(*at)
        number = next(block for block in part.document().blocks if isinstance(block, Matrix)).slices[0].rows[0][1]
        assert (float(number.value), number.index) == (part.value[0][1], tuple(at))
    assert trace["head3.row"].shape == ()
    assert trace["head3.row"].cell() == trace["row"].cell(2)
    assert "10" in repr(trace["head3.row"])


# -- which one is meant ------------------------------------------------------------------------------


def test_heads_are_contained_in_the_trace(trace):
    assert all(name in trace for name in ("head1.scores", "head2.dscores", "block1.attention.head2.weights"))
    absent = ("head0.scores", "head3.scores", "head2.Q", "head2.X", "block1.head2.attention.scores", "head02.scores")
    assert not any(name in trace for name in (*absent, "head2", "head.scores", "head99999999999.scores"))


def test_a_head_that_is_not_there_is_an_error_that_counts_them(trace):
    error = refused(lambda: trace["head5.scores"])
    assert "There is no head" in error.what
    assert error.what == "There is no head 5 in block1.attention.scores: it has 2."
    assert error.hint == "Heads count from 1: head1 to head2."
    assert "it has 2" in refused(lambda: trace["head0.dscores"]).what
    assert "There is no head" in refused(lambda: trace.replay(values={"head3.scores": 0.0})).what


def test_a_step_without_heads_has_none(trace):
    assert "There is no step '" in refused(lambda: trace["head2.Q"]).what
    with w.Trace() as plain:
        ops.softmax(w.given([[1.0, 2.0]], "query key"), name="weights")
    assert "There is no step '" in refused(lambda: plain["head1.weights"]).what


def test_name_of_several_blocks_is_ambiguous():
    trace = packed(blocks=2)
    error = refused(lambda: trace["head2.scores"])
    assert "' could be any of" in error.what
    assert "block1.attention.head2.scores, block2.attention.head2.scores" in error.hint
    assert "head2.scores" in trace
    for number in (1, 2):
        path = f"block{number}.attention.head2.scores"
        numpy.testing.assert_array_equal(trace[path].value, trace[f"block{number}.attention.scores"].value[1])
        assert trace[f"block{number}.attention.head2.dscores"].twin.path == path
    assert [part.path for part in trace.all("head2.scores")] == [f"block{n}.attention.head2.scores" for n in (1, 2)]
    assert trace.all("head3.scores") == trace.all("head2.nothing") == trace.all("head0.scores") == []


def test_a_full_path_means_itself():
    with w.Trace() as trace:
        ops.exp(w.given([[1.0], [2.0]], "head token", name="x"), name="scores")
        with trace.scope("deep"):
            ops.exp(w.given([[3.0], [4.0]], "head token", name="x"), name="scores")
    assert trace["head2.scores"].path == "head2.scores"
    assert trace["deep.head2.scores"].path == "deep.head2.scores"


def test_a_step_of_that_path_always_comes_first():
    trace = packed()
    with trace, trace.scope("block9"), trace.scope("head2"):
        ops.exp(w.given([[1.0]], "query key", name="x"), name="scores")
    assert trace["head2.scores"].path == "block9.head2.scores"
    assert trace["block1.attention.head2.scores"].shape == (TOKENS, TOKENS)
    assert [step.path for step in trace.all("head2.scores")] == ["block9.head2.scores"]
    pinned = trace.replay(values={"head2.scores": [[5.0]]})
    assert pinned["head2.scores"].value.tolist() == [[5.0]]
    assert pinned["loss"].value == trace["loss"].value
    assert trace.replay(ops={"head2.scores": "sin"})["head2.scores"].op == "sin"


def test_aliases_of_a_step_and_of_a_head():
    trace = packed(aliases={"α": "weights", "β": "block1.attention.head2.weights"})
    for name in ("head2.α", "β"):
        assert trace[name].path == "block1.attention.head2.weights"
    again = w.Trace.from_json(trace.to_json())
    assert again["α"].path == "block1.attention.weights"
    numpy.testing.assert_array_equal(again["head2.α"].value, trace["β"].value)


# -- entries that are not there ------------------------------------------------------------------------


def test_an_entry_is_counted_in_the_head(trace):
    error = refused(lambda: trace["head2.scores"].cell(1, 0, 0), EntryError)
    assert error.what == "An entry of head2.scores has a position on each axis (2); given: 3."
    assert "head2.scores[0][0]" in error.hint
    error = refused(lambda: trace["head2.scores"].cell(0, 3), EntryError)
    assert error.what == "Position 3 on the axis key is outside: there are 3."
    assert error.where == "block1.attention.head2.scores"


def test_a_tape_has_not_kept_it():
    tape = packed(level="tape")
    assert tape["head2.weights"].shape == (TOKENS, TOKENS)
    error = refused(lambda: tape["head2.scores"].value, w.WorkingsError)
    assert "was not kept." in error.what


# -- replay ----------------------------------------------------------------------------------------------

EVEN = numpy.full((TOKENS, TOKENS), 0.25)


def test_one_head_is_pinned_and_the_rest_stays(trace):
    pinned = trace.replay(values={"head2.weights": EVEN})
    whole = numpy.stack([trace["weights"].value[0], EVEN])
    numpy.testing.assert_array_equal(pinned["weights"].value, whole)
    expected = trace.replay(values={"weights": whole})
    for step in expected:
        numpy.testing.assert_array_equal(pinned[step.id].value, step.value)
    assert pinned["loss"].value != trace["loss"].value
    assert not numpy.allclose(trace["weights"].value[1], EVEN)


def test_several_heads_are_pinned_together_in_any_order(trace):
    values = {"head2.weights": EVEN.tolist(), "block1.attention.head1.weights": 2 * EVEN, "W_K": numpy.ones((4, 4))}
    for given in (values, dict(reversed(values.items()))):
        pinned = trace.replay(values=given)
        numpy.testing.assert_array_equal(pinned["weights"].value, numpy.stack([2 * EVEN, EVEN]))
        assert pinned["W_K"].value[0][0] == 1.0


def test_a_head_is_put_into_a_whole_that_is_pinned_too(trace):
    whole = numpy.ones((HEADS, TOKENS, TOKENS))
    for given in ({"weights": whole, "head2.weights": EVEN}, {"head2.weights": EVEN, "weights": whole}):
        numpy.testing.assert_array_equal(
            trace.replay(values=given)["weights"].value, numpy.stack([numpy.ones((TOKENS, TOKENS)), EVEN])
        )
    assert whole.tolist() == numpy.ones_like(whole).tolist()  # what was given is not changed


def test_a_gradient_of_one_head_is_pinned(trace):
    pinned = trace.replay(values={"head1.dscores": EVEN})
    numpy.testing.assert_array_equal(pinned["dscores"].value, numpy.stack([EVEN, trace["dscores"].value[1]]))
    assert not numpy.allclose(pinned["dW_Q"].value, trace["dW_Q"].value)


def test_whole_numbers_among_real_ones_are_taken_and_the_type_stays():
    trace = packed(precision="float32")
    pinned = trace.replay(values={"head2.weights": numpy.ones((TOKENS, TOKENS), dtype="int64")})
    assert pinned["weights"].value.dtype == numpy.float32
    assert pinned["head2.weights"].value.tolist() == numpy.ones((TOKENS, TOKENS)).tolist()
    numpy.testing.assert_array_equal(pinned["head1.weights"].value, trace["head1.weights"].value)


@pytest.mark.parametrize(
    ("value", "error", "key"),
    [
        ([0.5], ShapeError, "but the new value has"),
        (0.5, ShapeError, "but the new value has"),
        (numpy.ones((HEADS, TOKENS, TOKENS)), ShapeError, "but the new value has"),
        ([[1.0], [1.0, 2.0]], ShapeError, "The rows are not equally long, or an entry is not a number."),
        ("many", ShapeError, "The rows are not equally long, or an entry is not a number."),
        (numpy.full((TOKENS, TOKENS), numpy.nan), NumberError, "contains"),
    ],
    ids=str,
)
def test_a_value_that_does_not_fit_the_head_is_refused(trace, value, error, key):
    found = refused(lambda: trace.replay(values={"head2.weights": value}), error)
    assert key in found.what
    assert "block1.attention.head2.weights" in str(found)


def test_labels_stay_whole_numbers():
    with w.Trace() as trace:
        ops.one_hot(w.ids([[0, 1], [2, 1]], "head token", name="labels"), size=3, name="marks")
    pinned = trace.replay(values={"head2.labels": [1, 1]})
    assert pinned["labels"].value.tolist() == [[0, 1], [1, 1]]
    error = refused(lambda: trace.replay(values={"head2.labels": numpy.array([0.5, 1.0])}), NumberError)
    assert error.what == "head2.labels must be whole numbers, not float64."
    assert error.where == "head2.labels"


@pytest.mark.parametrize(
    "action",
    [
        lambda trace: trace.replay(ops={"head2.weights": "softmax.wrong_axis"}),
        lambda trace: trace.replay(settings={"head2.weights": {"axis": "query"}}),
        lambda trace: trace.replay(wires={"head2.weights": {"x": "scores"}}),
        lambda trace: trace.replay(wires={"loss": {"x": "head2.weights"}}),
        lambda trace: trace.mistakes("head2.weights"),
        lambda trace: trace.backward("head2.weights", EVEN),
        lambda trace: trace.compile(["X"], ["head2.weights"]),
    ],
)
def test_one_head_is_no_step_to_change_or_to_start_from(trace, action):
    error = refused(lambda: action(trace))
    assert "' is one head of the step" in error.what
    assert "'head2.weights' is one head of the step block1.attention.weights" in error.what
    assert "block1.attention.weights" in error.hint


@pytest.mark.parametrize("name", ["weights/exp", "head2.weights/exp"])
def test_step_inside_a_composite_cannot_be_changed(trace, name):
    for action in (lambda: trace.replay(values={name: EVEN}), lambda: trace.replay(ops={name: "sin"})):
        error = refused(action)
        assert ": you can look at it, but not change it or start backward from it." in error.what
        assert "the step block1.attention.weights" in error.what


# -- the command line --------------------------------------------------------------------------------------


def test_a_cell_of_a_head_on_the_command_line(trace, tmp_path, capsys):
    file = tmp_path / "heads.json"
    file.write_text(trace.to_json(), encoding="utf-8")
    assert main(["trace", str(file), "--step", "head2.scores", "--cell", "1,0"]) == 0
    printed = capsys.readouterr().out
    assert str(trace["scores"].cell(1, 1, 0)) in " ".join(printed.split())
    assert printed.splitlines()[0] == "block1.attention.head2.scores"
    assert main(["trace", "block", "--step", "head1.dscores"]) == 0
    assert "head1.dscores" in capsys.readouterr().out
    assert main(["trace", "block", "--step", "head5.scores"]) == 2
    assert "it has 2" in capsys.readouterr().err


@pytest.mark.parametrize("format", ["json", "md"])
def test_other_formats(format, capsys):
    assert main(["trace", "block", "--step", "head2.weights", "--format", format]) == 0
    assert "head2.weights" in capsys.readouterr().out
