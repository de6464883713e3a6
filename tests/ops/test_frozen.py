"""Every page is called as it was, and its mistakes give what they gave. See frozen.py."""

import frozen
import pytest

import workings  # noqa: F401 - fills the registry
from workings.engine.op import OPS


@pytest.mark.parametrize("name", sorted(OPS))
def test_a_page_is_what_it_was(name):
    frozen.check_frozen(OPS[name])


def test_no_page_is_lost():
    assert sorted(set(frozen.read()) - set(OPS)) == []


@pytest.mark.slow
def test_every_page_is_frozen():
    """A new page is one file and nothing else until it is finished; then `make frozen` writes down its mistakes."""
    assert sorted(set(OPS) - set(frozen.read())) == []


def test_another_number_is_another_fact():
    assert frozen.same_facts({"call": "f(x)", "numbers": [[1.0, "inf"]]}, {"call": "f(x)", "numbers": [[1.0, "inf"]]})
    for other in (
        {"call": "f(x)", "numbers": [[1.00001, "inf"]]},
        {"call": "f(x)"},
        {"call": "f(x)", "numbers": [[1.0]]},
    ):
        assert not frozen.same_facts({"call": "f(x)", "numbers": [[1.0, "inf"]]}, other)


def test_a_changed_mistake_and_a_lost_one_are_caught(monkeypatch):
    facts = frozen.facts_of(OPS["add"])
    changed = {**facts, "mistakes": {**facts["mistakes"], "subtracted": [[[0.0]]]}}
    longer = {**facts, "mistakes": {**facts["mistakes"], "another": [[[0.0]]]}}
    called = {**facts, "call": "add(a, b, *, axis=-1)"}
    for other, message in (
        (changed, r"add\.subtracted: got"),
        (longer, "got no mistake"),
        (called, r"got add\(a, b\), frozen"),
    ):
        monkeypatch.setattr(frozen, "read", lambda other=other: {"add": other})
        with pytest.raises(AssertionError, match=message):
            frozen.check_frozen(OPS["add"])
