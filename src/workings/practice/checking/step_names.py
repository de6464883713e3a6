"""The usual names of the steps of a transformer in other people's programs, and which of our steps they may be.

Our own names always come first. A name may refer to several steps: programs write `scores` before and after scaling and
masking. The shape and the numbers decide which one it is.
"""

from __future__ import annotations

from ...engine.errors import AmbiguousStepError, StepError, UnknownStepError
from ...explain.step_view import StepView
from ...explain.trace import Trace

SCORES = ("scores", "scaled", "masked", "allowed", "padded", "biased")
RESULT = ("attended", "output", "joined", "context")  # of a module: the first of them that exists
# By our name, or theirs in lower case: the possible steps, the likeliest first.
ALIASES: dict[str, tuple[str, ...]] = {
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


def steps_named(trace: Trace, name: str, result: StepView | None = None) -> list[StepView]:
    """The steps that a name may refer to, the likeliest first; an unknown name is refused. `result` is the output of a
    module.

    >>> import workings as w
    >>> [view.path for view in steps_named(w.scenario("example-1").trace(), "attn_weights")]
    ['block1.attention.weights']
    """
    try:
        found = [trace[name]]
    except UnknownStepError as unknown:
        found, error = [], unknown
    usual = ALIASES.get(name.lower(), ())
    if usual is RESULT and result is not None:
        return [*found, result]
    for other in usual:
        try:
            found.append(trace[other])
        except StepError as missing:
            if isinstance(missing, AmbiguousStepError) and not found:
                raise
    if not found:
        raise error
    if usual is RESULT:  # a result that is right before its last matrix is not right
        return found[:1]
    return list({view.path: view for view in found}.values())


def is_step_name(trace: Trace, name: str, result: StepView | None = None) -> bool:
    """Whether a name refers to a step, or to several."""
    try:
        return bool(steps_named(trace, name, result))
    except AmbiguousStepError:
        return True
    except StepError:
        return False
