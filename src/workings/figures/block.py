"""A transformer block as a residual stream: its sublayers read from the stream, and add to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.cells import cell_len

from ..document.blocks import Figure, FigureData
from ..document.monospace import Plain, shape_text
from ..document.notation import Notation, name_of
from ..engine.recording import Recording
from .parts.block_drawing import BlockDrawing
from .parts.options import NoOptions
from .parts.page import FigureExample, FigureRequest, RunFigurePage, Takes
from .parts.text_labels import fit
from .parts.transformer_block import BlockPart, BlockSublayer, block_in

STREAM, READS, PASSES, ADDS, NORMS, REPLACES = "│", "├──→ ", "└──→ ", "⊕←── ", "◇     ", "←──── "
GAP = 2
ASCII_SIGNS = {"│": "|", "├──→": "|-->", "└──→": "'-->", "⊕←──": "+<--", "◇": "o", "←────": "<----"}


@dataclass(frozen=True)
class TransformerBlock(FigureData):
    """The form `block`: a transformer block. `axes` and `shape` are those of what goes in, `step`; `result` is what
    comes out. It is number `place` of `count` blocks that are alike.
    """

    path: str
    place: int
    count: int
    step: str
    name: str
    axes: tuple[str, ...]
    shape: tuple[int, ...]
    sublayers: tuple[BlockSublayer, ...]
    result: str


class BlockPage(RunFigurePage[TransformerBlock, NoOptions]):
    """A block is drawn as a residual stream: attention and the feed-forward network read from it and add to it. Every
    line says how many numbers a token has there, so that you see where the model is wide. It needs no values:
    `workings figure paper-base block` draws any model that `workings count` knows by name.
    """

    name = "block"
    summary = "a transformer block as a residual stream, with the width of every part"
    takes = Takes.MODULE
    data = TransformerBlock
    needs_values = False
    example = FigureExample("cat-sat-encoder")

    def build(self, request: FigureRequest, options: NoOptions) -> Figure:
        trace = request.trace
        return block_of(trace.recording, "".join(request.names), trace.style.notation)

    def svg(self, figure: Figure, data: TransformerBlock) -> str:
        drawing = BlockDrawing(figure, data.name, data.axes, data.shape, data.path, data.count)
        return drawing.svg(data.sublayers)

    def text(self, data: TransformerBlock, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
        """The stream at the left, and each sublayer beside it."""
        rows = [("", data.name, _shape(data)), (STREAM, "", "")]
        for sublayer in data.sublayers:
            rows += _text_rows(sublayer)
        rows.append(("", f"contextualized embeddings of {data.path}", _shape(data)))
        listed = [(_in_signs(mark, fine), plain(words), plain(sizes)) for mark, words, sizes in rows]
        widest = max(cell_len(sizes) for mark, _, sizes in listed if mark)
        column = max(min(max(cell_len(mark + words) for mark, words, _ in listed), width - widest - GAP), 8)
        lines = []
        for mark, words, sizes in listed:
            label = mark + fit(words, column - cell_len(mark), fine)
            lines.append(
                f"{label}{' ' * (column - cell_len(label))}  {fit(sizes, width - column - GAP, fine)}".rstrip()
            )
        return lines


def _in_signs(words: str, fine: bool) -> str:
    for sign, instead in () if fine else ASCII_SIGNS.items():
        words = words.replace(sign, instead)
    return words


def _shape(data: TransformerBlock) -> str:
    return shape_text(data.axes, data.shape)


def _text_rows(sublayer: BlockSublayer) -> Iterator[tuple[str, str, str]]:
    """Each as what is drawn of the stream, words, and sizes."""
    yield (READS if sublayer.residual else PASSES), sublayer.name, ""
    mark = f"{STREAM if sublayer.residual else ' '}     "
    if sublayer.norm is not None and not sublayer.norm_after:
        yield mark, sublayer.norm.name, sublayer.norm.leaves.text
    for part in sublayer.parts:
        if part.heads is not None:
            yield mark, heads_in_words(part), ""
        yield mark, part.detail if part.heads is not None else f"{part.name} {part.detail}".rstrip(), _sizes(part)
    last = sublayer.parts[-1].leaves.text
    yield (ADDS, "added to the residual stream", last) if sublayer.residual else (REPLACES, "no residual", last)
    if sublayer.norm is not None and sublayer.norm_after:
        yield NORMS, sublayer.norm.name, sublayer.norm.leaves.text
    yield STREAM, "", ""


def heads_in_words(part: BlockPart) -> str:
    assert part.heads is not None
    assert part.head_size is not None
    many = "s" if part.heads.text != "1" else ""
    mask = f", {part.name}" if part.name else ""
    return f"{part.heads.text} head{many} of {part.head_size.text}{mask}"


def _sizes(part: BlockPart) -> str:
    return f"{part.enters.text} → {part.leaves.text}" if part.enters.text != part.leaves.text else part.leaves.text


def block_of(recording: Recording, under: str = "", notation: Notation | None = None) -> Figure:
    """The block of this name, or the first one: what its sublayers read and add, and how wide every part is.

    >>> import workings as w
    >>> figure = block_of(w.scenario("block").trace().recording)
    >>> [sublayer.name for sublayer in figure.data.sublayers]
    ['Self-attention', 'Feed-forward network']
    >>> print(figure.alternative.partition(". ")[2])
    Self-attention reads it through LayerNorm: Q 4, K 4, V 4, 2 heads of 2, causal mask, W_O 4; its result is added to \
the stream. Feed-forward network reads it through LayerNorm: W_1 6, ReLU 6, W_2 4; its result is added to the stream.
    """
    notation = notation or Notation()
    found = block_in(recording, under, notation)
    form = notation.form(found.start.form)
    data = TransformerBlock(
        found.path or "block",
        found.place,
        found.count,
        found.start.id,
        found.name or name_of(recording, found.start, notation),
        form.axes,
        form.shape,
        found.sublayers,
        found.end.id,
    )
    return Figure("block", f"The residual stream of {data.path}", data, _in_sentences(data))


def _in_sentences(data: TransformerBlock) -> str:
    shape = _shape(data)
    sentences = [f"{data.name} ({shape}) flows through {data.path} as the residual stream."]
    for sublayer in data.sublayers:
        norm = sublayer.norm
        reads = f"{sublayer.name} reads it"
        if norm is not None and not sublayer.norm_after:
            reads += f" through {norm.name}"
        parts = (
            f"{part.name} {part.leaves.text}" if part.role != "attention" else heads_in_words(part)
            for part in sublayer.parts
        )
        adds = "its result is added to the stream" if sublayer.residual else "its result replaces the stream"
        after = f", then {norm.name}" if norm is not None and sublayer.norm_after else ""
        sentences.append(f"{reads}: {', '.join(parts)}; {adds}{after}.")
    return " ".join(sentences)


block = BlockPage()
