"""Where the output of a command goes: files that are whole or not there, pipes that close, consoles of all kinds."""

import json
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import numpy
import pytest

from workings.cli.main import main
from workings.engine import files

WORKINGS = Path(sys.executable).parent / "workings"
PAGE = ["trace", "example-3", "--run", "twin", "--step", "scores", "--cell", "1,0"]
LINE = "  scores[1][0] = Q[1] · K[0] = 0.31×0.38 + 0.14×0.82 = 0.2326\n"


def command(*words, encoding="utf-8", **options):
    """The installed command in a process of its own."""
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    environment.pop("WORKINGS_DEBUG", None)
    return subprocess.run([str(WORKINGS), *words], env=environment, check=False, **options)


def captured(*words, **options):
    done = command(*words, capture_output=True, **options)
    assert b"Traceback" not in done.stderr
    return done


def shell(line):
    """A line of a shell, with the exit code of its first command."""
    return subprocess.run(
        ["bash", "-c", f'{line}; exit "${{PIPESTATUS[0]}}"'],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "PATH": f"{WORKINGS.parent}:{os.environ['PATH']}"},
    )


# -- the installed command ---------------------------------------------------------------------


def test_the_installed_command_prints_a_page_and_ends_with_0():
    done = captured(*PAGE)
    assert (done.returncode, done.stderr) == (0, b"")
    assert LINE in done.stdout.decode()


def test_the_installed_command_says_its_version():
    assert captured("--version").stdout.startswith(b"workings 0.")


def test_an_error_is_a_sentence_on_standard_error_and_ends_with_2():
    done = captured("op", "transpoze")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == "There is no op 'transpoze'.\n  try:   Did you mean transpose?\n"


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_another_encoding_gets_ascii_signs_in_pages_and_errors(encoding):
    done = captured(*PAGE, encoding=encoding)
    assert "\n  scores[1][0] = Q[1] . K[0] = 0.31*0.38 + 0.14*0.82 = 0.2326\n" in done.stdout.decode("ascii")
    error = captured("op", "softmax", "--x", "1 2", "--cotangent", "1 2; 3 4", "--axis", "×", encoding=encoding)
    assert error.returncode == 2
    assert error.stderr.decode(encoding)
    data = json.loads(captured("trace", "example-1", "--format", "json", encoding=encoding).stdout)
    assert data["runs"]


@pytest.mark.parametrize("reader", ["head -n 1", "head -c 1", "true", "(exec 0<&-; sleep 0.2)"])
@pytest.mark.parametrize(
    "words",
    [
        "trace example-3 --run after",
        "trace example-3 --run after --format json",
        "trace example-1 --step Q --cell 0,0",
        "op",
    ],
)
def test_a_reader_may_leave_early(words, reader):
    done = shell(f"workings {words} | {reader}")
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_full_pipe_waits_for_its_reader():
    done = shell("workings trace example-3 --run after --format json | (sleep 0.5; wc -c)")
    assert (done.returncode, done.stderr) == (0, b"")
    assert int(done.stdout) > 200_000  # more than a pipe holds


def test_nothing_is_read_from_standard_input():
    assert shell("workings trace example-1 --step Q --cell 0,0 0<&-").returncode == 0
    assert captured(*PAGE, stdin=subprocess.DEVNULL).returncode == 0


