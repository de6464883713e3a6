"""Configurations of Hugging Face models: those that were published, and those that nobody should publish."""

import json
import math

import pytest
from loops import for_each

from workings.counting.count import parameters
from workings.counting.count_lines import total
from workings.counting.hf_config import ACTIVATIONS, architecture_from_config, read_config
from workings.counting.presets import PRESETS
from workings.engine.errors import CallError, InputError

# As they lie beside the published weights, with fields that we pass over.
GPT2 = {
    "activation_function": "gelu_new", "architectures": ["GPT2LMHeadModel"], "attn_pdrop": 0.1,
    "bos_token_id": 50256, "embd_pdrop": 0.1, "eos_token_id": 50256, "initializer_range": 0.02,
    "layer_norm_epsilon": 1e-05, "model_type": "gpt2", "n_ctx": 1024, "n_embd": 768, "n_head": 12, "n_layer": 12,
    "n_positions": 1024, "resid_pdrop": 0.1, "summary_activation": None, "vocab_size": 50257,
    "task_specific_params": {"text-generation": {"do_sample": True, "max_length": 50}},
}  # fmt: skip
BERT = {
    "architectures": ["BertForMaskedLM"], "attention_probs_dropout_prob": 0.1, "hidden_act": "gelu",
    "hidden_dropout_prob": 0.1, "hidden_size": 768, "initializer_range": 0.02, "intermediate_size": 3072,
    "layer_norm_eps": 1e-12, "max_position_embeddings": 512, "model_type": "bert", "num_attention_heads": 12,
    "num_hidden_layers": 12, "pad_token_id": 0, "type_vocab_size": 2, "vocab_size": 30522,
}  # fmt: skip
CONFIGS = {"gpt2": GPT2, "bert": BERT}
SIZES = [
    ("gpt2", "n_embd"), ("gpt2", "n_head"), ("gpt2", "n_layer"), ("gpt2", "n_positions"), ("gpt2", "vocab_size"),
    ("bert", "hidden_size"), ("bert", "num_attention_heads"), ("bert", "num_hidden_layers"), ("bert", "vocab_size"),
    ("bert", "intermediate_size"), ("bert", "max_position_embeddings"),
]  # fmt: skip


def refused(config):
    with pytest.raises(InputError) as error:
        architecture_from_config(config)
    assert error.value.hint
    return error.value


def without(config, field):
    return {name: value for name, value in config.items() if name != field}


def test_published_configurations_are_the_presets():
    assert architecture_from_config(GPT2) == PRESETS["gpt2"]
    assert architecture_from_config(BERT) == PRESETS["bert-base"]


@pytest.mark.parametrize(("inner", "hidden"), [(None, 3072), (100, 100)])
def test_the_inner_size_of_gpt2_is_four_times_the_width_unless_told(inner, hidden):
    assert architecture_from_config({**GPT2, "n_inner": inner}).hidden == hidden


def test_an_output_layer_of_its_own_is_counted():
    untied = architecture_from_config({**GPT2, "tie_word_embeddings": False})
    assert total(parameters(untied)) == 124_439_808 + 50257 * 768


@pytest.mark.parametrize(("kind", "field"), [("gpt2", "activation_function"), ("bert", "hidden_act")])
def test_activations_by_their_names(kind, field):
    names = {"gelu_new": "gelu_tanh", "gelu_pytorch_tanh": "gelu_tanh", "gelu": "gelu", "relu": "relu"}
    assert names == ACTIVATIONS
    for name, ours in names.items():
        assert architecture_from_config({**CONFIGS[kind], field: name}).activation == ours
    for wrong in ("swish", None, 3, ["gelu"], {}):
        error = refused({**CONFIGS[kind], field: wrong})
        assert f"'{field}'" in error.what
        assert "gelu_pytorch_tanh" in error.hint


@for_each(("kind", "field"), SIZES)
@pytest.mark.parametrize("value", [0, -12, 2.5, 768.0, math.nan, math.inf, "768", True, None, [768], {}, 10**30])
def test_sizes_must_be_whole_numbers_in_reach(kind, field, value):
    error = refused({**CONFIGS[kind], field: value})
    assert "' must be a whole number from 1 to" in error.what
    assert f"'{field}'" in error.what


@for_each(("kind", "field"), SIZES)
def test_a_missing_size_is_named(kind, field):
    error = refused(without(CONFIGS[kind], field))
    assert error.what == f"The configuration has no field '{field}'."


@pytest.mark.parametrize("value", [-1e-5, math.nan, math.inf, "1e-5", True, None, 2, [1e-5]])
@pytest.mark.parametrize(("kind", "field"), [("gpt2", "layer_norm_epsilon"), ("bert", "layer_norm_eps")])
def test_epsilon_must_be_small(kind, field, value):
    assert f"'{field}'" in refused({**CONFIGS[kind], field: value}).what


@pytest.mark.parametrize("value", ["true", 1, 0, None])
def test_a_flag_is_true_or_false(value):
    assert "'tie_word_embeddings'" in refused({**GPT2, "tie_word_embeddings": value}).what


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("gpt2", "add_cross_attention", True),
        ("gpt2", "scale_attn_weights", False),
        ("gpt2", "scale_attn_by_inverse_layer_idx", True),
        ("gpt2", "scale_attn_weights", 1),
        ("bert", "is_decoder", True),
        ("bert", "position_embedding_type", "relative_key"),
    ],
)
def test_a_choice_that_we_do_not_have_is_refused(kind, field, value):
    assert f"'{field}'" in refused({**CONFIGS[kind], field: value}).what


@pytest.mark.parametrize("kind", ["llama", "openai-gpt", "", None, 7, ["gpt2"]])
def test_an_unknown_model_type_is_answered_with_the_known_ones(kind):
    error = refused({**GPT2, "model_type": kind})
    assert "is not known here." in error.what
    assert "gpt2, bert" in error.hint


def test_a_configuration_says_what_kind_of_model_it_is():
    assert "'model_type'" in refused(without(GPT2, "model_type")).what


@pytest.mark.parametrize("config", [None, [], "gpt2", 3])
def test_a_configuration_is_a_mapping(config):
    assert "A configuration has fields with names, but this is a" in refused(config).what


def test_heads_must_share_the_width():
    with pytest.raises(CallError, match="A width of 768 cannot be divided evenly among 7 heads"):
        architecture_from_config({**GPT2, "n_head": 7})


# -- files -------------------------------------------------------------------------------------


def test_config_is_read_from_its_file_or_folder(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(GPT2))
    assert read_config(path) == read_config(tmp_path) == PRESETS["gpt2"]


@pytest.mark.parametrize("text", [b"", b"{", b"model_type: gpt2", b"[" * 100_000, b"9" * 5000])
def test_config_that_is_not_json_is_rejected(tmp_path, text):
    path = tmp_path / "config.json"
    path.write_bytes(text)
    with pytest.raises(InputError) as error:
        read_config(path)
    assert "is not the configuration of a model: it cannot be read as" in error.value.what


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="There is no file"):
        read_config(tmp_path / "nothing.json")


def test_config_error_names_its_file(tmp_path):
    path = tmp_path / "config.json"
    path.write_text('{"model_type": "gpt2", "n_embd": NaN}')
    with pytest.raises(InputError) as error:
        read_config(path)
    assert error.value.where == str(path)
    assert "'n_embd' must be a whole number" in error.value.what
    assert "NaN" in error.value.what
