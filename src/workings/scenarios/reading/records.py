"""From a YAML tree to a frozen record: the keys are its fields, and the types of the fields say what fits.

A value that does not fit is refused with its line, its keys and the nearest thing that would fit. A key without a value
(or with `null`) counts as left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from ...conventions import CHOICES
from ...engine.errors import Keys, ScenarioError, did_you_mean
from .location import MAX_SHOWN_CHARS, Location
from .matrices import check_matrix
from .plan import LIMITS, MAIN, REST, NumberRange
from .upgrade import new_key
from .yaml_tree import ListNode, MappingNode, ScalarNode, YamlNode, data_of

TYPE_WORDS: Mapping[Any, str] = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    str: "a word or a text",
    tuple: "a list",
}
MAPPING_WORDS = "a mapping: keys with their values"


def read(kind: Any, node: YamlNode, here: Location, limits: NumberRange | None = None) -> Any:
    """The value of a node, as this type.

    >>> from .plan import OptimizerPlan
    >>> read(OptimizerPlan, ScalarNode("adam", "adam", 7), Location("example.yaml", 7, ("train", "optimizer")))
    OptimizerPlan(name='adam', settings={})
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
        raise _unfit([kind], node, here)
    value = data_of(node)
    if kind is float or type(value) in (int, float):
        return _number_within(float(value) if kind is float else value, here, limits)
    return value


def read_record(kind: Any, node: YamlNode, here: Location, also: Iterable[str] = ()) -> Any:
    """A record from a mapping. The keys `also` are known, but read elsewhere."""
    if not isinstance(node, MappingNode) and kind in MAIN:
        node = MappingNode({MAIN[kind]: node}, {MAIN[kind]: here.line}, here.line)
    if not isinstance(node, MappingNode):
        raise _unfit([kind], node, here)
    known, hints = fields_of(kind), hints_of(kind)
    rest = REST.get(kind, "")
    own = {key: value for key, value in node.entries.items() if key in known and key != rest}
    others = {key: value for key, value in node.entries.items() if key not in own and key not in also}
    if others and not rest:
        name = next(iter(others))
        raise unknown_key(here.below(name, node.lines[name]), [*known, *also], others[name])
    found = {
        key: read(hints[key], value, here.below(key, node.lines[key]), LIMITS.get((kind, key)))
        for key, value in own.items()
        if not is_nothing(value)
    }
    if rest:
        found[rest] = read(hints[rest], MappingNode(others, node.lines, node.line), here)
    for name, field in known.items():
        if name not in found and field.default is MISSING and field.default_factory is MISSING:
            raise missing_key(here, name)
    return kind(**found)


def unknown_key(here: Location, known: Iterable[str], value: YamlNode | None = None) -> ScenarioError:
    """The error about the last of the keys; it names the nearest one, where the key belongs, or its new name."""
    known, name = list(known), str(here.keys[-1])
    new_name = new_key(here.keys)
    near = f"It is called {new_name} now. " if new_name else did_you_mean(name, known)
    if name in CHOICES and name not in known:
        near = f"It belongs to the convention: `convention: {{{name}: ...}}`. "
    return here.error(
        f"There is no key '{name[:MAX_SHOWN_CHARS]}' here.",
        given=f"{name}: {value.text}"[:MAX_SHOWN_CHARS] if isinstance(value, ScalarNode) else "",
        hint=f"{near}Keys here: {', '.join(known)}.",
    )


def missing_key(here: Location, name: str) -> ScenarioError:
    return here.error(f"The key '{name}' is missing.", hint=f"Add it: `{name}: ...`.")


@cache
def hints_of(kind: Any) -> Mapping[str, Any]:
    """The types of the fields of a record."""
    return get_type_hints(kind, include_extras=True)


@cache
def fields_of(kind: Any) -> Mapping[str, Field[Any]]:
    """The fields of a record by name."""
    return {field.name: field for field in fields(kind)}


def is_nothing(node: YamlNode | None) -> bool:
    """Whether a key has no value."""
    return node is None or (isinstance(node, ScalarNode) and node.value is None)


def fits(kind: Any, node: YamlNode) -> bool:
    """Whether a node could be of this type, as far as can be seen without reading what is in it.

    >>> yes, two, al = ScalarNode(True, "true", 1), ScalarNode(2, "2", 1), ScalarNode("al", "al", 1)
    >>> fits(int, yes), fits(float, two), fits(Literal["all"], al)
    (False, True, False)
    """
    if is_dataclass(kind):
        return isinstance(node, MappingNode) or kind in MAIN
    origin = get_origin(kind)
    if origin is Literal:
        value = data_of(node)
        return any(value == choice and type(value) is type(choice) for choice in get_args(kind))
    if origin is tuple:
        return isinstance(node, ListNode)
    if origin is not None or not isinstance(node, ScalarNode):
        return isinstance(node, MappingNode) and origin is not None
    return type(node.value) in ((int, float) if kind is float else (kind,))


