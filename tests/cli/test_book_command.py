"""`workings book`: books of one's own, the formats, what is refused, and what an interruption leaves."""

from __future__ import annotations

import sys

import pytest

from workings.cli import book, output

LESSON = """---
title: One picture
scenario: example-1
---
As {cite}`vaswani2017` shows, see {lesson}`example-1`.

## Weights

:::{figure} heatmap weights
Both are nearly equal.
:::
"""
BOOK = """
title: A small book
author: R. Reader
parts:
- title: All of it
  chapters: [mine.md, {worksheet: example-1, seed: 7, blanks: few}]
"""


@pytest.fixture
def small(tmp_path):
    """The file of a book that is made quickly."""
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "mine.md").write_text(LESSON)
    (folder / "small.yaml").write_text(BOOK)
    return folder / "small.yaml"


def names(folder):
    return sorted(path.name for path in folder.iterdir() if path.name != "sources")


@pytest.mark.parametrize(("ending", "begins"), [("html", b"<!doctype html>"), ("pdf", b"%PDF")])
def test_the_ending_of_the_file_says_how_it_is_written(ending, begins, small, works, tmp_path):
    path = tmp_path / f"book.{ending}"
    assert works("book", small, "-o", path) == f"{path} is written.\n"
    assert path.read_bytes().startswith(begins)
    assert names(tmp_path) == [path.name]


def test_markdown_has_a_file_for_each_chapter_and_pictures_beside_it(small, works, tmp_path):
    works("book", small, "-o", tmp_path / "book.md")
    assert names(tmp_path) == ["book-files", "book.md"]
    files = tmp_path / "book-files"
    assert names(files) == [
        "01-mine.md", "02-worksheet-example-1-7.md", "03-answers.md", "04-bibliography.md", "figure-001.svg",
    ]  # fmt: skip
    assert (files / "figure-001.svg").read_bytes().startswith(b"<svg")
    chapter = (files / "01-mine.md").read_text()
    assert "](figure-001.svg)" in chapter
    assert "**Figure 1.1.** Both are nearly equal." in chapter
    contents = (tmp_path / "book.md").read_text()
    assert contents.startswith("# A small book\n\nR. Reader\n")
    assert "[1 One picture](book-files/01-mine.md#mine)" in contents
    assert "(03-answers.md#answer.2.1)" in (files / "02-worksheet-example-1-7.md").read_text()


def test_latex_inputs_a_file_for_each_chapter_with_pictures_as_pdf(small, works, tmp_path):
    works("book", small, "-o", tmp_path / "book.tex")
    whole = (tmp_path / "book.tex").read_text()
    assert r"\input{book-files/01-mine.tex}" in whole
    assert r"\author{R. Reader}" in whole
    chapter = (tmp_path / "book-files" / "01-mine.tex").read_text()
    assert r"{book-files/figure-001.pdf}" in chapter
    assert (tmp_path / "book-files" / "figure-001.pdf").read_bytes().startswith(b"%PDF")


def test_a_format_is_stronger_than_an_ending_and_gives_the_file_its_name(small, works, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert works("book", small, "--format", "html") == "small.html is written.\n"
    works("book", small, "--format", "html", "-o", "book.txt")
    assert (tmp_path / "book.txt").read_text() == (tmp_path / "small.html").read_text()


@pytest.mark.parametrize("words", [("--format", "docx"), ("-o", "book.docx"), ("--format", "json")])
def test_another_format_is_refused_before_anything_is_made(words, run, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(book, "_chapter", lambda *_: pytest.fail("it has begun"))
    code, _, complaint = run("book", *words)
    assert code == 2
    assert "pdf, html, md, tex" in complaint
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("source", "said"), [("boook", "Did you mean book"), ("nowhere.yaml", "no file nowhere.yaml")])
def test_a_book_that_is_not_there_is_told(source, said, run, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    code, _, complaint = run("book", source)
    assert code == 2
    assert said in " ".join(complaint.split())


def test_a_chapter_that_is_not_there_is_told(small, run, tmp_path):
    small.write_text(BOOK.replace("mine.md", "yours.md"))
    code, _, complaint = run("book", small, "-o", tmp_path / "book.md")
    assert code == 2
    assert "There is no lesson yours.md for the book." in complaint
    assert names(tmp_path) == []


def test_without_typst_the_other_formats_still_work(small, run, works, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "typst", None)
    code, _, complaint = run("book", small, "-o", tmp_path / "book.pdf")
    assert code == 2
    assert 'pip install "workings[print]"' in complaint
    works("book", small, "-o", tmp_path / "book.html")
    assert names(tmp_path) == ["book.html"]


@pytest.mark.parametrize("where", [(book, "_chapter"), (output, "write_user_file")])
def test_an_interrupted_build_leaves_what_was_there(where, small, run, tmp_path, monkeypatch):
    path = tmp_path / "book.html"
    path.write_text("the last edition")

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(*where, interrupted)
    assert run("book", small, "-o", path)[0] == 130
    assert path.read_text() == "the last edition"
    assert names(tmp_path) == ["book.html"]


def test_a_folder_that_is_not_there_is_told(small, run, tmp_path):
    code, _, complaint = run("book", small, "-o", tmp_path / "nowhere" / "book.md")
    assert code == 2
    assert "nowhere" in complaint
