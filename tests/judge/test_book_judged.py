"""The whole book, on every target: no number in it but those of its lessons, which are judged one by one."""

import json
import re
from collections import Counter
from functools import cache

import pytest
from built_lessons import numbers_of, written

from workings.document.blocks import to_data
from workings.lessons.book import bound, own_chapter, own_names, packaged_book
from workings.render.html import to_html
from workings.render.markdown import to_markdown
from workings.render.typst.printing import to_pdf

from .rendered import unaccounted, without_tags
from .test_pdf_judged import run_together, shown

PAGE = re.compile(r"\(page\s+\d+\)")  # where a reference leads
SMALL = ("example-1", "token-i")
ALL = tuple(chapter.name for chapter in packaged_book().chapters)


@cache
def book(names):
    return bound({name: own_chapter(name) if name in own_names() else written(name).document for name in names})


@pytest.mark.parametrize("names", [SMALL, pytest.param(None, marks=pytest.mark.slow)], ids=["small", "whole"])
def test_the_numbers_of_the_book_are_those_of_its_lessons(names):
    names = names or ALL
    lessons = {name: own_chapter(name) if name in own_names() else written(name).document for name in names}
    there = Counter(
        (f"{name}:{number.step}" if number.step else "", number.index, number.text, number.role, number.value)
        for name, document in lessons.items()
        for number in numbers_of(document.blocks)
    )
    bound_ones = Counter(
        (number.step, number.index, number.text, number.role, number.value) for number in numbers_of(book(names).blocks)
    )
    assert bound_ones == there


def in_markdown(document):
    return to_markdown(document)


def in_html(document):
    return without_tags(to_html(document))


def in_pdf(document):
    """Its pages but for those of contents and index, which are full of the numbers of pages."""
    pages = list(shown(to_pdf(document).pdf))
    headings = [block.text for block in document.blocks if block.kind == "heading"]
    first = next(n for n, page in enumerate(pages) if n > 1 and page.strip().startswith(headings[0]))
    index = next(n for n, page in enumerate(pages) if page.strip().startswith("Index"))
    assert any("Contents" in page for page in pages[:3])
    return PAGE.sub("", "\n".join([pages[0], *pages[first:index]]))


@pytest.mark.parametrize("names", [SMALL, pytest.param(None, marks=pytest.mark.slow)], ids=["small", "whole"])
@pytest.mark.parametrize("written_by", [in_markdown, in_html, in_pdf])
def test_no_renderer_makes_up_a_number_in_the_book(names, written_by):
    document = book(names or ALL)
    data = json.loads(json.dumps(to_data(document), allow_nan=False))
    together = set(run_together(data)) if written_by is in_pdf else set()
    found = unaccounted(written_by(document), data, repeats=True)  # a heading stands in the contents, too
    assert [digits for digits in found if digits not in together] == []


def test_a_number_that_somebody_typed_into_the_book_is_noticed():
    document = book(SMALL)
    data = json.loads(json.dumps(to_data(document), allow_nan=False))
    assert unaccounted(to_markdown(document).replace("0.4982", "0.4983"), data, repeats=True) != []
