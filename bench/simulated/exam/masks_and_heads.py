"""Mistakes with masks, heads and the output projection."""

from __future__ import annotations

import numpy as np

from ..fresh.lessons import Decoder, Heads, Layers, Masked
from ..heldout.attention import softmax
from ..heldout.block import HEADS, Block
from ..heldout.cache import Cached
from ..heldout.examinee import Examinee
from ..heldout.hello_world import HelloWorld
from ..programs.paper import Array

A = "block1.attention"

# -- masks -----------------------------------------------------------------------------------------------


class EarlierTokensHidden(Masked):
    wrong_step, names = "masked", frozenset({"causal_mask.upper_triangle"})
    says = (
        "The wrong triangle is kept, so that tokens attend to later ones: they attend to themselves and earlier ones."
    )

    def mask(self, scaled: Array) -> Array:
        return np.where(np.tri(len(scaled), dtype=bool).T, scaled, -np.inf)


class MaskOfOnesAdded(Masked):
    wrong_step, names = "masked", frozenset({"causal_mask.marks_added", "mask.marks_added"})
    says = "The matrix of ones and zeros is added to the scores: where it has a 0, the score becomes -∞."

    def mask(self, scaled: Array) -> Array:
        return scaled + np.tri(len(scaled))


class HiddenScoresAreZero(Decoder):
    wrong_step, names = f"{A}.masked", frozenset({"causal_mask.turned_into_zero", "mask.turned_into_zero"})
    says = "The scores are multiplied by the mask, so that hidden ones are 0 and still get a weight: they become -∞."

    def mask(self, scaled: Array) -> Array:
        return scaled * np.tri(scaled.shape[-1])


class OneTokenAhead(Decoder):
    wrong_step, names = f"{A}.masked", frozenset({"causal_mask.one_ahead"})
    says = "The mask hides from the second token after a query on: it also hides the first one after it."

    def mask(self, scaled: Array) -> Array:
        return np.where(np.tri(scaled.shape[-1], k=1, dtype=bool), scaled, -np.inf)


class NoMask(Block):
    wrong_step, names = "masked", frozenset({"causal_mask.forgotten", "mask.forgotten"})
    says = "Every token attends to every other: in a decoder, later tokens are hidden."

    def masked(self, scaled: Array) -> Array:
        return scaled


class PromptWithoutMask(Cached):
    wrong_step, names = "token1.block1.attention.masked", frozenset({"causal_mask.forgotten", "mask.forgotten"})
    says = "The first token of the prompt attends to the second: within the prompt, later tokens are hidden too."

    def masked(self, scaled: Array) -> Array:
        return scaled


class MaskedTooLate(Block):
    wrong_step, names = "weights", frozenset({"softmax.masked_afterwards"})
    says = "The softmax includes hidden tokens, and their weights become 0 afterwards: hidden scores are -∞ before it."

    def weights(self, visible: Array, scores: Array) -> Array:
        return softmax(self.written["scaled"]) * np.tri(visible.shape[-1])


# -- heads -----------------------------------------------------------------------------------------------


class HeadsByReshapeAlone(Block):
    wrong_step, names = (
        "Q_heads",
        frozenset({"merge_heads.back_without_transpose", "permute.reshaped", "split_heads.reshape_without_transpose"}),
    )  # the gradients are cut in the same way
    says = "Queries are reshaped to (heads, tokens, width), which mixes tokens: each head gets a range of columns."

    def split(self, whole: Array) -> Array:
        return whole.reshape(HEADS, len(whole), -1)


class HeadsOfEverySecondColumn(Decoder):
    wrong_step, names = f"{A}.Q_heads", frozenset({"split_heads.interleaved"})
    says = "A head gets every second column: it gets columns that are next to each other."

    def split(self, part: Array, heads: int) -> Array:
        return part.reshape(len(part), -1, heads).transpose(2, 0, 1)


class HeadsMergedByReshapeAlone(Heads):
    wrong_step, names = f"{A}.joined", frozenset({"merge_heads.reshape_without_transpose", "permute.reshaped"})
    says = "Heads are joined by a reshape alone, which mixes tokens: heads and tokens change places first."

    def merge(self, parts: Array) -> Array:
        return parts.reshape(parts.shape[1], -1)


class NoOutputProjection(Layers):
    wrong_step, names = f"{A}.attended", frozenset({"linear.weight_forgotten", "matmul.weight_forgotten"})
    says = "The joined heads leave attention as they are: they are multiplied by W_O first."

    def project(self, at: str, x: Array, weight: Array) -> Array:
        return x if at.endswith("attended") else super().project(at, x, weight)


class OutputMatrixTransposed(HelloWorld):
    wrong_step, names = "attended", frozenset({"linear.weight_transposed", "matmul.second_transposed"})
    says = "The joined heads are multiplied by the transposed W_O: W_O is used as it is given."

    def mixed(self, joined: Array) -> Array:
        return joined @ self.given["W_O"].T


PEOPLE: tuple[type[Examinee], ...] = (
    EarlierTokensHidden, MaskOfOnesAdded, HiddenScoresAreZero, OneTokenAhead, NoMask, PromptWithoutMask, MaskedTooLate,
    HeadsByReshapeAlone, HeadsOfEverySecondColumn, HeadsMergedByReshapeAlone, NoOutputProjection,
    OutputMatrixTransposed,
)  # fmt: skip
