"""What if: a change reaches everything that depends on it and nothing before it, stands in the address, and can be
taken back.
"""

import re

import numpy
import pytest
from playwright.sync_api import expect

import workings as w
from workings.document.numbers import apart
from workings.lab.pages.overview import overview
from workings.lab.traces.store import Lab
from workings.lab.traces.wanted import Wanted

PLACE = "#/explore/example-3/W_V[0][0]?run=twin&panel=what-if"
EDIT = "W_V[0][0]=0.3"
UPSTREAM = ("E", "W_Q", "W_K", "X", "Q", "K", "scores", "scaled", "weights")
DOWNSTREAM = ("W_V", "V", "context", "logits", "P", "loss", "dlogits", "dW_V", "dW_Q", "W_V_new", "W_Q_new")


@pytest.fixture
def context(browser):
    """One person's browser; nothing unforeseen may be complained about."""
    made = browser.new_context(viewport={"width": 1440, "height": 1000})
    made.set_default_timeout(10_000)
    complaints = []
    made.on("weberror", lambda error: complaints.append(str(error.error)))
    yield made
    made.close()
    assert complaints == []


@pytest.fixture
def page(context, lab):
    return visit(context, f"{lab}/{PLACE}")


def visit(context, address):
    page = context.new_page()
    page.goto(address)
    expect(entry(page)).not_to_have_value("")
    return page


def entry(page):
    return page.locator("#what-if-entry")


def button(page, name):
    return page.locator(".what-if").get_by_role("button", name=name, exact=True)


def field(page, title):
    label = page.locator(".what-if label.field", has_text=re.compile(rf"^\s*{title}"))
    return label.locator("input, select")


def changed(page):
    """The steps that the page says have other numbers."""
    return page.locator(".what-if ol[data-stage] li").all_inner_texts()


def watched(page):
    """The loss and the share of the target, as the panel tells them: before, and now."""
    found = [re.findall(r"-?\d+\.\d+", text) for text in page.locator(".what-if .moved").all_inner_texts()]
    return [(before, now) for before, now in found]


def edited(address):
    return re.compile(re.escape(address) + "$")


@pytest.fixture(scope="module")
def before():
    return w.lesson("example-3").trace(run="twin")


@pytest.fixture(scope="module")
def after(before):
    value = numpy.array(before["W_V"].value)
    value[0, 0] = 0.3
    return before.replay(values={"W_V": value})


# -- what a change reaches ---------------------------------------------------------------------------


def test_a_weight_changes_what_it_must_and_nothing_upstream(page, before, after):
    entry(page).fill("0.3")
    expect(page).to_have_url(edited(f"{PLACE}&{EDIT}"))
    expect(page.locator(".what-if .moved").first).to_be_visible()
    told = changed(page)
    assert told
    assert set(DOWNSTREAM) <= set(told)
    assert set(UPSTREAM).isdisjoint(told)
    for name in told:  # and the engine says the same of each of them
        assert not numpy.array_equal(before[name].value, after[name].value)
    for name in UPSTREAM:
        assert numpy.array_equal(before[name].value, after[name].value)


def test_the_numbers_that_are_told_are_those_of_the_engine(page, before, after):
    entry(page).fill("0.3")
    expect(page.locator(".what-if .moved")).to_have_count(2)
    style = apart(float(before["loss"].value), float(after["loss"].value), before.style)
    said = tuple(trace["loss"].number(style=style).text for trace in (before, after))
    assert watched(page)[0] == said


def test_a_whole_matrix_a_word_and_a_setting(page):
    page.get_by_text("Edit several entries").click()
    numbers = page.locator(".what-if textarea")
    expect(numbers).not_to_have_value("")
    assert numbers.input_value().splitlines() == [" ".join(f"{n:g}" for n in row) for row in weight("W_V")]
    numbers.fill("[[0.5, 0], [0, 1/4]]")
    button(page, "Apply").click()
    expect(page.locator(".what-if code", has_text="W_V = [[0.5, 0], [0, 1/4]]")).to_be_visible()
    page.get_by_text("Words and settings").click()
    field(page, "Mask").select_option("causal")
    expect(page.locator(".what-if code", has_text="model.mask = causal")).to_be_visible()
    field(page, "Input text").fill("B A")
    field(page, "Input text").press("Enter")
    expect(page.locator(".what-if code", has_text="input = B A")).to_be_visible()
    wanted = Wanted("example-3", run="twin", edits=("W_V=0.5 0; 0 0.25", "model.mask=causal", "input=B A"))
    assert watched(page)[0][1] == overview(Lab().open(wanted)).headline[0].number.text


def weight(name):
    return w.lesson("example-3").trace(run="twin")[name].value


def test_precision_and_notation(page):
    page.get_by_text("Precision and notation").click()
    field(page, "Precision").select_option("calculator")
    expect(page).to_have_url(edited("?run=twin&precision=calculator+4+significant&panel=what-if"))
    field(page, "Digits").fill("3")
    field(page, "Digits").press("Enter")
    expect(page).to_have_url(edited("precision=calculator+3+significant&panel=what-if"))
    field(page, "Indices start at").select_option("1")
    expect(page.locator("label[for=what-if-entry]")).to_contain_text("W_V[1][1]")
    button(page, "Reset").click()
    expect(page).to_have_url(edited(PLACE))
    expect(page.locator("label[for=what-if-entry]")).to_contain_text("W_V[0][0]")


