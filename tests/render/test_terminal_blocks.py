"""Each kind of block in a terminal, to the letter."""

import re

import pytest
from small_figures import small_bars
from streams import block_text, shown

import workings as w
from workings.document.blocks import (
    AnswerField,
    Answers,
    Derivation,
    DerivedLine,
    Document,
    Figure,
    Fold,
    Formula,
    Heading,
    Items,
    Ledger,
    LedgerRow,
    Link,
    Matrix,
    MatrixSlice,
    Note,
    Number,
    Program,
    Question,
    Reference,
    Table,
    Term,
    Terms,
    Text,
    Words,
)
from workings.explain.step_blocks import matrix_of
from workings.explain.step_formula import math_of

NUMBER = re.compile(r"\d+\.\d+")


def number(text, *index):
    return Number(text, float(text), "1", index)


def matrix(rows, axes=("query", "key"), **more):
    numbers = tuple(tuple(number(text, r, c) for c, text in enumerate(row)) for r, row in enumerate(rows))
    return Matrix("M", "1", axes, (len(rows), len(rows[0])), (MatrixSlice((), numbers, **more),))


def test_headings_are_underlined_by_level():
    assert block_text(Heading(2, "Vor")) == "Vor\n───\n"
    assert block_text(Heading(3, "Vor")) == "Vor\n┄┄┄\n"
    assert block_text(Heading(2, "Vor"), encoding="ascii") == "Vor\n---\n"
    assert shown(Document("Titel", ())) == "Titel\n═════\n"


def test_decimal_points_of_a_column_line_up():
    assert block_text(matrix([["1.0", "-12.25"], ["-0.125", "3.5"]])) == (
        "M  query 2 × key 2\n  [  1.0    -12.25 ]\n  [ -0.125    3.5  ]\n"
    )


def test_decimal_commas_of_a_column_line_up():
    comma = MatrixSlice((), ((Number("0,5", 0.5, "1", (0,)), Number("1", 1, "1", (1,))),))
    assert block_text(Matrix("M", "1", ("key",), (2,), (comma,))) == "M  key 2\n  [ 0,5  1 ]\n"


def test_rows_and_columns_can_have_labels():
    labeled = matrix([["1.0", "0.25"], ["0.5", "2.0"]], row_labels=("A", "the"), column_labels=("A", "cat sat"))
    assert block_text(labeled) == (
        "M  query 2 × key 2\n          A  cat sat\n  A   [ 1.0     0.25 ]\n  the [ 0.5     2.0  ]\n"
    )


def test_a_wide_matrix_is_cut_into_columns_that_fit_and_says_which():
    rows = [[f"{r}.{c:02}5" for c in range(12)] for r in range(2)]
    text = block_text(matrix(rows), width=40)
    lines = text.splitlines()
    assert [line for line in lines if ".." in line] == ["  key 0..4", "  key 5..9", "  key 10..11"]
    assert lines[2] == "  [ 0.005  0.015  0.025  0.035  0.045 ]"
    assert sorted(NUMBER.findall(" ".join(line for line in lines if "[" in line))) == sorted(rows[0] + rows[1])
    nameless = block_text(matrix(rows, ("", "")), width=40)
    assert "  [:,0..4]" in nameless.splitlines()


@pytest.mark.parametrize("width", range(24, 60))
def test_a_matrix_fits_at_every_width_and_is_whole(width):
    rows = [[f"{r}.{c:02}5" for c in range(9)] for r in range(2)]
    for block in (matrix(rows), matrix(rows, row_labels=("one", "two"))):
        lines = block_text(block, width).splitlines()
        assert max(len(line) for line in lines) <= width
        numbers = [line for line in lines if "[" in line]
        assert all(line.endswith(" ]") for line in numbers)
        assert sorted(NUMBER.findall(" ".join(numbers))) == sorted(rows[0] + rows[1])


def test_labels_of_columns_move_with_their_columns():
    rows = [[f"0.{c:03}" for c in range(12)]]
    text = block_text(matrix(rows, column_labels=tuple(f"c{n}" for n in range(12))), width=40)
    assert text.splitlines()[1:4] == [
        "  key 0..4",
        "       c0     c1     c2     c3     c4",
        "  [ 0.000  0.001  0.002  0.003  0.004 ]",
    ]


