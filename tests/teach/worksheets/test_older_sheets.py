"""A sheet that an older version wrote is graded right by this one: its file is committed, and never written anew."""

import json
from pathlib import Path

import pytest

from workings.teach.grading.grade import grade
from workings.teach.practice import slips
from workings.teach.practice.sheet import open_sheet, read_sheet

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


def test_there_are_answers_of_every_kind():
    assert FILES == ["answers.csv", "answers.json", "answers.md", "answers.xlsx"]


def check(graded):
    assert graded.first_wrong == "block1.attention.scaled"
    assert graded.mistakes == (MISTAKE,)
    assert {mark.field.label: mark.verdict for mark in graded.marks if mark.verdict != "right"} == VERDICTS
    assert graded.points == len(graded.marks) - 0.5 - 1 - 1


@pytest.mark.parametrize("name", FILES)
def test_its_answers_are_graded_as_they_were(name):
    check(grade(SHEET, SAMPLES / name))


def test_a_mistake_that_the_catalogue_has_lost_is_still_named(monkeypatch):
    known = slips.candidates
    assert MISTAKE in {fit.id for fit in known(open_sheet(SHEET).trace)}
    monkeypatch.setattr(slips, "candidates", lambda *asked: (fit for fit in known(*asked) if fit.id != MISTAKE))
    graded = grade(SHEET, SAMPLES / "answers.json")
    check(graded)
    assert graded["scaled[0][0]"].hint == "You did not divide: the scores must be scaled by the root of d."


def test_a_mistake_that_has_another_name_now_is_one_under_two_names():
    data = json.loads(SHEET.read_text(encoding="utf-8"))
    for slip in data["slips"]:
        slip["id"] = slip["id"].replace(MISTAKE, "divide_by_root.an_older_name")
    graded = grade(read_sheet(json.dumps(data)), SAMPLES / "answers.json")
    check(graded)
    assert graded["scaled[0][0]"].also == ("divide_by_root.an_older_name",)


def test_the_code_on_it_is_that_of_its_numbers():
    sheet = open_sheet(SHEET)
    assert json.loads(SHEET.read_text(encoding="utf-8"))["code"] == sheet.code
