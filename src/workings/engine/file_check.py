"""Whether a stored trace holds: each value must follow from the values that its inputs have in the file.

A number that was changed by hand would otherwise be explained as if it had been computed. Every step is computed again
with its own op and settings, in the precision of the trace, so that the first one that does not follow is found in the
forward pass, the backward pass and the updates alike. A leaf follows from nothing: where one was changed, the first
step that reads it does not follow.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from .arithmetic import Float
from .arrays import Array, brackets, indices, is_float, namespace
from .errors import TraceFileError, WorkingsError
from .file_reading import computed
from .recording import Recording
from .steps import Step

MAX_OPERATIONS = 100_000_000  # with which a stored trace is computed again; the steps after that stay unchecked
CALCULATOR_COST = 100  # operations in floating point that count as one in exact decimals
READ_AS_IT_IS = "To read the file as it is, use --trust, or trust=True in Python."
ROUNDINGS = 32  # units of the last place: machines that add in another order differ by less


def check_values(
    recording: Recording, corners: Mapping[str, Array] | None = None, max_operations: int = MAX_OPERATIONS
) -> int:
    """Refuse the first step whose value does not follow from its inputs.

    Returns how many steps were left unchecked because all would take more than `max_operations`. `corners`, by the id
    of the step, are what the file shows of values that it leaves out for their size.

    >>> import workings as w
    >>> with w.Trace() as trace:
    ...     half = w.ops.div(w.given(1.0, name="one"), w.given(2.0, name="two"), name="half")
    >>> check_values(trace.recording)
    0
    """
    corners, left = corners or {}, max_operations
    for number, step in enumerate(recording.steps.values()):
        stored = step.tensor.array
        if step.id in corners:
            corner = corners[step.id]
            _compare(recording, step, corner, stored[tuple(slice(0, size) for size in corner.shape)])
        if step.op is None:
            continue
        left -= _operations(recording, step)
        if left < 0:
            return sum(later.op is not None for later in list(recording.steps.values())[number:])
        _compare(recording, step, stored, _computed_again(recording, step))
    return 0


def _operations(recording: Recording, step: Step) -> int:
    """At most how many operations a step takes: an entry of a product adds up one term for each number of a row."""
    sizes = [math.prod(recording.step(id).form.shape) for id in (step.id, *step.inputs)]
    row = math.prod(recording.step(step.inputs[0]).form.shape[-1:]) if step.inputs else 1
    return max(sizes) * max(row, 1) * (1 if type(recording.arithmetic) is Float else CALCULATOR_COST)


def _computed_again(recording: Recording, step: Step) -> Array:
    try:
        return computed(recording, step)
    except WorkingsError as error:
        raise _does_not_follow(recording, step, "", f"its inputs give no value ({error.what})") from None


def _compare(recording: Recording, step: Step, stored: Array, true: Array) -> None:
    xp = namespace(true)
    if tuple(stored.shape) != tuple(true.shape):
        shapes = f"the shape {tuple(stored.shape)}, and its inputs give {tuple(true.shape)}"
        raise _does_not_follow(recording, step, "", shapes)
    agree = stored == true
    if bool(xp.all(agree)):
        return
    if is_float(true):
        agree = agree | (xp.isnan(stored) & xp.isnan(true))
        agree = agree | _is_near(stored, true, _rounding_error(recording, step, true))
    for at in indices(true.shape):
        if not bool(agree[at]):
            found, expected = apart(stored[at].item(), true[at].item())
            raise _does_not_follow(recording, step, brackets(at), f"{found}, but its inputs give {expected}")


def _is_near(stored: Array, true: Array, room: float) -> Array:
    xp = namespace(true)
    finite = xp.isfinite(stored) & xp.isfinite(true)
    one, other = (xp.where(finite, array, xp.zeros_like(array)) / 2 for array in (stored, true))  # cannot overflow
    return finite & (xp.abs(one - other) <= room / 2)


def _rounding_error(recording: Recording, step: Step, true: Array) -> float:
    """How far two machines may be apart: the error of a sum is that of its largest term, however small the sum is."""
    sizes = [_largest(recording.step(id).tensor.array) for id in step.inputs]
    epsilon = float(namespace(true).finfo(true.dtype).eps)
    return ROUNDINGS * epsilon * max(_largest(true), math.prod(sizes), *sizes)


def _largest(array: Array) -> float:
    xp = namespace(array)
    if not is_float(array) or not math.prod(array.shape):
        return 1.0
    return float(xp.max(xp.where(xp.isfinite(array), xp.abs(array), xp.zeros_like(array))))


def apart(one: float, other: float) -> tuple[str, str]:
    """Two numbers with as many digits as it takes to see that they differ.

    >>> apart(9.75, 0.232598), apart(0.12345, 0.12346), apart(3, 2)
    (('9.75', '0.2326'), ('0.12345', '0.12346'), ('3', '2'))
    """
    for digits in range(4, 17):
        texts = f"{one:.{digits}g}", f"{other:.{digits}g}"
        if texts[0] != texts[1]:
            return texts
    return repr(one), repr(other)


def _does_not_follow(recording: Recording, step: Step, at: str, given: str) -> TraceFileError:
    inputs = ", ".join(dict.fromkeys(recording.step(id).path for id in step.inputs))
    return TraceFileError(
        f"This trace does not hold: {step.path}{at} does not follow from its inputs.",
        where=f"step {step.id} ({step.stage}): {step.path} = {step.op_name}({inputs})",
        given=f"the file says {given}",
        hint=f"A number of {step.path} or of its inputs was changed: make the file again. {READ_AS_IT_IS}",
    )
