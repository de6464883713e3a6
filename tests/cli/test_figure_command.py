"""`workings figure`: pictures in files, plots on the screen, and refusals in a sentence."""

import builtins
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from small_training import SMALL

import workings as w
from workings.figures import KINDS, PAGES, picture
from workings.figures.loss import loss_curve
from workings.scenarios.running.checkpoints import load_checkpoint

RUN = ("figure", "example-4", "loss", "--run", "after")
STARTS = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF"}
TWO = """
scenario: 1
given: {x: [3.0]}
parameters: {W: [2.0]}
calculate:
  - y = x * W
  - loss = mean_squared_error(y, x)
runs: {taught: {train: {optimizer: sgd, learning_rate: 0.01, steps: 3}}}
"""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("written", ["loss.{}", "with space/Loss.{}"])
def test_a_picture_of_each_kind(works, tmp_path, kind, written):
    path = tmp_path / written.format(kind.upper() if "space" in written else kind)
    path.parent.mkdir(exist_ok=True)
    assert works(*RUN, "-o", path) == ""
    assert path.read_bytes().startswith(STARTS[kind])
    assert os.listdir(path.parent) == [path.name]


def test_the_picture_is_that_of_the_run_asked_for(works, tmp_path):
    works("figure", "example-4", "loss", "--run", "all-weights", "-o", tmp_path / "loss.svg")
    expected = loss_curve(w.scenario("example-4").trace("all-weights"))
    assert (tmp_path / "loss.svg").read_bytes() == picture(expected, "svg")
    assert "at step 600" in ElementTree.parse(tmp_path / "loss.svg").getroot()[0].text


def test_without_a_file_the_figure_is_on_the_screen(works):
    text = works(*RUN)
    assert text.startswith("Loss from step to step\n═")
    assert "⠉" in text
    assert text.count("Loss from step to step") == 1
    assert "loss: from 1.3855 at step 1 to 1.3853 at step 2" in text


def test_a_trace_in_a_file_has_figures_too(works, tmp_path):
    works("trace", "example-4", "--run", "after", "--format", "json", "-o", tmp_path / "trace.json")
    assert works("figure", tmp_path / "trace.json", "loss") == works(*RUN)


def test_a_lesson_has_the_figures_of_its_scenario(works, fails, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    works("new-lesson", "mine")
    assert "▓▓ 0.7337" in works("figure", "mine.md", "heatmap:weights")
    (tmp_path / "named.md").write_text("---\ntitle: x\nscenario: example-4\n---\n\n## Goal\n\nText.\n")
    assert works("figure", "named.md", "loss", "--run", "after") == works(*RUN)
    assert "There is no run 'later'." in fails("figure", "named.md", "loss", "--run", "later")
    (tmp_path / "own.md").write_text(f"---\ntitle: x\n---\n\n## Goal\n\n:::{{scenario}}{TWO}:::\n")
    assert "at step 3" in works("figure", "own.md", "loss", "--run", "taught")
    assert fails("figure", "own.md", "loss").endswith("Choose one that does, with --run: taught.\n")
    (tmp_path / "none.md").write_text("---\ntitle: x\n---\n\n## Goal\n\nText.\n")
    assert "The lesson names no scenario." in fails("figure", "none.md", "heatmap:weights")
    assert "There is no file nosuch.md." in fails("figure", "nosuch.md", "heatmap:weights")


def test_a_name_that_only_a_lesson_has_means_its_scenario(works, monkeypatch):
    monkeypatch.setattr("workings.cli.figure.names", lambda: ())
    assert works("figure", "example-1", "heatmap:weights").startswith("weights\n═")


def test_a_training_in_its_folder_shows_what_was_held_out_too(run, works, fails, tmp_path):
    (tmp_path / "small.yaml").write_text(SMALL)
    assert run("train", tmp_path / "small.yaml", "-o", tmp_path / "small")[0] == 0
    text = works("figure", tmp_path / "small", "loss")
    found = load_checkpoint(tmp_path / "small")
    first, *_, last = found.losses
    assert f"  loss: from {first:.4g} at step 1 to {last:.4g} at step 20;" in text
    assert [line.strip() for line in text.splitlines() if line.strip().startswith(("* ", "o "))] == [
        "* loss",
        "o held out",
    ]
    assert f"at step {found.checks[0].step} to" in text
    assert "has no runs" in fails("figure", tmp_path / "small", "loss", "--run", "after")
    assert "try" in fails("figure", tmp_path, "loss")


@pytest.mark.parametrize("words", [("figure",), ("figure", "example-4")])
def test_without_a_name_the_figures_are_listed(works, words):
    text = works(*words)
    assert re.search(r"\n  loss +loss +the loss at each training\s+step\n", text)
    assert all(f"\n  {form} " in text for form in PAGES)


def test_the_json_of_a_page_has_the_figure_as_data(works):
    data = json.loads(works("trace", "example-4", "--run", "after", "--format", "json"))
    (figure,) = (block for block in data["document"]["blocks"] if block["kind"] == "figure")
    history = {row["name"]: row["value"] for row in data["runs"][0]["history"]}
    for line in figure["data"]["lines"]:
        for point in line["points"]:
            assert [point["value"]] == history[line["history"]][point["first"] : point["last"] + 1]


def test_another_encoding_gets_ascii():
    command = [Path(sys.executable).parent / "workings", *RUN]
    done = subprocess.run(command, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "cp1252"}, check=True)
    assert "\n          ++---" in done.stdout.decode("ascii").replace("\r", "")


