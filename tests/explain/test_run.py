"""A run is a value: a replay carries it along."""

from dataclasses import FrozenInstanceError

import numpy
import pytest

import workings as w
from workings.explain.run import Run

BLOCK = w.scenario("block").trace()


def edited(trace):
    W_Q = trace["W_Q"].value.copy()
    W_Q[0, 1] += 0.125
    return trace.replay(values={"W_Q": W_Q})


def convention_mistakes(trace):
    return {fit.id for fit in trace.mistakes() if fit.kind == "run"}


def test_run_cannot_be_changed_in_place():
    with pytest.raises(FrozenInstanceError):
        Run().seed = 3
    with pytest.raises(AttributeError):
        BLOCK.seed = 3


def test_replay_with_other_numbers_keeps_everything_about_the_run():
    trace = w.scenario("example-3").trace()
    replayed = edited(trace)
    for field in ("style", "aliases", "convention", "seed", "history"):
        assert getattr(replayed, field) == getattr(trace, field), field
    assert replayed.labels(replayed["weights"]) == trace.labels(trace["weights"]) != {}


def test_edited_block_still_finds_its_convention_mistakes():
    assert convention_mistakes(edited(BLOCK)) == convention_mistakes(BLOCK)
    assert len(convention_mistakes(BLOCK)) > 6


def test_edited_run_under_another_convention_has_the_edit():
    trace = edited(BLOCK)
    other = trace.run.rerun(trace.convention.but(norm_place="post"))
    assert numpy.array_equal(other["W_Q"].value, trace["W_Q"].value)
    assert not numpy.array_equal(other["W_Q"].value, BLOCK["W_Q"].value)


def test_precision_is_kept_under_another_convention():
    trace = BLOCK.in_precision("calculator 4 significant")
    assert trace.run.rerun(trace.convention.but(norm_place="post")).precision == "calculator 4 significant"


def test_another_method_follows_no_convention():
    assert BLOCK.replay(ops={BLOCK.all("weights")[0].path: "softmax.not_normalised"}).convention is None


def test_with_run_shares_the_steps():
    other = BLOCK.with_run(seed=70)
    assert other.seed == 70
    assert other.recording is BLOCK.recording
    assert BLOCK.seed != 70


def test_history_of_a_replay_is_its_own_or_none():
    """Steps that were not recorded have unknown losses once the recorded ones are others."""
    trace = w.scenario("example-4").trace("rate-low")
    weights = trace["W_vocab"].value
    assert trace.replay(values={"W_vocab": weights}).history == trace.history
    assert trace.replay(values={"W_vocab": 3 * weights}).history == {}


def test_history_of_several_updates_is_the_mean_of_their_losses():
    trace = w.scenario("example-4").trace("one-by-one")
    changed = trace.replay(values={"W_vocab": 3 * trace["W_vocab"].value})
    losses = [float(changed[f"update{number}.loss"].value) for number in (1, 2, 3)]
    assert changed.history["loss"] == pytest.approx((sum(losses) / 3,))


def test_run_with_another_field_leaves_the_trace_alone():
    trace = w.scenario("example-1").trace()
    with pytest.raises(w.WorkingsError, match=r"with_run has no option 'sead'(.|\n)*Did you mean seed\?"):
        trace.with_run(sead=3)
    with pytest.raises(w.WorkingsError, match="has no option 'convention'"):
        trace.with_run(convention=w.convention("gpt2"))
