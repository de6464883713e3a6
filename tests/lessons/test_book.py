"""The book: what becomes of lessons that are bound together."""

from __future__ import annotations

import pytest
from built_lessons import numbers_of, written
from lesson_words import words_of
from test_lesson_prose import typed_numbers

from workings.document.blocks import (
    Document,
    Figure,
    Fold,
    Formula,
    Heading,
    Items,
    Link,
    Math,
    Number,
    Question,
    Reference,
    Table,
    Terms,
    Text,
    Words,
    all_blocks,
    plain_text,
)
from workings.engine.errors import LessonError
from workings.lessons.book import bound, own_chapter, own_names, packaged_book
from workings.lessons.book.index import words as index_words
from workings.lessons.book.plan import FOLDER, read_book
from workings.lessons.book.sources import DOCUMENTS
from workings.lessons.contents import PART_TITLES, PARTS, names
from workings.lessons.frame import reference
from workings.lessons.lesson import lesson


def text(*spans):
    return Text(tuple(Words(span) if isinstance(span, str) else span for span in spans))


ASKS = Question((Words("How much?"),), (text("This much: ", Number("0.5", 0.5, "twin:3", (1,))),), "By hand", "Answer")
SMALL = {
    "example-1": Document(
        "Example 1: a forward pass",
        (
            Heading(2, "Goal", "goal"),
            text("See ", Reference("example-2", lesson="example-2"), " and ", Link("Q", "default:4"), "."),
            Fold("More", (ASKS,)),
            text("Next: ", reference("example-2"), "."),
        ),
    ),
    "example-2": Document(
        "Example 2",
        (Heading(2, "Goal", "goal"), text(Reference("example-1", lesson="example-1", anchor="goal"), " comes first.")),
    ),
    "matrix-calculus": Document("Matrix calculus", (text("As in ", Reference("adam", lesson="adam"), "."),)),
}


def headings(document):
    return [(one.level, one.text, one.anchor) for one in all_blocks(document.blocks) if isinstance(one, Heading)]


def test_parts_chapters_and_sections_are_levels_with_anchors_of_their_own():
    assert headings(bound(SMALL)) == [
        (1, "Six examples by hand", "part.six-examples-by-hand"),
        (2, "5 Example 1: a forward pass", "example-1"),
        (3, "Goal", "example-1.goal"),
        (2, "6 Example 2", "example-2"),
        (3, "Goal", "example-2.goal"),
        (1, "Appendices", "part.appendices"),
        (2, "A Matrix calculus", "matrix-calculus"),
        (2, "F Answers", "answers"),
        (3, "Answers to chapter 5", "answers.example-1"),
        (4, "5.1 By hand", "answer.5.1"),
    ]


def test_a_lesson_that_is_named_becomes_its_chapter():
    book = bound(SMALL)
    texts = [plain_text(block.spans) for block in all_blocks(book.blocks) if isinstance(block, Text)]
    assert "See chapter 6 and Q." in texts
    assert "Chapter 5 comes first." in texts, "a capital where a sentence begins"
    assert "As in adam." in texts, "what is not in the book leads nowhere"
    assert not [one for one in texts if one.startswith("Next:")]
    found = [span for block in all_blocks(book.blocks) for span in getattr(block, "spans", ())]
    references = {span.text: span for span in found if isinstance(span, Reference)}
    assert references["chapter 6"] == Reference("chapter 6", anchor="example-2")
    assert references["Chapter 5"].anchor == "example-1.goal"


def test_answers_move_to_the_end_and_questions_lead_to_them():
    blocks = list(all_blocks(bound(SMALL).blocks))
    (question,) = (block for block in blocks if isinstance(block, Question))
    assert question.title == "5.1 By hand"
    assert question.answer == ()
    assert question.spans[-1] == Reference("Answer", anchor="answer.5.1")
    place = next(n for n, block in enumerate(blocks) if isinstance(block, Heading) and block.anchor == "answer.5.1")
    assert blocks[place + 1].spans[1] == Number("0.5", 0.5, "example-1:twin:3", (1,))


