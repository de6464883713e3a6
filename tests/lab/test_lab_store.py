"""What the lab keeps: each trace is computed once, whoever asks, and the budget of memory holds."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from workings.lab import sources
from workings.lab.errors import Missing
from workings.lab.store import STEP, Lab
from workings.lab.wanted import Wanted

SMALL = "scenario: 1\ngiven: {{x: {numbers}}}\ncalculate:\n- y = exp(x)\n- z = mul(y, y)\n"


def small(n):
    return Wanted(scenario=SMALL.format(numbers=[n / 1000, 1, 2]))


def counted(monkeypatch):
    calls = []
    compute = sources.compute
    monkeypatch.setattr("workings.lab.store.compute", lambda *asked: calls.append(asked) or compute(*asked))
    return calls


def test_everybody_who_asks_at_once_gets_the_same_trace(monkeypatch):
    calls, lab = counted(monkeypatch), Lab()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lab.open, [Wanted("example-3")] * 16))
    assert len(calls) == 1
    assert all(one is found[0] for one in found)


def test_a_failure_is_told_to_everybody_and_not_kept():
    lab = Lab()
    for _ in range(2):
        with pytest.raises(Missing):
            lab.open(Wanted("no-such-lesson"))
    assert len(lab) == 0


def test_a_thousand_scenarios_stay_within_the_budget():
    lab = Lab(memory=400_000)
    for n in range(1000):
        lab.open(small(n))
        assert lab.used <= lab.memory
    assert 0 < len(lab) < 1000
    assert lab.used == sum(opened.size for opened, _ in lab._kept.values())


def test_what_was_let_go_is_computed_again_from_its_key(monkeypatch):
    lab = Lab(memory=STEP * 8)
    first = lab.open(small(1))
    for n in range(2, 9):
        lab.open(small(n))
    calls = counted(monkeypatch)
    again = lab.find(first.key)
    assert len(calls) == 1
    assert again.trace["z"].value.tolist() == first.trace["z"].value.tolist()


def test_an_edited_trace_counts_only_what_it_does_not_share():
    lab = Lab()
    opened = lab.open(Wanted("cat-sat", edits=("V[0][0]=2",)))
    shared = {id(step.tensor.array) for step in opened.base.trace.recording.steps.values()}
    own = [s.tensor.array for s in opened.trace.recording.steps.values() if id(s.tensor.array) not in shared]
    assert opened.size == STEP * len(opened.trace) + sum(array.nbytes for array in own)
    assert len(own) < len(opened.trace)


def test_with_a_trace_goes_what_shares_its_numbers():
    lab = Lab(memory=STEP * 40)
    edited = lab.open(Wanted(scenario=small(1).scenario, edits=("x[0]=5",)))
    for n in range(2, 40):
        lab.open(small(n))
    kept = {opened.key for opened, _ in lab._kept.values()}
    assert not kept & {edited.key, edited.base.key}


def test_a_key_that_nobody_asked_for_is_not_there():
    with pytest.raises(Missing):
        Lab().find("0" * 24)