# -- refusals --------------------------------------------------------------------------------------


def test_an_unknown_figure_lists_what_there_is(fails):
    said = fails("figure", "example-4", "los")
    assert said.startswith(
        "There is no figure 'los'.\n  try:   Did you mean loss? There are: attention:weights, backward:attention, "
        "bars:P,"
    )


@pytest.mark.parametrize("name", ["loss.gif", "loss", "svg", ".svg", "loss.svg.txt"])
def test_another_ending_is_refused_before_anything_is_computed(fails, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    assert f"{name} is not the name of a picture." in fails("figure", "nothing-of-this-name", "loss", "-o", name)
    assert os.listdir(tmp_path) == []


def test_a_run_without_training_says_so_and_names_those_with_it(fails, tmp_path):
    path = tmp_path / "two.yaml"
    path.write_text(TWO)
    said = fails("figure", path, "loss")
    assert "The run 'default' does not train" in said
    assert said.endswith("Choose one that does, with --run: taught.\n")
    assert "Nothing is trained here" in fails("figure", "example-1", "loss")


def test_a_run_that_is_not_there(fails):
    assert "There is no run 'later'." in fails("figure", "example-4", "loss", "--run", "later")
    assert "no scenario" in fails("figure", "example-44", "loss")


@pytest.mark.parametrize(
    ("name", "more", "says"),
    [
        ("treemap:foo", (), "'foo' cannot be named"),
        ("treemap", ("--run", "zz"), "gpt2 is not a scenario, so it has no runs to choose from."),
        ("links:weights", (), "gpt2 is a model without a run, so the figure links has no values to show."),
        ("loss", (), "gpt2 is a model without a run"),
    ],
)
def test_of_a_model_that_is_only_counted_there_is_one_figure(fails, name, more, says):
    assert says in fails("figure", "gpt2", name, *more)


def test_losses_that_are_no_numbers(fails, works, tmp_path):
    works("trace", "example-4", "--run", "after", "--format", "json", "-o", tmp_path / "trace.json")
    data = json.loads((tmp_path / "trace.json").read_text())
    data["runs"][0]["history"][0]["value"] = ["inf", "nan"]
    (tmp_path / "trace.json").write_text(json.dumps(data))
    assert "None of the losses is a finite number." in fails("figure", tmp_path / "trace.json", "loss", "--trust")


def test_a_missing_package_is_a_sentence(fails, tmp_path, monkeypatch):
    original = builtins.__import__

    def without(name, *more):
        if name == "vl_convert":
            raise ModuleNotFoundError("No module named 'vl_convert'", name="vl_convert")
        return original(name, *more)

    monkeypatch.setattr(builtins, "__import__", without)
    assert 'pip install "workings[print]"' in fails(*RUN, "-o", tmp_path / "loss.svg")
    assert os.listdir(tmp_path) == []


def test_a_folder_that_is_not_there_and_a_file_that_cannot_be_written(fails, tmp_path):
    assert "cannot be written" in fails(*RUN, "-o", tmp_path / "no" / "loss.svg")
    (tmp_path / "loss.svg").mkdir()
    assert "cannot be written" in fails(*RUN, "-o", tmp_path / "loss.svg")
    assert os.listdir(tmp_path) == ["loss.svg"]


def test_a_text_that_is_written_has_its_words_along_the_axes(works, tmp_path):
    model = "vocabulary: the cat sat\nmodel: {kind: decoder, width: 2}\n"
    (tmp_path / "writes.yaml").write_text(f"scenario: 1\n{model}generate: {{prompt: the cat, max_new_tokens: 2}}\n")
    shown = works("figure", str(tmp_path / "writes.yaml"), "heatmap:token1.block1.attention.weights")
    rows = [row.split()[0] for row in shown.splitlines() if row.strip()]
    assert rows[-3:-1] == ["the", "cat"]
