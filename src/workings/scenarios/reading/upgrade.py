"""Scenario texts that version 0.8 wrote, with the keys of this version.

A checkpoint contains the text of its scenario. `upgraded` renames the keys of such a text and leaves everything else,
also every line and comment, as it is. In a file written today, an old key is an error that names the new
one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml  # type: ignore[import-untyped]

from .yaml_tree import LOADER

# The keys that lead to an option, and the last of them as it is called now.
RENAMED: Mapping[tuple[str, ...], str] = {
    ("convention", "tied_output"): "tied_embeddings",
    ("model", "feed_forward"): "activation",
    ("model", "positions"): "max_positions",
    ("train", "optimiser"): "optimizer",
    ("train", "rate"): "learning_rate",
    ("train", "batch"): "batch_size",
    ("train", "size"): "batch_size",
    ("train", "parts"): "accumulation_steps",
    ("train", "warmup"): "warmup_steps",
    ("train", "fall"): "schedule",
    ("train", "floor"): "end_factor",
    ("train", "clip"): "max_grad_norm",
    ("train", "check"): "eval_steps",
    ("train", "save"): "save_steps",
    ("generate", "tokens"): "max_new_tokens",
}
# Values that are different now, below the old keys.
VALUES: Mapping[tuple[str, ...], Mapping[str, str | int | None]] = {
    ("train", "fall"): {"none": "constant"},
    ("train", "batch"): {"average": None, "one-by-one": 1},
}


def upgraded(text: str) -> str:
    r"""The text of a scenario, or of changes to one, with the keys of this version.

    >>> print(upgraded("train: {rate: 0.5, fall: none}  # slow\nruns:\n  fast: {train: {'rate': 2}}"))
    train: {learning_rate: 0.5, schedule: constant}  # slow
    runs:
      fast: {train: {'learning_rate': 2}}
    """
    text = text.removeprefix("\ufeff")
    try:
        replacements = list(_replacements(text))
    except (yaml.YAMLError, UnicodeError):  # the reader of the text will say what is wrong with it
        return text
    for start, end, new in reversed(replacements):
        text = text[:start] + new + text[end:]
    return text


def new_key(keys: tuple[str | int, ...]) -> str:
    """What the last of these keys is called now, if it had another name in version 0.8; else nothing.

    >>> new_key(("train", "rate")), new_key(("runs", "fast", "train", "rate")), new_key(("train", "steps"))
    ('learning_rate', 'learning_rate', '')
    """
    return RENAMED.get(_without_run(tuple(map(str, keys))), "")


@dataclass
class _Level:
    """A list or mapping that is being read; in a mapping, `key` is the one whose value comes next."""

    is_mapping: bool
    key: str | None = None


def _replacements(text: str) -> Iterator[tuple[int, int, str]]:
    """What is replaced in the text: from where, up to where, and by what."""
    levels: list[_Level] = []
    for event in yaml.parse(text, Loader=LOADER):
        if isinstance(event, yaml.CollectionEndEvent):
            levels.pop()
        elif not isinstance(event, yaml.NodeEvent):
            continue
        elif levels and levels[-1].is_mapping and levels[-1].key is None:
            if isinstance(event, yaml.CollectionStartEvent):
                return  # a list as a key: the reader refuses such a file
            levels[-1].key = getattr(event, "value", "")
            new = new_key(_path(levels))
            if new:
                yield _replaced(event, text, new)
            continue
        elif isinstance(event, yaml.ScalarEvent):
            values = VALUES.get(_without_run(_path(levels)), {})
            if event.value in values:
                yield _replaced(event, text, values[event.value])
        if isinstance(event, yaml.CollectionStartEvent):
            levels.append(_Level(isinstance(event, yaml.MappingStartEvent)))
        elif levels:  # a value is complete, and the next key follows
            levels[-1].key = None


def _path(levels: list[_Level]) -> tuple[str, ...]:
    return tuple(level.key or "" for level in levels)


def _without_run(keys: tuple[str, ...]) -> tuple[str, ...]:
    return keys[2:] if keys[:1] == ("runs",) else keys


def _replaced(event: Any, text: str, new: str | int | None) -> tuple[int, int, str]:
    """A word keeps its quotation marks, so that changes in JSON stay JSON."""
    start, end = event.start_mark.index, event.end_mark.index
    return start, end, text[start:end].replace(event.value, new) if isinstance(new, str) else json.dumps(new)
