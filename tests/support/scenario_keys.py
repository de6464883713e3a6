"""docs/scenario-keys.md: every key of a scenario file, derived from the records of scenarios/reading/plan.py.

What a key says stands in `ABOUT`, what fits is its type, and what is usual is its default; so that none of the
three can be forgotten when a key is added. `make reference` writes the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from workings.conventions import CHOICES, Convention, choices, subject, words
from workings.engine.op import OPS
from workings.render.markdown import heading, table
from workings.scenarios.reading.plan import (  # fmt: skip
    ABOUT,
    MAIN,
    REST,
    BackwardPlan,
    ConventionPlan,
    ExamplePlan,
    GeneratePlan,
    GivenIds,
    GivenValue,
    ModelPlan,
    NotationPlan,
    OptimizerPlan,
    ParametersPlan,
    Plan,
    TaskPlan,
    TextPlan,
    TrainPlan,
    VocabularyPlan,
)

# The records with their keys in a file, in the order in which a teacher needs them.
SECTIONS: Mapping[str, tuple[type, ...]] = {
    "The file": (Plan,),
    "convention": (ConventionPlan,),
    "vocabulary": (VocabularyPlan,),
    "model": (ModelPlan,),
    "parameters": (ParametersPlan,),
    "given: name": (GivenValue, GivenIds),
    "data": (ExamplePlan,),
    "data: a task": (TaskPlan,),
    "data: a long text": (TextPlan,),
    "train": (TrainPlan,),
    "train: optimizer": (OptimizerPlan,),
    "generate": (GeneratePlan,),
    "backward": (BackwardPlan,),
    "notation": (NotationPlan,),
}
HEADINGS = ["key", "what fits", "if left out", "what it says"]
INTRODUCTION = """The keys of a scenario file, all of them. [Scenarios](scenarios.md) shows them at work. A key without
a value says nothing, as if it were not there. One thing may stand where a list fits."""
SIMPLE: Mapping[Any, str] = {int: "whole number", float: "number", bool: "true, false", str: "text"}


class Row(NamedTuple):
    """One key in the table."""

    key: str
    fits: str
    usual: str
    about: str


# Keys that the reader turns into others before it reads records.
BY_HAND: Mapping[type, Row] = {
    Plan: Row("`runs`", "mapping", "", "other runs by name: what they change is laid over the file, `null` takes away"),
    VocabularyPlan: Row("`characters`", "text, list", "", "instead of `tokens`: letters, each of them a token"),
}


def keys_page() -> str:
    parts = [heading(1, "The keys of a scenario"), INTRODUCTION]
    for title, kinds in SECTIONS.items():
        rows: dict[str, Row] = {}
        for row in (row for kind in kinds for row in rows_of(kind)):
            rows.setdefault(row.key, row)  # both forms of `given` have axes
        about = " ".join((kinds[0].__doc__ or "").split())
        parts += [heading(2, title), about, table(HEADINGS, [list(row) for row in rows.values()])]
    return "\n\n".join(parts) + "\n"


def rows_of(kind: type) -> Iterator[Row]:
    """The keys of one record: its fields, what may stand beside them, and what the reader adds."""
    hints = get_type_hints(kind, include_extras=True)
    for field in fields(kind):  # type: ignore[arg-type]
        if field.name == REST.get(kind):
            yield from _others(kind, hints[field.name])
        else:
            yield Row(f"`{field.name}`", fits(hints[field.name]), _usual(field), ABOUT[kind][field.name])
    if kind in BY_HAND:
        yield BY_HAND[kind]


def fits(kind: Any) -> str:
    """A type in a few words.

    >>> fits(Literal["row", "column"]), fits(int | tuple[str, ...] | None)
    ('`row`, `column`', 'whole number, list')
    """
    origin = get_origin(kind)
    if origin is Annotated:
        return "matrix"
    if origin is Literal:
        return ", ".join(f"`{choice}`" for choice in get_args(kind))
    if origin in (Union, UnionType):
        return ", ".join(fits(one) for one in get_args(kind) if one is not NoneType)
    if origin is tuple:
        return "list"
    if origin is not None:
        return "mapping"
    if kind in MAIN:
        return f"{fits(get_type_hints(kind)[MAIN[kind]])}, mapping"
    return "mapping" if is_dataclass(kind) else SIMPLE[kind]


def _usual(field: Field[Any]) -> str:
    if field.default is MISSING:
        return "needed" if field.default_factory is MISSING else ""
    if is_dataclass(field.default) or field.default in (None, "", ()):
        return ""
    return f"`{_yaml(field.default)}`"


def _others(kind: type, hint: Any) -> Iterator[Row]:
    """Keys that are no fields: the choices of a convention, the settings of an optimizer, weights."""
    if kind is ConventionPlan:
        yield from (_choice(name) for name in CHOICES)
    elif kind is OptimizerPlan:
        for name in get_args(get_type_hints(OptimizerPlan)["name"]):
            for setting, usual in OPS[name].page.defaults.items():
                yield Row(f"`{setting}`, {name}", "number", f"`{usual}`", f"see [{name}](ops/{name}.md)")
    else:
        yield Row("other keys", fits(get_args(hint)[1]), "", ABOUT[kind][REST[kind]])


def _choice(name: str) -> Row:
    """One thing on which authors differ, with each choice in words."""
    told = ", ".join(f"{words(name, choice)} (`{_yaml(choice)}`)" for choice in choices(name))
    written = ", ".join(f"`{_yaml(choice)}`" for choice in choices(name))
    kind = "number" if get_type_hints(Convention)[name] is float else written
    about = subject(name)
    return Row(f"`{name}`", kind, "as in the profile", f"{about}: {told}" if kind == written else f"{about} this")


def _yaml(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
