"""Sheets: files with everything that grading needs, and codes from which they are made again."""

import json

import numpy
import pytest

import workings as w
from workings.engine.errors import InputError, WorkingsError
from workings.practice import sheet_code, sheet_file
from workings.practice.grading.grade import grade
from workings.practice.sheet import make_sheet
from workings.practice.sheet_code import CODE
from workings.practice.sheet_file import open_sheet, read_sheet
from workings.practice.variant import GENERATOR

# A sheet that was printed last year is made again from its code. If these change, sheets on paper can no longer be
# graded: then GENERATOR goes up, so that an error says so.
CODES = {
    ("example-1", 7): "example-1.twin-7-2s4-a0f2",
    ("example-3", 1): "example-3.twin-1-2s4-8047",
    ("cat-sleeps", 3): "cat-sleeps.twin-3-2s4-9ab4",
    ("layer-norm", 2): "layer-norm.twin-2-2s4-9ad7",
    ("token-i", 4): "token-i.twin-4-2s4-6b82",
    ("multi-head", 5): "multi-head.default-5-2s4-fac3",
}  # the numbers are those of the first generator


@pytest.fixture(scope="module")
def sheet():
    return make_sheet("example-3", 1)


@pytest.mark.parametrize(("name", "seed"), CODES)
def test_code_of_a_seed_is_frozen(name, seed):
    assert make_sheet(name, seed).code == CODES[name, seed]


def test_sheet_survives_its_file(sheet, tmp_path):
    path = tmp_path / "sheet.json"
    path.write_text(sheet.to_json(), encoding="utf-8")
    again = open_sheet(path)
    assert again.to_json() == sheet.to_json()
    assert again.code == sheet.code
    assert [blank.label for blank in again.fields] == [blank.label for blank in sheet.fields]
    assert again.fields == sheet.fields
    assert all(
        numpy.array_equal(one.value, other.value) for one, other in zip(again.mistakes, sheet.mistakes, strict=True)
    )


def test_sheet_from_its_file_grades_alike(sheet):
    answers = {blank.label: str(blank.true) for blank in sheet.fields if blank.kind == "number"}
    answers |= {label: "0.123" for label in answers if label.startswith(("scaled", "dX"))}
    again = read_sheet(sheet.to_json())
    assert grade(again, answers).to_data() == grade(sheet, answers).to_data()


@pytest.mark.parametrize("blanks", ["few", "some", "all"])
def test_sheet_is_made_again_from_its_code(blanks):
    made = make_sheet("example-1", 7, blanks)
    again = open_sheet(f" {made.code} ")
    assert (again.code, again.blanks, again.fields) == (made.code, blanks, made.fields)
    assert open_sheet(make_sheet("example-1", 7, blanks, digits=3).code).digits == 3


def test_code_names_lesson_run_seed_generator_blanks_and_digits(sheet):
    match = CODE.fullmatch(sheet.code)
    assert match is not None
    parts = match.group("name", "run", "seed", "generator", "blanks", "digits")
    assert parts == ("example-3", "twin", "1", str(GENERATOR), "s", "4")
    placed = make_sheet("positional-encoding", 1)
    assert CODE.fullmatch(placed.code)["run"] == placed.run


def test_checksum_depends_on_the_given_numbers(sheet):
    assert make_sheet("example-3", 1, "all").checksum == sheet.checksum
    assert make_sheet("example-3", 2).checksum != sheet.checksum


def test_seed_0_keeps_the_numbers_of_the_lesson():
    own = make_sheet("example-3", 0, run="default")
    assert numpy.array_equal(own.trace["W_Q"].value, w.lesson("example-3").trace().replay()["W_Q"].value)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("nothing.json", "no file, code, lesson or scenario"),
        ("example-3.twin-1-99s4-0000", "generator 99"),
        ("example-3.twin-1-1s4-0000", "makes other numbers"),
    ],
)
def test_invalid_code_is_rejected(code, said):
    with pytest.raises(InputError, match=said):
        open_sheet(code.replace("-1s4-", f"-{GENERATOR}s4-"))