def test_every_step_says_in_which_lesson_it_is():
    (link,) = (
        span
        for block in all_blocks(bound(SMALL).blocks)
        for span in getattr(block, "spans", ())
        if isinstance(span, Link)
    )
    assert link.step == "example-1:default:4"


@pytest.mark.parametrize("name", ["example-1", pytest.param("hello-world", marks=pytest.mark.slow)])
def test_no_number_of_a_lesson_is_lost_or_added(name):
    document = written(name).document
    there = sorted((number.step, number.index, number.text) for number in numbers_of(document.blocks))
    bound_ones = sorted(
        (number.step, number.index, number.text) for number in numbers_of(bound({name: document}).blocks)
    )
    assert bound_ones == sorted((f"{name}:{step}" if step else "", index, text) for step, index, text in there)


def test_the_book_has_every_lesson_and_its_own_chapters():
    chapters = [chapter.name for chapter in packaged_book().chapters]
    assert sorted(chapters) == sorted({*names(), *own_names()})
    in_parts = {part.title: tuple(one.name for one in part.chapters) for part in packaged_book().parts}
    for part, lessons in PARTS.items():
        assert [name for name in in_parts[PART_TITLES[part]] if name in names()] == list(lessons)


@pytest.mark.parametrize("name", own_names())
def test_the_chapters_of_the_book_itself_begin_with_a_heading_and_have_no_typed_number(name):
    assert isinstance(own_chapter(name).blocks[0], Heading)
    text = (FOLDER / f"{name}.md").read_text()
    pieces = [piece for piece in words_of(text) if piece[1] != "code"]  # commands to try have numbers
    assert [piece for piece in pieces if typed_numbers(piece[1], piece[2], names())] == []


def test_the_index_leads_to_sections_that_are_there_and_once_to_a_chapter():
    anchors = {chapter.name: section_anchors(chapter.name) for chapter in packaged_book().chapters}
    for word, places in index_words().items():
        found = [place.partition("#")[::2] for place in places]
        assert len({name for name, _ in found}) == len(found), word
        assert not [place for place in found if place[0] not in anchors or place[1] not in anchors[place[0]]], word


def section_anchors(name):
    from workings.lessons.prose import anchor_of

    path = FOLDER / f"{name}.md" if name in own_names() else lesson(name).file.folder / "lesson.md"
    rows = path.read_text().splitlines()
    return {"", *(anchor_of(row.lstrip("#").strip()) for row in rows if row.startswith("#"))}


def test_the_index_is_a_chapter_with_places():
    document = Document("Example 1", (Heading(2, "Weights", "attention-weights-scores-become-probabilities"),))
    (terms,) = (block for block in bound({"example-1": document}).blocks if isinstance(block, Terms))
    softmax = next(term for term in terms.entries if term.name == "softmax")
    assert softmax.places == (Reference("5", anchor="example-1.attention-weights-scores-become-probabilities"),)


def test_every_lesson_that_lists_what_its_document_prints_is_in_the_appendix_of_that_document():
    listed = {name for lessons in DOCUMENTS.values() for name in lessons}
    with_notes = {name for name in names() if "{source-notes}" in lesson(name).file.text}
    assert with_notes <= listed <= set(names())


PRINTS = Document(
    "The cat sleeps",
    (
        Heading(2, "What the document prints", "what-the-document-prints"),
        Fold("Its numbers", (Table(("where",), (((Words("step 1"),),),), "Cut off"),)),
        Heading(2, "Exercises", "exercises"),
        Fold("References", (Items(((text("A work."),),)),)),
    ),
)


def test_what_a_document_prints_and_what_a_lesson_cites_move_to_the_end():
    book = bound({"cat-sleeps": PRINTS, "token-i": PRINTS})
    anchors = [anchor for _, _, anchor in headings(book)]
    assert (
        anchors.index("token-i.exercises") < anchors.index("what-the-documents-print") < anchors.index("bibliography")
    )
    tables = [block for block in all_blocks(book.blocks) if isinstance(block, Table)]
    assert [table.title for table in tables] == ["Table F.1. Cut off", "Table F.2. Cut off"]
    (works,) = (block for block in book.blocks if isinstance(block, Items))
    assert works.entries == ((text("A work."),),)


