"""What a worksheet and its key say."""

from __future__ import annotations

from ...engine.sentences import add_sentences, say

add_sentences(
    "worksheet",
    {
        "title": "{title}: worksheet",
        "code": "sheet {code}",
        "digits": "Fill in every blank. Write {digits} significant digits; zeros at the end may be left out.",
        "counting": "Rows, columns and positions are counted from {first}.",
        "infinite": "For −∞, -inf will do.",
        "go_on": "Go on with the numbers that stand on this sheet: the printed ones, and your own where you have "
        "filled in a blank.",
        "tolerance": "An answer counts as right if it is off by no more than half a unit of its last digit, and what "
        "rounding the numbers before it, and the lines in between, can do.",
        "name": "name {line} date {short}",
        "keep": "This sheet is made from a file of your own: {command} keeps all of it.",
        "grade": "Then {command} says what is right and what went wrong. FILE is this sheet filled in, or a table with "
        "the columns entry and answer.",
        "given": "Given",
        "entry": "entry",
        "question": "what is asked",
        "answer": "answer",
    },
)

add_sentences(
    "key",
    {
        "title": "{title}: key",
        "about": "For each entry: what is right, what is accepted, and what known mistakes give. All of it is for "
        "somebody who went on with right numbers; whoever was wrong before comes to others, which {command} works out. "
        "What each mistake is stands at the end.",
        "entry": "entry",
        "right": "right",
        "least": "accepted from",
        "most": "to",
        "mistakes": "what mistakes give",
        "or": "or",
        "shape": "{mistake} gives another shape: {shape}.",
        "meanings": "The mistakes",
        "meaning": "{mistake}: {hint}",
        "not_shown": "Not shown",
        "not_shown.about": "These mistakes give nothing else in the entries that are asked for, to {digits} "
        "significant digits.",
        "not_shown.at": "{mistake} in {steps}",
    },
)

__all__ = ["say"]