def test_code_of_an_unknown_lesson_is_rejected():
    with pytest.raises(InputError, match=r"made from a file named example-99[\s\S]*example-99\.yaml"):
        open_sheet(f"example-99.twin-1-{GENERATOR}s4-0000")


def broken(sheet, **changes):
    return json.dumps({**json.loads(sheet.to_json()), **changes})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not a complete sheet"),
        ("[1, 2]", "is not a sheet"),
        ('{"schema": "workings/trace/1"}', "is not a sheet"),
        ('{"schema": "workings/sheet/1"}', "not a complete sheet"),
        ("[" * 100_000, "not a complete sheet"),
    ],
)
def test_text_that_is_not_a_sheet_is_rejected(text, said):
    with pytest.raises(InputError, match=said):
        read_sheet(text, "mine.json")


@pytest.mark.parametrize(
    "changes", [{"fields": [{}]}, {"fields": 3}, {"slips": [[]]}, {"trace": {}}, {"digits": "four"}, {"labels": []}]
)
def test_sheet_with_a_broken_part_is_rejected(sheet, changes):
    with pytest.raises(WorkingsError):
        read_sheet(broken(sheet, **changes), "mine.json")


def with_first(sheet, part, **changes):
    """The sheet with other data in its first blank or mistake."""
    data = json.loads(sheet.to_json())
    data[part][0] |= changes
    return json.dumps(data)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"index": [9, 9]}, r"fields\[0\].index cannot be \[9, 9\]"),
        ({"index": [0]}, r"fields\[0\].index cannot be \[0\]"),
        ({"index": [0, -1]}, r"fields\[0\].index\[1\] cannot be -1"),
        ({"index": [0, 0.5]}, r"fields\[0\].index\[1\] cannot be 0.5"),
        ({"step": "nowhere"}, r'fields\[0\].step cannot be "nowhere"'),
        ({"kind": "riddle"}, r'fields\[0\].kind cannot be "riddle"'),
        ({"kind": "shape", "index": []}, r"fields\[0\].true cannot be "),
        ({"kind": "choice", "index": []}, r"fields\[0\].true cannot be "),
        ({"true": "nan"}, r'fields\[0\].true cannot be "nan"'),
        ({"true": [1]}, r"fields\[0\].true cannot be \[1\]"),
        ({"tolerance": -1.0}, r"fields\[0\].tolerance cannot be -1.0"),
        ({"tolerance": "inf"}, r'fields\[0\].tolerance cannot be "inf"'),
        ({"tolerance": "nan"}, r'fields\[0\].tolerance cannot be "nan"'),
        ({"tolerance": 10**400}, r"fields\[0\].tolerance cannot be 1000"),
        ({"label": 3}, r"fields\[0\].label cannot be 3"),
        ({"choices": "yes"}, r'fields\[0\].choices cannot be "yes"'),
    ],
)
def test_damaged_blank_is_named(sheet, changes, said):
    with pytest.raises(InputError, match=f"not a complete sheet: {said}"):
        read_sheet(with_first(sheet, "fields", **changes), "mine.json")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"step": "nowhere"}, r'slips\[0\].step cannot be "nowhere"'),
        ({"value": [[1, 2], [3]]}, r"slips\[0\].value cannot be \[\[1, 2\], \[3\]\]"),
        ({"value": []}, r"slips\[0\].value cannot be \[\]"),
        ({"value": [[["two"]]]}, r'slips\[0\].value\[0\]\[0\]\[0\] cannot be "two"'),
        ({"value": [[[[[[[[[[1]]]]]]]]]]}, r"slips\[0\].value"),
        ({"also": 3}, r"slips\[0\].also cannot be 3"),
    ],
)
def test_damaged_mistake_is_named(sheet, changes, said):
    with pytest.raises(InputError, match=f"not a complete sheet: {said}"):
        read_sheet(with_first(sheet, "slips", **changes), "mine.json")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"digits": 0}, "digits cannot be 0"),
        ({"digits": 13}, "digits cannot be 13"),
        ({"digits": True}, "digits cannot be true"),
        ({"blanks": "most"}, 'blanks cannot be "most"'),
        ({"seed": -1}, "seed cannot be -1"),
        ({"generator": "1"}, 'generator cannot be "1"'),
        ({"fields": []}, r"fields cannot be \[\]"),
        ({"fields": [{}]}, r"fields\[0\].kind is missing"),
        ({"labels": []}, r"labels cannot be \[\]"),
        ({"labels": {"Q": 3}}, "labels.Q cannot be 3"),
    ],
)
def test_other_damage_is_named(sheet, changes, said):
    with pytest.raises(InputError, match=rf"not a complete sheet: {said}\.\n  where: mine\.json"):
        read_sheet(broken(sheet, **changes), "mine.json")


