"""The sentences of explanations, under stable keys. See engine/sentences.py for how they are found."""

from __future__ import annotations

import re

from ..engine.sentences import add_sentences, say
from .document import Span, Spans, Words

add_sentences(
    "explain",
    {
        "leaf.given": "given",
        "leaf.parameter": "a weight",
        "leaf.constant": "a constant",
        "leaf.random": "drawn at random",
        "no_hand": "No hand calculation: this step was replaced by {op}.",
        "more_terms": "{count} more",
        "position": "first position of {value} in {row}",
        "position.crossed": "first position of {value} in {row} without {crossed}",
        "more_lines": "Left out: {count} lines that only lead to the rest of a sum.",
        "window": "The corner of {shape}: the rest is in the data.",
        "forward": "Forward",
        "backward": "Backward",
        "update": "Update",
        "after": "after {path}",
        "shapes": "Shapes",
        "ledger.step": "step",
        "ledger.op": "op",
        "ledger.shape": "shape",
        "broadcast": "{name} is repeated along {axis}, {times} times",
        "gradient": "how the loss changes with each entry of {twin}",
        "gradient.via": "what flows back into {twin} through {via}",
        "gradient.unsummed": "the gradient of {twin} before its repetitions are added up",
        "gradient.sum": "all that flows back into {twin}, added up",
        "new_value": "{twin} after the update",
        "seed": "how much each entry of {twin} counts",
        "given_values": "Given",
        "convention": "Convention: {convention}.",
        "conventions": "Conventions",
        "conventions.about": "What papers, libraries and textbooks do differently. Each column is a convention that "
        "can be named: --convention on the command line, w.convention in Python.",
        "conventions.choice": "choice",
        "conventions.pair": "{one} and {other}",
        "conventions.differ": "{subject} {here}. Elsewhere: {elsewhere}.",
        "conventions.agree": "{subject} {here}.",
        "why": "Why",
        "mistakes": "Mistakes, and what they would give",
        "mistakes.across": "Mistakes that need the steps around",
        "undefined": "There is no gradient here: {reason}",
        "mistake.convention": "You followed another convention. {subject} {choice}.",
        "mistake.value": "{name}: {hint}",
        "mistake.gives": " It gives {value} instead of {truth} at {entry}.",
        "mistake.shape": " It gives the shape {shape} instead of {truth}.",
        "no_gradient": "No gradient for {input}: {reason}",
        "precision": "Numbers: {precision}, shown to {digits} {unit}.",
        "precision.calculator": "Numbers: {precision}. Each line starts from the digits shown.",
        "unit.significant": "significant digits",
        "unit.decimals": "decimals",
    },
)

add_sentences(
    "cli",
    {
        "traces": "Traces that are ready to run",
        "traces.name": "trace",
        "traces.summary": "what it shows",
        "ops": "Op pages",
        "ops.name": "op",
        "ops.summary": "what it does",
        "fault": "Something went wrong inside workings: {error}\n"
        "  try:   Set WORKINGS_DEBUG=1 to see where, and report it.",
    },
)

# What can go wrong on the command line, and what to try; the other errors are in engine/sentences.py.
add_sentences(
    "error",
    {
        "input.cell": "--cell {cell} does not say of which step.",
        "input.cell.try": "Name the step as well: --step scores --cell {cell}.",
        "input.convention.trace": "{name} follows no convention that could be changed.",
        "input.convention.trace.try": "Leave out --convention, or use a trace that has one: block.",
        "input.convention.page": "{profile} has another page: {page}.",
        "input.convention.page.try": "Look at `workings op {page}`.",
        "input.convention": "{op} has no setting that a convention decides.",
        "input.convention.try": "Leave out --convention; `workings op {op}` shows the settings.",
        "input.precision": "{path} was calculated in {precision}, and is shown as it was calculated.",
        "input.precision.try": "Leave out --precision, or make the trace anew with it.",
        "input.binary": "{path} is not a text file.",
        "input.binary.try": "Give the JSON file of a trace, written with --format json.",
        "numbers.comma": "'{text}' has commas and spaces between its numbers.",
        "numbers.comma.try": 'Write decimals with a point: "1.5 2.5".',
        "numbers.entry": "'{text}' is not an entry.",
        "numbers.entry.try": "Give one position for each axis, counted from 0: --cell 1,0.",
        "output.screen": "The result could not be printed: {reason}.",
        "output.screen.try": "Check where the output goes, or write it to a file with -o.",
    },
)


def say_spans(key: str, **spans: Span) -> Spans:
    """A sentence with spans in it: each {name} becomes its span, so that a number stays a number."""
    pieces = re.split(r"\{(\w+)\}", say(key, **{name: f"{{{name}}}" for name in spans}))
    words = [spans[piece] if n % 2 else Words(piece) for n, piece in enumerate(pieces)]
    return tuple(span for span in words if span != Words(""))


__all__ = ["say", "say_spans"]
