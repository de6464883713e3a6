"""Documents as HTML, read again by a parser: tags are closed, numbers say what they are, no text becomes a tag."""

import re
import sys
import typing
from dataclasses import replace

import pytest
from html_reader import HtmlReader
from small_blocks import AXIS, BLOCKS, FIGURE, HOSTILE, LINE, MATRIX, PICTURE, hostile_blocks, number, words
from small_traces import SMALL_TRACES

from workings.document import blocks as d
from workings.figures.bars import Bar, BarGroup, Bars
from workings.figures.parts.grid import Grid
from workings.render.html import to_html
from workings.render.page import shell
from workings.render.page.inlined import own_ids


def read(*blocks, title="t"):
    return HtmlReader(to_html(d.Document(title, blocks)))


# -- each kind of block ------------------------------------------------------------------------


def test_every_kind_of_block_is_there_and_becomes_an_element_of_its_class():
    assert set(BLOCKS) == {kind.__dataclass_fields__["kind"].default for kind in typing.get_args(d.Block)}
    for kind, block in BLOCKS.items():
        page = read(block)
        assert page.one("main")
        assert kind == "heading" or page.all(kind=kind), kind


def test_ids_on_a_page_of_all_blocks_are_unique():
    page = read(*BLOCKS.values(), *BLOCKS.values())
    ids = [element["id"] for element in page.found if "id" in element]
    assert len(ids) == len(set(ids)) == 3


def test_a_number_carries_its_step_its_index_and_its_role():
    page = read(d.Text((number("2.0", 1, 0), d.Words(" "), d.Number("5", 5, "8", (), "mistake", "softmax.wrong_axis"))))
    first, second = page.all("span", "number")
    assert (first["data-step"], first["data-index"], first["data-role"], first["text"]) == ("7", "1,0", "entry", "2.0")
    assert (second["data-index"], second["data-role"], second["data-mistake"]) == ("", "mistake", "softmax.wrong_axis")


def test_a_matrix_is_a_table_with_its_name_and_shape():
    page = read(MATRIX)
    assert page.one("figcaption")["text"] == "M query 2 × key 2"
    assert [cell["text"] for cell in page.all("td")] == ["1.0", "-12.25", "0.125", "3.5"]
    assert [cell.get("style") for cell in page.all("td")] == ["--pad:2", None, None, "--pad:1"]  # point under point
    assert [span["data-index"] for span in page.all("span", "number")] == ["0,0", "0,1", "1,0", "1,1"]


def test_a_tensor_is_shown_matrix_by_matrix_with_its_labels():
    rows = ((number("1.0"), number("0.25")), (number("0.5"), number("2.0")))
    slices = tuple(d.MatrixSlice((n,), rows, ("A", "the"), ("A", "cat")) for n in range(2))
    page = read(d.Matrix("M", "1", ("head", "query", "key"), (2, 2, 2), slices, "The corner of it."))
    assert [place["text"] for place in page.all("p")] == ["head[0]", "head[1]"]
    assert [label["text"] for label in page.all("th", scope="row")] == ["A", "the"] * 2
    assert [label["text"] for label in page.all("th") if "thead" in label["around"]] == ["A", "cat"] * 2
    assert page.one("footer")["text"] == "The corner of it."


def test_numbers_are_centered_below_a_wide_label():
    rows = ((number("1.0"), number("0.25")), (number("0.5"), number("2.0")))
    part = d.MatrixSlice((), rows, (), ("a very long label", "B"))
    page = read(d.Matrix("M", "1", ("query", "key"), (2, 2), (part,)))
    assert [cell.get("style") for cell in page.all("td")] == ["--pad:4.45", None, "--pad:4.45", "--pad:1"]


def test_a_single_number_has_no_brackets():
    page = read(d.Matrix("L", "1", (), (), (d.MatrixSlice((), ((number("1.5"),),)),)))
    assert "data-single" in page.one("table")
    assert "data-single" not in read(MATRIX).one("table")


