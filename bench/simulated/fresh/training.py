"""Mistakes with updates, Adam, sampling, dropout and the cache of keys and values."""

from __future__ import annotations

import numpy as np

from ..heldout.adam import BETA_1, EPSILON, Adam
from ..heldout.batch import Batch
from ..heldout.cache import Cached
from ..heldout.examinee import Examinee
from ..heldout.sampling import Dropping, Sampling
from ..programs.paper import Array
from .lessons import Five, Layers, Sleeping, Two, pending


class RateForgotten(Two):
    wrong_step, names = "W_vocab_new", frozenset({"sgd.rate_forgotten"})
    says = "The whole gradient is subtracted: it is multiplied by the learning rate first."

    def updated(self, weight: Array, gradient: Array) -> Array:
        return weight - gradient


class LossInsteadOfGradient(Five):
    wrong_step, names = "block1.attention.W_Q_new", pending("update_with_loss")
    says = "Rate times the loss is subtracted from every weight: each weight has a gradient of its own."

    def updated(self, weight: Array, gradient: Array) -> Array:
        return weight - self.rate * self.written["loss"]


class DividedByTheTokensOnceMore(Sleeping):
    wrong_step, names = "X_new", frozenset({"sgd.averaged_over_tokens"})
    says = "Each gradient is divided by the three tokens before the step: the loss is a sum, and so are its gradients."

    def updated(self, weight: Array, gradient: Array) -> Array:
        return weight - self.rate * gradient / 3


class StepUphill(Layers):
    wrong_step, names = "embedding.E_new", frozenset({"sgd.added"})
    says = "Rate times gradient is added to the weights: to make the loss smaller it is subtracted."

    def updated(self, weight: Array, gradient: Array) -> Array:
        return weight + self.rate * gradient


class LastExampleOnly(Batch):
    wrong_step, names = "W_vocab_new", frozenset({"collect.assigned", "collect.only_first_path"})
    says = "The update uses the gradient of the last example: it uses the sum over the batch."

    def stepped(self, weight: Array, gradient: Array, name: str) -> Array:
        return super().stepped(weight, self.written["dW_vocab.via_logits"], name)


# -- Adam ------------------------------------------------------------------------------------------------


class WholeGradientAdded(Adam):
    wrong_step, names = "step1.w_m", frozenset({"running_mean.rest_forgotten"})
    says = "The whole gradient is added to beta times the average, as for momentum: Adam adds 1 - beta of it."

    def average(self, old: Array, new: Array, beta: float) -> Array:
        return beta * old + new


class BetaForTheNew(Adam):
    wrong_step, names = "step1.w_m", frozenset({"running_mean.part_instead_of_rest", "running_mean.parts_exchanged"})
    says = "Beta multiplies the new gradient and 1 - beta the average: it is the other way round."

    def average(self, old: Array, new: Array, beta: float) -> Array:
        return (1 - beta) * old + beta * new


class RootLeftOutOfAdam(Adam):
    wrong_step, names = "step1.w_direction", frozenset({"adam_direction.root_forgotten"})
    says = "The average gradient is divided by v: it is divided by the root of v."

    def direction(self, m: Array, m_hat: Array, v_hat: Array) -> Array:
        return m_hat / (v_hat + EPSILON)


class CorrectionMultiplied(Adam):
    wrong_step, names = "step1.w_m_hat", frozenset({"bias_correction.multiplied"})
    says = "The averages are multiplied by 1 - beta^t: they are divided by it."

    def corrected(self, average: Array, beta: float, t: int) -> Array:
        return average * (1 - beta**t)


class StepsOneAhead(Adam):
    wrong_step, names = "step1.w_m_hat", frozenset({"bias_correction.one_step_ahead"})
    says = "The bias correction of the first step already has t = 2: steps count from 1."

    def corrected(self, average: Array, beta: float, t: int) -> Array:
        return average / (1 - beta ** (t + 1))


class CorrectedAverageKept(Adam):
    wrong_step, names = "step2.w_m", pending("corrected_average_carried_on")
    says = "The next step goes on from the corrected average: the running average itself is carried on."

    def average(self, old: Array, new: Array, beta: float) -> Array:
        known = [name for name in self.written if name.endswith("w_m_hat" if beta == BETA_1 else "w_v_hat")]
        return super().average(self.written[known[-1]] if known else old, new, beta)


