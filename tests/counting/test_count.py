"""Counts against what was published, against real recordings of small models, and against PyTorch."""

import math
from dataclasses import replace

import numpy
import pytest

from workings import nn
from workings.counting.count import count, parameters
from workings.counting.count_lines import CountLine, in_sections, total
from workings.counting.presets import PRESETS
from workings.counting.survey import survey
from workings.engine.compiled_recording import CompiledRecording
from workings.engine.errors import InputError, WorkingsError
from workings.ops.given import ids

PUBLISHED = {
    "gpt2": 124_439_808,
    "gpt2-medium": 354_823_168,
    "gpt2-large": 774_030_080,
    "gpt2-xl": 1_557_611_200,
    "bert-base": 109_482_240,
    "bert-large": 335_141_888,
}

TINY = {"vocab_size": 11, "width": 6, "heads": 3, "layers": 2, "hidden": 5}
SMALL = {
    "gpt": nn.Architecture(
        kind="decoder", **TINY, mask="causal", final_norm=True, position="learned", max_positions=9,
        activation="gelu_tanh", head="all-tokens", tied_embeddings=True,
    ),
    "bert": nn.Architecture(
        kind="encoder", **TINY, norm_place="post", position="learned", max_positions=9, segments=2, activation="gelu",
        head="none", pool="pooler",
    ),
    "paper": nn.Architecture(
        kind="encoder-decoder", **TINY, norm_place="post", biases="feed_forward", position="interleaved",
        head="all-tokens", tied_embeddings=True, decoder_layers=3,
    ),
    "one head": nn.Architecture(
        kind="decoder", **{**TINY, "heads": 1}, mask="causal", norm="rms", biases="none", head="last-token",
    ),
    "separate heads": nn.Architecture(
        kind="encoder", **TINY, projections="per-head", head="classifier", classes=3, pool="mean"
    ),
    "no feed-forward": nn.Architecture(
        kind="encoder", vocab_size=5, width=4, head_size=2, output_projection=False, norm="none", residual="none",
        head="token-sigmoid", head_bias=True,
    ),
    "covered": nn.Architecture(kind="encoder", **TINY, head="masked-tokens", dropout=0.1),
}  # fmt: skip
RUNS = [(name, tokens, batch) for name in SMALL for tokens, batch in ((7, 1), (7, 3), (1, 1))]
RUNS = [run for run in RUNS if run[0] != "covered" or run[2] == 1]


def recorded(architecture, tokens, batch, level="trace"):
    """A real model with real numbers, recorded."""
    model = nn.build(architecture, nn.Drawn(7, draw="normal"))
    shape, axes = ((tokens,), "token") if batch == 1 else ((batch, tokens), "batch token")
    text = ids(numpy.arange(math.prod(shape)).reshape(shape) % architecture.vocab_size, axes)
    texts = [text, text] if architecture.kind == "encoder-decoder" else [text]
    covered = [ids(list(range(max(1, round(0.15 * tokens)))))] if architecture.head == "masked-tokens" else []
    with CompiledRecording(level) as recording:
        model(*texts, *covered)
    return recording


def computed(recording):
    return [step for step in recording.steps.values() if step.op is not None]


def bytes_held(arrays):
    """The memory behind some arrays: one that shares the memory of another holds nothing of its own."""
    owners = {}
    for array in arrays:
        owner = array
        while isinstance(owner.base, numpy.ndarray):
            owner = owner.base
        owners[id(owner)] = owner
    return owners


# -- parameters --------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "published"), PUBLISHED.items())
def test_published_models_have_as_many_parameters_as_published(name, published):
    assert total(parameters(PRESETS[name])) == published


def test_the_source_document_counts_bert_without_segments_and_pooler():
    found = count(PRESETS["bert-base-source"])
    block = found.parameters[1]
    assert (block.name, block.times, block.once, block.total) == ("block1", 12, 7_084_800, 85_017_600)
    attention = [line.value for line in block.lines if line.name.startswith("attention.W")]
    feed_forward = [line.value for line in block.lines if line.name.startswith(("feed_forward.W", "feed_forward.b"))]
    norms = [line.value for line in block.lines if ".norm." in line.name]
    assert (sum(attention), sum(feed_forward), sum(norms)) == (2_359_296, 4_722_432, 3_072)
    assert [line.value for line in found.parameters[0].lines] == [30_000 * 768, 512 * 768]
    assert found.all_parameters == 108_450_816
    assert found.biases == 12 * (3072 + 768)


def test_a_line_says_how_it_is_worked_out():
    block = count(PRESETS["gpt2"], tokens=8).parameters[1]
    assert block.lines[0] == CountLine("attention.W_Q", "model 768 × joined 768", 589_824)
    assert CountLine("feed_forward.b_1", "hidden 3,072", 3072) in block.lines


