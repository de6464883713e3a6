"""`workings grade`: the feedback in every format, and what is said about wrong files."""

import json
import shlex
from pathlib import Path

import pytest

from workings.cli.main import main
from workings.practice.sheet import make_sheet

SAMPLES = Path(__file__).parents[1] / "practice" / "worksheets" / "samples"
SHEET, ANSWERS = SAMPLES / "example-3.json", SAMPLES / "answers.json"
CODE = json.loads(SHEET.read_text(encoding="utf-8"))["code"]


def run(capsys, *words):
    code = main(["grade", *map(str, words)])
    return code, *capsys.readouterr()


def test_the_first_wrong_step_comes_first_with_the_mistake_and_the_right_calculation(capsys):
    code, shown, said = run(capsys, SHEET, ANSWERS)
    assert (code, said) == (0, "")
    assert "13.5 of 16 points: 12 right, 1 following from your own numbers, 2 wrong, 1" in shown
    places = [
        shown.index(text)
        for text in (
            "The first wrong step is scaled.",
            "You did not divide: attention scores are scaled by 1/√d.",
            "scaled[0][0] = scores[0][0] / root = 0.138 / 1.4142 = 0.09758",
            "Also not right",
            "Step by step",
        )
    ]
    assert places == sorted(places)
    assert "workings quiz example-3 --mistake" in shown


def test_it_can_be_graded_by_the_code_on_the_paper(capsys, tmp_path):
    sheet = make_sheet("example-1", 3, "few", digits=5)
    (tmp_path / "sheet.json").write_text(sheet.to_json(), encoding="utf-8")
    answers = tmp_path / "answers.json"
    answers.write_text(json.dumps({"answers": {"loss": "0.123"}}))
    by_code = run(capsys, sheet.code, answers)
    assert by_code[0] == 0
    assert by_code == run(capsys, tmp_path / "sheet.json", answers)


def test_json_holds_one_verdict_for_each_answer(capsys):
    code, shown, _ = run(capsys, SHEET, ANSWERS, "--format", "json")
    assert code == 0
    data = json.loads(shown)
    assert data["first_wrong"] == "block1.attention.scaled"
    assert [entry["label"] for entry in data["entries"]] == list(json.loads(ANSWERS.read_text())["answers"])


@pytest.mark.parametrize(("ending", "text"), [("md", "> not divided: You"), ("html", 'class="note mistake"')])
def test_it_can_be_written(capsys, tmp_path, ending, text):
    path = tmp_path / f"feedback.{ending}"
    assert run(capsys, SHEET, ANSWERS, "-o", path) == (0, f"{path} is written.\n", "")
    assert text in path.read_text(encoding="utf-8")


def test_all_right_says_so(capsys, tmp_path):
    sheet = json.loads(SHEET.read_text(encoding="utf-8"))
    answers = {field["label"]: f"{field['true']:.6g}" for field in sheet["fields"]}
    path = tmp_path / "right.json"
    path.write_text(json.dumps({"sheet": CODE, "answers": answers}))
    shown = run(capsys, SHEET, path)[1]
    assert "16 of 16 points: 16 right." in shown
    assert "Everything that you answered is right." in shown
    assert "What went wrong" not in shown


def test_words_in_a_cell_lose_no_other_answer(capsys, tmp_path):
    answers = {**json.loads(ANSWERS.read_text())["answers"], "loss": "about one"}
    path = tmp_path / "words.json"
    path.write_text(json.dumps({"answers": answers}))
    shown = run(capsys, SHEET, path)[1]
    assert "12.5 of 16 points: 11 right" in shown
    assert "loss (line 1): " in shown


@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        (
            "a.json",
            '{"answers": {\n"X[0][0]": 1,\n"loss": "about one"}}',
            "loss (line 3): 'about one' is not a number.",
        ),
        ("a.csv", "entry,answer\nweights,1 two\n", "weights[0][0] (line 2): '1 two' is not a matrix of numbers"),
        ("a.md", "| entry | answer |\n|--|--|\n| loss | one |\n", "loss (line 3): 'one' is not a number."),
    ],
)
def test_what_cannot_be_read_is_shown_with_its_place(capsys, tmp_path, name, content, place):
    path = tmp_path / name
    path.write_text(content)
    assert place in " ".join(run(capsys, SHEET, path)[1].split())


@pytest.mark.parametrize(
    ("sheet", "content", "said"),
    [
        ("nowhere.json", '{"answers": {"loss": "1"}}', "There is no sheet 'nowhere.json'"),
        (
            SHEET,
            '{"sheet": "example-1.twin-5-1f4-d8b6", "answers": {"loss": "1"}}',
            "for the sheet example-1",
        ),
        (SHEET, '{"answers": {"nothing[0]": "1"}}', "it has no blank named 'nothing[0]'"),
        (SHEET, "{", "answers.json"),
        (SHEET, '{"answers": {}}', "answers.json"),
        (ANSWERS, '{"answers": {"loss": "1"}}', "answers.json is a file of answers, not a sheet."),
        (SAMPLES / "answers.csv", '{"answers": {"loss": "1"}}', "answers.csv is a file of answers, not a sheet."),
    ],
)
def test_what_cannot_be_graded_is_said(capsys, tmp_path, sheet, content, said):
    path = tmp_path / "answers.json"
    path.write_text(content)
    code, shown, complaint = run(capsys, sheet, path)
    assert (code, shown) == (2, "")
    assert said in complaint
    assert "try:" in complaint
    assert "Traceback" not in complaint


