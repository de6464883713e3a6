"""The front end as a fixed table: the files are read once, and a request can only choose one of them."""

from __future__ import annotations

import mimetypes
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from importlib import resources
from importlib.resources.abc import Traversable

from fastapi import APIRouter, Request
from fastapi.responses import Response

from .desk import ASK_AGAIN, packed, sent
from .errors import ServerError

FIRST = "index.html"
HASHED = "assets/"  # the names of these files change with what is in them
FOREVER = "public, max-age=31536000, immutable"
TYPES = {".js": "text/javascript", ".woff2": "font/woff2", ".woff": "font/woff", ".svg": "image/svg+xml"}
TEXTS = ("text/", "image/svg", "application/json")


def built_pages() -> dict[str, bytes]:
    """The files of the front end by their paths; none if it was not built."""
    folder = resources.files("workings.lab") / "app"
    return dict(_files(folder, "")) if folder.is_dir() else {}


def pages_router(files: Mapping[str, bytes]) -> APIRouter:
    """A route for each file, and the first page at /."""
    if FIRST not in files:
        raise ServerError(
            "The pages of the lab are not built.",
            hint="Run `make run` in the source folder once: it builds them, and starts the lab.",
        )
    router = APIRouter(include_in_schema=False)
    for path, content in files.items():
        address = "/" if path == FIRST else f"/{path}"
        router.add_api_route(address, _page(path, content), methods=["GET", "HEAD"], response_class=Response)
    return router


def _page(path: str, content: bytes) -> Callable[[Request], Awaitable[Response]]:
    kind = type_of(path)
    body = packed(content)
    if not kind.startswith(TEXTS):  # fonts and pictures are packed already
        body = replace(body, packed=b"")

    async def page(request: Request) -> Response:
        return sent(request, body, FOREVER if path.startswith(HASHED) else ASK_AGAIN, kind)

    return page


def type_of(path: str) -> str:
    """
    >>> type_of("assets/index-1f3a.js"), type_of("fonts/KaTeX_Main.woff2")
    ('text/javascript', 'font/woff2')
    """
    ending = path[path.rfind(".") :]
    return TYPES.get(ending) or mimetypes.types_map.get(ending, "application/octet-stream")


def _files(folder: Traversable, above: str) -> list[tuple[str, bytes]]:
    found = []
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        path = f"{above}{entry.name}"
        found += _files(entry, f"{path}/") if entry.is_dir() else [(path, entry.read_bytes())]
    return found
