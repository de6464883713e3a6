"""How the tokens of a recorded generation were chosen: the whole text as one table, and a page with every candidate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from ..document.blocks import Block, Document, Heading, Number, Span, Spans, Table, Text, Words, fill_spans
from ..document.numbers import Style, apart, write
from ..engine.arrays import Array
from ..engine.errors import StepError
from ..engine.steps import Step
from ..explain.line import number_at
from ..explain.trace import Trace
from ..text.tokens import Tokens, quoted
from .generated_text import generated_ids, prompt_ids

MAX_CANDIDATES = 8  # on the page of a token, besides the chosen one
LIKELY_TOKENS = 3  # in a row of the table
MIN_PROBABILITY = 0.001  # of a token in that row: less likely ones hardly ever come

# The columns of a choice: the step, and its heading.
COLUMNS = {
    "logits": "logit",
    "tempered": "divided",
    "cut": "cut",
    "shares": "probability",
    "chosen.running": "running total",
}
BEAM_SEARCH = (
    "Beam search tries every token after every text that it follows. It adds up the log-probabilities of the tokens, "
    "and follows the texts with the largest totals."
)


# -- the whole text ------------------------------------------------------------------------------------


def generated_table(trace: Trace, vocabulary: Tokens, shown: int = LIKELY_TOKENS) -> Table:
    """The generated text, with a row for each token; of beam search, with a row for each text that was followed.

    >>> import workings as w
    >>> from workings.generation.generate import generate
    >>> from workings.text.vocabulary import Vocabulary
    >>> model = w.nn.build(w.nn.Architecture(kind="decoder", vocab_size=4, width=2), w.nn.Drawn(7))
    >>> trace = w.Trace()
    >>> tokens = list(generate(model, [0, 1], max_new_tokens=2, record=trace))
    >>> table = generated_table(trace, Vocabulary.characters("abcd"))
    >>> table.headings, len(table.rows)
    (('text so far', 'most likely next tokens', 'drawn', 'chosen'), 2)
    """
    searched = list(_numbers(trace, "log_shares"))
    if searched:  # texts of equal length are next to each other: their length is the number of the token
        return _beams_table(row for number in searched for row in _beam_rows(trace, number, vocabulary))
    tokens = generated_ids(trace)
    if not tokens:
        raise _nothing_generated()
    is_drawn = "token1.drawn" in trace.recording.paths
    rows = []
    for number, token in enumerate(tokens, start=1):
        text = vocabulary.decode([*prompt_ids(trace), *tokens[: number - 1]])
        row: list[Spans] = [(Words(quoted(text)),), _most_likely(trace, number, vocabulary, shown, token)]
        if is_drawn:
            drawn = trace[f"token{number}.drawn"]
            row.append((number_at(drawn.step, drawn.value, (), trace.style),))
        rows.append((*row, (Words(quoted(vocabulary.token(token))),)))
    headings = ("text so far", "most likely next tokens", *(["drawn"] if is_drawn else []), "chosen")
    return Table(headings, tuple(rows))


def _most_likely(trace: Trace, number: int, vocabulary: Tokens, shown: int, chosen: int) -> Spans:
    """The tokens with the largest probabilities, and the chosen one in any case."""
    shares = trace[f"token{number}.shares"]
    order = sorted(range(len(shares.value)), key=lambda id: -shares.value[id])
    some = [id for id in order[:shown] if shares.value[id] >= MIN_PROBABILITY]
    some += [chosen] if chosen not in some else []
    style = trace.style
    for one, other in pairwise(some):  # as many digits as it takes to see which is larger
        style = apart(float(shares.value[one]), float(shares.value[other]), style)
    spans: list[Span] = []
    for id in some:
        name = Words(f"{', ' if spans else ''}{quoted(vocabulary.token(id))} ")
        spans += [name, number_at(shares.step, shares.value, (id,), style)]
    return tuple(spans)


# -- each choice ---------------------------------------------------------------------------------------


def choice_document(trace: Trace, vocabulary: Tokens) -> Document:
    """How each token of a recorded generation was chosen. The candidates are in the order of the vocabulary, in which
    their probabilities are added up.

    >>> import workings as w
    >>> from workings.generation.generate import generate
    >>> from workings.text.vocabulary import Vocabulary
    >>> model = w.nn.build(w.nn.Architecture(kind="decoder", vocab_size=4, width=2), w.nn.Drawn(7))
    >>> trace = w.Trace()
    >>> tokens = list(generate(model, [0, 1], max_new_tokens=2, record=trace))
    >>> page = choice_document(trace, Vocabulary.characters("abcd"))
    >>> [block.text for block in page.blocks if block.kind == "heading"]
    ["Token 1: 'c'", "Token 2: 'a'"]
    """
    numbers = list(_numbers(trace, "shares"))
    if not numbers:
        raise _nothing_generated()
    blocks = [*_method(trace, f"token{numbers[0]}.")]
    for number in numbers:
        token = quoted(vocabulary.token(int(trace[f"token{number}.chosen"].value)))
        blocks.append(Heading(2, f"Token {number}: {token}"))
        blocks += choice_blocks(trace, number, vocabulary)
    return Document("How each token was chosen", tuple(blocks))


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


def _method(trace: Trace, prefix: str) -> Iterator[Block]:
    """What is done for every token."""
    steps = _steps(trace, prefix)
    if "tempered" not in steps:
        yield _text("Greedy decoding takes the token with the largest logit each time.")
        return
    if not _is_even(steps):
        temperature = _setting(steps["tempered"], "divisor", trace.style)
        yield _text("Every logit is divided by the temperature, {temperature}.", temperature=temperature)
    if "kept_by_k" in steps:
        k = _setting(steps["kept_by_k"], "k", trace.style)
        yield _text("Top-k keeps the {k} most likely tokens; the logits of all others become -∞.", k=k)
    if "kept_by_p" in steps:
        p = _setting(steps["kept_by_p"], "p", trace.style)
        yield _text(
            "Top-p keeps the most likely tokens whose probabilities add up to {p}; the logits of all others become -∞.",
            p=p,
        )
    yield _text(
        "The softmax turns the remaining logits into probabilities. Then a number from 0 to 1 is drawn: the first "
        "token whose running total is above it is chosen."
    )


def choice_blocks(trace: Trace, number: int, vocabulary: Tokens) -> Iterator[Block]:
    """How one token was chosen: a table of candidates, and what was drawn."""
    steps = _steps(trace, f"token{number}.")
    values = {name: trace.recording.value(step.id) for name, step in steps.items()}
    chosen = int(values["chosen"])
    token = Words(quoted(vocabulary.token(chosen)))
    candidates = _candidates(values["logits"], chosen)
    style = _distinct(values, candidates, trace.style)
    columns = [name for name in COLUMNS if name in steps]
    if _is_even(steps):
        columns.remove("tempered")
    rows: list[tuple[Spans, ...]] = []
    for id in candidates:
        name = quoted(vocabulary.token(id))
        first = Words(f"{name} chosen" if id == chosen else name)
        numbers: list[Spans] = [(number_at(steps[column], values[column], (id,), style),) for column in columns]
        rows.append(((first,), *numbers))
    others = [float(share) for id, share in enumerate(values["shares"]) if id not in candidates]
    if others:
        rest = Number(write(sum(others), style), sum(others), steps["shares"].id, (), "rest")
        left = [(rest,) if column == "shares" else () for column in columns]
        rows.append(((Words("all others"),), *left))
    yield Table(("token", *(COLUMNS[name] for name in columns)), tuple(rows))
    yield _end(steps, values, chosen, token, style)


def _end(steps: Mapping[str, Step], values: Mapping[str, Array], chosen: int, token: Words, style: Style) -> Text:
    """Why it is this token."""
    if "drawn" not in steps:
        logit = number_at(steps["logits"], values["logits"], (chosen,), style)
        return _text("The largest logit is {logit}, that of {token}.", logit=logit, token=token)
    drawn = number_at(steps["drawn"], values["drawn"], (), style)
    running = values["chosen.running"]
    total = number_at(steps["chosen.running"], running, (chosen,), style)
    if running[chosen] > values["drawn"]:
        sentence = "Drawn: {drawn}. The first running total above it is {total}, that of {token}."
    else:  # the totals end at 1, or where rounding leaves them
        sentence = (
            "Drawn: {drawn}. Rounding leaves the last running total at {total}; the last token with a probability "
            "above 0 is {token}."
        )
    return _text(sentence, drawn=drawn, total=total, token=token)


def _is_even(steps: Mapping[str, Step]) -> bool:
    """Whether the temperature is 1, which changes no logit."""
    return "tempered" in steps and steps["tempered"].settings["divisor"] == 1


def _candidates(logits: Array, chosen: int) -> list[int]:
    """The most likely tokens and the chosen one, in the order of the vocabulary."""
    order = sorted(range(len(logits)), key=lambda id: -logits[id])
    return sorted({*order[:MAX_CANDIDATES], chosen})


def _distinct(values: Mapping[str, Array], candidates: Sequence[int], style: Style) -> Style:
    """As many digits as it takes to see whether a total is above the drawn number."""
    if "drawn" in values:
        for id in candidates:
            style = apart(float(values["chosen.running"][id]), float(values["drawn"]), style)
    return style


# -- beams --------------------------------------------------------------------------------------------


def beams_document(trace: Trace, vocabulary: Tokens) -> Document:
    """The steps of beam search: for each token the best texts, and how their totals came about."""
    numbers = list(_numbers(trace, "log_shares"))
    if not numbers:
        raise _nothing_generated()
    blocks: list[Block] = [_text(BEAM_SEARCH)]
    for number in numbers:
        blocks.append(Heading(2, f"Token {number}"))
        blocks.append(_beams_table(_beam_rows(trace, number, vocabulary)))
    return Document("How the best texts were found", tuple(blocks))


def _beams_table(rows: Iterable[tuple[Spans, ...]]) -> Table:
    return Table(("text so far", "token", "before", "log-probability", "total"), tuple(rows))


def _beam_rows(trace: Trace, number: int, vocabulary: Tokens) -> Iterator[tuple[Spans, ...]]:
    """The best texts after a token, and how their totals came about."""
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


def _nothing_generated() -> StepError:
    return StepError("No token was generated in this trace.", hint="Generate into it: generate(..., record=trace).")


# -- spans ----------------------------------------------------------------------------------------------


def _text(sentence: str, **spans: Span) -> Text:
    return Text(fill_spans(sentence, **spans))


def _setting(step: Step, name: str, style: Style) -> Number:
    value = step.settings[name]
    return Number(write(value, style), value, step.id, (), "setting")
