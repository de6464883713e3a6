"""A run laid over its file: mappings are merged key by key, everything else is replaced, null takes a key away."""

from __future__ import annotations

from .likely import LONGEST, likely
from .record_reading import Place, is_nothing
from .yaml_reading import Entries, Items, Node

# What a word alone stands for, so that a change of another key leaves it as it is.
WORD = {"convention": "profile", "vocabulary": "tokens", "optimiser": "name", "backward": "of"}


def laid_over(base: Entries, over: Entries, here: Place) -> Entries:
    """The tree of a run. Every node keeps its own line: an error points to where the thing was written.

    >>> from .yaml_reading import data_of, read_yaml
    >>> base, over = read_yaml("model: {width: 2, mask: none}"), read_yaml("model: {mask: causal}")
    >>> data_of(laid_over(base, over, Place("example.yaml", 1)))
    {'model': {'width': 2, 'mask': 'causal'}}
    """
    entries, lines = dict(base.entries), dict(base.lines)
    for key, new in over.entries.items():
        old, there = entries.get(key), here.below(key, over.lines[key])
        if is_nothing(new) and is_nothing(old):
            near = likely(key, [name for name, value in entries.items() if not is_nothing(value)])
            there.refuse("scenario.run.nothing", name=key[:LONGEST], nearest=near)
        if key in WORD and isinstance(new, Entries) and old is not None and not is_nothing(old):
            old = old if isinstance(old, Entries) else Entries({WORD[key]: old}, {WORD[key]: lines[key]}, lines[key])
        merges = isinstance(old, Entries) and isinstance(new, Entries)
        entries[key] = laid_over(old, new, there) if merges else new  # type: ignore[arg-type]
        lines[key] = over.lines[key]
    return Entries(entries, lines, over.line, over.column)


def line_of(tree: Node, *keys: str | int, line: int = 1) -> int:
    r"""The line on which something was written; a key that was not is passed over.

    >>> from .yaml_reading import read_yaml
    >>> line_of(read_yaml("scenario: 1\nparameters:\n  W: [[1]]"), "parameters", "values", "W")
    3
    """
    for key in keys:
        if isinstance(tree, Entries) and isinstance(key, str) and key in tree.entries:
            line = tree.lines[key]
            tree = tree.entries[key]
        elif isinstance(tree, Items) and isinstance(key, int) and key < len(tree.items):
            tree = tree.items[key]
            line = tree.line
    return line


def path_of(*keys: str | int) -> str:
    """
    >>> path_of("data", 1, "target")
    'data[1].target'
    """
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys).removeprefix(".")
