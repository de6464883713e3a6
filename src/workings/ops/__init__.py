"""The op pages: one file per op or close family, found by themselves.

    arithmetic      add sub mul div scale neg power exp log sqrt sin erf at_most pass_
    along an axis   sum mean row_max argmax is_max top_k cumulative_sum first_above norm log_sum_exp running_mean
    matrices        matmul linear dot outer transpose permute reshape concat split collect spread sum_to
    rows, entries   lookup one_hot pick take_row place_row positional_encoding
    attention       attention root_scale causal_mask padding_mask mask split_heads merge_heads
                    softmax (and its error for a row that is masked everywhere)
    nonlinearities  relu gelu gelu_tanh sigmoid tanh log_softmax dropout
    norms           layer_norm rms_norm
    losses          cross_entropy negative_log_likelihood mean_squared_error binary_cross_entropy
                    binary_cross_entropy_from_logits
    sampling        keep_top_k keep_top_p draw_by_share
    updates         sgd momentum adam adamw adam_direction bias_correction weight_decay clip_by_norm
    leaves          given: given, parameter, constant, random, ids
    parts/          what several pages use, and no op

Adding an op is adding a file to this folder: everything below reads what is there. Type checkers read
`__init__.pyi`, which `make reference` writes.
"""

from __future__ import annotations

import os
from importlib import import_module

from ..engine.op import OPS
from .given import constant, given, ids, parameter, random

for _file in sorted(os.listdir(__path__[0])):
    if _file.endswith(".py") and not _file.startswith("_"):
        import_module(f"{__name__}.{_file.removesuffix('.py')}")

_pages = {op.__name__: op for op in OPS.values()}
globals().update(_pages)

__all__ = [*_pages, "constant", "given", "ids", "parameter", "random"]  # noqa: PLE0604


def __dir__() -> list[str]:
    return sorted(__all__)
