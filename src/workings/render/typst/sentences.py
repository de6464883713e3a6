"""The words of a printed page that come from no document, under stable keys. See engine/sentences.py."""

from __future__ import annotations

from ..page.sentences import add_sentences, say

add_sentences(
    "print",
    {
        "page": "page {page}",
        "columns": "{axis} {places}",
        "blank": "blank",
        "split.columns": "It is wider than the page, and stands here some columns after the other.",
        "split.rows": "It is longer than the page, and stands here some rows after the other.",
        "row": "row {number}: {entries}",
        "row.labelled": "{label}: {entries}",
        "number": "{name} equals {entries}",
        "vector": "{name}, {count} numbers: {entries}",
        "vector.part": "{name}, {place}, {count} numbers: {entries}",
        "matrix": "{name}, a matrix of {rows} by {columns}. {entries}",
        "matrix.part": "{name}, {place}, a matrix of {rows} by {columns}. {entries}",
        "matrix.nameless": "a matrix",
        "and_so_on": "{entries}, and so on",
        "unset": "The PDF shows □ for signs that no font here has: {signs}.",
    },
)

# What can go wrong, and what to try.
add_sentences(
    "error",
    {
        "pdf.package": "The package that sets PDF, typst, is not there.",
        "pdf.package.try": 'Install it with pip install "workings[print]". Or choose another format, such as '
        "--format html.",
        "pdf.screen": "A PDF cannot be shown on a screen of letters.",
        "pdf.screen.try": "Write it to a file: -o page.pdf.",
        "pdf.fault": "The page could not be set, which is a fault of workings: {message}.",
        "pdf.fault.try": "Report it with this place: {place}. The other formats, such as --format html, still work.",
    },
)

__all__ = ["say"]
