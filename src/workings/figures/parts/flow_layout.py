"""Where the nodes of a flow are: in rows by the longest way from what is given, and so that few edges cross.

An edge that goes past rows takes a place in each of them, so that it runs between the nodes and not through them.
A leaf at the side of its reader, such as a weight, moves with it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

SWEEPS = 8  # to find the order within rows
SETTLING = 60  # to find the columns
NODE, LEAF, PASSING = 1.0, 0.72, 0.3  # widths, in widths of a node
GAP = 0.14
CLOSE = 1e-9


@dataclass(frozen=True)
class FlowLayout:
    """The row and column of each node, and the columns that each edge passes, by its start and end."""

    rows: list[int]
    columns: list[float]
    through: dict[tuple[int, int], tuple[float, ...]]


def laid_out(inputs: Sequence[Sequence[int]], hosts: dict[int, int], late: bool = False) -> FlowLayout:
    """The places of nodes: `inputs` are the nodes that each one reads, which come before it; `hosts` says at the side
    of which reader a leaf is. `late` says that what is given is just above its first reader.

    >>> layout = laid_out([[], [], [0, 1], [2], [2, 3]], {1: 2})
    >>> layout.rows
    [0, 1, 1, 2, 3]
    >>> list(layout.through)
    [(2, 4)]
    """
    rows = _rows(inputs, hosts)
    if late:
        _lower(rows, inputs)
    items = _LayoutRows(inputs, hosts, rows)
    items.order()
    columns = items.columns()
    left = min(columns[item] - items.extent(item)[0] for item in columns)
    placed = [0.0] * len(inputs)
    for item, column in columns.items():
        if isinstance(item, int):
            placed[item] = round(column - left, 3)
    for host, leaves in items.leaves.items():
        for leaf, shift in _shifts(leaves):
            placed[leaf] = round(columns[host] - left + shift, 3)
    through = {
        (start, end): tuple(round(columns[start, end, row] - left, 3) for row in range(rows[start] + 1, rows[end]))
        for end, read in enumerate(inputs)
        for start in read
        if rows[end] > rows[start] + 1
    }
    return FlowLayout(rows, placed, through)


def _rows(inputs: Sequence[Sequence[int]], hosts: dict[int, int]) -> list[int]:
    rows = [0] * len(inputs)
    for node, read in enumerate(inputs):
        rows[node] = max((rows[one] + 1 for one in read if one not in hosts and one < node), default=0)
    for leaf, host in hosts.items():
        rows[leaf] = rows[host]
    return rows


def _lower(rows: list[int], inputs: Sequence[Sequence[int]]) -> None:
    for node, read in enumerate(inputs):
        readers = [rows[other] for other, sources in enumerate(inputs) if node in sources]
        if not read and readers:
            rows[node] = min(readers) - 1


Passing = tuple[int, int, int]  # the start and the end of an edge, and a row that it passes
Item = int | Passing


class _LayoutRows:
    """What is in each row from left to right: nodes, and places where an edge passes."""

    def __init__(self, inputs: Sequence[Sequence[int]], hosts: dict[int, int], rows: list[int]) -> None:
        self.leaves: dict[int, list[int]] = {}
        for leaf, host in hosts.items():
            self.leaves.setdefault(host, []).append(leaf)
        self.rows: list[list[Item]] = [[] for _ in range(max(rows) + 1)]
        self.above: dict[Item, list[Item]] = {}
        self.below: dict[Item, list[Item]] = {}
        for node in range(len(inputs)):
            if node not in hosts:
                self.rows[rows[node]].append(node)
        for end, read in enumerate(inputs):
            for start in dict.fromkeys(read):
                if rows[start] < rows[end]:
                    self._link(hosts.get(start, start), start, end, rows)

    def _link(self, item: Item, start: int, end: int, rows: list[int]) -> None:
        """An edge as a chain from row to row."""
        chain: list[Item] = [item]
        for row in range(rows[start] + 1, rows[end]):
            self.rows[row].append((start, end, row))
            chain.append((start, end, row))
        for upper, lower in pairwise([*chain, end]):
            self.below.setdefault(upper, []).append(lower)
            self.above.setdefault(lower, []).append(upper)

    # -- the order within a row --------------------------------------------------------------------

    def order(self) -> None:
        """Each item goes where its neighbors are on average, down and up again; the order that crosses least stays."""
        best, fewest = [list(row) for row in self.rows], self.crossings()
        for sweep in range(SWEEPS):
            down = sweep % 2 == 0
            neighbors = self.above if down else self.below
            for row in self.rows if down else reversed(self.rows):
                places = self._places()
                keys = {item: _mean([places[one] for one in neighbors.get(item, [])], places[item]) for item in row}
                row.sort(key=lambda item, keys=keys: keys[item])  # type: ignore[misc]
            crossings = self.crossings()
            if crossings < fewest:
                best, fewest = [list(row) for row in self.rows], crossings
        self.rows = best

    def _places(self) -> dict[Item, float]:
        return {item: n - (len(row) - 1) / 2 for row in self.rows for n, item in enumerate(row)}

    def crossings(self) -> int:
        places = self._places()
        count = 0
        for row in self.rows:
            edges = [(places[item], places[lower]) for item in row for lower in self.below.get(item, [])]
            count += sum((a - c) * (b - d) < 0 for n, (a, b) in enumerate(edges) for c, d in edges[:n])
        return count

    # -- the columns -------------------------------------------------------------------------------

    def columns(self) -> dict[Item, float]:
        """Near the neighbors above and below, in the same order and without overlapping. What hangs together in a
        plain chain has one column, unless that would reverse the order somewhere.
        """
        chains = self._chains()
        before = self._before(chains)
        try:
            order = list(TopologicalSorter({chain: set(left) for chain, left in before.items()}).static_order())
        except CycleError:
            chains = {item: item for item in chains}
            before = self._before(chains)
            order = list(TopologicalSorter({chain: set(left) for chain, left in before.items()}).static_order())
        after: dict[Item, dict[Item, float]] = {chain: {} for chain in order}
        for chain, left in before.items():
            for other, gap in left.items():
                after[other][chain] = gap
        return _settled(chains, order, before, after, self._neighbors(chains))

    def _chains(self) -> dict[Item, Item]:
        """Each item, and the first item of the chain that it belongs to."""
        chains: dict[Item, Item] = {}
        for row in self.rows:
            for item in row:
                above = self.above.get(item, [])
                alike = len(above) == 1 and isinstance(above[0], int) == isinstance(item, int)
                goes_on = alike and len(self.below[above[0]]) == 1
                chains[item] = chains[above[0]] if goes_on else item
        return chains

    def _before(self, chains: dict[Item, Item]) -> dict[Item, dict[Item, float]]:
        """For each chain those that are to its left somewhere, and how far apart they must be."""
        before: dict[Item, dict[Item, float]] = {chain: {} for chain in chains.values()}
        for row in self.rows:
            for one, other in pairwise(row):
                gap = self.extent(one)[1] + GAP + self.extent(other)[0]
                left = before[chains[other]]
                left[chains[one]] = max(gap, left.get(chains[one], 0.0))
        return before

    def _neighbors(self, chains: dict[Item, Item]) -> dict[Item, list[Item]]:
        """For each chain those that lead to it or come from it."""
        found: dict[Item, list[Item]] = {chain: [] for chain in chains.values()}
        for item, chain in chains.items():
            near = [chains[one] for one in self.above.get(item, []) + self.below.get(item, [])]
            near = [one for one in near if isinstance(one, int)] or near  # nodes pull more than passing edges
            found[chain] += [other for other in near if other != chain]
        return found

    def extent(self, item: Item) -> tuple[float, float]:
        """How far an item reaches to the left and to the right, with the leaves at its sides."""
        if not isinstance(item, int):
            return PASSING / 2, PASSING / 2
        shifts = [shift for _, shift in _shifts(self.leaves.get(item, []))]
        left = max([NODE / 2, *(LEAF / 2 - shift for shift in shifts)])
        return left, max([NODE / 2, *(LEAF / 2 + shift for shift in shifts)])


def _shifts(leaves: Sequence[int]) -> Iterator[tuple[int, float]]:
    """The first leaf is to the left of its reader, the others to the right."""
    near, apart = NODE / 2 + LEAF / 2 + GAP, LEAF + GAP / 2
    for n, leaf in enumerate(leaves):
        yield leaf, -near if n == 0 else near + (n - 1) * apart


Apart = dict[Item, dict[Item, float]]  # for each chain its neighbors on one side, and how far away they must be


def _settled(
    chains: dict[Item, Item], order: list[Item], before: Apart, after: Apart, wanted: dict[Item, list[Item]]
) -> dict[Item, float]:
    """Every chain as near to those that it is tied to as its neighbors allow. A node moves passing edges out of its
    way, as far as no other node is behind them.
    """
    places: dict[Item, float] = {}
    for chain in order:
        places[chain] = max((places[other] + gap for other, gap in before[chain].items()), default=0.0)
    for sweep in range(SETTLING):
        for chain in order if sweep % 2 else reversed(order):
            place = _mean([places[other] for other in wanted[chain]], places[chain])
            # To the left is to the right, seen from behind: the same rule with the opposite sign.
            place = min(place, _limit(chain, chain, places, after, 1))
            place = max(place, -_limit(chain, chain, places, before, -1))
            places[chain] = place
            _push(chain, places, after, 1)
            _push(chain, places, before, -1)
    return {item: places[chain] for item, chain in chains.items()}


def _limit(mover: Item, chain: Item, places: dict[Item, float], apart: Apart, sign: int) -> float:
    """How far it can go to one side: up to the next node, or for a passing edge up to whatever comes next."""
    limit = math.inf
    for other, gap in apart[chain].items():
        gives_way = isinstance(mover, int) and not isinstance(other, int)
        limit = min(limit, (_limit(mover, other, places, apart, sign) if gives_way else sign * places[other]) - gap)
    return limit


def _push(chain: Item, places: dict[Item, float], apart: Apart, sign: int) -> None:
    for other, gap in apart[chain].items():
        if sign * (places[other] - places[chain]) < gap - CLOSE:
            places[other] = places[chain] + sign * gap
            _push(other, places, apart, sign)


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
