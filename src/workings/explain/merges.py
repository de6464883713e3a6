r"""Byte pairs as pages: how a text becomes tokens merge by merge, and which merges were learned.

A token is shown as Python writes it. Whole characters are text, such as ' the'; bytes that are only a part of a
character keep their b, such as b'\xc3'.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..engine.sentences import add_sentences
from ..text import BytePairs, Merge, Piece
from .document import Block, Document, Heading, Number, Span, Spans, Table, Text, Words
from .sentences import say, say_spans

PIECES = 12  # pieces of a text that are shown merge by merge
MERGES = 40  # rows of the table of merges

add_sentences(
    "explain",
    {
        "merging": "Merging",
        "merging.pieces": "First the text is cut into pieces: a word takes the space before it along, and nothing is "
        "joined across a cut. Characters: {characters}, bytes: {bytes}, pieces: {pieces}, tokens: {tokens}.",
        "merging.order": "Within a piece, the merge that was learned first is carried out first, wherever it fits. It "
        "ends when no two neighbours are a pair that was learned.",
        "merging.bytes": "bytes",
        "merging.special": "A special token stays whole.",
        "merging.single": "Nothing is joined here.",
        "merging.more": "Different pieces left out: {count}. They go the same way.",
        "merging.column.piece": "piece",
        "merging.column.tokens": "tokens",
        "merging.column.ids": "ids",
        "merging.column.merge": "merge",
        "merging.column.pair": "pair",
        "learning": "Learned merges",
        "learning.size": "Bytes: {bytes}, special tokens: {special}, made by merges: {made}. Together {size} entries.",
        "learning.order": "Each time, the pair that stood side by side most often became one token, and then all was "
        "counted again. Of pairs that were equally frequent, the first in the order of its bytes was taken.",
        "learning.uncounted": "The merges stand in the order in which they are carried out. How often each pair "
        "stood side by side when it was learned is not known here.",
        "learning.none": "No merge was learned: every token is a byte.",
        "learning.more": "Merges left out here: {count}.",
        "learning.column.merge": "merge",
        "learning.column.left": "left",
        "learning.column.right": "right",
        "learning.column.joined": "together",
        "learning.column.count": "side by side",
    },
)


def merging_document(vocabulary: BytePairs, text: str, most: int = PIECES) -> Document:
    """How a text becomes tokens. At most so many different pieces are shown merge by merge.

    >>> merging_document(BytePairs.learn("low lower lowest", 258), "slow").title
    'Merging'
    """
    return Document(say("explain.merging"), tuple(_merging(text, vocabulary.merging(text).pieces, most)))


def learning_document(vocabulary: BytePairs, most: int = MERGES) -> Document:
    """What was learned. Of more merges than this, the first and the last are shown.

    >>> [block.kind for block in learning_document(BytePairs.learn("low lower lowest", 258)).blocks]
    ['text', 'text', 'table']
    """
    return Document(say("explain.learning"), tuple(_learning(vocabulary, most)))


# -- a text ------------------------------------------------------------------------------------------


def _merging(text: str, pieces: tuple[Piece, ...], most: int) -> Iterator[Block]:
    counts = {"characters": len(text), "bytes": len(text.encode()), "pieces": len(pieces)}
    tokens = sum(len(piece.ids) for piece in pieces)
    yield Text(say_spans("explain.merging.pieces", **_numbers(counts), tokens=_number(tokens)))
    different, most = list(dict.fromkeys(pieces)), max(most, 1)
    rows = [
        (_words(shown(piece.text.encode())), _ids(piece.ids), _words(_row(piece.states[-1].tokens)))
        for piece in different
    ]
    yield Table(_columns("piece", "ids", "tokens"), tuple(rows[:most]))
    yield from _left_out("explain.merging.more", len(different) - most)
    yield Text(say_spans("explain.merging.order"))
    for piece in different[:most]:
        yield Heading(2, shown(piece.text.encode()))
        yield from _states(piece)


def _states(piece: Piece) -> Iterator[Block]:
    if len(piece.states) == 1:
        yield Text(say_spans("explain.merging.special" if piece.special else "explain.merging.single"))
        return
    rows = []
    for state in piece.states:
        number = (_number(state.merge.number),) if state.merge else ()
        pair = " + ".join(map(shown, state.merge.pair)) if state.merge else say("explain.merging.bytes")
        rows.append((number, _words(pair), _words(_row(state.tokens))))
    yield Table(_columns("merge", "pair", "tokens"), tuple(rows))


# -- what was learned ----------------------------------------------------------------------------------


def _learning(vocabulary: BytePairs, most: int) -> Iterator[Block]:
    merges, special = vocabulary.merges, len(vocabulary.special)
    made = len(vocabulary) - special - 256
    counts = {"bytes": 256, "special": special, "made": made, "size": len(vocabulary)}
    yield Text(say_spans("explain.learning.size", **_numbers(counts)))
    if not merges:
        yield Text(say_spans("explain.learning.none"))
        return
    counted = all(merge.count is not None for merge in merges)  # a file does not say
    yield Text(say_spans("explain.learning.order" if counted else "explain.learning.uncounted"))
    end = most // 4 if len(merges) > most else 0
    first, last = merges[: max(most - end, 1)], merges[len(merges) - end :]
    yield _merge_table(first, counted)
    yield from _left_out("explain.learning.more", len(merges) - len(first) - len(last))
    if last:
        yield _merge_table(last, counted)


def _merge_table(merges: tuple[Merge, ...], counted: bool) -> Table:
    rows = []
    for merge in merges:
        tokens = (_words(shown(content)) for content in (merge.left, merge.right, merge.joined))
        count = () if merge.count is None or not counted else ((_number(merge.count),),)
        rows.append(((_number(merge.number),), *tokens, *count))
    names = ("merge", "left", "right", "joined", *(("count",) if counted else ()))
    return Table(tuple(say(f"explain.learning.column.{name}") for name in names), tuple(rows))


# -- what both have in common --------------------------------------------------------------------------


def shown(content: bytes) -> str:
    r"""A token for people. Its spaces are such that no page breaks a line at them or drops one of several.

    >>> shown(" é\n".encode()).replace("\u00a0", "_"), shown(b"\xc3")
    ("'_é\\n'", "b'\\xc3'")
    """
    try:
        written = repr(content.decode())
    except UnicodeDecodeError:
        written = repr(content)
    return written.replace(" ", "\u00a0")


def _row(tokens: Iterable[bytes]) -> str:
    return " ".join(map(shown, tokens))


def _columns(*names: str) -> tuple[str, ...]:
    return tuple(say(f"explain.merging.column.{name}") for name in names)


def _left_out(key: str, count: int) -> Iterator[Block]:
    if count > 0:
        yield Text(say_spans(key, count=_number(count)))


def _words(text: str) -> Spans:
    return (Words(text),)


def _number(value: int) -> Number:
    return Number(f"{value:,}", value, "", (), "line")


def _numbers(values: dict[str, int]) -> dict[str, Span]:
    return {name: _number(value) for name, value in values.items()}


def _ids(ids: tuple[int, ...]) -> Spans:
    """Ids are names of tokens: they are written without a comma."""
    spans: list[Span] = []
    for id in ids:
        spans += [Words(" "), Number(str(id), id, "", (), "line")] if spans else [Number(str(id), id, "", (), "line")]
    return tuple(spans)
