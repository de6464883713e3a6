"""From the config.json of a Hugging Face model to an architecture.

We know GPT-2, as a language model, and BERT, as an encoder with its pooler. Fields that do not change what is computed
or counted, such as dropout or the ids of special tokens, are ignored; a choice that we do not have is refused, and so
is a field that is missing, of another type, or too large.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from os.path import isdir
from pathlib import Path
from typing import Any, Literal

from ..engine.errors import InputError, did_you_mean
from ..engine.files import read_user_text
from ..nn import Architecture
from .count import MAX_PARTS, MAX_SIZE

MAX_FILE_BYTES = 5_000_000
MAX_SHOWN_CHARS = 40
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
        raise InputError(
            f"A configuration has fields with names, but this is a {type(config).__name__}.",
            hint='It looks like {"model_type": "gpt2", "n_embd": 768, ...}.',
        )
    if "model_type" not in config:
        raise _missing("model_type")
    kind = config["model_type"]
    if not isinstance(kind, str) or kind not in KINDS:
        raise InputError(
            f"The model type {_shown(kind)} is not known here.",
            hint=f"{did_you_mean(str(kind), KINDS)}Known: {', '.join(KINDS)}.",
        )
    return KINDS[kind](_Fields(config))


def read_config(path: Path) -> Architecture:
    """The architecture in a config.json, or in the folder that holds one."""
    path = path / "config.json" if isdir(path) else path
    text = read_user_text(path, MAX_FILE_BYTES, hint="Give a config.json, or the folder that holds one.")
    try:
        config = json.loads(text)
    except (ValueError, RecursionError):
        raise _not_json(path) from None
    try:
        return architecture_from_config(config)
    except InputError as error:
        error.where = str(path)
        raise


class _Fields:
    """The fields of a configuration, each checked when it is read."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self.config = config

    def size(self, field: str, most: int = MAX_SIZE, usual: int | None = None) -> int:
        """A whole number above 0. One with a usual value may be missing, or null."""
        if usual is not None and self.config.get(field) is None:
            return usual
        if field not in self.config:
            raise _missing(field)
        value = self.config[field]
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
            raise InputError(
                f"The field '{field}' must be a whole number from 1 to {most:,}, and is {_shown(value)}.",
                hint="Compare with the config.json that was published with the model.",
            )
        return value

    def epsilon(self, field: str, usual: float) -> float:
        value = self.config.get(field, usual)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value) or not 0 <= value < 1:
            raise InputError(
                f"The field '{field}' must be a small number, 0 or above, and is {_shown(value)}.",
                hint=f"The default is {usual}.",
            )
        return float(value)

    def flag(self, field: str, usual: bool) -> bool:
        value = self.config.get(field, usual)
        if not isinstance(value, bool):
            raise InputError(
                f"The field '{field}' must be true or false, and is {_shown(value)}.",
                hint="Write true or false, without quotes.",
            )
        return value

    def activation(self, field: str, usual: str) -> Literal["relu", "gelu", "gelu_tanh"]:
        value = self.config.get(field, usual)
        if not isinstance(value, str) or value not in ACTIVATIONS:
            raise _other_choice(field, value, ", ".join(ACTIVATIONS))
        return ACTIVATIONS[value]

    def only(self, field: str, value: bool | str) -> None:
        """Refuse any value but the one that we have."""
        found = self.config.get(field, value)
        if type(found) is not type(value) or found != value:
            raise _other_choice(field, found, _shown(value))


def _gpt2(fields: _Fields) -> Architecture:
    fields.only("add_cross_attention", False)
    fields.only("scale_attn_weights", True)
    fields.only("scale_attn_by_inverse_layer_idx", False)
    width = fields.size("n_embd")
    return Architecture(
        kind="decoder",
        vocab_size=fields.size("vocab_size"),
        width=width,
        heads=fields.size("n_head", MAX_PARTS),
        layers=fields.size("n_layer", MAX_PARTS),
        hidden=fields.size("n_inner", usual=4 * width),
        activation=fields.activation("activation_function", "gelu_new"),
        norm_epsilon=fields.epsilon("layer_norm_epsilon", 1e-5),
        final_norm=True,
        mask="causal",
        position="learned",
        max_positions=fields.size("n_positions"),
        head="all-tokens",
        tied_embeddings=fields.flag("tie_word_embeddings", True),
    )


def _bert(fields: _Fields) -> Architecture:
    fields.only("is_decoder", False)
    fields.only("add_cross_attention", False)
    fields.only("position_embedding_type", "absolute")
    return Architecture(
        kind="encoder",
        vocab_size=fields.size("vocab_size"),
        width=fields.size("hidden_size"),
        heads=fields.size("num_attention_heads", MAX_PARTS),
        layers=fields.size("num_hidden_layers", MAX_PARTS),
        hidden=fields.size("intermediate_size"),
        activation=fields.activation("hidden_act", "gelu"),
        norm_place="post",
        norm_epsilon=fields.epsilon("layer_norm_eps", 1e-12),
        position="learned",
        max_positions=fields.size("max_position_embeddings"),
        segments=fields.size("type_vocab_size", usual=2),
        head="none",
        pool="pooler",
    )


KINDS: Mapping[str, Callable[[_Fields], Architecture]] = {"gpt2": _gpt2, "bert": _bert}


def _missing(field: str) -> InputError:
    return InputError(
        f"The configuration has no field '{field}'.", hint="Use the config.json as it was published with the model."
    )


def _other_choice(field: str, value: Any, known: str) -> InputError:
    return InputError(f"The field '{field}' is {_shown(value)}, which we do not have.", hint=f"It can be {known}.")


def _not_json(path: Path) -> InputError:
    return InputError(
        f"{path} is not the configuration of a model: it cannot be read as JSON.",
        hint="Give the config.json in the folder of a Hugging Face model.",
    )


def _shown(value: Any) -> str:
    """A value as in a JSON file, or the beginning of it."""
    try:
        text = json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        text = type(value).__name__
    return text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]}..."
