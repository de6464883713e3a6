"""Choosing the next token, against the same in PyTorch; and what is refused."""

import dataclasses
from types import MappingProxyType

import numpy
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_generation import drawn_token, shares

import workings as w
from workings.engine.errors import CallError
from workings.generation.sampling import Choice, choose

LOGITS = (1.2, -0.3, 2.5, 0.4, 2.4, -1.0)


def chosen(logits, choice, position=3, dtype=None):
    with w.Trace() as trace:
        token = choose(w.given(logits, "vocab", name="logits", dtype=dtype), choice, position)
    return int(token.array), trace


@given(
    st.lists(st.floats(-8, 8).map(lambda x: round(x, 3)), min_size=2, max_size=12, unique=True),
    st.floats(0.1, 5),
    st.none() | st.integers(1, 12),
    st.none() | st.floats(0.05, 1),
    st.integers(0, 10**6),
)
@settings(max_examples=150, deadline=None, derandomize=True)
def test_the_same_tokens_are_kept_and_drawn_as_in_torch(logits, temperature, top_k, top_p, seed):
    top_k = None if top_k is None else min(top_k, len(logits))
    choice = Choice(temperature, top_k, top_p, seed=seed)
    token, trace = chosen(logits, choice)
    expected = shares(torch.tensor(logits, dtype=torch.float64), temperature, top_k, top_p)
    found = trace["shares"].value
    assert ((found > 0) == (expected > 0).numpy()).all()
    assert numpy.allclose(found, expected.numpy(), rtol=1e-12, atol=1e-15)
    assert token == drawn_token(expected, choice.number(3))


def test_greedy_is_the_largest_score():
    token, trace = chosen(LOGITS, Choice(greedy=True))
    assert token == 2
    assert trace["chosen"].step.op_name == "argmax"
    assert numpy.allclose(trace["shares"].value, torch.softmax(torch.tensor(LOGITS, dtype=torch.float64), -1))


def test_drawn_tokens_come_as_often_as_their_shares_say():
    logits = w.given(LOGITS, "vocab")
    counts = numpy.zeros(len(LOGITS))
    for position in range(2000):
        counts[int(choose(logits, Choice(seed=5), position).array)] += 1
    expected = torch.softmax(torch.tensor(LOGITS), -1).numpy() * 2000
    assert ((counts - expected) ** 2 / expected).sum() < 20.5  # of chi-squared with 5, one in a thousand is above


# -- every number can be seen ----------------------------------------------------------------------

STEPS = MappingProxyType(
    {
        Choice(): ["tempered", "shares", "drawn", "running", "place"],
        Choice(0.5, top_k=2): ["tempered", "kept_by_k", "cut", "shares", "drawn", "running", "place"],
        Choice(top_p=0.5): ["tempered", "uncut_shares", "kept_by_p", "cut", "shares", "drawn", "running", "place"],
        Choice(top_k=3, top_p=0.5): [
            "tempered", "kept_by_k", "cut_by_k", "uncut_shares", "kept_by_p", "cut", "shares", "drawn", "running",
            "place",
        ],
        Choice(greedy=True): ["shares", "chosen"],
    }
)  # fmt: skip


@pytest.mark.parametrize("choice", STEPS, ids=str)
def test_a_choice_is_made_of_these_steps_and_each_entry_has_a_hand_calculation(choice):
    _, trace = chosen(LOGITS, choice)
    steps = list(trace.recording.steps.values())
    assert [step.name for step in steps] == ["logits", *STEPS[choice]]
    for view in trace:
        for at in numpy.ndindex(view.value.shape):
            if view.step.op is not None:
                written = view.cell(*at).lines[-1].value.value
                assert float(written) == pytest.approx(float(view.value[at]), rel=1e-12)


def test_a_group_means_its_result():
    token, trace = chosen(LOGITS, Choice(seed=4))
    assert int(trace["chosen"].value) == token


def test_the_drawn_number_is_a_leaf_that_can_be_exchanged():
    _, trace = chosen([0.0, 0.0, 0.0, 0.0], Choice())
    assert trace.recording.steps[trace["drawn"].step.id].leaf == "random"
    for number, token in ((0.0, 0), (0.24, 0), (0.25, 1), (0.6, 2), (0.999, 3)):
        assert int(trace.replay(values={"drawn": number})["chosen"].value) == token


# -- drawn numbers -----------------------------------------------------------------------------------


def test_a_number_depends_on_the_seed_and_on_the_position_only():
    numbers = {(seed, position): Choice(seed=seed).number(position) for seed in range(20) for position in range(20)}
    assert len(set(numbers.values())) == 400
    assert all(0 <= number < 1 for number in numbers.values())
    for (seed, position), number in numbers.items():
        assert Choice(temperature=0.5, top_k=1, seed=seed).number(position) == number
    assert abs(numpy.mean(list(numbers.values())) - 0.5) < 0.05


def test_a_number_is_the_same_in_both_types():
    for position in range(200):
        number = Choice(seed=1).number(position)
        assert float(numpy.float32(number)) == number
    _, trace = chosen(LOGITS, Choice(), dtype="float32")
    assert trace["drawn"].value.dtype == trace["shares"].value.dtype == numpy.float32


# -- what is refused -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "said", "hint"),
    [
        ({"temperature": 0}, "0 is not above 0", "use greedy"),
        ({"temperature": -0.5}, "-0.5 is not above 0", "use greedy"),
        ({"temperature": float("nan")}, "must be a number above 0, and is nan", "1 leaves"),
        ({"temperature": float("inf")}, "must be a number above 0, and is inf", "1 leaves"),
        ({"temperature": "warm"}, "must be a number above 0, and is warm", "1 leaves"),
        ({"top_k": 0}, "at least 1, and is 0", "leave it out"),
        ({"top_k": 2.5}, "at least 1, and is 2.5", "leave it out"),
        ({"top_k": True}, "at least 1, and is True", "leave it out"),
        ({"top_p": 0}, "above 0 and at most 1, and is 0", "0.9"),
        ({"top_p": 1.5}, "and is 1.5", "0.9"),
        ({"top_p": float("nan")}, "and is nan", "0.9"),
        ({"greedy": True, "top_k": 3}, "takes the most likely token", "Leave out greedy"),
        ({"greedy": True, "temperature": 0.5}, "takes the most likely token", "Leave out greedy"),
        ({"greedy": True, "top_p": 0.5}, "takes the most likely token", "Leave out greedy"),
        ({"seed": 1.5}, "seed", ""),
    ],
)
def test_unfit_settings_are_rejected(settings, said, hint):
    with pytest.raises(CallError) as caught:
        Choice(**settings)
    message, _, tried = str(caught.value).partition("try:")
    assert said in message
    assert hint in tried


def test_more_than_the_vocabulary_cannot_be_kept():
    with pytest.raises(CallError, match="cannot keep 7 tokens: the vocabulary has 6") as caught:
        chosen(LOGITS, Choice(top_k=7))
    assert "from 1 to 6" in str(caught.value)
    chosen(LOGITS, Choice(top_k=6))


def test_a_choice_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Choice().seed = 3
