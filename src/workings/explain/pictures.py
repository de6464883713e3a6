"""Pictures as data: what a figure consists of. A renderer places points, and computes no number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from .spans import Index, Number


@dataclass(frozen=True)
class Lines:
    """The form `lines`: one or more lines over two axes."""

    across: Axis
    up: Axis
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Axis:
    """From where to where it reaches (`low` is below `high`), and the numbers that stand at it."""

    title: str
    low: float
    high: float
    ticks: tuple[Tick, ...]
    scale: Literal["linear", "log"] = "linear"


@dataclass(frozen=True)
class Tick:
    value: float
    text: str


@dataclass(frozen=True)
class Line:
    """`name` is for the reader, `history` is the name of the numbers in the trace."""

    name: str
    history: str
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Point:
    """The numbers `first` to `last` of the history of a line: the mean of where they lie across, the mean of their
    values, and the lowest and the highest of them. Mostly it is one number. Numbers that cannot be drawn, such as
    an infinite one, do not count.
    """

    across: float
    value: float
    low: float
    high: float
    first: int
    last: int


@dataclass(frozen=True)
class Grid:
    """The forms `heatmap`, `mask`, `links` and `windows`: the entries of a matrix as a picture, on a scale from its
    lowest to its highest. In a mask, `seen` says for each entry whether a query may look there; the entry itself may
    be a score, or -∞. `rows_are` and `columns_are` are axis words; a heatmap and a mask have no labels where
    nobody gave any. Where there are too many entries for their numbers, a few ticks say which place is where.
    """

    step: str
    rows_are: str
    columns_are: str
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    rows: tuple[tuple[Number, ...], ...]
    scale: Axis
    seen: tuple[tuple[bool, ...], ...] = ()
    row_ticks: tuple[Tick, ...] = ()
    column_ticks: tuple[Tick, ...] = ()


@dataclass(frozen=True)
class Bars:
    """The form `bars`: one bar for each entry of a row, the rows one after the other."""

    axis: Axis
    groups: tuple[BarGroup, ...]


@dataclass(frozen=True)
class BarGroup:
    title: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class Bar:
    label: str
    number: Number


@dataclass(frozen=True)
class Flow:
    """The form `flow`: which step leads to which. `row` counts from what is given downwards, `column` from the left, in
    widths of a node. The edges into a node come in the order of its inputs. The form `backward` is the same with edges
    from results to what they are made from. The form `graph` has a node for each op, between its inputs and its result.
    """

    nodes: tuple[FlowNode, ...]
    edges: tuple[FlowEdge, ...]


@dataclass(frozen=True)
class FlowNode:
    """`beside` says that it stands beside the only row that needs it, as a weight does. Where a module is one node,
    `module` is its path, `step` its result, and `op` says how many steps it has.
    """

    step: str
    name: str
    op: str
    axes: tuple[str, ...]
    shape: Index
    row: int
    column: float
    leaf: bool
    beside: bool = False
    gradient: FlowGradient | None = None
    value: Number | None = None  # of a single number, in the form `graph`
    sign: str = ""  # of an op, in the form `graph`: its node stands before that of its result
    module: str = ""


@dataclass(frozen=True)
class FlowGradient:
    """The gradient of a node, in the forms `backward` and `graph`: its `largest` entry by size stands at `place`, such
    as `[0][1]`. `learns` says that it changes the node.
    """

    step: str
    name: str
    place: str
    largest: Number
    learns: bool = False


@dataclass(frozen=True)
class FlowEdge:
    """From the node of that place in the list to the other; `skips` says that it goes past rows in between, as a
    residual does. It goes `through` these columns, one for each row that it passes.
    """

    start: int
    end: int
    skips: bool
    through: tuple[float, ...] = ()


@dataclass(frozen=True)
class Plane:
    """The forms `plane` and `vectors`: rows of a matrix as points, or as arrows to them, by two of their entries; a
    trail leads from where a point was. The axes of `vectors` have the same scale.
    """

    across: Axis
    up: Axis
    groups: tuple[PlaneGroup, ...]
    trails: tuple[Trail, ...] = ()
    labels: tuple[PlaneLabel, ...] = ()  # of the form `plane`


@dataclass(frozen=True)
class PlaneGroup:
    name: str
    points: tuple[PlanePoint, ...]


@dataclass(frozen=True)
class PlanePoint:
    label: str
    across: Number
    up: Number


@dataclass(frozen=True)
class PlaneLabel:
    """What is written beside a point, which is the place of a group and of a point in their lists; points that lie on
    each other have one label together. It stands at the left or right of the point, above or below.
    """

    text: str
    point: tuple[int, int]
    side: Literal["left", "right"]
    above: bool


@dataclass(frozen=True)
class Trail:
    """From a point of one group to the point of another: the places of groups and points in their lists."""

    start: tuple[int, int]
    end: tuple[int, int]


@dataclass(frozen=True)
class Treemap:
    """The form `treemap`: parts of a whole as areas. A module comes before the areas in it."""

    areas: tuple[Area, ...]


@dataclass(frozen=True)
class Area:
    """A piece of a square of side 1, from its left and upper edge; as large as its number. Where it shows weights,
    `path` is that of the weight or of the module that it stands for. Areas of one `shade` are alike.
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
class Chain:
    """The form `chain`: states one after the other, each with a number, on a scale from 0 to the largest."""

    scale: Axis
    states: tuple[ChainState, ...]


@dataclass(frozen=True)
class ChainState:
    """`word` stands below the state; there may be none."""

    name: str
    word: str
    number: Number


@dataclass(frozen=True)
class Heads:
    """The form `heads`: what goes into several heads of attention, the heads beside each other, and what is made of
    them together. `weight` is what mixes them; there may be none.
    """

    inputs: tuple[FlowNode, ...]
    heads: tuple[HeadBox, ...]
    joined: FlowNode
    weight: FlowNode | None
    result: FlowNode | None


@dataclass(frozen=True)
class HeadBox:
    """One head: the axes and sizes of what it found, which lies in `step`, and its weights as a small picture."""

    name: str
    step: str
    axes: tuple[str, ...]
    shape: Index
    weights: Grid


Picture: TypeAlias = Lines | Grid | Bars | Flow | Plane | Treemap | Chain | Heads
