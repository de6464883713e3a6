"""Where the lab leads: a number in a lesson is opened and changed, one goes from list to item and on to the next
lesson, and what the lab answers late leads nobody astray.
"""

import re

import pytest
from lab_visits import visitor
from playwright.sync_api import expect

import workings as w


@pytest.fixture
def somebody(browser, lab):
    with visitor(browser, lab) as who:
        yield who


def dialog(page):
    return page.get_by_role("dialog", name="By hand")


# -- a lesson with other numbers ---------------------------------------------------------------------


def test_a_weight_is_changed_in_a_lesson_and_the_lesson_follows(somebody):
    page = somebody.load("#/lesson/example-1")
    page.get_by_role("table", name="W_V").first.get_by_role("button").first.click()
    expect(page).to_have_url(re.compile(r"\?number=\d+\[0\]\[0\]$"))
    field = dialog(page).get_by_role("textbox")
    expect(field).to_have_value("0.1")
    field.fill("0.5")
    expect(page).to_have_url(re.compile(r"W_V\[0\]\[0\]=0\.5$"))
    after = w.lesson("example-1").trace().replay(values={"W_V": [[0.5, 0], [0, 0.1]]})
    expect(dialog(page)).to_contain_text("6 of 17 steps changed")
    expect(dialog(page).get_by_role("link", name="Explore with this change")).to_have_attribute(
        "href", re.compile(r"^#/explore/example-1/W_V\[0\]\[0\]\?W_V\[0\]\[0\]=0\.5$")
    )
    page.keyboard.press("Escape")
    expect(dialog(page)).to_be_hidden()
    changes = page.get_by_role("region", name="Your changes")
    expect(changes).to_contain_text("instead of 0.1")
    expect(page.locator("[data-was='0.1']").first).to_have_text("0.5")
    assert after["P"].number(0).text in page.locator("[data-was]").all_inner_texts()
    changes.get_by_role("button", name="Remove change to").click()
    expect(changes).to_have_count(0)
    expect(page.locator("[data-was]")).to_have_count(0)


def test_a_link_opens_a_number_of_a_changed_lesson_and_back_closes_it(somebody):
    page = somebody.load("#/lesson/example-1?W_V[0][0]=0.5")
    expect(page.locator("[data-was]").first).to_be_visible()
    page.evaluate("location.hash = '#/lesson/example-1?number=context[0][0]&W_V[0][0]=0.5'")
    expect(dialog(page)).to_contain_text("context[0][0]")
    expect(dialog(page).get_by_role("button", name="W_V")).to_be_visible()  # a given number behind it
    page.go_back()
    expect(dialog(page)).to_be_hidden()
    expect(page.get_by_role("heading", level=1)).to_have_text("Example 1: a forward pass")


def test_what_cannot_be_changed_says_so_and_can_be_taken_back(somebody):
    somebody.foreseen.append("400")
    page = somebody.load("#/lesson/example-1?W_V[0][0]=abc")
    expect(page.get_by_role("alert").first).to_contain_text("not abc")
    page.get_by_role("region", name="Your changes").get_by_role("button", name="Reset").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Example 1: a forward pass")


# -- from one page to the next -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pages", "item", "title"),
    [
        ("practice", "Example 1: a forward pass", "Example 1"),
        ("models", "gpt2", "gpt2"),
        ("explore", "Example 1: a forward pass", "Example 1"),
    ],
)
def test_who_goes_from_a_list_to_an_item_is_led_to_its_beginning(somebody, pages, item, title):
    page = somebody.load(f"#/{pages}")
    page.get_by_role("link", name=item, exact=True).click()
    expect(page).to_have_title(re.compile(title))
    expect(page.locator("main")).to_be_focused()
    assert page.evaluate("scrollY") == 0


def test_the_next_lesson_shows_nothing_of_the_one_before_while_it_is_computed(somebody):
    page, held = somebody.load("#/lesson/matrix-core"), []
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.route("**/api/lessons/embeddings", lambda route: held.append(route))
    page.get_by_role("navigation", name="Other lessons").get_by_role("link").last.click()
    expect(page.get_by_text("Computing. The first time takes longest.")).to_be_visible()
    expect(page.get_by_role("table")).to_have_count(0)
    held.pop().continue_()
    expect(page).to_have_title(re.compile("mbedding"))
    expect(page.locator("main")).to_be_focused()


def test_who_left_a_form_is_not_brought_to_what_it_opens(somebody):
    page, held = somebody.load("#/"), []
    page.route("**/api/starters/sentence*", lambda route: held.append(route))
    page.get_by_label("Enter a few words.").fill("the cat sat")
    page.get_by_role("button", name="Explore this sentence").click()
    page.get_by_role("link", name="Check", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Check my numbers")
    held.pop().continue_()
    expect(page).to_have_url(re.compile("#/check$"))


def test_a_passing_failure_costs_nobody_their_code(somebody):
    page = somebody.load("#/progress")
    page.get_by_role("button", name="Save my progress").click()
    expect(page.get_by_role("button", name="Copy")).to_be_visible()
    code = page.evaluate("localStorage['workings-learner']")
    somebody.foreseen.append("Failed to load resource")
    page.route("**/api/me", lambda route: route.abort(), times=1)
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("does not respond")
    expect(page.get_by_role("button", name="Save my progress")).to_have_count(0)
    assert page.evaluate("localStorage['workings-learner']") == code
