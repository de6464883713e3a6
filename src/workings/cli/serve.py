"""`workings serve`: the lab on this machine, in the browser."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Annotated

import typer

from ..engine.errors import InputError
from ..server.settings import EVERYWHERE, LOCAL, PORT, ServerSettings, checked_url
from .streams import print_line

MB = 2**20
BROWSER_DELAY = 0.3  # seconds
PACKAGES = ("fastapi", "uvicorn", "sqlalchemy")


@dataclass(frozen=True)
class ServeOptions:
    """The options of the command."""

    host: str = "127.0.0.1"
    port: int | None = None  # the first free one from 8765 on
    browser: bool = True
    database: str | None = None
    public_url: str = ""
    memory: int | None = None  # megabytes; else the default of a lab


def serve_command(
    host: Annotated[str, typer.Option("--host", help="the address to listen at; 0.0.0.0: all addresses")] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option("--port", min=1, max=65535, help="the default is 8765, or the next free one")
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="do not open a browser")] = False,
    database: Annotated[
        str | None, typer.Option("--database", help="where to keep progress: sqlite:///FILE, or :memory:")
    ] = None,
    public_url: Annotated[str, typer.Option("--public-url", help="the address at which others open the lab")] = "",
    memory: Annotated[
        int | None,
        typer.Option("--memory", min=16, max=65536, help="megabytes that traces may take; the default is 2048"),
    ] = None,
) -> None:
    """Open the lab: every lesson in the browser, with numbers that you can open and change.

    workings serve --port 9000 --no-browser
    """
    serve(ServeOptions(host, port, not no_browser, database, public_url, memory))


def serve(options: ServeOptions) -> None:
    """Run the lab until Ctrl-C."""
    for package in PACKAGES:
        if find_spec(package) is None:
            raise InputError(
                f"The package {package}, which the lab needs, is not installed.",
                hint='Install it with pip install "workings[lab]".',
            )
    if not options.host.strip():  # which the system would take for every address of this machine
        raise InputError("--host is empty.", hint="Leave out --host, or give an address of this machine.")
    from ..lab.traces.store import Lab
    from ..server.app import make_app
    from ..server.database import usual_database
    from ..server.listening import listen, run_until_stopped
    from ..server.pages import built_pages

    public_url = checked_url(options.public_url) if options.public_url else ""
    database = usual_database() if options.database is None else options.database
    with listen(options.host, options.port or PORT, only=options.port is not None) as listening:
        lab = Lab() if options.memory is None else Lab(options.memory * MB)
        settings = ServerSettings(options.host, listening.getsockname()[1], public_url, database, prepared=True)
        app = make_app(lab, settings, built_pages())
        _announce(options, settings.port, settings.url)
        with _browser(settings.url) if options.browser and _has_screen() else nullcontext():
            run_until_stopped(app, listening, behind_proxy=bool(public_url))


def _announce(options: ServeOptions, port: int, url: str) -> None:
    """Where the lab is, and for whom; the address is the last line."""
    if options.port is None and port != PORT:
        print_line(f"Port {PORT} is taken, so the lab is at {port}.")
    if options.host not in (*LOCAL, "::1"):
        print_line(f"The lab listens at {options.host}, for others too. Keep it behind a proxy with HTTPS.")
    if options.host in EVERYWHERE and not options.public_url:
        print_line(f"Others can open it only under the address that you name: add --public-url http://NAME:{port}.")
    print_line("The lab is running. End it with Ctrl-C. Open:")
    print_line(url)


@contextmanager
def _browser(url: str) -> Iterator[None]:
    """Open the page in the browser once the lab answers; not any more if the lab has ended before."""
    import webbrowser

    opening = threading.Timer(BROWSER_DELAY, webbrowser.open, [url])
    opening.daemon = True
    opening.start()
    try:
        yield
    finally:
        opening.cancel()


def _has_screen() -> bool:
    """A browser of letters in the terminal would be worse than none."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
