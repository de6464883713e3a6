"""The lab on a telephone, on a projector, by night, and for those whom movement disturbs."""

import pytest
from lab_visits import VIEWS, visitor
from playwright.sync_api import expect

TELEPHONE, PROJECTOR = {"width": 360, "height": 740}, {"width": 1920, "height": 1080}
LETTER = "parseFloat(getComputedStyle(document.querySelector('main p')).fontSize)"
# How far the page can be scrolled sideways, and what stands out to the right; what scrolls by itself may be wide.
OVERHANG = """() => {
  const room = document.documentElement.clientWidth;
  const clipped = (node) => node && (getComputedStyle(node).overflowX !== "visible" || clipped(node.parentElement));
  const out = [...document.querySelectorAll("#app *")].filter((node) =>
    node.checkVisibility() && node.getBoundingClientRect().right > room + 1 && !clipped(node.parentElement));
  return [document.documentElement.scrollWidth - room, out.slice(0, 3).map((node) => node.outerHTML.slice(0, 120))];
}"""


def ground(page):
    """How light the page is behind its text, from 0 to 255."""
    return page.evaluate("""() => {
      const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d");
      canvas.fillStyle = getComputedStyle(document.body).backgroundColor;
      canvas.fillRect(0, 0, 1, 1);
      return canvas.getImageData(0, 0, 1, 1).data[0];
    }""")


# -- size --------------------------------------------------------------------------------------------


def test_no_page_scrolls_sideways_on_a_telephone(browser, lab):
    with visitor(browser, lab, viewport=TELEPHONE, has_touch=True) as who:
        for name in VIEWS:
            page = who.see(name)
            assert (name, *page.evaluate(OVERHANG)) == (name, 0, [])


def test_what_is_pressed_on_a_telephone_comes_into_sight(browser, lab):
    with visitor(browser, lab, viewport=TELEPHONE, has_touch=True) as who:
        page = who.see("step")
        page.get_by_role("table", name="weights query").get_by_role("button").nth(2).tap()
        why = page.get_by_role("region", name="Entry").get_by_role("heading", level=2)
        expect(why).to_contain_text("weights[1][0]")
        expect(why).to_be_in_viewport()


@pytest.mark.slow
def test_large_letters_on_a_projector(browser, lab):
    with visitor(browser, lab, viewport=PROJECTOR) as who:
        page = who.see("lesson")
        before = page.evaluate(LETTER)
        page.get_by_role("button", name="Large text").click()
        assert page.evaluate(LETTER) == pytest.approx(before * 1.3)
        page.reload()  # it is remembered
        expect(page.get_by_role("button", name="Large text", pressed=True)).to_be_visible()
        for name in ("lesson", "entry", "home"):
            page = who.see(name)
            assert (name, *page.evaluate(OVERHANG)) == (name, 0, [])
            assert page.evaluate(LETTER) >= before * 1.1
        for label in ("Architecture", "Step", "Entry"):  # side by side
            expect(who.see("entry").get_by_role("region", name=label, exact=True)).to_be_in_viewport()


# -- light -------------------------------------------------------------------------------------------


def test_light_and_dark_follow_the_system_until_somebody_chooses(browser, lab):
    with visitor(browser, lab, color_scheme="dark") as who:
        page = who.see("check")
        button = page.get_by_role("button", name="Dark mode")
        expect(button).to_have_attribute("aria-pressed", "true")
        assert ground(page) < 60
        page.emulate_media(color_scheme="light")
        expect(button).to_have_attribute("aria-pressed", "false")
        assert ground(page) > 230
        button.click()
        assert ground(page) < 60
        page.reload()  # chosen and remembered, whatever the system says
        expect(button).to_have_attribute("aria-pressed", "true")
        assert ground(page) < 60


# -- movement ----------------------------------------------------------------------------------------

MOVING = """() => document.getAnimations().filter((one) => one.effect?.getComputedTiming().iterations === Infinity
  || one instanceof CSSTransition).map((one) => one.animationName ?? one.transitionProperty)"""


def test_nothing_moves_for_those_whom_it_disturbs(browser, lab):
    with visitor(browser, lab, reduced_motion="reduce") as who:
        page = who.see("entry")
        page.get_by_role("button", name="Next step").click()
        assert page.evaluate(MOVING) == []
        page.get_by_role("button", name="First step").click()
        assert page.evaluate(MOVING) == []


def test_the_judge_sees_what_moves(browser, lab):
    with visitor(browser, lab) as who:
        page = who.see("entry")
        page.evaluate(
            "document.body.animate([{ opacity: 1 }, { opacity: 0.9 }], { iterations: Infinity, duration: 999 })"
        )
        assert len(page.evaluate(MOVING)) == 1
