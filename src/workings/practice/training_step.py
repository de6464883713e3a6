"""One training step as it is done by hand: the forward pass, the gradients that the update needs, the update, and the
forward pass after it.

A run of two steps that are both recorded has more: the gradients of weights that are frozen, a second backward pass,
and in the second forward pass everything that comes out as before. Here this is left out. What the second pass computes
anew is called `P_after`, and what belongs to one example of a batch `P_1`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heapify, heappop, heappush

import numpy

from ..document.notation import Notation
from ..engine.compiled_recording import CompiledRecording
from ..engine.errors import LessonError
from ..engine.recording import Recording
from ..engine.steps import GroupRecord, Step
from ..explain.run import AxisLabels
from ..explain.step_view import StepView
from ..explain.trace import Trace

FIRST, SECOND = "step1.", "step2."  # what the paths of the two steps begin with
AFTER = "_after"  # what the names of the second forward pass end in
AFTER_RUN = "after"  # the run of a scenario that has both
EXAMPLE = re.compile(r"(?:^|\.)example(\d+)\.")
VIA = ".via_"  # in the name of a gradient: the step that it flows back through
TEXT_AXES = ("token", "query", "key")
BACKWARD = 1  # its place among the four parts


@dataclass(frozen=True, eq=False)
class TrainingStep:
    """A training step, and where each of its steps comes from: the new path of a path of the run."""

    trace: Trace
    renamed: dict[str, str]
    same: dict[str, str]  # of the second pass: the path of what comes out as in the first one


def training_step(trace: Trace) -> TrainingStep:
    """The training step of a run that trains.

    >>> import workings as w
    >>> step = training_step(w.scenario("example-2").trace("after"))
    >>> [view.name for view in step.trace if view.step.stage != "forward" and view.step.group is None]
    ['dloss', 'W_vocab_new']
    >>> [view.name for view in step.trace if view.name.endswith("_after")]
    ['logits_after', 'P_after', 'loss_after']
    """
    return _Excerpt(trace).made()


def example_of(path: str) -> int:
    """The number of the example of a batch that a step belongs to, or 0.

    >>> example_of("example2.embedding.X_2"), example_of("dW_vocab")
    (2, 0)
    """
    found = EXAMPLE.search(path)
    return int(found[1]) if found else 0


class _Excerpt:
    """What stays of a recording, under which names."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.old = trace.recording
        self.updates = [
            step for step in self.old.steps.values() if step.stage == "update" and not step.path.startswith(SECOND)
        ]
        if not self.updates or any(".update" in f".{step.path}" for step in self.updates):
            raise LessonError(
                "This run has no single training step.",
                hint="Choose a run that trains one step with all examples, or two of which both are kept: "
                "`train: {steps: 2, keep: [1, 2]}`.",
            )
        self.same = dict(self._unchanged())

    # -- what stays ------------------------------------------------------------------------------

    def _unchanged(self) -> Iterator[tuple[str, str]]:
        """The steps of the second forward pass that come out as in the first, each with its counterpart."""
        same: dict[str, str] = {}
        for step in self._second_pass():
            first = self.old.steps.get(self.old.paths.get(FIRST + step.path.removeprefix(SECOND), ""))
            if first is None:
                continue
            if step.op is None:
                if not numpy.array_equal(self.old.value(step.id), self.old.value(first.id)):
                    raise LessonError(
                        "The second step of this run reads other examples than the first.",
                        hint="Choose a run whose steps all read the same examples.",
                        where=step.path,
                    )
                is_same = True
            else:
                inputs = tuple(same.get(id, id) for id in step.inputs)
                is_same = step.op is first.op and inputs == first.inputs and dict(step.settings) == dict(first.settings)
            if is_same:
                same[step.id] = first.id
                yield step.id, first.id

    def _second_pass(self) -> Iterator[Step]:
        return (step for step in self.old.steps.values() if step.stage == "forward" and step.path.startswith(SECOND))

    def _inputs(self, step: Step) -> tuple[str, ...]:
        return tuple(self.same.get(id, id) for id in step.inputs)

    @cached_property
    def kept(self) -> set[str]:
        """The ids of what stays: both forward passes, the update, and everything that it needs."""
        waiting = [step.id for step in self.updates]
        for step in self.old.steps.values():
            is_later = step.path.startswith(SECOND) or step.path.startswith("backward2.")
            if step.stage == "forward" and not is_later:
                waiting.append(step.id)
        waiting += [step.id for step in self._second_pass() if step.id not in self.same]
        found: set[str] = set()
        while waiting:
            id = waiting.pop()
            if id not in found:
                found.add(id)
                waiting += self._inputs(self.old.steps[id])
        return found

    def _order(self) -> list[Step]:
        """The steps that stay, those of the backward pass example by example, none before what feeds it."""
        steps = [step for step in self.old.steps.values() if step.id in self.kept]
        ranks = {step.id: (self._part(step), self._example(step), place) for place, step in enumerate(steps)}
        missing = {step.id: len({id for id in self._inputs(step) if id in self.kept}) for step in steps}
        readers: dict[str, list[str]] = {}
        for step in steps:
            for id in set(self._inputs(step)):
                readers.setdefault(id, []).append(step.id)
        ready = [(ranks[id], id) for id, count in missing.items() if not count]
        heapify(ready)
        order = []
        while ready:
            _, id = heappop(ready)
            order.append(self.old.steps[id])
            for reader in readers.get(id, ()):
                missing[reader] -= 1
                if not missing[reader]:
                    heappush(ready, (ranks[reader], reader))
        return order

    def _part(self, step: Step) -> int:
        """The first forward pass, the backward pass, the update, the second forward pass."""
        if step.stage == "forward":
            return 3 if step.path.startswith(SECOND) else 0
        return 2 if step.stage == "update" else BACKWARD

    def _example(self, step: Step) -> int:
        """In the backward pass, the example that a step belongs to."""
        if self._part(step) != BACKWARD:
            return 0
        group = self._rule(step)
        through = self.old.steps[group.rule_of].path if group is not None and group.rule_of else ""
        return example_of(step.path) or example_of(through)

    def _rule(self, step: Step) -> GroupRecord | None:
        """The application of a rule that a step lies in."""
        group = self.old.groups.get(step.group or "")
        while group is not None and not group.rule_of:
            group = self.old.groups.get(group.group or "")
        return group

    # -- under which names -----------------------------------------------------------------------

    @cached_property
    def renamed(self) -> dict[str, str]:
        """The new path of each step and group."""
        found: dict[str, str] = {}
        groups = [group for group in self.old.groups.values() if group.result in self.kept]
        for group in groups:
            found[group.path] = self._path(group.path, group.name, self.old.steps[group.result])
        for step in self.old.steps.values():
            if step.id in self.kept and step.path not in found:
                around = self.old.groups.get(step.group or "")
                if around is not None and around.path in found:
                    found[step.path] = found[around.path] + step.path.removeprefix(around.path)
                else:
                    found[step.path] = self._path(step.path, step.name, step)
        return found

    def _path(self, path: str, name: str, step: Step) -> str:
        before = path[: len(path) - len(name)]
        place = before.removeprefix(FIRST).removeprefix(SECOND)
        example = example_of(path)
        ending = f"_{example}" if example and before else ""
        if path.startswith(SECOND):
            return f"{place}{name}{ending}{AFTER}"
        group = self._rule(step)
        if VIA in name and group is not None and group.rule_of:
            through = self.old.steps[group.rule_of]
            now = f"{through.name}_{example_of(through.path)}" if example_of(through.path) else through.name
            return f"{place}{name.partition(VIA)[0]}{ending}{VIA}{now}"
        return f"{place}{name}{ending}"

    # -- the excerpt -----------------------------------------------------------------------------

    def made(self) -> TrainingStep:
        renamed = self.renamed
        if len(set(renamed.values())) < len(renamed):  # names of somebody's own that are like ours
            renamed = {path: path for path in renamed}
        recording = CompiledRecording(arithmetic=self.old.arithmetic)
        whole = self._whole_groups()
        for group in whole:
            path = renamed[group.path]
            recording.adopt_group(group.changed(path=path, name=_name(group.path, group.name, path)))
        ids = {group.id for group in whole}
        for step in self._order():
            path = renamed[step.path]
            name = _name(step.path, step.name, path)
            around = step.group if step.group in ids else None
            recording.adopt(step.changed(path=path, name=name, inputs=self._inputs(step), group=around))
        return TrainingStep(self._trace(recording, renamed), renamed, self._same_paths(renamed))

    def _same_paths(self, renamed: dict[str, str]) -> dict[str, str]:
        steps = self.old.steps
        return {steps[id].path: renamed[steps[first].path] for id, first in self.same.items()}

    def _whole_groups(self) -> list[GroupRecord]:
        """The groups of which everything stays."""
        return [
            group
            for group in self.old.groups.values()
            if group.result in self.kept
            and all(id in self.kept for id in group.inputs)
            and all(member.id in self.kept for member in self.old.members(group))
        ]

    def _trace(self, recording: Recording, renamed: dict[str, str]) -> Trace:
        run, labels = self.trace.run, self._labels()
        names = {step.name for step in recording.steps.values()}
        notation = run.style.notation
        after = ((name + AFTER, symbol + AFTER) for name, symbol in notation.pairs if name + AFTER in names)
        changed = Notation((*notation.pairs, *after), notation.count_from, notation.vectors)
        run = replace(
            run,
            style=replace(run.style, notation=changed),
            aliases={alias: renamed[path] for alias, path in run.aliases.items() if path in renamed},
            fixed=tuple(renamed[path] for path in run.fixed if path in renamed),
            history={},
            labels=lambda trace: labels,
            rerun=None,
        )
        return Trace(run=run, recording=recording)

    def _labels(self) -> AxisLabels:
        """The words along the axes; of a batch, those of each example."""
        whole = self.trace.labels
        vocabulary = whole.axes.get("vocab", ())
        texts: dict[int, tuple[str, ...]] = {}
        for step in self.old.steps.values():
            example, array = example_of(step.path), step.tensor.array
            if step.name == "tokens" and step.op is None and example and array.ndim == 1 and vocabulary:
                texts[example] = tuple(vocabulary[int(id)] for id in array)

        def at_step(view: StepView) -> dict[str, tuple[str, ...]]:
            text = texts.get(example_of(view.path))
            return {} if text is None else dict.fromkeys(TEXT_AXES, text)

        return AxisLabels(whole.axes, at_step)


def _name(path: str, name: str, now: str) -> str:
    """The name at the end of a new path: as much of it as the old name had of the old one."""
    parts = path[: len(path) - len(name)].removeprefix(FIRST).removeprefix(SECOND).count(".")
    return ".".join(now.split(".")[parts:])
