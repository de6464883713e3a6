"""Where the parameters of a model are: areas as large as the numbers of weights, those of a module side by side."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from rich.cells import cell_len

from ..document.blocks import Figure, FigureData, Number
from ..document.monospace import Plain
from ..engine.errors import StepError
from ..engine.recording import Recording
from .parts.colors import hexadecimal
from .parts.matrix_window import shown
from .parts.numbers import can_be_drawn
from .parts.options import WORDS, names_for, option
from .parts.page import FigureExample, FigurePage, FigureRequest, Takes
from .parts.svg import COLORS, SMALL, Attributes, element, number, sheet, text, title, wide
from .parts.text_labels import fit

MAX_AREAS = 60  # that are drawn one by one
MAX_AREAS_IN_WORDS = 12
TRAINED = re.compile(r"(?:step|update)\d+\.")  # before the path of what training reads
# Of the SVG:
WIDTH, HEIGHT = 576.0, 400.0
LINE = 14.0
BETWEEN = "#8f97a3"  # the line between two areas
# Light enough for dark letters, and of different lightness, so that they differ in gray print.
SHADES = ((207, 224, 245), (243, 227, 195), (185, 207, 159), (238, 240, 242), (227, 185, 201))
# Of the text:
BLOCK, ASCII_BLOCK = "█", "#"
INDENT = 2

Box: TypeAlias = tuple[float, float, float, float]  # left, top, width, height
WHOLE: Box = (0.0, 0.0, 1.0, 1.0)


@dataclass(frozen=True)
class Treemap(FigureData):
    """The form `treemap`: parts of a whole as areas. A module comes before the areas in it."""

    areas: tuple[TreemapArea, ...]


@dataclass(frozen=True)
class TreemapArea:
    """A piece of a square of side 1, from its left and upper edge; as large as its number. Where it shows weights,
    `path` is that of the weight or of the module. Areas of one `shade` are alike.
    """

    label: str
    path: str
    left: float
    top: float
    width: float
    height: float
    level: int
    shade: int
    number: Number
    is_group: bool = False


@dataclass(frozen=True)
class TreemapOptions:
    names: tuple[str, ...] = option(WORDS, "What to call each of the numbers.", ())


class TreemapPage(FigurePage[Treemap, TreemapOptions]):
    """A treemap shows where the parameters of a model are: each weight is an area as large as its number of entries,
    and those of a module are side by side. It needs no values, so `workings figure gpt2 treemap` draws any model that
    `workings count` knows by name. A lesson can also draw another run, `treemap RUN`, or single numbers that it has
    computed.
    """

    name = "treemap"
    summary = "where the parameters of a run, or of a model such as gpt2, are"
    takes = Takes.ANY_STEPS
    data = Treemap
    options = TreemapOptions
    needs_values = False
    example = FigureExample("example-5")

    def figures(self, request: FigureRequest, options: TreemapOptions) -> Iterator[Figure]:
        if request.names and not (len(request.names) == 1 and request.has_run(request.names[0])):
            names = names_for(options.names, len(request.names)) or request.names
            steps = [request.step(name) for name in request.names]
            numbers = [step.located(step.view.number(*step.index)) for step in steps]
            yield treemap_of_numbers(list(zip(names, numbers, strict=True)))
        else:
            run = request.in_run(request.names[0]) if request.names else request
            yield run.located(treemap_of(run.trace.recording))

    def svg(self, figure: Figure, data: Treemap) -> str:
        leaves = [area for area in data.areas if not area.is_group]
        modules = [area for area in data.areas if area.is_group]
        # The lines of what lies outside are thicker, and lie above.
        frames = [_frame(area) for area in sorted(modules, key=lambda area: -area.level)]
        return sheet(figure, [*(_leaf(area) for area in leaves), *frames], WIDTH, HEIGHT)

    def text(self, data: Treemap, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
        r"""Each part with its number and a bar, as long as the area is large; those of a module below its name.

        >>> large = TreemapArea("W", "", 0.0, 0.0, 0.75, 1.0, 1, 0, Number("12", 12, "1", ()))
        >>> small = TreemapArea("b", "", 0.75, 0.0, 0.25, 1.0, 1, 0, Number("4", 4, "2", ()))
        >>> print("\n".join(treemap.text(Treemap((large, small)), 24)))
        W  12  █████████████
        b   4  ████
        """
        areas = [area for area in data.areas if area.label]
        names = [" " * INDENT * (area.level - 1) + plain(area.label.rpartition(".")[2]) for area in areas]
        numbers = [plain(area.number.text) for area in areas]
        column = min(max(map(cell_len, names)), max(width // 3, 8))
        digits = max(map(len, numbers))
        room = max(width - column - digits - 4, 0)
        sign = BLOCK if fine else ASCII_BLOCK
        rows = []
        for area, name, count in zip(areas, names, numbers, strict=True):
            indent = len(name) - len(name.lstrip())
            label = " " * indent + fit(name, column - indent, fine)
            bar = "" if area.is_group else sign * round(area.width * area.height * room)
            rows.append(f"{label}{' ' * (column - cell_len(label))}  {count:>{digits}}  {bar}".rstrip())
        return rows


def treemap_of(recording: Recording) -> Figure:
    """Where the weights of a model are. Where there are too many of them, those of a module are one area.

    >>> import workings as w
    >>> print(treemap_of(w.scenario("example-1").trace().recording).alternative)
    All parameters: 28. embedding.E 8, W_vocab 8, block1.attention.W_Q 4, block1.attention.W_K 4, \
