"""The words on an HTML page that come from no document, under stable keys. See engine/sentences.py."""

from __future__ import annotations

from ...engine.sentences import add_sentences, say

add_sentences(
    "page",
    {
        "language": "en",
        "contents": "Contents",
        "theme": "Light or dark",
        "answer": "Show the answer",
        "copy": "Copy",
        "copied": "Copied",
        "by_hand": "By hand",
        "close": "Close",
        "blank": "Your answer",
        "save": "Save my answers",
        "load": "Load answers",
        "saved": "Saved.",
        "loaded": "Loaded.",
        "other_sheet": "These answers are to another sheet.",
        "no_answers": "This file holds no answers.",
        "your_code": "your code",
        "left_out": "(Left out here: it would give away what you are asked for.)",
        "press": "Press a number with dots under it to see how it comes about.",
    },
)

# What can go wrong, and what to try.
add_sentences(
    "error",
    {
        "html.katex": "KaTeX, which sets the formulas of HTML pages, is not there.",
        "html.katex.try": "In the folder of the source, run `make run`: it puts KaTeX into the package. "
        "Or choose another format, such as --format md.",
    },
)

__all__ = ["add_sentences", "say"]
