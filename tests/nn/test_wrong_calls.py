"""A call with the wrong thing in a position gets an error of ours, never a bare TypeError or AttributeError."""

import inspect

import pytest

import workings as w
from workings.engine.errors import CallError, WorkingsError

CAUSAL = w.nn.Causal()
X = w.given([[1.0, 2.0], [3.0, 4.0]], "token model", name="X")
TOKENS = w.ids([0, 1])
ARCHITECTURE = w.nn.Architecture("decoder", vocab_size=4, width=2)
MODEL = w.nn.build(ARCHITECTURE, w.nn.Drawn(1))


def weight(name):
    return w.parameter([[0.1, 0.2], [0.3, 0.4]], "model head_size", name=name)


def head(*more, **options):
    return w.nn.Head(weight("W_Q"), weight("W_K"), weight("W_V"), *more, **options)


WRONG_CALLS = {
    "a mask where the bias of the queries belongs": (lambda: head(CAUSAL), "Head takes a Tensor or None for b_Q"),
    "a mask where the memory belongs": (lambda: head()(X, CAUSAL), "A call of Head takes a Tensor or None for memory"),
    "the name of a mask": (lambda: head(mask="causal"), "Head takes a Mask for mask, not 'causal'"),
    "a tensor as a mask": (lambda: head(mask=X), "Head takes a Mask for mask, not Tensor"),
    "a tensor as padding": (lambda: head()(X, None, X), "takes a Mask for masks, not Tensor"),
    "no second mask": (lambda: w.nn.Both(CAUSAL, None), "Both takes a Mask for second, not None"),
    "attention with the name of a mask": (
        lambda: w.nn.attend(X, X, X, "causal"),
        "takes a Mask for masks, not 'causal'",
    ),
    "attention with the mask first": (lambda: w.nn.attend(CAUSAL, X, X, X), "takes a Tensor for Q"),
    "a mask after the tokens": (
        lambda: MODEL(TOKENS, CAUSAL),
        "A call of LastToken takes at most 1 positional argument",
    ),
    "a mask by a name that a model does not have": (
        lambda: MODEL(TOKENS, mask=CAUSAL),
        "A call of Transformer has no option 'mask'",
    ),
    "a mask as the feed-forward network": (lambda: w.nn.Block(head(), CAUSAL), "Block takes a Module for feed_forward"),
    "a mask as the number of heads": (
        lambda: w.nn.PackedHeads(weight("a"), weight("b"), weight("c"), weight("d"), CAUSAL),
        "PackedHeads takes an int for heads",
    ),
    "one head instead of several": (
        lambda: w.nn.SeparateHeads(head(), weight("W_O")),
        "takes a tuple of Module for heads",
    ),
    "a list as a weight": (lambda: w.nn.Linear([[1, 2], [3, 4]]), "Linear takes a Tensor for W"),
    "a class instead of a module": (lambda: w.nn.PreNorm(w.nn.LayerNorm, head()), "PreNorm takes a Module for part"),
    "the name of a model": (lambda: w.nn.build("gpt2", w.nn.Drawn(1)), "build takes an Architecture"),
    "no weights": (lambda: w.nn.build(ARCHITECTURE, None), "build takes a Weights for weights, not None"),
    "the name of an activation": (lambda: w.nn.FeedForward(X, None, X, None, "relu"), "takes an Op for activation"),
}


@pytest.mark.parametrize("case", WRONG_CALLS)
def test_a_module_says_what_belongs_in_a_position(case):
    call, said = WRONG_CALLS[case]
    with pytest.raises(CallError, match=said):
        call()


def test_what_may_be_anything_is_not_to_blame():
    with pytest.raises(CallError, match="given takes a str for axes, not 5"):
        w.given([[1.0, 2.0]], 5)


def test_the_error_of_a_mask_shows_one():
    with pytest.raises(CallError, match=r"w\.nn\.Causal\(\)"):
        head(mask="causal")


PUBLIC = {
    **{name: getattr(w, name) for name in w.__all__ if inspect.isfunction(getattr(w, name))},
    "Scenario.trace": w.scenario("example-1").trace,
    "Lesson.trace": w.lesson("example-1").trace,
    "Trace.replay": w.scenario("example-1").trace().replay,
    "Trace.backward": w.scenario("example-1").trace().backward,
}


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_function_names_the_options_that_it_has(name):
    function = PUBLIC[name]
    with pytest.raises(WorkingsError, match=r"unknown_option|needs the argument") as raised:
        function(unknown_option=1)
    assert "self" not in str(raised.value)
