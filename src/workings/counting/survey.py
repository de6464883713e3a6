"""A survey: the recording of a whole model without its numbers, forward and backward, in almost no time."""

from __future__ import annotations

from typing import Literal

import numpy

from ..engine.backward import backward
from ..engine.form import form_of
from ..engine.op import Op
from ..engine.recording import Recording
from ..engine.settings import Settings
from ..engine.steps import Step
from ..engine.tensor import Tensor
from ..nn import Architecture, Shapes, build
from .flops import Work, closed
from .hollow import Forms, Hollow

MASKED_FRACTION = 0.15  # of the tokens, which a masked language model predicts, as in BERT


class Survey(Recording):
    """A recording in which every value is hollow: names, paths, forms and rules are there, numbers are not."""

    def __init__(self, level: Literal["trace", "tape"] = "trace") -> None:
        super().__init__(level, Forms())

    def compute(self, op: Op, tensors: tuple[Tensor, ...], settings: Settings) -> Tensor:
        form = closed(op, tensors, settings).form
        return Tensor(Hollow(form.shape), form)

    def work(self, step: Step) -> Work:
        """The operations of a step."""
        assert isinstance(step.op, Op)
        assert isinstance(step.settings, Settings)
        return closed(step.op, self.input_tensors(step), step.settings).work

    def made(self, stage: str) -> list[Step]:
        """The steps of one stage that were computed, in order."""
        return [step for step in self.steps.values() if step.op is not None and step.stage == stage]

    def memory_of(self, step: Step) -> Step:
        """The step whose memory a step uses: its own, unless it only views the entries of another."""
        while step.op is not None and self._shares(step):
            step = self.step(step.inputs[0])
        return step

    def _shares(self, step: Step) -> bool:
        if step.op_name != "merge_heads":
            return getattr(step.op, "view", False) or step.op_name == "split_heads"
        # Merging heads has to copy, unless there is only one head, or one token.
        *_, heads, tokens, _ = self.step(step.inputs[0]).form.shape
        return heads == 1 or tokens == 1

    def maker_of(self, step: Step) -> Step | None:
        """The forward step whose backward rule a step belongs to."""
        group = self.groups.get(step.group or "")
        return self.step(group.rule_of) if group is not None and group.rule_of else None


def survey(
    architecture: Architecture,
    tokens: int,
    batch: int = 1,
    level: Literal["trace", "tape"] = "trace",
    back: bool = True,
) -> Survey:
    """The steps of a model for texts of this length, forward and backward.

    >>> from workings.counting.presets import PRESETS
    >>> found = survey(PRESETS["gpt2-xl"], tokens=1024)
    >>> print(found.step(found.paths["block48.attention.scores"]).form)
    head 25 × query 1024 × key 1024
    """
    recording = Survey(level)
    model = build(architecture, Shapes())
    text = whole_numbers("tokens", "token", tokens, batch)
    inputs = [whole_numbers("source", "token", tokens, batch)] if architecture.kind == "encoder-decoder" else []
    inputs += [text] if architecture.head != "masked-tokens" else [text, masked_positions(tokens)]
    with recording:
        output = model(*inputs)
    if back:
        target = recording.step(recording.id_of(output))
        backward(recording, target, Hollow(target.form.shape))
    return recording


def whole_numbers(name: str, axis: str, count: int, batch: int = 1) -> Tensor:
    """Token ids or positions: their values do not matter. A batch of one has no batch axis."""
    axes, shape = ((axis,), (count,)) if batch == 1 else (("batch", axis), (batch, count))
    return Tensor(numpy.broadcast_to(numpy.int64(0), shape), form_of(axes, shape), name=name)


def masked_positions(tokens: int) -> Tensor:
    """The positions that a masked language model predicts."""
    return whole_numbers("places", "token", max(1, round(MASKED_FRACTION * tokens)))
