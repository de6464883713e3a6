"""Answers that come late: what somebody does meanwhile stands, and what was taken back does not return."""

import re

import pytest
from lab_visits import visitor
from playwright.sync_api import expect

PLACE = "#/explore/example-3/W_V[0][0]?run=twin&panel=what-if"


@pytest.fixture
def page(browser, lab):
    with visitor(browser, lab) as somebody:
        somebody.foreseen.append("400")
        page = somebody.load(PLACE)
        expect(entry(page)).to_have_value("0.2")
        yield page


class Held:
    """The wishes for traces that contain a text wait until they are let go."""

    def __init__(self, page, text):
        self.waiting = []
        self.holds = True
        self.page, self.text = page, text
        page.route("**/api/traces", self._ask)

    def _ask(self, route):
        if self.holds and self.text in (route.request.post_data or ""):
            self.waiting.append(route)
        else:
            route.continue_()

    def wait(self):
        """Until one is asked for."""
        while not self.waiting:
            self.page.wait_for_timeout(20)

    def let_go(self):
        waiting, self.waiting, self.holds = self.waiting, [], False
        for route in waiting:
            route.continue_()


def entry(page):
    return page.locator("#what-if-entry")


def edits(page):
    return page.evaluate("decodeURIComponent(location.hash)").split("panel=what-if")[1]


def test_who_goes_on_to_another_step_stays_there_and_the_change_is_made(page):
    held = Held(page, "W_V[0][0]")
    entry(page).fill("0.3")
    held.wait()
    page.locator("#flow").get_by_role("button", name=re.compile("^weights,")).click()
    expect(page.locator("#step h2")).to_contain_text("weights")
    held.let_go()
    expect(page).to_have_url(re.compile(r"/weights\?.*W_V\[0\]\[0\]=0\.3$"))
    expect(page.locator("#step h2")).to_contain_text("weights")


@pytest.mark.slow
def test_a_second_change_that_is_refused_leaves_the_first_one(page):
    held = Held(page, "W_V[0][0]=0.3")
    entry(page).fill("0.3")
    held.wait()
    page.get_by_text("Edit several entries").click()
    numbers = page.locator(".what-if textarea")
    expect(numbers).not_to_have_value("")
    numbers.fill("many")
    page.get_by_role("button", name="Apply").click()
    held.let_go()
    expect(page.locator("#what-if-matrix-problem")).to_contain_text("many")
    assert edits(page) == "&W_V[0][0]=0.3"
    expect(numbers).to_have_value("many")


def test_what_is_taken_back_while_it_is_computed_does_not_return(page):
    entry(page).fill("0.3")
    expect(page).to_have_url(re.compile(r"W_V\[0\]\[0\]=0\.3$"))
    held = Held(page, "W_V[0][0]=0.7")
    entry(page).fill("0.7")
    held.wait()
    page.get_by_role("button", name="Undo", exact=True).click()
    held.let_go()
    expect(entry(page)).to_have_value("0.2")
    page.evaluate("fetch('/api/lessons')")  # one more answer has come since
    assert edits(page) == ""
    expect(page.get_by_role("button", name="Undo", exact=True)).to_be_disabled()


@pytest.mark.slow
def test_what_is_typed_for_a_matrix_is_not_written_over(page):
    page.get_by_text("Edit several entries").click()
    numbers = page.locator(".what-if textarea")
    expect(numbers).not_to_have_value("")
    numbers.fill("0.5 0; 0")
    page.locator('#step .result button[data-index="1,1"]').click()  # another entry
    expect(page.locator("label[for=what-if-entry]")).to_contain_text("W_V[1][1]")
    entry(page).fill("0.9")  # and another edit
    expect(page).to_have_url(re.compile(r"W_V\[1\]\[1\]=0\.9$"))
    expect(page.locator(".what-if .moved").first).to_be_visible()
    expect(numbers).to_have_value("0.5 0; 0")
