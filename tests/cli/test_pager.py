"""Long pages on a terminal: through the reader's pager, and on the screen all the same where there is none."""

import shutil

import pytest
from on_terminal import seen

from workings.cli import pager

PAGE = ("trace", "example-3", "--run", "twin")
LAST = "W_vocab_new[1][2] = W_vocab[1][2] − step"  # at the end of the page

less = pytest.mark.skipif(shutil.which("less") is None, reason="less is not installed")


def script(folder, text):
    path = folder / "my pager"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return f"'{path}'"


@pytest.mark.parametrize("chosen", ["nosuchpager", "", " ", "cat", "'", "env nosuchpager", "/"])
def test_without_a_pager_the_page_is_shown_all_the_same(chosen):
    code, shown = seen(*PAGE, PAGER=chosen)
    assert code == 0
    assert shown.count("Example 3: backpropagation through everything (run twin)") == 1
    assert LAST in shown
    assert "Traceback" not in shown


def test_the_pager_that_is_chosen_gets_the_page_and_its_words(tmp_path):
    code, shown = seen(*PAGE, PAGER=script(tmp_path, 'echo "pager: $1"; wc -l') + " 'two words'", MANPAGER="false")
    assert code == 0
    assert shown.startswith("pager: two words\n")
    assert int(shown.split("\n")[1]) > 100


def test_a_page_that_fits_needs_no_pager():
    code, shown = seen("trace", "example-1", "--step", "Q", "--cell", "0,0", PAGER="false")
    assert (code, "Q[0][0] = " in shown) == (0, True)


def test_a_pager_may_be_closed_early(tmp_path):
    code, shown = seen("trace", "example-3", PAGER=script(tmp_path, "head -n 1"))
    assert (code, shown.count("\n")) == (0, 1)


def test_ctrl_c_belongs_to_the_pager(tmp_path):
    waits = script(tmp_path, 'trap "echo interrupted; exit 3" INT; echo ready; while :; do sleep 0.1; done')
    code, shown = seen(*PAGE, PAGER=waits, keys=b"\x03", after=b"ready")
    assert code == 0
    assert "interrupted" in shown
    assert "Traceback" not in shown


@less
@pytest.mark.parametrize("environment", [{}, {"PAGER": "less"}, {"LESS": "-M"}, {"PAGER": "less -X", "LESS": "-i"}])
def test_less_shows_colors_whatever_the_reader_has_set(environment):
    code, shown = seen(*PAGE, keys=b"q", after=b"Example 3", **environment)
    assert code == 0
    assert "ESC" not in shown
    assert "\x1b[1m" in shown  # a heading is bold


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ("less", ["less", "-R"]),
        ("/usr/bin/less -i", ["/usr/bin/less", "-R", "-i"]),
        ("most -s", ["most", "-s"]),
        ("cat -n", ["cat", "-n"]),
        ("cat", []),
        ("'", []),
    ],
)
def test_the_words_of_the_command(monkeypatch, chosen, words):
    monkeypatch.setattr("sys.stdin", Somebody())
    monkeypatch.setenv("PAGER", chosen)
    assert pager.pager_command() == words


def test_without_less_or_somebody_to_turn_the_page_it_is_printed(monkeypatch):
    monkeypatch.delenv("PAGER", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stdin", Somebody())
    monkeypatch.setattr(pager.shutil, "which", lambda name: f"/bin/{name}")
    assert pager.pager_command() == ["less", "-FRX"]
    monkeypatch.setattr(pager.shutil, "which", lambda name: None)
    assert pager.pager_command() == []
    monkeypatch.setenv("PAGER", "less")
    monkeypatch.setattr("sys.stdin", None)
    assert pager.pager_command() == []


class Somebody:
    """Standard input of a person."""

    def isatty(self):
        return True
