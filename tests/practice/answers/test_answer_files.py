"""Files of answers: JSON, CSV and filled worksheets."""

import json
import os
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workings.engine.errors import InputError, WorkingsError
from workings.practice.answers.file import KINDS, read_answers
from workings.practice.answers.matrix import read_matrix
from workings.practice.answers.number import read_number

SETTINGS = settings(deadline=None, derandomize=True, database=None)

WORKSHEET = """# Example 1

`sheet example-1.twin-7-1s4-a0f2`

| token | number |
|---|---|
| cat | 3 |

| entry | formula | answer |
|:--|--|--:|
| `scores[1][0]` | $q \\cdot k$ | 0.0071 |
| scores [1, 1] | | ____0,5____ |
| dW\\_Q[0][1] | | \\_\\_\\_\\_ |
| **loss** | | $\\frac{1}{4}$ |
| most likely of P | | `cat` |

weights =

```
0.5 0.5
0.25 0.75
```

Not an answer, but an example:
```
| loss | 17 |
```
"""


@pytest.fixture
def written(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def refused(written):
    def refuse(name, content):
        with pytest.raises(InputError) as error:
            read_answers(written(name, content))
        said = str(error.value)
        assert f"\n  where: {name}" in said
        assert "\n  try:   " in said
        return said

    return refuse


# -- JSON --------------------------------------------------------------------------------------


def test_answers_in_json_keep_their_digits_and_their_blanks(written):
    text = """{"sheet": "example-1.twin-7-1s4-a0f2", "answers": {
      "scores[1, 0]": 0.0070, "loss": "1/4", "P[0]": null, "P[1]": "", "big": 123456789012345678901234567890,
      "weights": [["0,5", 0.50], [null, -1e-3]],
      "empty": -Infinity, "masked": true}}"""
    answers = read_answers(written("a.json", text))
    assert answers.sheet == "example-1.twin-7-1s4-a0f2"
    assert dict(answers.texts) == {
        "scores[1][0]": "0.0070",
        "loss": "1/4",
        "P[0]": "",
        "P[1]": "",
        "big": "123456789012345678901234567890",
        "weights": "[[0.5, 0.50], [_, -1e-3]]",
        "empty": "-Infinity",
        "masked": "true",
    }
    assert answers.places["loss"] == "line 2"
    assert answers.places["weights"] == "line 3"
    assert read_number(answers.texts["scores[1][0]"]).digits == 2
    assert read_matrix(answers.texts["weights"]).array[0].tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"answers": {"loss": 1}', "The file is not JSON: "),
        ("[" * 200_000, "are nested too deeply."),
        ('{"answers": {"a":' + "[" * 200_000, "are nested too deeply."),
        ("[1, 2]", "The file has no object named answers."),
        ('{"loss": 1}', "The file has no object named answers."),
        ('{"answers": [1]}', "The file has no object named answers."),
        ('{"answers": {"loss": {"value": 1}}}', "The answer for loss is not a number, a text or a list."),
        ('{"answers": {"1": 2}}', "'1' is not the name of an entry."),
        ('{"answers": {}}', "The file contains no answers"),
        ('{"answers": {"a": null, "b": "__"}}', "the file has only blank entries (2)"),
        ('{"answers": {"P[0]": 1, "loss": 3,\n"P [0]": 2}}', "There are two answers for P[0]: 1 (line 1) and 2."),
        ('{"sheet": "a", "sheet": "b", "answers": {"P": 1}}', "The file names two sheets: a and b."),
    ],
)
def test_what_is_wrong_in_json_is_said(refused, text, said):
    assert said in refused("a.json", text)


def test_a_huge_number_in_json_is_refused_where_it_is_read(written):
    answers = read_answers(written("a.json", '{"answers": {"loss": %s, "P": 1e999999999}}' % ("9" * 100_000)))
    for text in answers.texts.values():
        with pytest.raises(InputError):
            read_number(text)


