"""The checks are worth something only if they bite: each of these planted faults must be caught."""

import decimal_judges
import numpy
import page_checks
import pytest
import torch_judges
from example_runs import gradients, record

import workings  # noqa: F401 - fills the registry
from workings.engine import hand
from workings.engine.backward import _Walk
from workings.engine.checks import refuse
from workings.engine.errors import ShapeError
from workings.engine.op import OPS
from workings.engine.page import Example, formula, mistake, rule, values
from workings.engine.tensor import Tensor

SKEW = Example(  # a square matrix: a transposed gradient still has the right shape
    values([[0.2, -0.5], [0.7, 0.1]], "token model"),
    cotangent=[[0.3, -0.8], [0.6, 0.2]],
)


@pytest.fixture
def broken():
    """Makes a copy of a page with some parts replaced, under a name of its own; it is forgotten afterwards."""
    before = set(OPS)

    def make(name, **parts):
        original = type(OPS[name])
        kept = {key: part for key, part in vars(original).items() if not key.startswith("__")}
        own = kept | {"__doc__": original.__doc__, "__module__": __name__} | parts
        return type(f"Broken{original.__name__}", original.__bases__, own)()

    yield make
    for name in set(OPS) - before:
        del OPS[name]


def bites(check, op, example=None, match=None):
    with pytest.raises(AssertionError, match=match):
        page_checks.CHECKS[check](op, example or op.page.example)


def passes(check, op, example=None):
    page_checks.CHECKS[check](op, example or op.page.example)


@pytest.mark.parametrize("name", ["softmax", "sub", "matmul", "sum", "div"])
def test_an_unbroken_copy_passes_every_check(broken, name):
    op = broken(name)
    for check in page_checks.checks_for(op):
        passes(check, op)
    for planted in op.page.mistakes.values():
        if not planted.across:
            page_checks.check_mistake(op, planted)


# -- rules -----------------------------------------------------------------------------------


@rule("x", "three times too large")
def softmax_dx_times_three(self, g, out, *, axis):
    return 3.0 * OPS["softmax"].dx(g, out, axis=axis)


def test_a_rule_three_times_too_large_is_caught_though_ones_would_not_see_it(broken):
    op = broken("softmax", dx=softmax_dx_times_three)
    for check in ("gradients", "differences", "chain_rule", "second_order", "by_hand", "calculator"):
        bites(check, op, match="broken_softmax, example 0")
    # The gradient of softmax(x).sum() is 0 whatever the rule says: a cotangent of ones is blind.
    ones = numpy.ones((2, 3))
    blind = gradients(record(op, op.page.example), ones)[0]
    numpy.testing.assert_allclose(blind, numpy.zeros((2, 3)), atol=1e-15)
    # Even an example with such a cotangent cannot hide it, because a random one is always tried too.
    bites("gradients", op, Example(op.page.example.inputs[0], cotangent=ones.tolist()))


@rule("x", "not transposed back")
def transpose_dx_forgotten(self, g):
    return 1.0 * g


def test_a_transposed_gradient_is_caught(broken):
    op = broken("transpose", dx=transpose_dx_forgotten)
    for check in ("gradients", "differences", "by_hand"):
        bites(check, op, SKEW)
    bites("gradients", op, SKEW, match=r"broken_transpose, example of a test: dx\[0\]\[1\]")
    with pytest.raises(ShapeError, match="gave a gradient of model 3 × token 2 for an input of token 2 × model 3"):
        page_checks.CHECKS["gradients"](op, op.page.example)


@rule("a", "the transpose is missing")
def matmul_da_not_transposed(self, g, b):
    return OPS["matmul"](g.relabeled((*g.axes[:-1], b.axes[-2])), b)


def test_a_forgotten_transpose_in_a_product_is_caught(broken):
    op = broken("matmul", da=matmul_da_not_transposed)
    for check in ("gradients", "differences", "by_hand", "calculator"):
        bites(check, op)


@rule("x", "right at first order only")
def exp_dx_cut_off(self, g, out):
    return g * Tensor(out.array, out.form, leaf="constant")  # nothing flows back through this copy of out


def test_a_rule_that_is_right_only_once_is_caught(broken):
    op = broken("exp", dx=exp_dx_cut_off)
    passes("gradients", op)
    bites("second_order", op, match="central differences of the gradient")


def test_gradients_that_are_assigned_instead_of_added_are_caught(monkeypatch):
    def keep_the_last(self, step):
        return self.parts.pop(step.id)[-1]

    monkeypatch.setattr(_Walk, "_collected", keep_the_last)
    bites("chain_rule", OPS["softmax"], match="the chain rule through its steps")
    bites("second_order", OPS["softmax"])


# -- by hand ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "swapped"),
    [("sub", lambda self, at, a, b: b[at] - a[at]), ("div", lambda self, at, a, b: b[at] / a[at])],
)
def test_two_terms_swapped_by_hand_are_caught(broken, monkeypatch, name, swapped):
    op = broken(name, by_hand=swapped)
    bites("by_hand", op, match="by hand: got")
    # A calculator computes with by_hand, so only `decimal` can tell that it computes something else.
    monkeypatch.setitem(decimal_judges.JUDGES, op.name, decimal_judges.JUDGES[name])
    bites("calculator", op, match="calculator 3 significant: broken_")


def test_a_gradient_by_hand_with_the_wrong_sign_is_caught(broken):
    bites("by_hand", broken("sub", by_hand_db=lambda self, at, g: g[at]), match="rule of broken_sub")


