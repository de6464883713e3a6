"""A sheet that an older version wrote is graded correctly: its file is committed, and never rewritten."""

import json
from pathlib import Path

import pytest

from workings.practice import mistakes
from workings.practice.grading.grade import grade
from workings.practice.sheet_file import open_sheet, read_sheet

SAMPLES = Path(__file__).parent / "samples"
SHEET = SAMPLES / "example-3.json"
FILES = sorted(path.name for path in SAMPLES.glob("answers.*"))
MISTAKE = "divide_by_root.not_divided"
VERDICTS = {
    "scaled[0][0]": "mistake",
    "weights[0][0]": "follows",
    "last[0]": "blank",
    "dE[0][0]": "unknown",
}  # all others are right


def test_samples_cover_every_kind_of_file():
    assert FILES == ["answers.csv", "answers.json", "answers.md", "answers.xlsx"]


def check(graded):
    assert graded.first_wrong == "block1.attention.scaled"
    assert graded.mistakes == (MISTAKE,)
    assert {mark.blank.label: mark.verdict for mark in graded.marks if mark.verdict != "right"} == VERDICTS
    assert graded.points == len(graded.marks) - 0.5 - 1 - 1


@pytest.mark.parametrize("name", FILES)
def test_old_answers_keep_their_grades(name):
    check(grade(SHEET, SAMPLES / name))


def test_mistake_that_no_longer_exists_is_still_named(monkeypatch):
    known = mistakes.candidates
    assert MISTAKE in {fit.id for fit in known(open_sheet(SHEET).trace)}
    monkeypatch.setattr(mistakes, "candidates", lambda *at: (fit for fit in known(*at) if fit.id != MISTAKE))
    graded = grade(SHEET, SAMPLES / "answers.json")
    check(graded)
    assert graded["scaled[0][0]"].hint == "You did not divide: the scores must be scaled by the root of d."


def test_renamed_mistake_has_both_ids():
    data = json.loads(SHEET.read_text(encoding="utf-8"))
    for mistake in data["slips"]:
        mistake["id"] = mistake["id"].replace(MISTAKE, "divide_by_root.an_older_name")
    graded = grade(read_sheet(json.dumps(data)), SAMPLES / "answers.json")
    check(graded)
    assert graded["scaled[0][0]"].also == ("divide_by_root.an_older_name",)


def test_old_code_matches_its_numbers():
    sheet = open_sheet(SHEET)
    assert json.loads(SHEET.read_text(encoding="utf-8"))["code"] == sheet.code
