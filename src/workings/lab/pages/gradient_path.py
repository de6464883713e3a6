"""The backward path: from the loss to the gradient of a step, through the gradients in between."""

from __future__ import annotations

from dataclasses import dataclass

from ...engine.recording import Recording
from ...engine.steps import Step
from ...explain.trace import Trace
from .neighbors import neighbors


@dataclass(frozen=True)
class WayBack:
    """Gradients, each of which comes from the one before it: from where backward began to that of a step. It is the
    shortest of so many `ways`; what comes on all of them is added up.
    """

    gradients: tuple[Step, ...]
    ways: int


def way_back(trace: Trace, step: Step) -> WayBack | None:
    """How the gradient came to a step, or to the gradient that is asked about; None where none came.

    >>> import workings as w
    >>> trace = w.scenario("example-3").trace()
    >>> way = way_back(trace, trace["X"].step)
    >>> [gradient.name for gradient in way.gradients], way.ways
    (['dloss', 'dlogits', 'dlast', 'dcontext', 'dV', 'dX.via_V', 'dX'], 3)
    """
    around, recording = neighbors(trace), trace.recording
    end = step.id if step.stage == "backward" else around.gradients.get(step.id, "")
    if end not in around.shown:
        return None
    before: dict[str, str] = {end: ""}  # each gradient on the way, and the one that comes of it
    waiting = [end]
    for id in waiting:  # nearest first
        if recording.step(id).op is None:  # backward began here
            return WayBack(_followed(recording, before, id), _count(trace, end))
        new = [other for other in _gradients_read(trace, id) if other not in before]
        before |= dict.fromkeys(new, id)
        waiting += new
    return None


def _gradients_read(trace: Trace, id: str) -> list[str]:
    reads = neighbors(trace).reads[id]
    return [other for other in reads if trace.recording.step(other).stage == "backward"]


def _followed(recording: Recording, before: dict[str, str], first: str) -> tuple[Step, ...]:
    found, id = [], first
    while id:
        found.append(recording.step(id))
        id = before[id]
    return tuple(found)


def _count(trace: Trace, end: str) -> int:
    """On how many ways a gradient comes from where backward began."""
    ways: dict[str, int] = {}
    for step in trace.recording.steps.values():
        if step.stage == "backward" and step.id in neighbors(trace).shown:
            read = _gradients_read(trace, step.id)
            ways[step.id] = sum(ways[other] for other in read) if step.op is not None else 1
            if step.id == end:
                break
    return ways[end]
