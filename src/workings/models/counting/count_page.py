"""A count as a page: what a model has, takes and keeps, each number worked out line by line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...engine.sentences import say
from ...explain.document import Block, Document, Heading, Link, Number, Span, Spans, Table, Text, Words
from ...explain.sentences import say_spans
from ...nn import Architecture
from .count import Count, parameters
from .count_lines import Line, Section, total
from .sentences import BYTES, POWERS


def count_document(count: Count) -> Document:
    """The whole page."""
    blocks = (_summary, _parameters, _forward, _entrywise, _backward, _memory, _cache)
    return Document(count.name, tuple(block for part in blocks for block in part(count)))


def preset_list(presets: Mapping[str, Architecture]) -> Document:
    """The models that are known by name, with how many parameters they have."""
    rows = []
    for name, architecture in presets.items():
        about = say(f"count.kind.{architecture.kind}", layers=architecture.layers, width=f"{architecture.width:,}")
        rows.append(((Link(name, ""),), (_number(total(parameters(architecture))),), (Words(about),)))
    return Document(say("count.presets"), (_table(("model", "parameters", "about"), rows),))


# -- one part of the page after the other -----------------------------------------------------------


def _summary(count: Count) -> Iterator[Block]:
    a = count.architecture
    blocks = a.layers + (a.decoder_layers if a.kind == "encoder-decoder" else 0)
    sizes = {"width": a.width, "heads": a.heads, "head_size": a.head_size, "vocabulary": a.vocabulary}
    numbers = {name: _number(size) for name, size in {"blocks": blocks, **sizes}.items()}
    if a.hidden:
        yield _text("count.sizes", **numbers, hidden=_number(a.hidden))
    else:
        yield _text("count.sizes.no_hidden", **numbers)
    texts = {"batch": _number(count.batch), "tokens": _number(count.tokens)}
    key = "count.texts.both" if a.kind == "encoder-decoder" else "count.texts"
    yield _text(key, **texts, dtype=Words(count.dtype), bytes=_number(count.bytes))
    sums = [
        ("parameters", count.all_parameters, POWERS),
        ("forward", total(count.forward), POWERS),
        ("backward", total(count.backward), POWERS),
        ("weights", count.bytes * count.all_parameters, BYTES),
        ("trace", total(count.trace), BYTES),
        ("tape", total(count.tape), BYTES),
        ("cache", sum(line.value for line in count.cache), BYTES),
    ]
    rows = [
        ((Words(say(f"count.sum.{key}")),), (_number(value),), (Words(about(value, units)),))
        for key, value, units in sums
        if value
    ]
    yield _table(("what", "count", "about"), rows)


def _parameters(count: Count) -> Iterator[Block]:
    yield Heading(2, say("count.parameters"))
    yield _text("count.parameters.why")
    yield from _listing(count.parameters, ("weight", "size", "parameters"))
    whole, biases = count.all_parameters, count.biases
    yield _text("count.parameters.total", total=_number(whole), biases=_number(biases), without=_number(whole - biases))
    a, more = count.architecture, count.untied - whole
    width = _number(a.width)
    if more:
        table = {"rows": _number(a.vocabulary), "columns": width}
        yield _text("count.tied", **table, total=_number(whole), more=_number(more), untied=_number(count.untied))
    if a.heads > 1:
        key = "count.heads" if count.one_head == whole else "count.heads.differ"
        heads = {"heads": _number(a.heads), "head_size": _number(a.head_size), "joined": _number(a.joined)}
        yield _text(key, **heads, width=width, one=_number(count.one_head))


def _forward(count: Count) -> Iterator[Block]:
    yield Heading(2, say("count.forward"))
    yield _text("count.forward.why")
    yield from _listing(count.forward, ("step", "product", "flops"))
    yield _text("count.total", total=_number(total(count.forward)))


def _entrywise(count: Count) -> Iterator[Block]:
    yield Heading(2, say("count.entrywise"))
    yield _text("count.entrywise.why")
    yield from _listing(count.entrywise, ("step", "entries", "flops"))
    whole, back = total(count.entrywise), _number(count.entrywise_back)
    yield _text(
        "count.entrywise.total", total=_number(whole), share=_real(100 * whole / total(count.forward)), back=back
    )


def _backward(count: Count) -> Iterator[Block]:
    yield Heading(2, say("count.backward"))
    yield _text("count.backward.why")
    yield from _listing(count.backward, ("step", "products", "flops"))
    yield _text("count.backward.total", total=_number(total(count.backward)), both=_number(count.flops))
    ratio = count.flops_per_token / count.rule_of_thumb
    yield _text(
        "count.rule",
        each=_number(round(count.flops_per_token)),
        parameters=_number(count.all_parameters),
        rule=_number(count.rule_of_thumb),
        ratio=_real(ratio),
    )


def _memory(count: Count) -> Iterator[Block]:
    yield Heading(2, say("count.memory"))
    yield _text("count.stored.why", bytes=_number(count.bytes))
    rows = [_row(Line(say(f"count.stored.{line.name}"), line.expression, line.value)) for line in count.stored]
    yield _table(("kept", "bytes_each", "bytes"), rows)
    for name, sections in (("trace", count.trace), ("tape", count.tape)):
        yield Heading(2, say(f"count.{name}"))
        yield _text(f"count.{name}.why", bytes=_number(count.bytes))
        yield from _listing(sections, ("step", "bytes_each", "bytes"))
        yield _text("count.total", total=_number(total(sections)))


def _cache(count: Count) -> Iterator[Block]:
    yield Heading(2, say("count.cache"))
    if not count.cache:
        yield _text("count.cache.none")
        return
    yield _text("count.cache.why" if count.batch == 1 else "count.cache.why.batch")
    rows = [_row(Line(say(f"count.cache.{line.name}"), line.expression, line.value)) for line in count.cache]
    yield _table(("kept", "bytes_each", "bytes"), rows)


# -- tables -----------------------------------------------------------------------------------------


def _listing(sections: Sequence[Section], headings: tuple[str, ...]) -> Iterator[Block]:
    """A table for each section, with its sum, and for equal blocks the sum of all of them."""
    for n, part in enumerate(sections):
        yield Heading(3, _title(sections, n))
        rows = [_row(line) for line in part.lines]
        if len(part.lines) > 1:
            rows.append(_row(Line(say("count.block" if part.name else "count.together"), "", part.once)))
        if part.times > 1:
            rows.append(_row(Line(say("count.blocks", times=part.times), f"{part.times} × {part.once:,}", part.total)))
        yield _table(headings, rows)


def _title(sections: Sequence[Section], n: int) -> str:
    """Which blocks these are; or where the rest lies, seen from the blocks."""
    part = sections[n]
    if part.name:
        stack = part.name.rstrip("0123456789")
        last = f"{stack}{int(part.name.removeprefix(stack)) + part.times - 1}"
        return say("count.equal", first=part.name, last=last, times=part.times) if part.times > 1 else part.name
    before = any(other.name for other in sections[:n])
    after = any(other.name for other in sections[n + 1 :])
    return say("count.between" if before and after else "count.after" if before else "count.before")


def _row(line: Line) -> tuple[Spans, ...]:
    return (Words(line.name),), (Words(line.expression),), (_number(line.value),)


def _table(headings: tuple[str, ...], rows: Sequence[tuple[Spans, ...]]) -> Table:
    return Table(tuple(say(f"count.heading.{heading}") for heading in headings), tuple(rows))


def _text(key: str, **spans: Span) -> Text:
    return Text(say_spans(key, **spans))


# -- numbers ----------------------------------------------------------------------------------------


def _number(value: int) -> Number:
    return Number(f"{value:,}", value, "", (), "line")


def _real(value: float) -> Number:
    return Number(f"{value:.3g}", value, "", (), "line")


def about(value: int, units: Mapping[int, str]) -> str:
    """A number as people say it, to three digits.

    >>> about(124_439_808, POWERS), about(999_999, BYTES), about(12, BYTES)
    ('124 million', '1 MB', '12')
    """
    rounded = float(f"{value:.2e}")
    for power, unit in units.items():
        if rounded >= 10**power:
            return say(f"count.unit.{unit}", number=f"{rounded / 10**power:.3g}")
    return str(value)
