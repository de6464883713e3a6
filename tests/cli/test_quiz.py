"""`workings quiz` as its users meet it: in a terminal, and with answers from a pipe."""

import io
import os
import subprocess
import sys

import pytest
from on_terminal import WORKINGS, seen

from workings.cli import quiz as command
from workings.cli.main import main
from workings.engine.rounding import round_float
from workings.practice.sheet import make_sheet


@pytest.fixture(scope="module")
def fields():
    return make_sheet("token-i", 1, "few").by_label


@pytest.fixture
def quizzed(monkeypatch, capsys):
    """Answer the command, line by line: its exit code, what it prints, and what it complains of."""

    def go(*lines, words=("token-i",)):
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        code = main(["quiz", *words])
        said = capsys.readouterr()
        return code, said.out, said.err

    return go


def true(fields, label):
    return repr(round_float(fields[label].true, 4, "significant"))


def test_a_pipe_is_answered_line_by_line_and_its_end_is_the_end(quizzed, fields):
    code, out, err = quizzed(true(fields, "Q[0][0]"), true(fields, "scaled[0][0]"))
    assert (code, err) == (0, "")
    assert f"Q[0][0] = {true(fields, 'Q[0][0]')}: right." in out
    assert "3 of 10: weights" in out
    assert "You stopped after 2 of 10 steps." in out
    assert "2 of 2 points." in out


def test_all_right(quizzed, fields):
    code, out, _ = quizzed(*(true(fields, label) for label in fields))
    assert code == 0
    assert f"{len(fields)} of {len(fields)} points." in out
    assert "stopped" not in out


def test_no_answer_at_all(quizzed):
    code, out, err = quizzed()
    assert (code, err) == (0, "")
    assert out.endswith("Nothing was answered.\n")


@pytest.mark.parametrize("word", ["q", "Q", " quit ", "exit"])
def test_stopping(quizzed, word):
    code, out, _ = quizzed(word, "never read")
    assert code == 0
    assert "never read" not in out
    assert "You stopped after 0 of 10 steps." in out


def test_hints_the_answer_and_leaving_open(quizzed, fields):
    code, out, _ = quizzed("?", "?", true(fields, "Q[0][0]"), "=", "", "")
    assert code == 0
    assert "Hint: the formula" in out
    assert "Hint: the numbers that it reads" in out
    rows = [line.split() for line in out.splitlines() if line.startswith("  ") and "[" in line.split()[0]]
    assert rows[-4] == ["Q[0][0]", "right", "2", "0", "0.5"]
    assert rows[-3] == ["scaled[0][0]", "shown", "to", "you", "0", "0", "0"]
    assert rows[-2] == ["weights[0][0]", "skipped", "0", "0", "0"]
    assert "\n\n\n" not in out


def test_the_whole_ladder_leads_to_the_next_step(quizzed):
    _, out, _ = quizzed("?", "?", "?", "?")
    assert "2 of 10: scaled" in out


def test_a_mistake_is_named_with_its_page_and_how_to_practise_it(quizzed, fields):
    scores = repr(float(true(fields, "scaled[0][0]")) * 2)  # not divided by √4
    _, out, _ = quizzed("", scores, true(fields, "scaled[0][0]"))
    assert "not divided: You did not divide" in out
    assert "workings op divide_by_root" in out
    assert "Try again" in out
    assert " ".join(out.split()).endswith("workings quiz token-i --mistake divide_by_root.not_divided")


def test_a_run_stands_in_the_command_that_practises(quizzed, fields):
    scores = repr(float(true(fields, "scaled[0][0]")) * 2)
    _, out, _ = quizzed("", scores, words=("token-i", "--run", "twin"))
    assert " ".join(out.split()).endswith("workings quiz token-i --run twin --mistake divide_by_root.not_divided")


PRODUCT = ("matrix-core", "--blanks", "some")  # the first step has two rows and two columns


def test_what_was_answered_before_stopping_counts(quizzed):
    sheet = make_sheet("matrix-core", 1, "some")
    first, second = [field for field in sheet.fields if field.step == "C"]
    code, out, _ = quizzed(true(sheet.by_label, first.label), "q", words=PRODUCT)
    assert code == 0
    assert f"{first.label} = {true(sheet.by_label, first.label)}: right." in out
    assert f"{second.label} = q" in out
    assert "1 of 1 points." in out


