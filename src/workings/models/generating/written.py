"""The text that a recorded generation wrote, and which of its words stand where along the axes of a step."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...engine.form import Form
from ...explain.view import Trace
from ...text.tokens import Tokens

AT = re.compile(r"token([1-9][0-9]*)\.(.*)")
AXES = ("token", "query", "key")  # along which the words of a text stand
CROSSED = ("K", "V", "K_heads", "V_heads", "memory")  # what cross attention makes of the source


def prompt_of(trace: Trace) -> list[int]:
    """What a written text begins with; nothing where no text was written."""
    paths = trace.recording.paths
    ids = trace["prompt"].value.tolist() if "prompt" in paths and _is_written(trace) else []
    return ids[0] if ids and isinstance(ids[0], list) else ids


def chosen_of(trace: Trace) -> list[int]:
    """The tokens that were written one after the other.

    >>> import workings as w
    >>> from workings.models.generating.generate import generate
    >>> model = w.nn.build(w.nn.Architecture(kind="decoder", vocabulary=4, width=2), w.nn.Drawn(7))
    >>> trace = w.Trace()
    >>> list(generate(model, [0, 1], count=3, record=trace)) == chosen_of(trace)
    True
    """
    paths, found = trace.recording.paths, list[int]()
    while f"token{len(found) + 1}.chosen" in paths:
        found.append(int(trace[f"token{len(found) + 1}.chosen"].value))
    return found


def words_at(trace: Trace, path: str, form: Form, vocabulary: Tokens) -> dict[str, tuple[str, ...]]:
    """The words along the axes of a step while a text is written. New tokens stand at its end, so that an axis which is
    shorter than the text has its last words. The source of an encoder-decoder has words of its own.
    """
    at = AT.match(path)
    if not _is_written(trace) or "batch" in form.axes or (at is None and not _is_before(trace, path)):
        return {}
    before = 0 if at is None else int(at[1]) - 1
    text = _words([*prompt_of(trace), *chosen_of(trace)[:before]], vocabulary)
    source = _words(_source(trace), vocabulary)
    name = path.rpartition(".")[2]
    if at is None or at[2] in ("text", "new"):  # the token that was just chosen stands in these
        more = chosen_of(trace)[before : before + 1] if at is not None else []
        text = (*text, *_words(more, vocabulary))
    found = {}
    for axis, size in zip(form.axes, form.shape, strict=True):
        reads_source = _reads_source(path, name, axis) if source else False
        words = source if reads_source else text
        if axis in AXES and 0 < size <= len(words):
            found[axis] = words[len(words) - size :]
    return found


def _is_written(trace: Trace) -> bool:
    return "token1.text" in trace.recording.paths


def _is_before(trace: Trace, path: str) -> bool:
    """Whether a step was made for the text before its first token: the prompt, or what an encoder made of a source."""
    has_source = source_path(trace) == "source" and "tokens" not in trace.recording.paths
    return path in ("prompt", source_path(trace)) or (has_source and not path.startswith(("step", "example")))


def source_path(trace: Trace) -> str:
    """Where the source of a written text stands: beside that of the data, it is the second one. Else nothing."""
    if not _is_written(trace):
        return ""
    return next((name for name in ("source2", "source") if name in trace.recording.paths), "")


def _source(trace: Trace) -> list[int]:
    ids = trace[source_path(trace)].value.tolist() if source_path(trace) else []
    return ids[0] if ids and isinstance(ids[0], list) else ids


def _reads_source(path: str, name: str, axis: str) -> bool:
    """Whether an axis goes along the source of an encoder-decoder, and not along what is written."""
    parts = path.split(".")
    if parts[-1].startswith("source") or "encoder" in parts:
        return True
    return "cross_attention" in parts and (axis == "key" or name in CROSSED)


def _words(ids: Sequence[int], vocabulary: Tokens) -> tuple[str, ...]:
    return tuple(vocabulary.token(id) for id in ids)