def test_each_matrix_of_a_tensor_follows_its_index():
    with w.Trace() as trace:
        w.ops.neg(w.given([[[1.0, 2.5]], [[3.0, 4.5]]], "head query key", name="x"), name="y")
        w.ops.neg(w.given([[[1.0, 2.5]], [[3.0, 4.5]]], name="u"), name="v")
    words = block_text(matrix_of(trace.recording, trace["x"].step))
    assert words == "x  head 2 × query 1 × key 2\n  head[0]\n  [ 1.0  2.5 ]\n  head[1]\n  [ 3.0  4.5 ]\n"
    nameless = block_text(matrix_of(trace.recording, trace["u"].step))
    assert nameless == "u  2 × 1 × 2\n  [0,:,:]\n  [ 1.0  2.5 ]\n  [1,:,:]\n  [ 3.0  4.5 ]\n"


def test_a_single_number_has_no_brackets():
    scalar = Matrix("loss", "1", (), (), (MatrixSlice((), ((number("0.5"),),)),))
    assert block_text(scalar) == "loss\n  0.5\n"


def test_a_long_line_goes_on_under_its_equals_sign():
    forms = ((Words("Q[1] · K[0]"),), (Words(" + ".join(["0.3100×0.3800"] * 6)),))
    line = DerivedLine((Words("scores[1][0]"),), forms, number("0.7068"))
    assert block_text(Derivation("1", (1, 0), (line,))) == (
        "  scores[1][0] = Q[1] · K[0]\n"
        "               = 0.3100×0.3800 + 0.3100×0.3800 + 0.3100×0.3800 + 0.3100×0.3800\n"
        "                 + 0.3100×0.3800 + 0.3100×0.3800\n"
        "               = 0.7068\n"
    )


def test_a_long_name_gets_a_line_of_its_own():
    line = DerivedLine((Words("block1.attention.weights[12][34]"),), ((Words("a + b"),),), number("0.5"))
    assert block_text(Derivation("1", (), (line,)), width=40) == (
        "  block1.attention.weights[12][34]\n     = a + b\n     = 0.5\n"
    )


def test_a_long_maximum_breaks_after_a_comma():
    listed = ", ".join(f"0.{n}234" for n in range(1, 9))
    line = DerivedLine((Words("max"),), ((Words(f"max({listed})"),),), number("0.8234"))
    text = block_text(Derivation("1", (), (line,)), width=40)
    assert [row.rstrip()[-1] for row in text.splitlines()] == [",", ",", ")", "4"]


def test_a_formula_and_its_reason_are_indented():
    block = Formula(math_of(r"y = \frac{a}{b}"), "one entry")
    assert block_text(block) == "    y = a / b\n        one entry\n"


def test_the_ledger_puts_a_note_under_the_shape():
    row = LedgerRow("1", "y", "add", ("token", "model"), (2, 3), "b is broadcast along token, 2 times")
    scalar = LedgerRow("2", "loss", "cross_entropy", (), ())
    text = block_text(Ledger(("step", "op", "shape"), (row, scalar)))
    assert text.splitlines() == [
        "  step    op               shape",
        "  y       add              token 2 × model 3",
        "                           b is broadcast along token, 2 times",
        "  loss    cross_entropy    1",
    ]


def test_a_narrow_ledger_breaks_no_word():
    row = LedgerRow("1", "scaled", "divide_by_root", ("batch", "query", "key"), (2, 3, 4))
    text = block_text(Ledger(("step", "op", "shape"), (row,)), width=40)
    assert text.splitlines() == [
        "  step  op",
        "      shape",
        "  scaled  divide_by_root",
        "      batch 2 × query 3 × key 4",
    ]


def test_a_table_wraps_its_last_column_and_stacks_when_there_is_no_room():
    rows = (((Link("softmax", ""),), (Words("Turns a row of scores into shares."),)),)
    table = Table(("op", "what it does"), rows)
    assert block_text(table, 45).splitlines()[-1].strip() == "shares."
    assert block_text(table, 30).splitlines() == [
        "  op",
        "      what it does",
        "  softmax",
        "      Turns a row of scores",
        "      into shares.",
    ]


