"""Beam search: one beam is greedy, many beams find the best text of all."""

from dataclasses import replace

import pytest
from generated_models import PAIR, SMALL, architectures, built, often
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_generation import TorchModel, best_texts

import workings as w
from workings.engine.errors import CallError
from workings.generation.beams import beam_search
from workings.generation.generate import generate
from workings.generation.sampling import Choice


def start_of(architecture):
    return 1 if architecture.kind == "encoder-decoder" else None


@given(architectures(), st.integers(0, 99), st.none() | st.integers(0, 6))
@settings(often, max_examples=25)
def test_one_beam_is_greedy_generation(architecture, seed, end):
    model, start = built(architecture, seed), start_of(architecture)
    (beam,) = beam_search(model, [0, 1], 1, 8, start=start, end=end)
    greedy = list(generate(model, [0, 1], Choice(greedy=True), 8, start=start, end=end))
    assert list(beam.tokens) == greedy
    assert beam.ended == (greedy[-1] == end)


@given(architectures(), st.integers(0, 99), st.integers(1, 4), st.none() | st.integers(0, 2))
@settings(often, max_examples=25)
def test_with_the_cache_and_without_it_the_beams_are_the_same(architecture, seed, width, end):
    model, start = built(architecture, seed), start_of(architecture)
    kept, anew = (beam_search(model, [0, 1], width, 8, start=start, end=end, cache=cache) for cache in (True, False))
    assert [beam.tokens for beam in kept] == [beam.tokens for beam in anew]
    assert [beam.total for beam in kept] == pytest.approx([beam.total for beam in anew], rel=1e-11)


@pytest.mark.parametrize("kind", ["decoder", "encoder-decoder"])
@pytest.mark.parametrize("penalty", [0.0, 0.7])
@pytest.mark.parametrize("end", [None, 2])
@pytest.mark.parametrize("seed", [1, 2])
def test_wide_enough_it_finds_the_best_of_all_texts(kind, penalty, end, seed):
    architecture = replace(PAIR if kind == "encoder-decoder" else SMALL, vocab_size=3)
    model, start = built(architecture, seed), start_of(architecture)
    source, begin = ([0, 2], [start]) if start is not None else (None, [0, 2])
    found = beam_search(model, [0, 2], 81, 4, length_penalty=penalty, start=start, end=end)
    expected = best_texts(TorchModel(model, architecture, source), begin, 3, 4, end, penalty)
    assert len(found) == len(expected)
    assert found[0].tokens == expected[0][2]
    assert [beam.score for beam in found] == pytest.approx([score for score, _, _ in expected], rel=1e-9)
    assert {beam.tokens for beam in found} == {tokens for _, _, tokens in expected}


def test_a_wider_search_may_find_a_likelier_text_than_greedy():
    better = 0
    for seed in range(12):
        model = built(SMALL, seed)
        one, several = (beam_search(model, [1], width, 5)[0].total for width in (1, 4))
        assert several >= one - 1e-12
        better += several > one + 1e-9
    assert better


def test_a_length_penalty_helps_long_texts():
    lengths = [
        sum(
            len(beam_search(built(SMALL, seed), [1], 3, 8, end=0, length_penalty=penalty)[0].tokens)
            for seed in range(9)
        )
        for penalty in (0.0, 2.0)
    ]
    assert lengths[1] > lengths[0]


def test_beams_come_best_first_and_end_with_the_end_or_not_at_all():
    beams = beam_search(built(SMALL), [1], 5, 4, end=3)
    assert [beam.score for beam in beams] == sorted((beam.score for beam in beams), reverse=True)
    assert len(beams) == 5
    for beam in beams:
        assert beam.ended == (beam.tokens[-1] == 3)
        assert 3 not in beam.tokens[:-1]
        assert beam.ended or len(beam.tokens) == 4


def test_the_totals_of_all_candidates_are_recorded():
    trace = w.Trace()
    beams = beam_search(built(SMALL), [1, 2], 3, 3, record=trace)
    totals = trace["token3.totals"].value
    assert totals.shape == (3, 5)
    assert [float(totals.reshape(-1)[place]) for place in trace["token3.best"].value] == [beam.total for beam in beams]
    before, logs = trace["token2.total"].value, trace["token3.log_shares"].value
    assert totals == pytest.approx(before[:, None] + logs)
    assert trace["token2.block1.attention.K_picked"].value.shape == (3, 2, 2, 2)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"beams": 0}, "beams must be a whole number of at least 1, and is 0"),
        ({"beams": 1.5}, "and is 1.5"),
        ({"beams": 2, "max_new_tokens": 0}, "max_new_tokens must be"),
        ({"beams": 2, "length_penalty": -1}, "at least 0, and is -1"),
        ({"beams": 2, "length_penalty": float("nan")}, "and is nan"),
        ({"beams": 2, "start": 1}, "1 would begin another"),
    ],
)
def test_odd_calls_are_refused(settings, said):
    with pytest.raises(CallError) as caught:
        beam_search(built(SMALL), [1], **settings)
    assert said in str(caught.value)
    assert "try:" in str(caught.value)
