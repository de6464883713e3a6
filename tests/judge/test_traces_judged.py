"""Every step of every packaged scenario, and every number on its page, against the judge."""

import json
from functools import cache

import pytest
from loops import slow_if
from scenario_names import EXAMPLES

import workings as w
from workings.scenarios.scenario_page import scenario_document

from .evaluate import disagreements
from .numbers import judge_document, not_judged
from .rendered import unaccounted
from .runs import Runs

RUNS = [(name, run) for name in EXAMPLES for run in w.scenario(name).runs]
FIRST = [(name, run) for name in EXAMPLES for run in w.scenario(name).runs[:2]]
CASES = slow_if([case for case in RUNS if case not in FIRST], RUNS)


@cache
def judged(name, run):
    """The page as a document, its JSON, and the runs as the judge sees them."""
    found = w.scenario(name)
    trace = found.trace(run)
    page = scenario_document(found, run, trace)
    data = json.loads(json.dumps(trace.to_data(name, name=run, document=page), allow_nan=False))
    return page, data, Runs(data["runs"], {run: trace.values()})


@pytest.mark.parametrize(("name", "run"), CASES)
def test_every_step_is_what_the_judge_computes(name, run):
    _, data, runs = judged(name, run)
    assert list(disagreements(data["runs"][0], runs.runs[run].judged)) == []


@pytest.mark.parametrize(("name", "run"), CASES)
def test_every_number_on_the_page_is_what_the_judge_computes(name, run):
    _, data, runs = judged(name, run)
    assert judge_document(data["document"], runs) == []


@pytest.mark.parametrize(("name", "run"), CASES)
def test_what_is_not_judged_belongs_to_small_traces_beside(name, run):
    _, data, runs = judged(name, run)
    beside = not_judged(data["document"], runs)
    assert {step.partition(".")[0] for step in beside} <= {"comparison", "averaging"}
    assert len(beside) <= 24


@pytest.mark.parametrize(("name", "run"), CASES)
def test_no_renderer_makes_up_a_number(name, run):
    from workings.cli.output import page_text as _page
    from workings.render.markdown import to_markdown

    page, data, _ = judged(name, run)
    for text in (_page(page), to_markdown(page)):
        assert unaccounted(text, data["document"]) == []
