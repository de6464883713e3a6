"""The book: what becomes of lessons that are bound together."""

from __future__ import annotations

import pytest
from built_lessons import numbers_of, written
from lesson_words import words_of
from test_lesson_prose import typed_numbers

from workings.document.blocks import (
    Document,
    Fold,
    Heading,
    Link,
    Number,
    Question,
    Reference,
    Terms,
    Text,
    Words,
    all_blocks,
    plain_text,
)
from workings.lessons.book import bound, chapters, own_chapter
from workings.lessons.book.binding import CONTENTS, FOLDER, OF_THE_BOOK
from workings.lessons.book.index import words as index_words
from workings.lessons.contents import names
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
        (1, "Six examples by hand", "part.examples"),
        (2, "5 Example 1: a forward pass", "example-1"),
        (3, "Goal", "example-1.goal"),
        (2, "6 Example 2", "example-2"),
        (3, "Goal", "example-2.goal"),
        (1, "Appendices", "part.appendices"),
        (2, "A Matrix calculus", "matrix-calculus"),
        (2, "D Answers", "answers"),
        (3, "Answers of chapter 5", "answers.example-1"),
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
    assert set(chapters()) == {*names(), *OF_THE_BOOK}
    assert list(CONTENTS) == ["front", "theory", "examples", "longer", "pieces", "appendices"]


@pytest.mark.parametrize("name", OF_THE_BOOK)
def test_the_chapters_of_the_book_itself_begin_with_a_heading_and_have_no_typed_number(name):
    assert isinstance(own_chapter(name).blocks[0], Heading)
    text = (FOLDER / f"{name}.md").read_text()
    pieces = [piece for piece in words_of(text) if piece[1] != "code"]  # commands to try have numbers
    assert [piece for piece in pieces if typed_numbers(piece[1], piece[2], names())] == []


def test_the_index_leads_to_sections_that_are_there_and_once_to_a_chapter():
    anchors = {name: section_anchors(name) for name in chapters()}
    for word, places in index_words().items():
        found = [place.partition("#")[::2] for place in places]
        assert len({name for name, _ in found}) == len(found), word
        assert not [place for place in found if place[0] not in anchors or place[1] not in anchors[place[0]]], word


def section_anchors(name):
    from workings.lessons.prose import anchor_of

    path = FOLDER / f"{name}.md" if name in OF_THE_BOOK else lesson(name).file.folder / "lesson.md"
    rows = path.read_text().splitlines()
    return {"", *(anchor_of(row.lstrip("#").strip()) for row in rows if row.startswith("#"))}


def test_the_index_is_a_chapter_with_places():
    document = Document("Example 1", (Heading(2, "Weights", "attention-weights-scores-become-probabilities"),))
    (terms,) = (block for block in bound({"example-1": document}).blocks if isinstance(block, Terms))
    softmax = next(term for term in terms.entries if term.name == "softmax")
    assert softmax.places == (Reference("5", anchor="example-1.attention-weights-scores-become-probabilities"),)
