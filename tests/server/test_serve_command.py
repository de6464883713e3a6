"""`workings serve`: it starts, says where, and ends quietly."""

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from asking_lab import PAGES
from started import started

from workings.cli import serve as command
from workings.server import listening, pages
from workings.server.errors import ServerError

WORKINGS = Path(sys.executable).with_name("workings")


@pytest.fixture
def ran(monkeypatch):
    """The command up to the moment at which it would answer: what it would have run."""
    runs = []
    monkeypatch.setattr(pages, "built_pages", lambda: dict(PAGES))

    def run_until_stopped(app, sock, behind_proxy):
        runs.append((sock.getsockname(), behind_proxy))
        sock.close()

    monkeypatch.setattr(listening, "run_until_stopped", run_until_stopped)
    monkeypatch.setattr(command, "_has_screen", lambda: False)
    monkeypatch.setenv("WORKINGS_DATA", "")
    return runs


def test_the_address_is_the_last_line(works, ran):
    out = works("serve", "--port", "8923", "--database", ":memory:")
    assert out.splitlines()[-1] == "http://127.0.0.1:8923/"
    assert ran == [(("127.0.0.1", 8923), False)]


def test_workings_alone_opens_the_lab(works, ran):
    assert works().splitlines()[-1].startswith("http://127.0.0.1:87")
    assert len(ran) == 1


def test_a_port_that_is_taken_is_passed_over(works, ran, monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        monkeypatch.setattr(command, "PORT", port)
        lines = works("serve").splitlines()
    assert f"Port {port} is taken" in lines[0]
    assert lines[-1] != f"http://127.0.0.1:{port}/"


def test_a_port_that_was_asked_for_is_not_exchanged(fails, ran):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert "is free" in fails("serve", "--port", taken.getsockname()[1])
    assert ran == []


def test_opening_it_to_others_is_said(works, ran):
    out = works("serve", "--host", "0.0.0.0", "--port", "8924", "--public-url", "https://lab.school.example")
    assert "for others too" in out
    assert "--public-url" not in out
    assert out.splitlines()[-1] == "http://127.0.0.1:8924/"
    assert ran[0][1] is True


def test_others_need_a_name_to_call_it_by(works, ran):
    assert "add --public-url http://NAME:8924" in works("serve", "--host", "0.0.0.0", "--port", "8924")


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["--database", "nonsense"], "no database"),
        (["--public-url", "lab"], "no address of a page"),
        (["--host", "256.0.0.1"], "cannot listen at"),
        (["--host", "192.0.2.1"], "cannot listen at"),
        (["--host", "x" * 300], "cannot listen at"),
        (["--host", ""], "--host is empty"),
        (["--host", " "], "--host is empty"),
    ],
)
def test_what_cannot_be_is_refused(fails, ran, words, part):
    assert part in fails("serve", *words)
    assert ran == []


def test_pages_that_are_not_built(fails, monkeypatch):
    monkeypatch.setattr(pages, "built_pages", dict)
    assert "make run" in fails("serve")
    with pytest.raises(ServerError):
        pages.pages_router({})


@pytest.mark.parametrize("missing", ["fastapi", "uvicorn", "sqlalchemy"])
def test_a_package_that_is_missing(fails, monkeypatch, missing):
    found = command.find_spec
    monkeypatch.setattr(command, "find_spec", lambda name: None if name == missing else found(name))
    told = fails("serve")
    assert missing in told
    assert 'pip install "workings[lab]"' in told


def test_the_built_pages_are_read_with_their_folders(tmp_path, monkeypatch):
    (tmp_path / "app" / "assets").mkdir(parents=True)
    (tmp_path / "app" / "index.html").write_bytes(b"first")
    (tmp_path / "app" / "assets" / "a.js").write_bytes(b"script")
    monkeypatch.setattr(pages.resources, "files", lambda package: tmp_path)
    assert pages.built_pages() == {"index.html": b"first", "assets/a.js": b"script"}


START = """
import sys
from workings.server import pages
pages.built_pages = lambda: {"index.html": b"the lab"}
from workings.cli.main import main
sys.exit(main(["serve", "--no-browser", "--database", ":memory:"]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_it_answers_and_ends_quietly_with_control_c():
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with started(sys.executable, "-c", START, **streams, env={**os.environ, "PYTHONWARNINGS": "error"}) as process:
        while not (line := process.stdout.readline()).startswith("http://"):
            assert line, process.stderr.read()
        with urllib.request.urlopen(line.strip(), timeout=20) as answer:
            assert answer.read() == b"the lab"
            assert "server" not in {name.lower() for name in answer.headers}
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (0, "", "")