def test_figures_tables_and_equations_are_numbered_by_chapter_and_folds_that_print_as_a_line_are_not():
    plot = Figure("grid", "", None, "Words", caption=(Words("See it."),))
    table = Table(("a",), ())
    formula = Formula(Math("x", "x", "x", "x", "x"))
    fold = Fold("More", (plot, table, formula), summary="The same again.")
    blocks = (Heading(2, "Why", "why"), plot, table, formula, fold, Fold("Open", (plot, table)))
    book = bound({"example-1": Document("Example 1", blocks)})
    found = list(all_blocks(book.blocks))
    captions = [plain_text(block.caption) for block in found if isinstance(block, Figure)]
    assert captions == ["Figure 5.1. See it.", "See it.", "Figure 5.2. See it."]
    assert [one.title for one in found if isinstance(one, Table)] == ["Table 5.1. Why", "", "Table 5.2. Open"]
    assert [one.number for one in found if isinstance(one, Formula)] == ["5.1", ""]


OWN = """
title: Attention in a week
author: R. Reader
answers: no
index: no
parts:
- {title: Monday, numbers: none, chapters: [welcome.md]}
- title: Tuesday
  about: Two examples.
  chapters: [example-2, example-1, {worksheet: example-1, seed: 3}]
"""


def test_a_book_of_ones_own_has_its_chapters_in_its_order_and_only_what_it_asks_for():
    plan = read_book(OWN, "week.yaml", FOLDER)
    assert [chapter.name for chapter in plan.chapters] == ["welcome", "example-2", "example-1", "worksheet-example-1-3"]
    book = bound({**SMALL, "welcome": Document("Welcome", (text("Hello."),))}, plan)
    assert (book.title, book.author) == ("Attention in a week", "R. Reader")
    assert [(level, words) for level, words, _ in headings(book) if level < 3] == [
        (1, "Monday"), (2, "Welcome"), (1, "Tuesday"), (2, "1 Example 2"), (2, "2 Example 1: a forward pass"),
    ]  # fmt: skip
    (question,) = (block for block in all_blocks(book.blocks) if isinstance(block, Question))
    assert question.answer == ()
    assert not any(isinstance(span, Reference) and span.text == "Answer" for span in question.spans)


@pytest.mark.parametrize(
    ("file", "what", "where"),
    [
        ("chapters: [example-1]", "has no title", "line 1"),
        ("title: x", "either parts or chapters", "line 1"),
        ("title: x\nparts: []\nchapters: [example-1]", "either parts or chapters", "line 1"),
        ("title: x\nchapters: example-1", "not a list of lessons", "line 2"),
        ("title: x\nchapters: [example-1, 2]", "A chapter is the name", "line 2"),
        ("title: x\nchapter: [example-1]", "no key 'chapter'", "line 2"),
        ("title: x\nparts:\n- chapters: [adam]", "needs a title and chapters", "line 3"),
        ("title: x\nparts:\n- {title: y, numbers: roman, chapters: [adam]}", "cannot be numbered", "line 3"),
        ("title: x\nchapters: [adam, adam]", "in the book twice", "book.yaml"),
        ("title: x\nindex: maybe\nchapters: [adam]", "takes yes or no", "book.yaml"),
        ("title: [x]\nchapters: [adam]", "is not a text", "book.yaml"),
        ("title: x\nchapters:\n- {worksheet: adam, sead: 3}", "no key 'sead'", "line 3"),
    ],
)
def test_a_book_file_that_cannot_be_read_is_refused_with_its_line(file, what, where):
    with pytest.raises(LessonError) as refused:
        read_book(file, "book.yaml", FOLDER)
    assert what in refused.value.what
    assert where in refused.value.where
    assert refused.value.hint
