"""Offline files in a browser without a network: the lesson, any of its numbers by hand, the explorer, and practice."""

import json
import re

import pytest
from playwright.sync_api import expect

import workings as w
from workings.cli.main import main
from workings.document.blocks import plain_text
from workings.lab.pages.practice import Sheets

LESSON, TRACE = "example-1", "example-2"
WIDTHS = (360, 768, 1400)
IMAGE = "<img src=x onerror=alert(1)>"
SCRIPT = "</script><script>alert(1)</script>"
TITLE = f"{SCRIPT}{IMAGE}]]><!--\u2028\"'`&lt;"  # also signs that end lines, comments and quotes
WORDS = ("<img/src=x/onerror=alert(1)>", SCRIPT, "]]>", "<!--", "\"'`&lt;", "{{7*7}}")
quoted = json.dumps  # as YAML reads it too
SCENARIO = f"""scenario: 1
title: {quoted(TITLE)}
about: {quoted(TITLE)}
vocabulary: {quoted(WORDS)}
model: {{kind: decoder, width: 2, hidden: 2, norm: none, position: learned}}
parameters: {{seed: 1}}
data: {{input: {quoted(" ".join(WORDS))}, target: {quoted(WORDS[1])}}}
"""
OWN = f"""---
title: {quoted(TITLE)}
about: {quoted(TITLE)}
---

## Goal {IMAGE}

:::{{scenario}}
{SCENARIO}:::

A text with `{SCRIPT}` and {IMAGE} in it.

:::{{matrix}} weights
:::

:::{{figure}} heatmap weights
:::
"""
# Everything that could run, or could be pressed and run then; and the scripts of the file itself.
ALIVE = """[...document.querySelectorAll("*")].filter((node) =>
    ["img", "iframe", "object", "embed"].includes(node.localName)
    || [...node.attributes].some(({ name, value }) => name.startsWith("on") || /^\\s*javascript:/i.test(value)))
  .map((node) => node.outerHTML.slice(0, 200))"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    (folder / "own.md").write_text(OWN, encoding="utf-8")
    (folder / "tokens.yaml").write_text(SCENARIO, encoding="utf-8")
    commands = {
        "lesson": ("lesson", LESSON),
        "trace": ("trace", TRACE, "--step", "weights", "--cell", "1,0"),
        "own": ("lesson", str(folder / "own.md")),
        "tokens": ("trace", str(folder / "tokens.yaml"), "--step", "weights", "--cell", "1,0"),
    }
    for name, words in commands.items():
        assert main([*words, "--format", "html", "-o", str(folder / f"{name}.html")]) == 0
    return {name: folder / f"{name}.html" for name in commands}


@pytest.fixture(scope="module")
def visit(browser, files):
    """Open a file; in the end nothing may have been complained about, or asked for from elsewhere."""
    contexts, complaints = [], []

    def opened(name, place="", width=1400, script=True, **settings):
        context = browser.new_context(
            viewport={"width": width, "height": 800}, java_script_enabled=script, offline=True, **settings
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)  # other tests share the machine
        own = files[name].as_uri()
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: (complaints.append(f"a dialog: {dialog.message}"), dialog.dismiss()))
        page.on(
            "request", lambda request: complaints.append(request.url[:80]) if _is_foreign(request.url, own) else None
        )
        page.goto(own + place)
        if script:
            page.locator("header.lab").wait_for()
            page.locator("main h1, main h2").first.wait_for()
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


def _is_foreign(address, own):
    return address.partition("#")[0] != own and not address.startswith("data:")


# -- the lesson --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def reader(visit):
    """The lesson, read by several tests, which leave it as they found it."""
    return visit("lesson", width=900, reduced_motion="reduce", color_scheme="light")


def test_a_lesson_opens_where_it_was_made_for_with_every_formula_set(reader):
    assert reader.evaluate("location.hash") == f"#/lesson/{LESSON}"
    assert reader.locator("h1").inner_text() == w.lesson(LESSON).title
    reader.locator(".math .katex").first.wait_for()
    reader.evaluate("document.fonts.ready")
    formulas = reader.locator(".math").count()
    assert formulas >= 3
    assert reader.locator(".math:has(.katex)").count() == formulas
    assert reader.locator(".katex-error").count() == 0
    assert reader.evaluate("[...document.fonts].filter(font => font.status === 'loaded').length") >= 2
    assert reader.evaluate("[...document.fonts].filter(font => font.status === 'error').length") == 0


def test_the_static_page_is_gone_when_the_front_end_is_there(reader):
    assert reader.locator("main").count() == 1
    assert reader.locator("h1").count() == 1
    ids = reader.evaluate("[...document.querySelectorAll('[id]')].map(part => part.id)")
    assert sorted(set(ids)) == sorted(ids)


def test_without_a_script_a_file_still_reads(visit):
    page = visit("lesson", script=False)
    assert page.locator("h1").inner_text() == w.lesson(LESSON).title
    probabilities = w.lesson(LESSON).trace()["P"]
    for word in range(4):
        text = probabilities.number(word).text
        assert page.locator("main table").get_by_text(text, exact=True).first.is_visible()
    assert page.locator("svg").first.is_visible()
    assert not page.locator("button:visible").count()
    assert page.evaluate("document.documentElement.scrollWidth") <= 1400
    page.locator("main details:not([open]) > summary").first.click()
    assert page.locator("main details[open]").count() > 0
    trace = visit("trace", script=False)
    assert "weights" in trace.locator("h1").inner_text()
    assert w.scenario(TRACE).trace()["weights"].number(1, 0).text in trace.locator("main").inner_text()


def test_hostile_words_do_nothing(visit):
    """Whatever ran would be a complaint: a dialog, an error, something asked for."""
    for script in (True, False):
        page = visit("own", script=script)
        assert page.title().startswith(TITLE[:40])
        assert page.locator("h1").inner_text().startswith(SCRIPT + IMAGE + "]]><!--")
        assert page.locator("h2").filter(has_text=IMAGE).count() == 1
        assert page.get_by_role("rowheader", name=WORDS[0], exact=True).first.is_visible()
        assert page.evaluate(ALIVE) == []
        assert page.locator("script").count() == 4
        policy = page.locator("meta[http-equiv=Content-Security-Policy]").get_attribute("content")
        assert policy.startswith("default-src 'none'; script-src 'sha256-")
        assert "connect-src" not in policy  # what is not named is as the default: nothing


@pytest.mark.slow
def test_hostile_tokens_in_the_explorer_are_words(visit):
    page = visit("tokens")
    expect(page.get_by_role("region", name="Entry").get_by_role("heading", level=2)).to_contain_text(
        f"{SCRIPT} attends to"
    )
    for word in WORDS:
        expect(page.get_by_role("rowheader", name=word, exact=True).first).to_be_visible()
    assert page.locator("h1").inner_text().startswith(SCRIPT + IMAGE)
    page.get_by_role("link", name="workings", exact=True).click()  # what the file holds
    expect(page.get_by_text("This file contains")).to_be_visible()
    page.goto(page.url.partition("#")[0] + "#/explore/%3Cimg%20src=x%20onerror=alert(1)%3E")
    expect(page.get_by_role("alert")).to_contain_text("#/explore/%3Cimg+src%3Dx")
    assert page.evaluate(ALIVE) == []


@pytest.mark.slow
def test_light_and_dark_follow_the_system(reader):
    for scheme, is_right in (("dark", lambda lightness: lightness < 40), ("light", lambda lightness: lightness > 240)):
        reader.emulate_media(color_scheme=scheme)
        color = reader.evaluate("getComputedStyle(document.body).backgroundColor")
        assert is_right(sum(map(int, re.findall(r"\d+", color)[:3])) / 3), scheme


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lesson", "trace", "own"])
def test_only_boxes_scroll_sideways_never_the_page(visit, name):
    page = visit(name, width=WIDTHS[0])
    page.evaluate("document.querySelectorAll('details').forEach((fold) => (fold.open = true))")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        assert page.evaluate("document.documentElement.scrollWidth") <= width


# -- an entry by hand --------------------------------------------------------------------------------


@pytest.fixture
def opens(reader):
    yield reader, reader.locator(".number.opens"), reader.get_by_role("dialog", name="By hand")
    reader.keyboard.press("Escape")


def test_an_entry_shows_the_hand_calculation_of_the_engine(opens):
    page, _, box = opens
    trace = w.lesson(LESSON).trace()
    entry = page.locator(f"#s-default-{trace['scores'].id} .number.opens").nth(2)  # row 1, column 0
    assert entry.inner_text() == trace["scores"].number(1, 0).text
    entry.click()
    box.locator(".derivation").first.wait_for()
    said = re.sub(r"\s+", " ", box.inner_text())
    last = trace["scores"].cell(1, 0).lines[-1]
    assert plain_text(last.left) in said
    assert last.value.text in said


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_an_entry_opens_with_the_keyboard_and_escape_closes_it(opens, key):
    page, entries, box = opens
    assert not box.is_visible()
    entry = entries.first
    entry.scroll_into_view_if_needed()
    entry.focus()
    before = page.evaluate("scrollY")
    page.keyboard.press(key)
    assert box.is_visible()
    assert page.evaluate("scrollY") == before  # Space did not scroll
    page.keyboard.press("Escape")
    assert not box.is_visible()
    assert entry.evaluate("entry => entry === document.activeElement")


def test_a_hand_calculation_is_closed_by_its_button_or_beside_it_and_not_inside(opens):
    page, entries, box = opens
    entry = entries.first
    entry.click()
    box.locator(".derivation").first.wait_for()
    place = box.bounding_box()
    for x, y in ((3, place["height"] / 2), (place["width"] / 2, place["height"] - 3)):
        page.mouse.click(place["x"] + x, place["y"] + y)
        assert box.is_visible()
    page.mouse.move(place["x"] + 30, place["y"] + place["height"] - 20)  # a selection that ends beside it
    page.mouse.down()
    page.mouse.move(5, 5)
    page.mouse.up()
    assert box.is_visible()
    page.mouse.click(5, 5)
    assert not box.is_visible()
    entry.click()
    box.get_by_role("button", name="Close").click()
    assert not box.is_visible()


def test_numbers_that_can_be_pressed_are_underlined_on_a_screen_only(opens):
    page, entries, _ = opens
    line = "part => getComputedStyle(part).textDecorationLine"
    assert entries.first.evaluate(line) == "underline"
    assert page.locator(".press").is_visible()
    page.emulate_media(media="print")
    assert entries.first.evaluate(line) == "none"
    assert not page.locator(".press").is_visible()
    page.emulate_media(media="screen")


@pytest.mark.slow
def test_on_paper_all_is_open_light_and_without_buttons(visit):
    page = visit("lesson", color_scheme="dark")
    answer = page.locator("details:not([open])").first
    assert answer.count() == 1
    page.emulate_media(media="print", color_scheme="dark")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("main details:not([open])").count() == 0
    color = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert sum(map(int, re.findall(r"\d+", color)[:3])) / 3 > 240
    assert not page.locator("main button:visible").count()
    assert not page.locator("header.lab").is_visible()


# -- the explorer, and what needs the lab --------------------------------------------------------------


def test_a_trace_opens_in_the_explorer_at_the_entry_that_was_asked_for(visit):
    page = visit("trace")
    assert page.evaluate("location.hash") == f"#/explore/{TRACE}/weights[1][0]"
    number = w.scenario(TRACE).trace()["weights"].number(1, 0)
    page.get_by_text("By hand").first.wait_for()
    assert number.text in page.locator("main").inner_text()
    assert page.locator("h1").inner_text() == w.scenario(TRACE).title
    assert page.get_by_role("navigation", name="Main").get_by_role("link").all_inner_texts() == ["Explore"]
    assert page.get_by_role("combobox", name="Run").count() == 0  # it has one run, so there is none to choose


@pytest.mark.slow
def test_the_explorer_of_a_lesson_works_and_the_back_button_leads_back(visit):
    page = visit("lesson")
    page.get_by_role("link", name="Open in the explorer").first.click()
    page.locator("main svg").get_by_text("X", exact=True).first.wait_for()
    assert page.evaluate("location.hash").startswith(f"#/explore/{LESSON}")
    assert page.locator(".problem").count() == 0
    runs = page.get_by_role("combobox", name="Run")
    offered = runs.locator("option").all_inner_texts()
    assert offered == ["default", "twin"]  # of other runs it has only what the lesson names
    for run in offered:
        runs.select_option(run)
        expect(page.locator(".problem")).to_have_count(0)
    page.go_back()
    page.get_by_role("link", name="Lesson", exact=True).click()
    page.locator("h1", has_text=w.lesson(LESSON).title).wait_for()


def test_a_file_offers_only_what_it_holds_and_says_how_to_get_the_rest(visit):
    page = visit("lesson", "#/")
    menu = page.get_by_role("navigation", name="Main").get_by_role("link")
    assert menu.all_inner_texts() == ["Lesson", "Explore", "Practice"]
    for n, page_name in enumerate(("lesson", "explore", "practice")):
        menu.nth(n).click()
        expect(page.locator("main h1")).to_contain_text(w.lesson(LESSON).title)
        assert page.evaluate("location.hash").startswith(f"#/{page_name}/{LESSON}")
    own = page.url.partition("#")[0]
    elsewhere = {
        "#/lesson/example-4": "workings lesson example-4 --format html -o example-4.html",
        f"#/explore/{LESSON}/weights?W_Q[0][1]=0.3": f"#/explore/{LESSON}/weights?W_Q[0][1]=0.3",
        "#/explore/example-3": "run workings",
        "#/check": "run workings",
        "#/progress": "run workings",
        "#/models": "run workings",
    }
    for address, said in elsewhere.items():
        page.goto(own + address)
        expect(page.get_by_role("alert")).to_contain_text("This file does not contain that page.")
        expect(page.get_by_role("alert")).to_contain_text(said)
        assert "/api/" not in page.locator("body").inner_text()
        assert menu.count() == 3
    page.locator("main").get_by_role("link", name="Explore", exact=True).click()
    page.locator("main svg").get_by_text("X", exact=True).first.wait_for()


def test_other_lessons_are_named_but_lead_nowhere_from_the_text(reader):
    inside = reader.locator("article .reference").evaluate_all("links => links.map(link => link.getAttribute('href'))")
    assert [link for link in inside if link.startswith("#/lesson/") and not link.startswith(f"#/lesson/{LESSON}")] == []


@pytest.mark.slow
def test_a_shared_place_of_the_file_opens_there(visit):
    page = visit("lesson", f"#/explore/{LESSON}/weights[1][0]")
    number = w.lesson(LESSON).trace()["weights"].number(1, 0)
    page.get_by_text("By hand").first.wait_for()
    assert number.text in page.locator("main").inner_text()


# -- practice ----------------------------------------------------------------------------------------


def test_practice_accepts_what_is_right_and_names_a_mistake(visit):
    sheets = Sheets()
    sheet = sheets.of(LESSON, "", 1, "few")
    named = [mistake for mistake in sheet.mistakes if mistake.step == "block1.attention.scaled"]
    field = next(field for field in sheet.fields if field.step == "block1.attention.scaled" and field.kind == "number")
    page = visit("lesson", f"#/practice/{LESSON}")
    blank = page.locator(f'[data-label="{field.label}"]').first
    for text in (f"{field.true:.6g}", f"{100 * field.true:.6g} %", f"{field.true * 8:.6g}/8"):
        blank.fill(text)
        blank.press("Enter")
        page.locator('.about[data-kind="right"]').wait_for()
        blank.fill("____")
        blank.press("Enter")
        expect(page.locator(".about[data-kind]")).to_have_count(0)
    wrong = next(mistake for mistake in named if "root" in mistake.id)
    blank.fill(f"{float(wrong.value[field.index]):.6g}")
    blank.press("Enter")
    page.locator(".note.mistake").first.wait_for()
    assert page.locator(".note.mistake").first.get_attribute("data-mistake") == wrong.id
    page.get_by_role("button", name="Hint").first.click()
    page.get_by_text("Hint: the formula").first.wait_for()
    for seed in (2, 3, 1):
        page.get_by_role("button", name="New numbers").click()
        expect(page.locator("main")).to_contain_text(sheets.of(LESSON, "", seed, "few").code)
