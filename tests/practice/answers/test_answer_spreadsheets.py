"""Answers in a spreadsheet, and spreadsheets that mean harm."""

import datetime
import io
import struct
import sys
import time
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from workings.engine.errors import InputError, WorkingsError
from workings.practice.answers.file import read_answers
from workings.practice.answers.number import read_number
from workings.practice.answers.xlsx_file import MAX_BYTES, MAX_PARTS

SETTINGS = settings(deadline=None, derandomize=True, database=None)

ROWS = (["sheet", "demo-1"], ["entry", "points", "answer"], ["scores[1, 0]", 2, 0.0071], ["loss", 1, None])
BILLION_LAUGHS = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;&b;">]><a>&c;</a>'


def spreadsheet(*rows, title="Sheet", before=()):
    book = Workbook()
    for other in before:
        book.active.title = other
        book.create_sheet(title)
    sheet = book[title] if before else book.active
    for row in rows:
        sheet.append(row)
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def changed(content, changes):
    """The archive with other parts: a text for a name, or a function of what stands there."""
    result = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as new:
        for name in dict.fromkeys([*old.namelist(), *changes]):
            change = changes.get(name)
            new.writestr(
                name, old.read(name) if change is None else change(old.read(name)) if callable(change) else change
            )
    return result.getvalue()


@pytest.fixture
def read(tmp_path):
    def read(content):
        path = tmp_path / "a.xlsx"
        path.write_bytes(content)
        return read_answers(path)

    return read


@pytest.fixture
def refused(read):
    def refuse(content):
        with pytest.raises(InputError) as error:
            read(content)
        assert "\n  where: a.xlsx" in str(error.value)
        return str(error.value)

    return refuse


def test_the_columns_are_found_by_their_names(read):
    answers = read(spreadsheet(*ROWS))
    assert answers.sheet == "demo-1"
    assert dict(answers.texts) == {"scores[1][0]": "0.0071", "loss": ""}
    assert answers.places["scores[1][0]"] == "cell C3"


def test_the_sheet_called_answers_comes_first(read):
    assert read(spreadsheet(*ROWS, title="Answers", before=("notes",))).texts["scores[1][0]"] == "0.0071"


def test_what_stands_in_cells_becomes_text(read):
    rows = [("a", 3), ("b", "0,5"), ("c", True), ("d", "two"), ("e", 1e-7), ("f", "1/4"), ("g", 1 / 3)]
    answers = read(spreadsheet(("entry", "answer"), *rows))
    assert list(answers.texts.values()) == ["3", "0,5", "true", "two", "1e-07", "1/4", "0.3333333333333333"]


def test_a_date_is_said_to_be_one(read):
    answers = read(spreadsheet(("entry", "answer"), ("loss", datetime.datetime(2026, 3, 8))))
    with pytest.raises(InputError, match=r"is a date[\s\S]*a fraction such as 3/8"):
        read_number(answers.texts["loss"])


def test_the_stored_value_of_a_formula_is_read(read):
    content = spreadsheet(("entry", "answer"), ("loss", "=1/4"))
    stored = changed(
        content,
        {
            "xl/worksheets/sheet1.xml": lambda xml: (
                xml.replace(b"<v></v>", b"<v>17</v>").replace(b"<v />", b"<v>17</v>").replace(b"<v/>", b"<v>17</v>")
            )
        },
    )
    assert read(stored).texts["loss"] == "17"  # and not 0.25: nothing is carried out


def test_a_formula_without_a_stored_value_is_refused_where_the_number_is_read(read):
    answers = read(spreadsheet(("entry", "answer"), ("P", 0.5), ("loss", "=A1*2"), ("Q", None)))
    assert dict(answers.texts) == {"P": "0.5", "loss": "=A1*2", "Q": ""}
    with pytest.raises(InputError, match="This cell contains a formula whose value is not stored in the file"):
        read_number(answers.texts["loss"])


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("loss", 1)], "no columns named entry and answer"),
        ([], "no columns named entry and answer"),
        ([("entry", "answer")], "The file contains no answers"),
        ([("entry", "answer"), ("loss", None)], "the file has only blank entries (1)"),
        ([("entry", "answer"), (0.5, "loss")], "'0.5' is not the name of an entry.\n  where: a.xlsx, cell A2"),
        (
            [("entry", "answer"), ("loss", 1), ("loss", 2)],
            "two answers for loss: 1 (cell B2) and 2.\n  where: a.xlsx, cell B3",
        ),
    ],
)
def test_what_is_wrong_in_a_spreadsheet_is_said(refused, rows, said):
    assert said in refused(spreadsheet(*rows))


