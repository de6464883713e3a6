"""A lab to ask in this process: `with lab_client() as ask: ask.get(...)`."""

from contextlib import contextmanager
from dataclasses import replace

from starlette.testclient import TestClient

from workings.lab.traces.store import Lab
from workings.server.app import make_app
from workings.server.limits import ServerLimits
from workings.server.settings import ServerSettings

PAGES = {"index.html": b"<!doctype html><title>lab</title>", "assets/main-1a.js": b"let a = 1;\n" * 200}


@contextmanager
def lab_client(lab=None, pages=PAGES, settings=None, **limits):
    """A client that calls the lab by its usual name; `limits` are other than usual."""
    settings = replace(settings or ServerSettings(), limits=replace(ServerLimits(), **limits))
    app = make_app(Lab() if lab is None else lab, settings, pages)
    with TestClient(app, base_url="http://127.0.0.1:8765", raise_server_exceptions=True) as client:
        yield client


KEYS = ("lab.gone", "server.time", "server.busy", "server.rate", "server.learner")  # by which the front end decides


def is_problem(answer, status, what):
    """Whether an answer is this problem (a part of its sentence, or a key), and says nothing of the server itself."""
    problem = answer.json()
    assert answer.status_code == status, answer.text
    assert problem["key"] == what if what in KEYS else what in problem["what"], answer.text
    assert set(problem) == {"key", "what", "where", "given", "try_this"}
    for text in (problem["what"], problem["try_this"]):
        assert text[0] == text[0].upper()
        assert text.rstrip().endswith((".", "?"))
    assert "Traceback" not in answer.text
    assert answer.headers["content-security-policy"]
    return problem
