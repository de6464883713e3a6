"""What is wrong in the file of a lesson is said with its line, and with what to try."""

import pytest

from workings.engine.errors import WorkingsError
from workings.lessons.lesson import Lesson
from workings.lessons.reading.lesson_file import read_lesson

HEAD = "---\ntitle: x\nscenario: example-1\n---\n"


def written(body, head=HEAD):
    return Lesson("bad", read_lesson(head + body, "bad.md")).build().document


@pytest.mark.parametrize(
    ("body", "line", "says", "tries"),
    [
        (":::{step} scors\n:::\n", 5, "There is no step 'scors'", "scores"),
        ("One\n\n:::{figure} heatmap scors\n:::\n", 7, "There is no step 'scors'", "scores"),
        ("Hi {value}`P[9]`\n", 5, "Position 9", "0 to 3"),
        ("{value}`twn:P[0]`\n", 5, "There is no run 'twn'", "default, with-answer"),
        ("{value}`P[x]`\n", 5, "'P[x]' is not the name", "scores[1][0]"),
        ("{value}`P[0], 99 digits`\n", 5, "99 is not a number of digits", "1 to 17"),
        ("{valu}`P[0]`\n", 5, "There is no role 'valu'", "value"),
        (":::{foo} x\n:::\n", 5, "There is no directive 'foo'", "formula"),
        (":::\nx\n:::\n", 5, "These colons close nothing", ":::{cell}"),
        (":::{cell} scores[1]\n:::\n", 5, "a position on each axis", "scores[0][0]"),
        (":::{step} P\n:cels: x\n:::\n", 5, "no option 'cels'", "cells"),
        (":::{step}\n:::\n", 5, "does not say what it is about", "behind the name"),
        (":::{note} x\ny\n:::\n", 5, "takes nothing behind its name", "lines below"),
        (":::{note}\n:::\n", 5, "is empty", "lines below"),
        (":::{matrix} X\nx\n:::\n", 5, "takes no text", "close the directive"),
        (":::{matrix} X[0]\n:::\n", 5, "is a part of one", "X"),
        (":::{checks}\n\nabc\n:::\n", 7, "This is not a check", "sum(P) = 1"),
        (":::{checks}\nx | P[0] = P\n\ny | P = last\n:::\n", 8, "4 numbers", "as many"),
        (":::{measure}\n\nx = foo(P)\n:::\n", 7, "There is no op 'foo'", "lookup"),
        (":::{mistakes} E\n:::\n", 5, "cannot be made here", "workings op"),
        (":::{program} ../../etc/passwd\n:::\n", 5, "has no text file", "same folder"),
        (":::{refused} default\n:::\n", 5, "nothing to refuse", "instead"),
        (":::{figure} pie P\n:::\n", 5, "There is no figure 'pie'", "heatmap"),
        (":::{figure} loss\n:::\n", 5, "does not train", "train:"),
        (":::{compare} P[0]\n:runs: default\n:::\n", 5, "1 runs", "two runs"),
        ("::::{exercise} A\nb\n::::\n", 5, "needs one answer", "answer"),
        (":::{table} A\nb\n:::\n", 5, "one Markdown table", "bar"),
        (":::{formula}\n:::\n", 5, "one of the two", "softmax"),
        (":::{formula}\n\\foo{x}\n:::\n", 5, "cannot be read from", "commands"),
        ("{size}`scaled[9]`\n", 5, "is not an axis", "scaled[0]"),
        ("{shape}`weights[0]`\n", 5, "is a part of one", "weights"),
        ("{lesson}`example-99`\n", 5, "There is no lesson", "workings lessons"),
        ("## Now {value}`P[0]`\n", 5, "words only", "text below"),
        (":::{checks}\nx | weights[9][9] > 0\n:::\n", 6, "Position 9", "0 to 1"),
        (":::{checks}\nx | P[0][0] > 0\n:::\n", 6, "a position on each axis", "P[0]"),
        (":::{compare} P[9]\n:runs: default twin\n:::\n", 5, "Position 9", "0 to 3"),
        (":::{compare} weights\n:runs: default twin\n:::\n", 5, "a position on each axis", "weights[0][0]"),
        (":::{nudge} with-answer:W_vocab[9][9]\n:::\n", 5, "Position 9", "0 to 1"),
        (":::{nudge} with-answer:P[0]\n:::\n", 5, "No gradient belongs to P", "weight"),
        (":::{cell} P[0]\n:digits: ²\n:::\n", 5, "is not a number of digits", "1 to 17"),
        (":::{step} P\n:cells: [--1]\n:::\n", 5, "is not an entry", "brackets"),
        (":::{figure} plane E\n:axes: ² 1\n:::\n", 5, "two entries", "0 1"),
        (":::{figure} heatmap weights\n:axes: 0 1\n:::\n", 5, "no option 'axes'", "labels"),
        (":::{figure} bars P\n:labels: a, b\n:::\n", 5, "There are 2 labels", "one for each"),
        (":::{figure} plane E\n:labels: a, b\n:::\n", 5, "There are 2 labels", "one for each"),
        (":::{figure} loss\n:runs: a a\n:::\n", 5, "named twice", "once"),
        (":::{ledger} twin:P masked:P\n:::\n", 5, "several runs", "one ledger"),
        (":::{ledger} nosuch:P\n:::\n", 5, "There is no run 'nosuch'", "default"),
        (":::{ledger}\n:under: block\n:::\n", 5, "No step lies under 'block'", "block1.attention"),
        (":::{fold} A\n:open: yes\n:open: no\nb\n:::\n", 5, "twice", "one of the two"),
        (":::{fold} A\n:open: true\nb\n:::\n", 5, "yes or no", "yes"),
        (":::{answer}\nb\n:::\n", 5, "the last part of a question", "one colon more"),
        ("::::{fold} A\n:::{scenario} b\nscenario: 1\n:::\n::::\n", 6, "inside of a directive", "paragraphs"),
        (":::{measure}\nP = sum(weights)\n:::\n", 6, "is a step of the scenario already", "another name"),
        ("a\n\n:::{step} weights\n", 7, "is not closed", "as many colons"),
        ("a\n\n:::{note}\nb\n\n## C\n", 7, "is not closed", "as many colons"),
        ("It is {value} `P[0]`\n", 5, "not written as one", "{value}`P[0]`"),
        ("It is {value}`P[0]\n", 5, "not written as one", "{value}`P[0]`"),
        ("![a](b.png)\n", 5, "cannot be shown as a picture", "without a path"),
        ("- a\n\n  :::{cell} scors[0][0]\n  :::\n", 7, "There is no step", "scores"),
        ("::::{exercise} A\nb\n\n:::{answer}\n{value}`Q`\n:::\n::::\n", 9, "a position on each axis", "Q[0][0]"),
        (":::{scenario} a\nscenario: 1\nmodl: {}\n:::\n{value}`a:x`\n", 7, "modl", "model"),
    ],
)  # fmt: skip
def test_an_error_names_its_line_and_what_to_try(body, line, says, tries):
    with pytest.raises(WorkingsError) as error:
        written(body)
    text = str(error.value)
    assert f"bad.md, line {line}" in text
    assert says in text
    assert tries in text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("# no head\n", "does not begin with a head"),
        ("---\ntitel: x\n---\n", "no key 'titel'"),
        ("---\nscenario: example-1\n---\n", "no title"),
        ("---\ntitle: x\ndigits: 99\n---\n", "99 is not a number of digits"),
        ("---\ntitle: x\nminutes: soon\n---\n", "cannot have this value"),
        ("---\ntitle: x\n", "is not closed"),
        ("---\ntitle: x\n---\n", "names no scenario"),
        ("---\ntitle: x\nscenario: example-1\ncalculator: five\n---\n", "is not a precision"),
        ("---\ntitle: x\nscenario: nope\n---\n", "no scenario with this name"),
    ],
)
def test_a_head_that_cannot_be_read_is_refused(text, says):
    with pytest.raises(WorkingsError, match=says):
        Lesson("bad", read_lesson(text, "bad.md")).build()