block1.attention.W_V 4.
    """
    tree, count = _WeightTree(""), 0
    for step in recording.steps.values():
        size = math.prod(step.form.shape)
        if step.leaf == "parameter" and size:
            tree.add(TRAINED.sub("", step.path).split("."), step.id, size)
            count += 1
    if not count:
        raise StepError(
            "This trace has no parameters.",
            hint="Choose a model, or name single numbers: treemap:attention,feed_forward.",
        )
    folded = _folded(tree)
    kinds = list(dict.fromkeys(leaf.kind for leaf in folded.leaves()))
    areas = tuple(_areas(folded, WHOLE, 0, kinds))
    is_folded = len(list(folded.leaves())) < count
    note = f"There are {count} weights, so the weights of a module are drawn as one." if is_folded else ""
    leaves = sorted((area for area in areas if not area.is_group), key=lambda area: -float(area.number.value))
    words = f"All parameters: {areas[0].number.text}. {_in_words(leaves)}."
    return Figure("treemap", "Where the parameters are", Treemap(areas), words, note)


def treemap_of_numbers(parts: Sequence[tuple[str, Number]]) -> Figure:
    """Numbers that are parts of a whole, such as the parameters of each kind, as areas.

    >>> parts = [(name, Number(str(value), value, "1", (n,))) for n, (name, value) in enumerate([("W", 12), ("b", 4)])]
    >>> [(area.width, area.height) for area in treemap_of_numbers(parts).data.areas]
    [(0.75, 1.0), (0.25, 1.0)]
    """
    for name, one in parts:
        if not can_be_drawn(one) or float(one.value) <= 0:
            raise StepError(f"{name} is {one.text}, which cannot be an area.", hint="Name single numbers above 0.")
    order = sorted(range(len(parts)), key=lambda n: -float(parts[n][1].value))
    boxes = squarified([float(parts[n][1].value) for n in order], WHOLE)
    areas = tuple(
        TreemapArea(shown(parts[n][0]), "", *box, 1, n % len(SHADES), parts[n][1])
        for n, box in zip(order, boxes, strict=True)
    )
    names = ", ".join(area.label for area in areas)
    return Figure("treemap", f"Shares of {names}", Treemap(areas), f"{_in_words(areas)}.")


@dataclass
class _WeightTree:
    """A module with its parts, or one weight."""

    path: str
    size: int = 0
    first: str = ""  # the id of the first weight in it
    parts: dict[str, _WeightTree] = field(default_factory=dict)

    def add(self, names: list[str], id: str, size: int) -> None:
        self.size += size
        self.first = self.first or id
        if names:
            path = f"{self.path}.{names[0]}" if self.path else names[0]
            self.parts.setdefault(names[0], _WeightTree(path)).add(names[1:], id, size)

    def leaves(self) -> Iterator[_WeightTree]:
        if not self.parts:
            yield self
        for part in self.parts.values():
            yield from part.leaves()

    def cut(self, depth: int) -> _WeightTree:
        """The same without what lies deeper."""
        parts = {name: part.cut(depth - 1) for name, part in self.parts.items()} if depth else {}
        return _WeightTree(self.path, self.size, self.first, parts)

    @property
    def kind(self) -> str:
        """What areas of one shade have in common: the part of the model, in whichever block."""
        names = [name.rstrip("0123456789") for name in self.path.split(".")]
        return names[1] if len(names) > 1 else names[0]

    @property
    def number(self) -> Number:
        return Number(str(self.size), self.size, self.first, (), "count")


def _folded(tree: _WeightTree) -> _WeightTree:
    """The tree with as few modules folded as it takes; what lies deepest comes first."""
    depth = max(leaf.path.count(".") + 1 for leaf in tree.leaves())
    while depth > 1 and len(list(tree.cut(depth).leaves())) > MAX_AREAS:
        depth -= 1
    return tree.cut(depth)


def _areas(tree: _WeightTree, box: Box, level: int, kinds: list[str]) -> Iterator[TreemapArea]:
    label = ".".join(tree.path.split(".")[-2:])
    shade = kinds.index(tree.kind) % len(SHADES) if not tree.parts else 0
    yield TreemapArea(label, tree.path, *box, level, shade, tree.number, bool(tree.parts))
    parts = sorted(tree.parts.values(), key=lambda part: -part.size)
    for part, inner in zip(parts, squarified([part.size for part in parts], box), strict=True):
        yield from _areas(part, inner, level + 1, kinds)


def _in_words(areas: Sequence[TreemapArea]) -> str:
    largest = [f"{area.path or area.label} {area.number.text}" for area in areas[:MAX_AREAS_IN_WORDS]]
    more = [f"{len(areas) - MAX_AREAS_IN_WORDS} smaller ones"] if len(areas) > MAX_AREAS_IN_WORDS else []
    return ", ".join([*largest, *more])


def squarified(sizes: Sequence[float], box: Box) -> list[Box]:
    """A box divided into parts as large as these sizes, which come from the largest to the smallest, and as near to
    squares as it goes (Bruls, Huizing, van Wijk): rows are laid along the shorter side.

    >>> squarified([6, 3, 3], (0.0, 0.0, 4.0, 3.0))
    [(0.0, 0.0, 2.0, 3.0), (2.0, 0.0, 2.0, 1.5), (2.0, 1.5, 2.0, 1.5)]
    """
    found: list[Box] = []
    left, top, width, height = box
    unit = width * height / sum(sizes) if sizes else 0.0
    row: list[float] = []
    for area in (size * unit for size in sizes):
        side = min(width, height)
        if row and _worst([*row, area], side) > _worst(row, side):
            left, top, width, height = _laid(row, (left, top, width, height), found)
            row = []
        row.append(area)
    if row:
        _laid(row, (left, top, width, height), found)
    return found


def _worst(row: Sequence[float], side: float) -> float:
    """How far the box of a row that is least like a square is from one."""
    total = sum(row)
    return max(max(side**2 * area / total**2, total**2 / (side**2 * area)) for area in row)


def _laid(row: Sequence[float], box: Box, found: list[Box]) -> Box:
    """The boxes of one row, and the box that is left."""
    left, top, width, height = box
    deep = sum(row) / min(width, height)
    along = 0.0
    for area in row:
        part = area / deep
        if width >= height:
            found.append((left, top + along, deep, part))
        else:
            found.append((left + along, top, part, deep))
        along += part
    return (left + deep, top, width - deep, height) if width >= height else (left, top + deep, width, height - deep)


def _place(area: TreemapArea) -> dict[str, float]:
    return {
        "x": area.left * WIDTH,
        "y": area.top * HEIGHT,
        "width": area.width * WIDTH,
        "height": area.height * HEIGHT,
    }


def _leaf(area: TreemapArea) -> str:
    box = _place(area)
    fill = hexadecimal(SHADES[area.shade % len(SHADES)])
    parts = title(f"{area.path or area.label} {area.number.text}")
    parts += element("rect", **box, class_="cell", fill=fill, stroke=BETWEEN, stroke_width=0.8)
    lines = [line for line in _lines(area) if wide(line, SMALL) + 6 <= box["width"]]
    room = int(box["height"] / LINE)
    middle = box["x"] + box["width"] / 2
    top = box["y"] + box["height"] / 2 - LINE * (min(len(lines), room) - 1) / 2 + SMALL * 0.35
    for n, line in enumerate(lines[:room]):
        place = middle, top + LINE * n
        look: Attributes = {"fill": COLORS["ink"], "text_anchor": "middle"}
        if line == area.number.text:
            parts += number(*place, area.number, "on-cell", SMALL, **look)
        else:
            parts += text(*place, line, "on-cell", SMALL, font_weight="bold", **look)
    return element("g", parts, class_="node")


def _lines(area: TreemapArea) -> list[str]:
    """The name, in several lines where one has no room for it, and the number."""
    wide_enough = wide(area.label, SMALL) + 6 <= area.width * WIDTH
    return [*([area.label] if wide_enough else area.label.split(".")), area.number.text]


def _frame(area: TreemapArea) -> str:
    thick = max(3.0 - area.level, 1.0)
    # The areas are light on a dark page too, and so the lines around them stay dark.
    return element("rect", **_place(area), fill="none", class_="on-cell", stroke=COLORS["ink"], stroke_width=thick)


treemap = TreemapPage()
