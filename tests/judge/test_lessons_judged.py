"""Every lesson: all of its runs, every number on its page, and where the small runs beside it got theirs."""

import json
from collections import defaultdict
from functools import cache

import pytest
from written_lessons import NAMES, written

from workings.cli.output import _page
from workings.render.html import to_html
from workings.render.markdown import to_markdown

from .borrowed import strangers
from .evaluate import disagreements
from .numbers import judge_document, not_judged, spans_of
from .rendered import unaccounted, without_tags
from .runs import Runs

QUICK = ("example-1", "example-2", "token-i")
LESSONS = [
    pytest.param(name, marks=[pytest.mark.xdist_group(name), *([] if name in QUICK else [pytest.mark.slow])])
    for name in NAMES
]


@cache
def judged(name):
    data = json.loads(json.dumps(written(name).to_data(), allow_nan=False))
    arrays = defaultdict(dict)
    for key, value in written(name).values().items():
        run, _, path = key.partition(":")
        arrays[run][path] = value
    return written(name).document, data, Runs(data["runs"], arrays)


@pytest.mark.parametrize("name", LESSONS)
def test_every_step_of_every_run_is_what_the_judge_computes(name):
    _, _, runs = judged(name)
    assert [line for run in runs.runs.values() for line in disagreements(run.data, run.judged)] == []


@pytest.mark.parametrize("name", LESSONS)
def test_every_number_of_a_lesson_is_what_the_judge_computes(name):
    _, data, runs = judged(name)
    assert judge_document(data["document"], runs) == []
    assert len(not_judged(data["document"], runs)) < 0.05 * sum(1 for _ in spans_of(data["document"]))


@pytest.mark.parametrize("name", LESSONS)
def test_small_runs_beside_a_lesson_start_from_numbers_of_the_others(name):
    assert list(strangers(judged(name)[2])) == []


@pytest.mark.parametrize("name", LESSONS)
def test_no_renderer_makes_up_a_number_in_a_lesson(name):
    page, data, _ = judged(name)
    for text in (_page(page), to_markdown(page)):
        assert unaccounted(text, data["document"]) == []
    # A picture writes some of its numbers twice: at an axis, and in the words that stand for it.
    assert unaccounted(without_tags(to_html(page)), data["document"], repeats=True) == []


def test_a_number_that_somebody_typed_into_a_small_run_is_noticed():
    data = json.loads(json.dumps(judged("example-1")[1]))
    measured = next(run for run in data["runs"] if run["name"] == "measured")
    leaf = next(step for step in measured["steps"] if step["kind"] == "leaf")
    leaf["value"][0] += 1e-3
    assert len(list(strangers(Runs(data["runs"])))) == 1
