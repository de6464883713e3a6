"""HTML pages in a browser: the system's Chromium opens the file, with no network, and we look at what it made of it.

Lessons and traces stand so in the book, and in offline files until their front end is there: test_offline_file.py.
"""

import re

import pytest
from loops import slow_if

import workings as w
from workings.cli.main import main
from workings.document import blocks as d
from workings.explain.step_formula import math_of
from workings.figures.bars import Bar, BarGroup, Bars
from workings.figures.parts.axes import Axis, Tick
from workings.figures.parts.grid import Grid
from workings.render.html import to_html
from workings.scenarios.scenario_page import scenario_document

LESSONS = ("example-2", "cat-sleeps")
HOSTILE = "</script><img src=x onerror=\"document.title='broken in'\">"
NUMBER = d.Number("1234.5678", 1234.5678, "1", (0, 0))
WIDE = d.Matrix("W", "1", ("row", "column"), (2, 60), (d.MatrixSlice((), ((NUMBER,) * 60,) * 2),))
LONG = d.DerivedLine((d.Words("y[0]"),), ((d.Words(" + ".join(["0.1234×5.678"] * 40)),),), NUMBER)
DOCUMENT = d.Document(
    "Every kind",
    (
        d.Heading(2, "First"),
        d.Text((d.Words(HOSTILE), d.Words(" "), math_of(r"\frac{x}{y}"), d.Words(" " + "long" * 60))),
        d.Formula(math_of(" + ".join(["x_i"] * 60)), "It scrolls in its own box."),
        d.Formula(d.Math(f"\\text{{{HOSTILE}}}", "as text", "as text", "spoken")),
        WIDE,
        d.Derivation("1", (0,), (LONG,)),
        d.Ledger(("step", "op", "shape"), (d.LedgerRow("1", "W" * 60, "given", ("row", "column"), (2, 60)),)),
        d.Heading(2, "Second"),
        d.Fold("More", (d.Text((d.Words("inside the fold"),)),)),
        d.Question((d.Words("What?"),), (d.Text((d.Words("the answer"),)),)),
        d.Table(tuple("abcdefgh"), (((d.Words("word" * 6),),) * 8,), "A wide table"),
        d.Program("python", "x = 1  # " + "long " * 60 + "\n", "A program"),
        d.Answers((d.AnswerField("1", (0,), "y", 17),), ("entry", "question", "answer")),
    ),
)
AXIS = Axis("P", 0.0, 1.0, (Tick(0.0, "0"), Tick(1.0, "1")))
SMALL = [[d.Number(text, float(text), "2", (row, n)) for n, text in enumerate(texts)]
         for row, texts in enumerate((("0.5", "12.25"), ("0.125", "3.0")))]  # fmt: skip
