"""Modules and their parts: names, lists, sharing, other weights."""

import numpy
import pytest

import workings as w
from workings import nn

SMALL = nn.Architecture(kind="decoder", vocab_size=4, width=4, heads=2, hidden=6, head="all-tokens")


def model(**changes):
    return nn.build(nn.Architecture(**{**vars(SMALL), "head_size": 0, "decoder_layers": 0, **changes}), nn.Drawn(3))


def paths(module, *inputs):
    with w.Trace() as trace:
        module(*inputs)
    return {step.path for step in trace}


X = w.given(w.Draws(1).normal((3, 4)), "token model", name="X")


def test_a_list_of_modules_is_as_good_as_a_tuple():
    block = model().stack.blocks[0]
    stack = nn.Encoder([block])
    assert set(stack.parameters()) == {f"block1.{path}" for path in block.parameters()}


def test_a_module_that_is_used_twice_has_two_names_and_leaves_the_first_as_it_was():
    first = model()
    block = first.stack.blocks[0]
    twice = nn.Encoder((block, block))
    assert {"block1.attention.scores", "block2.attention.scores"} <= paths(twice, X)
    assert list(twice.parameters()) == list(nn.Encoder((block,)).parameters())  # the same weights, listed once
    assert "block1.attention.scores" in paths(first, w.ids([0, 1, 2]))
    assert "block2.attention.scores" not in paths(first, w.ids([0, 1, 2]))


def test_other_weights_must_be_known_and_fit():
    with pytest.raises(
        w.WorkingsError, match=r"no weight 'block1.attention.W_q'(.|\n)*Did you mean (.*)block1.attention.W_Q"
    ):
        model().with_parameters({"block1.attention.W_q": X})
    with pytest.raises(w.WorkingsError, match=r"token 3 × model 4"):
        model().with_parameters({"block1.attention.W_Q": X})


def test_weights_drawn_from_a_seed_do_not_depend_on_the_others():
    one, other = model().parameters(), model(position="learned", max_positions=9, biases="none", layers=2).parameters()
    assert set(one) & set(other) >= {"embedding.E", "block1.attention.W_Q", "W_vocab"}
    for path in set(one) & set(other):
        assert numpy.array_equal(one[path].array, other[path].array), path
    assert not numpy.array_equal(one["block1.attention.W_Q"].array, one["block1.attention.W_K"].array)


def test_given_weights_must_fit():
    given = nn.Given({"embedding.E": numpy.ones((3, 4))}, nn.Drawn(1))
    with pytest.raises(w.WorkingsError, match="vocab 4 × model 4"):
        nn.build(SMALL, given)


@pytest.mark.parametrize("changes", [{"head": "last-token"}, {"head": "classifier", "classes": 2}])
def test_a_head_that_would_look_at_padding_refuses_it(changes):
    keep = w.constant([[1.0, 1.0, 0.0]], "batch token", name="keep")
    with pytest.raises(w.WorkingsError, match="these texts have padding"):
        model(**changes)(w.ids([[0, 1, 2]], "batch token"), keep=keep)


def test_norms_stand_where_the_convention_puts_them_also_without_a_residual():
    for place, first in (("pre", True), ("post", False)):
        with w.Trace() as trace:
            model(residual="none", norm_place=place)(w.ids([0, 1, 2]))
        order = [step.path for step in trace]
        assert (order.index("block1.attention.norm.normed") < order.index("block1.attention.Q")) is first


def test_segments_reach_the_embedding():
    bert = model(kind="encoder", position="learned", max_positions=5, segments=2)
    tokens, second = w.ids([0, 1, 2], name="tokens"), w.ids([0, 0, 1], name="segments")
    one, other = bert(tokens), bert(tokens, segments=second)
    assert not numpy.allclose(one.array[2], other.array[2])


def test_masked_tokens_without_their_places_are_refused():
    with pytest.raises(w.WorkingsError, match="which tokens are masked"):
        model(kind="encoder", head="masked-tokens")(w.ids([0, 1, 2]))


def test_a_decoder_looks_back_and_an_encoder_all_around():
    for kind, mask in (("decoder", "causal"), ("encoder", "none")):
        assert nn.Architecture(kind=kind, vocab_size=4, width=4).mask == mask
    assert "block1.attention.masked" in paths(model(mask=None), w.ids([0, 1, 2]))


def test_arrays_without_words_are_refused_in_a_sentence():
    with pytest.raises(w.WorkingsError, match=r"takes tensors(.|\n)*w.ids"):
        model()([0, 1])
    with pytest.raises(w.WorkingsError, match=r"this is a ndarray(.|\n)*w.given"):
        model().stack(numpy.ones((3, 4)))


def test_the_way_back_can_begin_at_a_tensor():
    with w.Trace() as trace:
        found = model().stack(X)
    trace.backward(found, w.Draws(2).normal((3, 4)))
    assert trace[found].value is found.array
    assert trace["dX"].shape == (3, 4)
