"""Standard streams that are full, closed, or read by a program that leaves: for every command and format."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from small_training import SMALL

from workings.cli.main import main

SAMPLES = Path(__file__).parents[1] / "practice" / "worksheets" / "samples"
WORKINGS = Path(sys.executable).parent / "workings"
FORMATS = ("terminal", "md", "html", "json", "pdf", "ipynb", "tex")
STEP = ("trace", "example-1", "--step", "Q", "--cell", "0,0")
COMMANDS = {
    "version": ("--version",),
    "help": ("--help",),
    "help of a command": ("train", "--help"),
    "ops": ("op",),
    "op": ("op", "softmax"),
    "traces": ("trace",),
    "new-scenario": ("new-scenario", "mine"),
    "new-lesson": ("new-lesson", "mine"),
    "lessons": ("lessons",),
    "lesson": ("lesson", "small.md"),
    "models": ("count",),
    "count": ("count", "example-1"),
    "figures": ("figure",),
    "figure": ("figure", "example-1", "heatmap:weights"),
    "why": ("why", "softmax", "--x", "2 1", "--got", "7.389 2.718"),
    "compare": ("compare", "example-1", "arrays.json"),
    "quiz": ("quiz", "example-1", "--seed", "0"),
    "worksheet": ("worksheet", "example-1", "--seed", "0"),
    "worksheet in a file": ("worksheet", "example-1", "--seed", "0", "-o", "sheet.json"),
    "grade": ("grade", str(SAMPLES / "example-3.json"), str(SAMPLES / "answers.json")),
    "grade in a file": ("grade", str(SAMPLES / "example-3.json"), str(SAMPLES / "answers.json"), "-o", "graded.md"),
    "train": ("train", "small.yaml", "--steps", "2", "-o", "training"),
    **{f"step in {format}": (*STEP, "--format", format) for format in FORMATS},
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("small.yaml").write_text(SMALL)
    Path("small.md").write_text("---\ntitle: Small\nscenario: example-1\n---\nIt sat.\n")
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    Path("arrays.json").write_text('{"scores": [[1, 2], [3, 4]]}')
    return tmp_path


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("name", COMMANDS)
def test_full_device_ends_with_a_sentence(folder, monkeypatch, capsys, name):
    with open("/dev/full", "w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert main(list(COMMANDS[name])) == 2
    error = capsys.readouterr().err
    assert "The result could not be printed: No space left on device.\n  try:   " in error
    assert "Traceback" not in error


@pytest.mark.parametrize("name", COMMANDS)
def test_reader_that_has_left_ends_quietly(folder, monkeypatch, capsys, name):
    here, there = os.pipe()
    os.close(here)
    with open(there, "w", encoding="utf-8") as broken:
        monkeypatch.setattr(sys, "stdout", broken)
        assert main(list(COMMANDS[name])) == 0
    error = capsys.readouterr().err
    assert error == "" or name == "train"  # which says on standard error how far it is
    assert "Traceback" not in error


@pytest.mark.parametrize("name", ["version", "op", "train", "quiz"])
def test_full_standard_error_stops_nothing(folder, monkeypatch, capsys, name):
    if os.path.exists("/dev/full"):
        with open("/dev/full", "w", encoding="utf-8") as full:
            monkeypatch.setattr(sys, "stderr", full)
            assert main(list(COMMANDS[name])) == 0
        assert capsys.readouterr().out


def shell(line):
    """A line of a shell: its exit code, what it printed, and what it said on standard error."""
    environment = {**os.environ, "PATH": f"{WORKINGS.parent}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", line], capture_output=True, check=False, env=environment, text=True)
    return done.returncode, done.stdout, done.stderr


def test_training_goes_on_with_closed_streams(folder):
    code, out, err = shell("workings train small.yaml --steps 2 -o one 2>&- && workings generate one abc 0<&- 2>&-")
    assert (code, err) == (0, "")
    assert "abc" in out
    code, out, err = shell("workings train small.yaml --steps 2 -o two 0<&- 1>&- 2>&-")
    assert (code, out, err) == (0, "", "")
    for name in ("weights.safetensors", "state.json"):
        # Nothing that was printed went into a file that had got the number of a closed stream.
        assert Path("one", "step-000002", name).read_bytes() == Path("two", "step-000002", name).read_bytes()


def test_input_that_cannot_be_read_is_not_taken_for_output(folder, monkeypatch, capsys):
    class Unreadable(io.StringIO):
        def readline(self, size=-1):
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(sys, "stdin", Unreadable())
    assert main(list(COMMANDS["quiz"])) == 2
    assert capsys.readouterr().err.startswith("The answers cannot be read: Input/output error.\n  try:   ")


def test_module_is_the_command():
    done = subprocess.run([sys.executable, "-m", "workings", "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("workings 0.")


def test_full_device_ends_the_installed_command(folder):
    if os.path.exists("/dev/full"):
        for words in ("op", "--version", "trace example-1 --format pdf"):
            code, out, err = shell(f"workings {words} > /dev/full")
            assert (code, out) == (2, "")
            assert err.startswith("The result could not be printed: No space left on device.\n  try:   ")
            assert "Exception ignored" not in err
