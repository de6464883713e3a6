"""Practice in a browser: answers are judged at once, a planted mistake is named, hints come rung by rung, and what was
done is remembered only for those who want it.
"""

import json
import re

import pytest
from playwright.sync_api import expect

from workings.document.numbers import Style, write
from workings.practice.mistakes import mistake_hint
from workings.practice.sheet import make_sheet

SHEET = "#/practice/example-1?seed=1&blanks=few"
MISTAKE = "divide_by_root.not_divided"
WRONG = "scaled[0][0]"


@pytest.fixture(scope="module")
def sheet():
    return make_sheet("example-1", seed=1, blanks="few")


@pytest.fixture
def page(browser, lab):
    """One person's browser; nothing may be complained about."""
    context = browser.new_context(viewport={"width": 1200, "height": 900}, accept_downloads=True)
    context.set_default_timeout(10_000)
    complaints = []
    context.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    context.on("weberror", lambda error: complaints.append(str(error.error)))
    page = context.new_page()
    page.goto(f"{lab}/{SHEET}")
    expect(blank(page, WRONG)).to_be_visible(timeout=20_000)
    yield page
    context.close()
    assert complaints == []


def blank(page, label):
    return page.locator(f'[data-label="{label}"]')


def about(page, label):
    return page.locator(f'[data-about="{label}"]')


def right(field):
    """The right answer, as somebody types it."""
    return write(field.true, Style(4)) if isinstance(field.true, float) else str(field.true)


@pytest.fixture(scope="module")
def mistake(sheet):
    """What somebody gets who forgets to divide: the engine's own steps, with the mistake in them."""
    scores = sheet.trace["scores"].value
    return write(float(scores[0, 0]), Style(4))


# -- judging -----------------------------------------------------------------------------------------


def test_a_planted_mistake_is_named_at_once(page, mistake):
    blank(page, WRONG).fill(mistake)
    blank(page, WRONG).press("Enter")
    said = about(page, WRONG)
    expect(said).to_have_attribute("data-kind", "wrong")
    expect(said).to_contain_text("Not right.")
    expect(said).to_contain_text(mistake_hint(MISTAKE))
    expect(said).to_contain_text("your first wrong step")
    expect(blank(page, WRONG)).to_have_attribute("aria-invalid", "true")


def test_enter_stays_at_a_wrong_answer_with_its_verdict_in_view(page, mistake):
    blank(page, WRONG).fill(mistake)
    blank(page, WRONG).press("Enter")
    expect(about(page, WRONG).get_by_text("Not right.")).to_be_in_viewport(ratio=1)
    expect(blank(page, WRONG)).to_be_focused()
    expect(blank(page, WRONG)).to_be_in_viewport(ratio=1)


def test_a_blank_is_in_view_as_soon_as_it_has_the_focus(page):
    in_view = """blank => {
        blank.focus();
        const { top, bottom } = blank.getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
    }"""
    page.evaluate("scrollTo(0, 0)")
    assert blank(page, WRONG).evaluate(in_view), "a page that is still scrolling there takes a verdict out of view"


def test_right_answers_are_right_and_enter_leads_from_blank_to_blank(page, sheet):
    blank(page, sheet.fields[0].label).focus()
    for field in sheet.fields:
        expect(blank(page, field.label)).to_be_focused()
        if field.choices:
            blank(page, field.label).select_option(str(field.true))
        else:
            page.keyboard.type(right(field))
        page.keyboard.press("Enter")
    expect(page.get_by_text(f"{len(sheet.fields)} of {len(sheet.fields)} correct")).to_be_visible()
    expect(page.locator("[data-kind=wrong]")).to_have_count(0)
    expect(page.locator("progress")).to_have_js_property("value", len(sheet.fields))


def test_a_mark_goes_when_the_answer_changes(page, mistake):
    blank(page, WRONG).fill(mistake)
    blank(page, WRONG).press("Tab")
    expect(about(page, WRONG)).to_have_attribute("data-kind", "wrong")
    blank(page, WRONG).fill("0.5")
    expect(about(page, WRONG)).not_to_have_attribute("data-kind", "wrong")


def test_what_cannot_be_read_is_not_wrong(page):
    blank(page, WRONG).fill("many")
    blank(page, WRONG).press("Enter")
    expect(about(page, WRONG)).to_have_attribute("data-kind", "unread")
    expect(about(page, WRONG)).to_contain_text("'many' is not a number")


# -- hints, other numbers, a reload ------------------------------------------------------------------


def test_hints_come_rung_by_rung_to_the_answer(page, sheet):
    said = about(page, WRONG)
    for count in range(1, 5):
        said.get_by_role("button").click()
        expect(said.locator(".hints h2, .hints h3, .hints h4")).to_have_count(count)
    expect(said.get_by_role("button")).to_have_count(0)
    field = next(field for field in sheet.fields if field.label == WRONG)
    expect(said.locator(".hints")).to_contain_text(right(field))


def test_hints_go_on_with_the_own_number_and_give_no_other_blank_away(page, sheet):
    later, field = "weights[0][0]", next(field for field in sheet.fields if field.label == WRONG)
    for _ in range(2):
        about(page, later).get_by_role("button").click()
    hints = about(page, later).locator(".hints")
    expect(hints).to_contain_text(f"{WRONG} = ____")
    expect(hints).not_to_contain_text(right(field))
    blank(page, WRONG).fill("0.789")
    blank(page, WRONG).press("Enter")
    expect(hints).to_contain_text(f"{WRONG} = 0.789")


