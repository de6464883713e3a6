"""A survey: the recording of a whole model without its numbers, forward and backward, made in no time."""

from __future__ import annotations

from typing import Literal

import numpy

from ...engine.backward import backward
from ...engine.form import form_of
from ...engine.op import Op
from ...engine.recording import Recording
from ...engine.settings import Settings
from ...engine.steps import Step
from ...engine.tensor import Tensor
from ...nn import Architecture, Shapes, build
from .hollow import Forms, Hollow
from .work import Work, closed

COVERED = 0.15  # the share of tokens that a masked language model is asked for, as in BERT


class Survey(Recording):
    """A recording in which every value is hollow: names, paths, forms and rules are there, numbers are not."""

    def __init__(self, level: Literal["trace", "tape"] = "trace") -> None:
        super().__init__(level, Forms())

    def compute(self, op: Op, tensors: tuple[Tensor, ...], settings: Settings) -> Tensor:
        form = closed(op, tensors, settings).form
        return Tensor(Hollow(form.shape), form)

    def work(self, step: Step) -> Work:
        """What a step takes."""
        assert isinstance(step.op, Op)
        assert isinstance(step.settings, Settings)
        return closed(step.op, self.input_tensors(step), step.settings).work

    def made(self, stage: str) -> list[Step]:
        """The steps of one stage that were computed, in order."""
        return [step for step in self.steps.values() if step.op is not None and step.stage == stage]

    def memory_of(self, step: Step) -> Step:
        """The step whose memory a step reads: its own, unless it only moves entries without copying them."""
        while step.op is not None and self._shares(step):
            step = self.step(step.inputs[0])
        return step

    def _shares(self, step: Step) -> bool:
        if step.op_name != "merge_heads":
            return getattr(step.op, "view", False) or step.op_name == "split_heads"
        # Putting heads side by side has to copy, unless there is only one head, or one token.
        *_, heads, tokens, _ = self.step(step.inputs[0]).form.shape
        return heads == 1 or tokens == 1

    def maker_of(self, step: Step) -> Step | None:
        """Of a step inside a backward rule: the forward step whose rule it is."""
        group = self.groups.get(step.group or "")
        return self.step(group.rule_of) if group is not None and group.rule_of else None


def survey(
    architecture: Architecture,
    tokens: int,
    batch: int = 1,
    level: Literal["trace", "tape"] = "trace",
    back: bool = True,
) -> Survey:
    """The steps of a model for texts of this length, forward and back from what it gives.

    >>> from workings.models.presets import PRESETS
    >>> found = survey(PRESETS["gpt2-xl"], tokens=1024)
    >>> print(found.step(found.paths["block48.attention.scores"]).form)
    head 25 × query 1024 × key 1024
    """
    recording = Survey(level)
    model = build(architecture, Shapes())
    text = whole_numbers("tokens", "token", tokens, batch)
    given = [whole_numbers("source", "token", tokens, batch)] if architecture.kind == "encoder-decoder" else []
    asked = [text] if architecture.head != "masked-tokens" else [text, covered(tokens)]
    with recording:
        output = model(*given, *asked)
    if back:
        target = recording.step(recording.id_of(output))
        backward(recording, target, Hollow(target.form.shape))
    return recording


def whole_numbers(name: str, axis: str, count: int, batch: int = 1) -> Tensor:
    """Token ids or places: it does not matter which. A batch of one has no axis of its own."""
    axes, shape = ((axis,), (count,)) if batch == 1 else (("batch", axis), (batch, count))
    return Tensor(numpy.broadcast_to(numpy.int64(0), shape), form_of(axes, shape), name=name)


def covered(tokens: int) -> Tensor:
    """The places that a masked language model is asked for."""
    return whole_numbers("places", "token", max(1, round(COVERED * tokens)))
