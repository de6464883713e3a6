"""The runs with distinguishing numbers of lessons and scenarios pass the checks of every variant."""

import pytest

import workings as w
from workings.lessons.contents import names as lesson_names
from workings.lessons.runs import TWIN
from workings.practice.variant import INVISIBLE, MIN_APART, Variant, faults
from workings.scenarios.scenario import names as scenario_names


def _twins():
    found = {name: w.scenario(name) for name in scenario_names()}
    found |= {name: opened for name in lesson_names() if (opened := w.lesson(name).scenario) is not None}
    return {name: opened for name, opened in found.items() if TWIN in opened.runs}


TWINS = _twins()
# The text that this one generates goes on with a token that is barely the most likely one; it is no blank.
UNDECIDED = {"kv-cache": ["token2.chosen"]}


def test_there_are_twins():
    assert len(TWINS) > 10


@pytest.mark.parametrize("name", TWINS)
def test_distinguishing_numbers_hide_no_mistake_and_depend_on_no_rounding(name):
    variant = Variant(TWINS[name].trace(TWIN), 4)
    assert list(dict.fromkeys(faults(variant))) == UNDECIDED.get(name, [])
    near = [mistake for mistake in variant.hidden if variant.distance(mistake) >= INVISIBLE]
    assert not near, [(mistake.id, mistake.step, variant.distance(mistake)) for mistake in near]
    assert all(variant.distance(mistake) >= MIN_APART for mistake in variant.shown)
    assert len(variant.shown) > 10