def test_a_hand_calculation_reads_as_a_line_and_its_result_is_emphasized():
    page = read(BLOCKS["derivation"])
    assert page.one(kind="line")["text"] == "y[0] = a[0] × b = 2.0 × 3.0 = 6.0"
    assert page.one("b")["text"] == "6.0"
    assert page.one("b")["class"] == "number"
    assert [span["data-role"] for span in page.all(kind="number")] == ["line", "line", "entry"]
    short = d.DerivedLine(LINE.left, ((number("6.0", 0),),), LINE.value)
    assert read(d.Derivation("7", (0,), (short,))).one(kind="line")["text"] == "y[0] = 6.0"


def test_a_formula_is_text_until_katex_sets_it_and_is_spoken():
    formula = BLOCKS["formula"]
    page = read(formula)
    math = page.one("span", "math")
    assert (math["text"], math["data-latex"]) == (formula.math.text, formula.math.latex)
    assert (math["aria-label"], math["role"]) == (formula.math.speech, "math")
    assert page.one("figcaption")["text"] == "one entry"


def test_names_of_steps_lead_to_their_values_where_they_are_on_the_page():
    page = read(d.Text((d.Link("M", "7"), d.Link("X", "99"))), MATRIX, BLOCKS["ledger"])
    anchor = page.one("figure", "matrix")["id"]
    codes = page.all("code", "link")
    assert [(code["text"], code["data-step"]) for code in codes] == [("M", "7"), ("X", "99"), ("M", "7"), ("L", "9")]
    assert [code["around"][-1] == "a" for code in codes] == [True, False, True, False]
    assert [link["href"] for link in page.all("a")] == [f"#{anchor}"] * 2


def test_tables_ledgers_lists_and_looks():
    page = read(BLOCKS["table"], BLOCKS["ledger"], BLOCKS["items"])
    assert page.one("caption")["text"] == "Some"
    assert [cell["text"] for cell in page.all("td")] == [
        "1.5",
        "a|b",
        "M",
        "add",
        "4 × 3 b is repeated",
        "L",
        "sum",
        "1",
    ]
    assert ["data-number" in cell for cell in page.all("td")[:2]] == [True, False]
    assert "items" in page.one("ol")["class"]
    assert page.one("strong")["text"] == "two"
    assert "items" in read(d.Items(((words("one"),),))).one("ul")["class"]
    assert read(words("a", "emphasis"), words("b", "code")).one("em")["text"] == "a"


def test_folds_and_answers_can_be_opened():
    page = read(BLOCKS["fold"], d.Fold("Seen", (words("at once"),), is_open=True), BLOCKS["question"])
    fold, seen, answer = page.all("details")
    assert "open" not in fold
    assert "open" in seen
    assert "open" not in answer
    assert [summary["text"] for summary in page.all("summary")] == ["More", "Seen", "Show the answer"]
    assert "It is 6." in answer["text"]
    assert "What is y?" not in answer["text"]


def test_the_title_of_a_question_has_a_line_of_its_own_and_its_answer_the_label_that_is_given():
    page = read(d.Question((d.Words("What is y?"),), (words("It is 6."),), "Try", "Answer"))
    title, question, *_ = [line["text"] for line in page.all("p")]
    assert (title, question) == ("Try", "What is y?")
    assert page.one("summary")["text"] == "Answer"


def test_a_blank_says_which_entry_belongs_there():
    field = read(BLOCKS["answers"]).one("input")
    assert (field["data-step"], field["data-index"], field["data-digits"]) == ("7", "0,1", "3")
    assert field["aria-label"] == "Your answer: y[0][1]"


def test_a_program_keeps_every_sign_in_any_language():
    for language in ("python", "text", "no such language"):
        page = read(d.Program(language, "if x < 1:\n\tprint('&amp;')  # <b>\n"))
        assert page.one("code")["text"] == "if x < 1:\n\tprint('&amp;')  # <b>"
    assert read(BLOCKS["program"]).all("span", "k")


