"""What grading says."""

from __future__ import annotations

from ...engine.sentences import add_sentences, say

add_sentences(
    "grade",
    {
        "title": "{title}: what you wrote",
        "code": "Sheet {code}.",
        "points": "{points} of {most} points: {counts}.",
        "count.right": "{count} right",
        "count.follows": "{count} following from your own numbers",
        "count.wrong": "{count} wrong",
        "count.blank": "{count} blank",
        "all_right": "Everything that you answered is right.",
        "nothing": "Nothing is answered yet.",
        "first": "The first step that is wrong is {step}.",
        "steps": "Step by step",
        "wrong": "What went wrong",
        "step": "step",
        "answers": "answers",
        "verdict": "verdict",
        "points.heading": "points",
        "entry": "entry",
        "yours": "yours",
        "true": "right is",
        "expected": "from your numbers",
        "verdict.right": "right",
        "verdict.right to the digits given": "right to the digits given",
        "verdict.follows": "follows from your own numbers",
        "verdict.mistake": "a known mistake",
        "verdict.unknown": "not right",
        "verdict.blank": "blank",
        "verdict.unreadable": "cannot be read",
        "verdict.another shape": "another shape",
        "mistake": "{name}: {hint}",
        "nan": "It is not a number.",
        "also.hint": "Or: {hint}",
        "unasked.many": "Are these the answers to another sheet?",
        "verdict.count": "{count} {verdict}",
        "unasked": "Nobody asked for {labels}: that is not graded.",
        "by_hand": "By hand, from the numbers on the sheet",
        "trivial": "These numbers would make the rest too easy, so what follows is judged by the true ones.",
        "wrong_digit": "A single wrong digit would explain it too, so no mistake is named.",
        "several": "More than one mistake gives these numbers, so none is named.",
        "unknown": "No known mistake gives these numbers: work the line out again.",
        "tolerance": "An answer may be off by half a unit of its last digit, and by what rounding the numbers before "
        "it and the lines in between can do.",
        "rule": "One point for an answer that is right or follows from your own earlier numbers, half a point for a "
        "known mistake.",
        "drill": "To practise just this: {command}",
        "others": "Also not right",
        "others.about": "Here no known mistake gives your numbers: work the lines out again.",
        "note": "{labels}: {note}",
        "twice": "It is answered twice, by itself as {one} and in the whole matrix as {other}.",
        "placed": "{label} ({place})",
        "shape.transposed": "It is the transposed matrix: rows and columns have changed places.",
        "shape.summed": "An axis is missing: something was added up, or only a part was taken.",
        "shape.missing": "A row or a column is missing.",
        "shape.other": "It has another shape.",
    },
)

add_sentences(
    "error",
    {
        "grade.other_sheet": "These answers are not to the sheet {code}: it asks for nothing called '{label}'.",
        "grade.other_sheet.try": "Give the sheet that they belong to, or write labels as on this one: {asked}.",
        "grade.sheet": "These answers are to the sheet {other}, and this is the sheet {code}.",
        "grade.sheet.try": "Give the sheet {other}, or the answers to {code}.",
    },
)

__all__ = ["say"]
