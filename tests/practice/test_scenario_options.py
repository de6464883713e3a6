"""What a scenario says about its worksheets: values that stay, weights that stay, and points for steps."""

import json

import numpy
import pytest

from workings.engine.errors import WorkingsError
from workings.practice.exercise import exercise
from workings.practice.grading.grade import grade
from workings.practice.sheet import make_sheet
from workings.practice.sheet_file import read_sheet
from workings.practice.worksheets.worksheet import rules
from workings.scenarios.scenario import scenario

HOMEWORK = """scenario: 1
given: {X: 1 0.5; 0 1; 2 -1}
parameters: {W_Q: 0.5 1; 1 -0.3, W_K: 0.1 0.7; -0.4 1}
calculate:
  - Q = X @ W_Q
  - K = X @ W_K
  - scores = Q @ K.T
  - weights = softmax(scores, axis=-1)
"""


@pytest.fixture
def homework(tmp_path):
    def written(more=""):
        path = tmp_path / "homework.yaml"
        path.write_text(HOMEWORK + more, encoding="utf-8")
        return path

    return written


@pytest.mark.parametrize("seed", [1, 2])
def test_fixed_values_and_frozen_weights_survive_a_new_seed(homework, seed):
    free = exercise(homework()).trace
    trace = make_sheet(homework("fixed: [X]\nfrozen: [W_K]"), seed).trace
    for name in ("X", "W_K"):
        assert numpy.array_equal(trace[name].value, free[name].value)
    assert not numpy.array_equal(trace["W_Q"].value, free["W_Q"].value)


def test_fixed_values_leave_the_other_numbers_of_a_seed_as_they_are(homework):
    from workings.practice.variant_values import draw_values

    every = draw_values(exercise(homework()).trace, 5, 0)
    others = draw_values(exercise(homework("fixed: [X]")).trace, 5, 0)
    assert set(every) - set(others) == {"X"}
    assert all(numpy.array_equal(every[path], value) for path, value in others.items())


def test_frozen_weight_is_not_trained(homework):
    train = scenario("example-3").changed("frozen: [W_Q]").trace()
    assert "W_Q_new" not in {step.name for step in train.recording.steps.values()}
    assert "W_K_new" in {step.name for step in train.recording.steps.values()}
    with pytest.raises(WorkingsError, match="cannot be trained: it is fixed"):
        scenario("example-3").changed("{frozen: [W_Q], train: {trainable: [W_Q]}}").trace()


@pytest.mark.parametrize(
    ("more", "message", "hint"),
    [
        ("fixed: [Y]", "There is no step 'Y'", "X"),
        ("fixed: [scores]", "'scores' cannot be fixed: it is computed", "given"),
        ("frozen: [W_V]", "no weight 'W_V'", "Did you mean W_"),
        ("points: {score: 2}", "There is no step 'score'", "Did you mean scores?"),
        ("points: {scores: -2}", "-2.0 cannot be points", "from 0 up"),
    ],
)
def test_wrong_names_are_refused_with_their_line(homework, more, message, hint):
    with pytest.raises(WorkingsError, match=message) as error:
        make_sheet(homework(more), 1)
    assert "homework.yaml, line 9" in error.value.where
    assert hint in str(error.value.hint)


def test_blanks_of_a_step_share_its_points(homework):
    sheet = make_sheet(homework("points: {scores: 3, weights: 0.5}"), 1, "all")
    answers = {blank.label: repr(blank.true) for blank in sheet.fields}
    worth = {step: sum(blank.points for blank in sheet.fields if blank.step == step) for step in ("scores", "weights")}
    assert worth == {"scores": pytest.approx(3), "weights": pytest.approx(0.5)}
    others = sum(blank.step not in worth for blank in sheet.fields)
    data = grade(sheet, answers).to_data()
    assert data["points"] == data["most"] == others + 3.5
    one = next(blank for blank in sheet.fields if blank.step == "scores")
    assert grade(sheet, {one.label: repr(one.true)}).points == pytest.approx(one.points, abs=1e-6)


def test_points_are_on_the_sheet_in_its_file_and_in_the_feedback(homework):
    sheet = make_sheet(homework("points: {scores: 3, weights: 0.5}"), 1, "all")
    said = next(rule for rule in rules(sheet) if "points" in rule)
    assert "scores 3, weights 0.5" in said
    assert read_sheet(sheet.to_json()).fields == sheet.fields
    assert said in str(grade(sheet, {"scores[0][0]": "1"})).replace("\n", " ")
    assert not any("points" in rule for rule in rules(make_sheet(homework(), 1)))


def test_field_without_points_is_worth_one(homework):
    data = make_sheet(homework(), 1).to_data()
    for row in data["fields"]:
        del row["points"]
    assert {blank.points for blank in read_sheet(json.dumps(data)).fields} == {1.0}
