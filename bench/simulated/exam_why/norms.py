"""Broken programs: layer norm and RMS norm."""

from __future__ import annotations

import numpy as np

from ..fresh_why.cases import BACK, EPS, NORM, Array, Programs, normal, rows

PROGRAMS = Programs()
broken = PROGRAMS.broken
RMS_EPS = 1e-6
RMS = {"x": rows, "gamma": normal(6)}


def root_of(x: Array) -> Array:
    return np.sqrt(x.var(axis=-1, keepdims=True) + EPS)


def normalized(x: Array) -> Array:
    return (x - x.mean(axis=-1, keepdims=True)) / root_of(x)


# -- layer norm and RMS norm -----------------------------------------------------------------------------


@broken(
    "layer_norm",
    {"layer_norm.columns"},
    "Each column is normalized, as in a batch norm: a layer norm normalizes each row.",
    **NORM,
)
def over_tokens(x, gamma, beta):
    return (x - x.mean(axis=0)) / np.sqrt(x.var(axis=0) + EPS) * gamma + beta


@broken("layer_norm", {"layer_norm.whole_table"}, "One mean and variance serve all rows: each has its own.", **NORM)
def over_everything(x, gamma, beta):
    return (x - x.mean()) / np.sqrt(x.var() + EPS) * gamma + beta


@broken(
    "layer_norm",
    {"convention.norm_correction.1", "layer_norm.wrong_n"},
    "The variance is divided by n - 1: it is divided by n.",
    **NORM,
)
def variance_of_a_sample(x, gamma, beta):
    variance = x.var(axis=-1, ddof=1, keepdims=True)
    return gamma * (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(variance + EPS) + beta


@broken(
    "layer_norm",
    {"layer_norm.root_forgotten"},
    "Rows are divided by their variance: they are divided by its square root.",
    **NORM,
)
def divided_by_the_variance(x, gamma, beta):
    return gamma * (x - x.mean(-1, keepdims=True)) / (x.var(-1, keepdims=True) + EPS) + beta


@broken("layer_norm", {"layer_norm.shifted"}, "The mean is not subtracted: it is subtracted first.", **NORM)
def mean_kept(x, gamma, beta):
    return gamma * x / root_of(x) + beta


@broken(
    "layer_norm",
    {"layer_norm.swapped"},
    "Rows are multiplied by beta and gamma is added: gamma multiplies and beta is added.",
    **NORM,
)
def gamma_and_beta_exchanged(x, gamma, beta):
    return normalized(x) * beta + gamma


@broken(
    "layer_norm",
    {"layer_norm.beta_forgotten", "layer_norm.gamma_and_beta_forgotten", "layer_norm.gamma_forgotten"},
    "Gamma and beta are left out: they scale and shift.",
    **NORM,
)
def without_gamma_and_beta(x):
    return normalized(x)


@broken(
    "layer_norm",
    {"layer_norm.direct_way"},
    "Mean and deviation are taken for constants: the gradient goes through them too.",
    step="dx",
    **NORM,
    **BACK,
)
def back_with_constant_statistics(x, gamma, cotangent):
    return cotangent * gamma / root_of(x)


@broken(
    "layer_norm",
    {"layer_norm.gradient_without_gamma"},
    "The gradient is not multiplied by gamma: it is, before anything else.",
    step="dx",
    **NORM,
    **BACK,
)
def back_without_gamma(x, cotangent):
    normed, h = normalized(x), cotangent
    return (h - h.mean(-1, keepdims=True) - normed * (h * normed).mean(-1, keepdims=True)) / root_of(x)


@broken(
    "layer_norm",
    {"layer_norm.variance_term_forgotten"},
    "The part through the variance is missing: it is subtracted like the mean.",
    step="dx",
    **NORM,
    **BACK,
)
def back_without_the_variance(x, gamma, cotangent):
    h = cotangent * gamma
    return (h - h.mean(-1, keepdims=True)) / root_of(x)


@broken(
    "layer_norm",
    {"layer_norm.not_normalised"},
    "The gradient of gamma is computed with x: it is computed with the normalized rows.",
    step="dgamma",
    **NORM,
    **BACK,
)
def dgamma_of_raw_rows(x, cotangent):
    return (cotangent * x).sum(axis=0)


@broken("rms_norm", {"rms_norm.not_averaged"}, "The squares are added up: they are averaged.", **RMS)
def sum_of_squares(x, gamma):
    return x / np.sqrt((x**2).sum(-1, keepdims=True) + RMS_EPS) * gamma


@broken("rms_norm", {"rms_norm.centred_first"}, "The mean is subtracted: an RMS norm only divides.", **RMS)
def as_a_layer_norm(x, gamma):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + RMS_EPS) * gamma


@broken(
    "rms_norm",
    {"rms_norm.root_forgotten"},
    "Rows are divided by the mean of their squares: they are divided by its root.",
    **RMS,
)
def root_forgotten(x, gamma):
    return x / ((x**2).mean(-1, keepdims=True) + RMS_EPS) * gamma


@broken(
    "rms_norm",
    {"rms_norm.direct_way"},
    "The root is taken for a constant: the gradient goes through it too.",
    step="dx",
    **RMS,
    **BACK,
)
def back_with_a_constant_root(x, gamma, cotangent):
    return cotangent * gamma / np.sqrt((x**2).mean(-1, keepdims=True) + RMS_EPS)
