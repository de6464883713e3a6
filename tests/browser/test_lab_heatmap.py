"""Large matrices in a real browser: a pixel opens the entry that geometry says, wherever the matrix was moved."""

import re
from math import floor
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from workings.lab.traces.store import Lab
from workings.lab.traces.wanted import Wanted

SOON = 10_000  # milliseconds; two test processes may share a core
LEFT, TOP = 64, 26  # pixels of the labels
SIZE = 40
WORDS = " ".join(f"w{n}" for n in range(SIZE))
LARGE = f"""scenario: 1
title: Large
vocabulary: {WORDS}
model: {{kind: decoder, width: 8, heads: 2, mask: causal, head: last-token}}
parameters: {{seed: 3}}
data: {{input: {WORDS}, target: w1}}
"""


@pytest.fixture
def explore(browser, lab):
    """Open a view of the explorer. What a page says on its console is a failure, but for what is `foreseen`."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(SOON)
    complaints, foreseen = [], []

    def opened(place, settings="", scenario=LARGE, context=context):
        page = context.new_page()
        page.on("console", lambda said: said.type == "error" and complaints.append(said.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(f"{lab}/#/explore/large/{place}?scenario={quote(scenario)}{settings and '&'}{settings}")
        expect(page.locator("#step h2")).to_be_visible(timeout=SOON)
        return page

    opened.foreseen = foreseen
    yield opened
    context.close()
    assert [said for said in complaints if not any(part in said for part in foreseen)] == []


@pytest.fixture
def heatmap(explore):
    return explore("weights")


def place(page):
    """Where the address says that one is."""
    return page.evaluate("decodeURIComponent(location.hash)").split("?")[0].rpartition("/")[2]


def zoom(page):
    """The row and the column at the corner, and the scale, as the address has them; nothing if all is seen."""
    found = re.search(r"zoom=([\d.,]+)", page.evaluate("location.hash"))
    return [float(number) for number in found[1].split(",")] if found else None


def expect_zoom(page, row, column, scale):
    """The same, once the hand rests."""
    expect(page).to_have_url(re.compile(rf"zoom={int(row)}\b.*,{int(column)}\b.*,{int(scale)}\b"))
    assert zoom(page) == pytest.approx([row, column, scale], abs=0.01)


def corner(page):
    """Where the first pixel of the matrix is on the page."""
    box = page.locator("#step canvas").bounding_box()
    return box["x"] + LEFT, box["y"] + TOP


def press(page, x, y, **how):
    left, top = corner(page)
    page.mouse.click(left + x, top + y, **how)


def expect_entry(page, *index):
    expect(page.locator("#cell h2")).to_contain_text("".join(f"[{place}]" for place in index))


def under(x, y, row=0.0, column=0.0, scale=1.0):
    """The entry at a pixel, if this one stands at the corner."""
    return floor(row + y / scale), floor(column + x / scale)


def whole(page):
    """The side of an entry where all of a matrix of 40 x 40 is seen."""
    return (page.locator("#step canvas").bounding_box()["height"] - TOP - 2) / SIZE


# -- pressing, moving ----------------------------------------------------------------------------------


def test_a_heatmap_is_read_by_keyboard_and_said(heatmap):
    weights = Lab().open(Wanted(scenario=LARGE)).trace["weights"]
    box, read, said = (heatmap.locator(name) for name in ("[role=application]", "#heatmap-entry", "#step [aria-live]"))
    heatmap.mouse.move(*(side + 200 for side in corner(heatmap)))
    expect(read.locator(".number")).not_to_have_text("…")
    expect(said).to_be_empty()  # what a mouse passes is not said
    heatmap.keyboard.press("Tab")
    box.focus()
    box.press("Control+Home")
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight"):
        box.press(key)
    expect(read).to_contain_text("weights[0][3][2]")
    expect(read).to_contain_text("w3 → w2")
    expect(read.locator(".number")).to_have_text(weights.number(0, 3, 2).text)
    expect(said).to_have_text(read.inner_text())
    box.press("Enter")
    expect_entry(heatmap, 0, 3, 2)


def test_the_pixel_that_is_pressed_opens_its_entry_after_zooming_and_dragging_too(heatmap):
    side, x, y = whole(heatmap), 150, 300
    press(heatmap, 4.5 * side, 9.5 * side)
    expect_entry(heatmap, 0, 9, 4)
    heatmap.get_by_role("button", name="Zoom in").click()
    heatmap.get_by_role("button", name="Zoom in").click()
    scale = side * 1.25**2
    row, column = 9 - 9 / 1.25**2, 4 - 4 / 1.25**2  # what is open stays where it is
    expect_zoom(heatmap, row, column, scale)
    assert place(heatmap) == "weights[0][9][4]"
    assert under(x, y, row, column, scale) != under(x, y, scale=side)
    press(heatmap, x, y)
    expect_entry(heatmap, 0, *under(x, y, row, column, scale))
    opened = place(heatmap)

    left, top = corner(heatmap)
    heatmap.mouse.move(left + 230, top + 230)
    heatmap.mouse.down()
    heatmap.mouse.move(left + 180, top + 160, steps=4)
    heatmap.mouse.up()
    row, column = row + 70 / scale, column + 50 / scale
    expect_zoom(heatmap, row, column, scale)
    assert place(heatmap) == opened  # dragging opens nothing
    press(heatmap, x, y)
    expect_entry(heatmap, 0, *under(x, y, row, column, scale))
    heatmap.get_by_role("button", name="Whole matrix").click()
    expect(heatmap).not_to_have_url(re.compile("zoom="))
    press(heatmap, x, y)
    expect_entry(heatmap, 0, *under(x, y, scale=side))


def test_only_the_first_button_opens(heatmap):
    press(heatmap, 100, 50, button="right")
    press(heatmap, 200, 300, button="middle")
    press(heatmap, 100, 200)
    expect_entry(heatmap, 0, *under(100, 200, scale=whole(heatmap)))
    assert heatmap.evaluate("history.length") == 3  # nothing else was opened on the way


def test_vectors_as_columns(explore):
    """E has 40 rows and 8 columns; its page shows 8 rows and 40 columns."""
    page = explore("E", "notation=column")
    canvas = page.locator("#step canvas").bounding_box()
    side = (canvas["width"] - LEFT - 2) / SIZE
    press(page, 30.5 * side, 3.5 * side)
    expect(page.locator("#cell h2")).to_have_text(re.compile(r"E\[3\]\[30\]\s+w30"))
    assert place(page) == "E[30][3]"
    number = Lab().open(Wanted(scenario=LARGE)).trace["E"].number(30, 3).text
    expect(page.locator("#cell output")).to_have_text(number)
    expect(page.locator("#heatmap-entry")).to_contain_text("E[3][30]")
    expect(page.locator("#heatmap-entry .number")).to_have_text(number)


def test_vectors_as_columns_in_the_matrices_that_are_read(explore):
    page = explore("logits[35]", "notation=column")
    expect(page.locator("#cell h2")).to_contain_text("w35")
    marked = page.locator(".source button.marked")
    expect(marked).to_have_count(8 + 6)  # a vector, and as much of W_vocab[35] as is drawn
    assert page.locator(".source th").filter(has_text="w35").count() == 1


def test_counting_from_one(explore):
    page = explore("weights[0][3][2]", "notation=from+1")
    expect(page.locator("#cell h2")).to_contain_text("weights[1][4][3]")
    page.get_by_role("application").focus()
    expect(page.locator("#heatmap-entry")).to_contain_text("weights[1][4][3]")


# -- the address -----------------------------------------------------------------------------------


def test_a_link_shows_the_same_part_and_an_edit_or_another_head_does_not_lose_it(explore):
    page = explore("weights[0][39][39]", "zoom=5.5,2.25,30")  # what is open is not in sight, and does not come there
    press(page, 100, 200)
    expect_entry(page, 0, *under(100, 200, 5.5, 2.25, 30))
    page.evaluate("location.hash += '&W_Q[0][0]=0.7'")
    expect(page.get_by_role("button", name=re.compile("What if"))).to_contain_text("1")
    page.get_by_role("button", name="head 2", exact=True).click()
    expect_entry(page, 1, *under(100, 200, 5.5, 2.25, 30))
    press(page, 160, 110)
    expect_entry(page, 1, *under(160, 110, 5.5, 2.25, 30))
    assert zoom(page) == [5.5, 2.25, 30]
    page.get_by_role("button", name="Gradient", exact=True).click()
    expect(page.locator("#step h2")).to_contain_text("dweights")
    assert zoom(page) is None  # another matrix is seen as a whole


PAINTED = "() => document.querySelector('#step canvas').getContext('2d').getImageData(70, 32, 1, 1).data[3] > 0"


def test_the_colors_stay_until_those_after_an_edit_are_there(heatmap):
    canvas = heatmap.locator("#step canvas")
    heatmap.wait_for_function(PAINTED)
    before = canvas.evaluate("(canvas) => canvas.toDataURL()")
    held = []
    heatmap.route("**/tile?*", lambda route: held.append(route))
    with heatmap.expect_request("**/tile?*"):
        heatmap.evaluate("location.hash += '&W_Q[0][0]=0.7'")
    heatmap.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert canvas.evaluate("(canvas) => canvas.toDataURL()") == before
    for route in held:
        route.continue_()


# -- scrolling past --------------------------------------------------------------------------------

TURN = """(keys) => !document.querySelector('[role=application]').dispatchEvent(
    new WheelEvent('wheel', { deltaY: -100, cancelable: true, clientX: 700, clientY: 400, ...keys }))"""


@pytest.mark.slow
def test_the_wheel_scrolls_the_page_until_the_heatmap_is_pressed(heatmap):
    assert not heatmap.evaluate(TURN, {})
    assert heatmap.evaluate(TURN, {"ctrlKey": True})
    expect(heatmap).to_have_url(re.compile("zoom="))
    heatmap.get_by_role("button", name="Whole matrix").click()
    expect(heatmap).not_to_have_url(re.compile("zoom="))
    heatmap.get_by_role("application").focus()
    assert heatmap.evaluate(TURN, {})
    expect(heatmap).to_have_url(re.compile("zoom="))
    heatmap.get_by_role("button", name="Whole matrix").click()
    expect(heatmap).not_to_have_url(re.compile("zoom="))
    heatmap.get_by_role("application").focus()
    assert not heatmap.evaluate(TURN, {"deltaY": 100})  # there is no further away


@pytest.mark.slow
def test_one_finger_scrolls_past_until_the_heatmap_is_pressed(browser, explore):
    context = browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    context.set_default_timeout(SOON)
    page = explore("weights", context=context)
    box = page.get_by_role("application")
    expect(page.locator("#step")).to_contain_text("Pinch to zoom.")
    assert box.evaluate("(box) => getComputedStyle(box).touchAction") == "pan-x pan-y"
    box.scroll_into_view_if_needed()
    left, top = corner(page)
    page.touchscreen.tap(left + 100, top + 100)
    expect_entry(page, 0, *under(100, 100, scale=whole(page)))
    assert box.evaluate("(box) => getComputedStyle(box).touchAction") == "none"
    context.close()


# -- requests --------------------------------------------------------------------------------------

SWEEP = """([left, top, side]) => {
  const box = document.querySelector('[role=application]');
  for (let n = 0; n < 40; n++) {
    const [clientX, clientY] = [left + (n + 0.5) * side, top + (n + 0.5) * side];
    box.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, clientX, clientY }));
  }
}"""


def test_numbers_are_asked_for_when_the_hand_rests(heatmap):
    asked = []
    heatmap.on("request", lambda request: asked.append(request.url) if "/window" in request.url else None)
    heatmap.evaluate(SWEEP, [*corner(heatmap), whole(heatmap)])
    expect(heatmap.locator("#heatmap-entry")).to_contain_text("w39 → w39")
    assert [url.rpartition("?")[2] for url in asked] == ["lead=0&row=32&column=32&rows=8&columns=8"]


def test_a_part_that_cannot_be_had_is_asked_for_again(explore):
    page = explore("scores")
    explore.foreseen.append("500")
    problem = {"key": "server.fault", "what": "The lab is tired.", "where": "", "given": "", "try_this": "Wait."}
    page.clock.install()
    page.route("**/tile?*", lambda route: route.fulfill(status=500, json=problem), times=1)
    page.get_by_role("button", name="head 2", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("The lab is tired.")
    page.clock.run_for(3000)
    expect(page.get_by_role("alert")).to_have_count(0)


# -- long words ------------------------------------------------------------------------------------

LONG = ("extraordinarilyunbelievable", "incomprehensibilitieswithinwords")


@pytest.mark.slow
@pytest.mark.parametrize("width", [1440, 360])
def test_long_words_beside_a_matrix_are_cut_short_for_the_eye_only(explore, width):
    scenario = LARGE.replace(f"vocabulary: {WORDS}", f"vocabulary: {' '.join(LONG)} w1").replace(WORDS, " ".join(LONG))
    page = explore("weights[0][1][0]", scenario=scenario)
    page.set_viewport_size({"width": width, "height": 900})
    table = page.locator("#step .result table")
    head = table.get_by_role("columnheader", name=LONG[0], exact=True)
    expect(head).to_have_attribute("title", LONG[0])
    expect(table.get_by_role("rowheader", name=LONG[1], exact=True)).to_be_visible()
    scrolls = page.locator("#step .result").evaluate("(box) => box.scrollWidth - box.clientWidth")
    assert scrolls <= 1
    assert table.bounding_box()["width"] < 430
