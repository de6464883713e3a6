"""The reference that a user's numbers are compared with: an op, a module or a model, computed from the user's inputs.

why(got, "attention", q=q, k=k, v=v, heads=8, mask="causal")
compare(values, to=model, tokens=[4, 1, 2])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from inspect import signature
from typing import Any, TypeAlias

import numpy

from ...conventions import Convention, convention
from ...engine.errors import InputError, nearest
from ...engine.op import OPS, Op, first_of
from ...engine.tensor import Tensor
from ...explain.step_view import StepView
from ...explain.trace import Trace
from ...nn.attention import attend
from ...nn.feed_forward import FeedForward
from ...nn.masks import SEE_ALL, Allowed, Causal, Mask
from ...nn.model import EncoderDecoder, Transformer
from ...nn.module import Module
from ...nn.projection import project
from ...nn.sublayer import PostNorm, PreNorm
from ...ops.cross_entropy import cross_entropy
from ...ops.given import constant, given, ids, parameter
from ...ops.merge_heads import merge_heads
from ...ops.split_heads import split_heads
from ...text.tokens import Tokens
from ...training.checkpoint_format import Checkpoint
from .user_array import to_user_array

Options = dict[str, Any]
Reference: TypeAlias = str | Module | Checkpoint[Any]
QUERIES = ("q", "k", "v")
TOKENS = ("tokens", "source", "segments")  # inputs of whole models that are numbers of tokens
NEUTRAL = {"gamma": 1.0, "beta": 0.0}  # inputs of norms that may be left out
PROJECTIONS = ("W_Q", "W_K", "W_V")


def reference_step(what: Reference, inputs: Mapping[str, Any]) -> StepView:
    """The result of an op, a module or a trained model, recorded with these inputs; `step` names another step of it.
    With a `cotangent` the backward pass is recorded too; with `targets`, from the cross-entropy of the logits.

    >>> reference_step("softmax", {"x": [2.0, 1.0]}).value.round(4)
    array([0.7311, 0.2689])
    """
    options = dict(inputs)
    step, cotangent, targets = (options.pop(name, None) for name in ("step", "cotangent", "targets"))
    tokenizer = options.pop("tokenizer", what.vocabulary if isinstance(what, Checkpoint) else None)

    def computed(what: Reference) -> tuple[Trace, str]:
        with Trace() as trace:
            result = _result(what, options, tokenizer)
            path = trace[result].path
            if targets is not None:
                cross_entropy(result, _token_ids(targets, "targets", tokenizer), name="loss")
        if cotangent is not None or targets is not None:
            array = None if cotangent is None else to_user_array(cotangent, "cotangent").array
            trace.backward(path if targets is None else "loss", array)
        return trace, path

    trace, path = computed(what)
    if isinstance(what, Module) and any(isinstance(part, PreNorm | PostNorm) for part in _parts(what)):
        trace = _with_other_place(trace, what, path, computed)
    return trace[path if step is None else str(step)]


def _with_other_place(
    trace: Trace, module: Module, path: str, computed: Callable[[Reference], tuple[Trace, str]]
) -> Trace:
    """The trace of a module that knows how it is computed with its norms in the other place, before or after."""
    is_before = any(isinstance(part, PreNorm) for part in _parts(module))
    own = convention("pytorch", norm_place="pre" if is_before else "post")

    def rerun(other: Convention) -> Trace:
        if other != own.but(norm_place="post" if is_before else "pre"):
            raise InputError("Only the place of the norms can be changed.", hint="Ask about another convention.")
        found, result = computed(_moved(module))
        return found.with_run(aliases={path: result})

    return Trace(run=replace(trace.run, convention=own, rerun=rerun), recording=trace.recording)


def _moved(module: Module) -> Module:
    """The same module with its norms after the sublayers instead of before them, or the other way round."""
    moved = {field.name: _moved_in(getattr(module, field.name)) for field in fields(module) if field.init}
    if isinstance(module, PreNorm | PostNorm):
        return (PostNorm if isinstance(module, PreNorm) else PreNorm)(**moved)
    return replace(module, **moved)


def _moved_in(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_moved_in, value))
    return _moved(value) if isinstance(value, Module) else value


def _parts(value: Any) -> Iterator[Module]:
    """A module and all modules in it."""
    if isinstance(value, tuple):
        for one in value:
            yield from _parts(one)
    elif isinstance(value, Module):
        yield value
        for field in fields(value):
            yield from _parts(getattr(value, field.name))


def _result(what: Reference, options: Options, tokenizer: Tokens | None) -> Tensor:
    if isinstance(what, Module | Checkpoint):
        return _module(what.model if isinstance(what, Checkpoint) else what, options, tokenizer)
    if what in MODULES:
        return MODULES[what](options)
    if what not in OPS:
        known = sorted({*OPS, *MODULES})
        raise InputError(
            f"There is no op or module '{what}'.",
            hint=f"Did you mean {nearest(what, known)}? `workings op` lists the ops.",
        )
    return _op(OPS[what], options)


# -- an op ---------------------------------------------------------------------------------------


def _op(op: Op, options: Options) -> Tensor:
    """An op with inputs under the names of its page; capitals do not matter if the name is clear."""
    page, example = op.page, op.page.example
    slots = op.slot_names(max(len(example.inputs), sum(1 for key in options if key not in page.settings)))
    names = tuple(dict.fromkeys(slots))
    options = _with_known_names(options, (*names, *page.settings), op.name)
    for name in NEUTRAL.keys() & page.inputs - options.keys():
        options[name] = numpy.full(to_user_array(options.get("x", 0.0), "x").array.shape[-1:], NEUTRAL[name])
    _refuse_missing(op.name, names[: len(page.inputs)], options)
    tensors = []
    for slot, name in enumerate(name for name in names if name in options):
        model = example.inputs[min(slot, len(example.inputs) - 1)]
        array = to_user_array(options[name], name).array
        axes = " ".join(model.axes[len(model.axes) - array.ndim :]) if array.ndim <= len(model.axes) else ""
        whole = numpy.asarray(model.numbers).dtype.kind in "iu"
        tensors.append(ids(array, axes, name=name) if whole else given(array.astype(float), axes, name=name))
    settings = {name: options[name] for name in page.settings if name in options}
    for name in page.settings:  # a setting without a default comes from the example
        if name not in settings and name not in page.defaults and name in example.settings:
            settings[name] = example.settings[name]
    return first_of(op(*tensors, **settings))


def _with_known_names(options: Options, known: tuple[str, ...], what: str) -> Options:
    """The options under the names that are known here, whatever their capitals."""
    found: Options = {}
    for key, value in options.items():
        alike = [name for name in known if name == key] or [name for name in known if name.lower() == key.lower()]
        if len(alike) != 1:
            raise InputError(f"{what} has no input or setting '{key}'.", hint=f"Known here: {', '.join(known)}.")
        found[alike[0]] = value
    return found


def _refuse_missing(what: str, needed: Iterable[str], options: Options) -> None:
    missing = [name for name in needed if name not in options]
    if missing:
        raise InputError(f"{what} also needs {', '.join(missing)}.", hint="Give all of its inputs by name.")


# -- modules ---------------------------------------------------------------------------------------


def _module(module: Module, options: Options, tokenizer: Tokens | None) -> Tensor:
    """A module of ours, or one that was read from PyTorch, with its inputs under its own names; a whole model with its
    tokens.
    """
    parameters = signature(module.forward).parameters.items()
    known = {name: one for name, one in parameters if name != "cache" and one.kind is not one.VAR_POSITIONAL}
    options = _with_known_names(options, tuple(known), type(module).__name__)
    _refuse_missing(type(module).__name__, (name for name, one in known.items() if one.default is one.empty), options)
    inputs: Options = {}
    for name, value in options.items():
        if isinstance(module, Transformer | EncoderDecoder) and name in TOKENS:
            inputs[name] = _token_ids(value, name, tokenizer)
        else:
            inputs[name] = _mask(value) if "padding" in name else _rows(value, name)
    module.write_down()
    result: Tensor = module(**inputs)
    return result


def _token_ids(value: Any, name: str, tokenizer: Tokens | None) -> Tensor:
    """Tokens as their numbers: given so, or as a text that a tokenizer cuts."""
    if isinstance(value, str):
        if tokenizer is None:
            raise InputError(
                f"{name} is a text, and this model has no tokenizer.",
                hint=f"Give the ids: {name}=[0, 1, 2]; or a tokenizer too: tokenizer=w.text.Vocabulary.words(...).",
            )
        value = tokenizer.encode(value)
    array = to_user_array(value, name).array
    if array.ndim not in (1, 2) or not numpy.all(array == numpy.floor(array)):
        raise InputError(
            f"{name} are the numbers of tokens, in one row or one row for each text.",
            hint=f"Write {name}=[0, 1, 2], or give a tensor of whole numbers.",
        )
    return ids(array.astype(numpy.int64), "token" if array.ndim == 1 else "batch token", name=name)


def _attention(options: Options) -> Tensor:
    """Attention from q, k and v, or from x and the weights of their projections."""
    known = (*QUERIES, "x", "memory", "heads", "mask", "d", "W_O", "b_O", *PROJECTIONS, "b_Q", "b_K", "b_V")
    options = _with_known_names(options, known, "attention")
    _refuse_missing("attention", PROJECTIONS if "x" in options else QUERIES, options)
    heads, d = _number(options, "heads", 1), _number(options, "d", None)
    if "x" in options:
        x = _rows(options["x"], "X")
        memory = _rows(options["memory"], "memory") if "memory" in options else x
        Q, K, V = (_projected(x if letter == "Q" else memory, letter, options) for letter in "QKV")
    else:
        Q, K, V = (_rows(options[name], name.upper(), heads) for name in QUERIES)
    if heads > 1 and "head" not in Q.axes:
        Q, K, V = (split_heads(T, heads=heads, name=f"{n}_heads") for T, n in ((Q, "Q"), (K, "K"), (V, "V")))
    context = attend(Q, K, V, _mask(options.get("mask")), d=d)
    if "head" in context.axes:
        context = merge_heads(context, name="joined")
    if "W_O" in options:
        return project(context, _weight(options, "W_O", "joined model"), _weight(options, "b_O", "model"), "attended")
    return context


def _number(options: Options, name: str, otherwise: Any) -> Any:
    """A setting that is a number; the number of heads is whole."""
    value = options.get(name, otherwise)
    is_number = isinstance(value, int | float | numpy.number) and not isinstance(value, bool)
    if value is not None and (not is_number or value <= 0 or (name == "heads" and value != int(value))):
        raise InputError(
            f"{name} cannot be {str(value)[:60]}.", hint="Give a positive number; heads are whole, such as 2."
        )
    return int(value) if name == "heads" else value


def _projected(x: Tensor, letter: str, options: Options) -> Tensor:
    W = _weight(options, f"W_{letter}", "model joined")
    return project(x, W, _weight(options, f"b_{letter}", "joined"), name=letter)


def _feed_forward(options: Options) -> Tensor:
    """Two linear layers with an activation function between them."""
    options = _with_known_names(options, ("x", "W_1", "b_1", "W_2", "b_2", "activation"), "feed_forward")
    _refuse_missing("feed_forward", ("x", "W_1", "W_2"), options)
    activation = str(options.get("activation", "relu"))
    if activation not in ("relu", "gelu", "gelu_tanh"):
        raise InputError(f"The activation function {activation} is unknown.", hint="Write relu, gelu or gelu_tanh.")
    module = FeedForward(
        _weight(options, "W_1", "model hidden"),
        _weight(options, "b_1", "hidden"),
        _weight(options, "W_2", "hidden model"),
        _weight(options, "b_2", "model"),
        OPS[activation],
    )
    result: Tensor = module(_rows(options["x"], "X"))
    return result


MODULES: dict[str, Callable[[Options], Tensor]] = {
    "attention": _attention,
    "multi_head_attention": _attention,
    "feed_forward": _feed_forward,
}


def _rows(value: Any, name: str, heads: int = 0) -> Tensor:
    """Rows of numbers, one for each token, with any axes before them. An axis as long as there are heads is theirs."""
    array = numpy.atleast_2d(to_user_array(value, name).array.astype(float))  # a single token is one row
    apart = array.ndim == 4 or (array.ndim == 3 and heads > 1 and array.shape[0] == heads)
    words = ("batch", "head", "token", "head_size") if heads and apart else ("batch", "token", "model")
    if array.ndim > len(words):
        raise InputError(
            f"{name} has too many axes: {' × '.join(map(str, array.shape))}.",
            hint="Give tokens × columns, with an axis for texts or heads before them.",
        )
    return given(array, " ".join(words[len(words) - array.ndim :]), name=name)


def _weight(options: Options, name: str, axes: str) -> Any:
    if options.get(name) is None:
        return None
    return parameter(to_user_array(options[name], name).array.astype(float), axes, name=name)


def _mask(mask: Any) -> Mask:
    """A mask of ours, None, the word causal, or a table: 1 (or True) where a query may attend to a key, 0 elsewhere."""
    if callable(mask) and not hasattr(mask, "shape"):
        ours: Mask = mask
        return ours
    if mask is None or (isinstance(mask, str) and mask == "none"):
        return SEE_ALL
    if isinstance(mask, str):
        if mask != "causal":
            raise _unknown_mask(mask)
        return Causal()
    table = to_user_array(mask, "mask").array
    if table.ndim != 2 or not numpy.all((table == 0) | (table == 1)):
        raise _unknown_mask("×".join(map(str, table.shape)))
    return Allowed(constant(table.astype(float), "query key", name="allow"))


def _unknown_mask(mask: str) -> InputError:
    return InputError(
        f"The mask '{mask}' is unknown.",
        hint='Write "causal", or give a table of queries and keys: 1 where a query may attend, 0 elsewhere.',
    )
