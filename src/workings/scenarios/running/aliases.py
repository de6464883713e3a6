"""Other names for steps: those that a scenario gives, and those that textbooks use for the parts of a head."""

from __future__ import annotations

import re

from ...engine.errors import Keys, ScenarioError, StepError
from ...engine.names import find, find_all
from ...engine.recording import Recording
from ..reading.plan import Plan

# An alias of a weight is one of its gradient and of its new value, too.
AROUND = (("", ""), ("d", ""), ("", "_new"))
OF_A_HEAD = ("W_Q", "W_K", "W_V", "Q", "K", "V", "scores", "scaled", "weights", "context")
# Where training and data put a step that comes again with each of them.
REPEATED = re.compile(r"((step|update|example)\d+\.)+")


def aliases_of(plan: Plan, recording: Recording, own: bool = True) -> dict[str, str]:
    """Alias -> path of its step, for every step that is there. Under a convention that is not the plan's `own`, some
    may not be.
    """
    aliases: dict[str, str] = {}
    names = {step.name for step in recording.steps.values() if step.stage == "forward"}
    for name, alias in plan.aliases.items():
        if alias in names:
            raise ScenarioError(
                f"'{alias}' cannot be another name for {name}: it is the name of a step.",
                hint="Choose a name that no step has.",
                keys=("aliases", name),
            )
        if alias in aliases:
            raise ScenarioError(
                f"'{alias}' is given to two steps.", hint="Give each of them a name of its own.", keys=("aliases", name)
            )
        aliases |= _around(recording, name, alias, needed=own)
    # A step can be found by its symbol on the page.
    for name, alias in {"E": "embedding", **_numbered(plan), **plan.notation.symbols}.items():
        aliases = _around(recording, name, alias) | aliases
    return aliases


def _around(recording: Recording, name: str, alias: str, needed: bool = False) -> dict[str, str]:
    """An alias, and those of the gradient and the new value, as far as there are such steps."""
    found: dict[str, str] = {}
    parent, _, last = name.rpartition(".")
    for before, after in AROUND:
        wanted = f"{parent}.{before}{last}{after}" if parent else f"{before}{last}{after}"
        path = _path(recording, wanted, ("aliases", name) if needed and not before + after else ())
        if path is not None and f"{before}{alias}{after}" not in recording.paths:
            found[f"{before}{alias}{after}"] = path
    return found


def _numbered(plan: Plan) -> dict[str, str]:
    """`W_Q2` for the W_Q of the second head, where each head has matrices of its own."""
    if plan.model is None or plan.model.projections == "packed" or plan.model.layers > 1:
        return {}
    return {f"head{n}.{name}": f"{name}{n}" for n in range(1, plan.model.heads + 1) for name in OF_A_HEAD}


def _path(recording: Recording, name: str, keys: Keys) -> str | None:
    """The path of the step with a name; None for a step that is repeated in each training step. With `keys`, a name of
    no step is an error.
    """
    if not keys and name not in recording.paths and not find_all(recording, name):
        return None  # without the search for similar names that an error would need
    try:
        return find(recording, name).path
    except StepError as error:
        places = {REPEATED.sub("", step.path) for step in find_all(recording, name)}
        if keys and len(places) != 1:
            error.keys = keys
            raise
        return None
