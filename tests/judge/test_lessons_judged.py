"""Every lesson: all of its runs, every number on its page, and where the small runs beside it got theirs."""

import json
from collections import defaultdict
from functools import cache

import numpy
import pytest
from built_lessons import LONG, NAMES, OF_SOURCES, behind_entries, each, written

from workings.cli.output import page_text as _page
from workings.document.blocks import Document, to_data
from workings.render.html import to_html
from workings.render.markdown import to_markdown

from .borrowed import strangers
from .evaluate import disagreements
from .numbers import judge_document, not_judged
from .rendered import nodes, unaccounted, without_tags
from .runs import Runs
from .told import NUMBER

LESSONS = each(NAMES, slow=LONG)


@cache
def judged(name):
    data = json.loads(json.dumps(written(name).to_data(), allow_nan=False))
    arrays = defaultdict(dict)
    for key, value in written(name).values().items():
        run, _, path = key.partition(":")
        arrays[run][path] = value
    return written(name).document, data, Runs(data["runs"], arrays)


@pytest.mark.parametrize("name", each(NAMES, only_quick=True))
def test_every_step_of_every_run_is_what_the_judge_computes(name):
    _, _, runs = judged(name)
    exact = [run for run in runs.runs.values() if not run.data["precision"].startswith("calculator")]
    assert [line for run in exact for line in disagreements(run.data, run.judged, run.values)] == []


@pytest.mark.parametrize("name", ["hand-calculation-tips"])
def test_every_entry_of_a_run_with_a_calculator_follows_from_what_was_written_down(name):
    """Its lines are rounded, so each entry is judged by its own hand calculation."""
    rounded = {key: run for key, run in judged(name)[2].runs.items() if run.data["precision"].startswith("calculator")}
    assert len(rounded) == 3
    for key, run in rounded.items():
        trace = written(name).traces[key]
        steps = [step for step in run.data["steps"] if step["kind"] not in ("leaf", "group")]
        cells = [trace[step["path"]].cell(*at) for step in steps for at in numpy.ndindex(*step["shape"])]
        assert len(cells) > 20
        data = json.loads(json.dumps(to_data(Document("", tuple(cells))), allow_nan=False))
        assert judge_document(data, Runs([run.data])) == []


@pytest.mark.parametrize("name", LESSONS)
def test_every_number_of_a_lesson_is_what_the_judge_computes(name):
    _, data, runs = judged(name)
    assert judge_document(data["document"], runs) == []
    assert not_judged(data["document"], runs) == []


@pytest.mark.parametrize("name", LESSONS)
def test_every_hand_calculation_behind_an_entry_is_what_the_judge_computes(name):
    cells = json.loads(json.dumps(to_data(behind_entries(written(name))), allow_nan=False))
    assert len(cells) > 50 or name not in OF_SOURCES
    document = {"blocks": cells}
    assert judge_document(document, judged(name)[2]) == []
    assert not_judged(document, judged(name)[2]) == []
    if cells:
        cells[-1]["lines"][-1]["value"]["value"] += 1e-3
        assert judge_document({"blocks": cells[-1:]}, judged(name)[2])


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


# -- the judge can say no --------------------------------------------------------------------------


def copied(name):
    return json.loads(json.dumps(judged(name)[1]))


def step_of(data, run, path):
    steps = next(row["steps"] for row in data["runs"] if row["name"] == run)
    return next(step for step in steps if step["path"] == path)


def test_a_number_that_somebody_typed_into_a_small_run_is_noticed():
    data = copied("example-2")
    step_of(data, "measured", "P")["value"][0] += 1e-12
    step_of(data, "nudge1.slope", "loss_up")["aliases"] = []
    step_of(data, "nudge1.slope", "twice_the_nudge")["value"] *= 2
    found = sorted(strangers(Runs(data["runs"])))
    assert [line.split(" = ")[0] for line in found] == [
        "measured: P", "nudge1.slope: loss_up", "nudge1.slope: twice_the_nudge",
    ]  # fmt: skip


@pytest.mark.parametrize("origin", ["default:17", "default:18[1]", "twin:18", "default:999", "nowhere:18", "18"])
def test_a_number_that_was_taken_from_another_place_is_noticed(origin):
    data = copied("example-2")
    step_of(data, "measured", "P")["aliases"] = [origin]
    assert len(list(strangers(Runs(data["runs"])))) == 1


def test_what_is_inside_a_composite_is_judged_too():
    runs = copied("example-2")["runs"]
    opened = [(run, step) for run in runs for step in run["steps"] if step["inside"] and step["kind"] == "composite"]
    run, composite = opened[0]
    truth = judged("example-2")[2].runs[run["name"]].judged
    inner = step_of({"runs": [run]}, run["name"], f"{composite['path']}/exp")
    inner["value"][0][0] += 1e-6
    assert [line.split(" ")[0] for line in disagreements(run, truth)] == [inner["path"]]
    wrong = truth | {id: truth[id] + 1 for id in composite["inside"]}
    assert any("no step inside gives it" in line for line in disagreements(run, wrong))


def figures_of(name):
    return [node for node in nodes(copied(name)["document"]) if node.get("kind") == "figure"]


@pytest.mark.parametrize("name", LESSONS)
def test_any_changed_number_in_the_words_of_a_figure_is_noticed(name):
    for figure in figures_of(name):
        right = figure["alternative"]
        for number in NUMBER.finditer(right):
            last = str((int(number[0][-1]) + 1) % 10)
            figure["alternative"] = right[: number.end() - 1] + last + right[number.end() :]
            assert judge_document({"blocks": [figure]}, judged(name)[2]), figure["alternative"]


def test_other_places_counts_and_titles_of_a_figure_are_noticed():
    heatmap = next(figure for figure in figures_of("token-i") if figure["form"] == "heatmap")
    assert judge_document({"blocks": [heatmap]}, judged("token-i")[2]) == []
    for change in (
        {"alternative": heatmap["alternative"].replace("(token1, token2)", "(token2, token1)")},
        {"alternative": heatmap["alternative"] + " All add up to 2."},
        {"note": "Entries without a color: 3."},
        {"title": "The share is 0.49"},
    ):
        assert len(judge_document({"blocks": [heatmap | change]}, judged("token-i")[2])) == 1, change
