"""`workings new-scenario` writes a file that runs as it is, and touches nothing that is there."""

import os
import shlex

import pytest

import workings as w
from workings.cli.main import main


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ["mine", "mine.yaml"])
def test_the_file_that_is_written_runs(folder, capsys, name):
    assert main(["new-scenario", name]) == 0
    assert capsys.readouterr().out == "mine.yaml is written. Try: workings trace mine.yaml\n"
    assert os.listdir(folder) == ["mine.yaml"]
    text = (folder / "mine.yaml").read_text(encoding="utf-8")
    assert "workings trace mine.yaml" in text
    assert "FILE" not in text
    found = w.scenario("mine.yaml")
    assert found.runs == ("default", "masked-off", "forward-only", "after")
    for run in found.runs:
        assert main(["trace", "mine.yaml", "--run", run]) == 0
    assert "My first scenario (run after)" in capsys.readouterr().out
    assert main(["count", "mine.yaml"]) == 0


@pytest.mark.parametrize("name", ["mine", "sub/my example"])
def test_every_command_in_its_comments_can_be_run(folder, capsys, name):
    (folder / "sub").mkdir()
    main(["new-scenario", name])
    text = (folder / f"{name}.yaml").read_text(encoding="utf-8")
    commands = [line.split("workings ")[1].split("  ")[0] for line in text.splitlines() if "   workings " in line]
    assert len(commands) == 4
    for command in commands:
        assert main(shlex.split(command)) == 0, command
    assert capsys.readouterr().err == ""


def test_its_other_way_with_lines_runs_too(folder):
    main(["new-scenario", "mine"])
    text = (folder / "mine.yaml").read_text(encoding="utf-8")
    lines = text[text.index("# Instead of `model:`") :].splitlines()[2:]
    (folder / "lines.yaml").write_text("\n".join(["scenario: 1", *(line.removeprefix("# ") for line in lines)]))
    trace = w.scenario("lines.yaml").trace()
    assert trace["dscores"].shape == trace["weights"].shape == (2, 2)


def test_what_is_there_is_not_written_over(folder, capsys):
    (folder / "mine.yaml").write_text("precious")
    (folder / "link.yaml").symlink_to(folder / "nowhere")
    for name in ("mine", "mine.yaml", "link"):
        assert main(["new-scenario", name]) == 2
        assert "exists already" in capsys.readouterr().err
    assert (folder / "mine.yaml").read_text() == "precious"
    assert sorted(os.listdir(folder)) == ["link.yaml", "mine.yaml"]


@pytest.mark.parametrize("name", ["", " ", "folder/", ".hidden", ".."])
def test_a_name_that_is_none_is_refused(folder, capsys, name):
    assert main(["new-scenario", name]) == 2
    assert "cannot be the name of a scenario" in capsys.readouterr().err
    assert os.listdir(folder) == []


def test_a_folder_that_is_not_there_is_refused(folder, capsys):
    assert main(["new-scenario", "no/mine"]) == 2
    assert "No such file or directory" in capsys.readouterr().err
    assert os.listdir(folder) == []


def test_a_failure_leaves_nothing_behind(folder, capsys, monkeypatch):
    def broken(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", broken)
        assert main(["new-scenario", "mine"]) == 2
    assert "cannot be written: No space left on device." in capsys.readouterr().err
    assert os.listdir(folder) == []
