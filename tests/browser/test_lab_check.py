"""Check my numbers in a browser: a planted mistake is named, right numbers are right, and a link holds it all."""

import re

import numpy
import pytest
from playwright.sync_api import expect

import workings as w
from workings.practice.mistakes import mistake_hint

GIVEN = ("Q", "K", "V")
RESULTS = ("scores", "scaled", "weights", "context")


@pytest.fixture
def page(browser, lab):
    """One person's browser; nothing unforeseen may be complained about."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    context.set_default_timeout(10_000)
    complaints = []
    context.on("weberror", lambda error: complaints.append(str(error.error)))
    page = context.new_page()
    page.goto(f"{lab}/#/check")
    yield page
    context.close()
    assert complaints == []


@pytest.fixture(scope="module")
def trace():
    return w.lesson("example-1").trace(run="twin")


def text(matrix, digits=4):
    """As somebody writes it who rounds."""
    return "\n".join(" ".join(f"{number:.{digits}f}" for number in row) for row in matrix)


def give(page, trace, names=GIVEN):
    for name in names:
        page.locator(f"[name=given-{name}]").fill(text(trace[name].value))


def got(page, name, value):
    page.locator(f"[name=got-{name}]").fill(value)


def check(page):
    page.get_by_role("button", name="Check", exact=True).click()
    return page.locator("section.found")


def softmax(values, axis):
    powers = numpy.exp(values)
    return powers / powers.sum(axis=axis, keepdims=True)


def test_right_numbers_are_right_to_few_digits(page, trace):
    give(page, trace)
    for name in RESULTS:
        got(page, name, text(trace[name].value, digits=3))
    expect(check(page)).to_contain_text("All of your results fit.")
    expect(page.locator("section.found")).to_have_attribute("data-first", "")


@pytest.mark.parametrize(
    ("step", "wrong", "mistake"),
    [
        ("scaled", lambda trace: trace["scores"].value, "divide_by_root.not_divided"),
        ("weights", lambda trace: softmax(trace["scaled"].value, axis=0), "softmax.wrong_axis"),
    ],
)
def test_a_planted_mistake_is_the_first_wrong_step_and_is_named(page, trace, step, wrong, mistake):
    give(page, trace)
    for name in RESULTS[: RESULTS.index(step)]:
        got(page, name, text(trace[name].value))
    got(page, step, text(wrong(trace)))
    found = check(page)
    expect(found).to_have_attribute("data-first", step)
    expect(found).to_have_attribute("data-mistake", mistake)
    expect(found.locator(".note")).to_contain_text(mistake_hint(mistake))
    assert mistake not in found.inner_text(), "an id is for programs"
    assert found.get_by_role("row").nth(1).inner_text().startswith("scores\tfits")


def test_a_link_holds_the_numbers_and_what_came_of_them(page, trace, browser):
    give(page, trace)
    got(page, "scaled", text(trace["scores"].value))
    check(page)
    expect(page).to_have_url(re.compile(r"#/check\?Q=.*my\.scaled="))
    other = browser.new_page()
    other.goto(page.url)
    expect(other.locator("section.found")).to_have_attribute("data-mistake", "divide_by_root.not_divided")
    assert other.locator("[name=given-Q]").input_value() == text(trace["Q"].value)
    other.close()


def test_the_whole_calculation_opens_in_the_explorer(page, trace):
    give(page, trace)
    got(page, "scores", text(trace["scores"].value))
    check(page).get_by_role("link", name="Open in the explorer").click()
    expect(page).to_have_url(re.compile(r"#/explore\?scenario="))
    expect(page.locator("#flow")).to_contain_text("scores")


def test_the_example_has_a_mistake_in_it(page, trace):
    page.get_by_role("button", name="Show an example").click()
    found = page.locator("section.found")
    expect(found).to_have_attribute("data-mistake", "divide_by_root.not_divided")
    shown = numpy.array(
        [line.split() for line in page.locator("[name=given-Q]").input_value().splitlines()], dtype=float
    )
    numpy.testing.assert_allclose(shown, trace["Q"].value, rtol=1e-11)
    page.go_back()
    expect(page.locator("[name=given-Q]")).to_have_value("")


def test_weights_a_mask_and_heads_ask_for_their_steps(page):
    page.get_by_label("X and weights").check()
    page.locator("[name=mask]").select_option("causal")
    page.locator("[name=heads]").fill("2")
    page.locator("[name=heads]").press("Tab")
    page.get_by_text("Output projection (W_O)").click()
    page.locator("[name=given-W_O]").fill("1 0; 0 1")
    asked = [area.get_attribute("name") for area in page.locator("[name^=got-]:visible").all()]
    names = ("Q", "K", "V", "scores", "scaled", "masked", "weights", "context", "joined", "attended")
    assert asked == [f"got-{name}" for name in names]


def test_gradients_have_their_fields_at_once(page, trace):
    give(page, trace)
    page.get_by_text("Gradients", exact=True).click()
    page.locator("[name=given-cotangent]").fill("1 0\n0 0")
    gradient = trace["weights"].value[0][:, None] * numpy.array([1.0, 0.0])
    got(page, "dV", text(gradient))
    expect(check(page)).to_contain_text("All of your results fit.")
    got(page, "dV", text(-gradient))
    expect(check(page)).to_have_attribute("data-first", re.compile("dV|d V|gradient"))


def test_what_cannot_be_read_says_in_which_field(page, trace):
    give(page, trace, ("K", "V"))
    page.locator("[name=given-Q]").fill("1 0\n0 one")
    got(page, "scores", "1 0; 0 1")
    check(page)
    problem = page.get_by_role("alert")
    expect(problem).to_contain_text("'one' is not a number")
    expect(problem).to_contain_text("Q, line 2")
    page.locator("[name=given-Q]").fill(text(trace["Q"].value))
    expect(check(page)).to_contain_text("The first step that does not fit is scores.")


def test_numbers_that_were_changed_since_are_said_to_be(page, trace):
    give(page, trace)
    got(page, "scores", text(trace["scores"].value))
    check(page)
    got(page, "scores", "1 0; 0 1")
    expect(page.get_by_text("You changed your numbers since this check. Check again.")).to_be_visible()


def test_a_telephone_shows_it_without_scrolling_sideways(page, trace):
    page.set_viewport_size({"width": 360, "height": 740})
    give(page, trace)
    got(page, "scaled", text(trace["scores"].value))
    expect(check(page)).to_have_attribute("data-first", "scaled")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
