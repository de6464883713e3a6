"""Every value of a run once more, from the JSON of its trace alone: forward by PyTorch, gradients by autograd.

Each input that a forward step reads is a tensor of its own (an alias), so that autograd gives the part of a gradient
that flows back through just this reader: what a trace calls `dX.via_Q`. Our own rules are never followed for a result;
only the steps inside a rule, which mean nothing on their own, are computed as ops from what has been judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor

from .mistakes import MISTAKES
from .operations import OPERATIONS

StepJson = Mapping[str, Any]
Reading = tuple[str, int]  # a forward step, and which of its inputs
WORDS = {"inf": torch.inf, "-inf": -torch.inf, "nan": torch.nan}
AXES = ("axis", "order")  # settings that name axes of the first input


class UnknownOpError(Exception):
    """The judge has no version of an op."""


class Pinned(torch.autograd.Function):
    """A value that somebody put in the place of a result: gradients go on to what made that result."""

    @staticmethod
    def forward(context: Any, made: Tensor, pinned: Tensor) -> Tensor:
        return pinned.clone()

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> tuple[Tensor, None]:  # type: ignore[override]
        return gradient, None


def evaluate(run: Mapping[str, Any], values: Mapping[str, Any] | None = None) -> dict[str, Tensor]:
    """The value of every step by its id. `values` holds arrays by path, for leaves that are too large for the JSON.

    >>> leaf = dict(id="1", kind="leaf", op="given", inputs=[], settings={}, value=[1.0, 3.0], dtype="float64")
    >>> mean = dict(id="2", kind="composite", op="mean", inputs=["1"], settings={"axis": None, "keep": False})
    >>> rest = {"pass": "forward", "axes": ["token"], "shape": [2], "path": "x", "twin": None, "group": None}
    >>> evaluate({"steps": [leaf | rest, mean | rest]})["2"].item()
    2.0
    """
    return Evaluation(run["steps"], values or {}).all()


class Evaluation:
    """One walk through the steps of a run."""

    def __init__(self, steps: list[StepJson], values: Mapping[str, Any]) -> None:
        self.steps = {step["id"]: step for step in steps}
        self.arrays = values
        self.nodes: dict[str, Tensor] = {}  # with the graph of autograd
        self.aliases: dict[Reading, Tensor] = {}
        self.repeated: dict[Reading, Tensor] = {}  # aliases after broadcasting
        self.inner = {id for step in steps if step["kind"] == "composite" for id in step.get("inside", ())}
        self.rules = {group["id"]: group for group in steps if group.get("rule")}
        self.differentiated = {group["rule"]["of"] for group in self.rules.values()}
        self.wide = {reading(group): self.steps[group["result"]]["shape"] for group in self.rules.values()}
        self.gradients: dict[str, dict[Any, Tensor]] = {}  # of each backward pass, by its seed

    def all(self) -> dict[str, Tensor]:
        with torch.enable_grad():
            for step in self.steps.values():
                if step["kind"] != "group":
                    self.nodes[step["id"]] = self.node(step)
            for group in self.steps.values():
                if group["kind"] == "group":
                    self.nodes[group["id"]] = self.whole(group)
        return {id: node.detach() for id, node in self.nodes.items()}

    def node(self, step: StepJson) -> Tensor:
        if step["kind"] == "leaf":
            return self.leaf(step)
        if step["id"] in self.inner:  # nothing is read from here, so no gradient flows
            return graph_leaf(applied(step["op"], [self.nodes[id] for id in step["inputs"]], self.settings(step)))
        if step["pass"] == "forward" or step["id"] in self.differentiated:
            value = applied(step["op"], self.read(step), self.settings(step))
            return value if value.requires_grad else graph_leaf(value)
        value = self.gradient(step) if step["pass"] == "backward" else None
        if value is None:  # inside a rule, or an update
            value = applied(step["op"], [self.nodes[id] for id in step["inputs"]], self.settings(step))
        return graph_leaf(value)

    def leaf(self, step: StepJson) -> Tensor:
        value = self.arrays[step["path"]] if step["value"] is None else step["value"]
        node = graph_leaf(as_tensor(value, step["dtype"]))
        rule = next((group for group in self.rules.values() if group["rule"]["of"] == step["id"]), None)
        if not step["inputs"] or rule is None:
            return node
        made = applied(rule["op"], self.read(step), self.settings({**rule, "inputs": step["inputs"]}))
        return Pinned.apply(made, node)  # type: ignore[no-any-return]

    def whole(self, group: StepJson) -> Tensor:
        """A group as one op, where it is one; one application of a rule is what its result is."""
        if group.get("rule"):
            return self.nodes[group["result"]]
        return applied(group["op"], [self.nodes[id] for id in group["inputs"]], self.settings(group))

    def read(self, step: StepJson) -> list[Tensor]:
        """The inputs of a forward step, each as an alias."""
        return [self.alias((step["id"], slot), self.nodes[id]) for slot, id in enumerate(step["inputs"])]

    def alias(self, key: Reading, node: Tensor) -> Tensor:
        if not node.is_floating_point():
            return node
        alias = self.aliases[key] = node.clone()
        if list(alias.shape) != list(self.wide.get(key, alias.shape)):
            alias = self.repeated[key] = alias.broadcast_to(self.wide[key]).clone()
        return alias

    def settings(self, step: StepJson) -> dict[str, Any]:
        return settings_of(step, self.steps)

    # -- backward ----------------------------------------------------------------------------------

    def gradient(self, step: StepJson) -> Tensor | None:
        """What autograd says of a gradient; None for a step within a rule."""
        rule = self.rules.get(step["group"] or "")
        if rule is None:
            return self.backward(self.seed(step))[step["twin"]]
        found = self.backward(self.seed(rule))
        key = reading(rule)
        is_wide = key in self.repeated
        if step["id"] == rule["result"]:
            return found["repeated", key] if is_wide else found["alias", key]
        return found["alias", key] if is_wide and step["op"] == "sum_to" and rule["result"] in step["inputs"] else None

    def seed(self, step: StepJson) -> str:
        """The leaf with which the backward pass of a step begins."""
        while step["kind"] != "leaf":
            rule = self.rules.get(step["group"] or "", step)
            step = self.steps[rule["inputs"][0]]
        return str(step["id"])

    def backward(self, seed: str) -> dict[Any, Tensor]:
        if seed not in self.gradients:
            target = self.nodes[self.steps[seed]["twin"]]
            found: dict[Any, Tensor] = {id: node for id, node in self.nodes.items() if node.requires_grad}
            found |= {("alias", key): node for key, node in self.aliases.items()}
            found |= {("repeated", key): node for key, node in self.repeated.items()}
            parts = torch.autograd.grad(
                target, list(found.values()), self.nodes[seed].detach(), retain_graph=True, materialize_grads=True
            )
            self.gradients[seed] = dict(zip(found, parts, strict=True))
        return self.gradients[seed]


def settings_of(step: StepJson, steps: Mapping[str, StepJson]) -> dict[str, Any]:
    """The settings of a step, with the words of axes turned into positions."""
    if not step["inputs"]:
        return dict(step["settings"])
    words = step.get("read_as", {}).get("0", [steps[step["inputs"][0]]["axes"]])[0]
    return {name: places(value, words) if name in AXES else value for name, value in step["settings"].items()}


def reading(rule: StepJson) -> Reading:
    return rule["rule"]["of"], rule["rule"]["slot"]


def applied(op: str, inputs: list[Tensor], settings: Mapping[str, Any]) -> Tensor:
    judge = OPERATIONS.get(op) or MISTAKES.get(op)
    if judge is None:
        raise UnknownOpError(f"the judge does not know the op {op!r}")
    value = judge(*inputs, **settings)
    return value.double() if value.is_floating_point() else value


def graph_leaf(value: Tensor) -> Tensor:
    value = value.detach()
    return value.clone().requires_grad_() if value.is_floating_point() else value


def places(value: Any, words: list[str]) -> Any:
    """Words of axes as positions.

    >>> places("key", ["query", "key"]), places(["key", -2], ["query", "key"]), places(None, [])
    (1, (1, -2), None)
    """
    if isinstance(value, list):
        return tuple(places(item, words) for item in value)
    return words.index(value) if isinstance(value, str) else value


def as_tensor(value: Any, dtype: str) -> Tensor:
    """Nested lists of JSON as a tensor: real numbers in float64, whole ones as they are."""
    kind = torch.float64 if dtype.startswith("float") else torch.int64
    whole = value.copy() if hasattr(value, "copy") and not isinstance(value, list) else finite_or_not(value)
    return torch.as_tensor(whole, dtype=kind)


def finite_or_not(value: Any) -> Any:
    if isinstance(value, list):
        return [finite_or_not(item) for item in value]
    return WORDS[value] if isinstance(value, str) else value


def disagreements(
    run: Mapping[str, Any], judged: Mapping[str, Tensor], values: Mapping[str, Any] | None = None
) -> Iterator[str]:
    """The steps whose values are not what the judge computed. Of a large one the JSON holds a corner; `values`, whole
    arrays by path, may hold all of it.
    """
    steps = {step["id"]: step for step in run["steps"]}
    precision = run.get("precision", "float64")
    for step in run["steps"]:
        told = steps[step["result"]] if step["kind"] == "group" else step
        held = [told["value"] if told["value"] is not None else told["window"]]
        if told["value"] is None and told["path"] in (values or {}):
            held.append((values or {})[told["path"]])
        for value in held:
            yield from disagreement(step, as_tensor(value, told["dtype"]), judged[step["id"]], precision)
        inner = [judged[id] for id in step.get("inside", ())] if step["kind"] == "composite" else []
        if inner and not any(agree(value, judged[step["id"]]) for value in inner):
            yield f"{step['path']} ({step['op']}): no step inside gives it"


def disagreement(step: StepJson, value: Tensor, truth: Tensor, precision: str) -> Iterator[str]:
    if list(truth.shape) != list(step["shape"]):
        yield f"{step['path']} ({step['op']}): the shape is {list(truth.shape)}, not {step['shape']}"
        return
    corner = truth[tuple(slice(0, length) for length in value.shape)]
    if not agree(value, corner, precision):
        few = slice(0, 64)
        yield (
            f"{step['path']} ({step['op']}): {value.flatten()[few].tolist()} should be {corner.flatten()[few].tolist()}"
        )


def agree(value: Tensor, truth: Tensor, precision: str = "float64") -> bool:
    if value.shape != truth.shape:
        return False
    relative, absolute = (2e-4, 2e-6) if precision == "float32" else (1e-9, 1e-12)
    if truth.numel():  # sums of large terms may leave little, with the rounding errors of the terms
        absolute *= max(1.0, float(truth.double().abs().nan_to_num(posinf=0.0).max()))
    return bool(torch.isclose(value.double(), truth.double(), rtol=relative, atol=absolute, equal_nan=True).all())