def test_notes_hang_behind_their_dash():
    note = Note("mistake", (Words("word " * 20),), "x.y")
    assert [line[:4] for line in block_text(note, 40).splitlines()] == ["  - ", "    ", "    "]


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.parametrize(
    ("block", "text"),
    [
        (Text((Words("Given "), Link("X", "1"))), "Given X"),
        (Figure("bars", "Weights", small_bars("cat"), "in words", "the cat alone"), "0.75\n  the cat alone"),
        (Table(("a", "b"), (((Words("1"),), (Words("2"),)),)), "1    2"),
        (Question((Words("How much?"),), (Text((Words("This much."),)),)), "How much?\n\n  This much."),
        (Items(((Text((Words("one"),)),), (Text((Words("two"),)),)), counted=True), "  1. one\n  2. two"),
        (Fold("More", (Text((Words("inside"),)),)), "More\n\ninside"),
        (Answers((AnswerField("1", (0, 1), "s[0][1]", 4),), ("a", "b", "c")), "  s[0][1] = ____________"),
        (Note("warning", (Words("Careful."),)), "  - Careful."),
        (Note("hint", (Words("Look."),)), "  - Look."),
        (Program("python", "def f(x):\n    return x"), "    def f(x):\n        return x"),
        (Terms((Term("mask", (Reference("Rows"), Reference("Columns"))),)), "mask: Rows, Columns"),
    ],
    ids=lambda value: getattr(value, "kind", ""),
)
def test_every_kind_of_block_has_a_form(block, text, encoding):
    assert text in block_text(block, encoding=encoding)


def test_the_answer_to_a_question_keeps_within_the_page():
    wide = matrix([[f"0.{c:03}" for c in range(12)]])
    text = block_text(Question((Words("What comes out?"),), (wide, Formula(math_of("y = x")))), width=40)
    numbers = [line for line in text.splitlines() if "[" in line]
    assert max(len(line) for line in text.splitlines()) <= 40
    assert all(line.endswith(" ]") for line in numbers)
    assert len(NUMBER.findall(" ".join(numbers))) == 12


def test_a_program_and_a_figure_can_be_printed_anywhere():
    assert block_text(Program("python", "x = '√2 ×'"), encoding="ascii") == "    x = 'sqrt2 *'\n"
    expected = "alpha\n  beta |#############################           0.75\n  Gro?e * 2\n"
    assert block_text(Figure("bars", "α", small_bars("β"), "in words", "Größe × 2"), encoding="ascii") == expected


LONG_LINE = "total = " + " + ".join(f"number_{n}" for n in range(20))


@pytest.mark.parametrize(
    "around",
    [
        lambda program: program,
        lambda program: Items(((program,),)),
        lambda program: Fold("More", (program,)),
        lambda program: Question((Words("What?"),), (Items(((Text((Words("So:"),)), program),)),)),
    ],
)
def test_no_line_of_a_program_is_wrapped_or_cut(around):
    text = block_text(around(Program("python", f"if x:\n\t{LONG_LINE}\n")), width=40)
    first, second = (line for line in text.splitlines() if "if x" in line or "total" in line)
    assert second.strip() == LONG_LINE
    assert second.index("total") - first.index("if") == 4


def test_label_of_an_answer_has_a_line_of_its_own():
    question = Question((Words("How much?"),), (Text((Words("This much."),)),), "Think", "Answer")
    assert block_text(question) == "Think\nHow much?\n\nAnswer\n\n  This much.\n"


def test_an_unknown_kind_is_an_error_and_not_an_empty_line():
    class Poem:
        kind = "poem"

    with pytest.raises(KeyError):
        shown(Document("t", (Poem(),)))


# -- lists in lists -----------------------------------------------------------------------------------


def nested(levels, block):
    for level in range(levels, 0, -1):
        block = Items(((Text((Words(f"level {level}"),)), block),))
    return block


def test_nested_list_is_indented():
    text = block_text(nested(2, Text((Words("inside"),))))
    assert text == "  - level 1\n\n      - level 2\n\n        inside\n"


@pytest.mark.parametrize("width", [30, 80])
def test_no_text_of_a_deep_list_is_lost(width):
    block = nested(150, Formula(math_of(" + ".join(["x"] * 40))))
    lines = block_text(block, width).splitlines()
    assert [line.strip() for line in lines if "level" in line] == [f"- level {n}" for n in range(1, 151)]
    assert sum(line.count("x") for line in lines) == 40
    assert max(map(len, lines)) <= width
