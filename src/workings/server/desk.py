"""The desk: where an answer is made. It is looked up if it was sent before, else made in a thread, a few at a time and
within a stated time; what takes longer goes on, so that asking again finds it.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cache
from itertools import count
from operator import itemgetter
from threading import Lock
from typing import Any, Literal, TypeVar
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import Response
from pydantic import TypeAdapter

from .errors import ServerError
from .limits import RETRY_SECONDS, ServerLimits
from .problems import JSON
from .workers import Workers

T = TypeVar("T")
Pool = Literal["heavy", "light"]
SMALL = 1000  # bytes that are not worth packing
PACKING = 3  # of 9: most of the gain, for little of the time
LARGEST_PART = 4  # of what can be kept, that one answer may take
FRESH = "private, max-age=600"  # seconds that a browser need not ask again for what a key fixes
ASK_AGAIN = "no-cache"  # what another version of the package may say in other words
NEVER_STORED = "no-store"


@dataclass(frozen=True)
class Body:
    """An answer as it is sent: plain, and packed where that is shorter."""

    plain: bytes
    packed: bytes
    tag: str

    @property
    def size(self) -> int:
        return len(self.plain) + len(self.packed)


class Kept:
    """Answers by what was request, up to so many bytes; those asked for longest ago go first.

    >>> kept = Kept(most=10)
    >>> for name in "abcdef":
    ...     kept.put(name, Body(b"12", b"", '"1"'))
    >>> kept.get("a"), kept.used
    (None, 10)
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.used = 0
        self._bodies: OrderedDict[str, Body] = OrderedDict()
        self._lock = Lock()

    def get(self, request: str) -> Body | None:
        with self._lock:
            body = self._bodies.get(request)
            if body is not None:
                self._bodies.move_to_end(request)
            return body

    def put(self, request: str, body: Body) -> None:
        with self._lock:
            if request in self._bodies:
                self.used -= self._bodies.pop(request).size
            if body.size > self.most // LARGEST_PART:
                return  # it would leave no room for others
            self._bodies[request] = body
            self.used += body.size
            while self.used > self.most:
                _, gone = self._bodies.popitem(last=False)
                self.used -= gone.size


@dataclass
class Job:
    """Some work that was begun, and how many wait for it."""

    future: Future[Any]
    waiting: int = 0


class Desk:
    """Makes and keeps the answers of one lab."""

    def __init__(self, limits: ServerLimits) -> None:
        self.limits = limits
        self.kept = Kept(limits.kept)
        self._pools = {
            "heavy": Workers(limits.heavy, "heavy"),
            "light": Workers(limits.light, "light"),
        }
        self._jobs: dict[str, Job] = {}
        self._unnamed = count()

    async def read(
        self, request: Request, kind: Any, make: Callable[[], Any], pool: Pool = "light", control: str = FRESH
    ) -> Response:
        """The answer to a question that always has the same one: kept, and known to the browser by its tag."""
        return sent(request, await self.once(request_line(request), kind, make, pool), control)

    async def once(self, request: str, kind: Any, make: Callable[[], Any], pool: Pool = "light") -> Body:
        """What is kept under `request`, or made now and kept, even if nobody has the patience to wait for it."""

        def made() -> Body:
            body = body_of(kind, make())
            self.kept.put(request, body)
            return body

        body = self.kept.get(request)
        return body if body is not None else await self.run(made, pool, request)

    async def make(self, request: Request, kind: Any, make: Callable[[], Any], pool: Pool = "light") -> Response:
        """An answer that is made for this request alone."""
        body = await self.run(lambda: body_of(kind, make()), pool)
        return sent(request, body, NEVER_STORED)

    async def run(self, work: Callable[[], T], pool: Pool = "light", name: str = "") -> T:
        """Do some work in a thread, within the time that is given to one request. Who asks for work of the same name
        while it is done waits for the same.
        """
        name = name or f"#{next(self._unnamed)}"
        job = self._jobs.get(name) or self._begun(name, work, pool)
        job.waiting += 1
        try:
            return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(job.future)), self.limits.seconds)
        except TimeoutError:
            raise ServerError(
                f"This takes longer than {self.limits.seconds} seconds.",
                hint=f"It is still being computed: ask again in {RETRY_SECONDS} s, or make it smaller.",
                key="server.time",
                status=503,
                retry=RETRY_SECONDS,
            ) from None
        finally:
            job.waiting -= 1
            if not job.waiting:
                job.future.cancel()  # what has not begun by now is done for nobody; what has goes on

    def close(self) -> None:
        for pool in self._pools.values():
            pool.close()

    def _begun(self, name: str, work: Callable[[], Any], pool: Pool) -> Job:
        if len(self._jobs) >= self.limits.waiting:
            raise ServerError(
                "The lab is busy with many other requests.",
                hint=f"Ask again in {RETRY_SECONDS} s.",
                key="server.busy",
                status=503,
                retry=RETRY_SECONDS,
            )
        job = self._jobs[name] = Job(self._pools[pool].submit(work))
        job.future.add_done_callback(lambda _: self._jobs.pop(name, None))
        return job


def request_line(request: Request) -> str:
    """What a request asks, as the routes read it: not as `request.url` has it, which ends at a #. Edits keep their
    order: of two for one place the later one counts.
    """
    return f"{request.scope['path']}?{urlencode(sorted(request.query_params.multi_items(), key=itemgetter(0)))}"


def sent(request: Request, body: Body, control: str, kind: str = JSON) -> Response:
    """An answer as this browser can read it; only its tag if it has it already."""
    headers = {"ETag": body.tag, "Cache-Control": control, "Vary": "Accept-Encoding"}
    if request.method in ("GET", "HEAD") and body.tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if body.packed and "gzip" in request.headers.get("accept-encoding", ""):
        return Response(body.packed, headers={**headers, "Content-Encoding": "gzip"}, media_type=kind)
    return Response(body.plain, headers=headers, media_type=kind)


def body_of(kind: Any, value: Any) -> Body:
    """
    >>> from workings.lab.answers.trace import Problem
    >>> body_of(Problem, Problem("lab.gone", "Gone.", "", "", "Ask again.")).plain[:17]
    b'{"key":"lab.gone"'
    """
    return packed(_adapter(kind).dump_json(value))


def packed(plain: bytes) -> Body:
    short = gzip.compress(plain, PACKING, mtime=0) if len(plain) > SMALL else b""
    return Body(plain, short, f'"{hashlib.sha256(plain).hexdigest()[:20]}"')


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    """Made once for each kind of answer: it takes longer than using it."""
    return TypeAdapter(kind)
