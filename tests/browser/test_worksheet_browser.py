"""A worksheet in a browser: it is filled in, kept, saved, loaded again, and what was saved can be graded."""

import json

import pytest

from workings.practice.grading.grade import grade
from workings.practice.sheet import make_sheet
from workings.practice.worksheets.worksheet import worksheet
from workings.render.html import to_html

PHONE, DESK = 360, 1200


@pytest.fixture(scope="module")
def sheet():
    return make_sheet("example-3", seed=2, blanks="some")


@pytest.fixture(scope="module")
def file(sheet, tmp_path_factory):
    path = tmp_path_factory.mktemp("sheet") / "sheet.html"
    path.write_text(to_html(worksheet(sheet)), encoding="utf-8")
    return path


@pytest.fixture
def context(browser):
    """What one person's browser remembers; in the end nothing may have been complained about."""
    made = browser.new_context(offline=True, accept_downloads=True)
    complaints = []
    made.on("console", lambda message: complaints.append(message.text))
    made.on("weberror", lambda error: complaints.append(str(error.error)))
    yield made
    made.close()
    assert complaints == []


@pytest.fixture
def page(context, file):
    return visit(context, file)


def visit(context, file, width=DESK):
    page = context.new_page()
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(file.as_uri())
    return page


def field(page, label):
    return page.locator(f'[data-label="{label}"]')


def saved(page, folder):
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save my answers").click()
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


def fill_truly(page, sheet):
    """Type the right answers, with the digits asked for."""
    for asked in sheet.fields:
        if asked.kind == "number":
            field(page, asked.label).fill(f"{asked.true:.{sheet.digits}g}")
        elif asked.kind == "choice":
            field(page, asked.label).select_option(asked.true)
        elif asked.kind == "shape":
            field(page, asked.label).fill("x".join(map(str, asked.true)))


def test_what_is_filled_in_and_saved_is_graded_right(page, sheet, tmp_path):
    fill_truly(page, sheet)
    path = saved(page, tmp_path)
    assert path.name == f"answers-{sheet.code}.json"
    assert json.loads(path.read_text(encoding="utf-8"))["sheet"] == sheet.code
    graded = grade(sheet, path)
    assert {mark.verdict for mark in graded.marks} == {"right"}
    assert page.locator("section.sheet output").inner_text() == "Saved."


def test_what_is_left_blank_is_blank_and_not_zero(page, sheet, tmp_path):
    first, *rest = (asked.label for asked in sheet.fields if asked.kind == "number")
    field(page, first).fill("0")
    graded = grade(sheet, saved(page, tmp_path))
    assert graded[first].verdict != "blank"
    assert {graded[label].verdict for label in rest} == {"blank"}


def test_answers_are_there_again_when_the_page_is_opened_again(context, file, sheet):
    label = sheet.fields[0].label
    field(visit(context, file), label).fill("0.25")
    assert field(visit(context, file), label).input_value() == "0.25"


@pytest.mark.slow
def test_a_saved_file_is_loaded_into_an_empty_page(browser, page, file, sheet, tmp_path):
    fill_truly(page, sheet)
    path = saved(page, tmp_path)
    other = browser.new_context(offline=True, accept_downloads=True)
    elsewhere = visit(other, file)
    assert field(elsewhere, sheet.fields[0].label).input_value() == ""
    elsewhere.locator("input[type=file]").set_input_files(path)
    elsewhere.wait_for_function("document.querySelector('section.sheet output').value === 'Loaded.'")
    again = saved(elsewhere, tmp_path / "again")
    assert json.loads(again.read_text()) == json.loads(path.read_text())
    other.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"sheet": "another-1", "answers": {"X[0][0]": "5"}}', "These are answers to a different sheet."),
        ("no JSON", "This file contains no answers."),
        ("[1, 2]", "This file contains no answers."),
        ('{"answers": null}', "This file contains no answers."),
    ],
)
def test_a_wrong_file_is_said_to_be_wrong_and_changes_nothing(page, sheet, tmp_path, content, said):
    label = sheet.fields[0].label
    field(page, label).fill("0.25")
    path = tmp_path / "wrong.json"
    path.write_text(content)
    page.locator("input[type=file]").set_input_files(path)
    page.wait_for_function("document.querySelector('section.sheet output').value !== ''")
    assert page.locator("section.sheet output").inner_text() == said
    assert field(page, label).input_value() == "0.25"


def test_every_field_has_a_name_and_is_reached_with_the_keyboard(page, sheet):
    for asked in sheet.fields:
        name = f"Your answer: {asked.question or asked.label}"
        assert page.get_by_label(name, exact=True).count() == 1, name
    first, second = (asked.label for asked in sheet.fields[:2])
    field(page, first).focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.label") == second


@pytest.mark.slow
@pytest.mark.parametrize("width", [PHONE, DESK])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_the_screen_and_can_be_read(browser, file, width, scheme):
    context = browser.new_context(offline=True, color_scheme=scheme)
    page = visit(context, file, width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    box = page.locator("section.sheet").bounding_box()
    assert box["y"] + box["height"] <= 800  # the buttons are always there
    size, ink, paper = page.locator(".slice input").first.evaluate(
        "(field) => ['fontSize', 'color', 'backgroundColor'].map((name) => getComputedStyle(field)[name])"
    )
    assert float(size.removesuffix("px")) >= 16  # a phone would zoom in on less
    assert ink != paper
    context.close()


def test_without_a_script_there_are_no_dead_buttons(browser, file):
    context = browser.new_context(offline=True, java_script_enabled=False)
    page = visit(context, file)
    assert not page.locator("section.sheet").is_visible()
    assert page.locator(".slice input").first.is_visible()
    context.close()


def test_no_answer_is_in_the_page(file, sheet):
    text = file.read_text(encoding="utf-8")
    hidden = [asked for asked in sheet.fields if asked.kind == "number" and len(f"{asked.true:.6g}") >= 8]
    assert hidden
    for asked in hidden:
        assert repr(asked.true) not in text
