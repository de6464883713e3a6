"""A lab to ask in this process: `with lab_client() as ask: ask.get(...)`."""

from contextlib import contextmanager
from dataclasses import replace

from starlette.testclient import TestClient

from workings.lab.store import Lab
from workings.server.app import make_app
from workings.server.limits import Limits
from workings.server.settings import Settings

PAGES = {"index.html": b"<!doctype html><title>lab</title>", "assets/main-1a.js": b"let a = 1;\n" * 200}


@contextmanager
def lab_client(lab=None, pages=PAGES, settings=None, **limits):
    """A client that calls the lab by its usual name; `limits` are other than usual."""
    settings = replace(settings or Settings(), limits=replace(Limits(), **limits))
    app = make_app(Lab() if lab is None else lab, settings, pages)
    with TestClient(app, base_url="http://127.0.0.1:8765", raise_server_exceptions=True) as client:
        yield client


def is_problem(answer, status, key):
    """Whether an answer is this problem, told in sentences, with nothing of the inside of the server."""
    assert (answer.status_code, answer.json()["key"]) == (status, key), answer.text
    told = answer.json()
    assert set(told) == {"key", "what", "where", "given", "try_this"}
    for text in (told["what"], told["try_this"]):
        assert text[0] == text[0].upper()
        assert text.rstrip().endswith((".", "?"))
    assert "Traceback" not in answer.text
    assert answer.headers["content-security-policy"]
    return told