def test_answers_survive_a_reload_and_are_judged_again(page, mistake):
    blank(page, WRONG).fill(mistake)
    blank(page, WRONG).press("Enter")
    expect(about(page, WRONG)).to_have_attribute("data-kind", "wrong")
    page.reload()
    expect(blank(page, WRONG)).to_have_value(mistake)
    expect(about(page, WRONG)).to_have_attribute("data-kind", "wrong")
    page.get_by_role("button", name="Clear my answers").click()
    expect(blank(page, WRONG)).to_have_value("")
    page.reload()
    expect(blank(page, WRONG)).to_have_value("")


def test_new_numbers_and_more_blanks_are_in_the_address(page):
    asked = page.locator("[data-label]").count()
    page.get_by_role("button", name="New numbers").click()
    expect(page).to_have_url(re.compile("seed=2&blanks=few$"))
    expect(page.locator(".code")).to_contain_text("-2-")
    page.locator(".bar select").select_option("some")
    expect(page).to_have_url(re.compile("seed=2&blanks=some$"))
    expect(page.locator("[data-label]").nth(asked)).to_be_visible()
    page.go_back()
    page.go_back()
    expect(page).to_have_url(re.compile("seed=1&blanks=few$"))


def test_lessons_that_can_be_practised_are_listed(page, lab):
    page.goto(f"{lab}/#/practice")
    page.get_by_role("link", name="Example 1: a forward pass").click()
    expect(page).to_have_url(f"{lab}/#/practice/example-1")


def test_a_telephone_shows_it_without_scrolling_sideways(page, mistake):
    page.set_viewport_size({"width": 360, "height": 740})
    blank(page, WRONG).fill(mistake)
    blank(page, WRONG).press("Enter")
    expect(about(page, WRONG)).to_have_attribute("data-kind", "wrong")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


# -- progress ----------------------------------------------------------------------------------------


def test_progress_is_remembered_without_leaving_the_sheet(page, lab, mistake):
    blank(page, WRONG).fill(mistake)
    blank(page, WRONG).press("Enter")
    page.get_by_role("button", name="Save my progress").click()
    expect(page.get_by_text("count toward your progress")).to_be_visible()
    expect(blank(page, WRONG)).to_have_value(mistake)
    go(page, lab, "progress")
    row = page.locator(f'[data-mistake="{MISTAKE}"]')
    expect(row).to_contain_text(mistake_hint(MISTAKE))
    expect(page.get_by_role("rowheader", name="Example 1: a forward pass")).to_be_visible()
    row.get_by_role("link").click()
    expect(page).to_have_url(f"{lab}/#/practice/example-1")


def test_progress_is_kept_exported_taken_along_and_deleted(page, lab, mistake, browser, tmp_path):
    go(page, lab, "progress")
    page.get_by_role("button", name="Save my progress").click()
    code = page.locator("code.code").inner_text()
    go(page, lab, SHEET.removeprefix("#/"))
    blank(page, WRONG).fill(mistake)
    blank(page, WRONG).press("Enter")
    expect(about(page, WRONG)).to_have_attribute("data-kind", "wrong")

    go(page, lab, "progress")
    expect(page.locator(f'[data-mistake="{MISTAKE}"]')).to_contain_text(mistake_hint(MISTAKE))
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download my data").click()
    waiting.value.save_as(tmp_path / "mine.json")
    kept = json.loads((tmp_path / "mine.json").read_text(encoding="utf-8"))
    assert kept["code"] == code
    assert [(one["label"], one["mistake"]) for one in kept["attempts"]] == [(WRONG, MISTAKE)]

    elsewhere = browser.new_page()
    elsewhere.goto(f"{lab}/#/progress")
    elsewhere.locator("input[name=code]").fill(code)
    elsewhere.get_by_role("button", name="Use this code").click()
    expect(elsewhere.locator(f'[data-mistake="{MISTAKE}"]')).to_be_visible()
    elsewhere.close()

    page.get_by_role("button", name="Delete my data").click()
    page.get_by_role("button", name="Delete everything").click()
    expect(page.locator("main").get_by_text("Your data has been deleted.")).to_be_visible()
    expect(page.get_by_text("No progress is saved.")).to_be_visible()
    assert page.evaluate("localStorage.getItem('workings-learner')") is None


def go(page, lab, address):
    page.goto("about:blank")
    page.goto(f"{lab}/#/{address}")


def test_nothing_is_sent_about_those_who_did_not_ask_for_it(page, mistake):
    with page.expect_request("**/api/sheets/grade") as waiting:
        blank(page, WRONG).fill(mistake)
        blank(page, WRONG).press("Enter")
    assert "workings-learner" not in waiting.value.headers


def test_a_code_that_nobody_has_is_refused_in_words(browser, lab):
    page = browser.new_page()
    page.goto(f"{lab}/#/progress")
    page.locator("input[name=code]").fill("abcde-abcde-abcde-abcde")
    page.get_by_role("button", name="Use this code").click()
    expect(page.get_by_role("alert")).to_contain_text("There is no learner with this code.")
    expect(page.get_by_text("No progress is saved.")).to_be_visible()
    page.close()


# -- models ------------------------------------------------------------------------------------------


def test_a_model_is_counted(page, lab):
    go(page, lab, "models")
    page.get_by_role("link", name="gpt2", exact=True).click()
    expect(page).to_have_url(f"{lab}/#/models/gpt2")
    expect(page.get_by_text("124,439,808").first).to_be_visible(timeout=20_000)
