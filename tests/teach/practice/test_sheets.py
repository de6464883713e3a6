"""Sheets: files that carry all that grading needs, and codes from which they are made again."""

import json

import numpy
import pytest

import workings as w
from workings.engine.errors import InputError, WorkingsError
from workings.teach.grading.grade import grade
from workings.teach.practice import sheet as sheets
from workings.teach.practice import sources
from workings.teach.practice.sheet import CODE, make_sheet, open_sheet, read_sheet

# A sheet that was printed last year is made again from its code. If these change, sheets on paper can no longer be
# graded: then GENERATOR goes up, so that it is said.
CODES = {
    ("example-1", 7): "example-1.twin-7-1s4-a0f2",
    ("example-3", 1): "example-3.twin-1-1s4-8047",
    ("cat-sleeps", 3): "cat-sleeps.twin-3-1s4-9ab4",
    ("layer-norm", 2): "layer-norm.twin-2-1s4-9ad7",
    ("token-i", 4): "token-i.twin-4-1s4-6b82",
    ("multi-head", 5): "multi-head.default-5-1s4-fac3",
}


@pytest.fixture(scope="module")
def sheet():
    return make_sheet("example-3", 1)


@pytest.mark.parametrize(("name", "seed"), CODES)
def test_a_seed_gives_the_sheet_that_it_gave_before(name, seed):
    assert make_sheet(name, seed).code == CODES[name, seed]


def test_a_sheet_comes_back_from_its_file(sheet, tmp_path):
    path = tmp_path / "sheet.json"
    path.write_text(sheet.to_json(), encoding="utf-8")
    again = open_sheet(path)
    assert again.to_json() == sheet.to_json()
    assert again.code == sheet.code
    assert [field.label for field in again.fields] == [field.label for field in sheet.fields]
    assert again.fields == sheet.fields
    assert all(numpy.array_equal(one.value, other.value) for one, other in zip(again.slips, sheet.slips, strict=True))


def test_both_are_graded_alike(sheet):
    answers = {field.label: str(field.true) for field in sheet.fields if field.kind == "number"}
    answers |= {label: "0.123" for label in answers if label.startswith(("scaled", "dX"))}
    again = read_sheet(sheet.to_json())
    assert grade(again, answers).to_data() == grade(sheet, answers).to_data()


@pytest.mark.parametrize("blanks", ["few", "some", "all"])
def test_a_sheet_is_made_again_from_its_code(blanks):
    made = make_sheet("example-1", 7, blanks)
    again = open_sheet(f" {made.code} ")
    assert (again.code, again.blanks, again.fields) == (made.code, blanks, made.fields)
    assert open_sheet(make_sheet("example-1", 7, blanks, digits=3).code).digits == 3


def test_the_code_names_lesson_run_seed_generator_blanks_and_digits(sheet):
    match = CODE.fullmatch(sheet.code)
    assert match is not None
    parts = match.group("name", "run", "seed", "generator", "blanks", "digits")
    assert parts == ("example-3", "twin", "1", str(sheets.GENERATOR), "s", "4")
    placed = make_sheet("positional-encoding", 1)
    assert CODE.fullmatch(placed.code)["run"] == placed.run


def test_the_checksum_is_of_the_numbers_that_are_given(sheet):
    assert make_sheet("example-3", 1, "all").checksum == sheet.checksum
    assert make_sheet("example-3", 2).checksum != sheet.checksum


def test_seed_0_has_the_numbers_of_the_lesson_itself():
    own = make_sheet("example-3", 0, run="default")
    assert numpy.array_equal(own.trace["W_Q"].value, w.lesson("example-3").trace().replay()["W_Q"].value)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("nothing.json", "no file, code, lesson or scenario"),
        ("example-3.twin-1-99s4-0000", "generator 99"),
        ("example-3.twin-1-1s4-0000", "others than this version makes"),
    ],
)
def test_a_code_that_is_none_is_refused(code, said):
    with pytest.raises(InputError, match=said):
        open_sheet(code.replace("-1s4-", f"-{sheets.GENERATOR}s4-"))


def test_a_code_of_a_lesson_that_is_not_there_is_refused():
    with pytest.raises(InputError, match=r"made from a file called example-99[\s\S]*example-99\.yaml"):
        open_sheet(f"example-99.twin-1-{sheets.GENERATOR}s4-0000")


