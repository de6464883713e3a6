"""The sentences of explanations, under stable keys. See engine/sentences.py for how they are found."""

from __future__ import annotations

import re

from ..engine.sentences import add_sentences, say
from .document import Span, Spans, Words

add_sentences(
    "explain",
    {
        "leaf.given": "given",
        "leaf.parameter": "a weight",
        "leaf.constant": "a constant",
        "leaf.random": "drawn at random",
        "no_hand": "No hand calculation: this step was replaced by {op}.",
        "more_terms": "{count} more",
        "smaller_terms": "{count} smaller",
        "position": "first position of {value} in {row}",
        "position.crossed": "first position of {value} in {row} without {crossed}",
        "more_lines": "Left out: {count} lines that only lead to the rest of a sum.",
        "window": "The corner of {shape}: the rest is in the data.",
        "forward": "Forward",
        "backward": "Backward",
        "update": "Update",
        "after": "after {path}",
        "outside": "outside the modules",
        "shapes": "Shapes",
        "ledger.step": "step",
        "ledger.op": "op",
        "ledger.shape": "shape",
        "broadcast": "{name} is repeated along {axis}, {times} times",
        "gradient": "how the loss changes with each entry of {twin}",
        "gradient.via": "what flows back into {twin} through {via}",
        "gradient.unsummed": "the gradient of {twin} before its repetitions are added up",
        "gradient.sum": "all that flows back into {twin}, added up",
        "new_value": "{twin} after the update",
        "seed": "how much each entry of {twin} counts",
        "given_values": "Given",
        "convention": "Convention: {convention}.",
        "conventions": "Conventions",
        "conventions.about": "What papers, libraries and textbooks do differently. Each column is a convention that "
        "can be named: --convention on the command line, w.convention in Python.",
        "conventions.choice": "choice",
        "conventions.pair": "{one} and {other}",
        "conventions.differ": "{subject} {here}. Elsewhere: {elsewhere}.",
        "conventions.agree": "{subject} {here}.",
        "why": "Why",
        "mistakes": "Mistakes, and what they would give",
        "mistakes.across": "Mistakes that need the steps around",
        "undefined": "There is no gradient here: {reason}",
        "mistake.convention": "You followed another convention. {subject} {choice}.",
        "mistake.value": "{name}: {hint}",
        "mistake.gives": " It gives {value} instead of {truth} at {entry}.",
        "mistake.shape": " It gives the shape {shape} instead of {truth}.",
        "no_gradient": "No gradient for {input}: {reason}",
        "precision": "Numbers: {precision}, shown to {digits} {unit}.",
        "precision.calculator": "Numbers: {precision}. Each line starts from the digits shown.",
        "unit.significant": "significant digits",
        "unit.decimals": "decimals",
        "figure.curve": "Loss from step to step",
        "figure.loss": "loss",
        "figure.held_out": "held out",
        "figure.step": "step",
        "figure.log": "{title} (log scale)",
        "figure.line": "{name}: from {first} at {across} {start} to {last} at {across} {end}; "
        "lowest: {lowest} at {across} {where}.",
        "figure.constant": "{name}: {first} from {across} {start} to {across} {end}.",
        "figure.point": "{name}: {first} at {across} {start}.",
        "figure.thinned": "Each point is the mean of up to {count} values; the band reaches from the lowest to the "
        "highest of them.",
        "figure.missing": "Not drawn: {count} values that are no numbers, or too large.",
        "figure.runs": "Loss of several runs",
        "figure.corner": "The first {rows} rows and {columns} columns of {shape}: the rest is in the data.",
        "figure.which": "The first of {count} matrices; {next} is the next one.",
        "figure.first": "The first {shown} of {count}: the rest is in the data.",
        "figure.heatmap": "{title} as a heatmap, {rows} by {columns}: the lowest entry is {lowest} at {where_lowest}, "
        "the highest {highest} at {where_highest}.",
        "figure.heatmap.same": "{title} as a heatmap, {rows} by {columns}: every entry is {lowest}.",
        "figure.heatmap.hidden": "Entries without a colour are -∞ or no numbers: {count}.",
        "figure.place": "({row}, {column})",
        "figure.mask": "{title}: who may look at whom",
        "figure.mask.row": "{row} sees {columns}.",
        "figure.mask.row.none": "{row} sees nothing.",
        "figure.mask.row.all": "{row} sees all {count}.",
        "figure.mask.many": "In {seen} of {count} places a row may look at a column.",
        "figure.bars.group": "{group}: {bars}.",
        "figure.bars.many": "{count} bars from {lowest} ({where_lowest}) to {highest} ({where_highest})",
        "figure.flow": "From step to step",
        "figure.flow.under": "From step to step in {under}",
        "figure.flow.node": "{name} comes from {inputs} by {op}.",
        "figure.flow.leaf": "Given: {names}.",
        "figure.flow.folded": "{count} steps",
        "figure.flow.weights": "{count} weights",
        "figure.flow.modules": "There are {count} steps: those of a module are drawn as one.",
        "figure.flow.cut": "Only the first {shown} of {count} are drawn.",
        "figure.flow.one_step": "This is {scope}, the first of {count} alike.",
        "figure.links": "{title} as lines",
        "figure.links.row": "From {row} to {ends}.",
        "figure.links.strongest": "From {row} the strongest line leads to {column}: {number}.",
        "figure.links.none": "From {row} no line leads anywhere.",
        "figure.links.negative": "A broken line stands for a negative number.",
        "figure.windows": "{title}: what each position may see",
        "figure.vectors": "{titles} as arrows",
        "figure.chain": "{title} along a chain",
        "figure.chain.several": "{first} to {last}",
        "figure.chain.state": "{name} {number}",
        "figure.chain.word": "{name} ({word}) {number}",
        "figure.chain.largest": "Of each state the entry that is largest by size.",
        "figure.heads": "Several heads",
        "figure.heads.under": "The heads of {module}",
        "figure.heads.more": "There are others: {modules}.",
        "figure.heads.inputs": "{names} goes into {count} heads.",
        "figure.heads.head": "{name}: {sizes}, its largest weight is {number}, from {row} to {column}.",
        "figure.heads.joined": "They are joined to {name}: {sizes}.",
        "figure.heads.mixed": "With {weight}: {weight_sizes}, {result} is made of it: {sizes}.",
        "figure.plane": "{title} as points in a plane",
        "figure.plane.several": "Points in a plane: {titles}",
        "figure.plane.point": "{label} at ({across}, {up})",
        "figure.plane.trail": "{label} from ({across}, {up}) to ({to_across}, {to_up})",
        "figure.plane.more": "{count} more",
    },
)
add_sentences(
    "error",
    {
        "figure.at": "There is no matrix at {at} in {shape}.",
        "figure.at.try": "Give a place, counted from 0, for each axis before the last two, or none.",
        "figure.nothing": "There is no entry that could be drawn.",
        "figure.nothing.try": "Choose a step with finite numbers.",
        "figure.mask": "{name} is no mask: its entries are neither 0 and 1 nor -∞ in some places.",
        "figure.mask.try": "Name a step of a mask: {paths}.",
        "figure.mask.none": "{name} is no mask, and nothing is masked here.",
        "figure.mask.none.try": "Name a matrix of 0 and 1, or a step of the op causal_mask, padding_mask or mask.",
        "figure.plane": "{form} has no rows of two or more numbers that could be points in a plane.",
        "figure.plane.try": "Choose a matrix, such as an embedding.",
        "figure.plane.axes": "There are no entries {axes} in a row of {count}.",
        "figure.plane.axes.try": "Give two different places from 0 to {last}.",
        "figure.links": "{form} has no rows and columns between which lines could lead.",
        "figure.links.try": "Choose a matrix, such as the weights of attention.",
        "figure.windows": "{form} has no row for each position.",
        "figure.windows.try": "Name the matrix of a mask: a step of the op causal_mask, or a matrix of 0 and 1.",
        "figure.vectors": "{form} has no vectors of two or more numbers that could be arrows.",
        "figure.vectors.try": "Choose a vector, or a matrix whose rows have at least two entries.",
        "figure.chain": "{form} is no chain of states.",
        "figure.chain.try": "Choose a vector with an entry, or a matrix with a row, for each of two states or more; or "
        "name several steps.",
        "figure.chain.names": "{named} names or words are given, but the chain has {count} states.",
        "figure.chain.names.try": "Give one for each state, or none.",
        "figure.heads": "There are no heads that are joined.",
        "figure.heads.try": "Choose a model with several heads: heads that are modules of their own, or in one array "
        "with an axis head.",
        "figure.heads.under": "No heads are joined in '{under}'.",
        "figure.heads.under.try": "Name one of these, or none: {modules}.",
        "figure.flow": "There is no step under '{under}'.",
        "figure.flow.try": "Modules: {nearest}.",
    },
)


def say_spans(key: str, **spans: Span | Spans) -> Spans:
    """A sentence with spans in it: each {name} becomes its span, or its spans, so that a number stays a number."""
    pieces = re.split(r"\{(\w+)\}", say(key, **{name: f"{{{name}}}" for name in spans}))
    found: list[Span] = []
    for n, piece in enumerate(pieces):
        part = spans[piece] if n % 2 else Words(piece)
        found += part if isinstance(part, tuple) else (part,)
    return tuple(span for span in found if span != Words(""))


__all__ = ["say", "say_spans"]
