"""The explorer in a real browser: what it shows is what the engine says, and the address is all its state."""

import re

import pytest
from playwright.sync_api import expect

import workings as w

SOON = 10_000  # milliseconds; two test processes may share a core
OWN = """scenario: 1
title: My own
vocabulary: a b c
model: {kind: decoder, width: 4, mask: causal, head: last-token}
parameters: {seed: 3}
data: {input: a b, target: c}
"""


@pytest.fixture
def explore(browser, lab):
    """Open a view of the explorer. What a page says on its console is a failure."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(SOON)
    complaints = []

    def opened(address, **looks):
        page = context.new_page()
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(f"{lab}/#/explore/{address}")
        expect(page.locator("#step h2")).to_be_visible(timeout=SOON)
        return page

    yield opened
    context.close()
    assert complaints == []


def trace_of(name, run="default"):
    return w.lesson(name).trace(run=run)


def shown_lines(page):
    """The hand calculation on the page, with single blanks."""
    lines = page.locator("#cell .derivation .line").all_inner_texts()
    return [re.sub(r"\s+", " ", line).strip() for line in lines]


def said_lines(view, *index):
    """The hand calculation of the engine."""
    return [re.sub(r"\s+", " ", line).strip() for line in str(view.cell(*index)).splitlines() if " = " in line]


def entry(page, index):
    return page.locator(f'#step .result button[data-index="{index}"]')


def place(page):
    """Where the address says that one is."""
    return page.evaluate("decodeURIComponent(location.hash)").split("?")[0].rpartition("/")[2]


# -- what is shown -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["example-1", "example-3"])
def test_three_clicks_say_why_b_looks_at_a_as_it_does(explore, name):
    page = explore(name)
    page.get_by_role("button", name=re.compile("^block1.attention")).click()
    page.locator("#flow").get_by_role("button", name=re.compile("^weights,")).click()
    entry(page, "1,0").click()
    expect(page.locator("#cell h2")).to_have_text(re.compile(r"weights\[1\]\[0\]\s+B attends to A"))
    expect(page.locator("#cell .derivation")).to_be_visible()
    weights = trace_of(name)["weights"]
    assert page.locator("#cell output").inner_text() == weights.number(1, 0).text
    assert place(page) == "weights[1][0]"


@pytest.mark.parametrize(
    ("address", "run", "step", "index"),
    [
        ("example-3/scores", "default", "scores", (1, 0)),
        ("example-3/dW_V", "twin", "dW_V", (0, 1)),
        ("hello-world/head2.weights", "default", "head2.weights", (1, 0)),
        ("cat-sat/context", "default", "context", (1, 2)),
    ],
)
def test_the_hand_calculation_of_a_pressed_entry_is_that_of_the_engine(explore, address, run, step, index):
    page = explore(f"{address}?run={run}")
    entry(page, ",".join(map(str, index))).click()
    expect(page.locator("#cell .derivation .line").first).to_be_visible()
    view = trace_of(address.split("/")[0], run)[step]
    numbers = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
    said = [numbers.findall(line) for line in said_lines(view, *index)]
    assert [numbers.findall(line) for line in shown_lines(page)] == said
    assert said[-1][-1] == view.number(*index).text


def test_every_number_of_a_step_is_shown(explore):
    page = explore("example-3/dscaled?run=twin")
    view = trace_of("example-3", "twin")["dscaled"]
    expect(entry(page, "0,0")).to_be_visible()
    shown = page.locator("#step .result tbody button").all_inner_texts()
    assert shown == [view.number(row, column).text for row in range(2) for column in range(2)]


def test_what_an_entry_is_made_from_and_goes_into_leads_there(explore):
    page = explore("example-3/scores[1][0]?run=twin")
    trace = trace_of("example-3", "twin")
    reads = page.get_by_role("list", name="Inputs").get_by_role("link")
    expect(reads).to_have_count(4)
    assert reads.locator("code").all_inner_texts() == ["Q[1][0]", "K[0][0]", "Q[1][1]", "K[0][1]"]
    expect(page.locator("#step .source button.marked")).to_have_count(4)
    reads.first.click()
    expect(page.locator("#cell h2")).to_contain_text("Q[1][0]")
    assert page.locator("#cell output").inner_text() == trace["Q"].number(1, 0).text

    into = page.locator("#cell .feeds a", has_text=re.compile(r"^\s*scores\[1\]\[0\]"))
    into.click()
    expect(page.locator("#cell h2")).to_contain_text("scores[1][0]")
    page.locator("#cell .gradient a").click()
    expect(page.locator("#cell h2")).to_contain_text("dscores[1][0]")
    assert page.locator("#cell output").inner_text() == trace["dscores"].number(1, 0).text


def test_the_way_back_begins_at_the_loss_and_ends_at_the_entry(explore):
    page = explore("example-3/W_V[0][0]?run=twin")
    way = page.locator("#cell ol.way code")
    expect(way.first).to_have_text("dloss")
    expect(way.last).to_have_text("dW_V")
    way.nth(1).click()
    expect(page.locator("#step h2")).to_contain_text("dlogits")


def test_forward_and_gradient_are_two_sides_of_a_step(explore):
    page = explore("example-3/weights[1][0]?run=twin")
    page.get_by_role("button", name="Gradient").click()
    expect(page.locator("#cell h2")).to_contain_text("dweights[1][0]")
    page.get_by_role("button", name="Forward", exact=True).click()
    expect(page.locator("#cell h2")).to_contain_text("weights[1][0]")
    assert place(page) == "weights[1][0]"


def test_a_composite_opens(explore):
    page = explore("example-3/weights[1][0]?run=twin")
    expect(page.locator("#cell h2")).to_contain_text("weights[1][0]")
    inside = page.locator("#step .inside").get_by_role("button")
    inside.filter(has_text="exp").click()
    expect(page.locator("#cell h2")).to_contain_text("exp[1][0]")
    assert page.url.endswith("/weights/exp[1][0]?run=twin")
    page.reload()
    expect(page.locator("#cell h2")).to_contain_text("exp[1][0]")
    expect(page.locator("#step .source button.marked")).to_have_count(1)  # of what it reads, drawn as elsewhere
    inside.filter(has_text="total").click()
    expect(page.locator("#cell h2")).to_contain_text("total[1][0]")
    page.get_by_role("button", name="Back to the whole step").click()
    expect(page.locator("#cell h2")).to_contain_text("weights[1][0]")
    page.evaluate("location.hash = '#/explore/example-3/weights/nothing?run=twin'")
    expect(page.get_by_role("alert")).to_contain_text("There is no step named weights/nothing here.")


def test_modules_open_and_close_in_the_flow(explore):
    page = explore("hello-world")
    flow = page.locator("#flow svg")
    flow.get_by_role("button", name=re.compile("^block1.attention")).click()
    expect(flow.get_by_role("button", name=re.compile(r"^head2"))).to_be_visible()
    page.locator("#flow nav").get_by_role("button", name="Whole model").click()
    expect(flow.get_by_role("button", name=re.compile("^block1.feed_forward"))).to_be_visible()
    page.go_back()
    expect(flow.get_by_role("button", name=re.compile(r"^head2"))).to_be_visible()


def test_the_list_finds_a_step(explore):
    page = explore("hello-world")
    page.get_by_role("button", name="List").click()
    page.get_by_role("searchbox").fill("head2 softmax")
    page.locator("#flow .list").get_by_role("button").first.click()
    expect(page.locator("#step h2")).to_contain_text("head2.weights")
    page.reload()  # what was looked for is in the address
    expect(page.get_by_role("searchbox")).to_have_value("head2 softmax")
    page.get_by_role("button", name="List").click()
    expect(page.locator("#flow svg")).to_be_visible()


def test_heads_are_chosen(explore):
    page = explore("multi-head/weights")
    page.locator("#step").get_by_role("button", name="head 2").click()
    expect(entry(page, "1,2,0")).to_be_visible()
    entry(page, "1,2,0").click()
    expect(page.locator("#cell output")).to_have_text(trace_of("multi-head")["weights"].number(1, 2, 0).text)
    page.locator("#step").get_by_role("button", name="head 1").click()
    expect(page.locator("#cell h2")).to_contain_text("weights[0][2][0]")


# -- time --------------------------------------------------------------------------------------------


def test_the_timeline_is_gone_through_step_by_step(explore):
    page = explore("example-3/scores?run=twin")
    told = page.locator(".time .where b")
    expect(told).to_have_text("scores")
    page.get_by_role("button", name="Next step").click()
    expect(page.locator("#step h2")).to_contain_text("scaled")
    expect(page.locator("#flow g.node", has_text="not computed yet")).to_have_count(2)  # weights and context
    page.get_by_role("button", name="Last step").click()
    expect(told).to_have_text(re.compile("_new$"))
    page.get_by_role("button", name="First step").click()
    expect(told).to_have_text("E")
    page.reload()
    expect(told).to_have_text("E")
    page.get_by_role("button", name="Show all").click()
    expect(page.locator("#flow g.node", has_text="not computed yet")).to_have_count(0)


def test_what_is_not_computed_yet_shows_no_numbers(explore):
    page = explore("example-3/weights[1][0]?run=twin&at=scores")
    expect(page.locator("#step")).to_contain_text("not computed yet")
    expect(page.locator("#step .result button, #cell output")).to_have_count(0)
    page.get_by_role("button", name="Go to this step").click()
    expect(entry(page, "1,0")).to_be_visible()


@pytest.mark.slow
def test_it_plays_and_pauses(explore):
    page = explore("cat-sat/scores")
    told = page.locator(".time .where b")
    expect(told).to_have_text("scores")
    page.clock.install()
    page.get_by_role("slider").focus()
    page.keyboard.press("Space")
    page.clock.run_for(1200)
    expect(told).to_have_text("scaled")
    page.clock.run_for(1200)
    expect(told).to_have_text("weights")
    page.get_by_role("button", name="Pause").click()
    page.clock.run_for(5000)
    expect(told).to_have_text("weights")


def test_space_outside_the_slider_scrolls(explore):
    page = explore("cat-sat/scores")
    page.get_by_role("main").focus()
    page.keyboard.press("Space")
    page.get_by_role("slider").focus()
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    assert "at=" not in page.url


# -- the address, the keyboard -----------------------------------------------------------------------


def test_reload_and_the_back_button_keep_the_view(explore):
    page = explore("example-3/weights[1][0]?run=twin")
    expect(page.locator("#cell h2")).to_contain_text("weights[1][0]")
    entry(page, "0,1").click()
    expect(page.locator("#cell h2")).to_contain_text("weights[0][1]")
    page.reload()
    expect(page.locator("#cell h2")).to_contain_text("weights[0][1]")
    expect(page.locator(".top select")).to_have_value("twin")
    page.go_back()
    expect(page.locator("#cell h2")).to_contain_text("weights[1][0]")
    page.go_forward()
    expect(page.locator("#cell h2")).to_contain_text("weights[0][1]")


def test_everything_by_keyboard(explore):
    page = explore("example-1/P")
    page.locator("#flow g.node[tabindex='0']").focus()
    for _ in range(3):  # from the step that is shown
        page.keyboard.press("ArrowUp")
    expect(page.locator("g.node:focus title")).to_have_text(re.compile("^block1.attention"))
    page.keyboard.press("Enter")
    page.locator("#flow").get_by_role("button", name=re.compile("^scaled,")).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#step h2")).to_contain_text("weights")
    page.locator("#step .result button[tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator("#cell h2")).to_contain_text("weights[1][1]")
    page.get_by_role("list", name="Inputs").get_by_role("link").last.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#cell h2")).to_contain_text("scaled[1][1]")
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#step h2")).to_contain_text("weights")


def test_the_focus_goes_along_into_a_module_and_out_of_it(explore):
    page = explore("example-1/P")
    page.locator("#flow").get_by_role("button", name=re.compile("^block1.attention")).focus()
    page.keyboard.press("Enter")
    expect(page.locator("#flow g.node:focus title")).to_have_text(re.compile("^X"))
    page.locator("#flow nav").get_by_role("button", name="Whole model").press("Enter")
    expect(page.locator("#flow g.node:focus title")).to_have_text(re.compile("^P,"))


def test_the_tab_key_stops_at_the_open_entry_and_at_one_that_is_there(explore):
    page = explore("example-3/weights[1][0]?run=twin")
    stop = page.locator("#step .result button[tabindex='0']")
    expect(stop).to_have_attribute("data-index", "1,0")
    page.evaluate("location.hash = '#/explore/example-3/weights[1][1]?run=twin'")
    expect(stop).to_have_attribute("data-index", "1,1")
    page.evaluate("location.hash = '#/explore/example-3/weights?run=twin&input=A'")  # of two rows one is left
    expect(page.locator("#step .result tbody tr")).to_have_count(1)
    expect(stop).to_have_count(1)


def test_every_matrix_that_is_read_has_its_arrow(explore):
    page = explore("example-3/dweights[1][0]?run=twin")
    expect(page.locator("#step .arrows path.arrow")).to_have_count(2)
    expect(page.locator("#cell h2")).to_contain_text("how the loss changes with “B attends to A”")
    assert page.locator("#cell .number.opens[aria-haspopup]").count() == 0  # no dialog comes


def test_the_head_of_the_flow_stays_in_sight_and_all_of_it_can_be_read(explore):
    page = explore("hello-world/loss?open=/")
    page.set_viewport_size({"width": 1440, "height": 500})
    page.reload()
    expect(page.locator("#flow g.node[aria-current]")).to_be_in_viewport()
    head = page.locator("#flow div.head").bounding_box()
    assert head["y"] >= page.locator("#flow").bounding_box()["y"] - 20
    smallest = (
        "() => Math.min(...[...document.querySelectorAll('#flow svg text')].map((line) => line.getBBox().height))"
    )
    assert page.evaluate(smallest) > 9


def test_another_run_is_another_trace(explore):
    page = explore("example-3/loss")
    expect(page.locator("#cell output")).to_have_text(trace_of("example-3")["loss"].number().text)
    page.locator(".top select").select_option("twin")
    expect(page.locator("#cell output")).to_have_text(trace_of("example-3", "twin")["loss"].number().text)


def test_a_step_or_an_entry_that_is_not_there_is_said(explore):
    page = explore("hello-world/weights[1][0]")
    said = page.get_by_role("alert")
    expect(said).to_contain_text("There is no step named weights here.")
    assert said.get_by_role("link").all_inner_texts() == ["head1.weights", "head2.weights"]
    said.get_by_role("link", name="head2.weights").click()
    expect(page.locator("#cell h2")).to_contain_text("head2.weights[1][0]")
    page.evaluate("location.hash = '#/explore/hello-world/head2.weights[1][7]'")
    expect(page.locator("#cell")).to_contain_text("There is no entry head2.weights[1][7]")
    expect(entry(page, "1,1")).to_be_visible()


def test_what_can_be_opened_is_listed_and_a_scenario_of_ones_own_is_pasted(browser, lab):
    page = browser.new_page()
    page.goto(f"{lab}/#/explore")
    expect(page.get_by_role("link", name=re.compile("^Example 1"))).to_be_visible(timeout=SOON)
    page.get_by_label(re.compile("Paste YAML")).fill(OWN)
    page.get_by_role("button", name="Explore this scenario").click()
    expect(page.locator(".top h1")).to_have_text("My own", timeout=SOON)
    page.close()


def test_an_address_that_cannot_be_offers_a_way_on(browser, lab):
    page = browser.new_page()
    page.goto(f"{lab}/#/explore/example-3?W_Q[0][9]=0.3")
    page.get_by_role("link", name="Open without changes").click(timeout=SOON)
    expect(page.locator("#step h2")).to_contain_text("loss", timeout=SOON)
    page.close()


def test_in_the_flow_only_what_a_change_reaches_forward_is_marked(explore):
    page = explore("example-6?open=/&block2.attention.W_Q[0][0]=0.9")
    flow = page.locator("#flow svg")
    expect(flow.get_by_role("button", name=re.compile("^block2.attention.*changed by your edits"))).to_be_visible()
    expect(flow.get_by_role("button", name=re.compile("^block1.*changed by your edits"))).to_have_count(0)


def test_on_a_narrow_screen_nothing_sticks_out_and_a_pressed_entry_is_seen(explore):
    page = explore("hello-world/head1.weights")
    page.set_viewport_size({"width": 360, "height": 740})
    expect(entry(page, "1,0")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    entry(page, "1,0").click()
    expect(page.locator("#cell output")).to_be_in_viewport()
    expect(page.locator("#cell .derivation .line").first).to_be_in_viewport()
