"""Other names for steps: those that a scenario gives, and those that textbooks use for the parts of a head."""

from __future__ import annotations

from ..engine.errors import StepError
from ..engine.names import find
from ..engine.recording import Recording
from .plan import Plan

# An alias of a weight is one of its gradient and of its new value, too.
AROUND = (("", ""), ("d", ""), ("", "_new"))
OF_A_HEAD = ("W_Q", "W_K", "W_V", "Q", "K", "V", "scores", "scaled", "weights", "context")


def aliases_of(plan: Plan, recording: Recording) -> dict[str, str]:
    """Alias -> path of the step that it means, for every step that is there."""
    aliases: dict[str, str] = {}
    for step, alias in {"E": "embedding", **_numbered(plan), **plan.aliases}.items():
        parent, _, name = step.rpartition(".")
        for before, after in AROUND:
            wanted = f"{parent}.{before}{name}{after}" if parent else f"{before}{name}{after}"
            path = _path(recording, wanted, needed=step in plan.aliases and not before and not after)
            if path is not None and f"{before}{alias}{after}" not in recording.paths:
                aliases[f"{before}{alias}{after}"] = path
    return aliases


def _numbered(plan: Plan) -> dict[str, str]:
    """`W_Q2` for the W_Q of the second head, where each head has matrices of its own."""
    if plan.model is None or plan.model.projections == "packed" or plan.model.layers > 1:
        return {}
    return {f"head{n}.{name}": f"{name}{n}" for n in range(1, plan.model.heads + 1) for name in OF_A_HEAD}


def _path(recording: Recording, name: str, needed: bool) -> str | None:
    try:
        return find(recording, name).path
    except StepError as error:
        if needed and error.key != "step.ambiguous":  # in several steps of training it means one in each
            error.where = f"aliases.{name}"
            raise
        return None
