"""What the bars of a figure are called: as the directive says."""

from workings.document.blocks import Figure, all_blocks
from workings.figures.bars import Bars
from workings.lessons.lesson import Lesson
from workings.lessons.reading.lesson_file import read_lesson

HEAD = "---\ntitle: x\nscenario: example-1\n---\n"


def bars(text):
    document = Lesson("x", read_lesson(HEAD + text, "x.md")).build().document
    (figure,) = (block for block in all_blocks(document.blocks) if isinstance(block, Figure))
    assert isinstance(figure.data, Bars)
    return [(group.title, [bar.label for bar in group.bars]) for group in figure.data.groups]


def test_the_entries_of_a_single_row_have_the_labels():
    assert bars(":::{figure} bars P\n:labels: one, two, three, four\n:::\n") == [("", ["one", "two", "three", "four"])]


def test_the_rows_of_a_matrix_have_the_labels():
    assert bars(":::{figure} bars weights\n:labels: one, two\n:::\n") == [("one", ["A", "B"]), ("two", ["A", "B"])]


def test_what_was_measured_has_labels_too():
    text = ":::{measure}\nfirst = weights[0]\n:::\n:::{figure} bars first\n:labels: one, two\n:::\n"
    assert bars(text) == [("", ["one", "two"])]
