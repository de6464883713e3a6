"""`workings lesson` on files: what it refuses, what it tells, and which format is meant."""

import pytest

SMALL = """---
title: Shares
scenario: example-1
---
{value}`P[0]`

:::{checks}
They add up | sum(P) = 1
:::
"""


@pytest.fixture
def lesson(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shares.md").write_text(SMALL)
    return tmp_path / "shares.md"


@pytest.mark.parametrize(
    ("name", "begins"), [("x.md", "# Shares"), ("x.html", "<!doctype html>"), ("x.json", "{"), ("x.txt", "Shares\n═")]
)
def test_the_ending_of_a_file_says_how_it_is_written(works, lesson, name, begins):
    works("lesson", "shares.md", "-o", name)
    assert (lesson.parent / name).read_text(encoding="utf-8").startswith(begins)


@pytest.mark.parametrize("option", ["-o", "--values"])
def test_a_lesson_is_not_overwritten_by_its_page(fails, lesson, option):
    assert "would be overwritten" in fails("lesson", "shares.md", option, "./shares.md")
    assert lesson.read_text() == SMALL


def test_checks_that_fail_are_told(run, lesson):
    assert run("lesson", "shares.md")[0] == 0
    lesson.write_text(SMALL.replace("= 1", "= 2"))
    code, out, err = run("lesson", "shares.md")
    assert code == 1
    assert err == "Checks of shares.md do not hold: line 8.\n"
    assert "NO" in out


@pytest.mark.parametrize("words", [("lesson", "example-1"), ("trace", "example-1"), ("op", "softmax", "--x", "1 2")])
def test_a_file_that_would_not_be_what_it_is_called_is_refused(run, tmp_path, words):
    code, _, complaint = run(*words, "-o", tmp_path / "page.docx")
    assert code == 2
    assert ".pdf" in complaint
    assert list(tmp_path.iterdir()) == []
