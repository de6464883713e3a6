"""The door of the lab: who may come in, how often, with how much; and the headers that every answer carries.

Each guard is a small ASGI application around the next one, so that nothing behind it ever sees what it refused.
"""

from __future__ import annotations

import asyncio
import math

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .codes import CODE
from .errors import ServerError
from .limits import HEAVY_REQUEST, ServerLimits
from .problems import fault_response, log_fault, problem_response
from .rates import Buckets
from .settings import ServerSettings

LEARNER_HEADER = "Workings-Learner"
VISITOR_HEADER = "Workings-Visitor"  # a code that a page makes up for one visit, and that is stored nowhere here
NEW_LEARNER = "/api/learners"
LESSON = "/api/lessons/"
ELSEWHERE = ("cross-site", "same-site")  # another port of this machine is the same site

CONTENT_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "style-src-attr 'unsafe-inline'",
        "img-src 'self' data:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
)
HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


def guarded(app: ASGIApp, settings: ServerSettings) -> ASGIApp:
    """The application behind all guards: headers outermost, then names, rates and sizes."""
    return Headed(HostGuard(Rated(SizeGuard(app, settings.limits), settings.limits), settings))


class Headed:
    """Every answer carries the security headers, and what nobody foresaw is answered calmly."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = False

        async def with_headers(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        try:
            await self.app(scope, receive, with_headers)
        except Exception as fault:
            log_fault(fault)
            if not begun:
                await fault_response()(scope, receive, with_headers)


class HostGuard:
    """Only requests that call the lab by one of its names, from one of its own pages: no other page that is open in the
    same browser can use it.
    """

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self.app = app
        self.hosts = settings.hosts
        self.origins = settings.origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        fault = self._fault(scope, Headers(scope=scope)) if scope["type"] == "http" else None
        if fault is None:
            await self.app(scope, receive, send)
        else:
            await problem_response(fault)(scope, receive, send)

    def _fault(self, scope: Scope, headers: Headers) -> ServerError | None:
        host, origin = headers.get("host", ""), headers.get("origin")
        if host.lower() not in self.hosts or len(headers.getlist("host")) > 1:
            return ServerError(
                f"This lab is not called {host[:80]}.",
                hint=f"Open one of: {', '.join(self.hosts)}. Another name is allowed with `workings serve "
                "--public-url URL`.",
                status=403,
            )
        if origin is not None and origin.lower() not in self.origins:
            return _foreign(origin[:80])
        site = headers.get("sec-fetch-site", "")
        if site in ELSEWHERE and not self._is_link(scope, headers):
            return _foreign(site)  # such as a picture on a page elsewhere
        return None

    def _is_link(self, scope: Scope, headers: Headers) -> bool:
        """Whether somebody follows a link to a page of the lab, from wherever it stands."""
        is_page = scope["method"] in ("GET", "HEAD") and not scope["path"].startswith("/api")
        return is_page and headers.get("sec-fetch-mode") == "navigate"


def _foreign(origin: str) -> ServerError:
    return ServerError(
        f"The page {origin} may not use this lab.",
        hint="Open the lab itself. Another page is allowed with `workings serve --public-url URL`.",
        status=403,
    )


class Rated:
    """So many requests for each code, be it a learner's or that of one visit, and for each address. Whoever sends no
    code shares the rate of one learner with all others at the address who send none; and so do codes that are made up
    faster than people come.
    """

    def __init__(self, app: ASGIApp, limits: ServerLimits) -> None:
        self.app = app
        self.learners = Buckets(limits.learner, limits.people)
        self.addresses = Buckets(limits.address, limits.people)
        self.newcomers = Buckets(limits.newcomers, limits.people)
        self.new_learners = Buckets(limits.new_learners, limits.people)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        wait = self._wait(scope) if scope["type"] == "http" and scope["path"].startswith("/api") else 0.0
        if wait:
            fault = ServerError(
                "There were too many requests in a short time.",
                hint=f"Wait {math.ceil(wait)} s, and go on.",
                key="server.rate",
                status=429,
                retry=math.ceil(wait),
            )
            await problem_response(fault)(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def _wait(self, scope: Scope) -> float:
        """What one learner may not do costs the others at the address nothing."""
        address = (scope.get("client") or ("", 0))[0]
        cost = HEAVY_REQUEST if scope["method"] == "POST" or scope["path"].startswith(LESSON) else 1
        wait = 0.0
        if scope["method"] == "POST" and scope["path"] == NEW_LEARNER:
            wait = self.new_learners.wait_for(address)
        wait = wait or self.learners.wait_for(self._who(scope, address))
        return wait or self.addresses.wait_for(address, cost)

    def _who(self, scope: Scope, address: str) -> str:
        headers = Headers(scope=scope)
        code = headers.get(LEARNER_HEADER) or headers.get(VISITOR_HEADER, "")
        is_known = code in self.learners or (CODE.fullmatch(code) and not self.newcomers.wait_for(address))
        return code if is_known else address


class SizeGuard:
    """A body is read here, up to the limit and within its time, before anything looks at it."""

    def __init__(self, app: ASGIApp, limits: ServerLimits) -> None:
        self.app = app
        self.limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD"):
            await self.app(scope, receive, send)
            return
        declared = Headers(scope=scope).get("content-length", "0")
        try:
            if not declared.isdecimal() or int(declared) > self.limits.body:
                raise _TooLarge
            body = await asyncio.wait_for(self._read(receive), self.limits.body_seconds)
        except _TooLarge:
            await problem_response(
                ServerError(
                    f"The request is larger than {self.limits.body} bytes.",
                    hint="Send less: a shorter scenario, smaller matrices, fewer edits.",
                    status=413,
                )
            )(scope, receive, send)
        except TimeoutError:
            fault = ServerError(
                f"The request did not arrive within {self.limits.body_seconds} seconds.",
                hint="Send it again.",
                status=408,
            )
            await problem_response(fault)(scope, receive, send)
        else:
            await self.app(scope, _replayed(body, receive), send)

    async def _read(self, receive: Receive) -> bytes:
        parts: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return b"".join(parts)
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > self.limits.body:
                raise _TooLarge
            if not message.get("more_body"):
                return b"".join(parts)


class _TooLarge(Exception):
    """More than anybody has to send."""


def _replayed(body: bytes, receive: Receive) -> Receive:
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again
