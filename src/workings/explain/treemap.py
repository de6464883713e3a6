"""Where the parameters of a model are: areas as large as the numbers of weights, those of a module side by side."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..engine.errors import StepError
from ..engine.recording import Recording
from .document import Area, Figure, Number, Treemap
from .graph_sentences import say
from .largest import can_be_drawn
from .squares import Box, squarified
from .window import shown

MOST_AREAS = 60  # that are drawn one by one
MOST_TOLD = 12
SHADES = 5  # that can be told apart
WHOLE: Box = (0.0, 0.0, 1.0, 1.0)
TRAINED = re.compile(r"(?:step|update)\d+\.")  # before the path of what training reads


def treemap_of(recording: Recording) -> Figure:
    """Where the weights of a model are. Where there are too many of them, those of a module are one area.

    >>> import workings as w
    >>> print(treemap_of(w.scenario("example-1").trace().recording).alternative)
    All parameters: 28. embedding.E 8, W_vocab 8, block1.attention.W_Q 4, block1.attention.W_K 4, \
block1.attention.W_V 4.
    """
    tree, count = _Tree(""), 0
    for step in recording.steps.values():
        size = math.prod(step.form.shape)
        if step.leaf == "parameter" and size:
            tree.add(TRAINED.sub("", step.path).split("."), step.id, size)
            count += 1
    if not count:
        raise StepError("figure.treemap.none")
    folded = _folded(tree)
    kinds = list(dict.fromkeys(leaf.kind for leaf in folded.leaves()))
    areas = tuple(_areas(folded, WHOLE, 0, kinds))
    note = say("explain.figure.treemap.folded", count=count) if len(list(folded.leaves())) < count else ""
    leaves = sorted((area for area in areas if not area.is_group), key=lambda area: -float(area.number.value))
    words = say("explain.figure.treemap.all", total=areas[0].number.text, parts=_in_words(leaves))
    return Figure("treemap", say("explain.figure.treemap"), Treemap(areas), words, note)


def treemap_of_numbers(parts: Sequence[tuple[str, Number]]) -> Figure:
    """Numbers that are parts of a whole, such as the parameters of each kind, as areas.

    >>> parts = [(name, Number(str(value), value, "1", (n,))) for n, (name, value) in enumerate([("W", 12), ("b", 4)])]
    >>> [(area.width, area.height) for area in treemap_of_numbers(parts).data.areas]
    [(0.75, 1.0), (0.25, 1.0)]
    """
    for name, number in parts:
        if not can_be_drawn(number) or float(number.value) <= 0:
            raise StepError("figure.treemap", name=name, value=number.text)
    order = sorted(range(len(parts)), key=lambda n: -float(parts[n][1].value))
    boxes = squarified([float(parts[n][1].value) for n in order], WHOLE)
    areas = tuple(
        Area(shown(parts[n][0]), "", *box, 1, n % SHADES, parts[n][1]) for n, box in zip(order, boxes, strict=True)
    )
    names = ", ".join(area.label for area in areas)
    words = say("explain.figure.treemap.parts", parts=_in_words(areas))
    return Figure("treemap", say("explain.figure.treemap.of", names=names), Treemap(areas), words)


@dataclass
class _Tree:
    """A module with its parts, or one weight."""

    path: str
    size: int = 0
    first: str = ""  # the id of the first weight in it
    parts: dict[str, _Tree] = field(default_factory=dict)

    def add(self, names: list[str], id: str, size: int) -> None:
        self.size += size
        self.first = self.first or id
        if names:
            path = f"{self.path}.{names[0]}" if self.path else names[0]
            self.parts.setdefault(names[0], _Tree(path)).add(names[1:], id, size)

    def leaves(self) -> Iterator[_Tree]:
        if not self.parts:
            yield self
        for part in self.parts.values():
            yield from part.leaves()

    def cut(self, depth: int) -> _Tree:
        """The same without what lies deeper."""
        parts = {name: part.cut(depth - 1) for name, part in self.parts.items()} if depth else {}
        return _Tree(self.path, self.size, self.first, parts)

    @property
    def kind(self) -> str:
        """What areas of one shade have in common: the part of the model, in whichever block."""
        names = [name.rstrip("0123456789") for name in self.path.split(".")]
        return names[1] if len(names) > 1 else names[0]

    @property
    def number(self) -> Number:
        return Number(str(self.size), self.size, self.first, (), "count")


def _folded(tree: _Tree) -> _Tree:
    """The tree with as few modules folded as it takes; what lies deepest comes first."""
    depth = max(leaf.path.count(".") + 1 for leaf in tree.leaves())
    while depth > 1 and len(list(tree.cut(depth).leaves())) > MOST_AREAS:
        depth -= 1
    return tree.cut(depth)


def _areas(tree: _Tree, box: Box, level: int, kinds: list[str]) -> Iterator[Area]:
    label = ".".join(tree.path.split(".")[-2:])
    shade = kinds.index(tree.kind) % SHADES if not tree.parts else 0
    yield Area(label, tree.path, *box, level, shade, tree.number, bool(tree.parts))
    parts = sorted(tree.parts.values(), key=lambda part: -part.size)
    for part, inner in zip(parts, squarified([part.size for part in parts], box), strict=True):
        yield from _areas(part, inner, level + 1, kinds)


def _in_words(areas: Sequence[Area]) -> str:
    told = [f"{area.path or area.label} {area.number.text}" for area in areas[:MOST_TOLD]]
    more = [say("explain.figure.treemap.more", count=len(areas) - MOST_TOLD)] if len(areas) > MOST_TOLD else []
    return ", ".join([*told, *more])
