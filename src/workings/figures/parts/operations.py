"""How a step is computed, in a few signs, for labels of arrows."""

from __future__ import annotations

from ...explain.step_view import StepView

SIGNS = {
    "softmax": "softmax",
    "relu": "ReLU",
    "gelu": "GELU",
    "layer_norm": "LayerNorm",
    "rms_norm": "RMSNorm",
    "causal_mask": "mask",
    "padding_mask": "mask",
    "mask": "mask",
    "cross_entropy": "cross-entropy",
    "merge_heads": "join heads",
    "split_heads": "split heads",
    "concat": "join",
    "transpose": "transpose",
    "dropout": "dropout",
}


def operation_of(view: StepView) -> str:
    """The operation of a step.

    >>> import workings as w
    >>> trace = w.scenario("example-1").trace()
    >>> [operation_of(trace[name]) for name in ("X", "Q", "scores", "scaled", "weights", "context", "last")]
    ['rows of E', '· W_Q', 'Q · K', '÷ √2', 'softmax', '· V', 'last row']
    """
    names = [_name(part) for part in view.inputs]
    if view.op == "matmul":
        is_transposed = view.inputs[1].op == "transpose" and view.inputs[1].inputs[0].step.leaf is None
        return f"{names[0]} · {_name(view.inputs[1].inputs[0])}" if is_transposed else f"· {names[1]}"
    if view.op == "linear":
        return f"· {names[1]} + {names[2]}" if len(names) > 2 else f"· {names[1]}"
    if view.op == "lookup":
        return f"rows of {names[0]}"
    if view.op == "divide_by_root":
        return f"÷ √{view.settings.get('d')}"
    if view.op == "add":
        return " + ".join(names)
    if view.op == "scale":
        return f"× {view.settings.get('factor')}"
    if view.op == "take_row":
        index = view.settings.get("index")
        return "last row" if index == -1 else f"row {index}"
    return SIGNS.get(view.op, view.op.replace("_", " "))


def _name(view: StepView) -> str:
    return view.trace.style.notation.path(view.step.name).removesuffix("_heads")
