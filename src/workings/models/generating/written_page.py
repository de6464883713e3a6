"""A written text as one table: token by token what was likeliest, what was drawn, and what was chosen."""

from __future__ import annotations

from itertools import pairwise

from ...engine.arrays import Array
from ...engine.errors import StepError
from ...engine.sentences import add_sentences, say
from ...explain.document import Number, Span, Spans, Table, Words
from ...explain.line import number_at
from ...explain.numbers import Style, apart
from ...explain.step_view import StepView
from ...explain.view import Trace
from ...text.tokens import Tokens, quoted
from .choice_page import beam_rows, beams_table
from .written import chosen_of, prompt_of

LIKELIEST = 3  # candidates for each token
RARE = 0.001  # what has a smaller share hardly ever comes


def written_table(trace: Trace, vocabulary: Tokens, shown: int = LIKELIEST) -> Table:
    """What was written, with a row for each token; of beams, with a row for each text that was followed.

    >>> import workings as w
    >>> from workings.models.generating.generate import generate
    >>> from workings.text.vocabulary import Vocabulary
    >>> model = w.nn.build(w.nn.Architecture(kind="decoder", vocabulary=4, width=2), w.nn.Drawn(7))
    >>> trace = w.Trace()
    >>> tokens = list(generate(model, [0, 1], count=2, record=trace))
    >>> table = written_table(trace, Vocabulary.characters("abcd"))
    >>> table.headings, len(table.rows)
    (('text so far', 'likeliest next, and shares', 'drawn', 'chosen'), 2)
    """
    if "token1.log_shares" in trace.recording.paths:
        return _beams(trace, vocabulary)
    tokens = chosen_of(trace)
    if not tokens:
        raise StepError("choice.none")
    is_drawn = "token1.drawn" in trace.recording.paths
    rows = []
    for number, token in enumerate(tokens, start=1):
        text = vocabulary.decode([*prompt_of(trace), *tokens[: number - 1]])
        row: list[Spans] = [(Words(quoted(text)),), _likeliest(trace, number, vocabulary, shown, token)]
        if is_drawn:
            drawn = trace[f"token{number}.drawn"]
            row.append((number_at(drawn.step, drawn.value, (), trace.style),))
        rows.append((*row, (Words(quoted(vocabulary.token(token))),)))
    names = ("text", "likeliest", *(["drawn"] if is_drawn else []), "chosen")
    return Table(tuple(say(f"written.heading.{name}") for name in names), tuple(rows))


def _likeliest(trace: Trace, number: int, vocabulary: Tokens, shown: int, chosen: int) -> Spans:
    """The tokens with the largest shares, each with its own, and the chosen one in any case."""
    shares = trace[f"token{number}.shares"]
    order = sorted(range(len(shares.value)), key=lambda id: -shares.value[id])
    some = [id for id in order[:shown] if shares.value[id] >= RARE]
    some += [chosen] if chosen not in some else []
    style = _apart(shares.value, some, trace.style)
    spans: list[Span] = []
    for id in some:
        before = Words(f"{', ' if spans else ''}{quoted(vocabulary.token(id))} ")
        spans += [before, _number(shares, id, style)]
    return tuple(spans)


def _number(view: StepView, id: int, style: Style) -> Number:
    return number_at(view.step, view.value, (id,), style)


def _apart(values: Array, places: list[int], style: Style) -> Style:
    """As many digits as it takes to see which is larger."""
    for one, other in pairwise(places):
        style = apart(float(values[one]), float(values[other]), style)
    return style


def _beams(trace: Trace, vocabulary: Tokens) -> Table:
    rows: list[tuple[Spans, ...]] = []
    number = 1
    while f"token{number}.log_shares" in trace.recording.paths:
        # Texts of equal length stand together: their length says which token it was.
        rows += beam_rows(trace, number, vocabulary)
        number += 1
    return beams_table(rows)


add_sentences(
    "written",
    {
        "heading.text": "text so far",
        "heading.likeliest": "likeliest next, and shares",
        "heading.drawn": "drawn",
        "heading.chosen": "chosen",
    },
)
