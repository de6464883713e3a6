"""A lab that runs while a test asks it, with a browser or without: `with running_lab() as url: ...`."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from workings.lab.traces.store import Lab
from workings.server.app import make_app
from workings.server.limits import Rate, ServerLimits
from workings.server.listening import listen
from workings.server.pages import built_pages
from workings.server.settings import ServerSettings

UNHURRIED = ServerLimits(learner=Rate(5000, 5000))  # all tests of a process are one learner
PATIENCE = 20  # seconds until a lab listens, and until it has stopped


@contextmanager
def running_lab(database: str = ":memory:", pages: dict[str, bytes] | None = None) -> Iterator[str]:
    """The address of a lab on a free port of this machine, without a slash at its end."""
    listening = listen("127.0.0.1", 0, only=True)
    settings = ServerSettings(port=listening.getsockname()[1], database=database, limits=UNHURRIED)
    app = make_app(Lab(), settings, built_pages() if pages is None else pages)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        _wait_until(lambda: server.started or not thread.is_alive())
        assert server.started, "the lab did not start"
        yield settings.url.rstrip("/")
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        listening.close()
    assert not thread.is_alive(), "the lab did not stop"


def _wait_until(happened) -> None:
    end = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < end, "this took too long"
        time.sleep(0.02)
