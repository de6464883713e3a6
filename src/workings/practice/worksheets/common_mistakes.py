"""The mistakes that people make most often on a sheet, of those that its blanks show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ...document.blocks import Block, Items, Text, Words
from ..blanks import step_label
from ..sheet import Sheet, SheetMistake
from .key import is_distinguished

MOST = 3
MOST_OF_AN_OP = 2
# The newest idea of a sheet comes first: whoever updates a weight has done a forward pass before.
COMMON = (
    "layer_norm.direct_way", "layer_norm.columns", "layer_norm.root_forgotten",
    "causal_mask.itself_hidden", "causal_mask.turned_into_zero", "softmax.masked_afterwards",
    "divide_by.not_divided", "collect.assigned",
    "add.residual_forgotten", "collect.residual_path_forgotten",
    "relu.mask_forgotten", "relu.forgotten", "linear.bias_forgotten",
    "softmax.average_forgotten", "transpose.not_transposed_back",
    "sgd.added", "sgd.rate_forgotten", "cross_entropy.one_from_all",
    "divide_by_root.not_divided", "softmax.wrong_axis", "softmax.not_normalised", "take_row.other_end",
)  # fmt: skip


def common_mistakes(sheet: Sheet) -> Iterator[Block]:
    """The two or three commonest, each with the first step that shows it.

    >>> from workings.practice.sheet import make_sheet
    >>> [list] = common_mistakes(make_sheet("example-2", seed=0, training_step=True))
    >>> [entry[0].spans[0].text for entry in list.entries]
    ['W_vocab_new', 'W_vocab_new', 'dlogits']
    """
    chosen = _chosen(sheet)
    if chosen:
        yield Items(tuple((_described(sheet, mistake),) for mistake in chosen))


def _described(sheet: Sheet, mistake: SheetMistake) -> Text:
    label = step_label(sheet.trace, sheet.trace.find_step(mistake.step))
    return Text((Words(label, "code"), Words(f": {mistake.hint}")))


def _chosen(sheet: Sheet) -> list[SheetMistake]:
    shown: dict[str, SheetMistake] = {}
    for mistake in sheet.mistakes:
        if mistake.id in COMMON and mistake.id not in shown and _shows(sheet, mistake):
            shown[mistake.id] = mistake
    found: list[SheetMistake] = []
    of_op: Counter[str] = Counter()
    for name in COMMON:
        op = name.partition(".")[0]
        if name in shown and of_op[op] < MOST_OF_AN_OP and len(found) < MOST:
            of_op[op] += 1
            found.append(shown[name])
    return found


def _shows(sheet: Sheet, mistake: SheetMistake) -> bool:
    """Whether a blank tells the mistake from the truth."""
    shape = sheet.trace.find_step(mistake.step).form.shape
    return any(is_distinguished(mistake, blank, shape) for blank in sheet.fields)
