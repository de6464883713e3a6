"""Every check on every example of every op page. A new page gets all of them without writing one."""

import page_checks
import pytest
from more_examples import MORE, examples_of

import workings  # noqa: F401 - fills the registry
from workings.engine.op import OPS


@pytest.mark.parametrize("name", OPS)
def test_examples_of_an_op_pass_every_check(name, subtests):
    op = OPS[name]
    for number, example in enumerate(examples_of(op)):
        for check in page_checks.checks_for(op):
            with subtests.test(check=check, example=number):
                page_checks.CHECKS[check](op, example)


@pytest.mark.parametrize("name", OPS)
def test_mistakes_of_an_op_pass_their_check(name, subtests):
    for mistake in OPS[name].page.mistakes.values():
        if not mistake.across:
            with subtests.test(mistake=mistake.id):
                page_checks.check_mistake(OPS[name], mistake)


def test_more_examples_are_those_of_pages():
    assert sorted(set(MORE) - set(OPS)) == []
