"""Every command with every kind of file that cannot be read or written: status 2 and a sentence, in no time."""

import os
import resource
import signal
from pathlib import Path

import pytest

from workings.engine import files

SAMPLES = Path(__file__).parents[1] / "practice" / "worksheets" / "samples"
MAX_SECONDS = 20  # of a command; a pipe or a device that is read takes forever
MAX_GROWTH = 300_000  # kilobytes of memory

READING = {
    "count config": ["count", "FILE.json"],
    "count scenario": ["count", "FILE.yaml"],
    "count name": ["count", "FILE"],
    "lesson": ["lesson", "FILE.md"],
    "trace scenario": ["trace", "FILE.yaml"],
    "trace stored": ["trace", "FILE.json"],
    "trace name": ["trace", "FILE"],
    "figure scenario": ["figure", "FILE.yaml", "heatmap:weights"],
    "figure lesson": ["figure", "FILE.md", "heatmap:weights"],
    "figure stored": ["figure", "FILE.json", "loss"],
    "train scenario": ["train", "FILE.yaml", "-o", "out"],
    "train data": ["train", "--data", "FILE.txt", "--steps", "1", "-o", "out"],
    "generate": ["generate", "FILE", "abc"],
    "why source": ["why", "FILE.yaml", "scores", "--got", "1 2"],
    "why numbers": ["why", "softmax", "--x", "2 1", "--got", "@FILE.txt"],
    "op numbers": ["op", "softmax", "--x", "2 1", "--got", "@FILE.txt"],
    "compare source": ["compare", "FILE.yaml", "arrays.json"],
    "compare npz": ["compare", "example-1", "FILE.npz"],
    "compare safetensors": ["compare", "example-1", "FILE.safetensors"],
    "compare json": ["compare", "example-1", "FILE.json"],
    "quiz lesson": ["quiz", "FILE.md"],
    "quiz scenario": ["quiz", "FILE.yaml"],
    "quiz name": ["quiz", "FILE"],
    "worksheet": ["worksheet", "FILE.yaml"],
    "grade sheet": ["grade", "FILE.json", str(SAMPLES / "answers.json")],
    "grade lesson": ["grade", "FILE.md", str(SAMPLES / "answers.json")],
    "grade json": ["grade", str(SAMPLES / "example-3.json"), "FILE.json"],
    "grade csv": ["grade", str(SAMPLES / "example-3.json"), "FILE.csv"],
    "grade md": ["grade", str(SAMPLES / "example-3.json"), "FILE.md"],
    "grade xlsx": ["grade", str(SAMPLES / "example-3.json"), "FILE.xlsx"],
}


def too_long(name, ending):
    return "x" * 300 + ending


def nul(name, ending):
    return f"a\0b{ending}"


def loop(name, ending):
    os.symlink(name + ending, name + ending)
    return name + ending


def dangling(name, ending):
    os.symlink("nowhere", name + ending)
    return name + ending


def folder(name, ending):
    os.mkdir(name + ending)
    return name + ending


def inside_file(name, ending):
    Path("file").write_text("x")
    return f"file/{name}{ending}"


def pipe(name, ending):
    os.mkfifo(name + ending)
    return name + ending


def endless(name, ending):
    os.symlink("/dev/zero", name + ending)
    return name + ending


def no_text(name, ending):
    Path(name + ending).write_bytes(b"\xff\xfe\x00\x80" * 100)
    return name + ending


def empty(name, ending):
    Path(name + ending).write_bytes(b"")
    return name + ending


def huge(name, ending):
    with open(name + ending, "wb") as file:
        file.truncate(10**12)  # on the disk it takes no room
    return name + ending


def missing(name, ending):
    return name + ending


BAD = [too_long, nul, loop, dangling, folder, inside_file, pipe, endless, no_text, empty, huge, missing]


@pytest.fixture
def in_time(tmp_path, monkeypatch):
    """A folder of its own, and an end of each command after some seconds."""
    monkeypatch.chdir(tmp_path)
    Path("arrays.json").write_text('{"scores": [[1, 2], [3, 4]]}')

    def stop(number, frame):
        raise AssertionError(f"still running after {MAX_SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(MAX_SECONDS)
    begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield tmp_path
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - begin < MAX_GROWTH


def words_with(command, bad):
    """The command with the bad file, which is made here, in its place."""
    place = next(place for place, word in enumerate(command) if "FILE" in word)
    before, ending = command[place].split("FILE")
    return [*command[:place], before + bad("bad", ending), *command[place + 1 :]]


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: bad.__name__)
@pytest.mark.parametrize("name", READING)
def test_file_that_cannot_be_read_is_refused_in_a_sentence(in_time, fails, name, bad):
    error = fails(*words_with(READING[name], bad))
    assert all(len(line) < 1000 for line in error.splitlines())
    assert not os.path.exists("out")


@pytest.mark.parametrize("name", [name for name in READING if name != "generate"])
def test_file_without_permission_is_refused_in_a_sentence(in_time, fails, monkeypatch, name):
    def guarded(path, *more, **options):  # the user root may read everything
        if Path(path).stem == "bad":
            raise PermissionError(13, "Permission denied", path)
        return open(path, *more, **options)

    monkeypatch.setattr(files, "open", guarded, raising=False)
    assert "cannot be read: Permission denied." in fails(*words_with(READING[name], empty))


WRITING = {
    "trace": ["trace", "example-1", "--step", "Q", "--cell", "0,0", "-o", "FILE.md"],
    "trace json": ["trace", "example-1", "-o", "FILE.json"],
    "values": ["trace", "example-1", "--values", "FILE.npz"],
    "op": ["op", "softmax", "--x", "2 1", "-o", "FILE.txt"],
    "lessons": ["lessons", "-o", "FILE.md"],
    "figure": ["figure", "example-1", "heatmap:weights", "-o", "FILE.svg"],
    "table": ["worksheet", "example-1", "--seed", "0", "-o", "FILE.csv"],
    "grade": ["grade", str(SAMPLES / "example-3.json"), str(SAMPLES / "answers.json"), "-o", "FILE.md"],
    "new-scenario": ["new-scenario", "FILE.yaml"],
    "new-lesson": ["new-lesson", "FILE.md"],
    "train": ["train", "copy", "--steps", "1", "-o", "FILE"],
}


def full(name, ending):
    os.symlink("/dev/full", name + ending)
    return name + ending


@pytest.mark.parametrize("bad", [too_long, nul, folder, inside_file, full], ids=lambda bad: bad.__name__)
@pytest.mark.parametrize("name", WRITING)
def test_place_that_cannot_be_written_is_refused_in_a_sentence(in_time, run, name, bad):
    if (name, bad) == ("train", folder):
        pytest.skip("training goes into a folder")
    words = words_with(WRITING[name], bad)
    there = sorted(os.listdir())
    code, _, error = run(*words)
    assert code == 2
    assert "\n  try:   " in error
    assert "Something went wrong" not in error
    assert sorted(os.listdir()) == there
