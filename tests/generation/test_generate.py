"""Generation: with the cache and without it the same tokens, and those of PyTorch."""

import itertools
from dataclasses import replace

import numpy
import pytest
from generated_models import PAIR, POSITIONS, SMALL, architectures, built, often
from hypothesis import given
from hypothesis import strategies as st
from torch_generation import TorchModel, drawn_token, shares

import workings as w
from workings import nn
from workings.engine.errors import CallError
from workings.generation.generate import generate
from workings.generation.reader import context_of, reader_of
from workings.generation.sampling import Choice

CHOICES = (
    Choice(seed=1),
    Choice(0.7, seed=2),
    Choice(1.5, top_k=2, seed=3),
    Choice(top_p=0.6, seed=4),
    Choice(greedy=True),
)


def by_torch(model, begin, choice, count):
    text = list(begin)
    for _ in range(count):
        each = shares(model.next(text), choice.temperature, choice.top_k, choice.top_p)
        text.append(int(each.argmax()) if choice.greedy else drawn_token(each, choice.number(len(text))))
    return text[len(begin) :]


def prompt_and_start(architecture, length, seed):
    tokens = numpy.random.default_rng(seed).integers(0, architecture.vocab_size, length).tolist()
    return tokens, (1 if architecture.kind == "encoder-decoder" else None)


@pytest.mark.slow
@given(architectures(), st.sampled_from(CHOICES), st.integers(1, POSITIONS), st.integers(0, 999))
@often
def test_with_the_cache_and_without_it_and_in_torch_the_tokens_are_the_same(architecture, choice, length, seed):
    """There are more tokens than positions, so that the window slides."""
    model = built(architecture, seed)
    tokens, start = prompt_and_start(architecture, length, seed)
    found = list(generate(model, tokens, choice, 7, start=start))
    assert found == list(generate(model, tokens, choice, 7, start=start, cache=False))
    begin, source = (tokens, None) if start is None else ([start], tokens)
    assert found == by_torch(TorchModel(model, architecture, source), begin, choice, 7)
    keeping, anew = (reader_of(model, source, cache) for cache in (True, False))
    for end in range(len(begin), len(begin) + 7):
        one, other = (reader.scores(w.ids([*begin, *found][:end])).array for reader in (keeping, anew))
        assert abs(one - other).max() <= 1e-12 * max(1, abs(other).max())


def test_tokens_come_one_at_a_time():
    stream = generate(built(SMALL), [1, 2], Choice(seed=1), 10**9)
    first = list(itertools.islice(stream, 3))
    assert first == list(generate(built(SMALL), [1, 2], Choice(seed=1), 3))


def test_nothing_follows_the_end():
    model, choice = built(SMALL), Choice(seed=3)
    found = list(generate(model, [1], choice, 12))
    end = found[4]
    assert list(generate(model, [1], choice, 12, end=end)) == found[: found.index(end) + 1]


def test_a_seed_gives_the_same_text_and_another_seed_another_one():
    model = built(SMALL)
    texts = [tuple(generate(model, [1, 2], Choice(seed=seed), 12)) for seed in (1, 1, 2, 3)]
    assert texts[0] == texts[1]
    assert len(set(texts)) == 3


def test_a_text_that_is_begun_in_the_middle_goes_on_as_before():
    model = built(replace(SMALL, position="interleaved"))
    whole = list(generate(model, [1, 2], Choice(seed=6), 10))
    assert list(generate(model, [1, 2, *whole[:4]], Choice(seed=6), 6)) == whole[4:]


@pytest.mark.parametrize("architecture", [SMALL, PAIR])
def test_numbers_of_32_bits_are_generated_from_too(architecture):
    model = nn.build(architecture, nn.Drawn(7, "normal", "float32"))
    tokens, start = prompt_and_start(architecture, 3, 1)
    one, other = (list(generate(model, tokens, Choice(seed=1), 9, start=start, cache=cache)) for cache in (True, False))
    assert one == other


def test_a_prompt_may_be_an_array():
    model = built(SMALL)
    assert list(generate(model, numpy.array([1, 2]), max_new_tokens=3)) == list(
        generate(model, [1, 2], max_new_tokens=3)
    )


def test_a_recorded_generation_is_stored_and_told_like_any_other_trace():
    trace = w.Trace()
    found = list(generate(built(SMALL), [1, 2], Choice(0.7, 3, 0.9), 5, record=trace))
    again = w.Trace.from_json(trace.to_json()).replay()
    assert [int(again[f"token{n}.chosen"].value) for n in range(1, 6)] == found
    assert [block.text for block in trace.document().blocks if block.kind == "heading" and "token5" in block.text]


def test_without_a_cache_a_model_may_look_all_around():
    model = built(replace(SMALL, mask="none"))
    assert len(list(generate(model, [1], max_new_tokens=3, cache=False))) == 3
    with pytest.raises(CallError, match="generate without the cache"):
        list(generate(model, [1], max_new_tokens=3))


# -- what is recorded -----------------------------------------------------------------------------