@pytest.mark.parametrize(
    "content", [b"", b"PK\x03\x04", b"\xd0\xcf\x11\xe0 an older kind", bytes(range(256)), spreadsheet(*ROWS)[:-300]]
)
def test_garbage_is_refused(refused, content):
    assert "The spreadsheet cannot be read: " in refused(content)


@pytest.mark.parametrize("part", ["xl/workbook.xml", "[Content_Types].xml", "xl/worksheets/sheet1.xml"])
@pytest.mark.parametrize("xml", [b"", b"<a>", b"<a/>", b"\xff\xfe"])
def test_damaged_parts_are_refused(refused, part, xml):
    assert refused(changed(spreadsheet(*ROWS), {part: xml}))


def test_an_archive_that_grows_too_much_is_refused(refused):
    bomb = changed(spreadsheet(*ROWS), {"xl/media/bomb.bin": b"\0" * (MAX_BYTES + 1)})
    assert len(bomb) < 100_000
    assert "becomes too large when it is unpacked" in refused(bomb)


def test_many_parts_that_are_too_large_together_are_refused(refused):
    bomb = changed(spreadsheet(*ROWS), {f"xl/media/{number}": b"\0" * 5_000_000 for number in range(11)})
    assert "becomes too large when it is unpacked" in refused(bomb)


def test_an_archive_that_lies_about_its_size_is_refused(refused):
    name = b"xl/media/bomb.bin"
    bomb = bytearray(changed(spreadsheet(*ROWS), {name.decode(): b"\0" * (MAX_BYTES + 1)}))
    for signature, size_at, name_at in ((b"PK\x03\x04", 22, 30), (b"PK\x01\x02", 24, 46)):
        start = next(
            at for at in range(len(bomb)) if bomb[at : at + 4] == signature and bomb[at + name_at :].startswith(name)
        )
        bomb[start + size_at : start + size_at + 4] = struct.pack("<I", 10)
    assert "The spreadsheet cannot be read: " in refused(bytes(bomb))


def test_many_cells_without_anything_in_them_are_refused_before_each_takes_its_time(refused):
    cells = b"<worksheet><sheetData><row>" + b"<c/>" * (MAX_BYTES // 5) + b"</row></sheetData></worksheet>"
    start = time.perf_counter()
    said = refused(changed(spreadsheet(*ROWS), {"xl/worksheets/sheet1.xml": cells}))
    assert "becomes too large when it is unpacked" in said
    assert time.perf_counter() - start < 2  # each of the two million would take microseconds


def test_a_long_sheet_is_read(read):
    rows = [(f"y[{number}]", number / 10) for number in range(5_000)]
    assert read(spreadsheet(("entry", "answer"), *rows)).texts["y[4999]"] == "499.9"


def test_an_archive_of_too_many_parts_is_refused(refused):
    said = refused(changed(spreadsheet(*ROWS), {f"xl/media/{number}": b"" for number in range(MAX_PARTS)}))
    assert "too many for a file of answers" in said


@pytest.mark.parametrize("xml", [BILLION_LAUGHS, BILLION_LAUGHS.decode().encode("utf-16")])
def test_definitions_in_xml_are_refused(refused, xml):
    assert "definitions that no spreadsheet program writes" in refused(
        changed(spreadsheet(*ROWS), {"xl/styles.xml": xml})
    )


def test_a_definition_across_two_pieces_is_found(refused):
    xml = b" " * (1_000_000 - 4) + b"<!DOCTYPE a><a/>"
    assert "definitions" in refused(changed(spreadsheet(*ROWS), {"xl/styles.xml": xml}))


def test_without_the_package_the_error_says_how_to_get_it(refused, monkeypatch):
    content = spreadsheet(*ROWS)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    assert 'pip install "workings[print]"' in refused(content)


WHOLE = spreadsheet(*ROWS)


@SETTINGS
@given(st.integers(0, len(WHOLE) - 1), st.binary(min_size=1, max_size=8))
def test_no_damage_does_more_harm_than_a_refusal(at, damage):
    from workings.practice.answers.collector import AnswerCollector
    from workings.practice.answers.xlsx_file import collect_xlsx

    answers = AnswerCollector()
    try:
        collect_xlsx(WHOLE[:at] + damage + WHOLE[at + len(damage) :], answers)
    except WorkingsError as error:
        assert error.what  # noqa: PT017 - the others come back whole
    else:
        assert answers.texts == {"scores[1][0]": "0.0071", "loss": ""}
