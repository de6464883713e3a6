"""A page that lacks a part is refused when its op is made, and the error names the part."""

import re

import pytest

import workings
from workings.engine.errors import PageError
from workings.engine.op import OPS, Primitive
from workings.engine.page import Example, formula, mistake, rule, values


@formula(r"y_i = 2 \, x_i")
def forward(self, x):
    return 2 * x


@rule("x", r"dx_i = 2 \, dy_i")
def dx(self, g):
    return 2.0 * g


@mistake("You forgot the factor.")
def forgotten(self, x):
    return 1.0 * x


@mistake("You forgot the factor.", of="y")
def mistake_of_a_stranger(self, g):
    return 1.0 * g


@rule("y", r"dy = 0")
def rule_of_a_stranger(self, g):
    return g


def unmarked_forward(self, x):
    return 2 * x


def by_hand(self, at, x):
    return x[at] + x[at]


def by_hand_dx(self, at, g):
    return g[at] + g[at]


WHOLE = {
    "__doc__": "Doubles every entry.",
    "forward": forward,
    "dx": dx,
    "derivation": ((r"\frac{\partial y}{\partial x} = 2", "the slope"),),
    "by_hand": by_hand,
    "by_hand_dx": by_hand_dx,
    "forgotten": forgotten,
    "example": Example(values([0.5, -1.0], "token"), cotangent=[0.3, 0.7]),
}


@pytest.fixture(autouse=True)
def forget_the_page():
    yield
    OPS.pop("doubled", None)


def make_page(without=(), **extra):
    parts = {name: part for name, part in WHOLE.items() if name not in without}
    return type("Doubled", (Primitive,), parts | extra)()


def test_a_whole_page_is_taken():
    page = make_page().page
    assert page.inputs == ("x",)
    assert list(page.mistakes) == ["forgotten"]


@pytest.mark.parametrize(
    ("without", "extra", "named"),
    [
        (["forward"], {}, "forward"),
        ([], {"forward": unmarked_forward}, "formula"),
        (["__doc__"], {}, "summary"),
        (["dx", "by_hand_dx"], {}, "a rule for x, or the reason for having none"),
        (["derivation"], {}, "derivation"),
        (["by_hand"], {}, "by_hand"),
        (["by_hand_dx"], {}, "by_hand_dx"),
        (["example"], {}, "examples"),
        (["forgotten"], {}, "mistakes"),
        ([], {"no_rule": {"y": "there is no y"}}, "an input 'y' for its rule"),
        ([], {"dy": rule_of_a_stranger}, "an input 'y' for its rule"),
        ([], {"wrong": mistake_of_a_stranger}, "a rule for y, which the mistake mistake_of_a_stranger is about"),
    ],
)
def test_a_page_without_a_part_is_refused(without, extra, named):
    with pytest.raises(PageError) as caught:
        make_page(without, **extra)
    assert named in caught.value.what
    assert "doubled" in str(caught.value)
    assert "doubled" not in OPS


class SharedMistakes(Primitive):
    """What two pages have in common."""

    @mistake("You forgot the factor.")
    def shared(self, x):
        return 1.0 * x

    @mistake("You used another number.")
    def with_all_settings(self, x, **settings):
        return self(x, **{**settings, "factor": 1.0})


def test_a_page_has_the_mistakes_that_it_shares_with_others_after_its_own():
    op = type("Doubled", (SharedMistakes,), WHOLE)()
    assert list(op.page.mistakes) == ["forgotten", "shared", "with_all_settings"]
    assert op.page.mistakes["shared"].id == "doubled.shared"


def test_a_mistake_may_take_all_settings():
    @formula(r"y_i = factor \, x_i")
    def forward(self, x, *, factor=2.0, offset=0.5):
        return factor * x + offset

    op = type("Doubled", (SharedMistakes,), WHOLE | {"forward": forward})()
    assert op.page.mistakes["with_all_settings"].signature.settings == ("factor", "offset")
    assert op.page.mistakes["shared"].signature.settings == ()
    wrong = op.page.mistakes["with_all_settings"].run((workings.given([3.0], "token"),), op.complete({"factor": 7.0}))
    assert wrong.array.tolist() == [3.5]


def test_a_reason_stands_in_for_a_rule():
    page = make_page(["dx", "by_hand_dx", "derivation"], no_rule={"x": "nobody asks for it"}).page
    assert page.no_rule == {"x": "nobody asks for it"}


def test_two_pages_cannot_have_one_name():
    with pytest.raises(PageError, match="a name of its own"):
        type(OPS["softmax"])()


def test_a_rule_has_the_formula_of_its_settings():
    @rule("x", "dx = dy", reduction="sum")
    @rule("x", "dx = 0", reduction="sum", axis=1)
    @rule("x", r"dx = \frac{dy}{n}")
    def dx(self, g, *, axis, reduction):
        return g

    assert dx.rule.latex == dx.rule.latex_for({"reduction": "mean", "axis": 1}) == r"dx = \frac{dy}{n}"
    assert dx.rule.latex_for({"reduction": "sum", "axis": 0}) == "dx = dy"
    assert dx.rule.latex_for({"reduction": "sum", "axis": 1}) == "dx = 0"
    assert dx.rule.signature.settings == ("axis", "reduction")


LOSSES = sorted(name for name, op in OPS.items() if "reduction" in op.page.settings)


@pytest.mark.parametrize("name", LOSSES)
def test_a_sum_of_losses_is_not_divided_by_their_number(name):
    page = OPS[name].page
    for reduction, divided in (("mean", True), ("sum", False)):
        settings = {"reduction": reduction}
        formulas = [page.formula_for(settings), *(rule.latex_for(settings) for rule in page.rules.values())]
        assert [bool(re.search(r"\bn\b", latex)) for latex in formulas] == [divided] * len(formulas)


def test_mistakes_stand_in_the_order_of_the_page():
    """Those of forward, those of the rules, those across steps."""
    for op in OPS.values():
        kinds = [2 if mistake.across else bool(mistake.of) for mistake in op.page.mistakes.values()]
        assert kinds == sorted(kinds), op.name


def test_a_formula_calls_epsilon_by_its_name():
    """So a trace can put its number there."""
    for op in OPS.values():
        rules = (latex for rule in op.page.rules.values() for latex, _ in rule.formulas)
        lines = [*(latex for latex, _ in (*op.page.formulas, *op.page.derivation)), *rules]
        assert not [latex for latex in lines if re.search(r"\\(var)?epsilon", latex)], op.name
