"""Module: weights and smaller modules under names, which become the path of every step.

A module is a frozen dataclass. A field that holds a tensor is a weight; one that holds a module is a part; one that
holds several is counted from 1: `blocks` are `block1`, `block2`. Calling a part records its steps under its name:
`block1.attention.scores`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Self

from ..engine.arguments import CheckedCall, refuse_arguments, refuse_types
from ..engine.arrays import is_array
from ..engine.context import CONTEXT
from ..engine.errors import CallError, ShapeError, StepError, did_you_mean
from ..engine.form import Form
from ..engine.tensor import Tensor


@dataclass(frozen=True)
class Module(metaclass=CheckedCall):
    """A part of a model. `forward` says what it computes; calling it adds its name to the path."""

    # Fields whose parts have the path of this module itself: `attention.scores`, not `attention.part.scores`.
    transparent: ClassVar[tuple[str, ...]] = ()

    name: str = field(init=False, default="", repr=False, compare=False)  # given by the module that it is a part of

    def __post_init__(self) -> None:
        own = {slot.name: getattr(self, slot.name) for slot in fields(self) if slot.init}
        refuse_types(type(self).__name__, type(self), own)
        for slot in fields(self):
            value = getattr(self, slot.name)
            if isinstance(value, Module):
                object.__setattr__(self, slot.name, value._named(self._part_name(slot.name)))
            elif isinstance(value, list | tuple) and value and all(isinstance(part, Module) for part in value):
                parts = tuple(part._named(self._part_name(slot.name, n)) for n, part in enumerate(value, start=1))
                object.__setattr__(self, slot.name, parts)

    def _part_name(self, slot: str, number: int = 0) -> str:
        if slot in self.transparent:
            return ""
        return f"{slot.removesuffix('s')}{number}" if number else slot

    def _named(self, name: str) -> Self:
        """This module as a part of that name. One that is a part of something else already is left as it is."""
        named = replace(self) if self.name else self
        object.__setattr__(named, "name", name)
        return named

    def __call__(self, *inputs: Any, **settings: Any) -> Any:
        for value in inputs:
            if type(value) is not Tensor and (is_array(value) or isinstance(value, list)):
                raise CallError(
                    f"{type(self).__name__} takes tensors, whose axes have words; this is a {type(value).__name__}.",
                    hint='Rows of numbers: w.given(values, "token model"). Tokens: w.ids([0, 1]).',
                )
        with scope(self.name):
            try:
                return self.forward(*inputs, **settings)
            except (TypeError, AttributeError):  # a mask or a text where a tensor belongs
                refuse_arguments(self.forward, inputs, settings, name=f"A call of {type(self).__name__}")
                raise

    def forward(self, *inputs: Any, **settings: Any) -> Any:
        raise NotImplementedError

    def parts(self) -> Iterator[tuple[str, Module]]:
        """The modules that this one is made of, by name."""
        for slot in fields(self):
            value = getattr(self, slot.name)
            for part in (value,) if isinstance(value, Module) else value if _are_modules(value) else ():
                yield part.name, part

    def weights(self) -> Iterator[tuple[str, Tensor]]:
        """The tensors that this module holds itself."""
        for slot in fields(self):
            value = getattr(self, slot.name)
            if isinstance(value, Tensor):
                yield slot.name, value

    def parameters(self) -> dict[str, Tensor]:
        """Every weight by its path. One that is used in two places, such as a tied table, is listed once.

        >>> from workings import nn, parameter
        >>> ffn = nn.FeedForward(
        ...     W_1=parameter([[1.0, 2.0]], "model hidden", name="W_1"), b_1=None,
        ...     W_2=parameter([[1.0], [0.0]], "hidden model", name="W_2"), b_2=None)
        >>> list(nn.Residual(ffn).parameters())
        ['W_1', 'W_2']
        """
        found: dict[str, Tensor] = {}
        known: set[int] = set()
        for path, weight in self._all_weights(""):
            if id(weight) not in known:
                known.add(id(weight))
                found[path] = weight
        return found

    def _all_weights(self, prefix: str) -> Iterator[tuple[str, Tensor]]:
        for name, weight in self.weights():
            yield prefix + name, weight
        for name, part in self.parts():
            yield from part._all_weights(f"{prefix}{name}." if name else prefix)

    def with_parameters(self, changed: Mapping[str, Tensor]) -> Self:
        """The same module with other weights, by path."""
        known = self.parameters()
        for path, weight in changed.items():
            if path not in known:
                raise StepError(
                    f"There is no weight '{path}' here.",
                    hint=f"{did_you_mean(path, known)}The weights are: {', '.join(known)}.",
                )
            if weight.shape != known[path].shape:
                raise wrong_weight_shape(path, known[path].form, weight.form)
        return self._exchanged({id(known[path]): weight for path, weight in changed.items()})

    def _exchanged(self, changed: Mapping[int, Tensor]) -> Self:
        others: dict[str, Any] = {}
        for slot in fields(self):
            value = getattr(self, slot.name)
            if isinstance(value, Tensor):
                others[slot.name] = changed.get(id(value), value)
            elif isinstance(value, Module):
                others[slot.name] = value._exchanged(changed)
            elif _are_modules(value):
                others[slot.name] = tuple(part._exchanged(changed) for part in value)
        return replace(self, **others)

    def write_down(self) -> None:
        """Record the weights now, each under its path, before any step that reads them."""
        recorder = CONTEXT.get().recorder
        if recorder is None:
            return
        with scope(self.name):
            for _, weight in self.weights():
                recorder.id_of(weight)
            for _, part in self.parts():
                part.write_down()


@dataclass(frozen=True)
class Same(Module):
    """Returns its input: it takes the place of something that a model leaves out."""

    def forward(self, X: Tensor) -> Tensor:
        return X


def wrong_weight_shape(path: str, needed: Form, given: Form) -> ShapeError:
    return ShapeError(
        f"The weight {path} is {needed}, but the new one is {given}.", hint=f"Give numbers of {needed}.", where=path
    )


def _are_modules(value: Any) -> bool:
    return isinstance(value, tuple) and bool(value) and all(isinstance(part, Module) for part in value)


def scope(name: str) -> AbstractContextManager[None]:
    """Record what follows under this path, if a recording is open."""
    recorder = CONTEXT.get().recorder
    return nullcontext() if recorder is None or not name else recorder.scope(name)


SAME = Same()
