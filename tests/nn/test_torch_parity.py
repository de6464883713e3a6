"""Every module that `from_torch` reads, against PyTorch: the output, and the gradient of every weight and input.

A configuration is drawn: sizes, layers, masks, norms, biases. Both sides have the same random numbers in all weights.
"""

from __future__ import annotations

import numpy
import parity
import pytest
import torch
from hypothesis import HealthCheck, Phase, given, seed, settings
from parity import KINDS, Setup, assert_close

import workings as w
from workings import nn

FAST, SLOW = 10, 60  # of each class, so that there are 60 and 360 in all
MORE = 1.25  # some are drawn twice


@pytest.fixture(autouse=True)
def _as_written():
    """The kernels that PyTorch uses only without gradients stay out of it."""
    before = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    yield
    torch.backends.mha.set_fastpath_enabled(before)


@pytest.mark.parametrize("kind", KINDS)
def test_from_torch_gives_the_same_numbers_and_gradients(kind):
    tried: set[Setup] = set()

    @seed(KINDS.index(kind))  # other configurations for each class, the same in every run
    @settings(max_examples=int(FAST * MORE), deadline=None, database=None, phases=[Phase.generate])
    @given(parity.setups(kind))
    def compare(setup):
        assert_same(setup)
        tried.add(setup)

    compare()
    assert len(tried) >= FAST


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_from_torch_gives_the_same_numbers_and_gradients_many_times(kind):
    tried: set[Setup] = set()

    @settings(max_examples=int(SLOW * MORE), deadline=None, suppress_health_check=list(HealthCheck))
    @given(parity.setups(kind))
    def compare(setup):
        assert_same(setup)
        tried.add(setup)

    compare()
    assert len(tried) >= SLOW


def assert_same(setup: Setup) -> None:
    module = parity.made(setup)
    model = nn.from_torch(module)
    random = setup.random()
    case = _CASES[setup.kind](setup, random)
    theirs = {name: torch.tensor(value, requires_grad=True) for name, value in case.inputs.items()}
    output = case.call(module, {name: _laid_out(x, setup) for name, x in theirs.items()})
    output = _laid_out(output, setup)
    cotangent = random.normal(size=tuple(output.shape))
    (output * torch.tensor(cotangent)).sum().backward()

    axes = "batch token model" if setup.batch else "token model"
    ours = {name: w.given(value, axes, name=name) for name, value in case.inputs.items()}
    with w.Trace() as trace:
        trace.start_from(*ours.values())
        model.write_down()
        result = case.ours(model, ours)
    trace.backward(list(trace)[-1].path, cotangent)
    assert_close(result.array, output, "output")
    for name, x in theirs.items():
        assert_close(trace[f"d{name}"].value, x.grad, f"d{name}")
    expected, found = parity.our_names(module), parity.gradients(trace, model)
    assert found.keys() == expected.keys()
    for path, gradient in expected.items():
        assert_close(found[path], gradient, f"gradient of {path}")


def _laid_out(x: torch.Tensor, setup: Setup) -> torch.Tensor:
    """Between `batch token model` and what PyTorch takes where batch_first is not set."""
    return x if setup.batch_first or not setup.batch else x.transpose(0, 1)


# -- one way to call each class --------------------------------------------------------------------


class Case:
    """The inputs of a module and its masks; `call` runs it in PyTorch, `ours` here."""

    def __init__(self, setup: Setup, random: numpy.random.Generator) -> None:
        self.setup = setup
        self.inputs: dict[str, numpy.ndarray] = {}
        self.random = random
        self.start()

    def start(self) -> None:
        self.text("X", self.setup.tokens)
        self.own = self.masks(self.setup.own, self.setup.tokens, self.setup.tokens)

    def text(self, name: str, tokens: int, width: int | None = None) -> None:
        texts = (self.setup.batch,) if self.setup.batch else ()
        self.inputs[name] = self.random.normal(size=(*texts, tokens, width or self.setup.width))

    def masks(self, how: parity.Masking, queries: int, keys: int) -> dict[str, torch.Tensor | None]:
        return parity.masks(self.random, how, self.setup, queries, keys)

    def mask(self, masks: dict[str, torch.Tensor | None]) -> nn.masks.Mask:
        return nn.mask_from_torch(**masks, heads=self.setup.heads)


class Attention(Case):
    def start(self) -> None:
        setup = self.setup
        self.text("X", setup.tokens)
        if not setup.looks_at_itself:
            self.text("keys", setup.source, setup.key_size)
            self.text("values", setup.source, setup.value_size)
        self.own = self.masks(setup.own, setup.tokens, setup.tokens if setup.looks_at_itself else setup.source)

    def call(self, module, x):
        X, keys, values = x["X"], x.get("keys", x["X"]), x.get("values", x["X"])
        return module(X, keys, values, **self.own)[0]

    def ours(self, model, x):
        return model(x["X"], x.get("keys"), self.mask(self.own), x.get("values"))


class EncoderLayer(Case):
    mask_name = "src_mask"

    def call(self, module, x):
        masks = {self.mask_name: self.own["attn_mask"], "src_key_padding_mask": self.own["key_padding_mask"]}
        return module(x["X"], **masks)

    def ours(self, model, x):
        return model(x["X"], self.mask(self.own))


class Encoder(EncoderLayer):
    mask_name = "mask"


class Decoder(Case):
    def start(self) -> None:
        super().start()
        self.text("memory", self.setup.source)
        self.memory = self.masks(self.setup.memory, self.setup.tokens, self.setup.source)

    def decoding(self) -> dict[str, torch.Tensor | None]:
        return {
            "tgt_mask": self.own["attn_mask"],
            "tgt_key_padding_mask": self.own["key_padding_mask"],
            "memory_mask": self.memory["attn_mask"],
            "memory_key_padding_mask": self.memory["key_padding_mask"],
        }

    def call(self, module, x):
        return module(x["X"], x["memory"], **self.decoding())

    def ours(self, model, x):
        return model(x["X"], x["memory"], self.mask(self.own), self.mask(self.memory))


class Whole(Decoder):
    def start(self) -> None:
        super().start()
        self.inputs["source"] = self.inputs.pop("memory")
        self.reading = self.masks(self.setup.reading, self.setup.source, self.setup.source)

    def call(self, module, x):
        reading = {"src_mask": self.reading["attn_mask"], "src_key_padding_mask": self.reading["key_padding_mask"]}
        return module(x["source"], x["X"], **reading, **self.decoding())

    def ours(self, model, x):
        return model(x["source"], x["X"], self.mask(self.reading), self.mask(self.own), self.mask(self.memory))


_CASES = dict(zip(KINDS, (Attention, EncoderLayer, Decoder, Encoder, Decoder, Whole), strict=True))