def test_a_file_that_is_not_there_is_named(capsys, tmp_path):
    code, _, complaint = run(capsys, SHEET, tmp_path / "missing.csv")
    assert code == 2
    assert "missing.csv" in complaint


SCENARIO = """scenario: 1
given: {x: {axes: key, value: "2 1 0.5"}}
calculate: [weights = softmax(x)]
"""


def test_a_file_may_be_called_anything(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("my own. example.yaml").write_text(SCENARIO)
    assert main(["worksheet", "my own. example.yaml", "--blanks", "all", "-o", "sheet.json"]) == 0
    assert main(["worksheet", "my own. example.yaml", "--blanks", "all", "-o", "sheet.md"]) == 0
    capsys.readouterr()
    true = json.loads(Path("sheet.json").read_text(encoding="utf-8"))["fields"][0]["true"]
    text = Path("sheet.md").read_text(encoding="utf-8")
    Path("sheet.md").write_text(text.replace("| `weights[0]` |  |", f"| `weights[0]` | {true:.4g} |"), encoding="utf-8")
    assert "1 of 3 points: 1 right, 2 blank." in run(capsys, "sheet.json", "sheet.md")[1]


def test_a_page_is_graded_by_the_code_that_is_printed_on_it(capsys, tmp_path):
    assert main(["worksheet", "example-1", "--seed", "7", "-o", str(tmp_path / "sheet.md")]) == 0
    (tmp_path / "a.csv").write_text("entry,answer\nloss,1\n")
    capsys.readouterr()
    code, shown, _ = run(capsys, tmp_path / "sheet.md", tmp_path / "a.csv")
    assert code == 0
    assert make_sheet("example-1", 7).code in shown
    assert run(capsys, make_sheet("example-1", 7).code.upper(), tmp_path / "a.csv")[1] == shown


def test_a_scenario_is_graded_to_the_digits_that_are_asked_for(capsys, tmp_path):
    (tmp_path / "mine.yaml").write_text(SCENARIO)
    (tmp_path / "a.csv").write_text("entry,answer\nweights[0],0.63\nweights[1],0.23\nweights[2],0.14\n")
    words = (tmp_path / "mine.yaml", tmp_path / "a.csv")
    assert "3 of 3 points: 3 right." in run(capsys, *words, "--digits", 2)[1]
    entries = json.loads(run(capsys, *words, "--digits", 2, "--format", "json")[1])["entries"]
    assert {entry["verdict"] for entry in entries} == {"right"}
    entries = json.loads(run(capsys, *words, "--format", "json")[1])["entries"]
    assert {entry["verdict"] for entry in entries} == {"right to the digits given", "too few digits"}
    assert "with too few digits" in run(capsys, *words)[1]


def test_the_code_of_ones_own_file_is_graded_from_the_folder_above(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("sub").mkdir()
    Path("sub/my two.v1.yaml").write_text(SCENARIO)
    assert main(["worksheet", "sub/my two.v1.yaml", "--seed", "3", "--digits", "3", "-o", "t.md"]) == 0
    said = capsys.readouterr().out
    code = make_sheet("sub/my two.v1.yaml", 3, digits=3).code
    keeping = "workings worksheet 'sub/my two.v1.yaml' --seed 3 --digits 3 -o sheet.json"
    assert said.endswith(
        f"sheet {code}. To grade answers to it, save all of it as well: {keeping}, and then: "
        "workings grade sheet.json ANSWERS\n"
    )
    assert keeping in Path("t.md").read_text(encoding="utf-8")
    Path("a.csv").write_text("entry,answer\nweights[0],1\n")
    by_code = run(capsys, code, "a.csv")
    assert by_code[0] == 0
    assert main(shlex.split(keeping)[1:]) == 0
    capsys.readouterr()
    assert run(capsys, "sheet.json", "a.csv") == by_code


def test_a_matrix_and_an_entry_that_contradict_each_other_are_shown(capsys, tmp_path):
    (tmp_path / "mine.yaml").write_text(SCENARIO)
    (tmp_path / "a.csv").write_text("entry,answer\nweights[0],0.63\nweights[1],0.5\nweights,0.63 0.23 0.14\n")
    shown = " ".join(run(capsys, tmp_path / "mine.yaml", tmp_path / "a.csv", "--digits", 2)[1].split())
    assert "2 of 3 points: 2 right, 1 wrong." in shown
    assert "weights[1] (line 3): It is answered twice, by itself as 0.5 and in the whole matrix as 0.23." in shown


def test_formulas_without_their_values_are_said_once(capsys, tmp_path):
    (tmp_path / "mine.yaml").write_text(SCENARIO)
    (tmp_path / "a.csv").write_text("entry,answer\nweights[0],=A1*2\nweights[1],=B2/2\nweights[2],0.14\n")
    shown = " ".join(run(capsys, tmp_path / "mine.yaml", tmp_path / "a.csv", "--digits", 2)[1].split())
    assert "weights[0] (line 2), weights[1] (line 3): This cell contains a formula whose value is not stored" in shown
    assert shown.count("This cell contains a formula") == 1
