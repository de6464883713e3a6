"""Where the labels of points are: one for points that lie on each other, else one next to each point."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Literal, TypeAlias

from .axes import Axis
from .points import PlaneGroup, PlaneLabel, Trail

# In shares of the axes, as a plane of usual size has them.
SAME = 0.03  # points that are closer than this look like one
LETTER, HIGH = 0.018, 0.036  # how wide and high a letter is
AWAY = 0.022  # from the middle of a point to its label
PIECE = 0.008  # of a trail
SIDES: tuple[Literal["right", "left"], ...] = ("right", "left")

Place: TypeAlias = tuple[float, float]
Box: TypeAlias = tuple[float, float, float, float]  # left, right, bottom, top

EDGES: tuple[Box, ...] = ((-1.0, 0.0, 0.0, 1.0), (0.0, 1.0, -1.0, 0.0))  # where the numbers of the axes are


def labels_of_points(
    groups: Sequence[PlaneGroup], across: Axis, up: Axis, trails: Sequence[Trail] = ()
) -> Iterator[PlaneLabel]:
    """A label for each point, or for several that lie on each other. Of the four places around a point that one is
    taken at which it covers least of other labels, points, trails and axes.

    >>> from workings.document.blocks import Number
    >>> from workings.figures.parts.points import PlanePoint
    >>> places = {"king": (0.5, 0.5), "prince": (0.51, 0.5), "girl": (0.55, 0.51)}
    >>> points = [PlanePoint(name, *(Number("", value, "1", ()) for value in at)) for name, at in places.items()]
    >>> axis = Axis("", 0.0, 1.0, ())
    >>> [(one.text, one.side, one.above) for one in labels_of_points([PlaneGroup("", tuple(points))], axis, axis)]
    [('king, prince', 'left', True), ('girl', 'right', True)]
    """
    places = {
        (number, place): (_share(across, point.across.value), _share(up, point.up.value))
        for number, group in enumerate(groups)
        for place, point in enumerate(group.points)
    }
    taken = [*EDGES, *(_around(place, AWAY) for place in places.values())]
    taken += [box for trail in trails for box in _along(places[trail.start], places[trail.end])]
    for together in _together(places):
        names = dict.fromkeys(groups[group].points[place].label for group, place in together)
        text, at = ", ".join(names), places[together[0]]
        spots = [(side, above, _box(text, at, side, above)) for above, side in product((True, False), SIDES)]
        own = [_around(places[one], AWAY) for one in together]
        level = [box for box in taken if box[2] < at[1] + 2 * HIGH and box[3] > at[1] - 2 * HIGH]
        others = [box for box in level if box not in own]
        side, above, box = min(spots, key=lambda spot: sum(_overlap(spot[2], other) for other in others))
        taken.append(box)
        yield PlaneLabel(text, together[0], side, above)


def _share(axis: Axis, value: float | int | str) -> float:
    return (float(value) - axis.low) / (axis.high - axis.low)


def _together(places: dict[tuple[int, int], Place]) -> list[list[tuple[int, int]]]:
    """The points in bundles: each lies on the first one of its bundle."""
    found: list[list[tuple[int, int]]] = []
    for one, place in places.items():
        near = (bundle for bundle in found if _is_same(places[bundle[0]], place))
        bundle = next(near, None)
        if bundle is None:
            found.append([one])
        else:
            bundle.append(one)
    return found


def _is_same(one: Place, other: Place) -> bool:
    return all(abs(a - b) < SAME for a, b in zip(one, other, strict=True))


def _around(place: Place, size: float) -> Box:
    return place[0] - size / 2, place[0] + size / 2, place[1] - size / 2, place[1] + size / 2


def _along(start: Place, end: Place) -> Iterator[Box]:
    """The pieces of a trail."""
    count = math.ceil(math.dist(start, end) / PIECE)
    for n in range(1, count):
        share = n / count
        yield _around((start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share), PIECE)


def _box(text: str, at: Place, side: str, above: bool) -> Box:
    wide, middle = len(text) * LETTER, at[1] + (AWAY if above else -AWAY)
    left = at[0] + AWAY if side == "right" else at[0] - AWAY - wide
    return left, left + wide, middle - HIGH / 2, middle + HIGH / 2


def _overlap(one: Box, other: Box) -> float:
    """How much of the plane both cover."""
    wide = min(one[1], other[1]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[2], other[2])
    return wide * high if wide > 0 and high > 0 else 0.0
