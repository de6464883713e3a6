"""A whole model beside somebody's own: tokens in, every tensor under the names of other people's programs."""

import numpy
import pytest
import torch
from torch.nn import functional

import workings as w
from workings import nn
from workings.engine.errors import InputError, StepError
from workings.practice.checking.reference import reference_step
from workings.practice.checking.step_names import steps_named

WIDTH, HEADS, TOKENS, TARGETS = 8, 2, [1, 4, 2, 3], [4, 2, 3, 5]
MODEL = nn.build(
    nn.Architecture(
        kind="decoder", vocab_size=7, width=WIDTH, heads=HEADS, layers=2, hidden=16, norm="layer", norm_place="pre",
        head="all-tokens", position="learned", max_positions=8, final_norm=True,
    ),
    nn.Drawn(7),
)  # fmt: skip


def program(scale=2.0, activation=functional.relu, mask_shift=1, kind=torch.float64):
    """A small GPT in plain PyTorch, with the names that such programs have, and its gradients."""
    own = {path: torch.tensor(numpy.array(value.array), dtype=kind) for path, value in MODEL.parameters().items()}
    own = {path: value.requires_grad_() for path, value in own.items()}
    count = len(TOKENS)
    x = own["embedding.E"][TOKENS] + own["embedding.position.E_position"][:count]
    found = {"wte": own["embedding.E"][TOKENS], "x0": x}
    hidden = torch.ones(count, count).triu(mask_shift) == 1
    for number in (0, 1):
        attention = {key.rpartition("attention.")[2]: v for key, v in own.items() if f"block{number + 1}.att" in key}
        ffn = {key.rpartition("feed_forward.")[2]: v for key, v in own.items() if f"block{number + 1}.feed" in key}
        at = f"h.{number}"
        h = functional.layer_norm(x, (WIDTH,), attention["norm.gamma"], attention["norm.beta"])
        q, k, v = (h @ attention[f"W_{name}"] + attention[f"b_{name}"] for name in "QKV")
        heads = [part.view(count, HEADS, -1).transpose(0, 1) for part in (q, k, v)]
        scores = (heads[0] @ heads[1].transpose(-1, -2) / scale).masked_fill(hidden, -1e9)
        att = scores.softmax(-1)
        out = (att @ heads[2]).transpose(0, 1).reshape(count, WIDTH) @ attention["W_O"] + attention["b_O"]
        x = x + out
        found |= {f"{at}.ln_1": h, f"{at}.attn.q": q, f"{at}.attn.att": att, f"{at}.attn.c_proj": out}
        h = functional.layer_norm(x, (WIDTH,), ffn["norm.gamma"], ffn["norm.beta"])
        up = h @ ffn["W_1"] + ffn["b_1"]
        down = activation(up) @ ffn["W_2"] + ffn["b_2"]
        found |= {f"{at}.resid_mid": x, f"{at}.ln_2": h, f"{at}.mlp.c_fc": up, f"{at}.mlp.act": activation(up)}
        x = x + down
        found |= {f"{at}.mlp.c_proj": down, at: x}
    x = functional.layer_norm(x, (WIDTH,), own["final_norm.gamma"], own["final_norm.beta"])
    logits = x @ own["W_vocab"]
    loss = functional.cross_entropy(logits, torch.tensor(TARGETS))
    loss.backward()
    for number in (0, 1):
        q, gamma = own[f"block{number + 1}.attention.W_Q"], own[f"block{number + 1}.attention.norm.gamma"]
        found |= {f"h.{number}.attn.dWq": q.grad, f"h.{number}.ln_1.weight.grad": gamma.grad}
    found |= {"ln_f": x, "logits": logits, "probs": logits.softmax(-1), "loss": loss}
    return {**found, "lm_head.weight.grad": own["W_vocab"].grad.T, "wte.weight.grad": own["embedding.E"].grad}


def compared(**broken):
    return w.compare(program(**broken), to=MODEL, tokens=TOKENS, targets=TARGETS)


@pytest.mark.parametrize("kind", [torch.float64, torch.float32])
def test_a_right_model_is_right_in_every_tensor(kind):
    found = compared(kind=kind)
    assert (found.first, found.unknown, found.causes) == (None, (), ())
    assert {step.verdict for step in found.steps} <= {"exact", "approximate", "arranged otherwise"}
    assert found["h.1.mlp.c_proj"].path == "block2.feed_forward.output"
    assert found["lm_head.weight.grad"].verdict == "arranged otherwise"


@pytest.mark.parametrize("kind", [torch.float64, torch.float32])
@pytest.mark.parametrize(
    ("broken", "first", "causes"),
    [
        ({"scale": 1.0}, "h.0.attn.att", ["divide_by_root.not_divided"]),
        ({"activation": functional.gelu}, "h.0.mlp.act", ["convention.activation.gelu"]),
        ({"activation": functional.gelu, "mask_shift": 2}, "h.0.attn.att",
         ["causal_mask.one_ahead", "convention.activation.gelu"]),
    ],
)  # fmt: skip
def test_mistakes_in_every_block_are_one_cause_each(kind, broken, first, causes):
    found = compared(kind=kind, **broken)
    assert found.first.name == first
    assert [cause.why.cause.id for cause in found.causes] == causes
    assert all(len(cause.also) == 1 for cause in found.causes)  # the second block
    assert found["lm_head.weight.grad"].verdict == "follows"


