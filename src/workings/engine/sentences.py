"""Every sentence of the engine that a person may read, under a stable key.

`say` looks a key up in the translation of the current context and falls back to English.
A translation is one mapping from key to text, so it is one file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

ENGLISH: dict[str, str] = {}

_TRANSLATION: ContextVar[Mapping[str, str]] = ContextVar("translation", default=MappingProxyType({}))


def add_sentences(prefix: str, sentences: Mapping[str, str]) -> None:
    """Put English sentences into the catalogue; a key may be written only once."""
    for key, text in sentences.items():
        full = f"{prefix}.{key}"
        if ENGLISH.setdefault(full, text) != text:
            raise KeyError(f"two sentences under the key {full!r}")


def say(key: str, **values: object) -> str:
    """The sentence under `key`, in the language of the context, with its values filled in.

    >>> say("error.label", label="5", size=4)
    'The label 5 is outside the vocabulary of 4 entries.'
    """
    text = _TRANSLATION.get().get(key, ENGLISH[key])
    return text.format(**values)


def sentences_under(prefix: str) -> dict[str, str]:
    """Every sentence whose key begins so, in the language of the context, with places for its values.

    >>> sentences_under("error.label")["error.label"]
    'The label {label} is outside the vocabulary of {size} entries.'
    """
    translation = _TRANSLATION.get()
    return {key: translation.get(key, text) for key, text in ENGLISH.items() if key.startswith(prefix)}


@contextmanager
def translated(sentences: Mapping[str, str]) -> Iterator[None]:
    """Within this context `say` prefers these sentences.

    >>> with translated({"error.label": "Marke {label}: nur {size} gibt es."}):
    ...     say("error.label", label="5", size=4)
    'Marke 5: nur 4 gibt es.'
    """
    token = _TRANSLATION.set(MappingProxyType(dict(sentences)))
    try:
        yield
    finally:
        _TRANSLATION.reset(token)


# What happened; below it, under the same key with ".try", what a person can do about it.
add_sentences(
    "error",
    {
        "shape.elementwise": "The entries do not pair up: {axis} has {one} in one input and {other} in another.",
        "shape.elementwise.try": "Give both inputs the same shape. Only an axis that is missing on the left, or "
        "that a sum or a maximum left behind with one entry, is repeated.",
        "axis.elementwise": "The axes do not mean the same: '{one}' meets '{other}'.",
        "axis.elementwise.try": 'Transpose one input, or relabel it: x.rename({one}="{other}").',
        "shape.matmul": "The product needs as many columns on the left as rows on the right: {columns} is not {rows}.",
        "shape.matmul.try": "Transpose one of the two, or check which one comes first.",
        "axis.matmul": "The columns of the left input are '{columns}', the rows of the right input are '{rows}'.",
        "axis.matmul.try": 'Transpose one of the two, or relabel it: x.rename({columns}="{rows}").',
        "shape.rank": "{op} needs an input with {needed}; number of axes given: {rank}.",
        "shape.rank.try": "Reshape the input, or take one row of it first.",
        "shape.reshape": "{old} entries cannot be laid out as {shape}, which has {new}.",
        "shape.reshape.try": "The product of the new sizes must be {old}.",
        "shape.labels": "{op} needs one label for each row: the rows are {rows}, the labels {labels}.",
        "shape.labels.try": "Give as many labels as there are rows; a single row takes a single label.",
        "shape.concat": "The parts do not fit side by side: {axis} has {one} in part 1 and {other} in part {part}.",
        "shape.concat.try": "Parts may differ only along the axis on which they are put side by side.",
        "shape.concat.rank": "The parts do not fit side by side: part 1 has {one} axes and part {part} has {other}.",
        "shape.concat.rank.try": "Reshape them first, so that all have the same axes.",
        "shape.split": "Pieces of {sizes} make {total} entries together, but {axis} has {size}.",
        "shape.split.try": "Give sizes above 0 that add up to {size}.",
        "shape.heads": "{width} columns cannot be shared out evenly among {heads} heads.",
        "shape.heads.try": "The number of heads must divide {width}. The nearest that do: {nearest}.",
        "shape.words": "The shape {shape} needs one word for each axis ({rank}); given: {words} ({count}).",
        "shape.words.try": "Give one word for each axis, or none at all.",
        "shape.rule": "The backward rule of {op} gave a gradient of {got} for an input of {needed}.",
        "shape.rule.try": "A rule must return the shape of its input, before broadcasting is undone.",
        "shape.value": "A value of shape {new} cannot stand in for one of shape {old}.",
        "shape.value.try": "Give an array of the shape {old}.",
        "shape.ragged": "The rows are not equally long, or an entry is not a number.",
        "shape.ragged.try": "Give nested lists of numbers in which all rows have the same length.",
        "shape.empty": "There are no numbers here: the shape is {shape}.",
        "shape.empty.try": "Give at least one number along every axis.",
        "axis.twice": "The word '{word}' would stand on two axes of one tensor.",
        "axis.twice.try": 'Relabel one of them first: x.rename({word}="key").',
        "axis.again": "The axes {axes} name the same one twice.",
        "axis.again.try": "Name each axis once.",
        "axis.order": "The order {order} does not name every axis of {axes} once.",
        "axis.order.try": "Give the words or the positions of all axes, each once.",
        "axis.heads": "The heads must stand before the tokens, but here the axes are {axes}.",
        "axis.heads.try": "Bring them there first, with permute.",
        "axis.unknown": "There is no axis '{axis}' here.",
        "axis.unknown.try": "Axes of this input: {axes}.",
        "axis.rename": "There is no axis '{axis}' to rename.",
        "axis.rename.try": "Axes of this tensor: {axes}.",
        "setting.unknown": "{op} has no setting '{setting}'.",
        "setting.unknown.try": "Settings of {op}: {settings}.",
        "setting.choice": "The setting {setting} of {op} cannot be {value}.",
        "setting.choice.try": "What fits: {choices}.",
        "setting.missing": "{op} needs the setting '{setting}'.",
        "setting.missing.try": "Call it as {op}(..., {setting}=...).",
        "inputs.count": "{op} takes {names}: inputs needed {needed}, given {count}.",
        "inputs.count.try": "Arrays are positional, settings are written with their name.",
        "inputs.type": "An input of {op} is a {type}, which is not an array.",
        "inputs.type.try": "Wrap it: given([[1, 2], [3, 4]]).",
        "number.nonfinite": "{name} contains {value} at {index}.",
        "number.nonfinite.try": "Inputs and weights must be finite numbers. Look at what produced this one.",
        "number.log": "The logarithm of {value} (entry {index}) does not exist.",
        "number.log.try": "Probabilities must stay above 0: use cross_entropy on the logits, which never takes "
        "the logarithm of a rounded 0.",
        "number.sqrt": "The square root of {value} (entry {index}) does not exist.",
        "number.sqrt.try": "Square roots need entries of 0 or more.",
        "number.length": "The norm is {value}, but a length is never below 0.",
        "number.length.try": "Give the length of all gradients together, as norm computes it.",
        "number.power": "{value} (entry {index}) to the power {exponent} does not exist.",
        "number.power.try": "A negative exponent needs entries other than 0, and one that is not whole needs entries "
        "of 0 or more.",
        "number.divide": "Entry {index} would be divided by 0.",
        "number.divide.try": "Look at what made the divisor 0; a norm adds a small epsilon for this reason.",
        "number.flat": "Row {index} has the size 0 and would be divided by it.",
        "number.flat.try": "Give an epsilon above 0: it is there for rows whose entries are all the same, or 0.",
        "number.squares": "The squares of row {index}, with {value} in it, may add up to more than any number of type "
        "{dtype}.",
        "number.squares.try": "Look at what made this row so large.",
        "number.exp": "e to the power {value} (entry {index}) is larger than any number of type {dtype}.",
        "number.exp.try": "Subtract the row's largest entry first, as softmax does.",
        "number.cube": "The cube of {value} (entry {index}) is larger than any number of type {dtype}.",
        "number.cube.try": "Look at what made this entry so large, or use gelu, which needs no cube.",
        "number.range": "Entry {index} of the result is {value}: too large for a number, or not defined.",
        "number.range.try": "Look at the inputs for entries that are very large, 0 or infinite.",
        "number.masked": "Row {index} is masked everywhere: all its scores are -inf, so there is nothing to share.",
        "number.masked.try": "Leave at least one score of every row unmasked; under a causal mask that is the token "
        "itself.",
        "number.probability": "{value} (entry {index}) is not strictly between 0 and 1.",
        "number.probability.try": "Use binary_cross_entropy_from_logits on the scores before the sigmoid.",
        "number.index": "The position {index} is outside the {size} rows.",
        "number.index.try": "Positions count from 0; -1 is the last one.",
        "number.piece": "There is no piece {part}: sizes {sizes} make {count} pieces.",
        "number.piece.try": "Pieces count from 0; -1 is the last one.",
        "number.mark": "{what} is {value} at {index}; a mark is 0 or 1.",
        "number.mark.try": "Give 1 for what stays and 0 for what does not.",
        "number.reals": "{what} must be real numbers, not {dtype}.",
        "number.reals.try": "Wrap it: constant(...) turns whole numbers and truth values into real numbers.",
        "number.integers": "{what} must be whole numbers, not {dtype}.",
        "number.integers.try": "Give integers, counted from 0.",
        "label": "The label {label} is outside the vocabulary of {size} entries.",
        "label.try": "Labels count from 0 to the size of the vocabulary less one.",
        "label.masked": "The right answer of row {index}, {label}, is masked: its share is 0, and the loss infinite.",
        "label.masked.try": "Mask only what cannot be the answer.",
        "step.unknown": "There is no step '{name}'.",
        "step.unknown.try": "Did you mean {nearest}?",
        "step.unknown.empty": "There is no step '{name}': nothing has been recorded.",
        "step.unknown.empty.try": "Compute something inside `with Trace() as trace:` first.",
        "step.ambiguous": "'{name}' could be any of {count} steps.",
        "step.ambiguous.try": "Write more of the path: {paths}.",
        "step.inside": "'{name}' has no inside: it is one primitive step.",
        "step.inside.try": "Only composites open: {composites}.",
        "step.inner": "'{name}' lies inside the step {path}: it can be looked at, but not changed or started from.",
        "step.inner.try": "Name the whole step, {path}.",
        "entry.rank": "An entry of {name} has a position on each axis ({rank}); given: {count}.",
        "entry.rank.try": "Give one position for each axis: {example}.",
        "entry.type": "{position} is not a position: positions are whole numbers.",
        "entry.type.try": "Count from 0: cell(1, 0) is row 1, column 0.",
        "entry.range": "Position {position} on the axis {axis} is outside: there are {size}.",
        "entry.range.try": "Positions count from 0 to {last}.",
        "backward.scalar": "Backward starts from one number, but {name} has the shape {shape}.",
        "backward.scalar.try": "Start from the loss, or say how much each entry counts: "
        "backward({name!r}, cotangent=...).",
        "backward.unreached": "{name} does not depend on any weight or given value that has a gradient.",
        "backward.unreached.try": "Start from a step that was computed from a parameter.",
        "backward.dropped": "The value of {name} was not kept.",
        "backward.dropped.try": "A tape keeps only what backward needs: record with level='trace' to see every value.",
        "replay.cycle": "The new wiring runs in a circle through {path}.",
        "replay.cycle.try": "A step can only be fed by steps that do not depend on it.",
        "replay.input": "{name} has no input '{input}'.",
        "replay.input.try": "Inputs of this step: {inputs}.",
        "replay.leaf": "{name} is a leaf: it has no op, settings or wires to change.",
        "replay.leaf.try": "Change its value: replay(values={{{name!r}: ...}}).",
        "replay.mistake": "The mistake {mistake} does not fit the step {name}, which is {op}.",
        "replay.mistake.try": "Mistakes that fit: {fitting}.",
        "replay.group": "{op} is a group of steps: it cannot take the place of the one step {name}.",
        "replay.group.try": "Give an op that is one step, or the steps of the group one by one.",
        "compile.calculator": "A program computes in floating point; this trace was recorded with {precision}.",
        "compile.calculator.try": "Record it with the precision float64 to compile it.",
        "compile.dtype": "{name} is {old} in this program, but the array given is {new}.",
        "compile.dtype.try": "Convert it: array.astype('{old}').",
        "compile.twice": "{name} is given twice as an input of the program.",
        "compile.twice.try": "Name each input once; the program uses it wherever it is needed.",
        "compile.array": "{name} is a {type}; a compiled program takes arrays.",
        "compile.array.try": "Give numpy.asarray(...), of the shape and type that were recorded.",
        "compile.input": "{name} is computed, so it cannot be an input of the program.",
        "compile.input.try": "Inputs are leaves: {leaves}.",
        "file.json": "This is not a trace: {reason}.",
        "file.json.try": "Write one with trace.to_json() or `--format json`, and read the file whole.",
        "file.cycle": "Step {id} is fed by {input}, which comes later.",
        "file.cycle.try": "In a trace every step stands after its inputs.",
        "file.dangling": "Step {id} names the step or group {missing}, which is not there, or comes later.",
        "file.dangling.try": "Write the whole trace again: every step that it names must be in it.",
        "file.value": "Step {id} is a leaf without a value.",
        "file.value.try": "Arrays above {limit} entries are left out of the JSON: give them as values={{path: array}}.",
        "file.op": "Step {id} uses the op '{op}', which is not known here.",
        "file.op.try": "Nearest ops: {nearest}.",
        "precision.never": "The check does not hold even with {digits} {unit} digits.",
        "precision.never.try": "Look at what it asks for: trace.in_precision('calculator {digits} {unit}').",
        "convention.profile": "There is no convention '{name}'.",
        "convention.profile.try": "Did you mean {nearest}? Known: {known}.",
        "convention.field": "A convention has no choice '{field}'.",
        "convention.field.try": "Did you mean {nearest}? Choices: {known}.",
        "convention.choice": "The choice {field} of a convention cannot be {value}.",
        "convention.choice.try": "Give one of: {choices}.",
        "op.unknown": "There is no op '{name}'.",
        "op.unknown.try": "Did you mean {nearest}?",
        "page": "The page of {op} is not complete: {missing}.",
        "page.try": "A page has a summary, formula, rules (or a reason for having none), derivation, by_hand, "
        "mistakes and an example.",
        "precision": "'{text}' is not a precision.",
        "precision.try": "Write float64, float32, 'calculator 4 significant' or 'calculator 3 decimals'.",
        "precision.digits": "A calculator with {digits} digits cannot be used.",
        "precision.digits.try": "Give between 1 and 12.",
        "formula": "The formula {latex} is outside the subset, at '{rest}'.",
        "formula.try": "See explain/formula.py for the commands that every target can write.",
    },
)
