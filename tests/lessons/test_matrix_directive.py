"""`matrix` in a lesson: the corner or the whole, and two of one name."""

import pytest

from workings.document.blocks import Matrix
from workings.engine.errors import LessonError
from workings.lessons.lesson import Lesson
from workings.lessons.reading.lesson_file import read_lesson

ROWS = [list(range(40)), list(range(40, 80))]
WIDE = f":::{{scenario}} wide\nscenario: 1\ncalculate: [twice = M + M]\ngiven: {{M: {ROWS}}}\n:::\n"


def matrices(body, head="scenario: example-1"):
    text = f"---\ntitle: x\n{head}\n---\n{body}"
    document = Lesson("x", read_lesson(text, "x.md")).build().document
    return [block for block in document.blocks if isinstance(block, Matrix)]


def test_of_a_large_matrix_the_corner_is_shown_and_the_whole_if_it_is_asked_for():
    corner, whole = matrices(f"{WIDE}\n:::{{matrix}} M\n:::\n\n:::{{matrix}} M\n:whole: yes\n:::\n", "digits: 4")
    assert len(corner.slices[0].rows[0]) == 6
    assert "corner" in corner.note
    assert [number.value for number in whole.slices[0].rows[1]] == list(range(40, 80))
    assert whole.note == ""


def test_two_matrices_of_one_name_are_told_apart():
    heads = matrices(":::{matrix} head1.W_Q head2.W_Q head1.W_K\n:::\n", "scenario: hello-world")
    assert [matrix.title for matrix in heads] == ["head1.W_Q", "head2.W_Q", "W_K"]
    runs = matrices(":::{matrix} W_Q twin:W_Q\n:::\n")
    assert [matrix.title for matrix in runs] == ["W_Q", "W_Q (distinguishing)"]


def test_whole_is_yes_or_no():
    with pytest.raises(LessonError, match="whole"):
        matrices(":::{matrix} W_Q\n:whole: maybe\n:::\n")