def test_everything_is_recorded_under_the_number_of_the_token():
    trace = w.Trace()
    found = list(generate(built(SMALL), [1, 2], Choice(seed=1), 3, record=trace))
    assert [int(trace[f"token{n}.chosen"].value) for n in (1, 2, 3)] == found
    assert trace["token3.block1.attention.K_cache"].value.shape == (2, 4, 2)
    assert trace["token3.shares"].value.shape == (5,)
    assert trace["prompt"].value.tolist() == [1, 2]
    assert trace["token3.text"].value.tolist() == [1, 2, *found]
    outside = {step.path for step in trace.recording.steps.values() if not step.path.startswith("token")}
    assert outside == {"prompt", *built(SMALL).parameters()}


def test_the_encoder_is_recorded_once_with_a_cache_and_for_each_token_without():
    for cache, times in ((True, 1), (False, 3)):
        trace = w.Trace()
        list(generate(built(PAIR), [1, 2, 3], max_new_tokens=3, start=0, cache=cache, record=trace))
        assert len(trace.all("encoder.block1.attention.scores")) == times
        assert trace["source"].value.tolist() == [1, 2, 3]


def test_whoever_asks_for_tokens_is_not_recorded():
    trace = w.Trace()
    for _ in generate(built(SMALL), [1], max_new_tokens=2, record=trace):
        before = len(trace)
        w.given([1.0]) + w.given([2.0])
        assert len(trace) == before


def test_an_open_trace_records_too_and_without_one_nothing_is():
    with w.Trace() as trace:
        list(generate(built(SMALL), [1], max_new_tokens=2))
    assert "token2.shares" in trace


def test_another_drawn_number_changes_what_follows():
    """The tokens are steps, so a replay goes on from another choice as the model would."""
    model, trace = built(replace(SMALL, position="none")), w.Trace()
    choice = Choice(seed=1)
    list(generate(model, [1, 2], choice, 3, record=trace))
    again = trace.replay(values={"token1.drawn": 0.0})
    first = int(again["token1.chosen"].value)
    assert first != int(trace["token1.chosen"].value)
    expected = list(generate(model, [1, 2, first], choice, 2))
    assert [int(again[f"token{n}.chosen"].value) for n in (2, 3)] == expected


# -- what is refused ---------------------------------------------------------------------------------


def refused(kind, said, *arguments, **settings):
    with pytest.raises(kind) as caught:
        generate(*arguments, **settings)  # already here, not only when a token is asked for
    assert said in str(caught.value)
    assert "try:" in str(caught.value)
    return str(caught.value)


def test_a_prompt_longer_than_the_context_is_refused_with_the_numbers():
    said = refused(CallError, "The text has 7 tokens, and this model has positions for 6", built(SMALL), [1] * 7)
    assert "last 6 tokens" in said
    list(generate(built(SMALL), [1] * 6, max_new_tokens=2))


def test_a_source_longer_than_the_encoder_can_read_is_refused_with_the_numbers():
    for cache in (True, False):
        said = "The text has 7 tokens, and the encoder has positions for 6"
        refused(CallError, said, built(PAIR), [1] * 7, start=0, cache=cache)
    list(generate(built(PAIR), [1] * 6, start=0, max_new_tokens=2))


def test_without_learned_positions_a_prompt_may_be_long():
    model = built(replace(SMALL, position="interleaved"))
    assert context_of(model) is None
    assert len(list(generate(model, [1] * 40, max_new_tokens=2))) == 2


def test_models_that_do_not_predict_the_next_token_are_rejected():
    for head in ("classifier", "token-sigmoid", "masked-tokens"):
        refused(CallError, "does not predict the next token", built(replace(SMALL, head=head, classes=2)), [1])
    refused(CallError, "Embedding", nn.Embedding(w.parameter([[1.0]], "vocab model")), [0])
    dropping = nn.build(replace(SMALL, dropout=0.5), nn.Drawn(7), w.Draws(1))
    refused(CallError, "uses dropout", dropping, [1], cache=False)


def test_unfit_calls_are_rejected():
    refused(CallError, "The prompt is empty", built(SMALL), [])
    refused(CallError, "The prompt is empty", built(PAIR), [], start=0)
    refused(CallError, "needs a token to begin it with", built(PAIR), [1])
    for tokens in (None, 3):
        refused(CallError, "is a list of token ids", built(SMALL), tokens)
    refused(CallError, "not by a str", built(SMALL), [1], "greedy")
    refused(CallError, "4 would begin another", built(SMALL), [1], start=4)
    for count in (0, -3, 2.5, True):
        refused(
            CallError,
            f"max_new_tokens must be a whole number of at least 1, and is {count}",
            built(SMALL),
            [1],
            max_new_tokens=count,
        )


def test_tokens_outside_the_vocabulary_are_refused():
    with pytest.raises(w.WorkingsError, match="5"):
        list(generate(built(SMALL), [5]))


def test_top_k_above_the_vocabulary_is_refused():
    with pytest.raises(CallError, match="cannot keep 6 tokens: the vocabulary has 5"):
        list(generate(built(SMALL), [1], Choice(top_k=6)))