def test_two_blanks_with_one_label_are_rejected(sheet):
    data = json.loads(sheet.to_json())
    with pytest.raises(InputError, match="not a complete sheet: fields cannot be "):
        read_sheet(broken(sheet, fields=[data["fields"][0]] * 2))


def test_parts_of_a_newer_version_are_ignored(sheet):
    data = json.loads(sheet.to_json())
    for part in (data, data["fields"][0], data["slips"][0], data["notation"], data["trace"]):
        part["added"] = {"later": 1}
    assert read_sheet(json.dumps(data)).to_json() == sheet.to_json()


def test_sheet_of_another_schema_is_rejected(sheet):
    with pytest.raises(InputError, match="written as workings/sheet/2, and this version reads workings/sheet/1"):
        read_sheet(broken(sheet, schema="workings/sheet/2"))


SCENARIO = """scenario: 1
given: {x: {axes: key, value: "2 1 0.5"}}
calculate: [weights = softmax(x)]
"""


@pytest.mark.parametrize("name", ["two.yaml", "sub/two.yaml", "sub/two. words.v2.yaml", "a/b/c/two.yml"])
def test_code_finds_the_file_that_it_was_made_from(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(SCENARIO)
    made = make_sheet(name, 3)
    assert open_sheet(made.code).code == made.code


def test_of_several_files_the_one_with_its_numbers_is_chosen(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder, text in (("a", "nothing"), ("b", SCENARIO.replace("0.5", "0.25")), ("c", SCENARIO)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "two.yaml").write_text(text)
    made = make_sheet("c/two.yaml", 0)
    assert open_sheet(made.code).name == "c/two.yaml"


def test_code_without_its_file_names_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "two.yaml").write_text(SCENARIO)
    with pytest.raises(InputError, match=r"made from a file named two, [\s\S]*folder of two\.yaml or two\.md"):
        open_sheet(f"two.default-3-{GENERATOR}s4-0000")


def test_number_of_scanned_files_is_limited(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for number in range(5):
        (tmp_path / f"a{number}.txt").write_text("")
    (tmp_path / "two.yaml").write_text(SCENARIO)
    assert list(sheet_code.sources_of("two")) == ["two.yaml"]
    monkeypatch.setattr(sheet_code, "MAX_SCANNED", 4)
    assert list(sheet_code.sources_of("two")) == []


def test_file_that_is_too_large_or_not_text_is_rejected(tmp_path, monkeypatch):
    path = tmp_path / "sheet.json"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=r"sheet\.json is not text in UTF-8"):
        open_sheet(path)
    monkeypatch.setattr(sheet_file, "MAX_SHEET_BYTES", 2)
    with pytest.raises(InputError, match="MB"):
        open_sheet(path)


def test_unknown_level_of_blanks_is_rejected():
    with pytest.raises(WorkingsError, match="few, some, all"):
        make_sheet("example-1", 1, "many")
