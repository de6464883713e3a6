"""`--format pdf`: into a file or a pipe, never onto a screen, and a sentence where something is missing."""

import sys

import pytest

from workings.cli import output

OP = ("op", "softmax", "--x", "2 1.5; 1 0")


@pytest.mark.parametrize(
    "words",
    [OP, ("trace", "example-1"), ("count", "gpt2"), ("lessons",), ("op",)],
    ids=lambda words: words[0],
)
def test_a_page_becomes_a_pdf_by_the_ending_of_its_file(works, tmp_path, words):
    path = tmp_path / "page.pdf"
    assert works(*words, "-o", path) == ""
    assert path.read_bytes().startswith(b"%PDF-")


def test_into_a_pipe_a_pdf_goes_as_bytes(capfdbinary):
    from workings.cli.main import main

    assert main([*OP, "--format", "pdf"]) == 0
    assert capfdbinary.readouterr().out.startswith(b"%PDF-")


def test_a_screen_gets_no_pdf(fails, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert "-o page.pdf" in fails(*OP, "--format", "pdf")


def test_without_the_package_it_is_said_and_everything_else_works(fails, works, monkeypatch, tmp_path):
    monkeypatch.setattr(output, "find_spec", lambda name: None)
    path = tmp_path / "page.pdf"
    assert 'pip install "workings[print]"' in fails(*OP, "-o", path)
    assert not path.exists()
    assert "softmax" in works(*OP, "--format", "md")


def test_signs_that_cannot_be_set_are_told(run, tmp_path, monkeypatch):
    import typst

    real = typst.compile
    monkeypatch.setattr(
        typst, "compile", lambda source, **options: real(source, **{**options, "ignore_system_fonts": True})
    )
    lesson, path = tmp_path / "mine.md", tmp_path / "mine.pdf"
    lesson.write_text("---\ntitle: The 猫\nscenario: example-1\n---\nIt sat.\n", encoding="utf-8")
    code, _, said = run("lesson", lesson, "-o", path)
    assert code == 0
    assert said == "The PDF shows □ for signs that no font here has: 猫.\n"
    assert path.read_bytes().startswith(b"%PDF-")


def test_a_fault_of_ours_leaves_no_file(fails, monkeypatch, tmp_path):
    from workings.render.typst import printing

    monkeypatch.setattr(printing, "to_typst", lambda document: "#no-such-function()")
    path = tmp_path / "page.pdf"
    assert "a fault of workings: unknown variable: no-such-function" in fails(*OP, "-o", path)
    assert not path.exists()