# -- CSV ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "sheet,demo-1\nentry,answer\nscores[1][0],0.5\nloss,\n",
        "sheet;demo-1\nEntry;Answer\nscores[1, 0];0,5\nloss;\n",
        "sheet\tdemo-1\nentry\tanswer\nscores [1] [0]\t0,5\nloss\t____\n",
        'sheet,demo-1\r\n"entry","answer"\r\n"scores[1,0]","0,5"\r\n\r\n"loss",""\r\n',
        "sheet,demo-1\nanswer,points,entry\n0.5,2,scores[1][0]\n,1,loss\n",
        "sheet,demo-1\nentry,answer\nscores[1,0],0,5\nloss\n",  # a comma too many, in the entry and in the answer
        "sheet,demo-1\nentry,answer\nscores[1][0],0.5\nloss,-\nscores[1][0],0.5\nscores[1][0],\n",
    ],
)
def test_a_table_has_its_columns_by_name(written, text):
    answers = read_answers(written("a.csv", text))
    assert answers.sheet == "demo-1"
    assert list(answers.texts) == ["scores[1][0]", "loss"]
    assert read_number(answers.texts["scores[1][0]"]).value == 0.5
    assert answers.texts["loss"] == ""


def test_a_matrix_may_stand_in_one_cell(written):
    answers = read_answers(written("a.csv", 'entry,answer\nweights,"1 2\n3 4"\nloss,two\nP,[1, 2; 3, 4]\n'))
    assert read_matrix(answers.texts["weights"]).shape == (2, 2)
    assert read_matrix(answers.texts["P"], (2, 2)).array.tolist() == [[1, 2], [3, 4]]
    assert (answers.texts["loss"], answers.places["loss"]) == ("two", "line 4")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("loss,0.5\n", "no columns named entry and answer"),
        ("", "no columns named entry and answer"),
        ("entry,answer\n", "The file contains no answers"),
        ("entry,answer\nloss,\n", "the file has only blank entries (1)"),
        ("entry,answer\n0.5,loss\n", "'0.5' is not the name of an entry.\n  where: a.csv, line 2"),
        ("entry,answer\nloss,1\nloss,2\n", "two answers for loss: 1 (line 2) and 2.\n  where: a.csv, line 3"),
        ('entry,answer\nloss,"' + "1" * 200_000, "The table cannot be read: field larger than"),
    ],
)
def test_what_is_wrong_in_a_table_is_said(refused, text, said):
    assert said in refused("a.csv", text)


# -- Markdown ----------------------------------------------------------------------------------


def test_a_filled_worksheet_is_read_where_answers_stand(written):
    answers = read_answers(written("a.md", WORKSHEET))
    assert answers.sheet == "example-1.twin-7-1s4-a0f2"
    assert dict(answers.texts) == {
        "scores[1][0]": "0.0071",
        "scores[1][1]": "0,5",
        "dW_Q[0][1]": "",
        "loss": r"\frac{1}{4}",
        "most likely of P": "cat",
        "weights": "0.5 0.5\n0.25 0.75",
    }
    assert answers.places["loss"] == "line 14"
    assert answers.places["weights"] == "line 17"


def test_a_worksheet_without_headings_is_read_as_well(written):
    answers = read_answers(written("a.markdown", "| loss | 0.25 |\n| 17 | 3 |\n| P | [1<br>2] |\n"))
    assert dict(answers.texts) == {"loss": "0.25", "P": "[1\n2]"}


def test_only_the_block_right_below_a_label_belongs_to_it(written):
    text = "| entry | answer |\n|--|--|\n| loss | 1 |\n\nweights =\nsomething else\n```\n1 2\n```\nP =\n~~~\n3\n"
    assert dict(read_answers(written("a.md", text)).texts) == {"loss": "1", "P": "3"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Just words.\n", "The file contains no answers"),
        ("| entry | answer |\n|--|--|\n| loss | ____ |\n", "the file has only blank entries (1)"),
        ("`sheet a` and `sheet b`\n| loss | 1 |", "The file names two sheets: a and b."),
        ("| loss | 1 |\nloss =\n```\n2\n```\n", "two answers for loss: 2 (line 2) and 1.\n  where: a.md, line 1"),
    ],
)
def test_what_is_wrong_in_a_worksheet_is_said(refused, text, said):
    assert said in refused("a.md", text)