def broken(sheet, **changes):
    return json.dumps({**json.loads(sheet.to_json()), **changes})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no whole sheet"),
        ("[1, 2]", "no sheet that this version knows"),
        ('{"schema": "workings/trace/1"}', "no sheet that this version knows"),
        ('{"schema": "workings/sheet/1"}', "no whole sheet"),
        ("[" * 100_000, "no whole sheet"),
    ],
)
def test_a_text_that_is_no_sheet_is_refused(text, said):
    with pytest.raises(InputError, match=said):
        read_sheet(text, "mine.json")


@pytest.mark.parametrize(
    "changes", [{"fields": [{}]}, {"fields": 3}, {"slips": [[]]}, {"trace": {}}, {"digits": "four"}, {"labels": []}]
)
def test_a_sheet_with_a_broken_part_is_refused(sheet, changes):
    with pytest.raises(WorkingsError):
        read_sheet(broken(sheet, **changes), "mine.json")


def with_first(sheet, part, **changes):
    """The sheet with other things in its first field or slip."""
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
def test_a_damaged_field_is_named(sheet, changes, said):
    with pytest.raises(InputError, match=f"no whole sheet: {said}"):
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
def test_a_damaged_slip_is_named(sheet, changes, said):
    with pytest.raises(InputError, match=f"no whole sheet: {said}"):
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
def test_what_else_is_damaged_is_named(sheet, changes, said):
    with pytest.raises(InputError, match=rf"no whole sheet: {said}\.\n  where: mine\.json"):
        read_sheet(broken(sheet, **changes), "mine.json")


def test_two_fields_of_one_label_are_refused(sheet):
    data = json.loads(sheet.to_json())
    with pytest.raises(InputError, match="no whole sheet: fields cannot be "):
        read_sheet(broken(sheet, fields=[data["fields"][0]] * 2))


def test_what_a_newer_version_has_added_is_left_out(sheet):
    data = json.loads(sheet.to_json())
    for part in (data, data["fields"][0], data["slips"][0], data["notation"], data["trace"]):
        part["added"] = {"later": 1}
    assert read_sheet(json.dumps(data)).to_json() == sheet.to_json()


def test_a_sheet_of_another_form_says_so(sheet):
    with pytest.raises(InputError, match="written as workings/sheet/2, and this version reads workings/sheet/1"):
        read_sheet(broken(sheet, schema="workings/sheet/2"))


SCENARIO = """scenario: 1
given: {x: {axes: key, value: "2 1 0.5"}}
calculate: [weights = softmax(x)]
"""


@pytest.mark.parametrize("name", ["two.yaml", "sub/two.yaml", "sub/two. words.v2.yaml", "a/b/c/two.yml"])
def test_a_code_finds_the_file_that_it_was_made_from(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(SCENARIO)
    made = make_sheet(name, 3)
    assert open_sheet(made.code).code == made.code


def test_of_several_files_the_one_with_its_numbers_is_taken(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder, text in (("a", "nothing"), ("b", SCENARIO.replace("0.5", "0.25")), ("c", SCENARIO)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "two.yaml").write_text(text)
    made = make_sheet("c/two.yaml", 0)
    assert open_sheet(made.code).name == "c/two.yaml"


def test_without_its_file_a_code_says_which_one_it_needs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "two.yaml").write_text(SCENARIO)
    with pytest.raises(InputError, match=r"made from a file called two, [\s\S]*folder of two\.yaml or two\.md"):
        open_sheet(f"two.default-3-{sheets.GENERATOR}s4-0000")


def test_only_so_many_files_are_looked_at(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for number in range(5):
        (tmp_path / f"a{number}.txt").write_text("")
    (tmp_path / "two.yaml").write_text(SCENARIO)
    assert list(sources.sources_of("two")) == ["two.yaml"]
    monkeypatch.setattr(sources, "MOST_LOOKED_AT", 4)
    assert list(sources.sources_of("two")) == []


def test_a_file_that_is_too_large_or_no_text_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "sheet.json"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=r"sheet\.json cannot be read"):
        open_sheet(path)
    monkeypatch.setattr(sheets, "LARGEST", 2)
    with pytest.raises(InputError, match="MB"):
        open_sheet(path)


def test_blanks_have_three_names():
    with pytest.raises(InputError, match="few, some, all"):
        make_sheet("example-1", 1, "many")