SCREEN = d.Document(
    "What is seen",
    (
        d.Heading(2, "Numbers"),
        d.Matrix(
            "M", "2", ("query", "key"), (2, 2), (d.MatrixSlice((), tuple(map(tuple, SMALL)), (), ("A", "long label")),)
        ),
        d.Matrix("target", "3", (), (), (d.MatrixSlice((), ((d.Number("2", 2, "3", ()),),)),)),
        d.Heading(2, "Pictures"),
        d.Figure("bars", "Shares", Bars(AXIS, (BarGroup("", (Bar("cat", SMALL[0][0]),)),)), "one bar"),
        d.Figure("heatmap", "Wide", Grid("2", "", "key", (), (), (tuple(SMALL[0]) * 20,), AXIS), "a wide row"),
        d.Figure(
            "mask", "Seen", Grid("2", "query", "key", (), (), (tuple(SMALL[0]),), AXIS, ((True, False),)), "in words"
        ),
        *(d.Text((d.Words("Some words. " * 60),)) for _ in range(6)),
    ),
)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Names of pages, and their files."""
    folder = tmp_path_factory.mktemp("pages")
    found = w.scenario("example-6")
    documents = {"kinds": DOCUMENT, "screen": SCREEN, "trace": scenario_document(found, "default", found.trace())}
    for name, document in (documents | {name: w.lesson(name).document for name in LESSONS}).items():
        (folder / f"{name}.html").write_text(to_html(document), encoding="utf-8")
    assert main(["op", "softmax", "--format", "html", "-o", str(folder / "softmax.html")]) == 0
    return {path.stem: path for path in folder.iterdir()}


@pytest.fixture
def visit(browser, pages):
    """Open a page; in the end nothing may have been complained about, or asked for from elsewhere."""
    contexts, complaints = [], []

    def opened(name, width=1400, script=True, **settings):
        context = browser.new_context(
            viewport={"width": width, "height": 800}, java_script_enabled=script, offline=True, **settings
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: _check(request.url, pages[name].as_uri(), complaints))
        page.goto(pages[name].as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


def _check(address, own, complaints):
    if address != own and not address.startswith("data:font/"):
        complaints.append(f"asked for {address[:80]}")


ALL = ("kinds", "softmax", "trace", *LESSONS)


@pytest.mark.parametrize("name", ALL)
def test_katex_sets_every_formula(visit, name):
    page = visit(name)
    formulas = page.locator("[data-latex]").count()
    assert formulas >= 3
    assert page.locator(".katex-error").count() == 0
    assert page.locator("[data-latex] > .katex, [data-latex] > .katex-display").count() == formulas
    page.evaluate("document.fonts.ready")
    assert page.evaluate("[...document.fonts].filter(font => font.status === 'loaded').length") >= 2
    assert page.evaluate("[...document.fonts].filter(font => font.status === 'error').length") == 0


def test_hostile_text_does_nothing(visit):
    page = visit("kinds")
    assert page.title() == "Every kind"
    assert page.locator("main img").count() == 0
    assert page.evaluate("document.body.innerText").count("<img src=x") >= 1


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("width", slow_if([768, 1400], [360, 768, 1400]))
def test_only_boxes_scroll_sideways_never_the_page(visit, name, width):
    page = visit(name, width)
    page.evaluate("document.querySelectorAll('details').forEach((fold) => (fold.open = true))")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    outside = page.evaluate(
        """[...document.querySelectorAll("main *")].filter(
            (part) => part.getBoundingClientRect().right > innerWidth + 1 && !part.parentElement.closest(".scrolls")
              && !part.matches(".katex .hide-tail > svg > path")
        ).map((part) => part.outerHTML.slice(0, 80))"""
    )  # KaTeX draws every root 400 em long and clips it at .hide-tail, which is measured like everything else
    assert outside == []
    clipping = "[...document.querySelectorAll('main .hide-tail')].map((part) => getComputedStyle(part).overflowX)"
    assert set(page.evaluate(clipping)) <= {"hidden"}


def test_a_wide_matrix_can_be_scrolled_with_the_keyboard(visit):
    box = visit("kinds", 360).locator(".matrix .scrolls")
    box.wait_for()
    assert box.evaluate("box => box.scrollWidth > box.clientWidth")
    assert box.get_attribute("tabindex") == "0"


def test_the_contents_stand_at_the_side_where_there_is_room(visit):
    wide, narrow = visit("softmax", 1400), visit("softmax", 360)
    assert _box(wide, "nav")["x"] + _box(wide, "nav")["width"] <= _box(wide, "main")["x"]
    assert _box(narrow, "nav")["y"] + _box(narrow, "nav")["height"] <= _box(narrow, "main")["y"]
    wide.click("nav a >> nth=2")
    wide.locator("nav a[href='#backward'][aria-current]").wait_for()
    assert wide.evaluate("location.hash") == "#backward"


def _box(page, selector):
    return page.locator(selector).bounding_box()


def _lightness(page):
    """Of the ground of the page, from 0 to 255."""
    color = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(map(int, re.findall(r"\d+", color)[:3])) / 3


def test_light_and_dark_follow_the_system_until_somebody_chooses(visit):
    assert _lightness(visit("softmax", color_scheme="light")) > 240
    page = visit("softmax", color_scheme="dark")
    assert _lightness(page) < 40
    page.click("button.theme")
    assert _lightness(page) > 240
    page.reload()
    assert _lightness(page) > 240  # it was remembered
    page.click("button.theme")
    assert _lightness(page) < 40


def test_folds_and_answers_open_and_close(visit):
    page = visit("kinds")
    for summary, inside in (("More", "inside the fold"), ("Show the answer", "the answer")):
        hidden = page.get_by_text(inside, exact=True)
        assert not hidden.is_visible()
        page.get_by_text(summary, exact=True).click()
        assert hidden.is_visible()
        page.get_by_text(summary, exact=True).click()
        assert not hidden.is_visible()


def test_on_paper_all_is_open_light_and_without_buttons(visit):
    page = visit("kinds", color_scheme="dark")
    assert page.locator("button").count() >= 1
    page.emulate_media(media="print", color_scheme="dark")
    assert page.get_by_text("inside the fold").is_visible()
    assert page.get_by_text("the answer", exact=True).is_visible()
    assert _lightness(page) > 240
    assert not page.locator("button:visible").count()
    assert not page.locator("nav").is_visible()
    page.emulate_media(media="screen")
    assert not page.get_by_text("inside the fold").is_visible()


def test_without_a_script_the_page_still_reads(visit):
    page = visit("kinds", script=False)
    assert page.locator(".formula .math").first.inner_text().startswith("xᵢ + xᵢ")
    page.get_by_text("More", exact=True).click()
    assert page.get_by_text("inside the fold").is_visible()
    assert not page.locator("button:visible").count()


def test_a_program_can_be_copied(visit):
    page = visit("kinds", permissions=["clipboard-read", "clipboard-write"])
    page.locator(".program button").click()
    page.get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").startswith("x = 1  # long")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_charts_have_the_ground_and_the_letters_of_the_page(visit, scheme):
    page = visit("screen", color_scheme=scheme)
    letters = page.locator("svg.marks text").first.evaluate("part => getComputedStyle(part).fill")
    assert letters == page.evaluate("getComputedStyle(document.body).color")
    assert page.locator("svg.marks > rect").evaluate("part => getComputedStyle(part).fill") == "none"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_cells_of_a_mask_stand_apart(visit, scheme):
    page = visit("screen", color_scheme=scheme)
    cell = page.locator("svg.mask rect.accent").first
    line, fill = cell.evaluate("part => [getComputedStyle(part).stroke, getComputedStyle(part).fill]")
    assert line != fill
    assert line == page.evaluate("getComputedStyle(document.body).backgroundColor")


@pytest.mark.slow
def test_labels_of_columns_stand_above_their_numbers(visit):
    page = visit("screen")
    for column in range(2):
        label = page.evaluate(MIDDLE, f"#s-2 thead th:nth-child({column + 1})")
        numbers = page.evaluate(MIDDLE, f"#s-2 tbody td:nth-child({column + 1}) .number")
        assert abs(label - numbers) < 6


MIDDLE = """(selector) => {
  const range = document.createRange();
  const boxes = [...document.querySelectorAll(selector)].map((part) => {
    range.selectNodeContents(part);
    return range.getBoundingClientRect();
  });
  return (Math.min(...boxes.map((box) => box.left)) + Math.max(...boxes.map((box) => box.right))) / 2;
}"""


def test_a_single_number_stands_without_brackets(visit):
    page = visit("screen")
    content = "part => [getComputedStyle(part, '::before').content, getComputedStyle(part, '::after').content]"
    assert page.locator("#s-3 td").evaluate(content) == ["none", "none"]
    assert page.locator("#s-2 td").first.evaluate(content)[0] != "none"


@pytest.mark.slow
def test_an_edge_behind_which_there_is_more_fades(visit):
    box = visit("screen", 380).locator(".figure .scrolls").nth(1)
    sides = []
    for left in (0, 100, 9999):
        box.evaluate("(box, left) => box.scrollTo(left, 0)", left)
        box.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        sides.append(box.get_attribute("data-more"))
    assert sides == ["right", "left right", "left"]
    assert "gradient" in box.evaluate("box => getComputedStyle(box).maskImage")
    assert visit("screen", 1400).locator(".slice .scrolls").first.get_attribute("data-more") is None


@pytest.mark.slow
def test_on_a_narrow_page_contents_are_closed_and_the_button_covers_no_text(visit):
    page = visit("screen", 380)
    assert page.get_by_text("Contents", exact=True).is_visible()
    assert not page.locator("nav a").first.is_visible()
    button, nav = _box(page, "button.theme"), _box(page, "nav summary")
    assert button["y"] + button["height"] <= _box(page, "h1")["y"]
    assert nav["x"] + nav["width"] <= button["x"]
    page.evaluate("scrollTo({ top: 600, behavior: 'instant' })")
    assert _box(page, "button.theme")["y"] < -100
    wide = visit("screen", 1400)
    assert wide.locator("nav a").first.is_visible()
    assert not wide.locator("nav summary").is_visible()
