"""What people do wrong in attention, going forward."""

from __future__ import annotations

import numpy as np

from .cat_sleeps import CatSleeps
from .masking import Masking
from .operations import Calculation, turned
from .paper import Array, Person, person
from .transformer import (
    Example1,
    Example2,
    Example3,
    Example5,
    Example6,
    HeadsAndLayers,
    MultiHead,
    PositionalEncoding,
    ResidualAttention,
    SmallDecoder,
)

# -- projections -----------------------------------------------------------------------------------------


class KeyWeightTransposed(Calculation):
    names = frozenset({"matmul.second_transposed"})

    def project(self, at: str, x: Array, weight: Array) -> Array:
        return x @ weight.T if at.endswith(".K") else super().project(at, x, weight)


class EveryWeightTransposed(Calculation):
    """As in a program that has its weights from PyTorch."""

    names = frozenset({"matmul.second_transposed", "linear.weight_transposed"})

    def project(self, at: str, x: Array, weight: Array) -> Array:
        return x @ weight.T if at[-2:] in (".Q", ".K", ".V") else super().project(at, x, weight)


class KeysWithQueryWeight(Calculation):
    names = frozenset({"matmul.other_weight"})

    def project(self, at: str, x: Array, weight: Array) -> Array:
        return x @ self.given[f"{at[:-1]}W_Q"] if at.endswith(".K") else super().project(at, x, weight)


class EntryByEntry(Calculation):
    names = frozenset({"matmul.entry_by_entry"})

    def project(self, at: str, x: Array, weight: Array) -> Array:
        return x * weight if at.endswith(".Q") else super().project(at, x, weight)


class WeightFirst(Calculation):
    """W x in place of x W."""

    names = frozenset({"matmul.reversed"})

    def project(self, at: str, x: Array, weight: Array) -> Array:
        return weight @ x if at.endswith(".V") else super().project(at, x, weight)


class OutputWeightForgotten(Calculation):
    names = frozenset({"matmul.weight_forgotten"})

    def project(self, at: str, x: Array, weight: Array) -> Array:
        return x if at.endswith(".attended") else super().project(at, x, weight)


class OutputWeightTransposed(Calculation):
    names = frozenset({"matmul.second_transposed"})

    def project(self, at: str, x: Array, weight: Array) -> Array:
        return x @ weight.T if at.endswith(".attended") else super().project(at, x, weight)


class VocabularyTransposed(Calculation):
    names = frozenset({"matmul.second_transposed"})

    def project(self, at: str, x: Array, weight: Array) -> Array:
        return x @ weight.T if at == "logits" else super().project(at, x, weight)


# -- attention -------------------------------------------------------------------------------------------


class KeysNotTransposed(Calculation):
    names = frozenset({"matmul.second_transposed"})

    def scores(self, q: Array, k: Array) -> Array:
        return q @ k


class KeysAskQueries(Calculation):
    names = frozenset({"matmul.queries_and_keys_exchanged"})

    def scores(self, q: Array, k: Array) -> Array:
        return k @ turned(q)


class NotScaled(Calculation):
    names = frozenset({"divide_by_root.not_divided"})

    def scale(self, scores: Array, size: int, width: int) -> Array:
        return scores


class DividedBySize(Calculation):
    names = frozenset({"divide_by_root.root_forgotten"})

    def scale(self, scores: Array, size: int, width: int) -> Array:
        return scores / size


class MultipliedByRoot(Calculation):
    names = frozenset({"divide_by_root.multiplied"})

    def scale(self, scores: Array, size: int, width: int) -> Array:
        return scores * np.sqrt(size)


class RootOfWidth(Calculation):
    names = frozenset({"divide_by_root.root_of_model"})

    def scale(self, scores: Array, size: int, width: int) -> Array:
        return scores / np.sqrt(width)


class RootOfTokens(Calculation):
    names = frozenset({"divide_by_root.root_of_keys"})

    def scale(self, scores: Array, size: int, width: int) -> Array:
        return scores / np.sqrt(scores.shape[-1])


# Whoever hid nothing, or others, goes back through the same mask: that is no untruth.
LET_THROUGH = "causal_mask.gradient_let_through"


class MaskForgotten(Calculation):
    names = frozenset({"causal_mask.forgotten", "mask.forgotten", "softmax.mask_forgotten", LET_THROUGH})

    def mask(self, scaled: Array) -> Array:
        return scaled


class MaskOneAhead(Calculation):
    names = frozenset({"causal_mask.one_ahead", LET_THROUGH})

    def mask(self, scaled: Array) -> Array:
        return np.where(np.tri(scaled.shape[-1], k=1, dtype=bool), scaled, -np.inf)


