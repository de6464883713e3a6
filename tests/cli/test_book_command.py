"""`workings book`: the formats, what is refused, and what an interruption leaves."""

from __future__ import annotations

import sys

import pytest

from workings.cli import book
from workings.lessons.book import binding


@pytest.fixture
def short(monkeypatch):
    """A book without lessons, which is made at once."""
    monkeypatch.setattr(binding, "names", lambda: ())


@pytest.mark.parametrize(
    ("ending", "begins"), [("md", b"# The transformer"), ("html", b"<!doctype html>"), ("pdf", b"%PDF")]
)
def test_the_ending_of_the_file_says_how_it_is_written(ending, begins, short, works, tmp_path):
    path = tmp_path / f"book.{ending}"
    assert works("book", "-o", path) == f"{path} is written.\n"
    assert path.read_bytes().startswith(begins)
    assert list(tmp_path.iterdir()) == [path]


def test_a_format_is_stronger_than_an_ending_and_gives_the_file_its_name(short, works, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert works("book", "--format", "md") == "workings-book.md is written.\n"
    works("book", "--format", "md", "-o", "book.txt")
    assert (tmp_path / "book.txt").read_text() == (tmp_path / "workings-book.md").read_text()


@pytest.mark.parametrize("words", [("--format", "docx"), ("-o", "book.docx"), ("--format", "json")])
def test_another_format_is_refused_before_anything_is_made(words, run, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(book, "_chapter", lambda name: pytest.fail("it has begun"))
    code, _, complaint = run("book", *words)
    assert code == 2
    assert "pdf, html, md" in complaint
    assert list(tmp_path.iterdir()) == []


def test_without_typst_the_other_formats_still_work(short, run, works, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "typst", None)
    code, _, complaint = run("book", "-o", tmp_path / "book.pdf")
    assert code == 2
    assert 'pip install "workings[print]"' in complaint
    works("book", "-o", tmp_path / "book.md")
    assert [path.name for path in tmp_path.iterdir()] == ["book.md"]


@pytest.mark.parametrize("where", ["_chapter", "write_user_file"])
def test_an_interrupted_build_leaves_what_was_there(where, short, run, tmp_path, monkeypatch):
    path = tmp_path / "book.md"
    path.write_text("the last edition")

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(book, where, interrupted)
    assert run("book", "-o", path)[0] == 130
    assert path.read_text() == "the last edition"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_told(short, run, tmp_path):
    code, _, complaint = run("book", "-o", tmp_path / "nowhere" / "book.md")
    assert code == 2
    assert "nowhere" in complaint
