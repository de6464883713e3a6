"""Scores of which the later ones are hidden, forward and backward: the sheet of causal-mask."""

from __future__ import annotations

import numpy as np

from .operations import Calculation


class Masking(Calculation):
    """Nothing is wrong here."""

    lesson = "causal-mask"

    def work(self) -> None:
        v, dcontext = self.given["V"], self.given["dcontext"]
        masked = self.write("masked", self.mask(self.given["scores"]))
        weights = self.write("weights", self.attention_weights(masked))
        self.write("context", self.context(weights, v))
        dweights = self.write("dweights", self.back_to_weights_of_attention(dcontext, v))
        self.write("dV", self.back_to_values(weights, dcontext))
        dmasked = self.write("dmasked", self.back_through_softmax(weights, dweights))
        self.write("dscores", np.where(np.isneginf(masked), 0.0, dmasked))
