"""The text in a recorded generation, and which of its words are where along the axes of a step."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..engine.form import Form
from ..explain.trace import Trace
from ..text.tokens import Tokens

AT = re.compile(r"token([1-9][0-9]*)\.(.*)")
TEXT_AXES = ("token", "query", "key")  # along which the words of a text are
OF_SOURCE = ("K", "V", "K_heads", "V_heads", "memory")  # what cross-attention computes from the source


def prompt_ids(trace: Trace) -> list[int]:
    """The prompt of the generated text; nothing where no text was generated."""
    paths = trace.recording.paths
    ids = trace["prompt"].value.tolist() if "prompt" in paths and _has_generated(trace) else []
    return ids[0] if ids and isinstance(ids[0], list) else ids


def generated_ids(trace: Trace) -> list[int]:
    """The tokens that were generated one after the other.

    >>> import workings as w
    >>> from workings.generation.generate import generate
    >>> model = w.nn.build(w.nn.Architecture(kind="decoder", vocab_size=4, width=2), w.nn.Drawn(7))
    >>> trace = w.Trace()
    >>> list(generate(model, [0, 1], max_new_tokens=3, record=trace)) == generated_ids(trace)
    True
    """
    paths, found = trace.recording.paths, list[int]()
    while f"token{len(found) + 1}.chosen" in paths:
        found.append(int(trace[f"token{len(found) + 1}.chosen"].value))
    return found


def words_at(trace: Trace, path: str, form: Form, vocabulary: Tokens) -> dict[str, tuple[str, ...]]:
    """The words along the axes of a step while a text is generated. New tokens are at its end, so an axis that is
    shorter than the text has its last words. The source of an encoder-decoder has words of its own.
    """
    at = AT.match(path)
    if not _has_generated(trace) or "batch" in form.axes or (at is None and not _is_before(trace, path)):
        return {}
    before = 0 if at is None else int(at[1]) - 1
    text = _words([*prompt_ids(trace), *generated_ids(trace)[:before]], vocabulary)
    source = _words(_source(trace), vocabulary)
    name = path.rpartition(".")[2]
    if at is None or at[2] in ("text", "new"):  # these include the token that was just chosen
        more = generated_ids(trace)[before : before + 1] if at is not None else []
        text = (*text, *_words(more, vocabulary))
    found = {}
    for axis, size in zip(form.axes, form.shape, strict=True):
        reads_source = _reads_source(path, name, axis) if source else False
        words = source if reads_source else text
        if axis in TEXT_AXES and 0 < size <= len(words):
            found[axis] = words[len(words) - size :]
    return found


def _has_generated(trace: Trace) -> bool:
    return "token1.text" in trace.recording.paths


def _is_before(trace: Trace, path: str) -> bool:
    """Whether a step precedes the first generated token: the prompt, or what an encoder computes from its source."""
    has_source = source_path(trace) == "source" and "tokens" not in trace.recording.paths
    return path in ("prompt", source_path(trace)) or (has_source and not path.startswith(("step", "example")))


def source_path(trace: Trace) -> str:
    """The path of the source of a generated text: it is the second one if the data has a source, too. Else nothing."""
    if not _has_generated(trace):
        return ""
    return next((name for name in ("source2", "source") if name in trace.recording.paths), "")


def _source(trace: Trace) -> list[int]:
    ids = trace[source_path(trace)].value.tolist() if source_path(trace) else []
    return ids[0] if ids and isinstance(ids[0], list) else ids


def _reads_source(path: str, name: str, axis: str) -> bool:
    """Whether an axis goes along the source of an encoder-decoder, and not along the generated text."""
    parts = path.split(".")
    if parts[-1].startswith("source") or "encoder" in parts:
        return True
    return "cross_attention" in parts and (axis == "key" or name in OF_SOURCE)


def _words(ids: Sequence[int], vocabulary: Tokens) -> tuple[str, ...]:
    return tuple(vocabulary.token(id) for id in ids)
