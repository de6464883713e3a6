"""The lines of a count: what each weight or step adds, how that is calculated, and which blocks are equal."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..engine.steps import Step
from ..nn import Module
from .survey import Survey

BLOCK = re.compile(r"(?P<stack>(?:\w+\.)*block)(?P<number>\d+)\.(?P<rest>.+)")


@dataclass(frozen=True)
class CountLine:
    """One line: `block1.attention.W_Q`, `model 768 × joined 768`, 589824."""

    name: str
    expression: str
    value: int

    def renamed(self, name: str) -> CountLine:
        return replace(self, name=name)


@dataclass(frozen=True)
class Section:
    """Lines that belong together. Equal blocks are one section, `times` as many; `name` is that of the first, and the
    names of its lines are relative to it. What is in no block has no name.
    """

    name: str
    lines: tuple[CountLine, ...]
    times: int = 1

    @property
    def once(self) -> int:
        return sum(line.value for line in self.lines)

    @property
    def total(self) -> int:
        return self.times * self.once


def total(sections: Iterable[Section]) -> int:
    return sum(section.total for section in sections)


def in_sections(lines: Iterable[CountLine]) -> tuple[Section, ...]:
    """Lines in sections: equal blocks that follow each other are folded into one.

    >>> lines = [CountLine("E", "3", 3), CountLine("block1.W", "2", 2), CountLine("block2.W", "2", 2)]
    >>> for section in in_sections(lines):
    ...     print(section.name, section.times, section.total)
     1 3
    block1 2 4
    """
    found: list[Section] = []
    for (name, stack), group in itertools.groupby(lines, key=lambda line: _block_of(line.name)):
        inside = tuple(line.renamed(line.name[len(name) + 1 :] if name else line.name) for line in group)
        last = found[-1] if found else Section("", ())
        if name and last.lines == inside and _block_of(f"{last.name}.x")[1] == stack:
            found[-1] = Section(last.name, inside, last.times + 1)
        else:
            found.append(Section(name, inside))
    return tuple(found)


def _block_of(path: str) -> tuple[str, str]:
    """`encoder.block3.attention.W_Q` is in `encoder.block3`, one of the blocks `encoder.block`."""
    match = BLOCK.match(path)
    return (f"{match['stack']}{match['number']}", match["stack"]) if match else ("", "")


def times(sizes: Iterable[int]) -> str:
    """
    >>> times((12, 1024, 64))
    '12 × 1,024 × 64'
    """
    return " × ".join(f"{size:,}" for size in sizes)


# -- parameters -------------------------------------------------------------------------------------


def parameter_lines(model: Module) -> list[CountLine]:
    """Each weight once, with the words of its axes."""
    lines = []
    for path, weight in model.parameters().items():
        sizes = (f"{word} {size:,}".strip() for word, size in zip(weight.axes, weight.shape, strict=True))
        lines.append(CountLine(path, " × ".join(sizes), weight.entries))
    return lines


def is_bias(line: CountLine) -> bool:
    """Whether a weight is the bias of a linear layer. The shift of a norm (beta) is not."""
    return line.name.rpartition(".")[2].startswith("b_")


# -- operations -------------------------------------------------------------------------------------


def product_lines(survey: Survey) -> list[CountLine]:
    """Each matrix product of the forward pass: 2 × terms × entries of the result."""
    return [
        CountLine(step.path, times((2, product.terms, *product.result)), product.flops)
        for step in survey.made("forward")
        for product in survey.work(step).products
    ]


def backward_product_lines(survey: Survey) -> list[CountLine]:
    """The products in the backward rules of each forward product, in the order of the forward pass."""
    made: dict[str, list[int]] = {}
    for step in survey.made("backward"):
        maker = survey.maker_of(step)
        if maker is not None:
            made.setdefault(maker.path, []).extend(product.flops for product in survey.work(step).products)
    lines = []
    for step in survey.made("forward"):
        flops = made.get(step.path, [])
        if flops:
            same = len(set(flops)) == 1
            expression = f"{len(flops)} × {flops[0]:,}" if same else " + ".join(f"{part:,}" for part in flops)
            lines.append(CountLine(step.path, expression, sum(flops)))
    return lines


def entrywise_lines(survey: Survey) -> list[CountLine]:
    """The operations of the forward pass that are not matrix products: for each entry, and for each row."""
    return [
        CountLine(step.path, _entrywise(step, survey.work(step).entrywise), survey.work(step).entrywise)
        for step in survey.made("forward")
        if survey.work(step).entrywise
    ]


def _entrywise(step: Step, flops: int) -> str:
    """Of a softmax `5 × 12 × 1,024 × 1,024`, of a norm `7 × 1,024 × 768 + 4 × 1,024`."""
    shape = step.form.shape
    each, rest = divmod(flops, math.prod(shape))
    rows, odd = divmod(rest, math.prod(shape[:-1]))
    parts = [times((count, *sizes)) for count, sizes in ((each, shape), (rows, shape[:-1]), (odd, ())) if count]
    return " + ".join(parts)


# -- memory -----------------------------------------------------------------------------------------


def trace_lines(survey: Survey, size: int) -> list[CountLine]:
    """What every step stores, at `size` bytes a number; one that shares the memory of another stores nothing."""
    return [_kept(step, size) for step in survey.made("forward") if survey.memory_of(step) is step]


def tape_lines(tape: Survey, size: int) -> list[CountLine]:
    """What a tape stores: the values that some backward rule reads. Weights and token ids are there anyway."""
    held = set()
    for step in tape.made("forward"):
        read = [tape.step(tensor.mark[1]) for tensor in step.saved.values() if tensor.mark is not None]
        own = [step] if step.tensor.array is not None else []
        held |= {tape.memory_of(kept).id for kept in (*read, *own)}
    return [_kept(step, size) for step in tape.made("forward") if step.id in held]


def _kept(step: Step, size: int) -> CountLine:
    return CountLine(step.path, times((size, *step.form.shape)), size * math.prod(step.form.shape))
