"""Threads that work through a queue. They end with the program, whatever they are doing: Ctrl-C does not wait for a
long computation, as it would with the pool of the standard library.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")


class Workers:
    """
    >>> workers = Workers(2, "heavy")
    >>> workers.submit(lambda: 6 * 7).result()
    42
    >>> workers.close()
    """

    def __init__(self, count: int, name: str) -> None:
        self.count = count
        self.name = name
        self._tasks: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        for number in range(count):
            Thread(target=self._work, name=f"{name}-{number}", daemon=True).start()

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Put some work into the queue."""
        future: Future[T] = Future()
        self._tasks.put((future, work))
        return future

    def close(self) -> None:
        """Let each thread end when the work before it is done."""
        for _ in range(self.count):
            self._tasks.put(None)

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            future, work = task
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(work())
            except BaseException as fault:
                future.set_exception(fault)
            del future, work, task  # nothing is held on to while waiting
