"""Where an entry goes, judged by where entries come from: by every hand calculation, and by trying other numbers."""

from __future__ import annotations

from collections import defaultdict

import numpy
import pytest
from example_runs import cotangents, pull_back, record
from more_examples import examples_of

import workings as w
from workings.engine.arrays import indices
from workings.engine.errors import WorkingsError
from workings.engine.hand import Entry, reads, work_out
from workings.engine.op import OPS, Op
from workings.engine.recording import Recording
from workings.engine.steps import Step
from workings.explain.hand_calculation import hand_calculation_of, result_of
from workings.lab.pages.depending import depending
from workings.lab.pages.feeding import entries_fed, entries_read, ids_read
from workings.lab.pages.neighbors import neighbors

ALL = 10**9
CHANGES = (1.0, -1.0, 0.01, 900.0, -900.0)
# Inputs of which a hand calculation shows only the outcome: which row an id takes, what a comparison decides, what a
# mask covers. Here only what really changes counts.
DECIDING = {
    ("add_rows", "ids"),
    ("causal_mask", "x"),
    ("cross_entropy", "target"),
    ("first_above", "bound"),
    ("first_above", "x"),
    ("keep_top_k", "x"),
    ("keep_top_p", "shares"),
    ("lookup", "ids"),
    ("mask", "x"),
    ("negative_log_likelihood", "target"),
    ("padding_mask", "x"),
    ("pick", "target"),
    ("power", "x"),
}
IDS = {"X": (1, 1), "loss": (), "scores": (0, 1), "tokens": (0,), "dE": (1, 0)}
TRACES = [("example-3", "default"), ("hello-world", "masked"), ("hello-world", "packed"), ("token-i", "normed")]


def by_hand(recording: Recording, step: Step, slots: list[int], index: tuple[int, ...]) -> numpy.ndarray:
    """The entries whose hand calculation reads an entry."""
    assert isinstance(step.op, Op)
    names = {step.op.slot_names(len(step.inputs))[slot] for slot in slots}
    found = numpy.zeros(step.form.shape, dtype=bool)
    for at in indices(step.form.shape):
        hand, _ = hand_calculation_of(recording, step, at) or pytest.fail("no hand calculation")
        lines = work_out(hand, recording.arithmetic.value_of)
        entries = [leaf for line in lines for leaf in reads(line.expression) if isinstance(leaf, Entry)]
        found[at] = any(entry.source in names and entry.index == index for entry in entries)
    return found


def by_trying(recording: Recording, step: Step, id: str, index: tuple[int, ...]) -> numpy.ndarray:
    """The entries that another number in that place changes, as the engine itself computes them."""
    assert isinstance(step.op, Op)
    found = numpy.zeros(step.form.shape, dtype=bool)
    for change in CHANGES:
        array = numpy.array(recording.value(id))
        array[index] += change if array.dtype.kind == "f" else round(change)
        arrays = [array if other == id else recording.value(other) for other in step.inputs]
        try:
            with numpy.errstate(all="ignore"):
                found |= numpy.asarray(step.op(*arrays, **step.settings).array) != recording.value(step.id)
        except (WorkingsError, IndexError):  # no such id, or a number that the op refuses
            continue
    return found


@pytest.mark.parametrize("op", OPS.values(), ids=OPS.keys())
def test_an_entry_depends_on_another_if_its_hand_calculation_reads_it(op: Op) -> None:
    for example in examples_of(op):
        run = record(op, example)
        recording = run.recording
        if op.page.rules:
            pull_back(run, cotangents(op, example, run.value.shape)["random"])
        for step in list(recording.steps.values()):
            if step.op is None or result_of(recording, step) is not None:
                continue  # a rule is judged as a whole, below
            for slot, id in enumerate(step.inputs):
                slots = [other for other, read in enumerate(step.inputs) if read == id]
                for index in indices(recording.step(id).form.shape):
                    mark = numpy.zeros(recording.step(id).form.shape, dtype=bool)
                    mark[index] = True
                    found = depending(recording, step, {id: mark})
                    tried = by_trying(recording, step, id, index)
                    assert not (tried & ~found).any(), (step.path, id, index)
                    hand = by_hand(recording, step, slots, index)
                    if (step.op.name, step.op.input_name(slot)) not in DECIDING:
                        assert (found == hand).all(), (step.path, id, index)


