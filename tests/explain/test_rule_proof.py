"""A proof by a difference can fail: wrong rules have none, and a corner is passed over."""

import pytest

from workings.document.numbers import Style
from workings.engine.errors import LessonError
from workings.engine.op import OPS
from workings.engine.page import Example, rule, values
from workings.explain.rule_proof import prove_rules
from workings.lessons.lesson import Lesson
from workings.lessons.reading.lesson_file import read_lesson
from workings.ops.relu import positive


@pytest.fixture
def copied():
    """Makes a copy of a page with some parts replaced, under a name of its own; it is forgotten afterwards."""
    before = set(OPS)

    def make(name, **parts):
        OPS.pop(f"copied_{name}", None)
        original = type(OPS[name])
        kept = {key: part for key, part in vars(original).items() if not key.startswith("__")}
        own = kept | {"__doc__": original.__doc__, "__module__": __name__} | parts
        return type(f"Copied{original.__name__}", original.__bases__, own)()

    yield make
    for name in set(OPS) - before:
        del OPS[name]


@rule("x", "twice")
def twice(self, g, x):
    return 2.0 * g * positive(x)


@rule("x", "the wrong sign")
def turned(self, g, x):
    return -(g * positive(x))


@rule("x", "nothing")
def nothing(self, g, x):
    return 0.0 * g * positive(x)


@rule("x", "a thousandth too much")
def a_little_more(self, g, x):
    return 1.001 * g * positive(x)


@pytest.mark.parametrize("wrong", [twice, turned, nothing, a_little_more])
def test_a_wrong_rule_has_no_proof(copied, wrong):
    op = copied("relu", dx=wrong)
    assert prove_rules(OPS["relu"], Style()).proofs
    assert not prove_rules(op, Style()).proofs
    lesson = Lesson(
        "x", read_lesson(f"---\ntitle: x\nscenario: example-2\n---\nOne\n\n:::{{rule}} {op.name}\n:::\n", "x.md")
    )
    with pytest.raises(LessonError, match="is not what the difference says"):
        lesson.build()


@rule("x", "0 counts as above 0")
def let_through_at_0(self, g, x):
    return g * (1 - positive(-x))


def test_only_an_entry_at_a_corner_is_passed_over(copied):
    corner = Example(values([[0.0, 0.5, -1.0]], "token hidden"), cotangent=[[4.0, 1.0, 2.0]])
    (proof,) = prove_rules(copied("relu", dx=let_through_at_0, example=corner), Style()).proofs
    assert proof.index == (0, 1)
    (proof,) = prove_rules(copied("relu", example=corner), Style()).proofs
    assert proof.index == (0, 1)


def test_each_proof_is_at_the_largest_entry_and_0_proves_nothing():
    for op in OPS.values():
        for proof in prove_rules(op, Style()).proofs if op.page.rules else ():
            gradient = proof.gradient.tensor.array
            assert abs(gradient[proof.index]) == abs(gradient).max() > 0, op.name