def test_a_lesson_that_goes_no_way_back_cannot_be_nudged():
    with pytest.raises(WorkingsError) as error:
        written(":::{nudge} W_Q[0][0]\n:::\n")
    assert "bad.md, line 5" in str(error.value)


@pytest.mark.parametrize(
    ("claims", "says"),
    [
        ("claims: 5", "a list of claims"),
        ("reasons: abc\nclaims: []", "reasons, by name"),
        ('claims:\n- {at: "1", printed: "1"}', "at, of and printed"),
        ('claims:\n- {at: "1", of: "P[0]", printed: nan}', "'nan' is not a number"),
        ('claims:\n- {at: "1", of: "P[9]", printed: "1"}', "Position 9"),
        ('claims:\n- {at: "1", of: "P[0][0]", printed: "1"}', "a position on each axis"),
        ('claims:\n- {at: "1", of: "P", printed: "1"}', "4 entries, and 1 numbers"),
        ('claims:\n- {at: "1", of: "P[0]", printed: "0.9"}', "no reason is given"),
        ('claims:\n- {at: "1", of: "P[0]", printed: "0.9", why: x}', "No reason is called 'x'"),
        (
            'reasons: {x: y}\nclaims:\n- {at: "1", of: "P[0]", printed: "0.9", why: x, is: "P[1]"}',
            "0.9 is not P[1] either",
        ),
    ],
)
def test_a_source_that_cannot_be_read_is_refused_with_its_line(tmp_path, claims, says):
    (tmp_path / "source.yaml").write_text(f"source: x\n{claims}\n")
    text = HEAD + ":::{source-notes}\n:::\n"
    with pytest.raises(WorkingsError) as error:
        Lesson("bad", read_lesson(text, "bad.md", tmp_path)).build()
    assert says in str(error.value)
    assert "source.yaml" in error.value.where


def test_a_number_in_the_text_of_a_step_knows_its_step():
    fold = next(
        block for block in written(":::{step} weights\nOf {value}`scaled[0][0]`\n:::\n").blocks if block.kind == "fold"
    )
    [number] = [span for span in fold.blocks[-1].spans if span.kind == "number"]
    assert number.step.count(":") == 1


def test_a_run_keeps_the_convention_that_it_is_about():
    from workings.conventions import convention
    from workings.lessons.lesson import lesson
    from workings.lessons.runs import LessonOptions

    runs = lesson("example-6")._runs(LessonOptions(convention=convention("paper")))
    assert runs["post-norm"].convention.norm_place == "post"
    assert runs["default"].convention.profile == "paper"
