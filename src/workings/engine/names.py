"""Finding a step by what a person calls it.

`scores` is the only forward step whose path ends so; `attention.scores` says more of the path;
`weights/exp` is a step inside the composite `weights`; a number is an id. A group means its result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .errors import StepError
from .inside import inside
from .recording import Recording
from .registry import nearest
from .sentences import add_sentences, say
from .steps import Step

NAMED = 8  # of many that a name could mean

add_sentences("names", {"more": "{names}, and {count} more"})


def few(names: Sequence[str], most: int = NAMED) -> str:
    """The first of some names, and how many there are besides.

    >>> few(["block1", "block2", "block3"]), few(["block1", "block2", "block3"], 2)
    ('block1, block2, block3', 'block1, block2, and 1 more')
    """
    listed = ", ".join(names[:most])
    return say("names.more", names=listed, count=len(names) - most) if len(names) > most else listed


def find(recording: Recording, name: str, aliases: Mapping[str, str] | None = None) -> Step:
    """The one step of this recording that `name` means: none inside a composite, which is made anew by each opening."""
    holder, step = locate(recording, name, aliases)
    if holder is not recording:
        raise StepError("step.inner", name=name, path=step.path.partition("/")[0])
    return step


def locate(recording: Recording, name: str, aliases: Mapping[str, str] | None = None) -> tuple[Recording, Step]:
    """The one step that `name` means, and the recording that holds it: for `weights/exp`, an inner one."""
    outer, *inner = str(name).split("/")
    step = _find_outer(recording, (aliases or {}).get(outer, outer))
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
        paths = few([step.path for step in candidates])
        raise StepError("step.ambiguous", name=name, count=len(candidates), paths=paths)
    if not recording.steps:
        raise StepError("step.unknown.empty", name=name)
    raise StepError("step.unknown", name=name, nearest=nearest(name, _names(recording.steps.values())))


def _find_inside(opened: Recording, name: str, outer: Step) -> Step:
    names = {step.path.rpartition("/")[2]: step for step in opened.steps.values()}
    if name not in names:
        raise StepError("step.unknown", name=name, nearest=nearest(name, names), where=outer.path)
    return names[name]


def _names(steps: Iterable[Step]) -> list[str]:
    """Short names first: they are what people type."""
    steps = list(steps)
    return list(dict.fromkeys([step.name for step in steps] + [step.path for step in steps]))
