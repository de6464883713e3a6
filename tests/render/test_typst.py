"""Documents as PDF, read again by another program: every block is there, within the page, and no text is a command."""

import pytest
from pdf_reading import elements, outside, reader_of, text_of
from small_blocks import BLOCKS, FIGURE, HOSTILE, MATRIX, hostile_blocks, number, words

from workings.document import blocks as d
from workings.explain.step_formula import math_of
from workings.render.typst import printing
from workings.render.typst.page import to_typst
from workings.render.typst.printing import TypesettingFault, to_pdf

COMMANDS = (
    '#panic("x") $ x $ *bold* _em_ `code` @label <label> // comment /* \\ "quoted" #{1} ~ -- [x] {y} = title\n- item'
)


def pdf_of(*blocks, title="t", **more):
    printed = to_pdf(d.Document(title, blocks, **more))
    assert printed.lacking == ()
    return printed.pdf


def plain(text):
    return " ".join(text.split())


def test_every_kind_of_block_is_on_the_page():
    pdf = pdf_of(*BLOCKS.values(), title="All of it")
    shown = plain(text_of(pdf))
    for text in (
        "All of it", "Forward", "one entry", "−12.25", "0.125", "query 2 × key 2", "y[0] = a[0] × b = 2.0 × 3.0 = 6.0",
        "More is left out.", "Every step is drawn.", "b is repeated", "a|b", "1. one", "two", "inside",
        "What is y?", "It is 6.", "y[0][1] =", "wrong", "A program", "pass", "softmax",
    ):  # fmt: skip
        assert text in shown, text
    assert reader_of(pdf).metadata.title == "All of it"


def test_formulas_and_figures_have_alternative_text_and_the_pdf_is_tagged():
    pdf = pdf_of(*BLOCKS.values())
    root = reader_of(pdf).trailer["/Root"]
    assert root["/Lang"] == "en"
    assert root["/MarkInfo"]["/Marked"]
    assert b"<pdfuaid:part>1</pdfuaid:part>" in root["/Metadata"].get_data()
    found = list(elements(pdf))
    said = [alternative for kind, alternative in found if kind in ("/Formula", "/Figure")]
    assert "" not in said
    assert math_of(r"x \, y").speech in said
    assert FIGURE.alternative in said
    assert "M, a matrix of 2 by 2. row 1: 1.0, -12.25; row 2: 0.125, 3.5" in said
    assert {"/H1", "/Table", "/TH", "/L", "/LI", "/P"} <= {kind for kind, _ in found}


def test_labels_are_read_with_their_rows_and_a_long_matrix_is_cut_short():
    rows = tuple(tuple(number("0.5", m, n) for n in range(4)) for m in range(12))
    long = d.Matrix("v", "7", ("query", "key"), (12, 4), (d.MatrixSlice((), rows),))
    labeled = d.Matrix(
        "w", "8", ("query", "key"), (1, 1), (d.MatrixSlice((), ((number("2.0", 0, 0),),), ("cat",), ("sat",)),)
    )
    said = [alternative for kind, alternative in elements(pdf_of(long, labeled)) if kind == "/Formula"]
    assert any(text.endswith("row 10: 0.5, 0.5, 0.5, 0.5, and so on") for text in said)
    assert "w, a matrix of 1 by 1. cat: 2.0" in said


def test_no_text_is_a_command():
    shown = plain(text_of(pdf_of(words(COMMANDS), d.Fold(COMMANDS, (words(COMMANDS, "code"),)), title=COMMANDS)))
    for text in ("#panic(", "$ x $", "*bold*", "_em_", "@label", "<label>", "// comment", "#{1}", "= title"):
        assert shown.count(text) >= 3, text
    assert "</script>" in text_of(pdf_of(*hostile_blocks(), title=HOSTILE))


def test_an_empty_heading_is_left_out_and_a_sign_that_rings_a_bell_is_replaced():
    pdf = pdf_of(d.Heading(1, " ", "x"), d.Heading(1, "Bell\x07s", "y"), words("a\x00b\x9fc\x07"))
    assert {"Bell�s", "a�b�c�"} <= set(plain(text_of(pdf)).split())
    assert [kind for kind, _ in elements(pdf)].count("/H1") == 1


def test_a_matrix_that_is_split_says_whether_it_is_too_wide_or_too_long():
    def said(columns, rows):
        shown = plain(text_of(pdf_of(wide_matrix(columns, rows))))
        return "wider than the page" in shown, "longer than the page" in shown

    assert said(2, 2) == (False, False)
    assert said(60, 2) == (True, False)
    assert said(2, 60) == (False, True)
    assert said(60, 60) == (True, True)


def test_digits_of_a_column_line_up():
    source = to_typst(d.Document("t", (MATRIX,)))
    assert '{ "−12.25"' not in source  # it has the most digits behind the point of its column, as 0.125 has
    assert '{ "1.0"; h(0.93em) }, "−12.25", "0.125", { "3.5"; h(0.465em) }' in source


def wide_matrix(columns, rows=2):
    numbers = tuple(tuple(number(f"-0.12345{n % 10}", m, n) for n in range(columns)) for m in range(rows))
    return d.Matrix("W", "7", ("model", "vocab"), (rows, columns), (d.MatrixSlice((), numbers),))


