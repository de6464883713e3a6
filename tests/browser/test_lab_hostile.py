"""Words that would be programs if anybody believed them: everywhere in the lab they are only words."""

import json
from functools import partial
from urllib.parse import quote_plus

import pytest
from lab_visits import visitor
from playwright.sync_api import expect

IMAGE = "<img src=x onerror=alert(1)>"
WORDS = (
    "</script><script>alert(1)</script>",
    "<svg/onload=alert(1)>",
    "javascript:alert(1)",
    "{{7*7}}",
    "\"'`&lt;",
    "\\href{javascript:alert(1)}{x}",
    "🦊",
    "x" * 40,
)
PICTURE = "<img/src=x/onerror=alert(1)>"
SIGNS = (*WORDS, PICTURE, "\u202eabc", "x" * 300)  # also a mark that turns letters round, and a long one
quoted = partial(json.dumps, ensure_ascii=False)
OWN = f"""scenario: 1
title: {quoted(IMAGE)}
about: {quoted("</script><script>alert(1)</script>" + IMAGE)}
vocabulary: {quoted(SIGNS)}
model: {{kind: decoder, width: 4, hidden: 4, norm: none, position: learned}}
parameters: {{seed: 1}}
data: {{input: {quoted(" ".join(WORDS))}, target: {quoted(WORDS[0])}}}
train: {{learning_rate: 0.1}}
"""
IMAGE_IN_ADDRESS, OWN_IN_ADDRESS = quote_plus(IMAGE), quote_plus(OWN)

# Everything that could run, or could be pressed and run then. A title is only shown.
ALIVE = """[...document.querySelectorAll("#app *")].filter((node) =>
    ["img", "script", "iframe", "object", "embed"].includes(node.localName)
    || [...node.attributes].some(({ name, value }) => name.startsWith("on")
      || (name !== "title" && /^\\s*javascript:/i.test(value))))
  .map((node) => node.outerHTML.slice(0, 200))"""


@pytest.fixture
def somebody(browser, lab):
    """Nothing of theirs may run: a dialog, an error or a refusal of the policy would be a complaint."""
    with visitor(browser, lab) as who:
        yield who
        assert who.page.evaluate(ALIVE) == []


def test_a_sentence_of_ones_own(somebody):
    page = somebody.load("#/")
    page.get_by_label("Enter a few words.").fill(" ".join((IMAGE, *WORDS)))
    page.get_by_role("button", name="Explore this sentence").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"Your sentence: {IMAGE}")
    page.get_by_role("button", name="List", exact=True).click()
    page.get_by_role("button", name="weights softmax").first.click()
    for word in ("onerror=alert(1)>", *WORDS[:-1]):
        expect(page.get_by_role("rowheader", name=word, exact=True).first).to_be_visible()
    page.get_by_role("table", name="weights").last.get_by_role("button").nth(10).click()
    expect(page.get_by_role("region", name="Entry").get_by_role("heading", level=2)).to_contain_text(
        "src=x attends to <img"
    )
    page.get_by_role("button", name="What if").click()
    page.get_by_text("Words and settings").click()
    expect(page.get_by_label("Input text")).to_have_value(" ".join((IMAGE, *WORDS[:-1])))
    assert page.evaluate(ALIVE) == []
    page.reload()  # the sentence is in the address now
    expect(page.get_by_role("heading", level=1)).to_contain_text(IMAGE)


def test_a_scenario_in_the_address(somebody):
    page = somebody.load(f"#/explore/{IMAGE_IN_ADDRESS}/P[8]?scenario={OWN_IN_ADDRESS}")
    expect(page.get_by_role("heading", level=1)).to_have_text(IMAGE)
    for sign in (PICTURE, "x" * 300, "javascript:alert(1)"):
        expect(page.get_by_role("columnheader", name=sign, exact=True).first).to_be_attached()
    expect(page.get_by_role("region", name="Entry").get_by_role("heading", level=2)).to_contain_text("P[8]")


def test_a_heatmap_of_such_words(somebody):
    words = " ".join(WORDS[:-1] * 3)
    scenario = quote_plus(OWN.replace(quoted(" ".join(WORDS)), quoted(words)))
    page = somebody.load(f"#/explore/own/weights?scenario={scenario}")
    heatmap = page.get_by_role("application")
    heatmap.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("region", name="Step", exact=True)).to_contain_text(f"{WORDS[1]} → {WORDS[1]}")
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Entry").get_by_role("heading", level=2)).to_contain_text("weights[1][1]")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("address", "status"),
    [
        (f"#/lesson/{IMAGE_IN_ADDRESS}", "404"),
        (f"#/models/{IMAGE_IN_ADDRESS}", "404"),
        (f"#/practice/{IMAGE_IN_ADDRESS}", "404"),
        (f"#/explore/{IMAGE_IN_ADDRESS}", "404"),
        (f"#/explore/example-3/E?run={IMAGE_IN_ADDRESS}", "40"),
        (f"#/explore/example-3/E[0][0]?W_Q[0][0]={IMAGE_IN_ADDRESS}", "400"),
        (f"#/explore/example-3/E?precision={IMAGE_IN_ADDRESS}", "400"),
        (f"#/check?Q={IMAGE_IN_ADDRESS}&K=1&V=1&my.scores=1", "400"),
    ],
)
def test_what_is_refused_is_shown_as_it_was_given(somebody, address, status):
    somebody.foreseen.append(f"the server responded with a status of {status}")
    page = somebody.load(address)
    expect(page.get_by_role("alert").first).to_contain_text(IMAGE)


def test_a_symbol_of_ones_own(somebody):
    somebody.foreseen.append("400")  # it is no symbol, and the page says so
    page = somebody.load(f"#/explore/example-3/weights[1][0]?notation=weights%3D{IMAGE_IN_ADDRESS}")
    expect(page.get_by_role("main").get_by_text(IMAGE).first).to_be_visible()


def test_the_judge_sees_what_runs(browser, lab):
    """Without the policy such an element speaks, and both judges hear it."""
    with visitor(browser, lab, bypass_csp=True) as who:
        who.foreseen.append("404")
        page = who.load("#/check")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        with page.expect_event("dialog"):
            page.evaluate("(image) => { document.querySelector('main').innerHTML = image }", IMAGE)
        assert len(page.evaluate(ALIVE)) == 1
        assert who.complaints == ["a dialog: 1"]
        who.complaints.clear()
