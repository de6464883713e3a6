"""The documents of the lessons as data: they come back whole, and fit the schema."""

import json
import math
from pathlib import Path

import pytest
from built_lessons import LONG, NAMES, each, written
from jsonschema import Draft202012Validator

import workings
from workings.document.blocks import to_data
from workings.document.from_data import document_of


@pytest.mark.parametrize("name", each(NAMES, slow=LONG))
def test_a_document_comes_back_from_its_data(name):
    document = written(name).document
    assert document_of(json.loads(json.dumps(to_data(document)))) == document


SCHEMA = json.loads((Path(workings.__file__).parent / "schema" / "trace.json").read_text())
MOST = 16  # numbers of an array that are looked at one by one: the schema says the same of each


def without_long_arrays(data):
    for step in (step for run in data["runs"] for step in run["steps"]):
        if math.prod(step["shape"]) > MOST:
            step |= {key: None for key in ("value", "window") if key in step}
    return data


def faults(data):
    return [error.message[:200] for error in Draft202012Validator(SCHEMA).iter_errors(data)][:3]


@pytest.mark.parametrize("name", each(NAMES, only_quick=True))
def test_the_json_of_a_lesson_fits_the_schema(name):
    data = json.loads(json.dumps(written(name).to_data(), allow_nan=False))
    assert data["lesson"] == name
    assert not faults(without_long_arrays(data))


def test_what_does_not_fit_is_noticed():
    data = json.loads(json.dumps(written("example-1").to_data(), allow_nan=False))
    data["runs"][0]["steps"][0]["kind"] = "leaves"
    assert faults(without_long_arrays(data))