@pytest.mark.parametrize("name", SMALL)
def test_every_weight_of_a_real_model_is_counted_once(name):
    real = nn.build(SMALL[name], nn.Drawn(1)).parameters()
    assert total(parameters(SMALL[name])) == sum(weight.array.size for weight in real.values())


def test_a_table_of_its_own_for_the_output_would_make_gpt2_larger():
    found = count(PRESETS["gpt2"], tokens=8)
    assert found.untied - found.all_parameters == 50257 * 768


@pytest.mark.parametrize("name", ["gpt", "bert", "paper", "separate heads"])
def test_the_number_of_heads_changes_no_parameter_count(name):
    found = count(SMALL[name], tokens=3)
    assert found.one_head == found.all_parameters
    two = replace(SMALL[name], heads=2, head_size=3)
    assert total(parameters(two)) == found.all_parameters


# -- operations --------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "tokens", "batch"), RUNS)
def test_the_products_are_those_of_a_real_recording(name, tokens, batch):
    recording = recorded(SMALL[name], tokens, batch)
    flops = 0
    for step in computed(recording):
        if step.op_name in ("matmul", "linear"):
            left = recording.input_tensors(step)[0].array
            flops += 2 * step.tensor.array.size * left.shape[-1]
    found = count(SMALL[name], tokens=tokens, batch_size=batch)
    assert flops > 0
    assert total(found.forward) == flops
    assert total(found.backward) == 2 * flops


@pytest.mark.parametrize(("name", "tokens", "batch"), RUNS)
def test_a_survey_has_the_steps_of_a_real_recording(name, tokens, batch):
    real = recorded(SMALL[name], tokens, batch)
    found = survey(SMALL[name], tokens, batch, back=False)
    assert [(step.path, step.form) for step in computed(found)] == [(step.path, step.form) for step in computed(real)]


