"""What the page says on which somebody pastes their own numbers."""

from __future__ import annotations

from ..engine.sentences import add_sentences

add_sentences(
    "lab",
    {
        "check.page": "Check my numbers",
        "check.about": "Give what you started from and what you got, as far as you got. You are told which step went "
        "wrong first, and which mistake gives just your numbers.",
        "check.given": "What you started from",
        "check.from.queries": "Q, K and V",
        "check.from.projections": "X and the weights",
        "check.joining": "A weight behind the heads (W_O)",
        "check.joining.about": "The weight by which the result is multiplied at the end, if there is one.",
        "check.gradients": "I have gradients too",
        "check.counting.about": "What comes in at the end: how much the loss moves with each entry of the result.",
        "check.notations": "Paste in any notation: rows on lines or between semicolons, Python, MATLAB, LaTeX, CSV; "
        "decimals or fractions.",
        "check.mask": "Mask",
        "check.mask.none": "none: everybody looks at everything",
        "check.mask.causal": "causal: nobody looks ahead",
        "check.heads": "Heads",
        "check.scale": "Scores are divided by",
        "check.scale.head": "√d of one head (the usual)",
        "check.scale.model": "√d of the whole model",
        "check.got": "What you got",
        "check.got.about": "Any of these steps, with as many digits as you have.",
        "check.run": "Check",
        "check.example": "Show me an example",
        "check.clear": "Clear",
        "check.explore": "Open the whole calculation in the explorer",
        "check.result": "What came of it",
        "check.stale": "You changed something since: check again.",
    },
)