def test_closed_streams_do_no_harm():
    assert shell("workings trace example-1 >&-").returncode == 0
    done = shell("workings trace nosuch 2>&-")
    assert (done.returncode, done.stdout) == (2, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("words", ["trace example-1", "trace example-1 --step Q --cell 0,0"])
def test_a_full_disk_is_said_in_a_sentence(words):
    done = shell(f"workings {words} > /dev/full")
    assert done.returncode == 2
    assert done.stderr.decode().startswith("The result could not be printed: No space left on device.\n  try:   ")


# -- files -------------------------------------------------------------------------------------


def refused(capsys, *words):
    assert main([str(word) for word in words]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    return printed.err


def test_a_page_is_written_to_a_file_with_all_of_its_signs(tmp_path, capsys):
    path = tmp_path / "page.txt"
    assert main([*PAGE, "-o", str(path)]) == 0
    assert capsys.readouterr().out == ""
    assert LINE in path.read_text(encoding="utf-8")
    assert os.listdir(tmp_path) == ["page.txt"]


def test_a_file_has_the_usual_permissions(tmp_path):
    path = tmp_path / "page.txt"
    main([*PAGE, "-o", str(path)])
    (tmp_path / "other.txt").write_text("x")
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE((tmp_path / "other.txt").stat().st_mode)


def test_a_file_is_replaced_as_a_whole(tmp_path):
    path = tmp_path / "page.json"
    path.write_text("old" * 100_000)
    assert main(["trace", "example-1", "--format", "json", "-o", str(path)]) == 0
    assert json.loads(path.read_text(encoding="utf-8"))["runs"]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    main([*PAGE, "-o", str(tmp_path / "link.txt")])
    assert (tmp_path / "link.txt").is_symlink()
    assert LINE in (tmp_path / "real.txt").read_text(encoding="utf-8")


def test_a_link_to_itself_is_replaced(tmp_path):
    path = tmp_path / "loop.txt"
    path.symlink_to(path)
    assert main([*PAGE, "-o", str(path)]) == 0
    assert LINE in path.read_text(encoding="utf-8")


def test_a_pipe_stays_a_pipe(tmp_path):
    # Stands for every file that is not a regular one. Not /dev/null itself: as root a bug would replace it.
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    assert main([*PAGE, "-o", str(pipe)]) == 0
    reader.join(timeout=10)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert read[0].startswith("block1.attention.scores")


def test_a_folder_that_is_not_there_is_refused(tmp_path, capsys):
    error = refused(capsys, *PAGE, "-o", tmp_path / "no" / "page.txt")
    assert "cannot be written: No such file or directory." in error
    assert os.listdir(tmp_path) == []


def test_a_folder_cannot_be_written_over(tmp_path, capsys):
    assert "cannot be written: Is a directory." in refused(capsys, *PAGE, "-o", tmp_path)
    assert os.listdir(tmp_path) == []


def test_a_path_through_a_file_is_refused(tmp_path, capsys):
    (tmp_path / "file.txt").write_text("precious")
    assert "cannot be written: Not a directory." in refused(capsys, *PAGE, "-o", tmp_path / "file.txt" / "x.html")
    assert os.listdir(tmp_path) == ["file.txt"]


def test_long_names_are_written_and_those_that_are_too_long_are_refused(tmp_path, capsys):
    assert main([*PAGE, "-o", str(tmp_path / ("x" * 250))]) == 0
    assert "cannot be written: File name too long." in refused(capsys, *PAGE, "-o", tmp_path / ("x" * 300))
    assert os.listdir(tmp_path) == ["x" * 250]


def test_a_folder_that_cannot_be_searched_is_refused(tmp_path, capsys, monkeypatch):
    def forbidden(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(files.tempfile, "mkstemp", forbidden)  # for the user root every folder is open
    assert "cannot be written: Permission denied." in refused(capsys, *PAGE, "-o", tmp_path / "page.txt")
    monkeypatch.undo()
    assert os.listdir(tmp_path) == []


def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path):
    path = tmp_path / "page.txt"
    path.write_text("old")
    path.chmod(0o640)
    main([*PAGE, "-o", str(path)])
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert LINE in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_an_interruption_leaves_nothing_behind(tmp_path, monkeypatch, step):
    def pressed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(files.os, step, pressed)
    assert main([*PAGE, "-o", str(tmp_path / "page.txt")]) == 130
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("step", ["write", "fsync", "replace"])
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, capsys, monkeypatch, step):
    path = tmp_path / "page.txt"
    path.write_text("precious")

    def broken(*_):
        raise OSError(28, "No space left on device")

    if step == "write":
        monkeypatch.setattr(files, "open", lambda *_: Broken(), raising=False)
    else:
        monkeypatch.setattr(files.os, step, broken)
    error = refused(capsys, *PAGE, "-o", path)
    assert "cannot be written: No space left on device." in error
    assert path.read_text() == "precious"
    assert os.listdir(tmp_path) == ["page.txt"]


class Broken:
    """A file on a disk that is full."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def write(self, content):
        raise OSError(28, "No space left on device")


def test_a_failing_command_writes_no_file(tmp_path, capsys):
    refused(capsys, "trace", "example-3", "--step", "nosuch", "-o", tmp_path / "page.txt")
    refused(capsys, "trace", "example-3", "--format", "docx", "--values", tmp_path / "v.npz")
    refused(capsys, "op", "softmax", "--x", "a", "-o", tmp_path / "page.txt")
    assert os.listdir(tmp_path) == []


def test_every_array_is_written_to_one_file(tmp_path):
    path, data = tmp_path / "values.npz", tmp_path / "trace.json"
    words = ["trace", "example-3", "--values", str(path), "--format", "json", "-o", str(data)]
    assert main(words) == 0
    steps = {row["path"]: row for row in json.loads(data.read_text())["runs"][0]["steps"] if row["kind"] != "group"}
    with numpy.load(path) as arrays:
        assert sorted(arrays) == sorted(steps)
        for path, row in steps.items():
            assert numpy.array_equal(arrays[path], numpy.asarray(row["value"]))


def test_a_fault_of_ours_is_one_sentence_and_ends_with_1(capsys, monkeypatch):
    def broken(*_):
        raise RuntimeError("the sky fell")

    monkeypatch.setattr("workings.cli.commands.op_call", broken)
    monkeypatch.delenv("WORKINGS_DEBUG", raising=False)
    assert main(["op", "softmax"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("Something went wrong inside workings: RuntimeError: the sky fell\n  try:   ")
    monkeypatch.setenv("WORKINGS_DEBUG", "1")
    with pytest.raises(RuntimeError):
        main(["op", "softmax"])
