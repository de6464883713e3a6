"""Notation is a view: symbols, the number that counting starts from, row or column vectors.

Nothing is computed again, and no number changes. Names and indices are written in another way; what stands
in the data (the step and the index of every number) stays what it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypeVar, cast

from ..engine.errors import WorkingsError
from ..engine.form import Form
from ..engine.names import ends_in
from ..engine.recording import Recording
from ..engine.registry import nearest
from ..engine.sentences import add_sentences, say
from ..engine.steps import Step
from .formula_tree import SIGNS

Symbols: TypeAlias = Mapping[str, str] | tuple[tuple[str, str], ...]
Part = TypeVar("Part")

add_sentences(
    "explain.notation",
    {
        "symbols": "Symbols: {symbols}.",
        "symbol": "{symbol} is {name}",
        "from_one": "Entries are counted from 1. What is itself a number (ids, positions, settings) stays as it is, "
        "and --cell on the command line counts from 0.",
        "columns": "Vectors are columns: every matrix is shown transposed, and products are written in reverse order. "
        "Where a sentence speaks of a row, look at a column. --cell on the command line names entries as if vectors "
        "were rows.",
        "for_rows": "Written for row vectors.",
        "from_zero": "The indices of this formula count from 0.",
    },
)
add_sentences(
    "error",
    {
        "notation.symbol": "{symbol} cannot be the symbol for {name}.",
        "notation.symbol.try": "Give a Greek letter such as α, or a plain name such as A or W_Q. Taken: {taken}.",
        "notation.symbols": "The symbols of a notation cannot be read.",
        "notation.symbols.try": "Give each name once, with its symbol: weights: α.",
        "notation.twice": "The symbol {symbol} would stand for two steps: {names}.",
        "notation.twice.try": "Give each of them a symbol of its own.",
        "notation.unknown": "There is no step '{name}' that could be written {symbol}.",
        "notation.unknown.try": "Did you mean {nearest}?",
        "notation.count_from": "Entries cannot be counted from {value}.",
        "notation.count_from.try": "Count from 0 or from 1.",
        "notation.vectors": "Vectors cannot be shown as {value}.",
        "notation.vectors.try": "Give row or column.",
    },
)

GREEK = {command: sign.unicode for command, sign in SIGNS.items() if sign.kind == "letter" and sign.unicode.isalpha()}
TAKEN = ("Σ", "π", "e", "cos", "erf", "exp", "ln", "log", "max", "min", "sin", "tanh")  # hand calculations use these
_LETTER = f"[A-Za-z{''.join(sorted(set(GREEK.values())))}]"
_SYMBOL = re.compile(rf"{_LETTER}(?:{_LETTER}|\d)*(?:_(?:{_LETTER}|\d)+)*")
_LINE = re.compile(r"(\D*?)(\d*)((?:\[\d+\])*)")
_REST = re.compile(r"[._\d].*|")


class NotationError(WorkingsError):
    """A notation that a page cannot be written in."""


def _checked(symbols: Any) -> tuple[tuple[str, str], ...]:
    """The symbols as pairs; refuses those that a formula or a hand calculation could not be written with."""
    try:
        given: tuple[Any, ...] = tuple(symbols.items() if isinstance(symbols, Mapping) else symbols)
        pairs = tuple((name, GREEK.get(symbol, symbol)) for name, symbol in given)
    except (TypeError, ValueError):
        raise NotationError("notation.symbols", given=str(symbols)[:80]) from None
    for name, symbol in pairs:
        if not isinstance(name, str) or not name or not isinstance(symbol, str):
            raise NotationError("notation.symbols", given=f"{name}: {symbol}"[:80])
        if symbol in TAKEN or not _SYMBOL.fullmatch(symbol):
            raise NotationError("notation.symbol", symbol=symbol, name=name, taken=", ".join(TAKEN))
    if len(dict(pairs)) < len(pairs):
        raise NotationError("notation.symbols", given=", ".join(f"{name}: {symbol}" for name, symbol in pairs)[:80])
    for symbol, count in Counter(symbol for _, symbol in pairs).items():
        if count > 1:
            names = ", ".join(name for name, other in pairs if other == symbol)
            raise NotationError("notation.twice", symbol=symbol, names=names)
    return pairs


@dataclass(frozen=True)
class Notation:
    r"""How a page writes names and entries. Symbols are given as a mapping from names, or ends of paths.

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
            raise NotationError("notation.count_from", value=repr(self.count_from))
        if self.vectors not in ("row", "column"):
            raise NotationError("notation.vectors", value=repr(self.vectors))

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Each name with its symbol."""
        return cast("tuple[tuple[str, str], ...]", self.symbols)

    @property
    def columns(self) -> bool:
        return self.vectors == "column"

    def turned(self, parts: Sequence[Part]) -> tuple[Part, ...]:
        """What belongs to the axes of a tensor, in the order in which they are shown: as columns, the last two have
        changed places.
        """
        if not self.columns or len(parts) < 2:
            return tuple(parts)
        return (*parts[:-2], parts[-1], parts[-2])

    def form(self, form: Form) -> Form:
        """The axes as they are shown."""
        return form.taking(self.turned(range(len(form.shape))))

    def place(self, place: int) -> int:
        return place + self.count_from

    def entry(self, name: str, index: Sequence[int | None]) -> str:
        """An entry of a step, or a whole line of entries where a position is None: Q[1], W[:,0]."""
        places = [":" if place is None else str(self.place(place)) for place in self.turned(index)]
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
        """What a page says about the ways in which its notation differs from the usual one."""
        used = [(key, symbol) for key, symbol in self.pairs if _found(recording, key)]
        told = []
        if used:
            pairs = (say("explain.notation.symbol", symbol=symbol, name=key) for key, symbol in used)
            told.append(say("explain.notation.symbols", symbols=", ".join(pairs)))
        told += [say("explain.notation.from_one")] if self.count_from else []
        told += [say("explain.notation.columns")] if self.columns else []
        return " ".join(told)


USUAL = Notation()


def name_of(recording: Recording, step: Step, notation: Notation) -> str:
    """What a page calls a step: its symbol, and after it whatever is named after it: dα, dα.via_context, W_new."""
    if not notation.pairs:
        return step.name
    fitting = [(len(key), symbol) for key, symbol in notation.pairs if _means(key, step)]
    if fitting:
        return max(fitting)[1]
    found = _named_after(recording, step)
    if found is None:
        return step.name
    mark, source = found
    rest = step.name[len(mark + source.name) :]
    return mark + name_of(recording, source, notation) + _via(recording, step, rest, notation)


def name_beside(recording: Recording, step: Step, others: Iterable[Step], notation: Notation) -> str:
    """What a page calls a step beside others. If one of them has the same name, as much of the path stands before it as
    tells them apart: head1.context, head2.context.
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
            raise NotationError("notation.unknown", name=key, symbol=symbol, nearest=nearest(key, names))
    shown: dict[str, str] = {}
    for step in recording.steps.values():
        path = path_of(recording, step, notation)
        if shown.setdefault(path, step.path) != step.path:
            symbol = name_of(recording, step, notation)
            raise NotationError("notation.twice", symbol=symbol, names=f"{shown[path]}, {step.path}")


def _means(key: str, step: Step) -> bool:
    return key == step.name or (key.endswith(step.name) and ends_in(step.path, key))


def _found(recording: Recording, key: str) -> bool:
    return any(_means(key, step) for step in recording.steps.values())


def _named_after(recording: Recording, step: Step) -> tuple[str, Step] | None:
    """The step whose name is part of the name of another, and what stands before it: of a gradient or a new weight its
    twin, of a transpose that nobody named what it turns.
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
