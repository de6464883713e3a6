"""axe-core finds nothing to complain about on any page of the lab: light, dark, and on a narrow screen."""

from pathlib import Path

import pytest
from lab_visits import VIEWS, visitor
from loops import slow_if
from playwright.sync_api import expect

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
WIDE, NARROW = {"width": 1440, "height": 1000}, {"width": 360, "height": 740}
COLORS = ["color-contrast", "link-in-text-block"]  # dark and light differ in nothing else
HEAVY = {
    "lesson",
    "lesson with figures",
    "practice",
    "model",
}  # thousands of elements: narrow, only what a width changes
WIDTHS = ["color-contrast", "target-size", "scrollable-region-focusable", "meta-viewport", "region"]


@pytest.fixture(scope="module")
def somebody(browser, lab):
    """For them alone the policy of the lab is lifted: axe-core is put into its pages."""
    with visitor(browser, lab, bypass_csp=True, reduced_motion="reduce") as who:
        yield who


def violations(page, rules=None, within="html"):
    """What axe-core finds: the rule, where, and why."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    options = {"resultTypes": ["violations"], **({"runOnly": rules} if rules else {})}
    run = "async ([within, options]) => (await axe.run(within, options)).violations"
    found = page.evaluate(run, [within, options])
    return [(rule["id"], node["html"][:200], node["failureSummary"]) for rule in found for node in rule["nodes"]]


@pytest.mark.parametrize("name", slow_if(["lesson with figures", "lesson", "practice"], VIEWS))
def test_a_page(somebody, name):
    somebody.page.set_viewport_size(WIDE)
    somebody.page.emulate_media(color_scheme="light")
    page = somebody.see(name)
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    expect(page.get_by_role("button", name="Dark mode")).to_have_attribute("aria-pressed", "true")
    somebody.settle()  # grounds of numbers are painted anew
    assert violations(page, COLORS) == []
    page.set_viewport_size(NARROW)
    somebody.settle()  # boxes that scroll now can be reached with the keyboard
    assert violations(page, WIDTHS if name in HEAVY else None) == []


def test_what_opens_above_a_page(somebody):
    somebody.page.set_viewport_size(WIDE)
    page = somebody.load("#/lesson/embeddings")
    page.get_by_role("table").first.get_by_role("button").first.click()
    expect(page.get_by_role("dialog").get_by_role("link", name="Open in the explorer")).to_be_visible()
    somebody.settle()
    assert violations(page, within="dialog") == []


def test_the_progress_of_a_learner(somebody):
    page = somebody.see("progress")
    page.get_by_role("button", name="Save my progress").click()
    expect(page.get_by_role("button", name="Delete my data")).to_be_visible()
    somebody.settle()
    assert violations(page) == []
    page.get_by_role("button", name="Delete my data").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert violations(page) == []


def test_a_violation_is_found(somebody):
    """The judge itself: what is wrong on purpose does not pass."""
    page = somebody.see("check")
    page.evaluate("document.querySelector('main').append(document.createElement('button'))")
    assert [rule for rule, *_ in violations(page, ["button-name"])] == ["button-name"]
