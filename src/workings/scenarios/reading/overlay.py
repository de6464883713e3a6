"""A run laid over its file: mappings are merged key by key, everything else is replaced, null removes a key."""

from __future__ import annotations

from ...engine.errors import Keys, did_you_mean
from .location import MAX_SHOWN_CHARS, Location
from .records import is_nothing
from .yaml_tree import ListNode, MappingNode, YamlNode

# The key that a single word stands for, so that a change of another key leaves the word as it is.
WORD = {"convention": "profile", "vocabulary": "tokens", "optimizer": "name", "backward": "of"}


def laid_over(base: MappingNode, over: MappingNode, here: Location) -> MappingNode:
    """The tree of a run. Every node keeps its own line, so that an error points to where it is written.

    >>> from .yaml_tree import data_of, read_yaml
    >>> base, over = read_yaml("model: {width: 2, mask: none}"), read_yaml("model: {mask: causal}")
    >>> data_of(laid_over(base, over, Location("example.yaml", 1)))
    {'model': {'width': 2, 'mask': 'causal'}}
    """
    entries, lines = dict(base.entries), dict(base.lines)
    for key, new in over.entries.items():
        old, there = entries.get(key), here.below(key, over.lines[key])
        if is_nothing(new) and is_nothing(old):
            known = [name for name, value in entries.items() if not is_nothing(value)]
            hint = f"{did_you_mean(key, known)}The file has: {', '.join(known)}."
            raise there.error(f"There is no '{key[:MAX_SHOWN_CHARS]}' to remove.", hint=hint)
        if key in WORD and isinstance(new, MappingNode) and old is not None and not is_nothing(old):
            old = (
                old
                if isinstance(old, MappingNode)
                else MappingNode({WORD[key]: old}, {WORD[key]: lines[key]}, lines[key])
            )
        merges = isinstance(old, MappingNode) and isinstance(new, MappingNode)
        entries[key] = laid_over(old, new, there) if merges else new  # type: ignore[arg-type]
        lines[key] = over.lines[key]
    return MappingNode(entries, lines, over.line)


def line_of(tree: YamlNode, keys: Keys, line: int = 1) -> int:
    r"""The line of a value; keys that are not in the file are skipped.

    >>> from .yaml_tree import read_yaml
    >>> line_of(read_yaml("scenario: 1\nparameters:\n  W: [[1]]"), ("parameters", "values", "W"))
    3
    """
    for key in keys:
        if isinstance(tree, MappingNode) and isinstance(key, str) and key in tree.entries:
            line = tree.lines[key]
            tree = tree.entries[key]
        elif isinstance(tree, ListNode) and isinstance(key, int) and key < len(tree.items):
            tree = tree.items[key]
            line = tree.line
    return line
