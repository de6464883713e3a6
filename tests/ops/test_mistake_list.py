"""Every mistake that was asked for is catalogued, and can be made where the list says so."""

from pathlib import Path

import numpy
import pytest
import yaml
from mistake_ids import FILE, all_ids
from mistake_traces import trace_of

from workings.engine.errors import AxisError, ShapeError
from workings.engine.op import OPS
from workings.explain.mistakes import candidates

LIST = yaml.safe_load(Path(__file__).with_name("mistake_list.yaml").read_text(encoding="utf-8"))
ROWS = [pytest.param(phrase, *row, id=f"{phrase}: {row[0]}") for phrase, rows in LIST.items() for row in rows]
# These cannot be carried on: the matrices behind them do not fit. That is what is said of them.
MISFITS = {("dimension mismatch", "transpose.forgotten")}


@pytest.mark.parametrize(("phrase", "id", "trace", "step"), [row for row in ROWS if len(row.values) == 4])
def test_it_can_be_made_there(phrase, id, trace, step):
    truth = trace_of(trace)
    path = truth[step].path
    if (phrase, id) in MISFITS:
        with pytest.raises((ShapeError, AxisError)):
            truth.replay(ops={path: id})
        return
    (fit,) = (fit for fit in truth.mistakes(path, only=[id]) if fit.kind != "run")
    assert fit.changes is not None
    wrong = fit.make()
    assert any(is_other(view.value, wrong[view.path].value) for view in truth if view.path in wrong), fit


@pytest.mark.parametrize(("phrase", "id", "trace"), [row for row in ROWS if len(row.values) == 3])
def test_the_run_can_be_made(phrase, id, trace):
    truth = trace_of(trace)
    (fit,) = (fit for fit in truth.mistakes(only=[id]) if fit.kind == "run")
    assert fit.changes is None
    assert is_other(truth["loss"].value, fit.make()["loss"].value)


def is_other(one, other):
    """Whether a number is another one that a person would see: not only in its last digits."""
    return one.shape != other.shape or not numpy.allclose(one, other, rtol=1e-6, atol=0, equal_nan=True)


def test_nothing_of_what_was_asked_for_is_missing():
    """As many phrases as were asked for; each has a row, and a page or a convention has each id."""
    assert len(LIST) == 159
    for rows in LIST.values():
        assert rows
        for id, *_ in rows:
            assert id.startswith("convention.") or id in all_ids(), id


def test_every_id_is_still_there():
    """Sheets, feedback and other people's programs name them. A new one is written down by `make frozen`."""
    frozen = FILE.read_text(encoding="utf-8").split()
    assert frozen == sorted(frozen)
    assert [id for id in frozen if id not in all_ids()] == []


@pytest.mark.slow
def test_every_id_is_written_down():
    assert [id for id in all_ids() if id not in FILE.read_text(encoding="utf-8").split()] == []


def test_ids_are_plain_words():
    for id in all_ids():
        page, name = id.split(".")
        assert page in OPS
        assert name.replace("_", "").isalpha(), id
        assert name == name.lower(), id


@pytest.mark.parametrize("trace", ["block", "attention-training", "masked"])
def test_candidates_are_all_that_fitting_tries(trace):
    truth = trace_of(trace)
    tried = [(fit.id, fit.kind, fit.step) for fit in candidates(truth)]
    fitting = [(fit.id, fit.kind, fit.step) for fit in truth.mistakes()]
    assert [fit for fit in tried if fit in fitting] == fitting
