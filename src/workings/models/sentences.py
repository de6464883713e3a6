"""The sentences of scenario files, under stable keys. See engine/sentences.py for how they are found."""

from __future__ import annotations

from ..engine.sentences import add_sentences

# What can go wrong in a `calculate:` line, and what to try.
add_sentences(
    "error",
    {
        "calculate.syntax": "This line cannot be read from '{rest}' on.",
        "calculate.syntax.try": "Write name = op(value, ..., setting=...), with + - * / @ between values and .T for a "
        "transpose.",
        "calculate.end": "This line stops too early.",
        "calculate.end.try": "Write name = op(value, ..., setting=...), and close every bracket.",
        "calculate.nothing": "This line computes nothing for {name}.",
        "calculate.nothing.try": "Use an op on the right of =. Another name for a step goes under aliases:.",
        "calculate.long": "This line is longer than {most} characters.",
        "calculate.long.try": "Give the parts names of their own, on lines above it.",
        "calculate.deep": "More than {most} calls, signs or brackets stand inside each other.",
        "calculate.deep.try": "Give the parts names of their own, on lines above it.",
        "calculate.number": "{number} is not a finite number.",
        "calculate.number.try": "Write a number that is not too large, and do not divide by 0.",
        "calculate.setting": "The setting {setting} of {op} is given twice.",
        "calculate.setting.try": "Leave one of the two out.",
        "calculate.input": "{input} is an input of {op}: inputs are written without their names.",
        "calculate.input.try": "Give the inputs first, in the order of the page, and then the settings.",
        "calculate.order": "An input of {op} stands behind a setting.",
        "calculate.order.try": "Give the inputs first, and then the settings with their names.",
        "calculate.unknown": "There is no value '{name}' here: it is neither given nor computed above.",
        "calculate.unknown.try": "Did you mean {nearest}?",
        "calculate.unknown.empty": "There is no value '{name}' here: nothing is given.",
        "calculate.unknown.empty.try": "Give the values that the lines start from under given:.",
        "calculate.twice": "{name} is already computed on line {first}.",
        "calculate.twice.try": "Give each result a name of its own.",
        "calculate.given": "{name} is already given.",
        "calculate.given.try": "Give the result another name, or take the given value away.",
        "calculate.memory": "The result of this line is too large for the memory.",
        "calculate.memory.try": "Look at its settings for a size that is too large.",
    },
)
