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
        "window": "The corner of {shape}: the rest is in the data.",
        "tape": "Nothing to show: a tape keeps only what backward needs.",
        "forward": "Forward",
        "backward": "Backward",
        "update": "Update",
        "shapes": "Shapes",
        "ledger.step": "step",
        "ledger.op": "op",
        "ledger.shape": "shape",
        "broadcast": "{name} is repeated along {axis}, {times} times",
        "gradient": "how the loss changes with each entry of {twin}",
        "gradient.via": "what flows back into {twin} through {via}",
        "gradient.sum": "all that flows back into {twin}, added up",
        "new_value": "{twin} after the update",
        "seed": "how much each entry of {twin} counts",
        "by_hand": "By hand",
        "given_values": "Given",
        "result": "Result",
        "why": "Why",
        "mistakes": "Mistakes, and what they would give",
        "mistake.value": "{name}: {hint}",
        "mistake.gives": " It gives {value} instead of {truth} at {entry}.",
        "mistake.shape": " It gives the shape {shape}.",
        "op.steps": "Inside",
        "no_gradient": "No gradient for {input}: {reason}",
        "precision": "Numbers: {precision}.",
        "spoken.matrix": "{title}, {shape}",
    },
)

add_sentences(
    "cli",
    {
        "traces": "Traces that are ready to run",
        "ops": "Op pages",
        "ops.name": "op",
        "ops.summary": "what it does",
        "fault": "Something went wrong inside workings: {error}\n"
        "  try:   Set WORKINGS_DEBUG=1 to see where, and report it.",
    },
)


def say_spans(key: str, **spans: Span) -> Spans:
    """A sentence with spans in it: each {name} becomes its span, so that a number stays a number."""
    pieces = re.split(r"\{(\w+)\}", say(key, **{name: f"{{{name}}}" for name in spans}))
    words = [spans[piece] if n % 2 else Words(piece) for n, piece in enumerate(pieces)]
    return tuple(span for span in words if span != Words(""))


__all__ = ["say", "say_spans"]
