"""A tree becomes a frozen record: the keys are its fields, and the types of the fields say what fits.

Whatever does not fit is refused with its line, its key and the nearest thing that would. A key without a
value (or with `null`) says nothing, as if it were not there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NoReturn, Union, get_args, get_origin, get_type_hints

from ...engine.errors import ScenarioError
from ...engine.sentences import say
from .likely import LONGEST, likely
from .matrix_reading import check_matrix
from .plan import LIMITS, MAIN, REST, Limits
from .yaml_reading import Entries, Items, Node, Scalar, data_of, place


@dataclass(frozen=True)
class Place:
    """Where something stands: in which file, on which line, and under which keys."""

    where: str
    line: int
    path: str = ""

    def below(self, key: str, line: int) -> Place:
        key = key[:LONGEST]
        return Place(self.where, line, f"{self.path}.{key}" if self.path else key)

    def item(self, number: int, line: int) -> Place:
        return Place(self.where, line, f"{self.path}[{number}]")

    def refuse(self, key: str, **values: Any) -> NoReturn:
        raise ScenarioError(key, where=str(self), **values)

    def __str__(self) -> str:
        return place(self.where, self.line, self.path)


def read(kind: Any, node: Node, here: Place, limits: Limits | None = None) -> Any:
    """What a node says, as a value of this type.

    >>> from .plan import OptimiserPlan
    >>> read(OptimiserPlan, Scalar("adam", "adam", 7), Place("example.yaml", 7, "train.optimiser"))
    OptimiserPlan(name='adam', settings={})
    """
    if get_origin(kind) is Annotated:
        return _matrix(node, here)
    if kind is Any:
        return data_of(node)
    if is_dataclass(kind):
        return read_record(kind, node, here)
    if get_origin(kind) in (Union, UnionType):
        return _one_of(get_args(kind), node, here, limits)
    if get_origin(kind) is tuple:
        return _several(get_args(kind)[0], node, here, limits)
    if get_origin(kind) is not None and get_origin(kind) is not Literal:
        return _mapping(get_args(kind)[1], node, here)
    if not fits(kind, node):
        _refuse_unfit((kind,), node, here)
    return _number_within(float(data_of(node)), here, limits) if kind is float else _checked(node, here, limits)


def read_record(kind: Any, node: Node, here: Place, also: Iterable[str] = ()) -> Any:
    """A record from a mapping. The keys `also` are known, but read by somebody else."""
    if not isinstance(node, Entries) and kind in MAIN:
        node = Entries({MAIN[kind]: node}, {MAIN[kind]: here.line}, here.line)
    if not isinstance(node, Entries):
        _refuse_unfit((kind,), node, here)
    known, hints = fields_of(kind), hints_of(kind)
    rest = REST.get(kind, "")
    own = {key: value for key, value in node.entries.items() if key in known and key != rest}
    others = {key: value for key, value in node.entries.items() if key not in own and key not in also}
    if others and not rest:
        name = next(iter(others))
        allowed = [*known, *also]
        values = {"name": name[:LONGEST], "nearest": likely(name, allowed), "known": ", ".join(allowed)}
        here.below(name, node.lines[name]).refuse("scenario.unknown", **values)
    said = {key: value for key, value in own.items() if not is_nothing(value)}
    found = {
        key: read(hints[key], value, here.below(key, node.lines[key]), LIMITS.get((kind, key)))
        for key, value in said.items()
    }
    if rest:
        found[rest] = read(hints[rest], Entries(others, node.lines, node.line), here)
    for name, field in known.items():
        if name not in found and field.default is MISSING and field.default_factory is MISSING:
            here.refuse("scenario.missing", name=name)
    return kind(**found)


@cache
def hints_of(kind: Any) -> Mapping[str, Any]:
    """The types of the fields of a record."""
    return get_type_hints(kind, include_extras=True)


@cache
def fields_of(kind: Any) -> Mapping[str, Field[Any]]:
    """The fields of a record by name."""
    return {field.name: field for field in fields(kind)}


def is_nothing(node: Node | None) -> bool:
    """Whether a key has no value."""
    return node is None or (isinstance(node, Scalar) and node.value is None)


def fits(kind: Any, node: Node) -> bool:
    """Whether a node could be of this type, as far as one can see from outside.

    >>> fits(int, Scalar(True, "true", 1)), fits(float, Scalar(2, "2", 1)), fits(Literal["all"], Scalar("al", "al", 1))
    (False, True, False)
    """
    if is_dataclass(kind):
        return isinstance(node, Entries) or kind in MAIN
    origin = get_origin(kind)
    if origin is Literal:
        value = data_of(node)
        return any(value == choice and type(value) is type(choice) for choice in get_args(kind))
    if origin is tuple:
        return isinstance(node, Items)
    if origin is not None or not isinstance(node, Scalar):
        return isinstance(node, Entries) and origin is not None
    return type(node.value) in ((int, float) if kind is float else (kind,))


def _one_of(kinds: tuple[Any, ...], node: Node, here: Place, limits: Limits | None) -> Any:
    some = [kind for kind in kinds if kind is not NoneType]
    if len(some) == 1:
        return read(some[0], node, here, limits)
    fitting = [kind for kind in some if fits(kind, node)]
    if not fitting:  # one may stand for a list of one
        fitting = [kind for kind in some if get_origin(kind) is tuple and _fits_one(get_args(kind)[0], node)]
    if not fitting:
        _refuse_unfit(some, node, here)
    if isinstance(node, Entries):  # the record that knows most of the keys, also one that may stand for a list of one
        records: dict[Any, Any] = {kind: kind for kind in fitting if is_dataclass(kind)}
        records |= {one: kind for kind in some if get_origin(kind) is tuple and is_dataclass(one := get_args(kind)[0])}
        if records:
            return read(records[max(records, key=lambda kind: len(fields_of(kind).keys() & node.entries))], node, here)
    return read(fitting[0], node, here, limits)


def _fits_one(kind: Any, node: Node) -> bool:
    kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    return any(fits(one, node) for one in kinds)


def _several(kind: Any, node: Node, here: Place, limits: Limits | None) -> tuple[Any, ...]:
    if not isinstance(node, Items):
        return (read(kind, node, here, limits),)
    return tuple(read(kind, item, here.item(n, item.line), limits) for n, item in enumerate(node.items))


def _mapping(kind: Any, node: Node, here: Place) -> dict[str, Any]:
    if not isinstance(node, Entries):
        here.refuse("scenario.type", value=shown(node), fits=say("scenario.kind.Mapping"))
    said = {key: value for key, value in node.entries.items() if not is_nothing(value)}
    return {key: read(kind, value, here.below(key, node.lines[key])) for key, value in said.items()}


def _matrix(node: Node, here: Place) -> Any:
    value = data_of(node)
    try:
        check_matrix(value, str(here))
    except ScenarioError as error:
        error.where = str(_entry_of(node, error.values["at"], here))
        raise
    return value


def _entry_of(node: Node, at: Any, here: Place) -> Place:
    """The place of an entry of a matrix: it may stand on a later line than the key."""
    for n in at:
        if not isinstance(node, Items):
            break
        node = node.items[n]
        here = here.item(n, node.line)
    return here


def _checked(node: Node, here: Place, limits: Limits | None) -> Any:
    value = data_of(node)
    return _number_within(value, here, limits) if type(value) in (int, float) else value


def _number_within(value: float, here: Place, limits: Limits | None) -> float:
    if not math.isfinite(value):
        here.refuse("scenario.finite", value=value)
    if limits is not None and not limits.least <= value < limits.below:
        least, below = (f"{limit:,}".replace(",", " ") for limit in limits)
        here.refuse("scenario.range", value=str(value)[:20], least=least, below=below)
    return value


def _refuse_unfit(kinds: Iterable[Any], node: Node, here: Place) -> NoReturn:
    kinds = list(kinds)
    literals = [str(choice) for kind in kinds if get_origin(kind) is Literal for choice in get_args(kind)]
    if literals and isinstance(node, Scalar) and len(kinds) == 1:
        near = likely(node.text, literals)
        here.refuse("scenario.choice", value=node.text[:LONGEST], nearest=near, choices=", ".join(literals))
    here.refuse("scenario.type", value=shown(node), fits=", ".join(_told(kind) for kind in kinds))


def _told(kind: Any) -> str:
    """A type in words."""
    origin = get_origin(kind)
    if origin is Literal:
        return ", ".join(map(str, get_args(kind)))
    if origin is None and kind not in (int, float, bool, str):
        return say("scenario.kind.record", keys=", ".join(fields_of(kind)))
    return say(f"scenario.kind.{(origin or kind).__name__}")


def shown(node: Node) -> str:
    """A node in an error."""
    if isinstance(node, Scalar):
        return f"'{node.text[:LONGEST]}'"
    return say("scenario.list") if isinstance(node, Items) else say("scenario.mapping")