class PastHidden(Calculation):
    names = frozenset({"causal_mask.upper_triangle", LET_THROUGH})

    def mask(self, scaled: Array) -> Array:
        return np.where(np.tri(scaled.shape[-1], dtype=bool).T, scaled, -np.inf)


class MaskedWithZero(Calculation):
    names = frozenset({"causal_mask.turned_into_zero", LET_THROUGH})

    def mask(self, scaled: Array) -> Array:
        return np.where(np.tri(scaled.shape[-1], dtype=bool), scaled, 0.0)


class WeightsOfUnmasked(Calculation):
    """The mask is there, and the softmax reads the scores before it."""

    names = frozenset({"softmax.mask_forgotten"})

    def mask(self, scaled: Array) -> Array:
        self.before_mask = scaled
        return super().mask(scaled)

    def attention_weights(self, scaled: Array) -> Array:
        return super().attention_weights(self.before_mask)


class MaskedAfterwards(WeightsOfUnmasked):
    names = frozenset({"softmax.masked_afterwards"})

    def attention_weights(self, scaled: Array) -> Array:
        return np.where(np.isneginf(scaled), 0.0, super().attention_weights(scaled))


class DownTheColumns(Calculation):
    """The weights of a key sum to 1, not those of a query."""

    names = frozenset({"softmax.wrong_axis"})

    def attention_weights(self, scaled: Array) -> Array:
        return turned(self.softmax(turned(scaled)))


class WeightsNotNormalized(Calculation):
    names = frozenset({"softmax.not_normalised"})

    def attention_weights(self, scaled: Array) -> Array:
        return np.exp(scaled)


class NoExponential(Calculation):
    names = frozenset({"softmax.no_exponential"})

    def attention_weights(self, scaled: Array) -> Array:
        return scaled / scaled.sum(axis=-1, keepdims=True)


class OneSumForAll(Calculation):
    """All entries of the matrix sum to 1."""

    names = frozenset({"softmax.over_all_rows", "softmax.over_each_matrix"})

    def attention_weights(self, scaled: Array) -> Array:
        return np.exp(scaled) / np.exp(scaled).sum(axis=(-1, -2), keepdims=True)


class WeightsOfUnscaled(Calculation):
    """The scores are scaled, and the softmax reads them as they were."""

    names = frozenset({"divide_by_root.not_divided", "softmax.not_scaled"})

    def scale(self, scores: Array, size: int, width: int) -> Array:
        self.before_scale = scores
        return super().scale(scores, size, width)

    def attention_weights(self, scaled: Array) -> Array:
        return super().attention_weights(np.where(np.isneginf(scaled), scaled, self.before_scale))


class PowersOfTwo(Calculation):
    names = frozenset({"softmax.base_two"})

    def attention_weights(self, scaled: Array) -> Array:
        return 2**scaled / (2**scaled).sum(axis=-1, keepdims=True)


class ContextOfTransposed(Calculation):
    names = frozenset({"matmul.first_transposed"})

    def context(self, weights: Array, v: Array) -> Array:
        return turned(weights) @ v


class ContextEntryByEntry(Calculation):
    names = frozenset({"matmul.entry_by_entry"})

    def context(self, weights: Array, v: Array) -> Array:
        return weights * v


class ContextOfOtherHead(Calculation):
    names = frozenset({"matmul.other_head", "split_heads.heads_reversed"})

    def context(self, weights: Array, v: Array) -> Array:
        return weights @ v[::-1]


