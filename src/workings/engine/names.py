"""Finding a step by its name.

`scores` is the only forward step whose path ends so; `attention.scores` says more of the path;
`weights/exp` is a step inside the composite `weights`; a number is an id. A group means its result.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from .errors import AmbiguousStepError, StepError, UnknownStepError, did_you_mean
from .inside import inside
from .recording import Recording
from .steps import Step

MAX_LISTED = 8  # names in an error message
HEAD = re.compile(r"(^|\.)head\d+(?=\.)")  # one head of a step: see explain/heads.py


def few(names: Sequence[str], most: int = MAX_LISTED) -> str:
    """The first of some names, and how many there are besides.

    >>> few(["block1", "block2", "block3"]), few(["block1", "block2", "block3"], 2)
    ('block1, block2, block3', 'block1, block2, and 1 more')
    """
    listed = ", ".join(names[:most])
    return f"{listed}, and {len(names) - most} more" if len(names) > most else listed


def find(recording: Recording, name: str, aliases: Mapping[str, str] | None = None) -> Step:
    """The one step of this recording that `name` means. Steps inside a composite do not count."""
    holder, step = locate(recording, name, aliases)
    if holder is not recording:
        raise inside_a_step(name, step.path.partition("/")[0])
    return step


def locate(recording: Recording, name: str, aliases: Mapping[str, str] | None = None) -> tuple[Recording, Step]:
    """The one step that `name` means, and the recording that holds it: for `weights/exp`, an inner one."""
    outer, *inner = str(name).split("/")
    aliases = aliases or {}
    try:
        step = _find_outer(recording, aliases.get(outer, outer))
    except UnknownStepError:
        _refuse_early_gradient(recording, outer, aliases)
        raise
    for part in inner:
        recording = inside(recording, step)
        step = _find_inside(recording, part, step)
    return recording, step


def find_all(recording: Recording, name: str) -> list[Step]:
    """Every step whose path ends in `name`, the results of groups of that name among them."""
    ending = f".{name}"
    steps = [step for step in recording.steps.values() if step.path == name or step.path.endswith(ending)]
    if steps:
        return steps
    groups = [group for group in recording.groups.values() if ends_in(group.path, name)]
    return [recording.steps[group.result] for group in groups]


def ends_in(path: str, name: str) -> bool:
    """
    >>> ends_in("block1.attention.scores", "attention.scores"), ends_in("dscores", "scores")
    (True, False)
    """
    return path == name or path.endswith(f".{name}")


def unknown_step(name: str, names: Iterable[str], where: str = "") -> UnknownStepError:
    """No step has this name; the hint lists the names that are most like it."""
    known = list(names)
    hint = did_you_mean(name, known, 3).strip() or f"There are: {few(known)}."
    return UnknownStepError(f"There is no step '{name}'.", hint=hint, where=where)


def ambiguous_step(name: str, paths: Sequence[str]) -> AmbiguousStepError:
    return AmbiguousStepError(
        f"'{name}' could be any of {len(paths)} steps.", hint=f"Write more of the path: {few(paths)}."
    )


def inside_a_step(name: str, outer: str) -> StepError:
    """A step inside a composite, where one of the recording itself is needed."""
    return StepError(
        f"'{name}' lies inside the step {outer}: you can look at it, but not change it or start backward from it.",
        hint=f"Name the whole step, {outer}.",
    )


def _find_outer(recording: Recording, name: str) -> Step:
    id = recording.paths.get(name, name)
    if id in recording.groups:
        id = recording.groups[id].result
    if id in recording.steps:
        return recording.steps[id]
    found = find_all(recording, name)
    forward = [step for step in found if step.stage == "forward"]
    candidates = forward or found
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        raise ambiguous_step(name, [step.path for step in candidates])
    if not recording.steps:
        raise StepError(
            f"There is no step '{name}': nothing has been recorded.",
            hint="Compute something inside `with Trace() as trace:` first.",
        )
    raise unknown_step(name, _names(recording.steps.values()))


def _refuse_early_gradient(recording: Recording, name: str, aliases: Mapping[str, str]) -> None:
    """Raise if this would be the gradient of a step, and backward has not been run."""
    path, dot, last = name.rpartition(".")
    whole = HEAD.sub("", f"{path}{dot}{last[1:]}").removeprefix(".")
    steps = recording.steps.values()
    if last[:1] != "d" or any(step.stage == "backward" for step in steps):
        return
    if find_all(recording, aliases.get(whole, whole)):
        single = [step.name for step in steps if step.stage == "forward" and step.op and not step.form.shape]
        first = "Run backward first" if single else "Compute one number, such as a loss, and run backward from it first"
        target = single[-1] if single else "loss"
        raise UnknownStepError(f"There is no gradient '{name}' yet.", hint=f'{first}: trace.backward("{target}").')


def _find_inside(opened: Recording, name: str, outer: Step) -> Step:
    names = {step.path.rpartition("/")[2]: step for step in opened.steps.values()}
    if name not in names:
        raise unknown_step(name, names, where=outer.path)
    return names[name]


def _names(steps: Iterable[Step]) -> list[str]:
    """Short names first: they are what people type."""
    steps = list(steps)
    return list(dict.fromkeys([step.name for step in steps] + [step.path for step in steps]))
