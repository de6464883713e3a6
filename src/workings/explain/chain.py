"""A chain of states, such as those of a recurrent network, each with a number that is carried along it."""

from __future__ import annotations

from collections.abc import Sequence

from ..engine.errors import CallError
from .axis import LARGEST
from .document import Axis, Chain, ChainState, Figure, Number, Tick
from .largest import can_be_drawn, largest_of
from .numbers import Style, write
from .sentences import say
from .step_view import StepView
from .window import Labels, Window, nothing_to_draw, shown, window_of

MOST_STATES = 32
MOST_ENTRIES = 4096  # of a row in which the largest is looked for


def chain_of(
    steps: StepView | Sequence[StepView],
    labels: Labels | None = None,
    names: Sequence[str] = (),
    words: Sequence[str] = (),
) -> Figure:
    """One state for each entry of a vector, for each row of a matrix, or for each of several steps; of a row, and of a
    step with several entries, the entry that is largest by size. `names` are those of the states, `words` stand below.

    >>> import workings as w
    >>> with w.Trace() as trace:
    ...     trace.start_from(w.given([0.02, 0.15, 1.0], "token", name="heard"))
    >>> figure = chain_of(trace["heard"], {"token": ("The", "cat", "sat")}, names=("h_1", "h_2", "h_3"))
    >>> print(figure.alternative)
    h_1 (The) 0.02, h_2 (cat) 0.15, h_3 (sat) 1.0.
    """
    views = [steps] if isinstance(steps, StepView) else list(steps)
    windows = [window_of(one.trace, one, labels, most=(MOST_STATES, MOST_ENTRIES), turn=False) for one in views]
    rows, called, below = _states(windows)
    numbers = [_largest(row) for row in rows][:MOST_STATES]
    count = len(rows) if len(views) > 1 else _count(views[0])
    for given in (names, words):
        if given and len(given) != count:
            raise CallError("figure.chain.names", named=len(given), count=count, where=views[0].path)
    values = [abs(float(number.value)) for number in numbers if can_be_drawn(number)]
    if not values:
        raise nothing_to_draw(views[0])
    called, below = list(names or called), [shown(word) for word in words or below]
    states = tuple(
        ChainState(called[place], below[place] if below else "", number) for place, number in enumerate(numbers)
    )
    title = windows[0].title
    if len(views) > 1:
        title = say("explain.figure.chain.several", first=title, last=windows[-1].title)
    data = Chain(_scale(max(values), windows[0].style), states)
    return Figure(
        "chain", say("explain.figure.chain", title=title), data, _in_words(states), _note(rows, values, count)
    )


def _states(windows: list[Window]) -> tuple[list[tuple[Number, ...]], list[str], Sequence[str]]:
    """The numbers of each state, what the states are called, and the words below them."""
    if len(windows) > 1:
        return [window.numbers for window in windows], [window.title for window in windows], ()
    window = windows[0]
    is_vector = len(window.step.shape) == 1
    rows: list[tuple[Number, ...]] = list(window.rows)
    if is_vector:
        rows = [(number,) for number in window.rows[0]]
    names = [f"{window.step.name}[{window.style.notation.place(place)}]" for place in range(len(rows))]
    return rows, names, window.column_labels if is_vector else window.row_labels


def _count(view: StepView) -> int:
    """How many states there are along one step."""
    if len(view.shape) not in (1, 2) or view.shape[0] < 2:
        raise CallError("figure.chain", form=str(view.form), where=view.path)
    return view.shape[0]


def _largest(numbers: tuple[Number, ...]) -> Number:
    return numbers[largest_of(numbers) or 0]


def _scale(most: float, style: Style) -> Axis:
    """From 0 to the largest: a number is drawn by how large it is beside that."""
    zero = Tick(0.0, write(0.0, Style(digits=1, point=style.point)))
    return Axis("", 0.0, most if most > 1 / LARGEST else 1.0, (zero,))


def _in_words(states: tuple[ChainState, ...]) -> str:
    told = [
        say("explain.figure.chain.word", name=state.name, word=state.word, number=state.number.text)
        if state.word
        else say("explain.figure.chain.state", name=state.name, number=state.number.text)
        for state in states
    ]
    return ", ".join(told) + "."


def _note(rows: list[tuple[Number, ...]], values: list[float], count: int) -> str:
    missing = min(len(rows), MOST_STATES) - len(values)
    notes = (
        say("explain.figure.first", shown=MOST_STATES, count=count) if count > MOST_STATES else "",
        say("explain.figure.chain.largest") if max(map(len, rows)) > 1 else "",
        say("explain.figure.missing", count=missing) if missing else "",
    )
    return " ".join(note for note in notes if note)