def test_tables_and_matrices_larger_than_the_page_are_split_with_a_note(tmp_path):
    long_word = "x" * 300
    cells = tuple(((number(f"1.234567{n % 10}", n)),) for n in range(30))
    wide_table = d.Table(tuple(f"head {n}" for n in range(30)), (cells,) * 3, "Wide")
    sums = (d.Words(" + ".join(f"x[{n}]" for n in range(80))),)
    blocks = (
        wide_matrix(30), wide_matrix(3, 80), wide_table,
        d.Table(("n",), tuple(((number(str(n), n),),) for n in range(120))),
        d.Derivation("7", (0,), (d.DerivedLine((d.Words("y"),), (sums, sums), number("6.0", 0)),)),
        d.Derivation("7", (0,), (d.DerivedLine((d.Words("a name that is too long"),), (sums,), number("6.0", 0)),)),
        d.Program("python", f"value = [{', '.join('1234' for _ in range(80))}]\nlong = '{long_word}'", "Long"),
        d.Formula(math_of("y = " + " + ".join(rf"\mathrm{{long{n}}}_{{ij}}" for n in range(20)))),
        d.Formula(math_of("y = " + " + ".join(rf"\frac{{a}}{{b_{{{n}}}}}" for n in range(24)))),
        d.Heading(2, "A heading that is long " * 8, "long"), d.Heading(6, "deep"),
        words("block1.attention.head2.scores_and_more.of_the.same_kind" * 3, "code"),
    )  # fmt: skip
    pdf = pdf_of(*blocks, title="A title that is long " * 12)
    shown = plain(text_of(pdf))
    assert "vocab 0..9" in shown
    assert shown.count("wider than the page") >= 2
    assert shown.count("head 0") > 1  # the first column is in each piece
    assert sum("\nn\n" in page.extract_text() for page in reader_of(pdf).pages) > 1  # and the head on each page
    assert outside(pdf, tmp_path) in ([], None)


def test_two_anchors_of_one_name_and_references_into_nothing():
    there = d.Text((d.Reference("there", anchor="same"), d.Reference("gone", anchor="nowhere"), d.Reference("x", "y")))
    pdf = pdf_of(d.Heading(2, "One", "same"), there, d.Heading(4, "Two", "same"), MATRIX, MATRIX)
    assert sum("/Annots" in page for page in reader_of(pdf).pages) == 1
    assert "gone" in text_of(pdf)


def test_a_book_has_a_title_page_contents_parts_chapters_and_an_index():
    places = (d.Reference("Scaling", anchor="example-1.goal"), d.Reference("gone", anchor="nowhere"))
    blocks = (
        d.Heading(1, "Theory", "part.theory"), words("About it."),
        d.Heading(2, "1 Example one", "example-1"), d.Heading(3, "Goal", "example-1.goal"), MATRIX,
        words("more"), d.Heading(2, "2 Example two", "example-2"),
        d.Text((d.Words("See "), d.Reference("chapter 1", anchor="example-1"), d.Words("."))), MATRIX,
        d.Heading(1, "Index", "index"), d.Terms((d.Term("softmax", places),)),
    )  # fmt: skip
    pdf = pdf_of(*blocks, title="The book", subtitle="By hand", form="book")
    pages = [plain(page.extract_text()) for page in reader_of(pdf).pages]
    assert pages[0] == "The book By hand"
    assert "Contents" in pages[1]
    assert "1 Example one" in pages[1]
    assert pages[2].startswith("Theory")
    assert pages[3].startswith("1 Example one Goal")
    assert "See chapter 1 (page 4)." in pages[4]
    assert pages[5] == "Index softmax 4"


def test_signs_without_a_font_are_reported_and_the_pdf_is_made(monkeypatch):
    import typst

    real = typst.compile

    def without_system_fonts(source, **options):
        return real(source, **{**options, "ignore_system_fonts": True})

    monkeypatch.setattr(typst, "compile", without_system_fonts)
    printed = to_pdf(d.Document("t", (words("the cat 猫 and 😀"), d.Heading(2, "犬"), MATRIX)))
    assert set(printed.lacking) == {"猫", "😀", "犬"}
    assert all(sign in printed.remark for sign in printed.lacking)
    assert "the cat □ and □" in text_of(printed.pdf)


def test_typesetting_fault_names_its_place(monkeypatch):
    monkeypatch.setattr(printing, "to_typst", lambda document: "#let x = 1\n#no-such-function()")
    with pytest.raises(TypesettingFault, match="unknown variable") as caught:
        to_pdf(d.Document("t", ()))
    assert caught.value.place == "2:1"


def test_without_the_package_that_draws_a_figure_is_set_in_letters(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "vl_convert", None)
    pdf = pdf_of(FIGURE)
    assert "It rises from 1 to 2." in [alternative for _, alternative in elements(pdf)]
    assert "Loss" in text_of(pdf)


def test_the_same_document_gives_the_same_file():
    assert pdf_of(MATRIX) == pdf_of(MATRIX)


def test_a_link_to_a_matrix_that_is_left_out_on_paper_leads_nowhere():
    hidden = d.Fold("More", (MATRIX,), summary="The same again.")
    page = d.Document("x", (d.Text((d.Link("Q", MATRIX.step),)), hidden))
    assert "step" not in to_typst(page).rpartition("#whole(")[2]
    to_pdf(page)
