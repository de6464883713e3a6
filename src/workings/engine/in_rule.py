"""The rule that belongs to a mistake: what flows back if somebody derives the gradient of what they really did.

A mistake is made in one place: going back, the true rule is used on the wrong numbers. There is a second variant, the
one that a program makes which differentiates itself: the rule is wrong in the same way. Nobody writes such a rule
down. The mistake is written in ops, and every op has its rules; so the mistaken function is recorded on the inputs,
walked back through, and what is needed of both is worked out in the context of whoever asks.

`softmax.wrong_axis+rule` at a forward step is the mistake there and in all rules of that step; at a gradient, in the
rule of that gradient alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from .arrays import namespace
from .backward import backward
from .changes import Changes
from .compiled_recording import CompiledRecording
from .context import CONTEXT
from .errors import UnreachedError
from .op import OPS, Op, first_of
from .page import ANY_INPUT, Mistake, Signature
from .recording import Recording
from .steps import GroupRecord, Step
from .tensor import Tensor

ALSO = "+rule"


def in_rule(mistake: Mistake) -> Mistake:
    """The rule, for whichever input, that follows a mistaken forward.

    >>> from workings.ops import softmax
    >>> in_rule(softmax.page.mistakes["wrong_axis"]).id
    'softmax.wrong_axis+rule'
    """
    page = OPS[mistake.page].page
    signature = Signature(("which", *page.inputs), page.settings, page.defaults, page.variadic)
    function = _Gradient(mistake)
    return Mistake(mistake.page, mistake.name + ALSO, mistake.hint, ANY_INPUT, "", function, signature, page.call)


def has_rule(op: Op, mistake: Mistake) -> bool:
    """Whether a mistake can be followed by a rule: one in the forward of an op that is one step."""
    return not mistake.of and not mistake.across and op.kind != "group"


def find_mistake(op: Op, name: str) -> Mistake | None:
    """A mistake of a page by its name, `wrong_axis`, or the rule that follows it, `wrong_axis+rule`.

    >>> from workings.ops import softmax
    >>> find_mistake(softmax, "wrong_axis").hint.partition(":")[0]
    'You normalized along the other axis'
    """
    mistake = op.page.mistakes.get(name.removesuffix(ALSO))
    if mistake is None or not name.endswith(ALSO):
        return mistake
    return in_rule(mistake) if has_rule(op, mistake) else None


def whole_of(recording: Recording, group: GroupRecord) -> str:
    """What a rule gives in the end: where an input was repeated, the sum over the repetitions."""
    return recording.paths.get(group.path, group.result)


def also_in_rules(recording: Recording, changes: Changes) -> Changes:
    """The changes with `+rule` at a forward step turned into the mistake there, and one in each of its rules."""
    if not any(_follows(op) for op in changes.ops.values()):
        return changes
    rules = [group for group in recording.groups.values() if group.rule_of]
    gradients = {id for group in rules for id in (group.result, whole_of(recording, group))}
    ops: dict[str, Op | Mistake] = {}
    for id, op in changes.ops.items():
        mistake = _follows(op)
        if mistake is not None and id not in gradients:
            followed = {whole_of(recording, group): op for group in rules if group.rule_of == id}
            ops |= {id: mistake, **followed}
        else:
            ops[id] = op
    return replace(changes, ops=ops)


@dataclass(frozen=True)
class _Gradient:
    """The gradient of a mistaken forward for one of its inputs, as a function of what flows back and of the inputs."""

    mistake: Mistake

    def __call__(self, g: Tensor, which: int, *inputs: Tensor, **settings: Any) -> Tensor:
        own = CompiledRecording(arithmetic=CONTEXT.get().arithmetic)
        leaves = tuple(Tensor(x.array, x.form, leaf=x.leaf) for x in inputs)
        with own:
            target = own.step(own.id_of(first_of(self.mistake.run(leaves, settings))))
            ids = [own.id_of(leaf) for leaf in leaves]
        seed = str(own.count)  # the first step of the way back
        try:
            gradient = backward(own, target, g.array, [own.step(ids[which])])[ids[which]]
        except UnreachedError:
            return _nothing(inputs[which])
        known = dict(zip(ids, inputs, strict=True)) | {seed: g.read_under(target.form)}
        return _worked_out(own, own.id_of(gradient), known)


def _follows(op: Op | Mistake) -> Mistake | None:
    """The mistake that a rule follows, if it follows one."""
    return op.function.mistake if isinstance(op, Mistake) and isinstance(op.function, _Gradient) else None


def _nothing(x: Tensor) -> Tensor:
    """What flows back to an input that the mistake does not read."""
    xp: Any = namespace(x.array)
    return Tensor(xp.zeros_like(x.array), x.form, leaf="constant")


def _worked_out(own: Recording, result: str, known: dict[str, Tensor]) -> Tensor:
    """One step of a recording, worked out again by calling the ops that lead to it, from tensors that are known."""
    for step in _leading_to(own, result, known):
        if step.op is None:
            known[step.id] = Tensor(step.tensor.array, step.form, step.tensor.name, "constant")
        else:
            assert isinstance(step.op, Op)
            inputs = [_read(step, slot, known[id]) for slot, id in enumerate(step.inputs)]
            made: Tensor = step.op(*inputs, **step.settings)
            known[step.id] = made.read_under(step.form)
    return known[result]


def _leading_to(own: Recording, result: str, known: Mapping[str, Tensor]) -> list[Step]:
    """The steps that a result needs, except those that are known, in the order in which they run."""
    needed = {result}
    for id in reversed(own.steps):
        if id in needed and id not in known:
            needed.update(own.steps[id].inputs)
    return [step for id, step in own.steps.items() if id in needed and id not in known]


def _read(step: Step, slot: int, tensor: Tensor) -> Tensor:
    return tensor.read_under(step.read_as[slot]) if slot in step.read_as else tensor
