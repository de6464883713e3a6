"""Attention, then a feed-forward layer with a residual: the sheet of example-5."""

from __future__ import annotations

import numpy as np

from .attention import Attentive
from .paper import Array


class WithFeedForward(Attentive):
    """Nothing is wrong here."""

    lesson = "example-5"

    def predict(self, context: Array) -> Array:
        given = self.given
        hidden = self.write("hidden", self.into_hidden(context, given["W_1"], given["b_1"]))
        activated = self.write("activated", self.activated(hidden))
        output = self.write("output", activated @ given["W_2"] + given["b_2"])
        residual = self.write("residual", self.added(context, output))
        dresidual = self.write("dresidual", super().predict(residual))
        self.write("dcontext.via_residual", dresidual)
        doutput = self.write("doutput", dresidual)
        dactivated = self.write("dactivated", doutput @ given["W_2"].T)
        self.update("W_2", self.write("dW_2", activated.T @ doutput))
        self.update("b_2", self.write("db_2", self.of_bias(doutput)))
        dhidden = self.write("dhidden", self.through_bend(hidden, dactivated))
        via_hidden = self.write("dcontext.via_hidden", dhidden @ given["W_1"].T)
        self.update("W_1", self.write("dW_1", context.T @ dhidden))
        self.update("b_1", self.write("db_1", self.of_bias(dhidden)))
        return dresidual + via_hidden

    def into_hidden(self, context: Array, weight: Array, bias: Array) -> Array:
        return context @ weight + bias

    def activated(self, hidden: Array) -> Array:
        return np.maximum(hidden, 0)

    def added(self, context: Array, output: Array) -> Array:
        return context + output

    def of_bias(self, gradient: Array) -> Array:
        return gradient.sum(axis=0)

    def through_bend(self, hidden: Array, dactivated: Array) -> Array:
        return dactivated * (hidden > 0)


class BiasForgotten(WithFeedForward):
    wrong_step, mistake = "hidden", "linear.bias_forgotten"

    def into_hidden(self, context: Array, weight: Array, bias: Array) -> Array:
        return context @ weight


class ResidualForgotten(WithFeedForward):
    wrong_step, mistake = "residual", "add.residual_forgotten"

    def added(self, context: Array, output: Array) -> Array:
        return output


class BentGoingForwardOnly(WithFeedForward):
    wrong_step, mistake = "dhidden", "relu.mask_forgotten"

    def through_bend(self, hidden: Array, dactivated: Array) -> Array:
        return dactivated


class NotBent(WithFeedForward):
    wrong_step, mistake = "activated", "relu.forgotten"

    def activated(self, hidden: Array) -> Array:
        return hidden


class NotBentEitherWay(NotBent):
    """The same mistake, and going back follows it."""

    def through_bend(self, hidden: Array, dactivated: Array) -> Array:
        return dactivated


PEOPLE = (WithFeedForward, BiasForgotten, ResidualForgotten, BentGoingForwardOnly, NotBent, NotBentEitherWay)
