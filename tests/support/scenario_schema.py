"""The schema of scenario files as people write them, derived from the records of scenarios/reading/plan.py.

It goes through the types as the reader does (scenarios/reading/records.py), with the same tables for what a word
alone stands for, where other keys go, and how large a number may be. What follows by hand is what the reader
does by hand: lines to calculate, vocabularies, and runs.
"""

from __future__ import annotations

import copy
from dataclasses import MISSING, fields, is_dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from workings.conventions import PROFILES, Convention
from workings.scenarios.reading.calculate_lines import CalculateLine
from workings.scenarios.reading.plan import (  # fmt: skip
    LIMITS,
    MAIN,
    REST,
    ConventionPlan,
    GivenIds,
    NumberRange,
    Plan,
    VocabularyPlan,
)

Schema = dict[str, Any]

NUMBERS = {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/matrix"}}
MATRIX: Schema = {
    "description": 'Rows of numbers, text such as "2 1.5; 1 0", one number, or words: 0.1 I, zeros, ones.',
    "anyOf": [{"type": "number"}, {"type": "string"}, NUMBERS],
}
WHOLE: Schema = {
    "description": "Whole numbers: one, or lists of them.",
    "anyOf": [
        {"type": "integer"},
        {"type": "string"},
        {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/ids"}},
    ],
}
SIMPLE: dict[Any, Schema] = {
    bool: {"type": "boolean"},
    str: {"type": "string"},
    CalculateLine: {"type": "string", "description": "Such as `weights = softmax(scores, axis=key)`."},
}


def scenario_schema() -> Schema:
    whole = record(Plan)
    run = loosened(copy.deepcopy(whole))
    names = {"pattern": r"^[^\s\d.][^\s.]*$", "not": {"const": "default"}}
    runs = {"type": "object", "propertyNames": names, "additionalProperties": {"$ref": "#/$defs/run"}}
    whole["properties"]["runs"] = or_null(runs)
    whole["oneOf"] = [said("model"), said("calculate")]
    whole["if"] = said("calculate")
    whole["then"] = {"not": said("data")}
    return {"title": "Scenario", **whole, "$defs": {"matrix": MATRIX, "ids": WHOLE, "run": run}}


def said(key: str) -> Schema:
    """The key is there, and has a value."""
    return {"required": [key], "properties": {key: {"not": {"type": "null"}}}}


def record(kind: Any) -> Schema:
    """A record as a mapping, or as whatever stands for one."""
    if kind is ConventionPlan:
        return convention()
    hints, rest = get_type_hints(kind, include_extras=True), REST.get(kind, "")
    known = [field for field in fields(kind) if field.name != rest]
    required = [field.name for field in known if field.default is MISSING and field.default_factory is MISSING]
    parts = {field.name: of(hints[field.name], LIMITS.get((kind, field.name))) for field in known}
    if kind is GivenIds:
        parts["ids"] = {"$ref": "#/$defs/ids"}
    found: Schema = {
        "type": "object",
        "description": " ".join((kind.__doc__ or "").split()),
        "properties": {name: part if name in required else or_null(part) for name, part in parts.items()},
        "additionalProperties": or_null(of(get_args(hints[rest])[1])) if rest else False,
    }
    if kind is VocabularyPlan:
        return vocabulary(found)
    if required:
        found["required"] = required
    return {"anyOf": [parts[MAIN[kind]], found]} if kind in MAIN else found


def of(kind: Any, limits: NumberRange | None = None) -> Schema:
    """The schema of a type."""
    origin = get_origin(kind)
    if origin is Annotated:
        return {"$ref": "#/$defs/matrix"}
    if kind in SIMPLE:
        return dict(SIMPLE[kind])
    if is_dataclass(kind):
        return record(kind)
    if origin is Literal:
        return {"enum": list(get_args(kind))} if len(get_args(kind)) > 1 else {"const": get_args(kind)[0]}
    if origin in (Union, UnionType):
        some = [of(one, limits) for one in get_args(kind) if one is not NoneType]
        return {"anyOf": some} if len(some) > 1 else some[0]
    if origin is tuple:
        item = of(get_args(kind)[0], limits)
        return {"anyOf": [item, {"type": "array", "items": item}]}
    if origin is not None:
        return {"type": "object", "additionalProperties": or_null(of(get_args(kind)[1]))}
    number: Schema = {"type": "integer" if kind is int else "number"}
    return number | ({"minimum": limits.least, "exclusiveMaximum": limits.below} if limits is not None else {})


def convention() -> Schema:
    """A profile, or a profile with other choices; these are the fields of a convention."""
    hints = get_type_hints(Convention)
    choices = {name: or_null(of(hint)) for name, hint in hints.items()}
    profile = {"enum": list(PROFILES)}
    choices |= {"profile": or_null(profile), "norm_epsilon": or_null(of(float, NumberRange(0, 1)))}
    return {"anyOf": [profile, {"type": "object", "properties": choices, "additionalProperties": False}]}


def vocabulary(found: Schema) -> Schema:
    """Tokens as a list or as one text; a number or null is a token like any other. Or characters."""
    token = {"type": ["string", "number", "boolean", "null"]}
    tokens = {"anyOf": [{"type": ["string", "number", "boolean"]}, {"type": "array", "minItems": 1, "items": token}]}
    parts = {
        **found["properties"],
        "tokens": or_null(tokens),
        "characters": or_null(tokens),
        "special": or_null(tokens),
    }
    either = [said("tokens"), {**said("characters"), "not": said("unit")}]
    return {"anyOf": [tokens, {**found, "properties": parts, "oneOf": either}]}


def or_null(schema: Schema) -> Schema:
    """A key without a value says nothing."""
    return {"anyOf": [schema, {"type": "null"}]}


def loosened(schema: Any) -> Any:
    """A run changes some keys of a mapping: none is required, and each can be taken away."""
    if isinstance(schema, list):
        return [loosened(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: loosened(value) for key, value in schema.items() if key not in ("required", "oneOf")}
    if isinstance(kept.get("properties"), dict):
        kept["properties"] = {name: or_null(value) for name, value in kept["properties"].items()}
    return kept
