"""HTML pages in a browser: the system's Chromium opens the file, with no network, and we look at what it made of it."""

import re
import shutil

import pytest
from playwright.sync_api import sync_playwright

from workings.cli.main import main
from workings.explain import document as d
from workings.explain.step_formula import math_of
from workings.render.html import to_html

LESSONS = ("example-2", "cat-sleeps")
NAMES = ("chromium", "chromium-browser", "google-chrome")
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
        d.AnswerField("1", (0,), "y", 17),
    ),
)
SMALL = d.Number("0.25", 0.25, "small", (0,))
OPENS = d.Document(
    "An entry by hand",
    (
        d.Matrix("p", "small", ("row",), (1,), (d.MatrixSlice((), ((SMALL,),)),)),
        *(d.Text((d.Words("a long page"),)) for _ in range(80)),
    ),
    (d.Derivation("small", (0,), (d.DerivedLine((math_of("p_0"),), ((math_of(r"\frac{1}{4}"),),), SMALL),)),),
)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Names of pages, and their files."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "kinds.html").write_text(to_html(DOCUMENT), encoding="utf-8")
    (folder / "opens.html").write_text(to_html(OPENS), encoding="utf-8")
    commands = {"softmax": ("op", "softmax"), "trace": ("trace", "example-6")}
    for name, command in (commands | {name: ("lesson", name) for name in LESSONS}).items():
        assert main([*command, "--format", "html", "-o", str(folder / f"{name}.html")]) == 0
    return {path.stem: path for path in folder.iterdir()}


@pytest.fixture(scope="module")
def browser():
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.fail("There is no Chromium: `make test` installs it where it may, and says what to do where it may not.")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield chromium
        chromium.close()


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
@pytest.mark.parametrize("width", [360, 768, 1400])
def test_only_boxes_scroll_sideways_never_the_page(visit, name, width):
    page = visit(name, width)
    page.evaluate("document.querySelectorAll('details').forEach((fold) => (fold.open = true))")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    outside = page.evaluate(
        """[...document.querySelectorAll("main *")].filter(
            (part) => part.getBoundingClientRect().right > innerWidth + 1 && !part.parentElement.closest(".scrolls")
        ).map((part) => part.outerHTML.slice(0, 80))"""
    )
    assert outside == []


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
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(map(int, re.findall(r"\d+", colour)[:3])) / 3


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


# -- an entry by hand -------------------------------------------------------------------------------


@pytest.fixture
def opens(visit):
    page = visit("opens", 800)
    return page, page.locator(".number.opens"), page.get_by_role("dialog", name="By hand")


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_an_entry_opens_with_the_keyboard_and_escape_closes_it(opens, key):
    page, entry, box = opens
    assert box.count() == 0
    entry.focus()
    page.keyboard.press(key)
    assert box.is_visible()
    assert page.evaluate("scrollY") == 0  # Space did not scroll
    page.keyboard.press("Escape")
    assert not box.is_visible()
    assert entry.evaluate("entry => entry === document.activeElement")


def test_formulas_of_a_hand_calculation_are_set(opens):
    _, entry, box = opens
    entry.click()
    assert box.locator("[data-latex] > .katex").count() == 2
    assert "0.25" in box.inner_text()


def test_a_hand_calculation_is_closed_by_its_button_or_beside_it_and_not_inside(opens):
    page, entry, box = opens
    entry.click()
    place = box.bounding_box()
    for x, y in ((3, place["height"] / 2), (place["width"] / 2, place["height"] - 3)):
        page.mouse.click(place["x"] + x, place["y"] + y)
        assert box.is_visible()
    page.mouse.move(place["x"] + 30, place["y"] + place["height"] - 20)  # a selection that ends beside it
    page.mouse.down()
    page.mouse.move(5, 5)
    page.mouse.up()
    assert box.is_visible()
    page.mouse.click(5, 5)
    assert not box.is_visible()
    entry.click()
    box.get_by_role("button", name="Close").click()
    assert not box.is_visible()
