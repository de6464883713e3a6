"""Every check on every example of every op page. A new page gets all of them without writing one."""

import page_checks
import pytest
from more_examples import MORE, examples_of

import workings  # noqa: F401 - fills the registry
from workings.engine.registry import OPS

PAGES = sorted(OPS.items())


@pytest.mark.parametrize(
    ("check", "op", "example"),
    [
        pytest.param(check, op, example, id=f"{name}-{number}-{check}")
        for name, op in PAGES
        for number, example in enumerate(examples_of(op))
        for check in page_checks.checks_for(op)
    ],
)
def test_example(check, op, example):
    page_checks.CHECKS[check](op, example)


@pytest.mark.parametrize(
    ("op", "mistake"),
    [
        pytest.param(op, mistake, id=mistake.id)
        for _, op in PAGES
        for mistake in op.page.mistakes.values()
        if not mistake.across
    ],
)
def test_mistake(op, mistake):
    page_checks.check_mistake(op, mistake)


def test_more_examples_are_those_of_pages():
    assert sorted(set(MORE) - set(OPS)) == []
