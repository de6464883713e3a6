"""What practice says in the lab, beside what sheets, grades and hints say themselves."""

from __future__ import annotations

from ..engine.sentences import add_sentences

add_sentences(
    "lab",
    {
        "mark.right": "Right.",
        "mark.right to the digits given": "Right to the digits given. To {digits} digits it is {true}.",
        "mark.follows": "It follows from your own earlier numbers, and counts as right.",
        "mark.mistake": "Not right.",
        "mark.unknown": "Not right.",
        "mark.another shape": "Not right: it has another shape.",
        "mark.unreadable": "It cannot be read, so it is not judged: {problem}",
        "mark.from_own": "From your own earlier numbers, this step was judged anew.",
        "mark.count": "So far: {counts}.",
    },
)

add_sentences(
    "error",
    {
        "lab.practice.label": "This sheet asks for nothing called {label}.",
        "lab.practice.label.try": "Write labels as the sheet does: {asked}.",
        "lab.practice.seed": "There is no sheet with the seed {seed}.",
        "lab.practice.seed.try": "Give a whole number from 0 to {most}; 0 has the numbers of the lesson itself.",
        "lab.practice.blanks": "A sheet leaves {choices} blanks, not {blanks}.",
        "lab.practice.blanks.try": "Choose one of {choices}.",
        "lab.practice.nothing": "In the run {run} of {name} there is nothing that could be asked for.",
        "lab.practice.nothing.try": "Choose another run or lesson.",
        "lab.practice.rung": "There is no hint {rung}.",
        "lab.practice.rung.try": "Hints are counted from 0 to {last}: the last one is the answer.",
    },
)
