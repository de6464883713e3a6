"""Listening at a port of this machine, and answering until Ctrl-C."""

from __future__ import annotations

import errno
import logging
import socket
import sys

import uvicorn
from starlette.types import ASGIApp

from ..engine.files import reason_of, shown_path
from .errors import ServerError
from .limits import ServerLimits

TRIES = 20  # ports that are tried, one after the other
TAKEN = (errno.EADDRINUSE, errno.EACCES)
WAITING = 2048  # connections that may wait to be taken


def listen(host: str, port: int, only: bool = False) -> socket.socket:
    """A socket at this port, or at the first free one after it if it need not be the `only` one. It is held from now
    on, so that nobody else can take it.
    """
    last = port if only else min(port + TRIES - 1, 65535)
    try:
        family, *_ = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except (OSError, ValueError) as fault:  # a ValueError is a name that cannot be one of the internet
        raise _cannot_listen(host, fault) from None
    for candidate in range(port, last + 1):
        made = socket.socket(family, socket.SOCK_STREAM)
        if sys.platform != "win32":  # there it would let two programs share a port
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((host, candidate))
            made.listen(WAITING)
            return made
        except OSError as fault:
            made.close()
            if fault.errno not in TAKEN:
                raise _cannot_listen(host, fault) from None
    raise ServerError(
        f"No port from {port} to {last} is free at {host}.", hint="Choose another one: workings serve --port 9000."
    )


def run_until_stopped(app: ASGIApp, listening: socket.socket, behind_proxy: bool) -> None:
    """Answer requests; Ctrl-C ends it quietly."""
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s", level=logging.WARNING)
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=behind_proxy,  # else anybody could claim any address
        timeout_keep_alive=30,
        limit_concurrency=ServerLimits().connections,
        timeout_graceful_shutdown=2,
    )
    try:
        uvicorn.Server(config).run(sockets=[listening])
    except KeyboardInterrupt:  # how uvicorn passes Ctrl-C on when all is closed
        return


def _cannot_listen(host: str, fault: OSError | ValueError) -> ServerError:
    return ServerError(
        f"The lab cannot listen at {shown_path(host)}: {reason_of(fault)}.",
        hint="Leave out --host, or give an address of this machine.",
    )
