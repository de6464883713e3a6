"""The key: what is right, what is accepted, and what each mistake gives."""

import json
from math import inf
from pathlib import Path

import jsonschema
import pytest

import workings
from workings.explain.document import Heading, Items, Number, Table, plain_text, to_data
from workings.teach.practice.asked import Field
from workings.teach.practice.sheet import make_sheet
from workings.teach.worksheets.key import hidden_slips, is_told_apart, key, limits

SCHEMA = json.loads((Path(workings.__file__).parent / "schema" / "document.json").read_text())


@pytest.fixture(scope="module", params=["few", "some"])
def sheet(request):
    return make_sheet("example-3", seed=4, blanks=request.param)


def rows_of(page):
    """The rows of all tables by the label of their entry."""
    return {
        plain_text(row[0]): dict(zip(block.headings, row, strict=True))
        for block in page.blocks
        if isinstance(block, Table)
        for row in block.rows
    }


def test_every_field_has_a_row_with_what_is_right(sheet):
    rows = rows_of(key(sheet))
    assert list(rows) == list(sheet.asked)
    for label, field in sheet.asked.items():
        (right,) = rows[label]["right"]
        if field.kind == "number":
            assert isinstance(right, Number)
            assert right.value == field.true
        else:
            assert right.text == str(field.true)


def test_what_is_accepted_reaches_as_far_as_the_tolerance_and_hardly_further(sheet):
    rows = rows_of(key(sheet))
    for label, field in sheet.asked.items():
        if field.kind == "number" and field.tolerance:
            low, high = (rows[label][heading][0].value for heading in ("accepted from", "to"))
            off = field.tolerance
            assert low <= field.true - off * (1 - 1e-9)
            assert field.true + off * (1 - 1e-9) <= high
            assert high - low <= 2 * off * 1.21


def test_every_mistake_that_an_entry_shows_stands_there_with_its_value(sheet):
    rows = rows_of(key(sheet))
    for label, field in sheet.asked.items():
        shape = sheet.trace[field.step].shape
        told = rows[label].get("what mistakes give", ())
        words = plain_text(told)
        for slip in sheet.slips:
            if is_told_apart(slip, field, shape):
                assert all(name in words for name in (slip.id, *slip.also))
        for number in (span for span in told if isinstance(span, Number)):
            assert number.role == "mistake"
            slips = [slip for slip in sheet.slips if (slip.id, slip.step) == (number.mistake, field.step)]
            assert number.value in [slip.value[field.index] for slip in slips]


def test_each_mistake_is_explained_or_said_not_to_show(sheet):
    page = key(sheet)
    hidden = {slip.id for slip in hidden_slips(sheet)}
    lists = [block for block in page.blocks if isinstance(block, Items)]
    explained = [plain_text(entry[0].spans) for entry in lists[0].entries]
    shown = {slip.id: slip.hint for slip in sheet.slips if not any(slip is other for other in hidden_slips(sheet))}
    assert {f"{name}: {hint}" for name, hint in shown.items()} <= set(explained)
    headings = [block.text for block in page.blocks if isinstance(block, Heading)]
    assert ("Not shown" in headings) == bool(hidden)
    if hidden:
        listed = {plain_text(entry[0].spans).partition(" in ")[0] for entry in lists[-1].entries}
        assert listed == hidden


def test_few_blanks_hide_what_is_not_asked_for():
    few, every = (make_sheet("example-3", seed=4, blanks=blanks) for blanks in ("few", "all"))
    steps = {field.step for field in few.fields}
    assert {slip.step for slip in hidden_slips(few)} - steps
    assert len(hidden_slips(every)) < len(hidden_slips(few))


def test_a_mistake_of_another_shape_is_told_apart_by_its_shape(sheet):
    texts = [plain_text(block.spans) for block in key(sheet).blocks if block.kind == "text"]
    others = [slip for slip in sheet.slips if slip.value.shape != sheet.trace[slip.step].shape]
    assert others
    for slip in others:
        if slip.step in {field.step for field in sheet.fields}:
            assert f"{slip.id} gives another shape: {' × '.join(map(str, slip.value.shape))}." in texts


def test_the_key_fits_the_schema(sheet):
    jsonschema.validate(json.loads(json.dumps(to_data(key(sheet)), allow_nan=False)), SCHEMA)


@pytest.mark.parametrize(
    ("true", "tolerance", "expected"),
    [
        (0.1, 0.00005, (0.09995, 0.10005)),
        (-0.34, 0.00005, (-0.34005, -0.33995)),
        (-0.33999999999999997, 0.00005, (-0.34005, -0.33995)),
        (0.512884168, 0.000323342, (0.51256, 0.51321)),
        (12.5, 0.0, (12.5, 12.5)),
        (0.0, 0.0, (0.0, 0.0)),
        (1e-9, 2e-13, (9.998e-10, 1.0002e-09)),
        (2 / 3, 0.5, (0.16, 1.17)),
        (-inf, 0.0, (-inf, -inf)),
    ],
)
def test_limits_are_rounded_outwards(true, tolerance, expected):
    assert limits(Field("y", "y", (), true=true, tolerance=tolerance)) == expected


def test_what_is_masked_is_accepted_as_such():
    sheet = make_sheet("causal-mask", seed=1)
    (label,) = [label for label, field in sheet.asked.items() if field.true == -inf][:1]
    row = rows_of(key(sheet))[label]
    assert {plain_text(row[heading]) for heading in ("right", "accepted from", "to")} == {"-∞"}
    assert not any(span.value == "-inf" for span in row.get("what mistakes give", ()) if isinstance(span, Number))
