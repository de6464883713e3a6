"""Files that users name: what is refused, and that a file is written whole or not at all."""

import os
import socket
import stat
import threading
import time

import pytest

from workings.engine import files
from workings.engine.errors import InputError
from workings.engine.files import (
    MissingFileError,
    read_user_file,
    read_user_text,
    shown_path,
    write_new_user_file,
    write_user_file,
)

LIMIT = 1000


def refused(call, *parts):
    with pytest.raises(InputError) as caught:
        call()
    for part in parts:
        assert part in caught.value.what
    assert caught.value.hint
    return caught.value


# -- reading ---------------------------------------------------------------------------------------


def test_file_within_the_limit_is_read(tmp_path):
    path = tmp_path / "whole"
    path.write_bytes(b"x" * LIMIT)
    assert read_user_file(path, LIMIT) == b"x" * LIMIT
    assert read_user_file(str(path), LIMIT) == b"x" * LIMIT


def test_missing_file_has_an_error_of_its_own(tmp_path):
    with pytest.raises(MissingFileError, match="There is no file"):
        read_user_file(tmp_path / "nowhere", LIMIT)
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    with pytest.raises(MissingFileError):
        read_user_file(tmp_path / "dangling", LIMIT)
    with pytest.raises(MissingFileError, match="There is no file ''"):
        read_user_file("", LIMIT)


def test_special_files_are_refused_without_waiting(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        monkeypatch.chdir(tmp_path)  # the name of a socket must be short
        listening.bind("socket")
    begin = time.monotonic()
    for path in (tmp_path / "pipe", tmp_path / "socket", "/dev/zero", "/dev/null"):
        refused(lambda path=path: read_user_file(path, LIMIT), "is a pipe or a device")
    refused(lambda: read_user_file(tmp_path, LIMIT), "is a folder")
    assert time.monotonic() - begin < 1


def test_file_exchanged_for_a_pipe_after_the_first_look_is_refused(tmp_path, monkeypatch):
    (tmp_path / "file").write_bytes(b"x")
    os.mkfifo(tmp_path / "pipe")
    regular = os.stat(tmp_path / "file")
    monkeypatch.setattr(files.os, "stat", lambda path: regular)
    refused(lambda: read_user_file(tmp_path / "pipe", LIMIT), "is a pipe or a device")


def test_large_file_is_refused_before_it_is_read(tmp_path):
    with open(tmp_path / "huge", "wb") as file:
        file.truncate(10**13)  # on a disk it takes no room
    refused(lambda: read_user_file(tmp_path / "huge", LIMIT), "too large", "10,000,000.0 MB", "0.0 MB")
    (tmp_path / "more").write_bytes(b"x" * (LIMIT + 1))
    refused(lambda: read_user_file(tmp_path / "more", LIMIT), "too large")


def test_file_that_grows_while_it_is_read_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "growing"
    path.write_bytes(b"")
    small = os.stat(path)
    path.write_bytes(b"x" * (LIMIT + 1))
    monkeypatch.setattr(files.os, "stat", lambda path: small)
    monkeypatch.setattr(files.os, "fstat", lambda handle: small)
    refused(lambda: read_user_file(path, LIMIT), "too large")
    assert read_user_file(path, LIMIT + 1) == b"x" * (LIMIT + 1)


def test_name_that_cannot_be_opened_is_a_sentence(tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "file").write_text("x")
    refused(lambda: read_user_file(tmp_path / "loop", LIMIT), "cannot be read: Too many levels of symbolic links.")
    refused(lambda: read_user_file(tmp_path / ("x" * 300), LIMIT), "cannot be read: File name too long.")
    refused(lambda: read_user_file(tmp_path / "file" / "inside", LIMIT), "cannot be read: Not a directory.")
    refused(lambda: read_user_file("a\0b", LIMIT), "a\N{REPLACEMENT CHARACTER}b cannot be read: embedded null")


def test_file_without_permission_is_a_sentence(tmp_path, monkeypatch):
    def forbidden(*_, **__):
        raise PermissionError(13, "Permission denied")

    (tmp_path / "file").write_text("x")
    monkeypatch.setattr(files, "open", forbidden, raising=False)  # for the user root every file is open
    refused(lambda: read_user_file(tmp_path / "file", LIMIT), "cannot be read: Permission denied.")


def test_hint_of_the_caller_is_given(tmp_path):
    for path in (tmp_path, tmp_path / "nowhere", tmp_path / ("x" * 300)):
        assert refused(lambda path=path: read_user_file(path, LIMIT, hint="Try this.")).hint == "Try this."


def test_text_has_no_mark_and_plain_line_ends(tmp_path):
    (tmp_path / "text").write_bytes(b"\xef\xbb\xbfone\r\ntwo\rthree\n")
    assert read_user_text(tmp_path / "text", LIMIT) == "one\ntwo\nthree\n"
    (tmp_path / "binary").write_bytes(b"abc\xff")
    refused(lambda: read_user_text(tmp_path / "binary", LIMIT), "is not text in UTF-8: byte 3 is 0xff.")


def test_path_is_shown_on_one_short_line():
    assert shown_path("a b.md") == "a b.md"
    assert shown_path("\x1b[31m\udcff") == "\N{REPLACEMENT CHARACTER}[31m\N{REPLACEMENT CHARACTER}"
    long = shown_path("folder/" + "x" * 5000 + ".npz")
    assert len(long) <= files.MAX_SHOWN_CHARS
    assert long.startswith("folder/")
    assert long.endswith(".npz")


# -- writing ---------------------------------------------------------------------------------------


def full_disk(*_, **__):
    raise OSError(28, "No space left on device")


def test_file_is_replaced_as_a_whole_and_keeps_its_permissions(tmp_path):
    path = tmp_path / "page"
    write_user_file(path, b"first")
    path.chmod(0o640)
    write_user_file(path, b"second")
    assert path.read_bytes() == b"second"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["page"]


@pytest.mark.parametrize("step", ["fsync", "chmod", "replace"])
def test_full_disk_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, step):
    path = tmp_path / "page"
    path.write_text("precious")
    monkeypatch.setattr(files.os, step, full_disk)
    refused(lambda: write_user_file(path, b"new"), "cannot be written: No space left on device.")
    assert path.read_text() == "precious"
    assert os.listdir(tmp_path) == ["page"]


