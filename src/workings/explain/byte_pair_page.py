r"""Byte pairs as documents: how a text becomes tokens merge by merge, and which merges were learned.

A token looks as in Python. Whole characters are text, such as ' the'; bytes that are only a part of a character keep
their b, such as b'\xc3'.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..document.blocks import Block, Document, Heading, Number, Span, Spans, Table, Text, Words, fill_spans
from ..text import BytePairs, Merge, Piece

MAX_PIECES = 12  # pieces of a text that are shown merge by merge
MAX_MERGES = 40  # rows of the table of merges


def merging_document(vocabulary: BytePairs, text: str, most: int = MAX_PIECES) -> Document:
    """How a text becomes tokens, with at most so many different pieces merge by merge.

    >>> merging_document(BytePairs.learn("low lower lowest", 258), "slow").title
    'Merging'
    """
    return Document("Merging", tuple(_merging(text, vocabulary.merging(text).pieces, most)))


def learning_document(vocabulary: BytePairs, most: int = MAX_MERGES) -> Document:
    """The learned merges; of more than `most`, the first and the last.

    >>> [block.kind for block in learning_document(BytePairs.learn("low lower lowest", 258)).blocks]
    ['text', 'text', 'table']
    """
    return Document("Learned merges", tuple(_learning(vocabulary, most)))


# -- a text ------------------------------------------------------------------------------------------


def _merging(text: str, pieces: tuple[Piece, ...], most: int) -> Iterator[Block]:
    counts = {"characters": len(text), "bytes": len(text.encode()), "pieces": len(pieces)}
    tokens = sum(len(piece.ids) for piece in pieces)
    yield Text(
        fill_spans(
            "The tokenizer first splits the text into pieces: a word keeps the space before it, and no merge crosses "
            "the end of a piece. Characters: {characters}, bytes: {bytes}, pieces: {pieces}, tokens: {tokens}.",
            **_numbers(counts),
            tokens=_number(tokens),
        )
    )
    different, most = list(dict.fromkeys(pieces)), max(most, 1)
    rows = [
        (_words(token_text(piece.text.encode())), _ids(piece.ids), _words(_row(piece.states[-1].tokens)))
        for piece in different
    ]
    yield Table(("piece", "ids", "tokens"), tuple(rows[:most]))
    if len(different) > most:
        more = _number(len(different) - most)
        yield Text(fill_spans("Not shown: {count} more different pieces, merged in the same way.", count=more))
    yield _sentence(
        "Within a piece, the tokenizer applies the merge that was learned first, wherever it fits, until no two "
        "neighbors are a learned pair."
    )
    for piece in different[:most]:
        yield Heading(2, token_text(piece.text.encode()))
        yield from _states(piece)


def _states(piece: Piece) -> Iterator[Block]:
    if len(piece.states) == 1:
        yield _sentence("A special token stays whole." if piece.special else "No merge applies here.")
        return
    rows = []
    for state in piece.states:
        number = (_number(state.merge.number),) if state.merge else ()
        pair = " + ".join(map(token_text, state.merge.pair)) if state.merge else "bytes"
        rows.append((number, _words(pair), _words(_row(state.tokens))))
    yield Table(("merge", "pair", "tokens"), tuple(rows))


# -- what was learned ----------------------------------------------------------------------------------


def _learning(vocabulary: BytePairs, most: int) -> Iterator[Block]:
    merges, special = vocabulary.merges, len(vocabulary.special)
    made = len(vocabulary) - special - 256
    counts = {"bytes": 256, "special": special, "made": made, "size": len(vocabulary)}
    yield Text(
        fill_spans(
            "Entries of the vocabulary: {size} (bytes: {bytes}, special tokens: {special}, merged tokens: {made}).",
            **_numbers(counts),
        )
    )
    if not merges:
        yield _sentence("No merge was learned: every token is a byte.")
        return
    counted = all(merge.count is not None for merge in merges)  # a file does not say
    yield _sentence(
        "Training joined the most frequent pair of neighbors into one token, counted all pairs again, and so on. Of "
        "equally frequent pairs, it took the first in byte order."
        if counted
        else "The merges are in the order in which they are applied. How often each pair occurred in training is not "
        "known here."
    )
    end = most // 4 if len(merges) > most else 0
    first, last = merges[: max(most - end, 1)], merges[len(merges) - end :]
    yield _merge_table(first, counted)
    left_out = len(merges) - len(first) - len(last)
    if left_out:
        yield Text(fill_spans("Not shown: {count} merges.", count=_number(left_out)))
    if last:
        yield _merge_table(last, counted)


def _merge_table(merges: tuple[Merge, ...], counted: bool) -> Table:
    rows = []
    for merge in merges:
        tokens = (_words(token_text(content)) for content in (merge.left, merge.right, merge.joined))
        count = () if merge.count is None or not counted else ((_number(merge.count),),)
        rows.append(((_number(merge.number),), *tokens, *count))
    return Table(("merge", "left", "right", "merged", *(("count",) if counted else ())), tuple(rows))


# -- tokens and numbers --------------------------------------------------------------------------------


def token_text(content: bytes) -> str:
    r"""A token for a reader. Its spaces do not break, so that no page ends a line at them or drops one of several.

    >>> token_text(" é\n".encode()).replace("\u00a0", "_"), token_text(b"\xc3")
    ("'_é\\n'", "b'\\xc3'")
    """
    try:
        text = repr(content.decode())
    except UnicodeDecodeError:
        text = repr(content)
    return text.replace(" ", "\u00a0")


def _row(tokens: Iterable[bytes]) -> str:
    return " ".join(map(token_text, tokens))


def _sentence(text: str) -> Text:
    return Text(_words(text))


def _words(text: str) -> Spans:
    return (Words(text),)


def _number(value: int) -> Number:
    return Number(f"{value:,}", value, "", (), "line")


def _numbers(values: dict[str, int]) -> dict[str, Span]:
    return {name: _number(value) for name, value in values.items()}


def _ids(ids: tuple[int, ...]) -> Spans:
    """The ids of tokens, without commas inside a number."""
    spans: list[Span] = []
    for id in ids:
        spans += [Words(" "), Number(str(id), id, "", (), "line")] if spans else [Number(str(id), id, "", (), "line")]
    return tuple(spans)
