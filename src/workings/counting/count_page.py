"""A count as a page: the parameters, operations and memory of a model, each number with the line that gives it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..document.blocks import Block, Document, Heading, Link, Number, Span, Spans, Table, Text, Words, fill_spans
from ..nn import Architecture
from .count import Count, parameters
from .count_lines import CountLine, Section, total

# Large numbers in words: powers of 10, and their names.
POWERS: Mapping[int, str] = {
    18: "quintillion", 15: "quadrillion", 12: "trillion", 9: "billion", 6: "million", 3: "thousand",
}  # fmt: skip
BYTE_UNITS: Mapping[int, str] = {18: "EB", 15: "PB", 12: "TB", 9: "GB", 6: "MB", 3: "kB"}

KINDS = {
    "encoder": "an encoder of {layers} blocks, {width} wide",
    "decoder": "a decoder of {layers} blocks, {width} wide",
    "encoder-decoder": "an encoder and a decoder of {layers} blocks each, {width} wide",
}
STORED = {"weights": "weights", "gradients": "gradients", "adam": "averages of Adam"}
CACHED = {"own": "of its own text", "cross": "of the text of the encoder"}


def count_document(count: Count) -> Document:
    """The whole page."""
    parts = (_summary, _parameters, _forward, _entrywise, _backward, _memory, _cache)
    return Document(count.name, tuple(block for part in parts for block in part(count)))


def preset_list(presets: Mapping[str, Architecture]) -> Document:
    """The models that are known by name, with how many parameters they have."""
    rows = []
    for name, architecture in presets.items():
        about = KINDS[architecture.kind].format(layers=architecture.layers, width=f"{architecture.width:,}")
        rows.append(((Link(name, ""),), (_number(total(parameters(architecture))),), (Words(about),)))
    return Document("Models that are known by name", (Table(("model", "parameters", "about"), tuple(rows)),))


# -- one part of the page after the other -----------------------------------------------------------


def _summary(count: Count) -> Iterator[Block]:
    a = count.architecture
    yield _text(
        "Blocks: {blocks}; model {width}, heads {heads} of size {head_size}, hidden {hidden}, vocab {vocabulary}."
        if a.hidden
        else "Blocks: {blocks}, without feed-forward; model {width}, heads {heads} of size {head_size}, vocab "
        "{vocabulary}.",
        blocks=_number(a.layers + (a.decoder_layers if a.kind == "encoder-decoder" else 0)),
        width=_number(a.width),
        heads=_number(a.heads),
        head_size=_number(a.head_size),
        vocabulary=_number(a.vocab_size),
        **({"hidden": _number(a.hidden)} if a.hidden else {}),
    )
    texts = "Texts: {batch} for the encoder and as many for the decoder, tokens in each: {tokens}. "
    yield _text(
        (texts if a.kind == "encoder-decoder" else "Texts: {batch}, tokens in each: {tokens}. ")
        + "Numbers: {dtype}, {bytes} bytes each.",
        batch=_number(count.batch),
        tokens=_number(count.tokens),
        dtype=Words(count.dtype),
        bytes=_number(count.bytes),
    )
    sums = [
        ("parameters", count.all_parameters, POWERS),
        ("FLOPs of matrix products, forward", total(count.forward), POWERS),
        ("FLOPs of matrix products, backward", total(count.backward), POWERS),
        ("bytes of the weights", count.bytes * count.all_parameters, BYTE_UNITS),
        ("bytes of a trace", total(count.trace), BYTE_UNITS),
        ("bytes that backward needs", total(count.tape), BYTE_UNITS),
        ("bytes of the cache", sum(line.value for line in count.cache), BYTE_UNITS),
    ]
    rows = [((Words(what),), (_number(sum),), (Words(in_words(sum, units)),)) for what, sum, units in sums if sum]
    yield Table(("what", "count", "about"), tuple(rows))


def _parameters(count: Count) -> Iterator[Block]:
    yield Heading(2, "Parameters")
    yield _text("Every weight once, rows × columns; a bias is one row.")
    yield from _listing(count.parameters, ("weight", "size", "parameters"))
    whole, biases = count.all_parameters, count.biases
    yield _text(
        "Total: {total}. Of these, biases of linear layers (lines that begin with b_): {biases}. Without them: "
        "{without}.",
        total=_number(whole),
        biases=_number(biases),
        without=_number(whole - biases),
    )
    a = count.architecture
    if count.untied > whole:
        yield _text(
            "Why it is not more than {total}: the output layer is tied to the embedding table. A table of its own "
            "would add {rows} × {columns} = {more}, and make it {untied}.",
            total=_number(whole),
            rows=_number(a.vocab_size),
            columns=_number(a.width),
            more=_number(count.untied - whole),
            untied=_number(count.untied),
        )
    if a.heads > 1:
        yield _text(
            "Why the number of heads changes nothing: side by side, the {heads} heads of size {head_size} are {joined} "
            "columns, so W_Q is {width} × {joined}, however the columns are divided among the heads. With a single "
            "head of size {joined}, this model has {one} parameters too."
            if count.one_head == whole
            else "With {heads} heads of size {head_size} a weight such as W_Q is {width} × {joined}. With a single "
            "head of size {joined}, this model has {one} parameters.",
            heads=_number(a.heads),
            head_size=_number(a.head_size),
            joined=_number(a.joined),
            width=_number(a.width),
            one=_number(count.one_head),
        )


def _forward(count: Count) -> Iterator[Block]:
    yield Heading(2, "Matrix products, forward")
    yield _text(
        "Each product takes 2 × terms × entries of its result: one multiplication and one addition for every term of "
        "every entry."
    )
    yield from _listing(count.forward, ("step", "2 × terms × result", "FLOPs"))
    yield _total(count.forward)


def _entrywise(count: Count) -> Iterator[Block]:
    yield Heading(2, "The rest of the forward pass, entry by entry")
    yield _text(
        "Each op is opened down to its primitives. One that computes each entry by itself takes 1 for each, a sum or a "
        "maximum takes 1 for each entry that it reads, a sum of products 2. Powers and roots count as 1; moving and "
        "masking entries takes none. A line has the operations for each entry, then for each row, then the rest. Where "
        "a step is a matrix product as well, this is its bias."
    )
    yield from _listing(count.entrywise, ("step", "operations × entries", "FLOPs"))
    whole = total(count.entrywise)
    yield _text(
        "Total: {total}, which is {percent} % of the matrix products. Backward, by the same rule: {back}.",
        total=_number(whole),
        percent=_real(100 * whole / total(count.forward)),
        back=_number(count.entrywise_back),
    )


def _backward(count: Count) -> Iterator[Block]:
    yield Heading(2, "Matrix products, backward")
    yield _text(
        "In the backward pass, each product takes two more: one for the gradient of its left factor (dX), one for that "
        "of its right factor (dW). Looking up rows of a table takes no product."
    )
    yield from _listing(count.backward, ("step", "products × FLOPs", "FLOPs"))
    yield _text(
        "Total: {total}. Forward and backward together: {both}.",
        total=_number(total(count.backward)),
        both=_number(count.flops),
    )
    yield _text(
        "Per token that is {each}. The rule of thumb, 6 for each parameter, gives 6 × {parameters} = {rule}; the true "
        "number is {ratio} times as large. The rule counts every parameter as a term of a product, which tables and "
        "norms are not, and leaves out the products between tokens, which grow with the length of the text.",
        each=_number(round(count.flops_per_token)),
        parameters=_number(count.all_parameters),
        rule=_number(count.rule_of_thumb),
        ratio=_real(count.flops_per_token / count.rule_of_thumb),
    )


def _memory(count: Count) -> Iterator[Block]:
    size = _number(count.bytes)
    yield Heading(2, "Memory of the weights")
    yield _text(
        "Copies × {bytes} bytes × parameters. Training stores a gradient for every weight, and Adam two averages.",
        bytes=size,
    )
    yield _table(("stored", "calculation", "bytes"), [line.renamed(STORED[line.name]) for line in count.stored])
    yield Heading(2, "Memory of a trace")
    yield _text(
        "A trace stores the value of every step: {bytes} bytes × entries. Weights are counted above. Steps that only "
        "rearrange the entries of another one, such as a transpose or splitting into heads, share its memory and are "
        "not listed.",
        bytes=size,
    )
    yield from _listing(count.trace, ("step", "calculation", "bytes"))
    yield _total(count.trace)
    yield Heading(2, "Memory that backward needs")
    yield _text("A tape stores only what some backward rule reads: {bytes} bytes × entries.", bytes=size)
    yield from _listing(count.tape, ("step", "calculation", "bytes"))
    yield _total(count.tape)


def _cache(count: Count) -> Iterator[Block]:
    yield Heading(2, "Memory of the cache")
    if not count.cache:
        yield _text("There is none: this model reads the whole text at once and does not generate token by token.")
        return
    yield _text(
        "During generation, the keys and values of earlier tokens are kept: 2 (K and V) × blocks × tokens × heads × "
        f"head size × bytes{' × texts' if count.batch > 1 else ''}."
    )
    yield _table(("stored", "calculation", "bytes"), [line.renamed(CACHED[line.name]) for line in count.cache])


# -- tables -----------------------------------------------------------------------------------------


def _listing(sections: Sequence[Section], headings: tuple[str, ...]) -> Iterator[Block]:
    """A table for each section, with its sum, and for equal blocks the sum of all of them."""
    for n, part in enumerate(sections):
        yield Heading(3, _title(sections, n))
        lines = list(part.lines)
        if len(part.lines) > 1:
            lines.append(CountLine("one block" if part.name else "together", "", part.once))
        if part.times > 1:
            lines.append(CountLine(f"{part.times} blocks", f"{part.times} × {part.once:,}", part.total))
        yield _table(headings, lines)


def _title(sections: Sequence[Section], n: int) -> str:
    """Which blocks these are; or where the rest is, seen from the blocks."""
    part = sections[n]
    if part.name:
        stack = part.name.rstrip("0123456789")
        last = f"{stack}{int(part.name.removeprefix(stack)) + part.times - 1}"
        return f"{part.name} to {last}: {part.times} equal blocks" if part.times > 1 else part.name
    before = any(other.name for other in sections[:n])
    after = any(other.name for other in sections[n + 1 :])
    return "Between the blocks" if before and after else "After the blocks" if before else "Before the blocks"


def _table(headings: tuple[str, ...], lines: Sequence[CountLine]) -> Table:
    rows: list[tuple[Spans, ...]] = [
        ((Words(line.name),), (Words(line.expression),), (_number(line.value),)) for line in lines
    ]
    return Table(headings, tuple(rows))


def _total(sections: Sequence[Section]) -> Text:
    return _text("Total: {total}.", total=_number(total(sections)))


def _text(sentence: str, **spans: Span) -> Text:
    return Text(fill_spans(sentence, **spans))


# -- numbers ----------------------------------------------------------------------------------------


def _number(value: int) -> Number:
    return Number(f"{value:,}", value, "", (), "line")


def _real(value: float) -> Number:
    return Number(f"{value:.3g}", value, "", (), "line")


def in_words(value: int, units: Mapping[int, str]) -> str:
    """A large number in words, to three digits.

    >>> in_words(124_439_808, POWERS), in_words(999_999, BYTE_UNITS), in_words(12, BYTE_UNITS)
    ('124 million', '1 MB', '12')
    """
    rounded = float(f"{value:.2e}")
    for power, unit in units.items():
        if rounded >= 10**power:
            return f"{rounded / 10**power:.3g} {unit}"
    return str(value)
