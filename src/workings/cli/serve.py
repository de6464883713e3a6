"""`workings serve`: the lab on this machine, in the browser."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Annotated

import typer

from ..engine.errors import InputError
from ..engine.sentences import say
from ..server.settings import EVERYWHERE, LOCAL, PORT, Settings, checked_url

MB = 2**20
PACKAGES = ("fastapi", "uvicorn", "sqlalchemy")


@dataclass(frozen=True)
class Serving:
    """How the lab is to be run."""

    host: str = "127.0.0.1"
    port: int | None = None  # any from 8765 on
    browser: bool = True
    database: str | None = None
    public_url: str = ""
    memory: int | None = None  # megabytes; as much as a lab usually has


def serve_command(
    host: Annotated[str, typer.Option("--host", help="the address to listen at; 0.0.0.0: all of them")] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option("--port", min=1, max=65535, help="else 8765, or the next that is free")
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="do not open a browser")] = False,
    database: Annotated[
        str | None, typer.Option("--database", help="where progress is kept: sqlite:///FILE, or :memory:")
    ] = None,
    public_url: Annotated[str, typer.Option("--public-url", help="the address under which others open it")] = "",
    memory: Annotated[
        int | None,
        typer.Option("--memory", min=16, max=65536, help="megabytes that traces may take; else 2048"),
    ] = None,
) -> None:
    """Open the lab: every lesson in the browser, and any number in it can be opened and changed.

    workings serve --port 9000 --no-browser
    """
    serve(Serving(host, port, not no_browser, database, public_url, memory))


def serve(asked: Serving) -> None:
    """Run the lab until Ctrl-C."""
    for package in PACKAGES:
        if find_spec(package) is None:
            raise InputError("serve.package", package=package)
    from ..lab.store import Lab
    from ..server.app import make_app
    from ..server.database import usual_database
    from ..server.listening import listen, run_until_stopped
    from ..server.pages import FIRST, built_pages

    pages = built_pages()
    if FIRST not in pages:
        raise InputError("serve.app")
    public_url = checked_url(asked.public_url) if asked.public_url else ""
    database = usual_database() if asked.database is None else asked.database
    with listen(asked.host, asked.port or PORT, only=asked.port is not None) as listening:
        lab = Lab() if asked.memory is None else Lab(asked.memory * MB)
        settings = Settings(asked.host, listening.getsockname()[1], public_url, database, prepared=True)
        app = make_app(lab, settings, pages)
        _announce(asked, settings.port, settings.url)
        run_until_stopped(app, listening, behind_proxy=bool(public_url))


def _announce(asked: Serving, port: int, url: str) -> None:
    """What a person has to know; the address is the last line."""
    if asked.port is None and port != PORT:
        typer.echo(say("cli.serve.taken", port=PORT, other=port))
    if asked.host not in (*LOCAL, "::1"):
        typer.echo(say("cli.serve.open", host=asked.host))
    if asked.host in EVERYWHERE and not asked.public_url:
        typer.echo(say("cli.serve.unnamed", port=port))
    typer.echo(say("cli.serve.running"))
    typer.echo(url)
    sys.stdout.flush()
    if asked.browser and _has_screen():
        import threading
        import webbrowser

        threading.Timer(0.3, webbrowser.open, [url]).start()


def _has_screen() -> bool:
    """A browser of letters in the terminal would be worse than none."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
