"""Offline files in a browser without a network: the lesson, any of its numbers by hand, the explorer, and practice."""

import re

import pytest

import workings as w
from workings.cli.lesson import TEMPLATE
from workings.cli.main import main
from workings.explain.document import plain_text
from workings.lab.practice import Sheets

LESSON, TRACE = "example-2", "example-6"
HOSTILE = "</script><img src=x onerror=document.title=1>"


def own_lesson():
    """A new lesson as the package makes it, with words in it that must not become tags."""
    text = TEMPLATE.read_text(encoding="utf-8")
    return text.replace("Who looks at whom", f'"{HOSTILE}"').replace("## Goal", f"## Goal {HOSTILE}")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    (folder / "own.md").write_text(own_lesson(), encoding="utf-8")
    commands = {
        "lesson": ("lesson", LESSON),
        "trace": ("trace", TRACE, "--step", "block1.attention.weights", "--cell", "1,0"),
        "own": ("lesson", str(folder / "own.md")),
    }
    for name, words in commands.items():
        assert main([*words, "--format", "html", "-o", str(folder / f"{name}.html")]) == 0
    return {name: folder / f"{name}.html" for name in commands}


@pytest.fixture
def visit(browser, files):
    """Open a file; in the end nothing may have been complained about, or asked for from elsewhere."""
    contexts, complaints = [], []

    def opened(name, place="", width=1400, script=True, **settings):
        context = browser.new_context(
            viewport={"width": width, "height": 800}, java_script_enabled=script, offline=True, **settings
        )
        contexts.append(context)
        page = context.new_page()
        own = files[name].as_uri()
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
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


def test_a_lesson_opens_where_it_was_made_for_with_every_formula_set(visit):
    page = visit("lesson")
    assert page.evaluate("location.hash") == f"#/lesson/{LESSON}"
    assert page.locator("h1").inner_text() == w.lesson(LESSON).title
    page.locator(".math .katex").first.wait_for()
    page.evaluate("document.fonts.ready")
    formulas = page.locator(".math").count()
    assert formulas >= 3
    assert page.locator(".math:has(.katex)").count() == formulas
    assert page.locator(".katex-error").count() == 0
    assert page.evaluate("[...document.fonts].filter(font => font.status === 'loaded').length") >= 2
    assert page.evaluate("[...document.fonts].filter(font => font.status === 'error').length") == 0


def test_without_a_script_the_lesson_still_reads(visit):
    page = visit("lesson", script=False)
    assert page.locator("h1").inner_text() == w.lesson(LESSON).title
    assert page.get_by_text("0.25", exact=False).first.is_visible()
    assert page.locator("svg").first.is_visible()
    assert not page.locator("button:visible").count()
    closed = page.locator("details:not([open])").first
    closed.locator("summary").first.click()
    assert closed.count() == 0 or page.locator("details[open]").count() > 0


def test_the_static_page_is_gone_when_the_front_end_is_there(visit):
    page = visit("lesson")
    assert page.locator("main").count() == 1
    assert page.locator("h1").count() == 1
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(part => part.id)")
    assert sorted(set(ids)) == sorted(ids)


def test_hostile_words_do_nothing(visit):
    for script in (True, False):
        page = visit("own", script=script)
        assert page.title().startswith(HOSTILE)
        assert page.locator("img").count() == 0
        assert page.locator("h1").inner_text() == HOSTILE


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_follow_the_system(visit, scheme):
    colour = visit("lesson", color_scheme=scheme).evaluate("getComputedStyle(document.body).backgroundColor")
    lightness = sum(map(int, re.findall(r"\d+", colour)[:3])) / 3
    assert lightness > 240 if scheme == "light" else lightness < 40


@pytest.mark.parametrize("name", ["lesson", "trace", "own"])
@pytest.mark.parametrize("width", [360, 768, 1400])
def test_only_boxes_scroll_sideways_never_the_page(visit, name, width):
    page = visit(name, width=width)
    page.evaluate("document.querySelectorAll('details').forEach((fold) => (fold.open = true))")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


# -- an entry by hand --------------------------------------------------------------------------------


@pytest.fixture
def opens(visit):
    page = visit("lesson", width=900, reduced_motion="reduce")
    return page, page.locator(".number.opens"), page.get_by_role("dialog", name="By hand")


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


def test_on_paper_all_is_open_light_and_without_buttons(visit):
    page = visit("lesson", color_scheme="dark")
    answer = page.locator("details:not([open])").first
    assert answer.count() == 1
    page.emulate_media(media="print", color_scheme="dark")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("main details:not([open])").count() == 0
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert sum(map(int, re.findall(r"\d+", colour)[:3])) / 3 > 240
    assert not page.locator("main button:visible").count()
    assert not page.locator("header.lab").is_visible()


# -- the explorer, and what needs the lab --------------------------------------------------------------


def test_a_trace_opens_in_the_explorer_at_the_entry_that_was_asked_for(visit):
    page = visit("trace")
    assert page.evaluate("location.hash") == f"#/explore/{TRACE}/block1.attention.weights[1][0]"
    number = w.scenario(TRACE).trace()["block1.attention.weights"].number(1, 0)
    page.get_by_text("By hand").first.wait_for()
    assert number.text in page.locator("main").inner_text()


def test_the_explorer_of_a_lesson_works_and_the_back_button_leads_back(visit):
    page = visit("lesson")
    page.get_by_role("link", name="Open in the explorer").first.click()
    page.locator("main svg").get_by_text("X", exact=True).first.wait_for()
    assert page.evaluate("location.hash").startswith(f"#/explore/{LESSON}")
    assert page.locator(".problem").count() == 0
    page.go_back()
    page.locator("h1", has_text=w.lesson(LESSON).title).wait_for()


def test_what_the_file_does_not_hold_needs_the_lab_and_says_so(visit):
    page = visit("lesson", f"#/explore/{LESSON}?W_Q[0][1]=0.3")
    problem = page.get_by_text("This file does not hold what you asked for.")
    problem.first.wait_for()
    assert "It needs the lab" in page.locator("main").inner_text()


def test_a_shared_place_of_the_file_opens_there(visit):
    page = visit("lesson", f"#/explore/{LESSON}/weights[1][0]")
    number = w.lesson(LESSON).trace()["weights"].number(1, 0)
    page.get_by_text("By hand").first.wait_for()
    assert number.text in page.locator("main").inner_text()


# -- practice ----------------------------------------------------------------------------------------


def test_practice_accepts_what_is_right_and_names_a_mistake(visit):
    sheet = Sheets().of(LESSON, "", 1, "few")
    named = [slip for slip in sheet.slips if slip.step == "block1.attention.scaled"]
    field = next(field for field in sheet.fields if field.step == "block1.attention.scaled" and field.kind == "number")
    page = visit("lesson", f"#/practice/{LESSON}")
    blank = page.locator(f'[data-label="{field.label}"]').first
    blank.fill(f"{field.true:.6g}")
    blank.press("Enter")
    page.get_by_text("Right.", exact=False).first.wait_for()
    wrong = next(slip for slip in named if "root" in slip.id)
    blank.fill(f"{float(wrong.value[field.index]):.6g}")
    blank.press("Enter")
    page.locator(".note.mistake").first.wait_for()
    assert page.locator(".note.mistake").first.get_attribute("data-mistake") == wrong.id
    page.get_by_role("button", name="Hint").first.click()
    page.get_by_text("Hint: the formula").first.wait_for()
