"""The context decides what calling an op does: compute, record, or round like a calculator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, Protocol

from .arithmetic import PLAIN, Arithmetic
from .tensor import Tensor


class Recorder(Protocol):
    """What an op or a model needs of the recording (recording.py) that is open."""

    def record(self, op: Any, inputs: tuple[Any, ...], given: Mapping[str, Any], name: str) -> Tensor: ...

    def id_of(self, tensor: Tensor) -> str: ...

    def scope(self, name: str) -> AbstractContextManager[None]: ...


class Context(NamedTuple):
    arithmetic: Arithmetic = PLAIN
    recorder: Recorder | None = None


CONTEXT: ContextVar[Context] = ContextVar("workings", default=Context())  # noqa: B039 - a NamedTuple


@contextmanager
def within(context: Context) -> Iterator[None]:
    """Run a block in this context, and restore the one before whatever happens."""
    token = CONTEXT.set(context)
    try:
        yield
    finally:
        CONTEXT.reset(token)
