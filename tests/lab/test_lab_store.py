"""What the lab keeps: each trace is computed once, whoever asks, and the budget of memory holds."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event, Semaphore

import pytest

from workings.lab.errors import Missing, NoRoom
from workings.lab.traces import sources
from workings.lab.traces.cost import cost_of
from workings.lab.traces.memory import STEP
from workings.lab.traces.store import Lab
from workings.lab.traces.wanted import Wanted
from workings.lessons.contents import names as lesson_names
from workings.scenarios.scenario import scenario

SMALL = "scenario: 1\ngiven: {{x: {numbers}}}\ncalculate:\n- y = exp(x)\n- z = mul(y, y)\n"


def small(n):
    return Wanted(scenario=SMALL.format(numbers=[n / 1000, 1, 2]))


def counted(monkeypatch):
    calls = []
    compute = sources.compute
    monkeypatch.setattr("workings.lab.traces.store.compute", lambda *asked: calls.append(asked) or compute(*asked))
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


class Held:
    """Computations that say when they have begun, and wait until they may go on."""

    def __init__(self, monkeypatch):
        self.begun, self.go_on = Semaphore(0), Event()
        compute = sources.compute

        def held(wanted, source, base, room):
            found = compute(wanted, source, base, room)
            self.begun.release()
            assert self.go_on.wait(20)
            return found

        monkeypatch.setattr("workings.lab.traces.store.compute", held)

    def wait(self):
        assert self.begun.acquire(timeout=20)


def test_what_is_computed_at_the_same_time_fits_into_the_budget_together(monkeypatch):
    size = Lab().open(small(1)).size
    held, lab = Held(monkeypatch), Lab(memory=int(2.5 * size), patience=0)
    with ThreadPoolExecutor(2) as pool:
        first = [pool.submit(lab.open, small(n)) for n in (1, 2)]
        for _ in first:
            held.wait()
        assert 2 * size <= lab.reserved <= lab.memory
        with pytest.raises(NoRoom, match="Other computations"):
            lab.open(small(3))
        held.go_on.set()
        assert {future.result().key for future in first} == {small(1).key, small(2).key}
    assert lab.reserved == 0
    assert lab.open(small(3)).trace["z"].value.shape == (3,)
    assert lab.used <= lab.memory


def test_a_computation_waits_for_room_and_what_is_kept_makes_way(monkeypatch):
    size = Lab().open(small(1)).size
    lab = Lab(memory=int(1.5 * size), patience=20)
    lab.open(small(1))
    held = Held(monkeypatch)
    with ThreadPoolExecutor(2) as pool:
        second = pool.submit(lab.open, small(2))
        held.wait()
        assert not lab.is_kept(small(1).key)  # nothing else is in the way of what is computed
        third = pool.submit(lab.open, small(3))
        held.go_on.set()
        assert second.result().key != third.result().key
    assert lab.reserved == 0


def test_an_edit_does_not_push_out_what_it_is_made_from(monkeypatch):
    wanted = Wanted(scenario=small(1).scenario, edits=("x[0]=5",))
    size = Lab().open(small(1)).size
    lab = Lab(memory=int(2.2 * size))
    base = lab.open(wanted.base)
    lab.open(small(2))
    lab.find(base.key), lab.find(small(2).key)
    edited = lab.open(wanted)
    assert (lab.is_kept(base.key), lab.is_kept(edited.key), lab.is_kept(small(2).key)) == (True, True, False)


def test_what_fails_gives_its_room_back(monkeypatch):
    lab = Lab()
    monkeypatch.setattr("workings.scenarios.scenario.Scenario.trace", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        lab.open(small(1))
    assert lab.reserved == 0


@pytest.mark.parametrize("name", ["example-6", "hello-world", "cat-sleeps", "dates"])
def test_the_estimate_is_about_what_is_taken(name):
    example = scenario(name)
    for run in example.runs[:4]:
        estimate = cost_of(example, run, 2**31).size
        assert 0.65 < estimate / Lab().open(Wanted(scenario=example.text, run=run)).size < 1.6, run


def test_every_lesson_opens_in_the_lab():
    for name in lesson_names():
        assert len(list(Lab().open(Wanted(name)).trace)) > 0, name