def test_names_between_ticks_are_names():
    page = read(words("`keep` leaves it, a ` alone is a sign"))
    assert page.one("code")["text"] == "keep"
    assert page.one("p")["text"] == "keep leaves it, a ` alone is a sign"


# -- headings ----------------------------------------------------------------------------------


def test_headings_have_ids_and_the_highest_are_in_the_contents():
    blocks = (d.Heading(1, "A b"), d.Heading(2, "Deep"), d.Fold("f", (d.Heading(1, "A b"),)), d.Heading(1, "C", "see"))
    page = read(*blocks)
    assert [(heading["name"], heading["id"]) for heading in page.found if re.fullmatch("h[2-6]", heading["name"])] == [
        ("h2", "a-b"), ("h3", "deep"), ("h2", "a-b-2"), ("h2", "see"),
    ]  # fmt: skip
    links = [link for link in page.all("a") if "nav" in link["around"]]
    assert [(link["text"], link["href"]) for link in links] == [("A b", "#a-b"), ("A b", "#a-b-2"), ("C", "#see")]
    assert page.one("h1")["text"] == "t"


def test_a_page_with_one_part_has_no_contents():
    page = read(d.Heading(2, "Only"), d.Heading(9, "Deepest"))
    assert page.one("nav")["text"] == ""
    assert page.one("h6")["text"].startswith("Deepest")


# -- what comes from a document is never a tag ---------------------------------------------------


def test_hostile_text_stays_text_everywhere():
    blocks = hostile_blocks()
    assert {block.kind for block in blocks} == set(BLOCKS)
    page = read(*blocks, title=HOSTILE)
    assert len(page.all("script")) == len(read().all("script"))
    assert [(picture["src"], picture["alt"]) for picture in page.all("img")] == [(PICTURE.source, HOSTILE)]
    assert not [key for element in page.found for key in element if key.startswith("on")]
    assert page.one("title")["text"] == page.one("h1")["text"] == HOSTILE
    assert {math["data-latex"] for math in page.all(kind="math")} == {HOSTILE}
    assert [code["text"] for code in page.all("code") if "pre" in code["around"]] == [HOSTILE.rstrip("\n")] * 2


def test_a_reference_leads_to_a_lesson_or_to_an_address_of_the_web():
    kept = {
        d.Reference("a", lesson="softmax"): "softmax.html",
        d.Reference("a", lesson="//evil.example/x"): "%2F%2Fevil.example%2Fx.html",
        d.Reference("a", lesson="javascript:alert(1)"): "javascript%3Aalert%281%29.html",
        d.Reference("a", address="https://example.org/?a=1&b=2"): "https://example.org/?a=1&b=2",
        d.Reference("a", address="HTTP://example.org"): "HTTP://example.org",
    }
    for reference, address in kept.items():
        assert read(d.Text((reference,))).one("a")["href"] == address
    for address in (
        "javascript:alert(1)",
        " javascript:alert(1)",
        "data:text/html,x",
        "file:///x",
        "//example.org",
        "",
    ):
        page = read(d.Text((d.Reference("the words", address=address),)))
        assert page.all("a") == []
        assert page.one("p")["text"] == "the words"


# -- figures -----------------------------------------------------------------------------------


def test_a_figure_is_drawn_on_the_page_and_said_in_words():
    page = read(replace(FIGURE, caption=(d.Words("The loss doubles."),)))
    assert page.one("svg")["aria-label"] == "It rises from 1 to 2."
    assert page.one("p", kind="title")["text"] == "Loss"
    assert page.one("figcaption")["text"] == "The loss doubles."
    assert page.one("footer")["text"] == "Every step is drawn."
    assert "Loss" not in page.one("svg")["text"]  # the page says it


