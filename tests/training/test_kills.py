"""Training that is killed goes on to the same bits: the short form of bench/kills.py, and that it would notice."""

from __future__ import annotations

import json

import pytest
from kills import REMOVING, STARTING, STEPPING, WRITING, Trainings, last_step, moment


def test_a_kill_changes_no_bit_and_a_changed_bit_is_seen(tmp_path):
    trainings = Trainings(tmp_path, steps=40)
    tally = trainings.killed(1)
    assert (tally.total, tally.exact, tally.differences) == (1, 1, [])

    # What differs is seen: in the weights and losses, in what was held out, and a checkpoint that is not there.
    last = tmp_path / f"killed-{tally.trainings}" / "step-000040"
    weights, state = last / "weights.safetensors", last / "state.json"
    content, written = weights.read_bytes(), state.read_bytes()
    assert trainings.differences(last.parent, whole=True) == []
    weights.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert any("weights or losses" in said for said in trainings.differences(last.parent))
    weights.write_bytes(content)
    state.write_text(json.dumps(json.loads(written) | {"checks": []}))
    assert any("checks" in said for said in trainings.differences(last.parent))
    last.rename(last.with_name("step-000039"))
    assert any("no checkpoint" in said for said in trainings.differences(last.parent, whole=True))


@pytest.mark.slow
def test_fifty_kills_change_no_bit(tmp_path):
    tally = Trainings(tmp_path, seed=2).killed(50)
    assert tally.total >= 50
    assert (tally.exact, tally.differences) == (tally.total, [])


def test_the_moment_of_a_kill_is_read_off_what_it_left_behind(tmp_path):
    assert last_step(tmp_path / "nothing") == -1
    (tmp_path / "step-000004").mkdir()
    (tmp_path / ".unfinished-000006-1").mkdir()
    assert moment(tmp_path, 2, {}) == WRITING
    assert moment(tmp_path, 2, {".unfinished-000006-1": 6}) == STEPPING
    assert moment(tmp_path, 4, {".unfinished-000006-1": 6}) == STARTING
    (tmp_path / "step-000006").mkdir()
    (tmp_path / ".unfinished-000004-2").mkdir()
    assert moment(tmp_path, 2, {".unfinished-000006-1": 6}) == REMOVING
