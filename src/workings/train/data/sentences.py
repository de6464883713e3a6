"""The sentences about what can go wrong with data."""

from __future__ import annotations

from ...engine.sentences import add_sentences

add_sentences(
    "setting",
    {
        "from_to": "a whole number from {least} to {most}",
        "characters": 'characters in one string, such as "abc"',
        "truth": "True or False",
    },
)

add_sentences(
    "error",
    {
        "data.missing": "There is no file {path}.",
        "data.missing.try": "Look at how it is written, and in which folder you are.",
        "data.folder": "A folder cannot be read as a text: {path}.",
        "data.folder.try": "Name one of the files in it.",
        "data.empty": "There is no text in {path}: the file is empty, or has nothing but white space.",
        "data.empty.try": "Give a file with text in it.",
        "data.bytes": "The file {path} is not a text in UTF-8: byte {place}, counted from 0, is {byte}.",
        "data.bytes.try": "Save it as plain text in UTF-8. A program, a picture or a PDF cannot be read as a text.",
        "data.closed": "The file {path} cannot be read: {reason}.",
        "data.closed.try": "Look at its name, and at who may read it.",
        "data.library": "This Python came without the source of its standard library.",
        "data.library.try": "Give a text of your own: read_text(path).",
        "data.short": "The text is too short: it has {length} tokens, and a context of {context} needs {needed}.",
        "data.short.try": "Give a context of at most {largest}, or a longer text.",
        "data.tiny": "The text is too short: it has {length} tokens, and a context of {context} needs {needed}.",
        "data.tiny.try": "Give a longer text.",
        "task.unknown": "There is no task {name}.",
        "task.unknown.try": "Did you mean {nearest}? Known: {known}.",
        "task.lengths": "The shortest row cannot be longer than the longest: {shortest} is more than {longest}.",
        "task.lengths.try": "Give a shortest of at most {longest}, or a longest of at least {shortest}.",
        "task.few": "Rows of symbols need at least 2 different ones; given: {symbols}.",
        "task.few.try": 'Give more of them: symbols="abc".',
        "task.twice": "The symbol {symbol} is given twice.",
        "task.twice.try": "Give each symbol once.",
        "task.symbol": "{symbol} cannot be a symbol: it would be read as something else, or could not be seen.",
        "task.symbol.try": "Give letters, digits or signs that stay apart when written side by side, but not < and >, "
        "which mark the ends of texts.",
        "task.one_side": "Among {tries} questions of the task {task} none was {side}.",
        "task.one_side.try": "Let it have more questions, so that a tenth of them can be held out: more symbols, or "
        "longer rows.",
    },
)
