"""Boxes from left to right, each after what it is computed from, in several rows where one is too wide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .drawn import Box
from .flow_layout import laid_out

STACKED = 14.0  # between boxes of a column, unless there is a heading above each
STUB = 22.0  # at least, of an arrow that leads from one lane to the next
CLEAR = 12.0  # from a box to an arrow around it
LABEL = 16.0  # of a name below an arrow
SPREAD = 9.0  # between arrows that end at one box

Points = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Route:
    """An arrow from one node to another, in a lane. `label` says where it comes from, if that is in another lane, and
    nothing else leads from there to here.
    """

    start: int
    end: int
    lane: int
    points: Points
    label: bool = False


class LayeredBoxes:
    """Where boxes of these sizes are: in columns by the longest way from the first, and the columns in lanes that are
    no wider than `room`. `gaps` is the room before each box, such as for a label. Places are those within a lane.
    """

    def __init__(
        self,
        inputs: Sequence[Sequence[int]],
        sizes: Sequence[tuple[float, float]],
        gaps: Sequence[float],
        room: float,
        stacked: float = STACKED,
    ) -> None:
        self.inputs, self.sizes, self.stacked = inputs, sizes, stacked
        self.layers = laid_out(inputs, {}, late=True).rows
        columns = [
            [node for node, own in enumerate(self.layers) if own == layer] for layer in range(max(self.layers) + 1)
        ]
        self.columns = [column for column in columns if column]
        widths = [max(sizes[node][0] for node in column) for column in self.columns]
        before = [max(gaps[node] for node in column) for column in self.columns]
        self.lanes = _broken(widths, before, room)
        self.lane_of, self.column_of = [0] * len(sizes), [0] * len(sizes)
        for place, lane in enumerate(self.lanes):
            for column in lane:
                for node in self.columns[column]:
                    self.lane_of[node], self.column_of[node] = place, column
        boxes: dict[int, Box] = {}
        self.bottoms = [0.0] * len(self.lanes)  # of the boxes of each lane, without arrows around them
        self.heights = [self._place(place, widths, before, boxes) for place in range(len(self.lanes))]
        self.boxes = [boxes[node] for node in range(len(sizes))]
        ends = [max(boxes[node].right for node in self._nodes(place)) for place in range(len(self.lanes))]
        self.ends = [end + (STUB if place + 1 < len(ends) else 0.0) for place, end in enumerate(ends)]
        self.width = max(self.ends)

    def _nodes(self, lane: int) -> list[int]:
        return [node for column in self.lanes[lane] for node in self.columns[column]]

    def _place(self, lane: int, widths: Sequence[float], before: Sequence[float], boxes: dict[int, Box]) -> float:
        """The boxes of one lane; the result is how high it is."""
        columns = self.lanes[lane]
        heights = [
            sum(self.sizes[node][1] + self.stacked for node in self.columns[column]) - self.stacked
            for column in columns
        ]
        x = 0.0
        for column, own in zip(columns, heights, strict=True):
            x += before[column] if column != columns[0] else (max(STUB, before[column]) if lane else 0.0)
            y = (max(heights) - own) / 2
            for node in self.columns[column]:
                width, high = self.sizes[node]
                boxes[node] = Box(x + (widths[column] - width) / 2, y, width, high)
                y += high + self.stacked
            x += widths[column]
        self.bottoms[lane] = max(heights)
        edges = [(start, end) for start, end in self._edges() if self.lane_of[end] == lane]
        around = [self.bottoms[lane] + 2 * CLEAR for start, end in edges if self._goes_around(start, end)]
        labels = [boxes[end].bottom + STUB + LABEL for start, end in edges if self._is_labeled(start, end)]
        return max([self.bottoms[lane], *around, *labels])

    def _edges(self) -> Iterator[tuple[int, int]]:
        return ((start, end) for end, read in enumerate(self.inputs) for start in read)

    def _goes_around(self, start: int, end: int) -> bool:
        """Whether an arrow passes boxes that are all in the middle of their lane, as it is itself."""
        first, last = self.column_of[start], self.column_of[end]
        if self.lane_of[start] != self.lane_of[end] or last <= first + 1:
            return False
        return len(self.columns[first]) == 1

    def routes(self) -> Iterator[Route]:
        """Every arrow; one that leads to another lane has two parts."""
        for end, read in enumerate(self.inputs):
            near = [start for start in read if self._is_direct(start, end)]
            for start in read:
                spread = (near.index(start) - (len(near) - 1) / 2) * SPREAD if start in near else 0.0
                yield from self._route(start, end, spread)

    def _is_direct(self, start: int, end: int) -> bool:
        return self.lane_of[start] == self.lane_of[end] and self.column_of[end] == self.column_of[start] + 1

    def _route(self, start: int, end: int, spread: float) -> Iterator[Route]:
        source, target = self.boxes[start], self.boxes[end]
        lane, other = self.lane_of[start], self.lane_of[end]
        if lane != other:
            yield from self._to_lane(start, end)
        elif self._is_direct(start, end):
            yield Route(start, end, lane, ((source.right, source.center), (target.x, target.center + spread)))
        elif self._goes_around(start, end):
            y = self.bottoms[lane] + CLEAR
            yield Route(
                start,
                end,
                lane,
                (
                    (source.middle, source.bottom),
                    (source.middle, y),
                    (target.middle, y),
                    (target.middle, target.bottom),
                ),
            )
        else:
            edge = target.bottom if source.center > target.center else target.y
            yield Route(
                start, end, lane, ((source.right, source.center), (target.middle, source.center), (target.middle, edge))
            )

    def _to_lane(self, start: int, end: int) -> Iterator[Route]:
        """From the end of a lane to the beginning of the next one; else only an arrow with a label."""
        source, target = self.boxes[start], self.boxes[end]
        lane, other = self.lane_of[start], self.lane_of[end]
        first = self.column_of[end] == self.lanes[other][0]
        if self._goes_on(start, end):
            yield Route(start, end, lane, ((source.right, source.center), (self.ends[lane], source.center)))
            yield Route(start, end, other, ((0.0, target.center), (target.x, target.center)))
        elif self._is_labeled(start, end):
            points = (target.middle, target.bottom + STUB), (target.middle, target.bottom)
            yield Route(start, end, other, points, label=True)
        elif first:
            y = target.center + SPREAD
            yield Route(start, end, other, ((0.0, y), (target.x, y)))

    def _is_labeled(self, start: int, end: int) -> bool:
        """Whether an arrow begins at a label, because it comes from the middle of another lane."""
        is_elsewhere = self.lane_of[start] != self.lane_of[end] and not self._goes_on(start, end)
        return is_elsewhere and len(self.columns[self.column_of[end]]) == 1

    def _goes_on(self, start: int, end: int) -> bool:
        """Whether an arrow leads from the end of a lane to the beginning of the next one."""
        lane, other = self.lane_of[start], self.lane_of[end]
        is_last, is_first = self.column_of[start] == self.lanes[lane][-1], self.column_of[end] == self.lanes[other][0]
        return other == lane + 1 and is_last and is_first


def _broken(widths: Sequence[float], before: Sequence[float], room: float) -> list[range]:
    """As many columns in each lane as there is room for."""
    lanes, first, used = list[range](), 0, 0.0
    for place, width in enumerate(widths):
        needed = width + (before[place] if place > first else 0.0)
        if place > first and used + needed > room - (STUB if place + 1 < len(widths) else 0.0):
            lanes.append(range(first, place))
            first, used = place, max(STUB, before[place]) + width
        else:
            used += needed
    return [*lanes, range(first, len(widths))]
