"""Figures that few lessons show: every number, size and word of them is judged, and what is wrong is noticed."""

import json
from functools import cache

import pytest

import workings as w
from workings.document.blocks import Document, to_data
from workings.figures.chain import chain_of
from workings.figures.flow import flow_of
from workings.figures.heads import heads_of
from workings.figures.heatmap import heatmap_of
from workings.figures.links import links_of
from workings.figures.plane import plane_of
from workings.figures.vectors import vectors_of
from workings.figures.windows import windows_of
from workings.render.html import to_html
from workings.render.markdown import to_markdown

from .numbers import judge_document, not_judged
from .rendered import unaccounted, without_tags
from .runs import Runs
from .told import NUMBER


@cache
def run_of(name, run="default"):
    found = w.scenario(name)
    trace = found.trace(run)
    return trace, trace.labels.axes


def links(name, step, at=()):
    return links_of(run_of(name)[0], step, run_of(name)[1], at)


def vectors(name, *steps, moved=None):
    trace, labels = run_of(name)
    return vectors_of([(step, trace[step]) for step in steps], labels, moved=moved)


def chain(name, *steps):
    trace, labels = run_of(name)
    return chain_of([trace[step] for step in steps] if len(steps) > 1 else trace[steps[0]], labels)


FIGURES = {
    "heads in one array": ("block", lambda: heads_of(run_of("block")[0], labels=run_of("block")[1])),
    "heads of their own": ("hello-world", lambda: heads_of(run_of("hello-world")[0], labels=run_of("hello-world")[1])),
    "chain": ("example-1", lambda: chain("example-1", "P")),
    "chain of rows": ("block", lambda: chain("block", "X")),
    "chain of steps": ("block", lambda: chain("block", "Q", "K", "loss")),
    "joined points": ("block", lambda: plane_of(run_of("block")[0]["X"], run_of("block")[1], joined=True)),
    "moved vectors": ("example-1", lambda: vectors("example-1", "X", "Q")),
    "vectors": ("example-1", lambda: vectors("example-1", "P", "logits")),
    "flow of modules": ("block", lambda: flow_of(run_of("block")[0], most=12)),
    "links": ("example-1", lambda: links("example-1", "weights")),
    "links of a head": ("block", lambda: links("block", "head2.scores")),
    "windows": ("block", lambda: windows_of(run_of("block")[0], "masked", run_of("block")[1])),
    "masked links": ("block", lambda: links("block", "masked", (1,))),
}


@cache
def judged(title):
    """The figure as it stands in JSON, and the runs that the judge computed."""
    name, figure = FIGURES[title]
    trace = run_of(name)[0]
    data = trace.to_data(name, name="default", document=Document("", (figure(),)))
    return json.dumps(data["document"], allow_nan=False), Runs(json.loads(json.dumps(data["runs"], allow_nan=False)))


def document(title):
    return json.loads(judged(title)[0])


@pytest.mark.parametrize("title", FIGURES)
def test_every_number_of_a_figure_is_what_the_judge_computes(title):
    assert judge_document(document(title), judged(title)[1]) == []
    assert not_judged(document(title), judged(title)[1]) == []


@pytest.mark.parametrize("title", FIGURES)
def test_any_changed_number_in_its_words_is_noticed(title):
    right = document(title)["blocks"][0]["alternative"]
    assert NUMBER.search(right)
    for number in NUMBER.finditer(right):
        page = document(title)
        last = str((int(number[0][-1]) + 1) % 10) if number[0][-1] != "∞" else "7"
        page["blocks"][0]["alternative"] = right[: number.end() - 1] + last + right[number.end() :]
        assert judge_document(page, judged(title)[1]), page["blocks"][0]["alternative"]


def test_axes_of_different_scales_and_arrows_beyond_them_are_noticed():
    for change in (
        {"low": -0.5},
        {"ticks": [{"value": 0.0, "text": "0"}, {"value": 7.0, "text": "7"}]},
        {"high": 0.01},
    ):
        page = document("moved vectors")
        page["blocks"][0]["data"]["across"] |= change
        assert len(judge_document(page, judged("moved vectors")[1])) == (0 if "low" in change else 1)


def test_a_point_without_its_label_and_a_label_without_its_point_are_noticed():
    for change in ({"text": "elsewhere"}, {"point": [0, 1]}):
        page = document("joined points")
        page["blocks"][0]["data"]["labels"][0] |= change
        assert judge_document(page, judged("joined points")[1])


