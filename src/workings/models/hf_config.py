"""From the config.json of a Hugging Face model to an architecture.

Known are GPT-2, as a language model, and BERT, as an encoder with its pooler. Fields that change nothing of what is
computed or counted, such as dropout or the ids of special tokens, are passed over; a choice that we do not have is
refused, and so is a field that is missing, of another type, or beyond all sizes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from ..engine.errors import InputError
from ..engine.registry import nearest
from ..nn import Architecture
from .counting.count import MOST_PARTS, MOST_SIZE

ACTIVATIONS: Mapping[str, Literal["relu", "gelu", "gelu_tanh"]] = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
}


def architecture_from_config(config: Any) -> Architecture:
    """The architecture that a configuration describes.

    >>> sizes = {"n_embd": 768, "n_head": 12, "n_layer": 12, "n_positions": 1024, "vocab_size": 50257}
    >>> architecture_from_config({"model_type": "gpt2", **sizes}).hidden
    3072
    """
    if not isinstance(config, Mapping):
        raise InputError("config.mapping", type=type(config).__name__)
    if "model_type" not in config:
        raise InputError("config.field.missing", field="model_type")
    kind = config["model_type"]
    if not isinstance(kind, str) or kind not in KINDS:
        raise InputError("config.kind", kind=_shown(kind), known=", ".join(KINDS), nearest=nearest(str(kind), KINDS, 1))
    return KINDS[kind](_Fields(config))


def read_config(path: Path) -> Architecture:
    """The architecture in a config.json, or in the folder that holds one."""
    path = path / "config.json" if path.is_dir() else path
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError("config.json", path=path) from None
    except OSError as error:
        raise InputError("config.file", path=path, reason=error.strerror) from None
    try:
        config = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError("config.json", path=path) from None
    try:
        return architecture_from_config(config)
    except InputError as error:
        error.where = str(path)
        raise


class _Fields:
    """The fields of a configuration, each checked when it is asked for."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self.config = config

    def size(self, field: str, most: int = MOST_SIZE, usual: int | None = None) -> int:
        """A whole number above 0. One that has something usual in its place may be missing, or null."""
        if usual is not None and self.config.get(field) is None:
            return usual
        if field not in self.config:
            raise InputError("config.field.missing", field=field)
        value = self.config[field]
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
            raise InputError("config.field.size", field=field, value=_shown(value), most=f"{most:,}")
        return value

    def epsilon(self, field: str, usual: float) -> float:
        value = self.config.get(field, usual)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value) or not 0 <= value < 1:
            raise InputError("config.field.epsilon", field=field, value=_shown(value), usual=usual)
        return float(value)

    def flag(self, field: str, usual: bool) -> bool:
        value = self.config.get(field, usual)
        if not isinstance(value, bool):
            raise InputError("config.field.flag", field=field, value=_shown(value))
        return value

    def activation(self, field: str, usual: str) -> Literal["relu", "gelu", "gelu_tanh"]:
        value = self.config.get(field, usual)
        if not isinstance(value, str) or value not in ACTIVATIONS:
            raise InputError("config.field.choice", field=field, value=_shown(value), known=", ".join(ACTIVATIONS))
        return ACTIVATIONS[value]

    def only(self, field: str, value: bool | str) -> None:
        """Refuse a choice that is made in another way than we make it."""
        found = self.config.get(field, value)
        if type(found) is not type(value) or found != value:
            raise InputError("config.field.choice", field=field, value=_shown(found), known=_shown(value))


def _gpt2(fields: _Fields) -> Architecture:
    fields.only("add_cross_attention", False)
    fields.only("scale_attn_weights", True)
    fields.only("scale_attn_by_inverse_layer_idx", False)
    width = fields.size("n_embd")
    return Architecture(
        kind="decoder",
        vocabulary=fields.size("vocab_size"),
        width=width,
        heads=fields.size("n_head", MOST_PARTS),
        layers=fields.size("n_layer", MOST_PARTS),
        hidden=fields.size("n_inner", usual=4 * width),
        activation=fields.activation("activation_function", "gelu_new"),
        norm_epsilon=fields.epsilon("layer_norm_epsilon", 1e-5),
        final_norm=True,
        causal=True,
        position="learned",
        positions=fields.size("n_positions"),
        head="all-tokens",
        tied=fields.flag("tie_word_embeddings", True),
    )


def _bert(fields: _Fields) -> Architecture:
    fields.only("is_decoder", False)
    fields.only("add_cross_attention", False)
    fields.only("position_embedding_type", "absolute")
    return Architecture(
        kind="encoder",
        vocabulary=fields.size("vocab_size"),
        width=fields.size("hidden_size"),
        heads=fields.size("num_attention_heads", MOST_PARTS),
        layers=fields.size("num_hidden_layers", MOST_PARTS),
        hidden=fields.size("intermediate_size"),
        activation=fields.activation("hidden_act", "gelu"),
        norm_place="post",
        norm_epsilon=fields.epsilon("layer_norm_eps", 1e-12),
        position="learned",
        positions=fields.size("max_position_embeddings"),
        segments=fields.size("type_vocab_size", usual=2),
        head="none",
        pool="pooler",
    )


KINDS: Mapping[str, Callable[[_Fields], Architecture]] = {"gpt2": _gpt2, "bert": _bert}


def _shown(value: Any) -> str:
    """A value as it stands in a JSON file, or the beginning of it."""
    try:
        text = json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        text = type(value).__name__
    return text if len(text) <= 40 else f"{text[:40]}..."