class SplitWithoutTranspose(Calculation):
    names = frozenset({"split_heads.reshape_without_transpose"})

    def split(self, part: Array, heads: int) -> Array:
        tokens, width = part.shape
        return part.reshape(heads, tokens, width // heads)


class SplitInterleaved(Calculation):
    names = frozenset({"split_heads.interleaved"})

    def split(self, part: Array, heads: int) -> Array:
        tokens, width = part.shape
        return part.reshape(tokens, width // heads, heads).transpose(2, 0, 1)


class MergedWithoutTranspose(Calculation):
    names = frozenset({"merge_heads.reshape_without_transpose"})

    def merge(self, parts: Array) -> Array:
        heads, tokens, size = parts.shape
        return parts.reshape(tokens, heads * size)


class MergedInterleaved(Calculation):
    names = frozenset({"merge_heads.interleaved"})

    def merge(self, parts: Array) -> Array:
        heads, tokens, size = parts.shape
        return parts.transpose(1, 2, 0).reshape(tokens, heads * size)


IN = "block1.attention"
WIDE = (ResidualAttention, MultiHead, SmallDecoder)
ATTENTION: tuple[type[Person], ...] = (
    *(person(KeyWeightTransposed, lesson, f"{IN}.K") for lesson in (Example1, Example3, *WIDE)),
    *(person(EveryWeightTransposed, lesson, f"{IN}.Q") for lesson in (Example2, *WIDE[:2], Example6)),
    *(person(KeysWithQueryWeight, lesson, f"{IN}.K") for lesson in (Example1, ResidualAttention, MultiHead)),
    *(person(EntryByEntry, lesson, f"{IN}.Q") for lesson in (Example1, Example5)),
    *(person(WeightFirst, lesson, f"{IN}.V") for lesson in (Example2, Example3)),
    *(person(OutputWeightForgotten, lesson, f"{IN}.attended") for lesson in (MultiHead, SmallDecoder, HeadsAndLayers)),
    *(person(OutputWeightTransposed, lesson, f"{IN}.attended") for lesson in (MultiHead, Example6, HeadsAndLayers)),
    *(person(VocabularyTransposed, lesson, "logits") for lesson in (HeadsAndLayers, Example6)),
    *(person(KeysNotTransposed, lesson, f"{IN}.scores") for lesson in (Example1, Example2, Example5)),
    *(person(KeysAskQueries, lesson, f"{IN}.scores") for lesson in (Example3, *WIDE)),
    *(person(NotScaled, lesson, f"{IN}.scaled") for lesson in (Example1, Example5, *WIDE)),
    person(NotScaled, HeadsAndLayers, f"{IN}.scaled"),
    person(NotScaled, CatSleeps, "scaled"),
    *(person(DividedBySize, lesson, f"{IN}.scaled") for lesson in (Example2, *WIDE[:1], PositionalEncoding, Example6)),
    person(DividedBySize, CatSleeps, "scaled"),
    *(person(MultipliedByRoot, lesson, f"{IN}.scaled") for lesson in (Example3, ResidualAttention, SmallDecoder)),
    *(person(RootOfWidth, lesson, f"{IN}.scaled") for lesson in (MultiHead, SmallDecoder, Example6)),
    person(RootOfWidth, HeadsAndLayers, f"{IN}.scaled"),
    *(person(RootOfTokens, lesson, f"{IN}.scaled") for lesson in (ResidualAttention, MultiHead, PositionalEncoding)),
    *(
        person(mistake, lesson, at)
        for mistake in (MaskForgotten, MaskOneAhead, PastHidden, MaskedWithZero)
        for lesson, at in ((SmallDecoder, f"{IN}.masked"), (Masking, "masked"))
    ),
    *(
        person(mistake, lesson, at)
        for mistake in (WeightsOfUnmasked, MaskedAfterwards)
        for lesson, at in ((SmallDecoder, f"{IN}.weights"), (Masking, "weights"))
    ),
    *(person(DownTheColumns, lesson, f"{IN}.weights") for lesson in (Example3, ResidualAttention, MultiHead, Example5)),
    *(person(DownTheColumns, lesson, at) for lesson, at in ((CatSleeps, "weights"), (Masking, "weights"))),
    *(person(WeightsNotNormalized, lesson, f"{IN}.weights") for lesson in (Example1, MultiHead, SmallDecoder)),
    person(WeightsNotNormalized, CatSleeps, "weights"),
    *(person(NoExponential, lesson, f"{IN}.weights") for lesson in (Example2, ResidualAttention, PositionalEncoding)),
    *(person(OneSumForAll, lesson, f"{IN}.weights") for lesson in (Example3, ResidualAttention, MultiHead)),
    *(person(WeightsOfUnscaled, lesson, f"{IN}.weights") for lesson in (Example5, ResidualAttention, SmallDecoder)),
    *(person(PowersOfTwo, lesson, f"{IN}.weights") for lesson in (ResidualAttention, MultiHead)),
    *(person(ContextOfTransposed, lesson, f"{IN}.context") for lesson in (Example1, ResidualAttention, MultiHead)),
    person(ContextOfTransposed, CatSleeps, "O"),
    person(ContextEntryByEntry, Example2, f"{IN}.context"),
    *(person(ContextOfOtherHead, lesson, f"{IN}.context") for lesson in (MultiHead, SmallDecoder)),
    *(person(SplitWithoutTranspose, lesson, f"{IN}.Q_heads") for lesson in (MultiHead, SmallDecoder, Example6)),
    *(person(SplitInterleaved, lesson, f"{IN}.Q_heads") for lesson in (MultiHead, SmallDecoder)),
    *(person(MergedWithoutTranspose, lesson, f"{IN}.joined") for lesson in (MultiHead, SmallDecoder)),
    *(person(MergedInterleaved, lesson, f"{IN}.joined") for lesson in (MultiHead, Example6)),
)  # fmt: skip