@pytest.mark.parametrize("batch", [1, 3])
def test_pytorch_counts_the_same_products(batch):
    """Its counter adds up 2 · rows · columns · terms of every product that PyTorch carries out."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    tokens, width, heads, hidden, vocabulary = 7, 6, 3, 5, 11
    layer = torch.nn.TransformerEncoderLayer(width, heads, hidden, batch_first=True, dropout=0.0)
    model = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    output = torch.nn.Linear(width, vocabulary, bias=False)
    x = torch.zeros(batch, tokens, width, requires_grad=True)
    attention = torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH)
    with FlopCounterMode(display=False) as counter, attention:
        scores = output(model(x))
        forward = counter.get_total_flops()
        scores.sum().backward()
    architecture = nn.Architecture(kind="encoder", **TINY, norm_place="post", head="all-tokens")
    found = count(architecture, tokens=tokens, batch_size=batch)
    assert total(found.forward) == forward
    assert found.flops == counter.get_total_flops()


def test_gpt2_by_hand():
    """Four matrices of 768 × 768; scores and context, between all tokens; two matrices of 768 × 3072."""
    n = 1024
    found = count(PRESETS["gpt2"])
    block = 4 * 2 * n * 768 * 768 + 2 * 2 * n * n * 768 + 2 * 2 * n * 768 * 3072
    assert [(part.name, part.times, part.once) for part in found.forward] == [
        ("block1", 12, block),
        ("", 1, 2 * n * 768 * 50257),
    ]
    assert found.flops == 3 * (12 * block + 2 * n * 768 * 50257)
    assert found.flops_per_token == found.flops / n
    assert found.flops_per_token / found.rule_of_thumb == pytest.approx(1.1443, abs=1e-4)


def test_work_entry_by_entry_follows_its_rule():
    found = count(SMALL["gpt"], tokens=7)
    lines = {line.name: (line.expression, line.value) for line in found.entrywise[1].lines}
    assert lines["attention.weights"] == ("5 × 3 × 7 × 7", 5 * 3 * 7 * 7)
    # A mean (n and 1), minus it (n), squares added up (2n), divided, raised and their root (3), divided, scaled
    # and shifted (3n).
    assert lines["attention.norm.normed"] == ("7 × 7 × 6 + 4 × 7", 7 * (7 * 6 + 4))
    assert lines["attention.residual"] == ("1 × 7 × 6", 42)
    assert lines["attention.Q"] == ("1 × 7 × 6", 42)  # the bias
    assert "attention.masked" not in lines


# -- memory ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "tokens", "batch"), RUNS)
def test_a_trace_holds_as_many_bytes_as_counted(name, tokens, batch):
    recording = recorded(SMALL[name], tokens, batch)
    leaves = bytes_held(step.tensor.array for step in recording.steps.values() if step.op is None)
    held = bytes_held(step.tensor.array for step in computed(recording))
    found = count(SMALL[name], tokens=tokens, batch_size=batch, dtype="float64")
    assert total(found.trace) == sum(array.nbytes for key, array in held.items() if key not in leaves)


@pytest.mark.parametrize(("name", "tokens", "batch"), RUNS)
def test_a_tape_holds_as_many_bytes_as_counted(name, tokens, batch):
    tape = recorded(SMALL[name], tokens, batch, level="tape")
    leaves = bytes_held(step.tensor.array for step in tape.steps.values() if step.op is None)
    kept = [step.tensor.array for step in computed(tape) if step.tensor.array is not None]
    kept += [tensor.array for step in computed(tape) for tensor in step.saved.values()]
    found = count(SMALL[name], tokens=tokens, batch_size=batch, dtype="float64")
    held = sum(array.nbytes for key, array in bytes_held(kept).items() if key not in leaves)
    assert total(found.tape) == held
    assert 0 < held < total(found.trace)


def test_half_the_bytes_are_half_the_memory():
    whole, half = (count(SMALL["gpt"], tokens=5, dtype=dtype) for dtype in ("float32", "bfloat16"))
    assert total(whole.trace) == 2 * total(half.trace)
    assert whole.cache[0].value == 2 * half.cache[0].value
    assert [line.value for line in whole.stored] == [4 * n * whole.all_parameters for n in (1, 1, 2)]


@pytest.mark.parametrize(("name", "stack"), [("gpt", ""), ("one head", ""), ("paper", "decoder.")])
@pytest.mark.parametrize("batch", [1, 3])
def test_the_cache_holds_the_keys_and_values_of_all_steps(name, stack, batch):
    recording = recorded(SMALL[name], 7, batch)
    steps = [step for step in computed(recording) if step.name in ("K", "V") and step.path.startswith(stack)]
    found = count(SMALL[name], tokens=7, batch_size=batch, dtype="float64")
    assert sum(line.value for line in found.cache) == sum(step.tensor.array.nbytes for step in steps)


def test_an_encoder_has_no_cache():
    assert count(PRESETS["bert-base"]).cache == ()


# -- sections ----------------------------------------------------------------------------------


def test_only_equal_blocks_of_one_stack_are_folded():
    paths = {"a.block1.W": 2, "a.block2.W": 2, "a.block3.W": 3, "b.block1.W": 3, "E": 1, "block1.W": 1}
    sections = in_sections(CountLine(path, str(value), value) for path, value in paths.items())
    assert [(part.name, part.times, part.total) for part in sections] == [
        ("a.block1", 2, 4), ("a.block3", 1, 3), ("b.block1", 1, 3), ("", 1, 1), ("block1", 1, 1),
    ]  # fmt: skip


def test_tokens_are_all_positions_or_1024():
    assert count(SMALL["gpt"]).tokens == 9
    assert count(SMALL["one head"]).tokens == 1024


# -- what cannot be counted --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "key", "words"),
    [
        ({"tokens": 0}, "must be a whole number from 1 to", "tokens must be a whole number"),
        ({"tokens": -3}, "must be a whole number from 1 to", "and is -3"),
        ({"tokens": 2.5}, "must be a whole number from 1 to", "2.5"),
        ({"tokens": True}, "must be a whole number from 1 to", "True"),
        ({"batch_size": 0}, "must be a whole number from 1 to", "batch_size must be"),
        ({"tokens": 10}, "positions, too few for", "9 positions"),
        ({"batch_size": 2**23}, "tokens are more than", "16,777,216"),
        ({"dtype": "float23"}, "' is not one of the choices for dtype.", "float23"),
    ],
)
def test_bad_numbers_are_refused_in_a_sentence(changes, key, words):
    with pytest.raises(WorkingsError) as error:
        count(SMALL["gpt"], **changes)
    assert key in error.value.what
    assert words in str(error.value)
    assert error.value.hint


def test_a_model_beyond_all_sizes_is_refused():
    with pytest.raises(InputError, match="layers"):
        count(replace(SMALL["gpt"], layers=10**9))
    with pytest.raises(InputError, match="vocab_size"):
        count(replace(SMALL["gpt"], vocab_size=10**18))


def test_covered_tokens_are_counted_one_text_at_a_time():
    with pytest.raises(InputError, match="one text"):
        count(SMALL["covered"], tokens=7, batch_size=2)


def test_a_count_is_plain_data():
    data = count(SMALL["gpt"], "tiny", tokens=5).to_data()
    assert data["model"] == "tiny"
    assert data["parameters"]["total"] == sum(part["total"] for part in data["parameters"]["sections"])
    assert data["parameters"]["sections"][1]["times"] == 2