@pytest.mark.parametrize(
    "pasted",
    [
        ["{a} {b}; {c} {d}"],
        ["[[{a}, {b}], [{c}, {d}]]"],
        ["[[{a}, {b}],", " [{c}, {d}]]"],
        ["{a} {b}", "{c} {d}"],
        ["{a}\t{b}", "{c}\t{d}"],
        [r"\begin{{pmatrix}} {a} & {b} \\", r"{c} & {d} \end{{pmatrix}}"],
    ],
    ids=["MATLAB", "Python", "Python, two lines", "rows", "spreadsheet", "LaTeX"],
)
def test_a_whole_matrix_may_be_pasted(quizzed, pasted):
    values = make_sheet("matrix-core", 1, "some").trace["C"].value.ravel()
    numbers = {
        name: repr(round_float(float(value), 5, "significant")) for name, value in zip("abcd", values, strict=True)
    }
    code, out, err = quizzed(*(line.format(**numbers) for line in pasted), words=PRODUCT)
    assert (code, err) == (0, "")
    assert out.count(": right.") == 2
    assert "You stopped after 1 of" in out


def test_a_matrix_that_does_not_end(quizzed):
    code, out, _ = quizzed("", "[[1, 2,", "3")
    assert code == 0
    assert "How it went" in out


def test_an_answer_cannot_move_the_cursor(quizzed):
    code, out, err = quizzed("\x1b[2J5", "\ud8005", "\u202e5")
    assert (code, err) == (0, "")
    assert not {"\x1b", "\ud800", "\u202e"} & set(out)


def test_words_are_said_to_be_no_number(quizzed):
    _, out, _ = quizzed("about five", "\x00\x07", "9" * 500)
    assert "about five" in out
    assert out.count("Try again") == 3


def test_positions_and_choices(quizzed):
    _, out, _ = quizzed("{1, 2, 3}", words=("causal-mask", "--blanks", "some"))
    assert "The positions that masked[0] cannot attend to: {1, 2, 3}" in out
    assert "hidden in masked[0], {1, 2, 3}: right." in out


def test_a_drill_ends_after_three(quizzed):
    code, out, err = quizzed("=", "=", words=("token-i", "--mistake", "softmax.wrong_axis"))
    assert (code, err) == (0, "")
    assert "weights, round 1" in out
    assert "weights, round 2" in out
    assert "Right in a row at the end: 0 of 3." in out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("exmple-1",), "There is no lesson or scenario 'exmple-1'"),
        (("token-i", "--mistake", "softmax.wrong"), "There is no mistake 'softmax.wrong'"),
        (("token-i", "--mistake", "layer_norm.wrong_n"), "It shows in example-6"),
        (("token-i", "--blanks", "most"), "'most' is not one of the choices for blanks"),
        (("token-i", "--run", "none"), "none"),
    ],
)
def test_what_cannot_be_asked(quizzed, words, complaint):
    code, out, err = quizzed(words=words)
    assert (code, out) == (2, "")
    assert complaint in err
    assert "Traceback" not in err


def test_another_seed_gives_other_numbers(quizzed):
    _, one, _ = quizzed()
    _, same, _ = quizzed(words=("token-i", "--seed", "1"))
    _, other, _ = quizzed(words=("token-i", "--seed", "2"))
    assert one == same != other


# -- other terminals -----------------------------------------------------------------------------------------


def piped(*words, answers=b"", **environment):
    return subprocess.run(
        [WORKINGS, "quiz", *words], input=answers, capture_output=True, env={**os.environ, **environment}, check=False
    )


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_consoles_without_the_signs_of_formulas(encoding):
    done = piped("token-i", answers=b"?\n?\n?\n\n?\n\xff\xfe\n\n?\n?\n", PYTHONIOENCODING=encoding)
    assert done.returncode == 0
    assert done.stderr == b""
    out = done.stdout.decode(encoding)
    assert "sqrt" in out
    assert not set("√Σ×") & set(out)


def test_ctrl_c_ends_with_the_summary():
    code, shown = seen("quiz", "token-i", keys=b"\x03", after=b"Q[0][0] = ")
    assert code == command.INTERRUPTED
    assert "You stopped after 0 of 10 steps." in shown
    assert "Traceback" not in shown


def test_ctrl_d_ends_with_the_summary():
    code, shown = seen("quiz", "token-i", keys=b"\x04", after=b"Q[0][0] = ")
    assert code == 0
    assert shown.startswith("Choosing numbers for token-i ...\n")
    assert "You stopped after 0 of 10 steps." in shown


def test_on_a_terminal_what_is_typed_is_not_shown_twice():
    code, shown = seen("quiz", "token-i", keys=b"12\nq\n", after=b"Q[0][0] = ")
    assert code == 0
    assert shown.count("Q[0][0] = 12\n") == 1


def test_without_an_input_it_is_over(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["quiz", "token-i"]) == 0
    assert "Nothing was answered." in capsys.readouterr().out
