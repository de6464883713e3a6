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
        "outside": "outside the modules",
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
        "figure.curve": "Loss from step to step",
        "figure.loss": "loss",
        "figure.held_out": "held out",
        "figure.step": "step",
        "figure.log": "{title} (log scale)",
        "figure.line": "{name}: from {first} at {across} {start} to {last} at {across} {end}; "
        "lowest: {lowest} at {across} {where}.",
        "figure.constant": "{name}: {first} from {across} {start} to {across} {end}.",
        "figure.point": "{name}: {first} at {across} {start}.",
        "figure.thinned": "Each point is the mean of up to {count} values; the band reaches from the lowest to the "
        "highest of them.",
        "figure.missing": "Not drawn: {count} values that are no numbers, or too large.",
    },
)


def say_spans(key: str, **spans: Span) -> Spans:
    """A sentence with spans in it: each {name} becomes its span, so that a number stays a number."""
    pieces = re.split(r"\{(\w+)\}", say(key, **{name: f"{{{name}}}" for name in spans}))
    words = [spans[piece] if n % 2 else Words(piece) for n, piece in enumerate(pieces)]
    return tuple(span for span in words if span != Words(""))


__all__ = ["say", "say_spans"]
