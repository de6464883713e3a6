"""The cache: what is read bit by bit gives the same scores as the whole text."""

from dataclasses import replace

import numpy
import pytest
from generated_models import PAIR, SMALL, architectures, built, often
from hypothesis import given
from hypothesis import strategies as st

import workings as w
from workings import nn
from workings.engine.errors import CallError, ShapeError
from workings.nn.cache import with_cache

CLOSE = 1e-12


def texts(architecture, rows, length, seed):
    """Token numbers; without rows one text, which has no batch axis."""
    shape = (rows, length) if rows else (length,)
    return numpy.random.default_rng(seed).integers(0, architecture.vocab_size, shape)


def ids(numbers, name="tokens"):
    return w.ids(numbers, "batch token" if numbers.ndim == 2 else "token", name=name)


def bit_by_bit(cached, tokens, cuts):
    """The scores of each bit of a text."""
    return [cached(ids(bit)).array for bit in numpy.split(tokens, cuts, axis=-1)]


def assert_same(architecture, model, cached, tokens, source, cuts):
    before = () if source is None else (ids(source, "source"),)
    whole = [model(*before, ids(tokens[..., :end])).array for end in (*cuts, tokens.shape[-1])]
    start = 0
    for found, expected in zip(bit_by_bit(cached, tokens, cuts), whole, strict=True):
        if architecture.head == "all-tokens":
            expected, start = expected[..., start:, :], expected.shape[-2]
        assert found.shape == expected.shape
        assert abs(found - expected).max() <= CLOSE * max(1, abs(expected).max())


@given(architectures(), st.integers(0, 3), st.integers(1, 6), st.integers(1, 4), st.integers(0, 999))
@often
def test_bit_by_bit_gives_the_scores_of_the_whole_text(architecture, rows, length, first, seed):
    model = built(architecture, seed)
    cached = with_cache(model)
    tokens = texts(architecture, rows, length, seed)
    source = texts(architecture, rows, 3, seed + 1) if architecture.kind == "encoder-decoder" else None
    if source is not None:
        cached.read(ids(source, "source"))
    cuts = list(range(min(first, length), length))
    assert_same(architecture, model, cached, tokens, source, cuts)
    cached.forget()
    assert_same(architecture, model, cached, tokens, source, [])


def test_the_drawn_architectures_are_of_all_kinds():
    drawn = []

    @given(architectures())
    @often
    def draw(architecture):
        drawn.append(architecture)

    draw()
    assert len(set(drawn)) >= 40
    for choice in ("kind", "projections", "position", "norm", "norm_place", "heads", "layers", "head", "residual"):
        assert len({getattr(architecture, choice) for architecture in drawn}) >= 2


@pytest.mark.parametrize("projections", ["packed", "per-head"])
@pytest.mark.parametrize("rows", [0, 2])
def test_texts_of_a_batch_can_be_picked(projections, rows):
    """Of a source without a batch all texts share the memory; one with a batch is picked with the texts."""
    architecture = replace(PAIR, projections=projections)
    model = built(architecture)
    cached = with_cache(model)
    source, tokens = texts(architecture, rows, 3, 1), texts(architecture, 2, 4, 2)
    cached.read(ids(source, "source"))
    cached(ids(tokens[:, :3]))
    order = [1, 0, 1]
    cached.pick(w.ids(order, "batch"))
    found = cached(ids(tokens[order, 3:])).array
    expected = model(ids(source[order] if rows else source, "source"), ids(tokens[order])).array[:, 3:]
    assert abs(found - expected).max() < CLOSE


def test_two_caches_of_one_model_do_not_know_each_other():
    model = built(SMALL)
    one, other = with_cache(model), with_cache(model)
    one(w.ids([1, 2, 3]))
    assert other.cache.length == 0
    assert (other(w.ids([4])).array == model(w.ids([4])).array).all()


# -- what a trace shows --------------------------------------------------------------------------


def recorded(architecture, *bits, source=None):
    model = built(architecture)
    cached = with_cache(model)
    with w.Trace() as trace:
        model.write_down()
        if source is not None:
            cached.read(w.ids(source, name="source"))
        for number, bit in enumerate(bits, 1):
            with trace.scope(f"token{number}"):
                cached(w.ids(bit, name="tokens"))
    return trace


