"""A module in which nothing is computed forward has no flow, and says so."""

import pytest

import workings as w
from workings.engine.errors import StepError
from workings.explain.flow import flow_of


def test_what_is_only_given_has_no_flow():
    trace = w.scenario("example-4").trace()
    with pytest.raises(StepError) as caught:
        flow_of(trace, "block1.attention")  # the weights, which the examples share
    assert "block1.attention" in caught.value.what
    assert caught.value.hint
