"""Every check on every figure page. A new page gets all of them without writing one."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from figure_checks import numbers_in, smallest_label
from figure_examples import directive, example, lesson_figures, small_figures, with_texts
from hypothesis import given, settings
from hypothesis import strategies as some
from jsonschema import Draft202012Validator
from rich.cells import cell_len

import workings
from workings.document.blocks import Document, Figure, to_data
from workings.document.from_data import document_of
from workings.document.monospace import in_signs_of
from workings.engine.errors import PageError, WorkingsError
from workings.figures import KINDS, PAGES, figure_rows, page_of, picture, remarks, svg_of
from workings.figures.parts.chart import ChartPage
from workings.figures.parts.options import options_in, read_options
from workings.figures.parts.page import FigurePage, Takes

FOLDER = Path(workings.__file__).parent
SCHEMA = Draft202012Validator(json.loads((FOLDER / "schema" / "document.json").read_text(encoding="utf-8")))
STARTS = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF"}
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ("</text><script>alert(1)</script>", "\x00\ud800 &amp; \"'", "a\nb\u202e", "漢字" * 20)
NUMERAL = re.compile(r"\d+(?:\.\d+)?(?:e-?\d+)?")
DRAWN_HERE = [name for name, page in PAGES.items() if not isinstance(page, ChartPage)]

every_page = pytest.mark.parametrize("name", PAGES)


def data_of(figure):
    return json.loads(json.dumps(to_data(figure), allow_nan=False))


def texts_in(data):
    """Every text and every number in some JSON data."""
    if isinstance(data, dict | list):
        parts = data.values() if isinstance(data, dict) else data
        return [text for part in parts for text in texts_in(part)]
    return [str(data)]


# -- the parts of a page ---------------------------------------------------------------------------------


def test_every_file_is_one_page():
    files = {path.stem for path in (FOLDER / "figures").glob("*.py")} - {"__init__"}
    assert files == set(PAGES)


@every_page
def test_page_says_what_it_shows(name):
    page = PAGES[name]
    assert re.fullmatch(r"[a-z][^\n]*[^.]", page.summary)
    assert page.about.endswith(".")
    assert f"`{name}" in page.about or name in page.about.lower()


@every_page
def test_every_option_is_documented_and_read_by_its_type(name):
    page = PAGES[name]
    entries = options_in(page.options)
    assert [*page.all_options] == ["run", "title", *entries]
    for option, entry in entries.items():
        assert re.fullmatch(r"[A-Z][^\n]*\.", entry.help), option
        options = read_options(page.options, {option: entry.type.example})
        assert getattr(options, entry.field) == entry.type.read(entry.type.example)
    assert read_options(page.options, {"nosuch": "1"}) == page.options()


@pytest.mark.parametrize(("text", "error"), [("perhaps", "takes yes or no, not 'perhaps'"), ("", "yes or no")])
def test_option_of_another_type_is_rejected(text, error):
    with pytest.raises(WorkingsError, match=error):
        read_options(PAGES["vectors"].options, {"moved": text})


def test_page_without_its_parts_is_rejected():
    class Empty(PAGES["heatmap"].__class__):
        name = summary = ""

    with pytest.raises(PageError, match="Empty lacks name, summary, a docstring"):
        Empty()
    with pytest.raises(PageError, match="a name of its own"):
        PAGES["heatmap"].__class__()
    with pytest.raises(TypeError, match="abstract"):
        FigurePage()


@every_page
def test_wrong_number_of_names_is_rejected(name):
    page = PAGES[name]
    if page.takes in (Takes.STEP, Takes.STEPS):
        with pytest.raises(WorkingsError, match="needs the name of a step"):
            page.check_names(())
    if page.takes is Takes.NOTHING:
        with pytest.raises(WorkingsError, match="shows a whole run"):
            page.check_names(("weights",))
    if page.takes is Takes.MODULE:
        with pytest.raises(WorkingsError, match="several are named"):
            page.check_names(("a", "b"))


# -- its example ------------------------------------------------------------------------------------------


@every_page
def test_example_is_of_this_page_and_says_what_it_shows(name):
    figure = example(name)
    assert page_of(figure) is PAGES[name]
    assert isinstance(figure.data, PAGES[name].data)
    assert figure.title
    assert figure.alternative.endswith(".")


@every_page
def test_lesson_draws_what_the_command_draws(name):
    (figure,) = lesson_figures(directive(name), PAGES[name].example.scenario)
    run = PAGES[name].example.run or "default"
    located = json.dumps(to_data(replace(figure, code="")))
    assert re.search(rf'"(step|history)": "{run}:', located)
    assert json.loads(re.sub(rf'("step"|"result"|"history"): "{run}:', r'\1: "', located)) == data_of(example(name))


@every_page
def test_document_with_figure_comes_back_from_its_json(name):
    document = Document("t", (example(name),))
    data = json.loads(json.dumps(to_data(document), allow_nan=False))
    assert document_of(data) == document
    SCHEMA.validate(data)


def test_figure_of_unknown_form_is_not_read():
    data = to_data(Document("t", (replace(example("heatmap"), form="pie"),)))
    with pytest.raises(ValueError, match="no figure has the form 'pie'"):
        document_of(data)


# -- as a picture -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@every_page
def test_example_is_drawn_in_every_format(name, kind):
    assert picture(example(name), kind).startswith(STARTS[kind])


@every_page
def test_svg_has_a_size_and_a_description_and_is_the_same_every_time(name):
    root = ElementTree.fromstring(svg_of(example(name)))
    assert float(root.get("width")) > 100 < float(root.get("height"))
    assert (root[0].tag, root[0].text) == (f"{SVG}desc", example(name).alternative)
    assert svg_of(example(name)) == svg_of(example(name))


@pytest.mark.parametrize("text", HOSTILE)
@every_page
def test_svg_escapes_hostile_texts(name, text):
    figure = example(name)
    hostile = Figure(figure.form, text, with_texts(figure.data, text), text, text)
    root = ElementTree.fromstring(picture(hostile, "svg"))
    assert not list(root.iter(f"{SVG}script"))


@pytest.mark.parametrize("name", DRAWN_HERE)
def test_drawing_without_chart_needs_no_package_and_has_no_ids(name, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "vl_convert", None)
    root = ElementTree.fromstring(picture(example(name), "svg"))
    assert not [node for node in root.iter() if node.get("id") or node.tag == f"{SVG}style"]


@pytest.mark.parametrize("name", DRAWN_HERE)
def test_numbers_in_svg_are_entries_of_the_data(name):
    root = ElementTree.fromstring(svg_of(example(name)))
    shown = [(node.get("data-step"), node.get("data-index")) for node in root.iter() if node.get("data-index")]
    numbers = {(number.step, ",".join(map(str, number.index))) for number in numbers_in(example(name).data)}
    assert set(shown) <= numbers


# -- in monospaced text -------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [44, 60, 80, 118])
@pytest.mark.parametrize("encoding", ["", "ascii"])
@every_page
def test_no_row_is_too_wide(name, encoding, width):
    rows = figure_rows(
        example(name), width, not encoding, lambda text: in_signs_of("ascii", text) if encoding else text
    )
    assert rows
    assert max(map(cell_len, rows)) <= width
    if encoding:
        "".join(rows).encode("ascii")


@every_page
def test_text_has_the_numbers_of_the_data(name):
    """All that is printed is in the data; and of the numbers it prints all (a total may be in words), or none."""
    figure = example(name)
    rows = " ".join(figure_rows(figure, 100))
    known = " ".join(texts_in(data_of(figure.data)))
    assert set(NUMERAL.findall(rows)) <= set(NUMERAL.findall(known))
    ends = {"0", "1", "0.0", "1.0"}  # which may be those of a scale
    numbers = {number.text for number in numbers_in(figure.data)} - ends
    printed = {number for number in numbers if number in rows}
    assert not printed or all(number in figure.alternative for number in numbers - printed)


@every_page
def test_numbers_that_the_text_does_not_show_are_said_below_it(name):
    figure = example(name)
    said = [] if PAGES[name].text_has_numbers else [figure.alternative]
    assert remarks(figure) == [*said, *([figure.note] if figure.note else [])]


@settings(max_examples=40, deadline=None)
@given(some.lists(some.text(max_size=30), min_size=2, max_size=2), some.integers(40, 100))
def test_any_label_stays_in_its_row(words, width):
    for figure in small_figures([[1.0, 0.0], [1.0, 1.0]], {"query": tuple(words), "key": tuple(words)}).values():
        for row in figure_rows(figure, width):
            assert cell_len(row) <= width
            assert len(row.splitlines()) <= 1


@pytest.mark.parametrize("label", HOSTILE)
def test_hostile_label_of_a_run_is_only_a_text(label):
    for figure in small_figures([[1.0, 0.0], [1.0, 1.0]], {"query": (label, "b"), "key": ("a", label)}).values():
        assert not list(ElementTree.fromstring(picture(figure, "svg")).iter(f"{SVG}script"))


# -- as large as its readers need it ---------------------------------------------------------------------

WIDER_THAN_A_SCREEN = ("flow", "backward")  # of a whole model; there the page scrolls


@every_page
def test_no_label_is_too_small_to_read(name):
    """12 px on a screen, 7 pt in the text block of the book."""
    points, pixels = smallest_label(example(name))
    assert points >= 7
    assert pixels >= 12 or name in WIDER_THAN_A_SCREEN


@every_page
def test_no_name_of_an_example_is_cut(name):
    root = ElementTree.fromstring(svg_of(example(name)))
    assert not [node.text for node in root.iter(f"{SVG}text") if node.text and len(node.text) > 1 and "…" in node.text]


@pytest.mark.parametrize("name", ["attention", "heads", "heatmap", "links", "temperature", "windows"])
def test_every_row_can_be_highlighted(name):
    """A page dims the other rows while a reader points at one; nothing is hidden from those who cannot point."""
    root = ElementTree.fromstring(svg_of(example(name)))
    rows = [node for node in root.iter(f"{SVG}g") if node.get("class") == "row"]
    assert len(rows) > 1
    assert all(list(row.iter(f"{SVG}text")) for row in rows)
