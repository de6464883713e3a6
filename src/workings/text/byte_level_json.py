"""Byte-level BPE in a tokenizer.json, read and written. Settings that BytePairs lacks are refused by name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..engine.errors import VocabularyError
from .learning import Pair
from .merging import Merge
from .pieces import SIGNS, from_signs, in_signs
from .tokenizer_json import missing_id
from .tokens import quoted, whole_number

_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
_PLAIN = {"single_word": False, "lstrip": False, "rstrip": False}  # a special token is found as it is written

Parts = tuple[tuple[Merge, ...], tuple[str, ...], tuple[str, ...]]


def to_json(entries: tuple[str, ...], pairs: Iterable[Pair], special: tuple[str, ...]) -> str:
    """The text of a tokenizer.json."""
    ids = {entry: id for id, entry in enumerate(entries)}
    added = [{"id": ids[token], "content": token, **_PLAIN, "normalized": False, "special": True} for token in special]
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": ids,
        "merges": [[in_signs(left), in_signs(right)] for left, right in pairs],
    }
    whole = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": sorted(added, key=lambda token: ids[str(token["content"])]),  # the package expects this order
        "normalizer": None,
        "pre_tokenizer": _LEVEL,
        "post_processor": None,
        "decoder": _LEVEL,
        "model": model,
    }
    return json.dumps(whole, ensure_ascii=False, indent=2)


def from_json(source: Mapping[str, Any], path: str) -> Parts:
    """The merges, the special tokens, and all entries in the order of their ids."""
    try:
        return _parts(source)
    except VocabularyError as error:
        error.where = path
        raise


def _parts(source: Mapping[str, Any]) -> Parts:
    for setting in _unsupported(source):
        raise VocabularyError(
            f"BytePairs does not support this setting of the file: {setting}.",
            hint="Read it with read_tokenizer(path), which supports all that the package tokenizers does.",
        )
    model = source["model"]
    added = {str(token.get("content")): token.get("id") for token in _added(source)}
    special = tuple(added)
    numbers = {**added, **_item(model.get("vocab"), "model.vocab")}
    entries = _in_order(numbers)
    merges = tuple(_merges(model.get("merges")))
    made = {*SIGNS, *(in_signs(merge.joined) for merge in merges)}
    for sign in SIGNS:
        if sign not in numbers:
            raise VocabularyError(
                f"The vocabulary of this file lacks the byte 0x{SIGNS.index(sign):02x}, written {sign}.",
                hint="Train it with all bytes: initial_alphabet=ByteLevel.alphabet(). Or read it with "
                "read_tokenizer(path), which leaves out what it does not know.",
            )
    for token in sorted(made - numbers.keys()):
        raise VocabularyError(
            f"A merge makes {quoted(token)}, which has no id.",
            hint="Write the file again with the program that made it.",
        )
    for token in entries:
        if token not in made and token not in special:
            raise VocabularyError(
                f"No merge makes the token {quoted(token)} of this file.",
                hint="Read it with read_tokenizer(path).",
            )
    return merges, special, entries


def _unsupported(source: Mapping[str, Any]) -> Iterator[str]:
    """The settings of the file that BytePairs does not support, by their names in the file."""
    model = source["model"]
    kind = model.get("type", "BPE" if "merges" in model else None)
    if kind != "BPE":
        yield f"model: {kind}"
    for part, known in (
        ("normalizer", (None,)),
        ("pre_tokenizer", ("ByteLevel",)),
        ("post_processor", (None, "ByteLevel")),
        ("decoder", (None, "ByteLevel")),
    ):
        used = _item(source.get(part) or {}, part).get("type")
        if used not in known:
            yield f"{part}: {used}"
    cutting = source.get("pre_tokenizer") or {}
    # The defaults of the package where the file says nothing: it puts a space before the text, and cuts.
    if cutting.get("add_prefix_space", True):
        yield "pre_tokenizer.add_prefix_space: true"
    if not cutting.get("use_regex", True):
        yield "pre_tokenizer.use_regex: false"
    for setting in ("dropout", "continuing_subword_prefix", "end_of_word_suffix", "ignore_merges"):
        if model.get(setting):
            yield f"model.{setting}: {json.dumps(model[setting])}"
    added = _added(source)
    for token in added:
        yield from (f"added_tokens.{setting}: true" for setting in _PLAIN if token.get(setting))
    if len({bool(token.get("normalized")) for token in added}) > 1:
        yield "added_tokens.normalized: true, false"


def _added(source: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The tokens that are found in a text before anything else."""
    added = source.get("added_tokens") or []
    if not isinstance(added, list):
        raise _malformed("added_tokens")
    return [_item(token, "added_tokens") for token in added]


def _item(value: Any, part: str) -> dict[str, Any]:
    """A part of the file that has names in it."""
    if not isinstance(value, dict):
        raise _malformed(part)
    return value


def _malformed(part: str) -> VocabularyError:
    return VocabularyError(
        f"The part {part} of this tokenizer.json is malformed.",
        hint="Write the file again with the program that made it.",
    )


def _in_order(numbers: Mapping[str, Any]) -> tuple[str, ...]:
    """The tokens by their ids, which count from 0 without a gap."""
    tokens: dict[int, str] = {}
    for token, id in numbers.items():
        number = whole_number(id)
        if number is None:
            raise _malformed("model.vocab")
        if number in tokens:
            raise VocabularyError(
                f"The id {number} belongs to two tokens, {quoted(tokens[number])} and {quoted(token)}.",
                hint="Give each token an id of its own.",
            )
        tokens[number] = token
    for number in range(len(tokens)):
        if number not in tokens:
            raise missing_id(number, len(tokens))
    return tuple(tokens[number] for number in range(len(tokens)))


def _merges(listed: Any) -> Iterator[Merge]:
    """Merges are written as ["a", "b"], and in older files as "a b"."""
    for number, item in enumerate(listed if isinstance(listed, list) else [None], 1):
        pair = item.split(" ") if isinstance(item, str) else item
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(side, str) and side for side in pair):
            raise _malformed("model.merges")
        left, right = (from_signs(side) for side in pair)
        if left is None or right is None:
            raise VocabularyError(
                f"Merge {number}, {quoted(' '.join(pair))}, contains a sign that means no byte.",
                hint="Read it with read_tokenizer(path).",
            )
        yield Merge(number, left, right)
