"""The way back from the loss, against the backward pass itself."""

from __future__ import annotations

import itertools

import numpy
import pytest

import workings as w
from workings.explain.trace import Trace
from workings.lab.pages.gradient_path import way_back
from workings.lab.pages.neighbors import neighbors

RUNS = [("example-3", "twin"), ("hello-world", "packed"), ("example-6", "default"), ("example-4", "after")]


def depends(trace: Trace, one: str, other: str) -> bool:
    """Whether one step is computed from the other, on whatever way."""
    waiting, seen = [one], set()
    while waiting:
        id = waiting.pop()
        if id == other:
            return True
        if id not in seen:
            seen.add(id)
            waiting += trace.recording.step(id).inputs
    return False


@pytest.mark.parametrize(("name", "run"), RUNS)
def test_each_gradient_on_the_way_is_computed_from_the_one_before(name: str, run: str) -> None:
    trace = w.scenario(name).trace(run)
    found = 0
    for id, gradient in neighbors(trace).gradients.items():
        way = way_back(trace, trace.recording.step(id))
        if gradient not in neighbors(trace).shown:
            assert way is None
            continue
        assert way is not None
        assert way.gradients[0].op is None
        assert way.gradients[0].twin is not None
        assert way.gradients[-1].id == gradient
        for before, after in itertools.pairwise(way.gradients):
            assert depends(trace, after.id, before.id)
        found += 1
    assert found > 10


def test_no_way_is_shorter_and_all_ways_are_counted() -> None:
    trace = w.scenario("hello-world").trace("packed")
    told = neighbors(trace).shown

    def ways(id: str) -> list[list[str]]:
        if trace.recording.step(id).op is None:
            return [[id]]
        read = [i for i in neighbors(trace).reads[id] if i in told and trace.recording.step(i).stage == "backward"]
        return [[*way, id] for other in read for way in ways(other)]

    for name in ("X", "W_Q", "block1.attention.Q", "logits"):
        step = trace[name].step
        way = way_back(trace, step)
        assert way is not None
        every = ways(neighbors(trace).gradients[step.id])
        assert way.ways == len(every)
        assert len(way.gradients) == min(map(len, every))
        assert [gradient.id for gradient in way.gradients] in every


def test_a_gradient_asks_for_its_own_way_and_a_part_for_that_of_the_part() -> None:
    trace = w.scenario("example-3").trace()
    assert way_back(trace, trace["dX"].step) == way_back(trace, trace["X"].step)
    way = way_back(trace, trace["dX.via_Q"].step)
    assert way is not None
    assert [gradient.name for gradient in way.gradients][-3:] == ["dscores", "dQ", "dX.via_Q"]
    assert way.ways == 1


def test_the_second_pass_has_its_own_way() -> None:
    trace = w.scenario("example-4").trace("after")
    way = way_back(trace, trace["step2.example2.logits"].step)
    assert way is not None
    assert way.gradients[0].path.startswith("backward2.step2.")


def test_there_is_none_without_backward_and_none_for_what_has_no_gradient() -> None:
    forward = w.scenario("example-1").trace()
    assert all(way_back(forward, view.step) is None for view in forward)
    trace = w.scenario("example-3").trace()
    assert way_back(trace, trace["tokens"].step) is None
    assert way_back(trace, trace["P"].step) is None
    assert way_back(trace, trace["W_Q_new"].step) is None


def test_backward_may_begin_from_many_numbers() -> None:
    trace = w.scenario("cat-sat").trace()
    way = way_back(trace, trace["scores"].step)
    assert way is not None
    assert [gradient.name for gradient in way.gradients] == ["dcontext", "dweights", "dscaled", "dscores"]
    assert numpy.shape(way.gradients[0].tensor.array) == (3, 3)
