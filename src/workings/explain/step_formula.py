"""The formula of a step, in the names of its trace.

A page writes its formula once, for matrices and along their rows. Here the letters become names, indices
are left out where there is no axis, and along columns the indices change places.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from ..engine.op import Op
from ..engine.recording import Recording
from ..engine.steps import Step
from .document import Formula, Math
from .formula import parse, to_ascii, to_latex, to_speech, to_unicode
from .formula_tree import along_columns, for_ranks, in_greek, renamed, upright
from .work import has_own_name, rule_of

# Ops of several parts, all of which the formula of a step names.
WRITTEN_OUT = {"collect": ("", " + ", ""), "concat": ("[", ", ", "]")}


@dataclass
class Letters:
    """What the letters of a page are at one step: names or numbers, with so many axes; and along which axis it runs."""

    names: dict[str, str] = field(default_factory=dict)
    ranks: dict[str, int] = field(default_factory=dict)
    columns: bool = False

    def formula(self, latex: str) -> Formula:
        return Formula(_math(latex, tuple(self.names.items()), tuple(self.ranks.items()), self.columns))


def math_of(latex: str) -> Math:
    r"""A formula in every form, as a page writes it.

    >>> math_of(r"y = \frac{a}{b}").text
    'y = a / b'
    """
    return _math(latex, (), (), False)


@lru_cache(maxsize=1024)
def _math(latex: str, names: tuple[tuple[str, str], ...], ranks: tuple[tuple[str, int], ...], columns: bool) -> Math:
    tree = in_greek(parse(latex))
    tree = for_ranks(along_columns(tree) if columns else tree, dict(ranks))
    tree = renamed(tree, dict(names))
    return Math(to_latex(upright(tree)), to_unicode(tree), to_ascii(tree), to_speech(tree))


def formula_of(recording: Recording, step: Step, numbers: bool = True) -> Formula | None:
    """The formula of a step: that of its page, or of the rule whose result it is. Without `numbers` settings stay
    letters.
    """
    group = rule_of(recording, step)
    if group is not None:
        forward = recording.step(group.rule_of or "")
        input = group.op.input_name(group.slot)
        letters = letters_of(recording, forward, group.op, group.settings, numbers)
        letters.names |= {f"d{letter(group.op)}": called(recording, group.inputs[0]), f"d{input}": step.name}
        letters.ranks |= {f"d{letter(group.op)}": len(forward.form.shape), f"d{input}": len(step.form.shape)}
        return letters.formula(group.op.page.rules[input].latex_for(group.settings))
    if not isinstance(step.op, Op):
        return None
    if step.op.name in WRITTEN_OUT:
        before, sign, after = WRITTEN_OUT[step.op.name]
        parts = [chr(ord("a") + n // 26) + chr(ord("a") + n % 26) for n in range(len(step.inputs))]
        names = dict(zip(parts, (called(recording, id) for id in step.inputs), strict=True))
        return Letters({**names, "Y": step.name}).formula(f"Y = {before}{sign.join(parts)}{after}")
    letters = letters_of(recording, step, step.op, step.settings, numbers)
    return letters.formula(step.op.page.formula_for(step.settings))


def letters_of(recording: Recording, step: Step, op: Op, given: Mapping[str, Any], numbers: bool = True) -> Letters:
    """What the letters of a page stand for at one step: its inputs, its numbers, its result."""
    settings = op.positional(tuple(tensor.form for tensor in recording.input_tensors(step)), given)
    chosen = settings if numbers else {}
    names = {key: f"{value:g}" for key, value in chosen.items() if type(value) in (int, float) and value >= 0}
    inputs = list(zip(op.slot_names(len(step.inputs)), step.inputs, strict=True))
    names |= {name: called(recording, id) for name, id in inputs} | {letter(op): step.name}
    ranks = {name: len(recording.step(id).form.shape) for name, id in inputs} | {letter(op): len(step.form.shape)}
    return Letters(names, ranks, _runs_along_columns(op, settings, len(recording.step(step.inputs[0]).form.shape)))


def _runs_along_columns(op: Op, settings: Mapping[str, Any], rank: int) -> bool:
    """Whether an op works on the other of the last two axes than its formula is written for: rows, or its default."""
    axis, usual = settings.get("axis"), op.page.defaults.get("axis", -1)
    if isinstance(axis, tuple) and len(axis) == 1:
        (axis,) = axis
    return rank > 1 and {axis, -1 if usual is None else usual} == {-1, -2}


def called(recording: Recording, id: str) -> str:
    """What a person calls a step: a transpose that nobody named is Kᵀ, a copy is what it copies."""
    step = recording.step(id)
    if has_own_name(recording, step) or step.op_name not in ("transpose", "pass"):
        return step.name
    name = called(recording, step.inputs[0])
    if step.op_name == "pass":
        return name
    return name.removesuffix("ᵀ") if name.endswith("ᵀ") else f"{name}ᵀ"


def letter(op: Op) -> str:
    """What the page's own formula calls the result.

    >>> from workings.ops import softmax
    >>> letter(softmax)
    'P'
    """
    match = re.match(r"[A-Za-z]+", op.page.formula)
    return match[0] if match else "y"
