"""`workings worksheet`: a sheet in every format, its key, and the file that grading needs."""

import json

import pytest

from workings.cli.main import main
from workings.engine.errors import InputError
from workings.practice.answers.file import read_answers
from workings.practice.sheet import make_sheet
from workings.practice.sheet_file import open_sheet


def run(capsys, *words):
    code = main(["worksheet", *map(str, words)])
    return code, *capsys.readouterr()


def test_it_is_shown_with_its_code_and_blanks(capsys):
    code, shown, said = run(capsys, "example-1", "--seed", "7", "--blanks", "few")
    assert (code, said) == (0, "")
    assert make_sheet("example-1", 7, "few").code in shown
    assert "_________" in shown
    assert "Given" in shown


def test_the_seed_is_always_the_same_one_unless_it_is_given(capsys):
    first, again, other = (run(capsys, "example-1", *words)[1] for words in ((), ("--seed", 1), ("--seed", 2)))
    assert first == again != other


@pytest.mark.parametrize(("ending", "start"), [("md", b"# "), ("html", b"<!doc"), ("pdf", b"%PDF"), ("tex", b"\\doc")])
def test_a_file_says_its_code_and_how_to_grade_it(capsys, tmp_path, ending, start):
    path = tmp_path / f"sheet.{ending}"
    code, shown, _ = run(capsys, "example-1", "-o", path)
    assert code == 0
    assert path.read_bytes().startswith(start)
    sheet = make_sheet("example-1", 1)
    assert (
        shown == f"{path} is written: sheet {sheet.code}. To grade answers to it: workings grade {sheet.code} ANSWERS\n"
    )


def test_the_file_json_is_the_sheet_itself(capsys, tmp_path):
    path = tmp_path / "my sheet.json"
    code, shown, _ = run(capsys, "example-1", "--seed", 3, "--digits", 5, "--blanks", "all", "-o", path)
    assert code == 0
    sheet = open_sheet(path)
    assert (sheet.seed, sheet.digits, sheet.blanks) == (3, 5, "all")
    assert sheet.code in shown
    assert shown.endswith(f"workings grade '{path}' ANSWERS\n")


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_a_table_is_there_to_be_filled_in(capsys, tmp_path, ending):
    path = tmp_path / f"sheet.{ending}"
    code, shown, _ = run(capsys, "example-1", "-o", path)
    sheet = make_sheet("example-1", 1)
    assert code == 0
    assert sheet.code in shown
    with pytest.raises(InputError, match=rf"only blank entries \({len(sheet.fields)}\)"):
        read_answers(path)


def test_the_table_of_a_sheet_is_graded_when_it_is_filled_in(capsys, tmp_path):
    path = tmp_path / "sheet.csv"
    run(capsys, "example-1", "-o", path)
    text = path.read_text(encoding="utf-8-sig")
    field = make_sheet("example-1", 1).fields[0]
    path.write_text(text.replace(f"{field.label},", f"{field.label},{field.true}"), encoding="utf-8-sig")
    answers = read_answers(path)
    assert answers.sheet == make_sheet("example-1", 1).code
    assert answers.texts[field.label] == str(field.true)


def test_the_key_is_another_page(capsys, tmp_path):
    code, shown, _ = run(capsys, "example-1", "--key")
    assert code == 0
    assert "what mistakes give" in shown
    assert "softmax.wrong_axis" in shown
    path = tmp_path / "key.json"
    assert run(capsys, "example-1", "--key", "-o", path)[1].endswith(".\n")
    assert json.loads(path.read_text())["title"].endswith(": key")


def test_a_run_can_be_chosen(capsys):
    assert "example-1.default-0-" in run(capsys, "example-1", "--run", "default", "--seed", 0)[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("exmple-1",), "There is no lesson or scenario 'exmple-1'"),
        (("example-1", "--blanks", "none"), "'none' is not one of the choices for blanks"),
        (("example-1", "--run", "nowhere"), "nowhere"),
        (("example-1", "--format", "docx"), "docx"),
        (("example-1", "-o", "sheet.docx"), "sheet.docx"),
        (("example-1", "--key", "-o", "sheet.xlsx"), "sheet.xlsx"),
        (("example-1", "--digits", "99"), "'--digits'"),
        (("example-1", "--seed", "-1"), "'--seed'"),
    ],
)
def test_what_cannot_be_is_said(capsys, words, said):
    code, shown, complaint = run(capsys, *words)
    assert (code, shown) == (2, "")
    assert said in complaint
    assert "Traceback" not in complaint
