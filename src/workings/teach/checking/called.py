"""A computation with somebody's own numbers: an op, or a module, by name, and what goes into it.

why(got, "attention", q=q, k=k, v=v, heads=8, mask="causal")
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from inspect import signature
from typing import Any

import numpy

from ...engine.errors import InputError
from ...engine.op import Op, first_of
from ...engine.registry import OPS, nearest
from ...engine.tensor import Tensor
from ...explain.step_view import StepView
from ...explain.view import Trace
from ...nn.attention import attend
from ...nn.feed_forward import FeedForward
from ...nn.masks import SEE_ALL, Allowed, Causal, Mask
from ...nn.module import Module
from ...nn.projection import project
from ...ops.given import constant, given, ids, parameter
from ...ops.merge_heads import merge_heads
from ...ops.split_heads import split_heads
from .received import received

Given = dict[str, Any]
QUERIES = ("q", "k", "v")
NEUTRAL = {"gamma": 1.0, "beta": 0.0}  # inputs of norms that change nothing where they are not given
PROJECTIONS = ("W_Q", "W_K", "W_V")


def called(what: str | Module, inputs: Mapping[str, Any]) -> StepView:
    """The result of an op or a module, recorded with these inputs; `step` names another step of it, and `cotangent`
    asks for the way back as well.

    >>> called("softmax", {"x": [2.0, 1.0]}).value.round(4)
    array([0.7311, 0.2689])
    """
    options = dict(inputs)
    step, cotangent = options.pop("step", None), options.pop("cotangent", None)
    with Trace() as trace:
        result = _result(what, options)
        path = trace[result].path
    if cotangent is not None:
        trace.backward(path, received(cotangent, "cotangent").array)
    return trace[path if step is None else str(step)]


def _result(what: str | Module, options: Given) -> Tensor:
    if isinstance(what, Module):
        return _module(what, options)
    if what in MODULES:
        return MODULES[what](options)
    if what not in OPS:
        known = sorted({*OPS, *MODULES})
        raise InputError("why.what", name=what, nearest=nearest(what, known))
    return _op(OPS[what], options)


# -- an op ---------------------------------------------------------------------------------------


def _op(op: Op, options: Given) -> Tensor:
    """An op under the names of its page; capital letters do not matter as long as one name is meant."""
    page, example = op.page, op.page.example
    slots = op.slot_names(max(len(example.inputs), sum(1 for key in options if key not in page.settings)))
    names = tuple(dict.fromkeys(slots))
    options = _spelled(options, (*names, *page.settings), op.name)
    for name in NEUTRAL.keys() & page.inputs - options.keys():
        options[name] = numpy.full(received(options.get("x", 0.0), "x").array.shape[-1:], NEUTRAL[name])
    _refuse_missing(op.name, names[: len(page.inputs)], options)
    tensors = []
    for slot, name in enumerate(name for name in names if name in options):
        model = example.inputs[min(slot, len(example.inputs) - 1)]
        array = received(options[name], name).array
        axes = " ".join(model.axes[len(model.axes) - array.ndim :]) if array.ndim <= len(model.axes) else ""
        whole = numpy.asarray(model.numbers).dtype.kind in "iu"
        tensors.append(ids(array, axes, name=name) if whole else given(array.astype(float), axes, name=name))
    settings = {name: options[name] for name in page.settings if name in options}
    for name in page.settings:  # a setting without a default comes from the example
        if name not in settings and name not in page.defaults and name in example.settings:
            settings[name] = example.settings[name]
    return first_of(op(*tensors, **settings))


def _spelled(options: Given, known: tuple[str, ...], what: str) -> Given:
    """The options under the names that are known here."""
    found: Given = {}
    for key, value in options.items():
        alike = [name for name in known if name == key] or [name for name in known if name.lower() == key.lower()]
        if len(alike) != 1:
            raise InputError("why.input", what=what, name=key, known=", ".join(known))
        found[alike[0]] = value
    return found


def _refuse_missing(what: str, needed: Iterable[str], options: Given) -> None:
    missing = [name for name in needed if name not in options]
    if missing:
        raise InputError("why.missing", what=what, missing=", ".join(missing))


# -- modules ---------------------------------------------------------------------------------------


def _module(module: Module, options: Given) -> Tensor:
    """A module of ours, or one that was read from PyTorch, with its inputs under the names that it has for them."""
    known = [name for name in signature(module.forward).parameters if name != "cache"]
    options = _spelled(options, tuple(known), type(module).__name__)
    needed = (name for name, one in signature(module.forward).parameters.items() if one.default is one.empty)
    _refuse_missing(type(module).__name__, (name for name in needed if name in known), options)
    inputs = {name: _mask(value) if "padding" in name else _rows(value, name) for name, value in options.items()}
    module.write_down()
    result: Tensor = module(**inputs)
    return result


def _attention(options: Given) -> Tensor:
    """Attention from q, k and v that are there already, or from x and the weights that make them."""
    known = (*QUERIES, "x", "memory", "heads", "mask", "d", "W_O", "b_O", *PROJECTIONS, "b_Q", "b_K", "b_V")
    options = _spelled(options, known, "attention")
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


def _number(options: Given, name: str, otherwise: Any) -> Any:
    """A setting that is a number: of heads a whole one."""
    value = options.get(name, otherwise)
    is_number = isinstance(value, int | float | numpy.number) and not isinstance(value, bool)
    if value is not None and (not is_number or value <= 0 or (name == "heads" and value != int(value))):
        raise InputError("why.number", name=name, value=str(value)[:60])
    return int(value) if name == "heads" else value


def _projected(x: Tensor, letter: str, options: Given) -> Tensor:
    W = _weight(options, f"W_{letter}", "model joined")
    return project(x, W, _weight(options, f"b_{letter}", "joined"), name=letter)


def _feed_forward(options: Given) -> Tensor:
    """Two linear layers with a bend between them."""
    options = _spelled(options, ("x", "W_1", "b_1", "W_2", "b_2", "activation"), "feed_forward")
    _refuse_missing("feed_forward", ("x", "W_1", "W_2"), options)
    bend = str(options.get("activation", "relu"))
    if bend not in ("relu", "gelu", "gelu_tanh"):
        raise InputError("why.activation", name=bend)
    module = FeedForward(
        _weight(options, "W_1", "model hidden"),
        _weight(options, "b_1", "hidden"),
        _weight(options, "W_2", "hidden model"),
        _weight(options, "b_2", "model"),
        OPS[bend],
    )
    result: Tensor = module(_rows(options["x"], "X"))
    return result


MODULES: dict[str, Callable[[Given], Tensor]] = {
    "attention": _attention,
    "multi_head_attention": _attention,
    "feed_forward": _feed_forward,
}


def _rows(value: Any, name: str, heads: int = 0) -> Tensor:
    """Rows of numbers, one for each token, with as many axes before them as there are. Where that before the tokens
    is as long as there are heads, it is theirs.
    """
    array = numpy.atleast_2d(received(value, name).array.astype(float))  # one token is a row
    apart = array.ndim == 4 or (array.ndim == 3 and heads > 1 and array.shape[0] == heads)
    words = ("batch", "head", "token", "head_size") if heads and apart else ("batch", "token", "model")
    if array.ndim > len(words):
        raise InputError("why.axes", name=name, shape=" × ".join(map(str, array.shape)))
    return given(array, " ".join(words[len(words) - array.ndim :]), name=name)


def _weight(options: Given, name: str, axes: str) -> Any:
    if options.get(name) is None:
        return None
    return parameter(received(options[name], name).array.astype(float), axes, name=name)


def _mask(mask: Any) -> Mask:
    """A mask of ours, None, the word causal, or a table: 1 (or True) where a query may look at a key, 0 where not."""
    if callable(mask) and not hasattr(mask, "shape"):
        ours: Mask = mask
        return ours
    if mask is None or (isinstance(mask, str) and mask == "none"):
        return SEE_ALL
    if isinstance(mask, str):
        if mask != "causal":
            raise InputError("why.mask", mask=mask)
        return Causal()
    table = received(mask, "mask").array
    if table.ndim != 2 or not numpy.all((table == 0) | (table == 1)):
        raise InputError("why.mask", mask="×".join(map(str, table.shape)))
    return Allowed(constant(table.astype(float), "query key", name="allow"))