def _one_of(kinds: tuple[Any, ...], node: YamlNode, here: Location, limits: NumberRange | None) -> Any:
    some = [kind for kind in kinds if kind is not NoneType]
    if len(some) == 1:
        return read(some[0], node, here, limits)
    fitting = [kind for kind in some if fits(kind, node)]
    if not fitting:  # a single value is a list of one
        fitting = [kind for kind in some if get_origin(kind) is tuple and _fits_one(get_args(kind)[0], node)]
    if not fitting:
        raise _unfit(some, node, here)
    if isinstance(node, MappingNode):  # the record that knows most of the keys, also one that may be a list of one
        records: dict[Any, Any] = {kind: kind for kind in fitting if is_dataclass(kind)}
        records |= {one: kind for kind in some if get_origin(kind) is tuple and is_dataclass(one := get_args(kind)[0])}
        if records:
            return read(records[max(records, key=lambda kind: len(fields_of(kind).keys() & node.entries))], node, here)
    return read(fitting[0], node, here, limits)


def _fits_one(kind: Any, node: YamlNode) -> bool:
    kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    return any(fits(one, node) for one in kinds)


def _several(kind: Any, node: YamlNode, here: Location, limits: NumberRange | None) -> tuple[Any, ...]:
    if not isinstance(node, ListNode):
        return (read(kind, node, here, limits),)
    return tuple(read(kind, item, here.below(n, item.line), limits) for n, item in enumerate(node.items))


def _mapping(kind: Any, node: YamlNode, here: Location) -> dict[str, Any]:
    if not isinstance(node, MappingNode):
        raise _does_not_fit(node, MAPPING_WORDS, here)
    return {
        key: read(kind, value, here.below(key, node.lines[key]))
        for key, value in node.entries.items()
        if not is_nothing(value)
    }


def _matrix(node: YamlNode, here: Location) -> Any:
    value = data_of(node)
    try:
        check_matrix(value)
    except ScenarioError as error:
        entry = _entry_of(node, error.keys, here)
        error.where, error.keys = str(entry), entry.keys
        raise
    return value


def _entry_of(node: YamlNode, index: Keys, here: Location) -> Location:
    """The location of an entry of a matrix: it may be on a later line than the key."""
    for n in index:
        if not isinstance(node, ListNode) or not isinstance(n, int):
            break
        node = node.items[n]
        here = here.below(n, node.line)
    return here


def _number_within(value: float, here: Location, limits: NumberRange | None) -> float:
    if not math.isfinite(value):
        raise here.error(f"{value} is not a finite number.", hint="Give a number that is not too large.")
    if limits is not None and not limits.least <= value < limits.below:
        least, below = (f"{limit:,}" for limit in limits)
        raise here.error(
            f"{str(value)[:20]} is out of range.", hint=f"Give a number from {least} up to, but not including, {below}."
        )
    return value


def _unfit(kinds: list[Any], node: YamlNode, here: Location) -> ScenarioError:
    """The error about a value that is of none of these types."""
    choices = [str(choice) for kind in kinds if get_origin(kind) is Literal for choice in get_args(kind)]
    if choices and isinstance(node, ScalarNode) and len(kinds) == 1:
        return here.error(
            f"'{node.text[:MAX_SHOWN_CHARS]}' is not one of the choices.",
            hint=f"{did_you_mean(node.text, choices)}Choices: {', '.join(choices)}.",
        )
    return _does_not_fit(node, ", ".join(_words_for(kind) for kind in kinds), here)


def _does_not_fit(node: YamlNode, fitting: str, here: Location) -> ScenarioError:
    return here.error(f"{shown(node)} does not fit here.", hint=f"What fits: {fitting}.")


def _words_for(kind: Any) -> str:
    """A type in words."""
    origin = get_origin(kind)
    if origin is Literal:
        return ", ".join(map(str, get_args(kind)))
    if origin is None and kind not in TYPE_WORDS:
        return f"a mapping with the keys {', '.join(fields_of(kind))}"
    return TYPE_WORDS.get(origin or kind, MAPPING_WORDS)


def shown(node: YamlNode) -> str:
    """A node in an error."""
    if isinstance(node, ScalarNode):
        return f"'{node.text[:MAX_SHOWN_CHARS]}'"
    return "A list" if isinstance(node, ListNode) else "A mapping"