def test_a_state_with_another_entry_than_its_own_or_its_largest_is_noticed():
    page = document("chain")
    states = page["blocks"][0]["data"]["states"]
    states[0], states[1] = states[1], states[0]
    assert judge_document(page, judged("chain")[1])
    for title in ("chain of rows", "chain of steps"):
        page, runs = document(title), judged(title)[1]
        number = page["blocks"][0]["data"]["states"][0]["number"]
        run, id = runs.step(number["step"])
        value = run.judged[id]
        row = value[0] if title == "chain of rows" else value.flatten()
        other = int(row.abs().argmin())
        index = (0, other) if title == "chain of rows" else divmod(other, value.shape[-1])
        number |= {"index": list(index), "value": float(value[index])}
        reasons = [fault.reason for fault in judge_document(page, runs)]
        assert any("larger by size" in reason for reason in reasons)


def test_places_without_labels_and_pieces_of_wide_grids_are_known_on_a_page():
    trace, _ = run_of("block")
    figure = links_of(trace, "head1.weights")
    page = Document("", (figure,))
    assert unaccounted(to_markdown(page), to_data(page)) == []
    assert unaccounted(without_tags(to_html(page)), to_data(page), repeats=True) == []
    with w.Trace() as wide:
        wide.start_from(w.given([[0.125 * n for n in range(12)]] * 12, "query key", name="x"))
    page = Document("", (heatmap_of(wide, "x"),))
    assert "key[0.." in to_markdown(page)
    assert unaccounted(to_markdown(page), json.loads(json.dumps(to_data(page)))) == []


def test_steps_of_a_module_are_counted_again():
    figure = document("flow of modules")["blocks"][0]
    modules = [node for node in figure["data"]["nodes"] if node["module"]]
    assert len(modules) > 1
    for number in NUMBER.finditer(figure["note"]):
        page = document("flow of modules")
        page["blocks"][0]["note"] = figure["note"].replace(number[0], str(int(number[0]) + 1))
        assert judge_document(page, judged("flow of modules")[1])
    for node in modules:
        page = document("flow of modules")
        other = f"{int(node['op'].split()[0]) + 1} steps"
        page["blocks"] = json.loads(json.dumps(page["blocks"]).replace(node["op"], other))
        assert judge_document(page, judged("flow of modules")[1])


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows.reverse(),
        lambda rows: rows[0].update(probability=rows[1]["probability"]),
        lambda rows: rows[0]["probability"].update(index=[0, 0]),
        lambda rows: rows[0].update(answer=rows[0]["word"]),
        lambda rows: rows[2].update(answer="the"),
        lambda rows: rows[2].update(is_known=False),
    ],
)
def test_prediction_of_another_place_or_of_a_smaller_probability_is_noticed(change):
    page = document("windows")
    change(page["blocks"][0]["data"]["following"])
    assert judge_document(page, judged("windows")[1])


def test_next_token_that_does_not_come_next_is_noticed():
    trace, words = w.scenario("cat-sat").trace("masked"), ("The", "cat", "sat")
    figure = windows_of(trace, "masked", {"query": words, "key": words})
    data = json.loads(json.dumps(trace.to_data("cat-sat", name="default", document=Document("", (figure,)))))
    runs = Runs(data["runs"])
    assert judge_document(data["document"], runs) == []
    data["document"]["blocks"][0]["data"]["following"][0]["word"] = "sat"
    assert judge_document(data["document"], runs)


def test_entry_of_another_place_of_a_matrix_is_noticed():
    page = document("windows")
    row = page["blocks"][0]["data"]["rows"][0]
    row[1], row[2] = row[2], row[1]
    assert judge_document(page, judged("windows")[1])


@pytest.mark.parametrize("title", ["heads in one array", "heads of their own"])
def test_heads_that_are_exchanged_and_sizes_that_are_wrong_are_noticed(title):
    runs = judged(title)[1]
    for change in (
        lambda data: data["heads"].reverse(),
        lambda data: data["heads"][0].update(shape=[7, 7]),
        lambda data: data["heads"][0].update(weights=data["heads"][1]["weights"]),
        lambda data: data.update(joined=data["inputs"][0]),
        lambda data: data.update(weight=data["inputs"][0]),
        lambda data: data.update(inputs=[data["result"]]),
    ):
        page = document(title)
        change(page["blocks"][0]["data"])
        assert judge_document(page, runs)
