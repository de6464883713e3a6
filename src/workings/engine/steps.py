"""What a recording consists of: steps, and groups of steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from .form import Form
from .op import Kind, Op, Stage
from .page import Mistake
from .tensor import LeafKind, Tensor

_NONE: Mapping[int, Any] = MappingProxyType({})


def _nothing() -> Mapping[int, Any]:
    """Shared by the many steps that have nothing to say here."""
    return _NONE


@dataclass(slots=True)
class Step:
    """One value and how it was made."""

    id: str
    op: Op | Mistake | None  # None: a leaf
    inputs: tuple[str, ...]
    settings: dict[str, Any]
    tensor: Tensor
    name: str
    path: str
    stage: Stage = "forward"
    leaf: LeafKind | None = None
    twin: str | None = None  # of a gradient or a new weight: the step that it belongs to
    group: str | None = None  # the innermost group that it lies in
    # The form under which an input was read, where it differs from its own (x.rename).
    read_as: Mapping[int, Form] = field(default_factory=_nothing)
    # The form in which the op made the value, where it differs: a gradient has the words of its twin.
    made_as: Form | None = None
    # On a tape: the inputs that backward will ask for. The trace has them all in its steps.
    saved: Mapping[int, Tensor] = field(default_factory=_nothing)

    @property
    def form(self) -> Form:
        return self.tensor.form

    @property
    def kind(self) -> Kind:
        return "leaf" if self.op is None else "composite" if isinstance(self.op, Mistake) else self.op.kind

    @property
    def op_name(self) -> str:
        if self.op is None:
            return str(self.leaf)
        return self.op.id if isinstance(self.op, Mistake) else self.op.name


@dataclass(slots=True)
class GroupRecord:
    """A path whose steps lie in the trace: a group op, or one application of a backward rule."""

    id: str
    op: Op
    name: str
    path: str
    inputs: tuple[str, ...]
    settings: dict[str, Any]
    stage: Stage
    result: str = ""
    group: str | None = None
    # Of a rule application (whose one input is the gradient that came in): the forward step, and
    # which of its inputs.
    rule_of: str | None = None
    slot: int = 0
    read_as: Mapping[int, Form] = field(default_factory=_nothing)
