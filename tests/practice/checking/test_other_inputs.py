"""A step that is right in itself, from something else than it should be."""

import numpy
import pytest

import workings as w
from workings import nn
from workings.practice.checking.reference import reference_step

TOKENS, TARGETS = [1, 4, 2, 7, 3], [4, 2, 7, 3, 5]
DRAWS = numpy.random.default_rng(4)


def drawn_model():
    """A small GPT whose gains and biases are not 1 and 0."""
    model = nn.build(
        nn.Architecture(
            kind="decoder", vocab_size=9, width=8, heads=2, layers=1, hidden=16, norm="layer", norm_place="pre",
            head="all-tokens", position="learned", max_positions=8, final_norm=True, activation="gelu",
        ),
        nn.Drawn(5),
    )  # fmt: skip
    moved = {
        path: weight.array + 0.3 * DRAWS.standard_normal(weight.shape) for path, weight in model.parameters().items()
    }
    old = model.parameters()
    named = {p: w.parameter(v, " ".join(old[p].axes), name=p.rpartition(".")[2]) for p, v in moved.items()}
    return model.with_parameters(named)


@pytest.fixture(scope="module")
def trace():
    return reference_step(drawn_model(), {"tokens": TOKENS, "targets": TARGETS}).trace


def normed(x):
    return (x - x.mean(-1, keepdims=True)) / numpy.sqrt(x.var(-1, keepdims=True) + 1e-5)


def broken(values):
    """Of each: the step, what somebody else got there, and a part of what we say."""
    a, f = "block1.attention.", "block1.feed_forward."
    x, h = values["embedding.X"], values[f"{a}norm.normed"]
    mid, h2, out = values[f"{a}residual"], values[f"{f}norm.normed"], values[f"{a}attended"]
    gain, shift = values[f"{a}norm.gamma"], values[f"{a}norm.beta"]
    W, b = values[f"{a}W_V"], values[f"{a}b_V"]
    logits = values["logits"] - values["logits"].max(-1, keepdims=True)
    logs = logits - numpy.log(numpy.exp(logits).sum(-1, keepdims=True))
    hidden = values[f"{f}hidden"]
    return {
        "rows without a norm": (f"{a}V", x @ W + b, "embedding.X in the place of"),
        "a bias subtracted": (f"{a}V", h @ W - b, "b_V with the opposite sign"),
        "no gain": (f"{a}norm.normed", normed(x) + shift, "1 instead of"),
        "no shift": (f"{a}norm.normed", normed(x) * gain, "beta left out"),
        "neither": (f"{a}norm.normed", normed(x), "neither gamma nor beta"),
        "weights of the other norm": (f"{f}norm.normed", normed(mid) * gain + shift, "the weights of block1.att"),
        "a residual of the normed input": (f"{a}residual", h + out, "normed in the place of"),
        "a residual twice": (f"{a}residual", 2 * x + out, "embedding.X taken twice"),
        "a residual of the block's input": (f"{f}residual", x + values[f"{f}output"], "embedding.X in the place of"),
        "a residual after the norm": (f"{f}residual", h2 + values[f"{f}output"], "normed in the place of"),
        "scaled embeddings": (
            "embedding.X",
            8**0.5 * values["embedding.embedded"] + values["embedding.position.places"],
            "times 2.828",
        ),
        "the SiLU": (f"{f}activated", hidden / (1 + numpy.exp(-hidden)), "the SiLU of block1.feed_forward.hidden"),
        "a ReLU after the second layer": (f"{f}output", numpy.maximum(values[f"{f}output"], 0), "the ReLU of the true"),
        "unshifted targets": ("loss", -logs[range(5), TOKENS].mean(), "tokens in the place of"),
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_what_a_step_was_made_from_is_named(trace, kind):
    values = {step.path: numpy.asarray(step.value) for step in trace}
    for what, (path, got, said) in broken(values).items():
        found = w.why(numpy.asarray(got).astype(kind), trace[path])
        if what == "rows without a norm":  # as where the norm comes after the sublayer
            assert {one.id for one in found.candidates} == {"convention.norm_place.post", "layer_norm.left_out"}
            continue
        if what == "scaled embeddings":  # at the lookup, or where positions are added
            assert {one.id for one in found.candidates} == {"lookup.scaled_by_root", "add.embedding_scaled"}
            continue
        assert found.cause is not None, (what, found)
        assert said in found.cause.hint or found.cause.kind in ("mistake", "convention"), (what, found)


def test_any_numbers_have_no_other_inputs(trace):
    for path in ("block1.attention.V", "block1.attention.residual", "loss"):
        for _ in range(5):
            assert w.why(DRAWS.standard_normal(trace[path].shape), trace[path]).verdict == "none"
