"""Commands that read a stored trace, sheet or grade: a changed number is refused, and what is not checked is said."""

import json
from pathlib import Path

import pytest

from workings.explain.stored_check import NOT_CHECKED

SAMPLES = Path(__file__).parents[1] / "samples" / "0.8"


@pytest.fixture
def trace(works, tmp_path):
    path = tmp_path / "trace.json"
    works("trace", "example-3", "--run", "twin", "--format", "json", "-o", path)
    return path


@pytest.fixture
def changed(trace):
    """The trace of example-3 in which one score is 9.75."""
    data = json.loads(trace.read_text(encoding="utf-8"))
    row = next(row for row in data["runs"][0]["steps"] if row["name"] == "scores")
    row["value"][1][0] = 9.75
    path = trace.with_name("changed.json")
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


MINE = {"scores": [[0.1, 0.2], [0.3, 0.4]]}
COMMANDS = {
    "trace": ("trace", "FILE"),
    "one step": ("trace", "FILE", "--step", "scores", "--cell", "1,0"),
    "figure": ("figure", "FILE", "heatmap:scores"),
    "why": ("why", "FILE", "scores", "--got", "1 2; 3 4"),
    "compare": ("compare", "FILE", "MINE"),
}


@pytest.fixture(params=COMMANDS)
def command(request, tmp_path):
    (tmp_path / "mine.json").write_text(json.dumps(MINE), encoding="utf-8")
    words = COMMANDS[request.param]
    return lambda file: [{"FILE": file, "MINE": tmp_path / "mine.json"}.get(word, word) for word in words]


def test_changed_trace_is_refused_by_every_command(fails, changed, command):
    said = fails(*command(changed))
    assert "scores[1][0] does not follow from its inputs." in said
    assert "changed.json, step" in said
    assert "given: the file says 9.75, but its inputs give 0.2326" in said


def test_trusted_trace_is_shown_and_every_page_says_so(works, changed, command):
    said = " ".join(works(*command(changed), "--trust").split())
    assert NOT_CHECKED in said


def test_unchanged_trace_is_shown_without_a_word(works, trace, command):
    assert "not checked" not in works(*command(trace))


@pytest.mark.parametrize(
    "words",
    [
        ("trace", "example-3"),
        ("figure", "example-3", "heatmap:weights"),
        ("why", "example-3", "scores", "--got", "1 2; 3 4"),
    ],
)
def test_trust_is_refused_where_nothing_is_stored(fails, words):
    assert "example-3 is not a stored trace: it is computed now." in fails(*words, "--trust")


# -- sheets ------------------------------------------------------------------------------------------------------


def altered(tmp_path, name, change):
    data = json.loads((SAMPLES / name).read_text(encoding="utf-8"))
    change(data)
    path = tmp_path / name
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_changed_number_in_the_trace_of_a_sheet_is_refused(fails, works, tmp_path):
    def change(data):
        next(row for row in data["trace"]["steps"] if row["name"] == "scaled")["value"][0][0] = 9.75

    sheet = altered(tmp_path, "sheet.json", change)
    said = fails("grade", sheet, SAMPLES / "answers.csv")
    assert "scaled[0][0] does not follow from its inputs." in said
    assert "where: sheet.json, step" in said
    assert NOT_CHECKED in works("grade", sheet, SAMPLES / "answers.csv", "--trust")


@pytest.mark.parametrize("name", ["sheet.json", "sheet-mask.json"])
def test_every_changed_answer_of_a_key_is_refused(fails, tmp_path, name):
    fields = json.loads((SAMPLES / name).read_text(encoding="utf-8"))["fields"]
    for number, field in enumerate(fields):

        def change(data, number=number):
            true = data["fields"][number]["true"]
            other = [*true[:-1], true[-1] + 1] if isinstance(true, list) else 0.5 if true == "-inf" else true + 0.01
            data["fields"][number]["true"] = other

        answers = "answers-mask.json" if "mask" in name else "answers.csv"
        said = fails("grade", altered(tmp_path, name, change), SAMPLES / answers)
        assert f"This sheet does not hold: the answer for {field['label']} does not follow." in said
        assert f"where: {name}, the key, step {field['step']}" in said
        assert "given: the key says" in said


# -- grades ------------------------------------------------------------------------------------------------------


def test_answers_of_a_stored_grade_are_graded_again(works):
    again = works("grade", SAMPLES / "sheet.json", SAMPLES / "grade.json", "--format", "json")
    stored = json.loads((SAMPLES / "grade.json").read_text(encoding="utf-8"))
    assert json.loads(again)["points"] == stored["points"] - 1.5  # one has too few digits, one no name


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"points": 16.0}, "its points do not follow from its entries.\n  where: grade.json\n  given: 16 points"),
        ({"first_wrong": None}, "its first wrong step does not follow from its entries."),
        ({"entries": 3}, "grade.json is not a complete grade."),
    ],
)
def test_changed_grade_is_refused(fails, tmp_path, change, said):
    grade = altered(tmp_path, "grade.json", lambda data: data.update(change))
    assert said in fails("grade", SAMPLES / "sheet.json", grade)


def test_changed_points_of_an_entry_are_refused(fails, works, tmp_path):
    def change(data):
        entry = next(entry for entry in data["entries"] if entry["verdict"] == "unknown")
        entry["points"] = 1.0

    grade = altered(tmp_path, "grade.json", change)
    said = fails("grade", SAMPLES / "sheet.json", grade)
    assert "the points of an entry do not follow from its verdict." in said
    assert "given: 1 points, and the verdict 'unknown' gives 0" in said
    works("grade", SAMPLES / "sheet.json", grade, "--trust")
