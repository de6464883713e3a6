"""`workings lesson` and `new-lesson`: on a terminal, from the cache, and files to start from."""

import os
import shlex

import pytest
from on_terminal import seen

from workings.cli import new_file
from workings.cli.lesson import lesson_page, write_lesson
from workings.cli.main import main
from workings.engine.errors import InputError
from workings.teach import cache


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_first_time_says_so_and_the_second_is_at_once(tmp_path):
    kept = {"WORKINGS_CACHE": str(tmp_path / "kept"), "PAGER": "cat"}
    code, first = seen("lesson", "example-1", **kept)
    assert code == 0
    assert first.startswith("Working out example-1 ...\n")
    code, second = seen("lesson", "example-1", **kept)
    assert code == 0
    assert first == f"Working out example-1 ...\n{second}"
    assert "Example 1: a forward pass" in second


def test_a_page_with_hand_calculations_is_worked_out_once_with_the_others(tmp_path, monkeypatch):
    monkeypatch.setenv(cache.PLACE, str(tmp_path / "kept"))
    plain = lesson_page("example-1", None, None, None)
    monkeypatch.setattr("workings.cli.lesson.lesson_called", None)  # nothing is computed any more
    with_cells = lesson_page("example-1", None, None, None, cells=True)
    assert lesson_page("example-1", None, None, None) == plain
    assert (plain.cells, with_cells.blocks) == ((), plain.blocks)
    assert len(with_cells.cells) > 10


# -- a lesson to start from ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["mine", "mine.md", "sub/zzz", "my lesson", "it's", "sub/a $b;c"])
def test_the_commands_in_the_text_are_those_of_the_file(folder, capsys, name):
    (folder / "sub").mkdir()
    assert main(["new-lesson", name]) == 0
    path = name if name.endswith(".md") else f"{name}.md"
    assert capsys.readouterr().out == f"{path} is written. Try: workings lesson {shlex.quote(path)}\n"
    text = (folder / path).read_text(encoding="utf-8")
    assert "FILE" not in text
    commands = [part.replace("\n", " ") for part in text.split("`") if part.startswith("workings ")]
    assert len(commands) == 2
    for command in commands:
        assert shlex.split(command)[:3] == ["workings", "lesson", path]
        assert main(shlex.split(command)[1:]) == 0
    assert "Who looks at whom" in capsys.readouterr().out
    assert (folder / "page.html").exists()


@pytest.mark.parametrize("name", ["", " ", "folder/", ".hidden", "..", "a`b", "a\nb", "a\x1b[1mb", "a\u202eb"])
@pytest.mark.parametrize("kind", ["lesson", "scenario"])
def test_a_name_that_no_command_can_hold_is_refused(folder, fails, kind, name):
    assert f"cannot be the name of a {kind}" in fails(f"new-{kind}", name)
    assert os.listdir(folder) == []


def test_what_comes_a_moment_before_is_not_written_over(folder, monkeypatch):
    class Late:
        """A template that takes so long to read that somebody else writes the file."""

        def read_text(self, encoding):
            (folder / "mine.md").write_text("precious")
            return "FILE"

    monkeypatch.setattr("workings.cli.lesson.TEMPLATE", Late())
    with pytest.raises(InputError, match="is there already"):
        write_lesson("mine")
    assert (folder / "mine.md").read_text() == "precious"
    assert os.listdir(folder) == ["mine.md"]


def test_a_link_to_nowhere_is_left_alone(folder):
    (folder / "link.md").symlink_to(folder / "nowhere")
    with pytest.raises(InputError, match="is there already"):
        write_lesson("link")
    assert os.listdir(folder) == ["link.md"]


def test_an_interruption_leaves_no_half_of_a_file(folder, monkeypatch):
    def pressed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("workings.cli.output.os.fsync", pressed)
    with pytest.raises(KeyboardInterrupt):
        new_file.write_new(folder / "mine.md", b"text")
    assert os.listdir(folder) == []