# -- files -------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
def test_a_text_may_be_saved_in_any_common_encoding(written, encoding):
    answers = read_answers(written("a.csv", "entry;answer\nloss;0,5\nP;café\n".encode(encoding)))
    assert dict(answers.texts) == {"loss": "0,5", "P": "café"}


@pytest.mark.parametrize("name", ["a.csv", "a.json", "a.md", "a.tsv"])
@pytest.mark.parametrize("content", [bytes(range(256)) * 4, b"\x89PNG\r\n\x1a\n\0\0", b"\xff\xfe\0", b"a\0b"])
def test_what_is_no_text_is_refused(refused, name, content):
    assert "The file is not text." in refused(name, content)


@pytest.mark.parametrize("name", ["a.csv", "a.json", "a.md", "a.xlsx", "a.zip", "a"])
def test_a_huge_file_is_refused_by_its_size(tmp_path, name):
    path = tmp_path / name
    with path.open("wb") as file:
        file.truncate(100_000_000)
    start = time.perf_counter()
    with pytest.raises(InputError, match=r"is too large: it has 100\.0 MB, and the limit is 5\.0 MB"):
        read_answers(path)
    assert time.perf_counter() - start < 0.05


def test_a_file_that_is_not_there_says_where_it_was_looked_for(tmp_path):
    with pytest.raises(InputError) as missing:
        read_answers(tmp_path / "mine.csv")
    assert f"There is no file {tmp_path / 'mine.csv'}." in str(missing.value)
    assert "We looked in the folder" in str(missing.value)


def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="is a folder"):
        read_answers(tmp_path)
    with pytest.raises(InputError, match="is a pipe or a device"):
        read_answers(Path(os.devnull))
    with pytest.raises(InputError, match=r"There is no file|cannot be read"):
        read_answers(Path("a\0.csv"))


def test_an_unknown_ending_is_refused_with_the_known_ones(written):
    with pytest.raises(InputError) as unknown:
        read_answers(written("a.docx", "x"))
    assert "Answers cannot be read from a file such as a.docx." in str(unknown.value)
    assert ".json, .csv, .tsv, .md, .markdown, .xlsx" in str(unknown.value)
    assert read_answers(written("A.JSON", '{"answers": {"loss": 1}}')).texts["loss"] == "1"


def test_one_cell_with_words_does_not_lose_the_others(written):
    answers = read_answers(written("a.csv", "entry,answer\nloss,I do not know\nP,0.5\n"))
    assert read_number(answers.texts["P"]).value == 0.5
    with pytest.raises(InputError, match="'I do not know' is not a number"):
        read_number(answers.texts["loss"])


def test_half_a_sign_can_be_printed(written):
    assert read_answers(written("a.json", '{"answers": {"loss": "x\\ud800"}}')).texts["loss"] == "x?"


LABELS = st.from_regex(r"\A[a-zA-Zα]{1,5}(\[[0-9]\]){0,2}\Z")


@SETTINGS
@given(st.dictionaries(LABELS, st.floats(allow_nan=False).map(repr), min_size=1))
def test_the_same_answers_come_back_from_every_kind_of_text(answers):
    texts = {
        "a.json": json.dumps({"sheet": "s", "answers": answers}),
        "a.csv": "sheet,s\nentry,answer\n" + "".join(f"{label},{text}\n" for label, text in answers.items()),
        "a.md": "`sheet s`\n\n| entry | answer |\n|---|---|\n"
        + "".join(f"| {k} | {v} |\n" for k, v in answers.items()),
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            path = Path(folder) / name
            path.write_text(text, encoding="utf-8")
            found = read_answers(path)
            assert (found.sheet, dict(found.texts)) == ("s", answers), name
            assert set(found.places) == set(answers)


@pytest.mark.parametrize("ending", KINDS)
@SETTINGS
@given(content=st.one_of(st.binary(), st.text(alphabet='entry,answ|-`\n\t;{}[]":1 sheet=').map(str.encode)))
def test_no_content_does_more_harm_than_a_refusal(ending, content):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a{ending}"
        path.write_bytes(content)
        with suppress(WorkingsError):
            assert any(read_answers(path).texts.values())
