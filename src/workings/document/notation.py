"""Notation is a view: symbols, the first index (0 or 1), row or column vectors.

Nothing is recomputed, and no number changes. Only names and indices look different; the data (the step and the
index of every number) stays the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypeVar, cast

from ..engine.errors import WorkingsError, did_you_mean
from ..engine.form import Form
from ..engine.names import ends_in, few
from ..engine.recording import Recording
from ..engine.steps import Step
from ..formula.tree import SIGNS

Symbols: TypeAlias = Mapping[str, str] | tuple[tuple[str, str], ...]
Part = TypeVar("Part")

GREEK = {command: sign.unicode for command, sign in SIGNS.items() if sign.kind == "letter" and sign.unicode.isalpha()}
TAKEN = ("Σ", "π", "e", "cos", "erf", "exp", "ln", "log", "max", "min", "sin", "tanh")  # hand calculations use these
_LETTER = f"[A-Za-z{''.join(sorted(set(GREEK.values())))}]"
_SYMBOL = re.compile(rf"{_LETTER}(?:{_LETTER}|\d)*(?:_(?:{_LETTER}|\d)+)*")
_LINE = re.compile(r"(\D*?)(\d*)((?:\[\d+\])*)")
_REST = re.compile(r"[._\d].*|")


class NotationError(WorkingsError):
    """A notation that a page cannot use."""


def _unreadable_symbols(given: str) -> NotationError:
    hint = "Give each name once, with its symbol: weights: α."
    return NotationError("We cannot read the symbols of this notation.", hint=hint, given=given[:80])


def _shared_symbol(symbol: str, names: Iterable[str]) -> NotationError:
    what = f"The symbol {symbol} would stand for two steps: {', '.join(names)}."
    return NotationError(what, hint="Give each of them a symbol of its own.")


def _checked(symbols: Any) -> tuple[tuple[str, str], ...]:
    """The symbols as pairs; refuses those that a formula or a hand calculation cannot use."""
    try:
        given: tuple[Any, ...] = tuple(symbols.items() if isinstance(symbols, Mapping) else symbols)
        pairs = tuple((name, GREEK.get(symbol, symbol)) for name, symbol in given)
    except (TypeError, ValueError):
        raise _unreadable_symbols(str(symbols)) from None
    for name, symbol in pairs:
        if not isinstance(name, str) or not name or not isinstance(symbol, str):
            raise _unreadable_symbols(f"{name}: {symbol}")
        if symbol in TAKEN or not _SYMBOL.fullmatch(symbol):
            raise NotationError(
                f"{symbol} cannot be the symbol for {name}.",
                hint=f"Give a Greek letter such as α, or a plain name such as A or W_Q. Taken: {', '.join(TAKEN)}.",
            )
    if len(dict(pairs)) < len(pairs):
        raise _unreadable_symbols(", ".join(f"{name}: {symbol}" for name, symbol in pairs))
    for symbol, count in Counter(symbol for _, symbol in pairs).items():
        if count > 1:
            raise _shared_symbol(symbol, (name for name, other in pairs if other == symbol))
    return pairs


@dataclass(frozen=True)
class Notation:
    r"""How a page writes names and entries. `symbols` maps names of steps, or ends of their paths, to symbols.

    >>> alpha = Notation({"weights": r"\alpha"}, count_from=1)
    >>> alpha.symbols, alpha.entry("α", (1, 0))
    ((('weights', 'α'),), 'α[2][1]')
    >>> Notation(vectors="column").entry("Q", (1, 0))
    'Q[0][1]'
    """

    symbols: Symbols = ()
    count_from: Literal[0, 1] = 0
    vectors: Literal["row", "column"] = "row"

    def __post_init__(self) -> None:
        object.__setattr__(self, "symbols", _checked(self.symbols))
        if type(self.count_from) is not int or self.count_from not in (0, 1):
            raise NotationError(f"Entries cannot be counted from {self.count_from!r}.", hint="Count from 0 or from 1.")
        if self.vectors not in ("row", "column"):
            raise NotationError(f"Vectors cannot be shown as {self.vectors!r}.", hint="Give row or column.")

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Each name with its symbol."""
        return cast("tuple[tuple[str, str], ...]", self.symbols)

    @property
    def columns(self) -> bool:
        return self.vectors == "column"

    def axis_order(self, parts: Sequence[Part]) -> tuple[Part, ...]:
        """One part for each axis, in the order in which the axes are shown: column vectors swap the last two."""
        if not self.columns or len(parts) < 2:
            return tuple(parts)
        return (*parts[:-2], parts[-1], parts[-2])

    def form(self, form: Form) -> Form:
        """The axes as they are shown."""
        return form.taking(self.axis_order(range(len(form.shape))))

    def place(self, place: int) -> int:
        return place + self.count_from

    def entry(self, name: str, index: Sequence[int | None]) -> str:
        """An entry of a step, or a whole line of entries where a position is None: Q[1], W[:,0]."""
        places = [":" if place is None else str(self.place(place)) for place in self.axis_order(index)]
        if places and places[-1] == ":":
            places.pop()
        if ":" in places:
            return f"{name}[{','.join(places)}]"
        return name + "".join(f"[{place}]" for place in places)

    def line(self, symbol: str) -> str:
        """The symbol of a line on the way to an entry: e0 and loss[0] belong to the first entry, squares1 to the
        first of several parts, which are always counted from 1.

        >>> Notation(count_from=1).line("e0"), Notation(count_from=1).line("total[2]")
        ('e1', 'total[3]')
        """
        found = _LINE.fullmatch(symbol)
        if not found or (self.count_from == 0 and not found[3]):
            return symbol
        number = str(self.place(int(found[2]))) if found[2] and found[1] != "squares" else found[2]
        return self.entry(found[1] + number, [int(place) for place in re.findall(r"\d+", found[3])])

    def path(self, path: str) -> str:
        """The path of a module, of which the last part may have a symbol."""
        before, dot, last = path.rpartition(".")
        symbols = dict(self.pairs)
        return before + dot + symbols.get(last, last)

    def words(self, recording: Recording) -> str:
        """How the notation of a page differs from the usual one, in sentences."""
        used = [(key, symbol) for key, symbol in self.pairs if _found(recording, key)]
        sentences = []
        if used:
            pairs = (f"{symbol} is {key}" for key, symbol in used)
            sentences.append(f"Symbols: {', '.join(pairs)}.")
        if self.count_from:
            sentences.append(
                "Indices count from 1. Ids, positions and settings keep their values, and --cell on the command line "
                "counts from 0."
            )
        if self.columns:
            sentences.append(
                "Vectors are columns: every matrix is transposed, and every product is in reverse order. Where the "
                "text says row, look at a column. --cell on the command line names entries as if vectors were rows."
            )
        return " ".join(sentences)


