"""The context decides what calling an op does: compute, record, or round like a calculator."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple

from .arithmetic import PLAIN, Arithmetic

if TYPE_CHECKING:
    from .recording import Recording


class Context(NamedTuple):
    arithmetic: Arithmetic = PLAIN
    recorder: Recording | None = None


CONTEXT: ContextVar[Context] = ContextVar("workings", default=Context())  # noqa: B039 - a NamedTuple


@contextmanager
def within(context: Context) -> Iterator[None]:
    """Run a block in this context, and restore the one before whatever happens."""
    token = CONTEXT.set(context)
    try:
        yield
    finally:
        CONTEXT.reset(token)