def test_full_disk_leaves_no_new_file(tmp_path, monkeypatch):
    monkeypatch.setattr(files.os, "fsync", full_disk)
    refused(lambda: write_new_user_file(tmp_path / "new", b"x"), "cannot be written: No space left on device.")
    assert os.listdir(tmp_path) == []


def test_interruption_leaves_nothing_behind(tmp_path, monkeypatch):
    def pressed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(files.os, "fsync", pressed)
    for write in (write_user_file, write_new_user_file):
        with pytest.raises(KeyboardInterrupt):
            write(tmp_path / "page", b"x")
    assert os.listdir(tmp_path) == []


def test_existing_file_is_not_overwritten_by_a_new_one(tmp_path):
    (tmp_path / "mine").write_text("precious")
    refused(lambda: write_new_user_file(tmp_path / "mine", b"x"), "exists already")
    assert (tmp_path / "mine").read_text() == "precious"


def test_link_stays_a_link_and_a_pipe_stays_a_pipe(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_user_file(tmp_path / "link", b"x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"x"
    os.mkfifo(tmp_path / "pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    write_user_file(tmp_path / "pipe", b"through")
    reader.join(timeout=10)
    assert read == [b"through"]
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_place_that_cannot_be_written_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("precious")
    for write in (write_user_file, write_new_user_file):
        refused(lambda write=write: write(tmp_path / "no" / "page", b"x"), "No such file or directory.")
        refused(lambda write=write: write(tmp_path / "file" / "page", b"x"), "Not a directory.")
        refused(lambda write=write: write(tmp_path / ("x" * 300), b"x"), "File name too long.")
        refused(lambda write=write: write("a\0b", b"x"), "embedded null")
    refused(lambda: write_user_file(tmp_path, b"x"), "Is a directory.")
    if os.path.exists("/dev/full"):  # only Linux has it
        refused(lambda: write_user_file("/dev/full", b"x"), "No space left on device.")
    assert os.listdir(tmp_path) == ["file"]