def test_a_line_that_rounds_at_another_place_is_caught(broken):
    def without_the_shift(self, at, x, *, axis):
        row = x.line(at, axis)
        powers = []
        for k, score in enumerate(row):
            powers.append((yield f"e{k}", hand.exp(score)))
        total = yield "total", hand.add(powers)
        return powers[at[axis]] / total

    op = broken("softmax", by_hand=without_the_shift)
    passes("by_hand", op)  # the same number in float64
    bites("calculator", op)  # but not what the page's own steps give with four digits


# -- infinity --------------------------------------------------------------------------------


@rule("x", "let through")
def mask_dx_let_through(self, g, allow):
    return g + 0.0 * allow


def test_a_gradient_let_through_a_mask_is_caught(broken, monkeypatch):
    op = broken("mask", dx=mask_dx_let_through)
    monkeypatch.setitem(torch_judges.JUDGES, op.name, torch_judges.JUDGES["mask"])
    bites("gradients", op, match="dx.* expected 0.0")
    bites("by_hand", op, match="rule of broken_mask")


@formula(r"y = x - 1e30 (1 - allow)")
def mask_forward_nearly_infinite(self, x, allow):
    return x - 1e30 * (1 - allow)


@formula(r"y = x \, allow")
def mask_forward_nan(self, x, allow):
    return numpy.where(allow == 0, numpy.nan, x)


@pytest.mark.parametrize("wrong", [mask_forward_nearly_infinite, mask_forward_nan])
def test_only_minus_infinity_passes_for_minus_infinity(broken, monkeypatch, wrong):
    op = broken("mask", forward=wrong)
    monkeypatch.setitem(torch_judges.JUDGES, op.name, torch_judges.JUDGES["mask"])
    bites("forward", op, match="expected -inf")
    bites("by_hand", op, match="got -inf")


def test_infinity_for_a_number_is_caught(broken, monkeypatch):
    op = broken("mask", by_hand=lambda self, at, x, allow: hand.Literal(-numpy.inf))
    bites("by_hand", op, match="got -inf, expected 2.0")


@mistake("It gives no number.")
def not_a_number(self, x, allow):
    return x - Tensor(numpy.where(allow.array == 0, numpy.nan, 0.0), allow.form)


def test_a_mistake_that_gives_no_number_is_caught(broken):
    op = broken("mask", not_a_number=not_a_number)
    with pytest.raises(AssertionError, match="not a number"):
        page_checks.check_mistake(op, op.page.mistakes["not_a_number"])


# -- forward, replay, mistakes ---------------------------------------------------------------


@formula(r"y = a + 1.001 \, b")
def add_a_little_more(self, a, b):
    return a + 1.001 * b


def test_a_wrong_result_is_caught_by_the_independent_judge(broken, monkeypatch):
    op = broken("add", forward=add_a_little_more)
    monkeypatch.setitem(torch_judges.JUDGES, op.name, torch_judges.JUDGES["add"])
    bites("forward", op, match=r"the result\[0\]\[0\]: got .* \(PyTorch\)")
    bites("by_hand", op)


@rule("a", "its own value")
def mul_da_own_value(self, g, a):
    return g * a


def test_a_page_without_a_judge_is_judged_through_its_own_forward(broken):
    op = broken("mul", da=mul_da_own_value)
    assert op.name not in torch_judges.JUDGES
    bites("gradients", op, match="PyTorch autograd")


def test_an_emitted_line_that_computes_something_else_is_caught(broken):
    bites("replay", broken("sub", emit="subtract({1}, {0}, {out})"), match="replayed")


def into_what_was_there(self, x, *, out, index, axis, size, word):
    out[(..., index, *[slice(None)] * (-axis - 1))] = x
    return out


def test_a_buffer_that_is_not_cleared_is_caught(broken):
    bites("buffer", broken("place_row", into=into_what_was_there), match=r"buffer\[0\]\[0\]: got 7.0")


def test_an_unmarked_view_is_caught(broken):
    bites("memory", broken("transpose", view=False), match="shares the memory of input")


@pytest.mark.parametrize(("name", "said"), [("add", False), ("matmul", False), ("mul", True)])
def test_a_page_that_does_not_say_whether_it_adds_is_caught(broken, name, said):
    bites("adds", broken(name, adds=said), match=f"adds = {said}")


def refuse_below_minus_one(self, x):
    refuse(x < -1, x, "{value} has no root.")


def refuse_zero_too(self, x):
    refuse(x <= 0, x, "{value} has no root.")


@pytest.mark.parametrize(
    ("check", "said"),
    [(refuse_below_minus_one, "-1.0 at .* is not refused, but"), (refuse_zero_too, "0.0 at .* is refused, but")],
)
def test_a_check_that_refuses_too_little_or_too_much_is_caught(broken, check, said):
    bites("refusals", broken("sqrt", check=check), match=said)


@mistake("Not a mistake at all.")
def harmless(self, x):
    return OPS["softmax"](x)


@mistake("It never fits.")
def never_fits(self, x):
    return OPS["matmul"](x, x)


@pytest.mark.parametrize(("planted", "why"), [(harmless, "the same numbers"), (never_fits, "does not apply")])
def test_a_mistake_that_is_none_is_caught(broken, planted, why):
    op = broken("softmax", more_examples=(), **{planted.__name__: planted})
    with pytest.raises(AssertionError, match=why):
        page_checks.check_mistake(op, op.page.mistakes[planted.__name__])


def test_a_page_with_rules_needs_a_cotangent_in_its_example(broken):
    op = broken("exp", example=Example(values([0.5, -1.2], "key")))
    bites("gradients", op, match="needs a cotangent")
