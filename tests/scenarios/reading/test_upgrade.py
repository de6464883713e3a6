"""Scenario texts of version 0.8 get the keys of this version, and nothing else of them changes."""

import json
from dataclasses import fields
from pathlib import Path

import pytest

from workings.conventions import CHOICES
from workings.conventions import RENAMED as RENAMED_CHOICES
from workings.engine.errors import ScenarioError
from workings.scenarios.reading.plan import GeneratePlan, ModelPlan, OptimizerPlan, TrainPlan
from workings.scenarios.reading.scenario_file import read_scenario
from workings.scenarios.reading.upgrade import RENAMED, VALUES, new_key, upgraded

SAMPLES = sorted((Path(__file__).parents[2] / "samples" / "0.8" / "scenarios").glob("*.yaml"))
RECORDS = {"model": ModelPlan, "train": TrainPlan, "generate": GeneratePlan}


def read_sample(name):
    return (SAMPLES[0].parent / f"{name}.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_scenarios_of_0_8_can_be_read_once_upgraded(path):
    old = path.read_text(encoding="utf-8")
    with pytest.raises(ScenarioError, match=r"There is no key '\w+' here\.(.|\n)*It is called \w+ now\."):
        read_scenario(old, path.name)
    new = upgraded(old)
    assert read_scenario(new, path.name).runs
    assert len(new.splitlines()) == len(old.splitlines())
    assert upgraded(new) == new


def test_training_on_a_task_keeps_its_settings():
    train = read_scenario(upgraded(read_sample("addition"))).runs["default"].train
    assert train == TrainPlan(
        optimizer=OptimizerPlan("adamw", {"beta2": 0.99, "decay": 0.01}),
        learning_rate=0.002,
        steps=2500,
        batch_size=64,
        warmup_steps=100,
        schedule="cosine",
        end_factor=0.05,
        max_grad_norm=1,
    )


def test_runs_keep_their_settings_and_their_comments():
    new = upgraded(read_sample("example-4"))
    runs = read_scenario(new).runs
    assert runs["default"].train.batch_size is None
    assert runs["one-by-one"].train.batch_size == 1
    assert runs["rate-too-high"].train.learning_rate == 5.0
    assert "  # Learning rates: with the highest one the loss rises far above where it began before it falls.\n" in new


def test_changes_in_json_stay_json():
    old = '{"train": {"rate": 0.5, "fall": "none", "batch": "average"}, "data": {"text": "rate: 1"}}'
    assert json.loads(upgraded(old)) == {
        "train": {"learning_rate": 0.5, "schedule": "constant", "batch_size": None},
        "data": {"text": "rate: 1"},
    }


@pytest.mark.parametrize(
    "text",
    ["", "{", "a: [", "rate: 1", "parameters: {rate: 1}", "vocabulary: {tokens: a b, size: 300}",
     "- {train: {rate: 1}}", "data: {train: {rate: 1}}", "train: rate", "train: [rate, fall]", "? [a]\n: b"],
)  # fmt: skip
def test_text_without_old_options_is_left_alone(text):
    assert upgraded(text) == text


def test_quoted_keys_anchors_and_other_alphabets_are_read():
    old = "about: 'α😀'\ntrain : &t {'rate' : 1, é: 2}  # rate: 3\nruns:\n  一: {train: *t, \"generate\": {tokens: 4}}"
    assert upgraded(old) == (
        "about: 'α😀'\ntrain : &t {'learning_rate' : 1, é: 2}  # rate: 3\n"
        'runs:\n  一: {train: *t, "generate": {max_new_tokens: 4}}'
    )


def test_every_new_name_is_a_key_of_today_and_no_old_name_is():
    for (section, old), new in RENAMED.items():
        known = CHOICES if section == "convention" else [field.name for field in fields(RECORDS[section])]
        assert new in known
        assert old not in known
        assert new_key(("runs", "x", section, old)) == new
    assert set(VALUES) <= set(RENAMED)
    assert {old: new for (section, old), new in RENAMED.items() if section == "convention"} == RENAMED_CHOICES