def test_tokens_may_be_a_text_where_there_is_a_tokenizer():
    words = w.text.Vocabulary.words("the cat sat on a mat now")
    text = words.decode(TOKENS)
    found = w.compare({"logits": program()["logits"]}, to=MODEL, tokens=text, tokenizer=words)
    assert found.agrees
    with pytest.raises(InputError, match="tokens is a text, and this model has no tokenizer") as refused:
        w.compare({"logits": [1.0]}, to=MODEL, tokens=text)
    assert "tokens=[0, 1, 2]" in refused.value.hint


def test_tokens_may_be_a_batch_and_must_be_whole():
    logits = program()["logits"]
    assert w.compare({"logits": logits[None]}, to=MODEL, tokens=torch.tensor([TOKENS])).agrees
    assert w.why(logits, MODEL, tokens=TOKENS).verdict == "exact"
    with pytest.raises(InputError, match="numbers of tokens"):
        w.compare({"logits": logits}, to=MODEL, tokens=[0.5, 1.0])
    with pytest.raises(InputError, match="also needs tokens"):
        w.compare({"logits": logits}, to=MODEL)


def test_an_empty_dictionary_is_refused_with_an_example():
    for to, inputs in ((MODEL, {"tokens": TOKENS}), (w.scenario("example-1").trace(), {})):
        with pytest.raises(InputError, match="the dictionary is empty") as refused:
            w.compare({}, to=to, **inputs)
        assert "compare({" in refused.value.hint


# -- names -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def trace():
    return reference_step(MODEL, {"tokens": TOKENS, "targets": TARGETS}).trace


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("block1.q", "block1.attention.Q"),
        ("ffn_out", "block1.feed_forward.output"),
        ("block2.ffn_out", "block2.feed_forward.output"),
        ("h.0.attn.q", "block1.attention.Q"),
        ("layers.0.self_attn.q_proj", "block1.attention.Q"),
        ("model.layers.1.self_attn.q_proj.weight", "block2.attention.W_Q"),
        ("attn_scores", "block1.attention.scores"),
        ("att", "block1.attention.weights"),
        ("blocks[1].attn.probs", "block2.attention.weights"),
        ("layer_1_attn_probs", "block1.attention.weights"),
        ("probs", "P"),
        ("logits", "logits"),
        ("ln1", "block1.attention.norm.normed"),
        ("ln_1.weight.grad", "block1.attention.norm.dgamma"),
        ("grad_W_Q", "block1.attention.dW_Q"),
        ("W_Q_grad", "block1.attention.dW_Q"),
        ("dWq", "block1.attention.dW_Q"),
        ("h.1.mlp.c_fc.bias.grad", "block2.feed_forward.db_1"),
        ("d_logits", "dlogits"),
        ("block0.q", "block1.attention.Q"),
        ("h.1", "block2.feed_forward.residual"),
        ("block1.out", "block1.feed_forward.residual"),
        ("layers.0.self_attn", "block1.attention.attended"),
        ("wte.weight", "embedding.E"),
        ("lm_head.weight.grad", "dW_vocab"),
        ("layers.0.attn.heads.1.k", "block1.attention.head2.K_heads"),
    ],
)
def test_names_of_other_programs_are_matched(trace, name, path):
    assert steps_named(trace, name)[0].path == path


def test_a_name_that_fits_in_several_places_is_decided_by_its_numbers(trace):
    second = trace["block2.attention.Q"].value
    found = w.compare({"q": second}, to=trace)
    assert (found["q"].path, found["q"].verdict, found["q"].among) == ("block2.attention.Q", "exact", 2)
    shown = " ".join(str(found).split())
    assert "q could be in 2 places; we compared it with block2.attention.Q." in shown
    near = w.compare({"q": second + 0.001}, to=trace)
    assert (near["q"].path, near["q"].verdict) == ("block2.attention.Q", "different")


def test_blocks_that_are_counted_from_zero_are_known_by_the_first(trace):
    first, second = (trace[f"block{number}.attention.Q"].value for number in (1, 2))
    found = w.compare({"block0.q": first + 0.1, "block1.q": second + 0.1}, to=trace)
    assert [step.path for step in found.steps] == ["block1.attention.Q", "block2.attention.Q"]


def test_a_name_that_fits_nothing_is_refused_with_the_nearest(trace):
    with pytest.raises(StepError, match="There is no step 'layers") as refused:
        w.compare({"layers.0.self_attn.q_prj": [1.0]}, to=trace)
    assert "q_proj" in refused.value.hint
    found = w.compare({"q": trace["block1.attention.Q"].value, "rotary.inv_freq": [1.0]}, to=trace)
    assert found.unknown == ("rotary.inv_freq",)