# -- sampling and dropout --------------------------------------------------------------------------------


class ZeroForTheOthers(Sampling):
    wrong_step, names = "cut_by_k", frozenset({"mask.turned_into_zero"})
    says = "The scores of the other words are set to 0, which is a score like any other: they are set to -∞."

    def cut(self, scores: Array, kept: Array) -> Array:
        return np.where(kept > 0, scores, 0)


class NucleusUnsorted(Sampling):
    wrong_step, names = "kept_by_p", frozenset({"keep_top_p.not_sorted"})
    says = "Probabilities are added up in the order of the vocabulary: for top-p they are sorted, largest first."

    def nucleus(self, shares: Array, p: float) -> Array:
        return (np.cumsum(shares) - shares < p).astype(float)


class NucleusFromTheSmallest(Sampling):
    wrong_step, names = "kept_by_p", frozenset({"keep_top_p.smallest_first"})
    says = "The smallest probabilities are added up first: for top-p they are sorted, largest first."

    def nucleus(self, shares: Array, p: float) -> Array:
        order = np.argsort(shares)
        kept = np.zeros_like(shares)
        kept[order[np.cumsum(shares[order]) - shares[order] < p]] = 1
        return kept


class PerplexityBelowOne(Sampling):
    wrong_step, names = "coin_perplexity", pending("perplexity_of_negative_loss")
    says = "Perplexity is computed as e to the minus loss: it is e to the loss and at least 1."

    def perplexity(self, loss: Array) -> Array:
        return np.exp(-loss)


class KeptOnesDropped(Dropping):
    wrong_step, names = "dropped", frozenset({"dropout.exchanged"})
    says = "The kept entries are set to 0 and the others scaled: entries with a 1 are kept."

    def dropped(self, x: Array, kept: Array) -> Array:
        return x * (1 - kept) / 0.5


class ScaledDownInstead(Dropping):
    wrong_step, names = "dropped", frozenset({"dropout.multiplied"})
    says = "The kept entries are multiplied by the probability of being kept: they are divided by it."

    def dropped(self, x: Array, kept: Array) -> Array:
        return x * kept * 0.5


class DropoutPassedOver(Dropping):
    wrong_step = "dx"
    names = frozenset({"dropout.gradient_let_through", "dropout.forgotten"})
    says = "The gradient passes dropout unchanged: it is masked and scaled like the forward pass."

    def back(self, gradient: Array, kept: Array) -> Array:
        return gradient


class GradientMaskedOnly(Dropping):
    wrong_step, names = "dx", frozenset({"dropout.gradient_not_divided", "dropout.not_divided"})
    says = "The gradient is masked and not scaled: the kept entries were scaled up, and so is their gradient."

    def back(self, gradient: Array, kept: Array) -> Array:
        return gradient * kept


# -- a cache ---------------------------------------------------------------------------------------------


class LastPromptTokenAgain(Cached):
    wrong_step, names = "token2.embedding.embedded", pending("last_prompt_token_again")
    says = "The second pass gets the last token of the prompt again: it gets the token that was just generated."

    def step(self, at: str, tokens: Array, order: Array) -> Array:
        return super().step(at, self.given["prompt"][-1:] if at == "token2." else tokens, order)


class KeysInTheValueCache(Cached):
    wrong_step, names = "token1.block1.attention.V_cache", pending("keys_in_value_cache")
    says = "The keys are stored as values too: the cache of the values gets the values."

    def remembered(self, at: str, name: str, new: Array) -> Array:
        return super().remembered(at, name, self.written[f"{at}{name[:-1]}K"] if name.endswith("V") else new)


PEOPLE: tuple[type[Examinee], ...] = (
    RateForgotten, LossInsteadOfGradient, DividedByTheTokensOnceMore, StepUphill, LastExampleOnly,
    WholeGradientAdded, BetaForTheNew, RootLeftOutOfAdam, CorrectionMultiplied, StepsOneAhead, CorrectedAverageKept,
    ZeroForTheOthers, NucleusUnsorted, NucleusFromTheSmallest, PerplexityBelowOne, KeptOnesDropped,
    ScaledDownInstead, DropoutPassedOver, GradientMaskedOnly, LastPromptTokenAgain, KeysInTheValueCache,
)  # fmt: skip
