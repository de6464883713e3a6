"""Several heads with matrices of their own, and the same numbers side by side in one matrix, are one computation."""

from __future__ import annotations

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parity import assert_close

import workings as w
from workings import nn
from workings.engine.tensor import Tensor

CLOSE = 1e-12


@settings(max_examples=30, deadline=None, derandomize=True, database=None)
@given(
    sizes=st.tuples(*[st.integers(1, 4)] * 4),
    batch=st.integers(0, 2),
    crossing=st.booleans(),
    mask=st.sampled_from(["none", "causal", "padding"]),
    biased=st.booleans(),
    d=st.sampled_from([None, 7.0]),
    seed=st.integers(0, 2**32 - 1),
)
def test_separate_heads_are_packed_heads(sizes, batch, crossing, mask, biased, d, seed):
    heads, head_size, width, tokens = sizes
    random = numpy.random.default_rng(seed)
    texts = (batch,) if batch else ()
    axes = "batch token model" if batch else "token model"
    X = w.given(random.normal(size=(*texts, tokens, width)), axes, name="X")
    memory = w.given(random.normal(size=(*texts, 3, width)), axes, name="memory") if crossing else None
    own = nn.Causal() if mask == "causal" else nn.SeeAll()
    keep = numpy.array([1.0, 0.0, 1.0] if crossing else [1.0] + [0.0] * (tokens - 1))
    padding = nn.Padding(w.constant(keep, "key")) if mask == "padding" else nn.SeeAll()
    tables = {letter: random.normal(size=(width, heads * head_size)) for letter in "QKV"}
    rows = {letter: random.normal(size=heads * head_size) for letter in "QKV"}
    W_O = w.parameter(random.normal(size=(heads * head_size, width)), "joined model", name="W_O")
    b_O = w.parameter(random.normal(size=width), "model", name="b_O") if biased else None

    def weights(columns: slice, word: str) -> dict[str, Tensor]:
        found = {f"W_{x}": w.parameter(tables[x][:, columns], f"model {word}", name=f"W_{x}") for x in "QKV"}
        if biased:
            found |= {f"b_{x}": w.parameter(rows[x][columns], word, name=f"b_{x}") for x in "QKV"}
        return found

    columns = [slice(n * head_size, (n + 1) * head_size) for n in range(heads)]
    separate = nn.SeparateHeads(
        tuple(nn.Head(**weights(part, "head_size"), mask=own, d=d) for part in columns), W_O, b_O
    )
    packed = nn.PackedHeads(**weights(slice(None), "joined"), W_O=W_O, b_O=b_O, heads=heads, mask=own, d=d)
    cotangent = random.normal(size=(*texts, tokens, width))
    apart, together = (_trace(model, X, memory, padding, cotangent) for model in (separate, packed))

    assert_close(apart["attended"].value, together["attended"].value, "attended", CLOSE)
    for name in ["dX", "dW_O", *(["dmemory"] if crossing else []), *(["db_O"] if biased else [])]:
        assert_close(apart[name].value, together[name].value, name, CLOSE)
    for name in [f"W_{x}" for x in "QKV"] + ([f"b_{x}" for x in "QKV"] if biased else []):
        pieces = [apart[f"head{n}.d{name}"].value for n in range(1, heads + 1)]
        assert_close(numpy.concatenate(pieces, axis=-1), together[f"d{name}"].value, f"d{name}", CLOSE)
    each = numpy.stack([apart[f"head{n}.weights"].value for n in range(1, heads + 1)], axis=-3)
    assert_close(each, together["weights"].value, "weights", CLOSE)


def _trace(model, X, memory, padding, cotangent):
    with w.Trace() as trace:
        trace.start_from(X, *([] if memory is None else [memory]))
        model.write_down()
        model(X, memory, padding)
    return trace.backward("attended", cotangent)


# -- nothing to look at ----------------------------------------------------------------------------


def attention(mask: nn.masks.Mask) -> nn.PackedHeads:
    table = [[0.5, -0.2], [0.1, 0.3]]
    first = [w.parameter(table, "model joined", name=name) for name in ("W_Q", "W_K", "W_V")]
    return nn.PackedHeads(*first, w.parameter(table, "joined model", name="W_O"), heads=1, mask=mask)


@pytest.mark.parametrize(
    ("mask", "padding", "row"),
    [
        (nn.Allowed(w.constant([[1.0, 1.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], "query key")), nn.SeeAll(), "[1]"),
        (nn.SeeAll(), nn.Padding(w.constant([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]], "batch key")), "[1]"),
        # Each mask leaves something, and both together nothing: the first token sees only itself, which is padding.
        (nn.Causal(), nn.Padding(w.constant([[1.0, 1.0, 1.0], [0.0, 1.0, 1.0]], "batch key")), "[1][0][0]"),
    ],
)
def test_a_row_that_is_hidden_everywhere_is_named(mask, padding, row):
    X = w.given(numpy.arange(12.0).reshape(2, 3, 2), "batch token model", name="X")
    with w.Trace(), pytest.raises(w.WorkingsError) as raised:
        attention(mask)(X, None, padding)
    assert "is masked everywhere: all its scores are -inf" in raised.value.what
    assert f"Row {row} is masked everywhere" in str(raised.value)
