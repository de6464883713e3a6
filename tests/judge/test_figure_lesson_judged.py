"""A lesson with figures of several steps and runs: all its numbers are judged, on every target."""

import json

from workings.cli.output import page_text
from workings.lessons.lesson import Lesson
from workings.lessons.reading.lesson_file import read_lesson
from workings.render.html import to_html
from workings.render.markdown import to_markdown

from .numbers import judge_document, not_judged
from .rendered import unaccounted, without_tags
from .runs import Runs

TEXT = """---
title: Figures
scenario: block
---
:::{scenario} turn
scenario: 1
calculate:
  - Y = X @ R
given:
  X: {axes: token model, value: [[2, 1], [0, 1], [-1, -1]]}
  R: {axes: model turned, value: [[0.6, 0.8], [-0.8, 0.6]]}
:::

:::{figure} links head1.weights weights[1]
:::

:::{figure} windows masked[0]
:::

:::{figure} heads
:::

:::{figure} vectors turn:X turn:Y
:names: before, after
:::

:::{figure} plane turn:X turn:Y
:joined: yes
:::

:::{figure} chain turn:X loss
:names: first, last
:::
"""


def test_every_number_of_such_a_lesson_is_what_the_judge_computes():
    lesson = Lesson("small", read_lesson(TEXT, "small.md")).build()
    data = json.loads(json.dumps(lesson.to_data(), allow_nan=False))
    runs = Runs(data["runs"])
    assert judge_document(data["document"], runs) == []
    assert not_judged(data["document"], runs) == []
    for text in (page_text(lesson.document), to_markdown(lesson.document)):
        assert unaccounted(text, data["document"]) == []
    assert unaccounted(without_tags(to_html(lesson.document)), data["document"], repeats=True) == []
