"""The data of a plan as numbers: each text as ids, each target as what its head is measured against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...engine.errors import ScenarioError, ShapeError, WorkingsError
from ..reading.likely import likely
from ..reading.plan import ExamplePlan, Plan
from .building import Built, encoded


@dataclass(frozen=True)
class Row:
    """One example: ids of the text that is read, of the text that is written, the covered places, the target."""

    tokens: list[int]
    written: list[int] | None
    places: list[int]
    target: Any  # None: nothing to compare with
    target_is_ids: bool


def rows_of(plan: Plan, built: Built) -> tuple[Row, ...]:
    """All examples; an error says which one it is in."""
    if not plan.examples:
        raise ScenarioError("run.no_data", where="model")
    return tuple(_row(plan, built, example, number) for number, example in enumerate(plan.examples))


def _row(plan: Plan, built: Built, example: ExamplePlan, number: int) -> Row:
    tokens = _placed(f"data.{number}.input", encoded, example.input, built.vocabulary)
    written = None
    if built.architecture.kind == "encoder-decoder":
        if example.decoder is None:
            raise ScenarioError("run.decoder", where=f"data.{number}")
        written = _placed(f"data.{number}.decoder", encoded, example.decoder, built.vocabulary)
    elif example.decoder is not None:
        raise ScenarioError("run.decoder.none", kind=built.architecture.kind, where=f"data.{number}.decoder")
    _check_positions(tokens, built, f"data.{number}.input")
    _check_positions(written or [], built, f"data.{number}.decoder")
    places = _covered(tokens, built, number) if built.architecture.head == "masked-tokens" else []
    target = (
        None
        if example.target is None
        else _placed(f"data.{number}.target", _target, example.target, plan, built, places or written or tokens)
    )
    return Row(tokens, written, places, target, built.architecture.head != "token-sigmoid")


def _check_positions(tokens: list[int], built: Built, where: str) -> None:
    """A learned table has a row for each position that there can be."""
    most = built.architecture.positions
    if built.architecture.position == "learned" and len(tokens) > most:
        raise ShapeError("shape.positions", length=len(tokens), most=most, where=where)


def _covered(tokens: list[int], built: Built, number: int) -> list[int]:
    """The positions of the mask token."""
    mask = None if built.vocabulary is None else built.vocabulary.mask
    places = [place for place, token in enumerate(tokens) if token == mask]
    if not places:
        raise ScenarioError("run.mask", where=f"data.{number}.input")
    return places


def _target(target: Any, plan: Plan, built: Built, answered: list[int]) -> Any:
    """What should come out: one word or class, or one for each token that is asked about."""
    head = built.architecture.head
    if head == "token-sigmoid":
        return _numbers(target, len(answered))
    if head == "classifier":
        return _class(target, plan, built)
    if head == "none":
        raise ScenarioError("run.target.none")
    words = encoded((target,) if isinstance(target, int) else target, built.vocabulary)
    if head == "last-token":
        if len(words) != 1:
            raise ScenarioError("run.target.one", count=len(words))
        return words[0]
    if len(words) != len(answered):
        raise ScenarioError("run.target.count", count=len(words), needed=len(answered))
    return words


def _numbers(target: Any, needed: int) -> list[float]:
    values = target.split() if isinstance(target, str) else target if isinstance(target, tuple) else (target,)
    try:
        labels = [float(value) for value in values]
    except (TypeError, ValueError):
        labels = []
    if len(labels) != needed:
        raise ScenarioError("run.target.count", count=len(values), needed=needed)
    if not all(0 <= label <= 1 for label in labels):
        raise ScenarioError("run.target.share", values=", ".join(map(str, values)))
    return labels


def _class(target: Any, plan: Plan, built: Built) -> int:
    names = plan.model.classes if plan.model is not None else None
    if isinstance(names, tuple) and isinstance(target, str):
        if target not in names:
            near = likely(target, names)
            key = "run.class" if near else "run.class.none"
            raise ScenarioError(key, name=target, nearest=near, names=", ".join(names))
        return names.index(target)
    if not isinstance(target, int) or not 0 <= target < built.architecture.classes:
        raise ScenarioError("run.class.number", value=target, most=built.architecture.classes - 1)
    return target


def _placed(where: str, function: Any, *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except WorkingsError as error:
        error.where = ", ".join(part for part in (where, error.where) if part)
        raise