@pytest.mark.parametrize(("name", "run"), TRACES)
def test_the_arrows_forward_are_the_arrows_backward_turned_round(name: str, run: str) -> None:
    trace = w.scenario(name).trace(run)
    shown = neighbors(trace).shown
    read_by: dict[tuple, set] = defaultdict(set)
    for view in trace:
        if view.id in shown and view.step.op is not None:
            for at in indices(view.shape):
                for read in entries_read(view, at, ALL):
                    read_by[read.step.id, read.index].add((view.id, at))
    pairs = 0
    for view in trace:
        # No hand calculation reads the ids of tokens: they only say which row is read.
        if view.id in shown and view.value.dtype.kind == "f":
            for index in indices(view.shape):
                fed = {(fed.step.id, at) for fed in entries_fed(view, index, ALL) for at in fed.entries}
                assert fed == read_by[view.id, index], (view.path, index)
                pairs += len(fed)
    assert pairs > 200


def test_what_an_edit_changes_was_fed_by_it() -> None:
    trace = w.scenario("example-3").trace("twin")
    for name in ("W_Q", "E", "W_vocab"):
        view = trace[name]
        for index in indices(view.shape):
            other = numpy.array(view.value)
            other[index] += 0.3
            changed = trace.replay(values={name: other})
            fed = {fed.step.id: fed for fed in entries_fed(view, index, ALL)}
            for id in neighbors(trace).read_by[view.id]:
                if trace[id].step.stage != "forward":
                    continue  # other numbers may reach it on other ways as well
                different = numpy.argwhere(changed[id].value != trace[id].value)
                entries = fed[id].entries if id in fed else ()
                assert {tuple(at) for at in different.tolist()} <= set(entries), (name, index, id)


def test_a_token_feeds_its_whole_row() -> None:
    trace = w.scenario("example-3").trace()
    fed = {fed.step.name: fed.entries for fed in entries_fed(trace["tokens"], (1,))}
    assert fed["X"] == ((1, 0), (1, 1))


def test_ids_are_read_too_where_no_line_says_so() -> None:
    trace = w.scenario("example-3").trace()
    read = {name: [(r.step.name, r.index) for r in ids_read(trace[name], at)] for name, at in IDS.items()}
    assert read == {"X": [("tokens", (1,))], "loss": [("target", ())], "scores": [], "tokens": [], "dE": []}


def test_long_lists_are_cut_and_counted() -> None:
    trace = w.scenario("example-3").trace()
    whole = {fed.step.name: fed for fed in entries_fed(trace["W_V"], (0, 0), ALL)}
    cut = {fed.step.name: fed for fed in entries_fed(trace["W_V"], (0, 0), 1)}
    assert whole["V"].entries == ((0, 0), (1, 0))
    assert (cut["V"].entries, cut["V"].count) == (((0, 0),), 2)


def test_of_a_long_sum_the_largest_are_read_first() -> None:
    numbers = [0.1, -3.0, 0.2, 0.3, 2.0, 0.4, 1.5, 0.5, -1.0, 0.6, 0.9, 0.0]
    with w.Trace() as trace:
        w.ops.sum(w.given(numbers, "token", name="x"), axis="token", name="total")
    read = [read.index[0] for read in entries_read(trace["total"], (), 6)]
    assert sorted(abs(numbers[place]) for place in read) == sorted(map(abs, numbers))[-6:]
    assert len(entries_read(trace["total"], (), ALL)) == len(numbers)


def test_inside_a_composite_every_step_is_looked_at() -> None:
    trace = w.scenario("example-3").trace()
    inner = {view.name: view for view in trace["weights"].inside}
    assert [(fed.step.name, fed.entries) for fed in entries_fed(inner["exp"], (0, 1))] == [
        ("total", ((0, 0),)),
        ("div", ((0, 1),)),
    ]
    assert [(read.step.name, read.index) for read in entries_read(inner["sub"], (0, 1))] == [
        ("scaled", (0, 1)),
        ("max", (0, 0)),
    ]


def test_a_leaf_reads_nothing_and_the_last_step_feeds_nothing() -> None:
    trace = w.scenario("example-3").trace()
    assert entries_read(trace["W_Q"], (0, 0)) == ()
    assert entries_fed(trace["W_Q_new"], (0, 0)) == ()
