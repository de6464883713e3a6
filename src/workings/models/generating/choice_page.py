"""Choices as a page: for each token the likeliest candidates, what became of their scores, and what was drawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from ...engine.arrays import Array
from ...engine.errors import StepError
from ...engine.sentences import add_sentences, say
from ...engine.steps import Step
from ...explain.document import Block, Document, Heading, Number, Span, Spans, Table, Text, Words
from ...explain.line import number_at
from ...explain.numbers import Style, apart, write
from ...explain.sentences import say_spans
from ...explain.view import Trace
from ...text.tokens import Tokens, quoted

SHOWN = 8  # candidates for a token, besides the chosen one


def choice_document(trace: Trace, vocabulary: Tokens) -> Document:
    """How each token of a recorded generation was chosen. The candidates stand in the order of the vocabulary, in
    which their shares are added up.

    >>> import workings as w
    >>> from workings.models.generating.generate import generate
    >>> from workings.text.vocabulary import Vocabulary
    >>> model = w.nn.build(w.nn.Architecture(kind="decoder", vocabulary=4, width=2), w.nn.Drawn(7))
    >>> trace = w.Trace()
    >>> tokens = list(generate(model, [0, 1], count=2, record=trace))
    >>> page = choice_document(trace, Vocabulary.characters("abcd"))
    >>> [block.text for block in page.blocks if block.kind == "heading"]
    ["Token 1: 'c'", "Token 2: 'a'"]
    """
    numbers = list(_numbers(trace, "shares"))
    if not numbers:
        raise StepError("choice.none")
    blocks = [*_way(trace, f"token{numbers[0]}.")]
    for number in numbers:
        token = quoted(vocabulary.token(int(trace[f"token{number}.chosen"].value)))
        blocks.append(Heading(2, say("choice.token", number=number, token=token)))
        blocks += choice_blocks(trace, number, vocabulary)
    return Document(say("choice.title"), tuple(blocks))


def _numbers(trace: Trace, name: str) -> Iterator[int]:
    """The numbers of the tokens for which there is such a step."""
    number = 1
    while f"token{number}.{name}" in trace.recording.paths:
        yield number
        number += 1


def _steps(trace: Trace, prefix: str) -> dict[str, Step]:
    """The steps of one choice by their names; those that were not needed are not there."""
    paths, steps = trace.recording.paths, trace.recording.steps
    names = ("tempered", "kept_by_k", "kept_by_p", "cut", "shares", "drawn", "chosen.running")
    found = {name: steps[paths[prefix + name]] for name in names if prefix + name in paths}
    found["chosen"] = trace[f"{prefix}chosen"].step
    found["logits"] = steps[found.get("tempered", found["chosen"]).inputs[0]]
    return found


def _way(trace: Trace, prefix: str) -> Iterator[Block]:
    """What is done for every token."""
    steps = _steps(trace, prefix)
    if "tempered" not in steps:
        yield _text("choice.greedy")
        return
    if not _is_even(steps):
        yield _text("choice.tempered", temperature=_setting(steps["tempered"], "divisor", trace.style))
    if "kept_by_k" in steps:
        yield _text("choice.top_k", k=_setting(steps["kept_by_k"], "k", trace.style))
    if "kept_by_p" in steps:
        yield _text("choice.top_p", p=_setting(steps["kept_by_p"], "p", trace.style))
    yield _text("choice.drawn")


def choice_blocks(trace: Trace, number: int, vocabulary: Tokens) -> Iterator[Block]:
    """How one token was chosen: a table of candidates, and what was drawn."""
    steps = _steps(trace, f"token{number}.")
    values = {name: trace.recording.value(step.id) for name, step in steps.items()}
    chosen = int(values["chosen"])
    token = Words(quoted(vocabulary.token(chosen)))
    candidates = _candidates(values["logits"], chosen)
    style = _telling(values, candidates, trace.style)
    columns = [name for name in ("logits", "tempered", "cut", "shares", "chosen.running") if name in steps]
    if _is_even(steps):
        columns.remove("tempered")
    rows: list[tuple[Spans, ...]] = []
    for id in candidates:
        name = quoted(vocabulary.token(id))
        first = Words(say("choice.mark", token=name) if id == chosen else name)
        numbers: list[Spans] = [(number_at(steps[column], values[column], (id,), style),) for column in columns]
        rows.append(((first,), *numbers))
    others = [float(share) for id, share in enumerate(values["shares"]) if id not in candidates]
    if others:
        rest = Number(write(sum(others), style), sum(others), steps["shares"].id, (), "rest")
        left = [(rest,) if column == "shares" else () for column in columns]
        rows.append(((Words(say("choice.others")),), *left))
    yield Table(tuple(say(f"choice.heading.{name}") for name in ("token", *columns)), tuple(rows))
    yield _end(steps, values, chosen, token, style)


def _end(steps: Mapping[str, Step], values: Mapping[str, Array], chosen: int, token: Words, style: Style) -> Text:
    """Why it is this token."""
    if "drawn" not in steps:
        return _text(
            "choice.largest", score=number_at(steps["logits"], values["logits"], (chosen,), style), token=token
        )
    drawn = number_at(steps["drawn"], values["drawn"], (), style)
    running = values["chosen.running"]
    total = number_at(steps["chosen.running"], running, (chosen,), style)
    # The totals end at 1, or where rounding leaves them.
    key = "choice.first" if running[chosen] > values["drawn"] else "choice.last"
    return _text(key, drawn=drawn, total=total, token=token)


def _is_even(steps: Mapping[str, Step]) -> bool:
    """Whether the temperature is 1, which changes no score."""
    return "tempered" in steps and steps["tempered"].settings["divisor"] == 1


def _candidates(logits: Array, chosen: int) -> list[int]:
    """The likeliest tokens and the chosen one, in the order of the vocabulary."""
    likeliest = sorted(range(len(logits)), key=lambda id: -logits[id])[:SHOWN]
    return sorted({*likeliest, chosen})


def _telling(values: Mapping[str, Array], candidates: Sequence[int], style: Style) -> Style:
    """As many digits as it takes to see whether a total is above the drawn number."""
    if "drawn" in values:
        for id in candidates:
            style = apart(float(values["chosen.running"][id]), float(values["drawn"]), style)
    return style


# -- beams --------------------------------------------------------------------------------------------


def beams_document(trace: Trace, vocabulary: Tokens) -> Document:
    """How beam search went: for each token the texts that were best, and how their totals came about."""
    numbers = list(_numbers(trace, "log_shares"))
    if not numbers:
        raise StepError("choice.none")
    blocks: list[Block] = [_text("choice.beams.way")]
    for number in numbers:
        blocks.append(Heading(2, say("choice.beams.token", number=number)))
        blocks.append(beams_table(beam_rows(trace, number, vocabulary)))
    return Document(say("choice.beams.title"), tuple(blocks))


def beams_table(rows: Iterable[tuple[Spans, ...]]) -> Table:
    """Rows of texts that were followed, under their headings."""
    names = ("text", "token", "before", "log", "total")
    return Table(tuple(say(f"choice.beams.heading.{name}") for name in names), tuple(rows))


def beam_rows(trace: Trace, number: int, vocabulary: Tokens) -> Iterator[tuple[Spans, ...]]:
    """The texts that were best when a token was looked for, and how their totals came about."""
    prefix = f"token{number}."
    logs, totals = trace[f"{prefix}log_shares"], trace[f"{prefix}candidates"]
    texts = trace[f"{prefix}text" if number > 1 else "prompt"].value
    best, style = trace[f"{prefix}best"].value.tolist(), trace.style
    for one, other in pairwise(best):
        style = apart(float(totals.value[one]), float(totals.value[other]), style)
    before = trace[f"token{number - 1}.total"] if number > 1 else None
    for place in best:
        text, token = divmod(place, logs.value.shape[-1])
        so_far = quoted(vocabulary.decode(texts[text]))
        start: Spans = () if before is None else (number_at(before.step, before.value, (text,), style),)
        log = number_at(logs.step, logs.value, (text, token), style)
        total = number_at(totals.step, totals.value, (place,), style)
        yield (Words(so_far),), (Words(quoted(vocabulary.token(token))),), start, (log,), (total,)


# -- spans ----------------------------------------------------------------------------------------------


def _text(key: str, **spans: Span) -> Text:
    return Text(say_spans(key, **spans))


def _setting(step: Step, name: str, style: Style) -> Number:
    value = step.settings[name]
    return Number(write(value, style), value, step.id, (), "setting")


add_sentences(
    "choice",
    {
        "title": "How each token was chosen",
        "token": "Token {number}: {token}",
        "greedy": "Each time the token with the largest score is taken.",
        "tempered": "Every score is divided by the temperature, {temperature}.",
        "top_k": "Only the {k} likeliest tokens stay; the score of every other one becomes -∞.",
        "top_p": "Only the likeliest tokens stay that make up the share {p} together; the score of every other one "
        "becomes -∞.",
        "drawn": "Softmax shares out 1 among the scores that are left. Then a number from 0 to 1 is drawn: the first "
        "token whose running total is above it is chosen.",
        "first": "Drawn: {drawn}. The first running total above it is {total}, that of {token}.",
        "last": "Drawn: {drawn}. Rounding leaves the last running total at {total}; the last token with a share is "
        "{token}.",
        "largest": "The largest score is {score}, that of {token}.",
        "others": "all others",
        "mark": "{token} chosen",
        "heading.token": "token",
        "heading.logits": "score",
        "heading.tempered": "divided",
        "heading.cut": "cut",
        "heading.shares": "share",
        "heading.chosen.running": "running total",
        "beams.title": "How the best texts were found",
        "beams.token": "Token {number}",
        "beams.way": "Every token is tried after every text that is followed. The logarithms of the shares are added "
        "up, and the texts with the largest totals are followed.",
        "beams.heading.text": "text so far",
        "beams.heading.token": "token",
        "beams.heading.before": "before",
        "beams.heading.log": "ln of share",
        "beams.heading.total": "total",
    },
)

add_sentences(
    "error",
    {
        "choice.none": "No token was generated in this trace.",
        "choice.none.try": "Generate into it: generate(..., record=trace).",
    },
)
