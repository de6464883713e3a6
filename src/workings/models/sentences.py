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

# What can go wrong in the YAML of a file.
add_sentences(
    "error",
    {
        "yaml.empty": "There is nothing in this file.",
        "yaml.empty.try": "Begin with `scenario: 1`, and then say what is to be computed.",
        "yaml.mapping": "This is not a list of keys with their values.",
        "yaml.mapping.try": "Write one key on each line: `scenario: 1`, `model: ...`.",
        "yaml.large": "This file has more than {most} million bytes.",
        "yaml.large.try": "Draw large weights from a seed instead of writing them down.",
        "yaml.binary": "This is not a text in UTF-8: there is the code {code} in it.",
        "yaml.binary.try": "Save the file as text, in the encoding UTF-8.",
        "yaml.syntax": "YAML cannot be read here: {problem}.",
        "yaml.syntax.try": "Look at this line and the one above it: brackets, quotes, and the spaces at the beginning.",
        "yaml.tab": "This line begins with a tab: {problem}.",
        "yaml.tab.try": "Indent with spaces; YAML allows no tabs there.",
        "yaml.documents": "A second document begins here.",
        "yaml.documents.try": "Put each scenario into a file of its own, and leave out the line `---`.",
        "yaml.tag": "There is a tag here: {tag}.",
        "yaml.tag.try": "Leave it out: numbers, words, lists and mappings are all that is needed.",
        "yaml.key": "A key must be a word.",
        "yaml.key.try": "Write `key: value`; a list or nothing at all cannot be a key.",
        "yaml.merge": "The key << is not understood.",
        "yaml.merge.try": "Write the keys out, or lay changes over the file with `runs:`.",
        "yaml.twice": "The key '{name}' is already there, on line {first}.",
        "yaml.twice.try": "Keep one of the two.",
        "yaml.alias": "There is no anchor &{name} above.",
        "yaml.alias.try": "Put &{name} before the value that *{name} repeats; words that begin with * need quotes.",
        "yaml.circle": "*{name} stands inside of what it repeats.",
        "yaml.circle.try": "Write the value out.",
        "yaml.deep": "More than {most} lists and mappings stand inside each other.",
        "yaml.deep.try": "Look for brackets that are not closed.",
        "yaml.many": "There are more than {most} values in this file, those that * repeats among them.",
        "yaml.many.try": 'Write large matrices as text, "1 0; 0 1", or draw them from a seed.',
    },
)
