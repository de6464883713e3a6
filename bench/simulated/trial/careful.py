"""People who do everything right, each in a way of their own."""

from __future__ import annotations

import numpy as np

from ..exam.careful import HalvesUp, InPowersOfTen, KeepsTwoMoreDigits
from ..fresh.lessons import Decoder, Five, Heads, Two
from ..heldout.batch import Batch
from ..heldout.block import Block, Encoder
from ..heldout.examinee import Examinee
from ..heldout.hello_world import HelloWorld
from ..programs.paper import Array


class LogarithmOfTheSum(Decoder):
    """The loss is the logarithm of the sum of powers less the logit."""

    def cross_entropy(self, p: Array, target: Array) -> Array:
        logits = self.written["logits"]
        return (np.log(np.exp(logits).sum(axis=-1)) - logits[np.arange(len(target)), target]).mean()


class InverseOfTheSum(Five):
    """The inverse of the sum is written down once, and every power is multiplied by it."""

    def softmax(self, scores: Array) -> Array:
        powers = self.line(np.exp(scores))
        return powers * self.line(1 / powers.sum(axis=-1, keepdims=True))


class MaximumSubtracted(Heads):
    """The largest score is subtracted before the powers."""

    def softmax(self, scores: Array) -> Array:
        return super().softmax(self.line(scores - scores.max(axis=-1, keepdims=True)))


class HiddenAfterwardsAndSharedOut(Block):
    """Hidden weights become 0 after the softmax, and each row is divided by what is left."""

    def weights(self, visible: Array, scores: Array) -> Array:
        powers = np.exp(self.written["scaled"]) * np.tri(visible.shape[-1])
        return powers / powers.sum(axis=-1, keepdims=True)


class HalvesUpInTheEncoder(HalvesUp, Encoder):
    """An encoder block, halves rounded up."""


class GuardDigitsInTwoHeads(KeepsTwoMoreDigits, HelloWorld):
    """Two heads and everything updated, with guard digits."""


class PowersOfTenForTheBatch(InPowersOfTen, Batch):
    """Three examples, in powers of ten."""


class HalvesUpInTheUpdate(HalvesUp, Two):
    """One weight updated, halves rounded up."""


PEOPLE: tuple[type[Examinee], ...] = (
    LogarithmOfTheSum, InverseOfTheSum, MaximumSubtracted, HiddenAfterwardsAndSharedOut, HalvesUpInTheEncoder,
    GuardDigitsInTwoHeads, PowersOfTenForTheBatch, HalvesUpInTheUpdate,
)  # fmt: skip
