"""The formula of a step, in the names of its trace.

A page writes its formula once, for matrices and along their rows. Here the letters become names, indices without an
axis are dropped, and along columns the indices change places. The notation of the page comes last.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from ..document.blocks import Formula, Math
from ..document.notation import USUAL, Notation, distinct_name, name_of
from ..engine.op import Op
from ..engine.recording import Recording, is_number
from ..engine.steps import Step
from ..formula.columns import in_columns
from ..formula.parse import parse, to_ascii, to_latex, to_speech, to_unicode
from ..formula.tree import along_columns, for_ranks, in_greek, renamed, upright, with_greek_signs
from ..formula.typst import to_typst
from .hand_calculation import has_own_name, rule_of

# Ops of many inputs, all of which the formula of a step names: the signs before, between and after them.
JOINED_INPUTS = {"collect": ("", " + ", ""), "concat": ("[", ", ", "]")}
# Ops whose formulas depend on the order of the axes or entries, which differs for a transposed matrix.
FOR_ROWS = frozenset({"concat", "permute", "reshape"})
# Ops whose formulas compute with indices from 0.
FROM_ZERO = frozenset({"merge_heads", "positional_encoding", "split_heads"})
# Settings that are an index in the formula.
PLACES = {"place_row": "index", "split": "part", "take_row": "index"}
NO_NAMES: Mapping[str, str] = MappingProxyType({})


@dataclass
class Letters:
    """What the letters of a page become at one step: names or numbers, each with its number of axes. `columns` if the
    op runs along columns, `transposed` if vectors are shown as columns.
    """

    names: dict[str, str] = field(default_factory=dict)
    ranks: dict[str, int] = field(default_factory=dict)
    columns: bool = False
    transposed: bool = False
    counted: frozenset[str] = frozenset()  # letters whose first index chooses one of several parts

    def formula(self, latex: str) -> Formula:
        names, ranks = tuple(self.names.items()), tuple(self.ranks.items())
        return Formula(_math(latex, names, ranks, self.columns, self.transposed, self.counted))


def math_of(latex: str) -> Math:
    r"""A formula in every form, as a page writes it.

    >>> math_of(r"y = \frac{a}{b}").text
    'y = a / b'
    """
    return Letters().formula(latex).math


def page_formula(
    op: Op, latex: str, notation: Notation = USUAL, reason: str = "", names: Mapping[str, str] = NO_NAMES
) -> Formula:
    r"""A formula as a page writes it, in the symbols of a notation; `names` are more letters to replace.

    >>> from workings.ops import softmax
    >>> page_formula(softmax, r"y = \frac{a}{b}", Notation({"a": "α"})).math.text
    'y = α / b'
    """
    symbols = dict(notation.pairs)
    gradients = {f"d{name}": f"d{symbol}" for name, symbol in symbols.items()}
    letters = Letters({**gradients, **symbols, **names})
    return in_notation(letters, op, latex, notation, reason)


def in_notation(letters: Letters, op: Op, latex: str, notation: Notation, reason: str = "") -> Formula:
    """A formula of a page; one that does not follow the notation says so."""
    for_rows = notation.columns and (op.name in FOR_ROWS or "rows" in latex)
    letters.transposed = notation.columns and not for_rows
    letters.counted = frozenset({op.page.inputs[-1], f"d{op.page.inputs[-1]}"}) if op.page.variadic else frozenset()
    notes = [reason] if reason else []
    notes += ["Written for row vectors."] if for_rows else []
    notes += ["The indices of this formula count from 0."] if notation.count_from and op.name in FROM_ZERO else []
    return replace(letters.formula(latex), reason=" ".join(notes))


@lru_cache(maxsize=1024)
def _math(
    latex: str,
    names: tuple[tuple[str, str], ...],
    ranks: tuple[tuple[str, int], ...],
    columns: bool,
    transposed: bool,
    counted: frozenset[str],
) -> Math:
    tree = in_greek(parse(latex))
    tree = for_ranks(along_columns(tree) if columns else tree, dict(ranks))
    tree = with_greek_signs(renamed(in_columns(tree, counted) if transposed else tree, dict(names)))
    in_type = upright(tree)
    return Math(to_latex(in_type), to_unicode(tree), to_ascii(tree), to_speech(tree), to_typst(in_type))


def formula_of(recording: Recording, step: Step, numbers: bool = True, notation: Notation = USUAL) -> Formula | None:
    """The formula of a step: that of its page, or of the rule that computed it. Without `numbers`, settings stay
    letters.
    """
    group = rule_of(recording, step)
    name = name_of(recording, step, notation)
    if group is not None:
        forward = recording.step(group.rule_of or "")
        input = group.op.input_name(group.slot)
        letters = letters_of(recording, forward, group.op, group.settings, numbers, notation)
        letters.names |= {f"d{letter(group.op)}": display_name(recording, group.inputs[0], notation), f"d{input}": name}
        letters.ranks |= {f"d{letter(group.op)}": len(forward.form.shape), f"d{input}": len(step.form.shape)}
        return in_notation(letters, group.op, group.op.page.rules[input].latex_for(group.settings), notation)
    if not isinstance(step.op, Op):
        return None
    if step.op.name in JOINED_INPUTS:
        before, sign, after = JOINED_INPUTS[step.op.name]
        parts = [chr(ord("a") + n // 26) + chr(ord("a") + n % 26) for n in range(len(step.inputs))]
        others = [step, *(recording.step(id) for id in step.inputs)]
        names = dict(zip(parts, (display_name(recording, id, notation, others) for id in step.inputs), strict=True))
        latex = f"Y = {before}{sign.join(parts)}{after}"
        return in_notation(Letters({**names, "Y": name}), step.op, latex, notation)
    letters = letters_of(recording, step, step.op, step.settings, numbers, notation)
    return in_notation(letters, step.op, step.op.page.formula_for(step.settings), notation)


def letters_of(
    recording: Recording,
    step: Step,
    op: Op,
    given: Mapping[str, Any],
    numbers: bool = True,
    notation: Notation = USUAL,
) -> Letters:
    """What the letters of a page become at one step: the names of its inputs and its result, and its numbers."""
    count = len(step.inputs) if op.page.variadic else len(op.page.inputs)  # a mistake may read more than its page does
    settings = op.positional(tuple(tensor.form for tensor in recording.input_tensors(step)), given)
    chosen = settings if numbers else {}
    names = {key: f"{value:g}" for key, value in chosen.items() if type(value) in (int, float) and value >= 0}
    if PLACES.get(op.name) in names:
        names[PLACES[op.name]] = str(notation.place(chosen[PLACES[op.name]]))
    inputs = list(zip(op.slot_names(count), step.inputs[:count], strict=True))
    others = [step, *(recording.step(id) for id in step.inputs)]
    names |= {name: display_name(recording, id, notation, others) for name, id in inputs}
    names[letter(op)] = name_of(recording, step, notation)
    ranks = {name: len(recording.step(id).form.shape) for name, id in inputs} | {letter(op): len(step.form.shape)}
    return Letters(names, ranks, _runs_along_columns(op, settings, len(recording.step(step.inputs[0]).form.shape)))


def _runs_along_columns(op: Op, settings: Mapping[str, Any], rank: int) -> bool:
    """Whether an op runs along the other of the last two axes than its formula does: the rows, or its default."""
    axis, usual = settings.get("axis"), op.page.defaults.get("axis", -1)
    if isinstance(axis, tuple) and len(axis) == 1:
        (axis,) = axis
    return rank > 1 and {axis, -1 if usual is None else usual} == {-1, -2}


def display_name(recording: Recording, id: str, notation: Notation = USUAL, others: Iterable[Step] = ()) -> str:
    """The name of a step for a reader, distinct from others: an unnamed transpose is Kᵀ, a copy is its input."""
    step = recording.step(id)
    if is_number(step.name):
        return step.name.partition("_")[0]
    if has_own_name(recording, step) or step.op_name not in ("transpose", "pass"):
        return distinct_name(recording, step, others, notation)
    name = display_name(recording, step.inputs[0], notation, others)
    if step.op_name == "pass":
        return name
    return name.removesuffix("ᵀ") if name.endswith("ᵀ") else f"{name}ᵀ"


def letter(op: Op) -> str:
    """The letter of the result in the formula of a page.

    >>> from workings.ops import softmax
    >>> letter(softmax)
    'P'
    """
    match = re.match(r"[A-Za-z]+", op.page.formula)
    return match[0] if match else "y"
