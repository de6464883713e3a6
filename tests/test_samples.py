"""Files that version 0.8 has written still open, and give what they gave. samples/README.md says how they were made."""

import json
import shutil
from pathlib import Path

import numpy
import pytest

import workings as w

SAMPLES = Path(__file__).parent / "samples" / "0.8"
EXPECTED = json.loads((SAMPLES / "expected.json").read_text(encoding="utf-8"))
TRAININGS = sorted(EXPECTED)
# Keys of a grade that are results; hints and notes are words.
OVERALL = ("sheet", "points", "most", "first_wrong", "unasked")
OF_AN_ENTRY = ("label", "step", "index", "verdict", "mistake", "also")
# Entries that get another verdict since: two digits of an answer do not tell whether it is right, and after an answer
# that nothing explains no mistake is named.
JUDGED_OTHERWISE = {
    "dscaled[1][0]": {"verdict": "too few digits", "points": 0.0},
    "dscores[1][0]": {"verdict": "unknown", "points": 0.0, "mistake": None, "also": []},
}
RENAMED = {"--tokens": "--max-new-tokens"}  # options of the command that have other names since
NUMBERS = ("true", "points")  # `expected` and `tolerance` follow the digits of the answers since


def recorded_grade(name):
    """A grade of 0.8, with the verdicts that have changed."""
    recorded = json.loads((SAMPLES / name).read_text(encoding="utf-8"))
    for entry in recorded["entries"]:
        changed = JUDGED_OTHERWISE.get(entry["label"], {})
        recorded["points"] += changed.get("points", entry["points"]) - entry["points"]
        entry.update(changed)
    return recorded


def is_graded_as(graded, name):
    recorded = recorded_grade(name)
    data = json.loads(json.dumps(graded.to_data()))
    assert [data[key] for key in OVERALL] == [recorded[key] for key in OVERALL]
    for entry, other in zip(data["entries"], recorded["entries"], strict=True):
        assert [entry[key] for key in OF_AN_ENTRY] == [other[key] for key in OF_AN_ENTRY]
        for key in NUMBERS:
            assert entry[key] == (other[key] if isinstance(other[key], str | list | None) else close(other[key]))


def close(number):
    return pytest.approx(number, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("ending", ["md", "csv", "tsv", "xlsx", "json"])
def test_answers_in_every_format_are_graded_as_recorded(ending):
    is_graded_as(w.grade(SAMPLES / "sheet.json", SAMPLES / f"answers.{ending}"), "grade.json")


def test_sheet_with_positions_is_graded_as_recorded():
    is_graded_as(w.grade(SAMPLES / "sheet-mask.json", SAMPLES / "answers-mask.json"), "grade-mask.json")


@pytest.mark.parametrize("name", ["sheet", "sheet-mask"])
def test_sheet_is_made_again_from_its_code(name):
    """A sheet on paper has nothing but its code: the same numbers are drawn, and answers are graded in the same way."""
    code = json.loads((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))["code"]
    suffix = name.removeprefix("sheet")
    is_graded_as(w.grade(code, SAMPLES / f"answers{suffix}.json"), f"grade{suffix}.json")


def test_worksheet_in_markdown_names_its_own_sheet():
    is_graded_as(w.grade(SAMPLES / "answers.md", SAMPLES / "answers.md"), "grade.json")


def test_recorded_answers_are_graded_by_the_command(works, tmp_path):
    output = tmp_path / "grade.json"
    works("grade", SAMPLES / "sheet.json", SAMPLES / "answers.csv", "--format", "json", "-o", output)
    recorded = recorded_grade("grade.json")
    assert json.loads(output.read_text(encoding="utf-8"))["points"] == recorded["points"]


def test_trace_opens_and_replays_to_its_recorded_values(works):
    text = (SAMPLES / "trace.json").read_text(encoding="utf-8")
    trace = w.Trace.from_json(text)
    again = trace.in_precision("float64")  # every step is computed from the leaves
    rows = [row for row in json.loads(text)["runs"][0]["steps"] if row["value"] is not None]
    assert len(rows) > 50
    for row in rows:
        for found in (trace, again):
            numpy.testing.assert_allclose(found[row["path"]].value, row["value"], rtol=1e-12, atol=1e-15)
    assert trace.history == {"loss": (trace["loss"].value,)}
    assert "dscaled[1][0] = weights[1][0] × difference" in works("trace", SAMPLES / "trace.json", "--step", "dscaled")


@pytest.fixture
def training(request, tmp_path):
    """A copy of a training, and what is expected of it."""
    return shutil.copytree(SAMPLES / request.param, tmp_path / request.param), EXPECTED[request.param]


@pytest.mark.parametrize("training", TRAININGS, indirect=True)
def test_training_resumes_with_its_recorded_losses(training, run):
    folder, expected = training
    code, _, said = run("train", folder, "--steps", len(expected["losses"]))
    assert code == 0, said
    # Of float32 the last digits may differ on another machine.
    rel = 1e-4 if expected["precision"] == "float32" else 1e-9
    assert list(w.load_checkpoint(folder).losses) == pytest.approx(expected["losses"], rel=rel)


@pytest.mark.parametrize("training", TRAININGS, indirect=True)
def test_checkpoint_generates_its_recorded_text(training, works):
    folder, expected = training
    for sample in expected["texts"]:
        words = [RENAMED.get(word, word) for word in sample["words"]]
        assert works("generate", folder, *words) == sample["text"]


@pytest.mark.parametrize("training", TRAININGS, indirect=True)
def test_earlier_step_of_training_opens_with_its_recorded_loss(training, works):
    folder, expected = training
    step = expected["opened"]
    data = json.loads(works("trace", folder, "--run", f"step{step}", "--step", "loss", "--format", "json"))
    losses = [row["value"] for row in data["runs"][0]["steps"] if row["path"] == "loss"]
    assert losses == [pytest.approx(expected["losses"][step - 1], rel=1e-5)]


@pytest.mark.parametrize("training", TRAININGS, indirect=True)
def test_checkpoint_of_an_earlier_step_loads(training):
    folder, expected = training
    steps = sorted(int(path.name.removeprefix("step-")) for path in folder.iterdir())
    for step in steps:
        checkpoint = w.load_checkpoint(folder, step)
        assert checkpoint.step == len(checkpoint.losses) == step
        assert list(checkpoint.losses) == pytest.approx(expected["losses"][:step], rel=1e-12)
