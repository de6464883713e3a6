"""The lab without a mouse: every place is reached, seen, and left again."""

import re

import pytest
from lab_visits import visitor
from loops import slow_if
from playwright.sync_api import expect

FAR = 200  # presses of a key, after which nobody would look further
PLACE = "#/explore/example-3/W_V[0][0]?run=twin"

# What has the focus, its name as far as it is written, and whether it is in sight and looks other than without the
# focus: itself, what is in it, or what it is in.
FOCUSED = """() => {
  const node = document.activeElement;
  if (node === document.body) return ["", "", true, true];
  const KEYS = ["outline", "boxShadow", "stroke", "strokeWidth", "borderColor", "top"];
  const above = node.parentElement;
  const around = [node, ...[...node.querySelectorAll("*")].slice(0, 6), above, above.parentElement];
  const styles = around.flatMap((one) => [getComputedStyle(one), getComputedStyle(one, "::after")]);
  const looks = () => styles.map((style) => KEYS.map((key) => style[key]).join()).join(";");
  const { top, bottom } = node.getBoundingClientRect();
  const seen = looks();
  node.blur();
  const differs = looks() !== seen;
  node.focus({ preventScroll: true });
  const title = node.getAttribute("aria-label") ?? node.querySelector("title")?.textContent;
  const name = title ?? node.innerText ?? node.textContent;
  return [node.getAttribute("role") ?? node.localName, name.trim(), bottom > 0 && top < innerHeight, differs];
}"""


@pytest.fixture
def somebody(browser, lab):
    with visitor(browser, lab, reduced_motion="reduce") as who:
        yield who


def tab_to(page, role, name, key="Tab"):
    """Press Tab until something has the focus; everything on the way must be seen to have it."""
    passed = []
    for _ in range(FAR):
        page.keyboard.press(key)
        found, text, in_sight, looks_other = page.evaluate(FOCUSED)
        assert (in_sight, looks_other) == (True, True), (found, text)
        if found == role and re.search(name, text):
            return passed
        passed.append((found, text))
    raise AssertionError(f"{role} {name} is not reached: {passed[:40]}")


def test_from_the_address_bar_to_a_changed_weight_and_back(somebody):
    page = somebody.load("#/explore/example-3/weights?run=twin")
    loss = page.get_by_role("definition").first
    expect(loss).to_be_visible()
    expect(page.get_by_role("table", name="weights query")).to_be_visible()
    before = loss.inner_text()
    passed = tab_to(page, "button", "^weights, ")
    assert passed[0][1] == "Skip to content"
    for _ in range(FAR):  # the arrows go through the flow
        if page.evaluate(FOCUSED)[1].startswith("W_V,"):
            break
        page.keyboard.press(
            "ArrowRight" if page.evaluate(FOCUSED)[1].startswith(("Q", "K", "W_Q", "W_K")) else "ArrowUp"
        )
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/W_V\?"))
    expect(page.get_by_role("table", name="W_V model")).to_be_visible()
    tab_to(page, "button", r"^0\.2$")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/W_V\[0\]\[0\]\?"))
    tab_to(page, "button", "What if")
    page.keyboard.press("Enter")
    tab_to(page, "input", "")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("0.3")
    expect(page).to_have_url(re.compile(r"W_V\[0\]\[0\]=0\.3$"))
    expect(loss).not_to_have_text(before)
    tab_to(page, "button", "^Undo$", key="Shift+Tab")
    page.keyboard.press("Enter")
    expect(loss).to_have_text(before)
    expect(page).not_to_have_url(re.compile(r"=0\.3$"))


def test_a_dialog_holds_the_focus_and_gives_it_back(somebody):
    page = somebody.see("lesson with figures")
    first = page.get_by_role("table").first.get_by_role("button").first
    first.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("link", name="Open in the explorer")).to_be_visible()
    inside = "document.activeElement === document.body || document.activeElement.closest('dialog') !== null"
    for _ in range(25):
        page.keyboard.press("Tab")
        assert page.evaluate(inside)
    page.keyboard.press("Escape")
    expect(dialog).not_to_be_visible()
    expect(first).to_be_focused()


def test_the_first_key_leads_past_the_ways_to_the_content(somebody):
    page = somebody.see("check")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("radio").first).to_be_focused()


def test_a_matrix_is_one_stop_and_the_arrows_go_through_it(somebody):
    page = somebody.see("step")
    numbers = page.get_by_role("table", name="weights query").get_by_role("button")
    numbers.nth(0).focus()
    page.keyboard.press("ArrowRight")
    expect(numbers.nth(1)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(numbers.nth(3)).to_be_focused()
    page.keyboard.press("Home")
    expect(numbers.nth(0)).to_be_focused()
    page.keyboard.press("End")
    page.keyboard.press("Tab")
    for number in numbers.all():
        expect(number).not_to_be_focused()


TABBED = ["home", "entry", "what if", "heatmap", "practice", "check", "progress"]


@pytest.mark.parametrize("name", slow_if(["practice", "check", "progress", "heatmap"], TABBED))
def test_no_page_is_a_trap(somebody, name):
    """Tab comes to the end of the page and begins again; on the way it is always seen where it is."""
    page = somebody.see(name)
    tab_to(page, "a", "^Skip to content$")
    passed = tab_to(page, "a", "^Skip to content$")
    assert len(passed) > 5
