"""`merging`: tokens merge by merge, the ids as a run, and what is refused."""

import pytest

from workings.document.blocks import Table, plain_text
from workings.engine.errors import WorkingsError
from workings.lessons.lesson import Lesson
from workings.lessons.reading.lesson_file import read_lesson
from workings.text import BytePairs

HEAD = "---\ntitle: x\nscenario: example-1\n---\n"


def written(body, folder=None):
    return Lesson("x", read_lesson(HEAD + body, "x.md", folder)).build()


def rows(body):
    (table,) = (block for block in written(body).document.blocks if isinstance(block, Table))
    return [tuple(plain_text(cell) for cell in row) for row in table.rows]


def test_each_merge_has_a_row():
    assert rows(":::{merging} no no\n:::\n") == [
        ("bytes", "'n' 'o' | '␣' 'n' 'o'"),
        ("'n' + 'o'", "'no' | '␣' 'no'"),
    ]
    assert rows(":::{merging} on\n:learn: no no\n:::\n") == [("bytes", "'o' 'n'")]


def test_the_ids_are_a_run():
    page = written(":::{merging} low\n:learn: low lower low\n:size: 257\n:run: cut\n:hidden: yes\n:::\n").page
    pairs = BytePairs.learn("low lower low", 257)
    assert page.trace("cut")["ids"].value.tolist() == pairs.encode("low")
    assert page.trace("cut")["entries"].value == 257


def test_a_text_may_be_a_file(tmp_path):
    (tmp_path / "story.txt").write_text("no no no\n")
    page = written(":::{merging} story.txt\n:run: cut\n:::\n", tmp_path).page
    assert BytePairs.learn("no no no", 1000).decode(page.trace("cut")["ids"].value.tolist()) == "no no no"


@pytest.mark.parametrize(
    ("body", "says", "tries"),
    [
        (":::{merging}\n:::\n", "does not say what it is about", "behind the name"),
        (":::{merging} a\n:size: 255\n:::\n", "'255' is no such number", "256"),
        (":::{merging} a\n:size: ²\n:::\n", "'²' is no such number", "256"),
        (":::{merging} a\n:size: 9999999999\n:::\n", "is no such number", "100000"),
        (":::{merging} a\n:run: twin\n:::\n", "'twin' cannot be the name", "no other run"),
        (":::{merging} a\n:run: a:b\n:::\n", "'a:b' cannot be the name", "letters"),
        (":::{merging} a\n:hidden: yes\n:::\n", "does nothing", ":run: name"),
        (":::{merging} a\n:hidden: perhaps\n:::\n", "perhaps", "yes"),
        (":::{merging} gone.txt\n:::\n", "has no text file", "same folder"),
        (f":::{{merging}} {'a ' * 20}b\n:::\n", "has 21 pieces", "hidden"),
    ],
)
def test_what_is_refused(body, says, tries):
    with pytest.raises(WorkingsError) as refused:
        written(body)
    assert says in str(refused.value)
    assert tries in str(refused.value)
    assert "line 5" in str(refused.value)