@pytest.mark.parametrize(("projections", "place"), [("packed", "attention"), ("per-head", "attention.head2")])
def test_the_cache_is_the_rows_before_and_the_new_ones(projections, place):
    trace = recorded(replace(SMALL, projections=projections), [1, 2], [3])
    for letter in "KV":
        first, second = (trace[f"token{n}.block2.{place}.{letter}_cache"] for n in (1, 2))
        new = trace[f"token2.block2.{place}.{letter}{'_heads' if projections == 'packed' else ''}"]
        assert second.step.op_name == "concat"
        assert list(second.step.inputs) == [first.step.id, new.step.id]
        assert numpy.array_equal(second.value, numpy.concatenate([first.value, new.value], axis=-2))
        assert second.axes == first.axes
    assert trace[f"token2.block2.{place}.scores"].value.shape[-2:] == (1, 3)


def test_weights_stand_once_under_their_own_paths():
    trace = recorded(SMALL, [1, 2], [3])
    weights = [step.path for step in trace.recording.steps.values() if step.leaf == "parameter"]
    assert sorted(weights) == sorted(built(SMALL).parameters())


def test_positions_count_on():
    trace = recorded(SMALL, [1, 2], [3], [4])
    assert [trace[f"token{n}.embedding.position.order"].value.tolist() for n in (1, 2, 3)] == [[0, 1], [2], [3]]


@pytest.mark.parametrize("projections", ["packed", "per-head"])
def test_a_source_is_read_once(projections):
    trace = recorded(replace(PAIR, projections=projections), [1], [2], [3], source=[4, 0, 1])
    head = "" if projections == "packed" else ".head1"
    across = f"decoder.block1.cross_attention{head}"
    for name in (f"encoder.block2.attention{head}.scores",
                 f"{across}.K", f"{across}.V"):  # fmt: skip
        assert [step.path for step in trace.recording.steps.values() if step.path.endswith(name)] == [name]
    assert len(trace.all(f"{across}.scores")) == 3


def test_a_trace_with_a_cache_is_a_program_that_runs_again():
    trace = recorded(PAIR, [1], [2], source=[4, 0, 1])
    again = trace.replay(values={"source": [4, 0, 2]})
    cached = with_cache(built(PAIR))
    cached.read(w.ids([4, 0, 2]))
    cached(w.ids([1]))
    assert abs(again["token2.logits"].value - cached(w.ids([2])).array).max() < CLOSE


def test_a_trace_that_begins_later_writes_down_what_was_kept():
    cached = with_cache(built(SMALL))
    cached(w.ids([1, 2]))
    with w.Trace() as trace:
        cached(w.ids([3]))
    kept = trace.recording.step(trace["block1.attention.K_cache"].step.inputs[0])
    assert (kept.leaf, kept.path) == ("given", "block1.attention.K_kept")


# -- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": "encoder", "mask": "none"}, "This attention is not causal"),
        ({"mask": "none"}, "This attention is not causal"),
        ({"head": "classifier", "classes": 2}, "Classifier needs the whole text"),
        ({"head": "masked-tokens"}, "MaskedTokens needs the whole text"),
    ],
)
def test_model_without_a_cache_is_rejected(change, said):
    with pytest.raises(CallError, match=said) as caught:
        with_cache(built(replace(SMALL, **change)))
    assert "try:" in str(caught.value)


def test_error_names_the_attention_without_a_mask():
    with pytest.raises(CallError, match=r"where: block1\.attention"):
        with_cache(built(replace(SMALL, mask="none")))


def test_part_of_a_model_cannot_have_a_cache():
    with pytest.raises(CallError, match="Embedding is not a whole model"):
        with_cache(nn.Embedding(w.parameter([[1.0]], "vocab model")))


def test_model_with_dropout_cannot_have_a_cache():
    model = nn.build(replace(SMALL, dropout=0.5), nn.Drawn(7), w.Draws(1))
    with pytest.raises(CallError, match=r"(?s)uses dropout.*where: block1.attention"):
        with_cache(model)


def test_masked_cross_attention_cannot_have_a_cache():
    model = built(PAIR)
    block = model.decoder.stack.blocks[0]
    masked = replace(block.cross_attention, part=replace(block.cross_attention.part, mask=nn.Causal()))
    stack = replace(model.decoder.stack, blocks=(replace(block, cross_attention=masked),))
    with pytest.raises(CallError, match=r"(?s)not attend to the whole source.*where: decoder.block1.cross_attention"):
        with_cache(replace(model, decoder=replace(model.decoder, stack=stack)))


def test_decoder_needs_a_source_first():
    with pytest.raises(CallError, match="has not read a source yet"):
        with_cache(built(PAIR))(w.ids([1]))


def test_more_tokens_than_positions_are_rejected():
    cached = with_cache(built(SMALL))
    cached(w.ids([1, 2, 3, 4]))
    with pytest.raises(ShapeError, match="The text has 7 tokens, but there are positions for only 6"):
        cached(w.ids([1, 2, 3]))
