"""What a recording consists of: steps, and groups of steps."""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import copy
from types import MappingProxyType
from typing import Any

from .arithmetic import Kind
from .form import Form
from .op import Op, Stage
from .page import Mistake
from .tensor import LeafKind, Tensor

UPDATE = re.compile(r"update\d*$")
NOTHING: Mapping[int, Any] = MappingProxyType({})  # shared by the many steps that have nothing to say


class Step:
    """One value and how it was made. A plain class with slots: one is made for every op that runs."""

    __slots__ = (
        "group", "id", "inputs", "leaf", "made_as", "name", "named", "op", "path", "read_as", "saved", "settings",
        "stage", "tensor", "twin",
    )  # fmt: skip

    def __init__(
        self,
        id: str,
        op: Op | Mistake | None,  # None: a leaf
        inputs: tuple[str, ...],  # of a leaf that a replay pinned: what fed it before
        settings: Mapping[str, Any],
        tensor: Tensor,
        name: str,
        path: str,
    ) -> None:
        self.id = id
        self.op = op
        self.inputs = inputs
        self.settings = settings
        self.tensor = tensor
        self.name = name
        self.path = path
        self.named = True  # by somebody; else it has the name that its op gives it
        self.stage: Stage = "forward"
        self.leaf: LeafKind | None = None
        self.twin: str | None = None  # of a gradient or a new weight: the step that it belongs to
        self.group: str | None = None  # the innermost group that it lies in
        # The form under which an input was read, where it differs from its own (x.rename).
        self.read_as: Mapping[int, Form] = NOTHING
        # The form in which the op made the value, where it differs: a gradient has the words of its twin.
        self.made_as: Form | None = None
        # On a tape: the inputs that backward will ask for. The trace has them all in its steps.
        self.saved: Mapping[int, Tensor] = NOTHING

    def changed(self, **changes: Any) -> Step:
        """A copy in which something is different. A replay makes many: slot by slot takes half the time of copy()."""
        other = object.__new__(Step)
        for slot in Step.__slots__:
            setattr(other, slot, changes[slot] if slot in changes else getattr(self, slot))
        return other

    @property
    def form(self) -> Form:
        return self.tensor.form

    @property
    def kind(self) -> Kind:
        return "leaf" if self.op is None else self.op.kind

    @property
    def op_name(self) -> str:
        if self.op is None:
            return str(self.leaf)
        return self.op.id if isinstance(self.op, Mistake) else self.op.name


class GroupRecord:
    """A path whose steps lie in the trace: a group op, or one application of a backward rule."""

    __slots__ = (
        "group", "id", "inputs", "name", "op", "path", "read_as", "result", "rule_of", "settings", "slot", "stage",
    )  # fmt: skip

    def __init__(
        self, id: str, op: Op, name: str, path: str, inputs: tuple[str, ...], settings: Mapping[str, Any], stage: Stage
    ) -> None:
        self.id = id
        self.op = op
        self.name = name
        self.path = path
        self.inputs = inputs
        self.settings = settings
        self.stage: Stage = stage
        self.result = ""
        self.group: str | None = None
        # Of a rule application (whose one input is the gradient that came in): the forward step, and
        # which of its inputs.
        self.rule_of: str | None = None
        self.slot = 0
        self.read_as: Mapping[int, Form] = NOTHING

    @property
    def prefix(self) -> str:
        """What the paths of its members begin with: `attention.`, but `W_Q_` for the parts of an update, which
        stand beside the weight.
        """
        return UPDATE.sub("", self.path) if self.stage == "update" else f"{self.path}."

    def changed(self, **changes: Any) -> GroupRecord:
        """A copy in which something is different."""
        other = copy(self)
        for slot, value in changes.items():
            setattr(other, slot, value)
        return other
