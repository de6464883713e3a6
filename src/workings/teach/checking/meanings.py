"""What others call the steps of a transformer: the usual names in programs, and which of our steps they may mean.

Our own names come first, always. A name in this table may mean several steps: programs write `scores` before and after
they are scaled or masked. Which one is meant is told by the shape and by the numbers.
"""

from __future__ import annotations

from ...engine.errors import StepError
from ...explain.step_view import StepView
from ...explain.view import Trace

SCORES = ("scores", "scaled", "masked", "allowed", "padded", "biased")
RESULT = ("attended", "output", "joined", "context")  # what a module gives: the first of them that there is
# By our name, or theirs in small letters: the steps that may be meant, the likeliest first.
MEANINGS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("x", "input", "inputs", "hidden_states"), ("X",)),
    **dict.fromkeys(("q", "query", "queries", "query_layer"), ("Q", "Q_heads")),
    **dict.fromkeys(("k", "key", "keys", "key_layer"), ("K", "K_heads")),
    **dict.fromkeys(("v", "value", "values", "value_layer"), ("V", "V_heads")),
    **dict.fromkeys(("scores", "attn_scores", "attention_scores", "dots", "energy", "sim", "qk"), SCORES),
    **dict.fromkeys(("scaled", "scaled_scores"), SCORES[1:]),
    **dict.fromkeys(("masked", "masked_scores"), SCORES[2:]),
    **dict.fromkeys(
        ("weights", "attn", "attn_weights", "attention_weights", "attn_probs", "attention_probs", "probs", "alpha"),
        ("weights",),
    ),
    **dict.fromkeys(("context", "ctx", "context_layer", "head_out", "heads_out"), ("context", "joined")),
    **dict.fromkeys(("joined", "concat", "concatenated", "merged"), ("joined", "context")),
    **dict.fromkeys(("out", "output", "outputs", "attn_out", "attn_output", "attention_output", "result"), RESULT),
    "y": ("joined", *RESULT),
    **dict.fromkeys(("hidden", "ff1", "fc1", "linear1", "intermediate"), ("hidden", "activated")),
    **dict.fromkeys(("act", "activation", "activations"), ("activated",)),
}


def meanings(trace: Trace, name: str, result: StepView | None = None) -> list[StepView]:
    """The steps that a name may mean, the likeliest first; an unknown one is refused. Of a module, `result` is what it
    gives.

    >>> import workings as w
    >>> [view.path for view in meanings(w.scenario("example-1").trace(), "attn_weights")]
    ['block1.attention.weights']
    """
    try:
        found = [trace[name]]
    except StepError as unknown:
        if unknown.key != "step.unknown":
            raise
        found, error = [], unknown
    usual = MEANINGS.get(name.lower(), ())
    if usual is RESULT and result is not None:
        return [*found, result]
    for other in usual:
        try:
            found.append(trace[other])
        except StepError as missing:
            if missing.key == "step.ambiguous" and not found:
                raise
    if not found:
        raise error
    if usual is RESULT:  # a result that is right before its last matrix is not right
        return found[:1]
    return list({view.path: view for view in found}.values())


def is_known(trace: Trace, name: str, result: StepView | None = None) -> bool:
    """Whether a name means a step, or several."""
    try:
        return bool(meanings(trace, name, result))
    except StepError as error:
        return error.key == "step.ambiguous"