def test_without_the_package_that_draws_a_figure_is_a_plot_in_letters(monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    page = read(FIGURE)
    assert page.all("svg") == []
    assert "└" in page.one("pre")["text"]
    assert "It rises from 1 to 2." in page.one("figure")["text"]
    bars = Bars(AXIS, (BarGroup("", (Bar("A", number("1.5", 0)),)),))
    assert "1.5" in read(d.Figure("bars", "P", bars, "in words")).one("pre")["text"]


def test_pictures_of_our_own_need_no_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    grid = Grid("7", "query", "key", ("A",), ("A",), ((number("0.5", 0, 0),),), AXIS)
    page = read(d.Figure("heatmap", "weights", grid, "in words"))
    assert page.one("svg")["aria-label"] == "in words"
    assert "--wide" in page.one("svg")["style"]


def test_the_ids_of_two_pictures_never_meet():
    source = (
        '<svg xmlns="http://www.w3.org/2000/svg"><clipPath id="c"><path d="M0"/></clipPath>'
        '<g clip-path="url(#c)" fill="#cafe00"><text aria-labelledby="c">url(#c) id="c"</text></g></svg>'
    )
    drawn = own_ids(source, "f1-", "two & two")
    assert re.findall(r' id="([^"]*)"', drawn.replace('id="c"<', "<")) == ["f1-c"]
    assert 'clip-path="url(#f1-c)"' in drawn
    assert 'fill="#cafe00"' in drawn
    assert 'aria-labelledby="f1-c"' in drawn
    assert '>url(#c) id="c"</text>' in drawn
    assert 'aria-label="two &amp; two"' in drawn


# -- the whole page ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["attention-backward", "attention-training"])
def test_every_number_of_a_whole_trace_is_there(name):
    document = SMALL_TRACES[name]("float64").document(name)
    page = HtmlReader(to_html(document))
    shown = [(span["data-step"], span["data-index"], span["text"]) for span in page.all(kind="number")]
    expected = [
        (one.step, ",".join(map(str, one.index)), one.text) for block in document.blocks for one in numbers_of(block)
    ]
    assert sorted(shown) == sorted(expected)
    assert len(shown) > 50


def numbers_of(item):
    """Every number in a block. A derivation shows its last form once, even if it is the value."""
    if isinstance(item, d.Number):
        yield item
    elif isinstance(item, d.DerivedLine):
        forms = item.forms
        if forms and d.plain_text(forms[-1]) == item.value.text:
            forms = forms[:-1]
        yield from numbers_of((item.left, forms, item.value))
    elif isinstance(item, tuple):
        for part in item:
            yield from numbers_of(part)
    elif hasattr(item, "__dataclass_fields__"):
        for field in item.__dataclass_fields__:
            yield from numbers_of(getattr(item, field))


def test_nothing_comes_from_a_network():
    page = to_html(d.Document("t", tuple(BLOCKS.values())))
    read_again = HtmlReader(page)
    assert read_again.all("link") == []
    assert [script for script in read_again.all("script") if "src" in script] == []
    assert set(re.findall(r"url\(([a-z]+)", page)) == {"data"}
    assert "default-src 'none'" in page
    assert "@import" not in page


def test_frame_of_a_page_is_ascii():
    around = to_html(d.Document("t", ()))
    assert around.isascii()


def test_a_page_in_another_encoding_reads_the_same():
    document = d.Document("Σ", (words("Q × Kᵀ − 1"),))
    page = to_html(document)
    coded = page.encode("ascii", "xmlcharrefreplace").decode("ascii")
    assert HtmlReader(coded).one("p")["text"] == "Q × Kᵀ − 1"


# -- the command -------------------------------------------------------------------------------


def test_a_command_prints_html(works):
    page = HtmlReader(works("op", "softmax", "--format", "html"))
    assert page.one("h1")["text"] == "softmax"
    assert len(page.all(kind="matrix")) >= 3


def test_a_command_writes_html(works, tmp_path):
    works("trace", "example-1", "--format", "html", "-o", tmp_path / "page.html")
    assert HtmlReader((tmp_path / "page.html").read_text(encoding="utf-8")).one("h1")["text"].startswith("Example 1")


def test_without_katex_there_is_a_sentence(fails, monkeypatch, tmp_path):
    monkeypatch.setattr(shell, "HERE", tmp_path)
    assert "KaTeX" in fails("op", "softmax", "--format", "html")