USUAL = Notation()


def name_of(recording: Recording, step: Step, notation: Notation) -> str:
    """The name of a step on a page: its symbol. Names that contain it follow: dα, dα.via_context, W_new."""
    if not notation.pairs:
        return step.name
    matches = [(len(key), symbol) for key, symbol in notation.pairs if _means(key, step)]
    if matches:
        return max(matches)[1]
    found = _named_after(recording, step)
    if found is None:
        return step.name
    mark, source = found
    rest = step.name[len(mark + source.name) :]
    return mark + name_of(recording, source, notation) + _via(recording, step, rest, notation)


def distinct_name(recording: Recording, step: Step, others: Iterable[Step], notation: Notation) -> str:
    """The name of a step among others. If one of them has the same name, it begins with as much of the path as tells
    them apart: head1.context, head2.context.
    """
    name = name_of(recording, step, notation)
    same = [other for other in others if other.id != step.id and name_of(recording, other, notation) == name]
    if not same:
        return name
    modules = _modules(step)
    for count in range(1, len(modules)):
        if all(_modules(other)[-count:] != modules[-count:] for other in same):
            return ".".join([*modules[-count:], name])
    return path_of(recording, step, notation)


def _modules(step: Step) -> list[str]:
    """The parts of the path before the name."""
    return step.path[: len(step.path) - len(step.name)].split(".")[:-1]


def path_of(recording: Recording, step: Step, notation: Notation) -> str:
    """The path of a step, which ends in its symbol."""
    return step.path[: len(step.path) - len(step.name)] + name_of(recording, step, notation)


def check_symbols(recording: Recording, notation: Notation) -> None:
    """Refuse symbols for steps that are not there, and those that would make two names of a trace alike."""
    for key, symbol in notation.pairs:
        if not _found(recording, key):
            names = dict.fromkeys(step.name for step in recording.steps.values())
            raise NotationError(
                f"There is no step '{key}' that could be written {symbol}.",
                hint=f"{did_you_mean(key, names, 3)}The steps are: {few(list(names))}.",
            )
    shown: dict[str, str] = {}
    for step in recording.steps.values():
        path = path_of(recording, step, notation)
        if shown.setdefault(path, step.path) != step.path:
            raise _shared_symbol(name_of(recording, step, notation), (shown[path], step.path))


def _means(key: str, step: Step) -> bool:
    return key == step.name or (key.endswith(step.name) and ends_in(step.path, key))


def _found(recording: Recording, key: str) -> bool:
    return any(_means(key, step) for step in recording.steps.values())


def _named_after(recording: Recording, step: Step) -> tuple[str, Step] | None:
    """The step whose name is part of this step's name, and the prefix before it. For a gradient or a new weight it is
    the twin, for an unnamed transpose its input.
    """
    if step.op_name == "transpose" and not step.named:
        mark, source = "", recording.step(step.inputs[0])
    elif step.twin is not None:
        mark, source = "d" if step.stage == "backward" else "", recording.step(step.twin)
    else:
        return None
    before = mark + source.name
    fits = step.name.startswith(before) and _REST.fullmatch(step.name[len(before) :])
    return (mark, source) if fits else None


def _via(recording: Recording, step: Step, rest: str, notation: Notation) -> str:
    """What follows the symbol in a name; in .via_Q, the step that a gradient flows back through has its symbol too."""
    group = recording.groups.get(step.group or "")
    if group is None or group.rule_of is None:
        return rest
    through = recording.step(group.rule_of)
    before = f".via_{through.name}"
    if not rest.startswith(before):
        return rest
    return f".via_{name_of(recording, through, notation)}{rest[len(before) :]}"
