"""Curves as data: every number of a figure is found again in the history, and its axes are round and wide enough."""

import json
import math
import random
from pathlib import Path

import jsonschema
import numpy
import pytest

import workings as w
from workings.document.blocks import Document, to_data
from workings.figures.loss import MAX_POINTS, curve, curves_of, loss_curve
from workings.figures.parts.axes import value_axis
from workings.scenarios.scenario_page import scenario_document

SCHEMA = jsonschema.Draft202012Validator(
    json.loads((Path(w.__file__).parent / "schema" / "document.json").read_text(encoding="utf-8"))
)
RNG = random.Random(5)
HISTORIES = {
    "one": [1.386],
    "constant": [0.25] * 9,
    "falling": [1.4 * 0.9**n for n in range(12)],
    "decades": [1.4 * 0.9**n for n in range(90)],
    "nearly constant": [1.3862943611, 1.3862943610],
    "long": [2 + 3 * math.exp(-n / 900) + RNG.gauss(0, 0.2) for n in range(10_000)],
    "just too long": [1 / n for n in range(1, MAX_POINTS + 2)],
    "negative": [-3.0, -1.5, 0.0, 2.5],
    "zero": [100.0, 1.0, 0.0],
    "huge": [1e299, 1e-299, 3.0],
    "tiny": [5e-324, 1.0],
    "with holes": [math.inf, 3.0, math.nan, 2.0, -math.inf, 1.0],
}


def loss_of(history):
    return loss_curve(w.Trace().with_run(history={"loss": history}))


@pytest.mark.parametrize("name", HISTORIES)
def test_every_point_is_found_again_in_the_history(name):
    history = numpy.array(HISTORIES[name])
    (line,) = loss_of(HISTORIES[name]).data.lines
    assert (line.name, line.history) == ("loss", "loss")
    covered = []
    for point in line.points:
        places = numpy.arange(point.first, point.last + 1)
        places = places[numpy.isfinite(history[places])]
        values = history[places]
        covered += places.tolist()
        assert point.value == pytest.approx(values.mean(), rel=1e-12)
        assert (point.low, point.high) == (values.min(), values.max())
        assert point.across == pytest.approx((places + 1).mean())
    assert covered == numpy.flatnonzero(numpy.isfinite(history)).tolist()  # each number once, and in order
    assert len(line.points) <= MAX_POINTS


@pytest.mark.parametrize("name", HISTORIES)
def test_axes_hold_all_points_and_their_ticks(name):
    data = loss_of(HISTORIES[name]).data
    for axis in (data.across, data.up):
        assert axis.low < axis.high
        values = [tick.value for tick in axis.ticks]
        assert values == sorted(set(values))
        assert axis.low <= values[0] <= values[-1] <= axis.high
        assert 1 <= len(values) <= 9
        assert len({tick.text for tick in axis.ticks}) == len(values)
        for tick in axis.ticks:
            assert float(tick.text) == pytest.approx(tick.value, rel=1e-12 if len(values) > 1 else 1e-3)
    for point in data.lines[0].points:
        assert data.across.low <= point.across <= data.across.high
        assert data.up.low <= point.low <= point.high <= data.up.high


@pytest.mark.parametrize("name", HISTORIES)
def test_a_figure_fits_the_schema(name):
    data = to_data(Document("t", (loss_of(HISTORIES[name]),)))
    SCHEMA.validate(json.loads(json.dumps(data, allow_nan=False)))
    del data["blocks"][0]["data"]["lines"][0]["points"][0]["first"]
    assert not SCHEMA.is_valid(data)  # a number that cannot be found again


def test_a_log_scale_for_more_than_two_decades():
    scales = {name: loss_of(history).data.up.scale for name, history in HISTORIES.items()}
    assert {name for name, scale in scales.items() if scale == "log"} == {"decades", "just too long", "huge"}
    assert value_axis("loss", [0.01, 1.0]).scale == "linear"
    assert value_axis("loss", [0.0099, 1.0]).scale == "log"
    assert value_axis("loss", [0.0099, 1.0]).title == "loss (log scale)"


def test_words_name_first_last_and_lowest_value():
    said = {name: loss_of(history).alternative for name, history in HISTORIES.items()}
    assert said["one"] == "loss: 1.386 at step 1."
    assert said["constant"] == "loss: 0.25 from step 1 to step 9."
    assert said["zero"] == "loss: from 100.0 at step 1 to 0.0 at step 3; lowest: 0.0 at step 3."
    assert said["with holes"] == "loss: from 3.0 at step 2 to 1.0 at step 6; lowest: 1.0 at step 6."
    assert "from 1.3862943611 at step 1 to 1.386294361 at step 2" in said["nearly constant"]
    history = HISTORIES["long"]
    lowest = min(range(len(history)), key=history.__getitem__)
    assert said["long"].endswith(f"at step 10000; lowest: {history[lowest]:.4g} at step {lowest + 1}.")


def test_the_note_says_what_is_drawn_together_and_what_is_not_drawn():
    assert loss_of(HISTORIES["falling"]).note == ""
    assert loss_of(HISTORIES["long"]).note.startswith("Each point is the mean of up to 50 values;")
    assert loss_of(HISTORIES["just too long"]).note.startswith("Each point is the mean of up to 2 values;")
    assert loss_of(HISTORIES["with holes"]).note == "Not drawn: 3 values that are not finite, or too large."


def test_nothing_to_draw_is_no_figure():
    assert loss_of([]) is None
    assert loss_of([math.nan, math.inf]) is None
    assert loss_curve(w.Trace()) is None


def test_several_lines_share_their_axes():
    lines = {"loss": [(1, 4.0), (2, 3.0), (3, 2.0)], "held_out": [(2, 5.0), (4, 1.0)]}
    figure = curve("Both", lines, across="step", up="loss", names={"held_out": "held out"})
    assert [(line.name, line.history) for line in figure.data.lines] == [("loss", "loss"), ("held out", "held_out")]
    assert (figure.data.across.low, figure.data.across.high) == (1, 4)
    assert (figure.data.up.low, figure.data.up.high) == (1, 5)
    assert figure.data.lines[1].points[1].first == 1  # counted in its own history
    assert figure.alternative.count("lowest") == 2


def test_curves_of_several_runs():
    figure = curves_of({"rate 0.1": [1.0, 0.9], "rate 9": [1.0, numpy.inf]})
    assert [line.name for line in figure.data.lines] == ["rate 0.1", "rate 9"]
    assert "Not drawn: 1" in figure.note
    assert curves_of({"none": [numpy.nan]}) is None


def figures_of(name, run):
    scenario = w.scenario(name)
    trace = scenario.trace(run)
    return trace, [block for block in scenario_document(scenario, run, trace).blocks if block.kind == "figure"]


def test_the_page_of_a_training_shows_its_losses():
    trace, (figure,) = figures_of("example-4", "all-weights")
    points = figure.data.lines[0].points
    assert len(trace.history["loss"]) == points[-1].last + 1 == 600
    assert points[0].high == trace["step1.loss"].value
    assert points[-1].low == trace["step600.loss"].value


def test_the_page_of_a_single_step_shows_none():
    assert figures_of("example-4", "default")[1] == []
    assert figures_of("example-1", "default")[1] == []
