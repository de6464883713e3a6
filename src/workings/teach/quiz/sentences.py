"""What a quiz says."""

from __future__ import annotations

from ...engine.sentences import add_sentences, say

add_sentences(
    "quiz",
    {
        "given": "Given",
        "given.nothing": "Nothing is given.",
        "step": "{number} of {count}: {name}",
        "find": "Find {labels}, to {digits} significant digits.",
        "rung.formula": "Hint: the formula",
        "rung.operands": "Hint: the numbers that it reads",
        "rung.line": "Hint: the calculation, without its last number",
        "rung.answer": "The answer",
        "right.number": "{label} = {given}: right.",
        "right.other": "{label}, {given}: right.",
        "digits": "{label} = {given}: right to the digits given. To {digits} digits it is {true}.",
        "wrong.number": "{label} = {given}: not right.",
        "wrong.other": "{label}, {given}: not right.",
        "unreadable": "{label}: {problem}",
        "page": "The page of {op} with an example: workings op {op}",
        "end": "How it went",
        "stopped": "You stopped after {done} of {count} steps.",
        "nothing": "Nothing was answered.",
        "points": "{points} of {most} points.",
        "rule": "One point for each right answer. Each hint and each wrong answer before it costs a quarter. What you "
        "left open or were shown counts nothing.",
        "entry": "entry",
        "outcome": "outcome",
        "hints": "hints",
        "wrongs": "wrong answers",
        "points.heading": "points",
        "outcome.open": "not yet right",
        "outcome.right": "right",
        "outcome.shown": "shown to you",
        "outcome.left": "left open",
        "mistakes": "Mistakes that you made",
        "drill": "{mistake}: to practise just this, workings quiz {command} --mistake {mistake}",
        "drill.title": "{title}: {mistake}",
        "drill.about": "Each time with other numbers, until you are right {wanted} times in a row.",
        "drill.name": "{name}, round {number}",
        "drill.streak": "Right in a row at the end: {streak} of {wanted}.",
        "drill.passed": "You were right {wanted} times in a row.",
        "drill.round": "round {number}: {label}",
    },
)

add_sentences(
    "error",
    {
        "quiz.done": "The quiz is over: there is nothing left to answer.",
        "quiz.done.try": "Begin another one.",
        "quiz.label": "'{label}' is not asked for now.",
        "quiz.label.try": "Answer one of: {labels}.",
        "quiz.nothing": "{name} has no steps that could be asked for.",
        "quiz.nothing.try": "Choose another run with --run, or more blanks with --blanks all.",
        "quiz.mistake": "There is no mistake '{mistake}'. Near it: {nearest}.",
        "quiz.mistake.try": "The pages list them: `workings op softmax`. So does the lesson common-mistakes.",
        "quiz.elsewhere": "The mistake {mistake} does not show in the numbers of {name}.",
        "quiz.elsewhere.try": "It shows in {lessons}: `workings quiz {first} --mistake {mistake}`.",
        "quiz.nowhere": "The mistake {mistake} does not show in the numbers of {name}, nor in another lesson.",
        "quiz.nowhere.try": "Look at it there: `{look}`.",
    },
)

__all__ = ["say"]
