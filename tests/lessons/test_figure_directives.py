"""Figures of a lesson: steps of several runs and of one, and what is wrong is said with its line."""

import pytest

from workings.document.blocks import Figure
from workings.engine.errors import WorkingsError
from workings.lessons.lesson import Lesson
from workings.lessons.reading.lesson_file import read_lesson

HEAD = "---\ntitle: x\nscenario: block\n---\n"
TURN = """:::{scenario} turn
scenario: 1
calculate:
  - Y = X @ R
given:
  X: {axes: token model, value: [[2, 1], [0, 1], [-1, -1]]}
  R: {axes: model turned, value: [[0.6, 0.8], [-0.8, 0.6]]}
:::

"""


def figures(body):
    document = Lesson("small", read_lesson(HEAD + TURN + body, "small.md")).build().document
    return [block for block in document.blocks if isinstance(block, Figure)]


def test_lines_windows_and_heads_name_their_run_and_their_words():
    links, second, windows, heads = figures(
        ":::{figure} links head1.weights weights[1]\n:::\n\n:::{figure} windows masked[0]\n:::\n\n"
        ":::{figure} heads attention\n:title: Two heads\n:::\n"
    )
    assert links.data.step.startswith("default:")
    assert links.data.row_labels == second.data.column_labels == windows.data.row_labels
    assert links.data.row_labels
    assert (heads.title, heads.data.joined.step.split(":")[0]) == ("Two heads", "default")


def test_arrows_and_chains_take_steps_of_several_runs():
    moved, still, chain, one = figures(
        ":::{figure} vectors turn:X turn:Y\n:names: before, after\n:labels: a, b, c\n:::\n\n"
        ":::{figure} vectors turn:X turn:Y\n:moved: no\n:::\n\n"
        ":::{figure} chain turn:X loss\n:names: h_0, h_1\n:labels: first, last\n:::\n\n"
        ":::{figure} chain turn:X\n:::\n"
    )
    assert [group.name for group in moved.data.groups] == ["before", "after"]
    assert [point.label for point in moved.data.groups[1].points] == ["a", "b", "c"]
    assert (len(moved.data.trails), len(still.data.trails)) == (3, 0)
    assert [(s.name, s.word, s.number.step.split(":")[0]) for s in chain.data.states] == [
        ("h_0", "first", "turn"),
        ("h_1", "last", "default"),
    ]
    assert [state.name for state in one.data.states] == ["X[0]", "X[1]", "X[2]"]


def test_points_that_are_joined_lead_to_the_next_of_their_group():
    (figure,) = figures(":::{figure} plane turn:X turn:Y\n:joined: yes\n:::\n")
    assert [(trail.start, trail.end) for trail in figure.data.trails] == [
        ((0, 0), (0, 1)), ((0, 1), (0, 2)), ((1, 0), (1, 1)), ((1, 1), (1, 2)),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "says", "tries"),
    [
        (":::{figure} links loss\n:::\n", "no rows and columns", "weights"),
        (":::{figure} windows weights\n:::\n", "is not a mask", "masked"),
        (":::{figure} vectors loss\n:::\n", "no vectors", "two entries"),
        (":::{figure} vectors turn:X\n:moved: perhaps\n:::\n", "yes or no", "yes"),
        (":::{figure} vectors turn:X\n:axes: 0 7\n:::\n", "cannot be two axes", "from 0 to 1"),
        (":::{figure} chain loss\n:::\n", "not a chain", "several steps"),
        (":::{figure} chain turn:X\n:labels: a, b\n:::\n", "but the chain has 3 states", "one for each"),
        (":::{figure} heads turn\n:::\n", "joins no attention heads", "block1.attention"),
        (":::{figure} heads a b\n:::\n", "several are named", "one figure for each"),
        (":::{figure} heads\n:run: turn\n:::\n", "no attention heads", "axis head"),
        (":::{figure} links weights\n:joined: yes\n:::\n", "no option 'joined'", "labels"),
        (":::{figure} links\n:::\n", "needs the name of a step", "weights"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_its_line(body, says, tries):
    with pytest.raises(WorkingsError) as error:
        figures(body)
    text = str(error.value)
    assert f"small.md, line {5 + TURN.count(chr(10))}" in text
    assert says in text
    assert tries in text