# -- taking it back ----------------------------------------------------------------------------------


def test_undo_redo_and_reset(page):
    entry(page).fill("0.3")
    expect(page).to_have_url(edited(f"{PLACE}&{EDIT}"))
    button(page, "Undo").click()
    expect(page).to_have_url(edited(PLACE))
    expect(entry(page)).to_have_value("0.2")
    assert changed(page) == []
    expect(button(page, "Undo")).to_be_disabled()
    button(page, "Redo").click()
    expect(page).to_have_url(edited(f"{PLACE}&{EDIT}"))
    expect(entry(page)).to_have_value("0.3")
    button(page, "Reset").click()
    expect(page).to_have_url(edited(PLACE))
    expect(button(page, "Reset")).to_be_disabled()


def test_the_back_button_is_an_undo(page):
    entry(page).fill("0.3")
    expect(page).to_have_url(edited(f"{PLACE}&{EDIT}"))
    page.go_back()
    expect(page).to_have_url(edited(PLACE))
    expect(button(page, "Redo")).to_be_enabled()
    page.go_forward()
    expect(page).to_have_url(edited(f"{PLACE}&{EDIT}"))
    expect(button(page, "Undo")).to_be_enabled()


def test_what_was_done_is_not_forgotten_while_an_entry_is_read(page):
    entry(page).fill("0.3")
    expect(page).to_have_url(edited(f"{PLACE}&{EDIT}"))
    page.get_by_role("button", name="Entry", exact=True).click()
    expect(page.locator(".what-if")).to_have_count(0)
    page.get_by_role("button", name="What if").click()
    button(page, "Undo").click()
    expect(page).to_have_url(edited(PLACE))


def test_one_of_two_changes_is_taken_back(context, lab):
    page = visit(context, f"{lab}/{PLACE}&{EDIT}&W_Q[0][1]=0.9")
    page.get_by_role("button", name="Remove change to W_V[0][0]").click()
    expect(page).to_have_url(edited(f"{PLACE}&W_Q[0][1]=0.9"))
    expect(page.locator(".what-if code", has_text="W_V[0][0]")).to_have_count(0)
    assert "scores" in changed(page)


# -- links, keys, refusals ---------------------------------------------------------------------------


def test_a_shared_link_reproduces_the_change(page, browser):
    entry(page).fill("0.3")
    expect(page.locator(".what-if .moved")).to_have_count(2)
    seen = watched(page), changed(page)
    assert all(seen)
    elsewhere = browser.new_context()
    other = visit(elsewhere, page.url)
    expect(other.locator(".what-if .moved")).to_have_count(2)
    assert (watched(other), changed(other)) == seen
    assert entry(other).input_value() == "0.3"
    elsewhere.close()


def test_arrow_keys_step_and_count_as_one_change(page):
    entry(page).focus()
    for _ in range(3):
        page.keyboard.press("ArrowUp")
    expect(page).to_have_url(edited(f"{PLACE}&W_V[0][0]=0.5"))
    button(page, "Undo").press("Enter")
    expect(page).to_have_url(edited(PLACE))


def test_a_refused_change_stays_beside_its_field(page):
    entry(page).fill("0.3")
    expect(page).to_have_url(edited(f"{PLACE}&{EDIT}"))
    expect(page.locator(".what-if .moved")).to_have_count(2)
    seen = changed(page)
    assert seen
    entry(page).fill("many")
    expect(page.locator("#what-if-entry-problem")).to_contain_text("many")
    expect(entry(page)).to_have_attribute("aria-invalid", "true")
    assert page.url.endswith(f"{PLACE}&{EDIT}")
    assert changed(page) == seen
    entry(page).fill("0.4")
    expect(page.locator("#what-if-entry-problem")).to_be_empty()
    expect(page).to_have_url(edited(f"{PLACE}&W_V[0][0]=0.4"))


def test_a_computed_step_leads_to_what_it_comes_from(context, lab):
    page = context.new_page()
    page.goto(f"{lab}/#/explore/example-3/weights[1][0]?run=twin")
    page.get_by_role("button", name="What if").click()
    button(page, "W_Q").click()
    expect(page).to_have_url(re.compile(r"/W_Q\[0\]\[0\]"))
    expect(entry(page)).to_be_visible()


def test_a_telephone_shows_it_without_scrolling_sideways(page):
    page.set_viewport_size({"width": 360, "height": 740})
    entry(page).fill("0.3")
    expect(page.locator(".what-if .moved")).to_have_count(2)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_an_address_that_cannot_be_computed_says_so_and_has_a_way_out(context, lab):
    page = context.new_page()
    page.goto(f"{lab}/{PLACE}&W_V[0][0]=many")
    expect(page.get_by_role("alert").first).to_contain_text("many")
    page.get_by_role("link", name="Open without changes").click()
    expect(page).to_have_url(edited(PLACE))
