"""Things that take long to make: each is made once however many ask for it, and those asked for last are kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Made = TypeVar("Made")


class Once(Generic[Key, Made]):
    """What is made from a key. Who asks while it is being made waits; what could not be made is tried again.

    >>> doubled = Once(lambda text: [text, text], most=2)
    >>> doubled.of("a") is doubled.of("a")
    True
    """

    def __init__(self, make: Callable[[Key], Made], most: int) -> None:
        self._make = make
        self._most = most
        self._kept: OrderedDict[Key, Future[Made]] = OrderedDict()
        self._lock = Lock()

    def of(self, key: Key) -> Made:
        with self._lock:
            promised = self._kept.get(key)
            is_new = promised is None
            if promised is None:
                promised = self._kept[key] = Future()
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        if is_new:
            try:
                promised.set_result(self._make(key))
            except BaseException as error:
                with self._lock:
                    self._kept.pop(key, None)
                promised.set_exception(error)
        return promised.result()
