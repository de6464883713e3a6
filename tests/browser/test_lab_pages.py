"""Through the lab as a reader goes: from the start to a number, why it is what it is, and away with it."""

import csv
import io
import re

import numpy
import pytest
from lab_visits import visitor
from playwright.sync_api import expect

import workings as w

LESSON = "Example 1: a forward pass"
ACTIVATIONS = "The graph of this forward pass, and its activations"  # a fold of example-3


@pytest.fixture
def somebody(browser, lab):
    with visitor(browser, lab, permissions=["clipboard-read", "clipboard-write"]) as who:
        yield who


def trace(lesson="example-3"):
    return w.lesson(lesson).trace()


def entry_panel(page):
    return page.get_by_role("region", name="Entry")


def closed_up(text):
    """A text without its layout."""
    return re.sub(r"\s+", "", text)


def matrix(page, name):
    """The first matrix of exactly that name: dweights is another one."""
    return page.get_by_role("table", name=re.compile(rf"^{re.escape(name)}, ")).first


def activations(page):
    """The fold of example-3 with what its forward pass computed, opened."""
    page.get_by_text(ACTIVATIONS, exact=True).click()
    return page.locator("details").filter(has=page.locator("summary", has_text=ACTIVATIONS))


# -- the way in --------------------------------------------------------------------------------------


def test_three_clicks_from_the_start_to_why(somebody):
    page, why = somebody.load("#/"), closed_up(str(trace("example-1")["weights"].cell(1, 0)))
    page.get_by_role("link", name=LESSON, exact=True).click()
    weights = page.locator(f"#s-default-{trace('example-1')['weights'].id}")  # its formula says its name
    weights.get_by_role("row", name="B").get_by_role("button").first.click()
    by_hand = page.get_by_role("dialog", name="By hand")
    expect(by_hand).to_contain_text("weights[1][0]")
    expect(by_hand.get_by_role("link", name="Open in the explorer")).to_be_visible()
    assert why in closed_up(by_hand.inner_text())  # two clicks; the third leads to where it comes from and goes
    by_hand.get_by_role("link", name="Open in the explorer").click()
    expect(page).to_have_url(re.compile(r"#/explore/example-1/weights\[1\]\[0\]$"))
    expect(entry_panel(page).get_by_role("heading", level=2)).to_contain_text("B attends to A")
    assert why in closed_up(entry_panel(page).inner_text())


def test_a_number_leads_to_the_numbers_in_it_and_back(somebody):
    page = somebody.load("#/lesson/example-3")
    activations(page)
    matrix(page, "weights").get_by_role("row", name="B").get_by_role("button").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="0.00707107").first.click()
    expect(dialog).to_contain_text("scaled[1][1]")
    expect(dialog).to_contain_text("√")
    assert closed_up(str(trace()["scaled"].cell(1, 1))) in closed_up(dialog.inner_text())
    dialog.get_by_role("button", name="Back").click()
    expect(dialog.get_by_text("total", exact=True).first).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).not_to_be_visible()


# -- the address -------------------------------------------------------------------------------------


def shown(page):
    """What a person sees of a view, to be seen again."""
    expect(entry_panel(page).get_by_role("heading", level=2)).to_be_visible()
    expect(entry_panel(page).get_by_role("heading", name="Used by")).to_be_visible()
    heading = page.get_by_role("region", name="Step", exact=True).get_by_role("heading", level=2)
    return heading.inner_text(), entry_panel(page).get_by_role("status").first.inner_text(), page.title()


def test_back_reload_and_a_copied_address_give_the_same_view(somebody):
    page = somebody.load("#/explore/example-3/weights[1][0]")
    weights, there = shown(page), page.url
    entry_panel(page).get_by_role("link", name="scaled[1][1] 0.0070711").click()
    expect(entry_panel(page).get_by_role("heading", level=2)).to_contain_text("scaled[1][1]")
    assert shown(page) != weights
    page.go_back()
    expect(page).to_have_url(there)
    expect(entry_panel(page).get_by_role("heading", level=2)).to_contain_text("weights[1][0]")
    assert shown(page) == weights
    page.reload()
    assert shown(page) == weights
    another = page.context.new_page()
    another.goto(there)
    assert shown(another) == weights


def test_a_lesson_is_opened_at_a_heading_and_with_other_digits(somebody):
    page = somebody.load("#/lesson/example-3")
    contents = page.get_by_role("navigation", name="Contents")
    contents.get_by_role("link").nth(3).click()
    title = contents.get_by_role("link").nth(3).inner_text()
    expect(page.get_by_role("heading", name=title, exact=True)).to_be_in_viewport()
    fold = activations(page)
    page.get_by_text("Digits, precision, convention").click()
    page.get_by_label("Digits shown").select_option("8")
    expect(page).to_have_url(re.compile(r"\?digits=8$"))
    first = f"{trace()['weights'].value[0, 0]:.8g}"
    expect(matrix(page, "weights").get_by_role("button").first).to_have_text(first)
    expect(fold).to_have_attribute("open", "")  # what was open stays open


# -- taking numbers along ----------------------------------------------------------------------------


def test_a_matrix_is_copied_in_four_ways(somebody):
    value = trace()["W_Q"].value
    page = somebody.load("#/explore/example-3/W_Q")
    copied = {}
    for name in ("LaTeX", "NumPy", "CSV", "Markdown"):
        page.get_by_text("Copy W_Q").locator("..").click()
        page.get_by_role("button", name=name, exact=True).click()
        expect(page.get_by_role("status").filter(has_text="Copied")).to_be_attached()
        copied[name] = page.evaluate("navigator.clipboard.readText()")
    spaces = {"np": numpy}
    exec(copied["NumPy"], spaces)  # as somebody would who pastes it into a program
    numpy.testing.assert_array_equal(spaces["W_Q"], value)
    rows = list(csv.reader(io.StringIO(copied["CSV"])))
    numpy.testing.assert_array_equal(numpy.array(rows, dtype=float), value)
    begin, *lines, end = copied["LaTeX"].splitlines()
    assert (begin, end) == (r"\begin{bmatrix}", r"\end{bmatrix}")
    latex = [line.removesuffix(r" \\").split(" & ") for line in lines]
    numpy.testing.assert_array_equal(numpy.array(latex, dtype=float), value)
    table = [line.strip("| ").split(" | ") for line in copied["Markdown"].splitlines()[2:]]
    numpy.testing.assert_array_equal(numpy.array(table, dtype=float), value)


# -- heard instead of seen ---------------------------------------------------------------------------


def test_a_matrix_and_a_formula_can_be_heard(somebody):
    page = somebody.load("#/explore/example-3/weights")
    step = page.get_by_role("region", name="Step", exact=True)
    table = step.get_by_role("table", name="weights query 2 × key 2")
    expect(table).to_match_aria_snapshot("""
      - table "weights query 2 × key 2":
        - rowgroup:
          - row:
            - columnheader "A"
            - columnheader "B"
        - rowgroup:
          - row:
            - rowheader "A"
            - cell:
              - button "0.50177"
            - cell:
              - button "0.49823"
          - row:
            - rowheader "B"
            - cell:
              - button "0.49823"
            - cell:
              - button "0.50177"
    """)
    formula = step.get_by_role("math").first
    expect(formula).to_have_accessible_name(re.compile("equals the fraction e to the power .* end fraction"))
