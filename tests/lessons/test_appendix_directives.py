"""Graphs, areas, rules and catalogues in a lesson: what they write, and what they refuse with its line."""

import re

import pytest

from workings.document.blocks import Figure, Fold, Table
from workings.engine.errors import WorkingsError
from workings.lessons.lesson import Lesson
from workings.lessons.reading.lesson_file import read_lesson

HEAD = "---\ntitle: x\nscenario: example-2\n---\n"


def lesson(body):
    return Lesson("x", read_lesson(HEAD + body, "x.md")).build()


def figure(body):
    return next(block for block in lesson(body).document.blocks if isinstance(block, Figure))


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (":::{rule} softmx\n:::\n", "There is no op 'softmx'"),
        (":::{rule} argmax\n:::\n", "argmax has no rule"),
        (":::{rule}\n:::\n", "does not say what it is about"),
        (":::{catalogue} softmx\n:::\n", "There is no op 'softmx'"),
        (":::{catalogue} softmax\n:::\n", "seen nowhere: softmax.mask_forgotten"),
        (":::{catalogue} softmax\n:runs: nowhere\n:::\n", "There is no run 'nowhere'"),
        (":::{figure} graph\n:::\n", "needs the name of a step"),
        (":::{figure} graph scors\n:::\n", "There is no step 'scors'"),
        (":::{figure} graph P[0]\n:::\n", "is a part of one"),
        (":::{figure} graph scores\n:open: P\n:::\n", "scores does not depend on P"),
        (":::{figure} graph scores\n:open: Q\n:::\n", "has no inside"),
        (":::{figure} graph scores\n:under: attention\n:::\n", "no option 'under'"),
        (":::{figure} backward\n:under: nowhere\n:::\n", "no module 'nowhere'"),
        (":::{figure} backward tokens\n:::\n", "No gradient flows back"),
        (":::{figure} treemap P\n:::\n", "position on each axis"),
        (":::{figure} treemap P[0] P[1]\n:names: one\n:::\n", "names"),
        (":::{figure} treemap dlogits[2]\n:::\n", "cannot be an area"),
    ],
)
def test_what_cannot_be_is_said_with_its_line(body, says):
    with pytest.raises(WorkingsError, match=re.escape(says)) as error:
        lesson(f"One\n\n{body}")
    assert "line 7" in error.value.where


def test_a_graph_with_an_open_composite_has_its_steps_in_the_data():
    written = lesson(":::{figure} graph weights\n:open: weights\n:from: scaled\n:::\n")
    (steps,) = (run["steps"] for run in written.to_data()["runs"] if run["name"] == "default")
    known = {step["id"] for step in steps}
    (graph,) = (block for block in written.document.blocks if isinstance(block, Figure))
    assert {node.step.partition(":")[2] for node in graph.data.nodes} <= known
    assert any("." in node.step for node in graph.data.nodes)


def test_a_treemap_of_a_run_and_of_numbers():
    assert figure(":::{figure} treemap\n:::\n").data.areas[0].number.role == "count"
    of_numbers = figure(":::{figure} treemap P[0] P[2]\n:names: A, C\n:title: Shares\n:::\n")
    assert of_numbers.title == "Shares"
    assert {area.label for area in of_numbers.data.areas} == {"A", "C"}


def test_a_rule_stands_with_its_reasons_and_its_proof():
    blocks = lesson(":::{rule} power\n:::\n").document.blocks
    why, example, *_ = (block for block in blocks if isinstance(block, Fold))  # the footer of a page may be another
    assert len(why.blocks) >= 2
    assert any("exponent" in str(block) for block in example.blocks)
    (table,) = (block for block in blocks if isinstance(block, Table))
    assert len(table.rows) == 1


def test_a_catalogue_tells_each_mistake_once():
    (table,) = (block for block in lesson(":::{catalogue} neg\n:::\n").document.blocks if isinstance(block, Table))
    assert [row[0][0].text for row in table.rows] == ["sign kept", "gradient sign kept"]
