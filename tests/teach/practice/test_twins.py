"""The telling twins of lessons and scenarios prove about themselves what every variant proves."""

import pytest

import workings as w
from workings.models.scenario import names as scenario_names
from workings.teach.practice.variant import APART, HIDDEN, Variant, faults
from workings.teach.runs import TWIN
from workings.teach.shelf import names as lesson_names


def _twins():
    found = {name: w.scenario(name) for name in scenario_names()}
    found |= {name: opened for name in lesson_names() if (opened := w.lesson(name).scenario) is not None}
    return {name: opened for name, opened in found.items() if TWIN in opened.runs}


TWINS = _twins()
# The text that this one writes goes on with a word whose share is barely the largest: which it is, is not asked for.
HANGING = {"kv-cache": ["token2.chosen"]}


def test_there_are_twins():
    assert len(TWINS) > 10


@pytest.mark.parametrize("name", TWINS)
def test_a_twin_hides_no_mistake_and_hangs_on_no_rounding(name):
    variant = Variant(TWINS[name].trace(TWIN), 4)
    assert list(dict.fromkeys(faults(variant))) == HANGING.get(name, [])
    near = [slip for slip in variant.hidden if variant.distance(slip) >= HIDDEN]
    assert not near, [(slip.id, slip.step, variant.distance(slip)) for slip in near]
    assert all(variant.distance(slip) >= APART for slip in variant.shown)
    assert len(variant.shown) > 10
