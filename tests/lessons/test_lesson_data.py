"""The documents of the lessons as data: they come back whole, and fit the schema."""

import json

import pytest
from jsonschema import Draft202012Validator
from written_lessons import NAMES, each, written

import workings
from workings.explain.document import to_data
from workings.explain.reading_back import document_of


@pytest.mark.parametrize("name", each(NAMES))
def test_a_document_comes_back_from_its_data(name):
    document = written(name).document
    assert document_of(json.loads(json.dumps(to_data(document)))) == document


@pytest.mark.parametrize("name", each(NAMES))
def test_the_json_of_a_lesson_fits_the_schema(name):
    from pathlib import Path

    schema = json.loads((Path(workings.__file__).parent / "schema" / "trace.json").read_text())
    data = json.loads(json.dumps(written(name).to_data(), allow_nan=False))
    assert data["lesson"] == name
    assert not [error.message[:200] for error in Draft202012Validator(schema).iter_errors(data)][:3]
