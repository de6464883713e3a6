"""The chapters of the workbook: titles, lines, checks that hold, mistakes, and where to go on."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest

from workings.cli.book import _chapter
from workings.document.blocks import (
    Answers,
    Document,
    Heading,
    Items,
    Matrix,
    Question,
    Reference,
    Text,
    all_blocks,
    plain_text,
)
from workings.lessons.book import bound, packaged_book
from workings.lessons.lesson import lesson
from workings.practice.grading.grade import grade
from workings.practice.mistakes import mistake_hint
from workings.practice.sheet import make_sheet
from workings.practice.worksheets.chapter import NextChapter, worksheet_chapter
from workings.practice.worksheets.common_mistakes import COMMON
from workings.practice.worksheets.lesson_parts import own_checks
from workings.practice.worksheets.step_titles import StepTitles
from workings.render.markdown import to_markdown

PLAN = packaged_book("workbook")
CHAPTERS = {chapter.name: chapter for chapter in PLAN.chapters}
FOLLOWING = {one.name: other for one, other in pairwise((*PLAN.chapters, None))}
OF_THE_BOOK = [chapter.name for chapter in PLAN.parts[0].chapters]
WITH_UPDATE = [name for name, chapter in CHAPTERS.items() if chapter.sheet.get("training_step")]


@cache
def chapter(name):
    return _chapter(CHAPTERS[name], PLAN.folder, FOLLOWING[name])


@cache
def sheet_of(name):
    options = dict(CHAPTERS[name].sheet)
    lines = {"yes": "all", True: "all"}.get(options.get("lines"), options.get("lines", "none"))
    return make_sheet(
        CHAPTERS[name].source,
        options.get("seed", 0),
        options.get("blanks", "some"),
        run=options.get("run"),
        digits=options.get("digits", 4),
        lines=lines,
        training_step=options.get("training_step") in ("yes", True),
    )


def headings(document):
    return [block for block in document.blocks if isinstance(block, Heading)]


def section(document, title):
    """The blocks below a heading."""
    start = next(n for n, block in enumerate(document.blocks) if isinstance(block, Heading) and block.text == title)
    rest = document.blocks[start + 1 :]
    end = next((n for n, block in enumerate(rest) if isinstance(block, Heading) and block.level <= 2), len(rest))
    return rest[:end]


def entries(blocks):
    return [plain_text(entry[0].spans) for block in blocks if isinstance(block, Items) for entry in block.entries]


# -- titles --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CHAPTERS)
def test_headings_are_words_and_lead_somewhere(name):
    found = headings(chapter(name))
    for one in found:
        assert not re.search(r"\w\.\w|^after |_?block\d|^embedding$", one.text), one.text
        assert one.anchor
    assert len({one.anchor for one in found}) == len(found)
    part = ""
    seen = set()
    for one in found:
        part = one.text if one.level == 2 else part
        assert (part, one.text) not in seen, "a title occurs once in a part"
        seen.add((part, one.text))


def test_the_parts_of_a_training_step_are_those_of_the_document():
    parts = [one.text for one in headings(chapter("worksheet-example-2-0")) if one.level == 2]
    assert parts == [
        "Given", "Part 1. Forward pass", "Part 2. Backward pass", "Part 3. Update",
        "Part 4. The forward pass after the update", "Common mistakes", "Verification", "Insights", "Next steps",
    ]  # fmt: skip
    steps = [one.text.partition(":")[0] for one in headings(chapter("worksheet-example-1-0")) if one.level == 3]
    assert steps == [
        "Step 1. Embeddings", "Step 2. Queries, keys and values", "Step 3. Attention scores",
        "Step 4. Attention weights", "Step 5. Context vectors", "Step 6. The last token", "Step 7. Logits",
        "Step 8. Probabilities",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["worksheet-example-3-0", "worksheet-example-5-0"])
def test_the_backward_pass_ends_with_attention_step_by_step(name):
    steps = [one.text.partition(". ")[2] for one in headings(chapter(name)) if one.anchor.startswith("part-2.")]
    assert steps[-4:] == [
        "From the context vectors to attention weights and values", "Through the softmax",
        "From the scores to queries and keys", "From queries, keys and values to their matrices",
    ]  # fmt: skip


def test_a_step_has_the_title_of_its_lesson():
    of = [block.text for block in lesson("example-1").document.blocks if isinstance(block, Heading)]
    own = next(text for text in of if text.startswith("Attention scores"))
    assert f"Step 3. {own}" in [one.text for one in headings(chapter("worksheet-example-1-0"))]


def test_examples_of_a_batch_are_titles():
    titles = [one.text for one in headings(chapter("worksheet-example-4-0"))]
    for text in ("Example 1: A B, then C", "Example 2: A A, then D", "Example 3: B A, then C"):
        assert titles.count(text) == 3, "forward, backward, and after the update"


def test_several_blocks_are_told_apart():
    sheet = make_sheet("example-6", seed=0, run="default")
    steps = [step for step in sheet.trace.recording.steps.values() if step.op is not None and step.named]
    titles = [
        one.text.partition(". ")[2]
        for above, _ in StepTitles(sheet.trace).above(steps)
        for one in above
        if isinstance(one, Heading) and one.level == 3
    ]
    assert {"Block 1: attention scores", "Block 2: attention scores", "Block 1: ReLU"} <= set(titles)


def test_the_bound_workbook_has_no_empty_anchor_in_markdown():
    name = "worksheet-example-2-0"
    book = bound({name: chapter(name)}, PLAN)
    anchors = [one.anchor for one in all_blocks(book.blocks) if isinstance(one, Heading)]
    assert all(anchors)
    assert len(set(anchors)) == len(anchors)
    assert '<a id="">' not in to_markdown(book)


def test_a_heading_without_an_anchor_has_none_in_markdown():
    link = Text((Reference("there", anchor="two"), Reference("nowhere", anchor="")))
    blocks = (Heading(1, "Part", "part"), Heading(2, "Zero", "zero"), Heading(3, "One"), Heading(3, "Two", "two"), link)
    text = to_markdown(Document("t", blocks, form="book"))
    assert '<a id="two">' in text
    assert '<a id="">' not in text


# -- lines of a softmax --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CHAPTERS)
def test_every_softmax_with_blanks_has_the_lines_of_a_row(name):
    sheet = sheet_of(name)
    asked = {}
    for blank in sheet.fields:
        if (
            sheet.trace.find_step(blank.step).op_name == "softmax"
            and sheet.trace.find_step(blank.step).stage == "forward"
        ):
            asked.setdefault(blank.step, []).append(blank.line)
    for step, lines in asked.items():
        size = sheet.trace.find_step(step).form.shape[-1]
        kinds = [re.sub(r"\d", "", line) for line in lines if line]
        assert kinds == ["max", *["s"] * size, *["e"] * size, "total"], step
    if name in OF_THE_BOOK:  # the sentence of its part
        shown = [step for step in sheet.trace.recording.steps.values() if step.op_name == "softmax"]
        assert {step.path for step in shown if step.group is None} == set(asked)


def test_the_lines_are_numbered_below_the_name_of_their_row():
    blocks = chapter("worksheet-example-2-0").blocks
    before, lines = next(
        (one, other)
        for one, other in pairwise(blocks)
        if isinstance(other, Answers) and any("/total" in field.label for field in other.fields)
    )
    assert plain_text(before.spans).startswith("weights[1] (B) in five lines.")
    assert [field.question for field in lines.fields] == [
        "1. Largest score: max = max(scaled[1])",
        "2. Differences: s0 = scaled[1][0] − max",
        "s1 = scaled[1][1] − max",
        "3. Powers of e: e0 = e^(s0)",
        "e1 = e^(s1)",
        "4. Total: total = e0 + e1",
    ]


def test_a_chapter_in_markdown_is_filled_in_and_graded(tmp_path):
    name = "worksheet-example-2-0"
    sheet = sheet_of(name)
    true = {blank.label: repr(blank.true) if blank.is_number else blank.true_text for blank in sheet.fields}
    text = to_markdown(chapter(name))
    filled = re.sub(r"^(\| `(.*?)` *\|.*) \|$", lambda row: f"{row[1]} {true[row[2]]} |", text, flags=re.MULTILINE)
    path = tmp_path / "filled.md"
    path.write_text(filled, encoding="utf-8")
    graded = grade(sheet, path)
    assert {mark.verdict for mark in graded.marks} == {"right"}


# -- checks --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CHAPTERS)
def test_only_checks_are_ticked_off_and_no_numbers(name):
    of = lesson(CHAPTERS[name].source)
    known = {plain_text(check.words) for check in of.checks()}
    ticked = [text.removeprefix("☐ ") for text in entries(section(chapter(name), "Verification"))]
    assert ticked
    assert set(ticked) <= known
    assert len(set(ticked)) == len(ticked)
    assert not [text for text in ticked if re.fullmatch(r"[-\d.e ]+", text)]


def test_a_check_that_fails_for_the_numbers_of_the_sheet_is_left_out():
    words = "The probability of sleeps is above that of The, if only just"
    of = lesson("cat-sleeps")
    holding = {}
    for seed in range(1, 9):
        sheet = make_sheet("cat-sleeps", seed=seed, run="twin")
        y = sheet.trace["y"].value
        ticked = [plain_text(one) for one in own_checks(of, sheet)]
        assert (words in ticked) == bool(y[2, 0] > y[0, 0]), seed
        holding[seed] = words in ticked
    assert set(holding.values()) == {True, False}, "both happen"


def test_checks_of_other_runs_are_left_out_and_those_of_both_passes_are_there():
    ticked = entries(section(chapter("worksheet-example-4-0"), "Verification"))
    assert "☐ The update makes the loss of A A smaller" in ticked
    assert "☐ The probabilities of A A sum to 1" in ticked
    assert not [text for text in ticked if "After training" in text or "epoch" in text]


def test_a_check_about_a_step_that_the_sheet_does_not_have_is_left_out():
    of = lesson("example-3")
    about_embeddings = "dE has the shape of E"
    whole, step = make_sheet("example-3", seed=0, run="default"), sheet_of("worksheet-example-3-0")
    assert about_embeddings in [plain_text(one) for one in own_checks(of, whole)]
    assert about_embeddings not in [plain_text(one) for one in own_checks(of, step)]


def test_a_loss_that_rises_is_not_ticked_off_as_fallen():
    sheet = sheet_of("worksheet-example-2-0")
    fallen = "The loss has fallen"
    assert fallen in [plain_text(one) for one in own_checks(lesson("example-2"), sheet)]
    trace = sheet.trace.replay(settings={"W_vocab_new": {"rate": -0.1}})
    other = replace(sheet, trace=trace)
    assert fallen not in [plain_text(one) for one in own_checks(lesson("example-2"), other)]


# -- mistakes, insights, next steps --------------------------------------------------------------------


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_commonest_mistakes_of_the_sheet_stand_before_its_checks(name):
    titles = [one.text for one in headings(chapter(name))]
    assert titles.index("Common mistakes") < titles.index("Verification")
    told = entries(section(chapter(name), "Common mistakes"))
    assert 2 <= len(told) <= 3
    own = {mistake.hint for mistake in sheet_of(name).mistakes}
    assert {text.partition(": ")[2] for text in told} <= own


def test_common_mistakes_are_known_ones():
    assert not [name for name in COMMON if not mistake_hint(name)]


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_next_step_has_a_title(name):
    steps = entries(section(chapter(name), "Next steps"))
    of = lesson(CHAPTERS[name].source)
    following = FOLLOWING[name]
    wanted = lesson(of.file.next).title if following is None else following.sheet["title"]
    assert of.title in steps[0]
    assert any(wanted in step for step in steps)
    assert any("workings worksheet" in step for step in steps)


def test_the_command_of_the_next_steps_makes_a_sheet(works):
    steps = entries(section(chapter("worksheet-example-2-0"), "Next steps"))
    command = next(re.search(r"workings (worksheet .*?) makes", step)[1] for step in steps if "makes" in step)
    assert "loss_after" in works(*command.split())


def test_sentences_about_the_numbers_of_the_lesson_are_not_on_a_sheet_with_others():
    own = entries(section(chapter("worksheet-example-2-0"), "Insights"))
    other = worksheet_chapter("example-2", seed=3, training_step="yes")
    assert set(entries(section(other, "Insights"))) < set(own)


def test_a_sheet_at_the_end_names_the_next_lesson():
    document = worksheet_chapter("example-1", seed=2)
    assert any(lesson("example-2").title in step for step in entries(section(document, "Next steps")))
    named = worksheet_chapter("example-1", seed=2, following=NextChapter("mine", "My chapter"))
    assert any("My chapter" in step for step in entries(section(named, "Next steps")))


# -- training steps ------------------------------------------------------------------------------------


def test_the_sheet_of_example_2_asks_for_no_gradient_that_its_update_does_not_need():
    asked = {field.label.partition("[")[0] for field in fields_of(chapter("worksheet-example-2-0"))}
    assert {label for label in asked if label.startswith("d")} == {"dlogits", "dW_vocab"}


def fields_of(document):
    return [field for block in document.blocks if isinstance(block, Answers) for field in block.fields]


@pytest.mark.parametrize("name", WITH_UPDATE)
def test_a_sheet_with_an_update_ends_with_the_loss_after_it(name):
    document = chapter(name)
    assert "Part 4. The forward pass after the update" in [one.text for one in headings(document)]
    part = section(document, "Part 4. The forward pass after the update")
    assert plain_text(part[-1].spans).startswith("Has the loss fallen?")
    asked = [field.label for block in part if isinstance(block, Answers) for field in block.fields]
    assert asked[-1] == "loss_after"
    drawn = [block for block in part if isinstance(block, Matrix)][-1]
    assert all(entry.is_blank for one in drawn.slices for row in one.rows for entry in row)
    (answers,) = (block.answer for block in document.blocks if isinstance(block, Question))
    trace = sheet_of(name).trace
    has_fallen = float(trace["loss_after"].value) < float(trace["loss"].value)
    verdict = plain_text(answers[-1].spans)
    assert verdict.startswith("Yes, the loss has fallen" if has_fallen else "No, the loss has not fallen")
    before, after = re.findall(r"\d+\.\d+", verdict)
    assert (float(after) < float(before)) == has_fallen, "it shows in the digits that are asked for"


def test_every_sheet_of_an_update_is_a_training_step():
    for name in CHAPTERS:
        updates = [step for step in sheet_of(name).trace.recording.steps.values() if step.stage == "update"]
        assert bool(updates) == (name in WITH_UPDATE)


def test_what_stays_as_it_was_is_named():
    part = section(chapter("worksheet-example-2-0"), "Part 4. The forward pass after the update")
    assert plain_text(part[0].spans) == "Use the new weights. last stays as it was: nothing before it was updated."
    backward = section(chapter("worksheet-example-2-0"), "Part 2. Backward pass")
    assert isinstance(backward[0], Text)
    assert plain_text(backward[0].spans) == "Only W_vocab learns, so only its gradient is needed."


@pytest.mark.parametrize(("option", "value"), [("lines", "many"), ("training_step", "maybe")])
def test_an_unknown_option_is_refused(option, value):
    with pytest.raises(Exception, match=option) as refused:
        worksheet_chapter("example-1", **{option: value})
    assert refused.value.hint
