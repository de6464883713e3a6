"""The key: what is right, what is accepted, and what each mistake gives."""

import json
from math import inf
from pathlib import Path

import jsonschema
import pytest

import workings
from workings.document.blocks import Heading, Items, Number, Table, plain_text, to_data
from workings.practice.blanks import Blank
from workings.practice.sheet import make_sheet
from workings.practice.worksheets.key import MOST_LISTED, hidden_mistakes, is_distinguished, key, limits

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


def test_every_blank_has_a_row_with_the_right_answer(sheet):
    rows = rows_of(key(sheet))
    assert list(rows) == list(sheet.by_label)
    for label, blank in sheet.by_label.items():
        (right,) = rows[label]["right"]
        if blank.kind == "number":
            assert isinstance(right, Number)
            assert right.value == blank.true
        else:
            assert right.text == str(blank.true)


def test_accepted_range_is_barely_wider_than_the_tolerance(sheet):
    rows = rows_of(key(sheet))
    for label, blank in sheet.by_label.items():
        if blank.kind == "number" and blank.tolerance:
            low, high = (rows[label][heading][0].value for heading in ("accepted from", "to"))
            off = blank.tolerance
            assert low <= blank.true - off * (1 - 1e-9)
            assert blank.true + off * (1 - 1e-9) <= high
            assert high - low <= 2 * off * 1.21


def test_row_lists_the_first_mistakes_that_its_entry_shows_and_counts_the_others(sheet):
    rows = rows_of(key(sheet))
    for label, blank in sheet.by_label.items():
        shape = sheet.trace[blank.step].shape
        listed = rows[label].get("what mistakes give", ())
        words = plain_text(listed)
        shown = [mistake for mistake in sheet.mistakes if is_distinguished(mistake, blank, shape)]
        given = list(dict.fromkeys(f"{mistake.value[blank.index] + 0.0:.3e}" for mistake in shown))
        first = [mistake for mistake in shown if f"{mistake.value[blank.index] + 0.0:.3e}" in given[:MOST_LISTED]]
        assert all(name in words for mistake in first for name in (mistake.id, *mistake.also))
        assert words.endswith(f"; and {len(given) - MOST_LISTED} more") == (len(given) > MOST_LISTED)
        for number in (span for span in listed if isinstance(span, Number)):
            assert number.role == "mistake"
            mistakes = [
                mistake for mistake in sheet.mistakes if (mistake.id, mistake.step) == (number.mistake, blank.step)
            ]
            assert number.value in [mistake.value[blank.index] for mistake in mistakes]


def test_every_listed_mistake_is_explained_and_every_hidden_one_is_listed_as_not_shown(sheet):
    page = key(sheet)
    hidden = {mistake.id for mistake in hidden_mistakes(sheet)}
    lists = [block for block in page.blocks if isinstance(block, Items)]
    explained = [plain_text(entry[0].spans) for entry in lists[0].entries]
    rows = [row.get("what mistakes give", ()) for row in rows_of(page).values()]
    listed = {span.mistake for row in rows for span in row if isinstance(span, Number)}
    shown = {mistake.id: mistake.hint for mistake in sheet.mistakes if mistake.id in listed}
    assert {f"{name}: {hint}" for name, hint in shown.items()} <= set(explained)
    headings = [block.text for block in page.blocks if isinstance(block, Heading)]
    assert ("Not shown" in headings) == bool(hidden)
    if hidden:
        listed = {plain_text(entry[0].spans).partition(" in ")[0] for entry in lists[-1].entries}
        assert listed == hidden


def test_fewer_blanks_hide_more_mistakes():
    few, every = (make_sheet("example-3", seed=4, blanks=blanks) for blanks in ("few", "all"))
    steps = {blank.step for blank in few.fields}
    assert {mistake.step for mistake in hidden_mistakes(few)} - steps
    assert len(hidden_mistakes(every)) < len(hidden_mistakes(few))


def test_mistake_of_another_shape_is_listed_by_its_shape(sheet):
    texts = [plain_text(block.spans) for block in key(sheet).blocks if block.kind == "text"]
    others = [mistake for mistake in sheet.mistakes if mistake.value.shape != sheet.trace[mistake.step].shape]
    assert others
    for mistake in others:
        if mistake.step in {blank.step for blank in sheet.fields}:
            assert f"{mistake.id} gives another shape: {' × '.join(map(str, mistake.value.shape))}." in texts


def test_key_matches_the_schema(sheet):
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
    assert limits(Blank("y", "y", (), true=true, tolerance=tolerance)) == expected


def test_masked_entry_accepts_only_minus_infinity():
    sheet = make_sheet("causal-mask", seed=1)
    (label,) = [label for label, blank in sheet.by_label.items() if blank.true == -inf][:1]
    row = rows_of(key(sheet))[label]
    assert {plain_text(row[heading]) for heading in ("right", "accepted from", "to")} == {"-∞"}
    assert not any(span.value == "-inf" for span in row.get("what mistakes give", ()) if isinstance(span, Number))
