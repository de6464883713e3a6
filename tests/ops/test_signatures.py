"""An op is called as it says: `help`, `inspect.signature`, completion and the stub agree with its page."""

import inspect
import pydoc
import re

import op_stub
import pytest
from loops import for_each

import workings as w
from workings.engine.errors import CallError
from workings.engine.op import OPS
from workings.engine.tensor import Tensor

PAGES = [op for _, op in sorted(OPS.items()) if type(op).__module__.startswith("workings.")]
LEAVES = {"constant", "given", "ids", "parameter", "random"}


def test_stub_is_what_the_pages_say():
    if op_stub.FILE.read_text(encoding="utf-8") != op_stub.stub():
        pytest.fail(f"{op_stub.FILE.name} differs from the pages of the ops: run `make reference`.")


def test_ops_and_leaves_are_listed_and_nothing_else():
    names = dir(w.ops)
    assert names == sorted({op.__name__ for op in PAGES} | LEAVES)
    assert "pass_" in names
    assert all(callable(getattr(w.ops, name)) for name in names)


@for_each("op", PAGES)
def test_signature_takes_the_example_of_the_page(op):
    example = op.page.example
    inputs = [w.given(x.numbers) for x in example.inputs]
    bound = inspect.signature(op).bind(*inputs, **example.settings, name="y")
    bound.apply_defaults()
    assert {name: bound.arguments[name] for name in op.page.settings} == {**op.page.defaults, **example.settings}
    with pytest.raises(TypeError):
        inspect.signature(op).bind(*inputs, **example.settings, unknown=1)
    returns = inspect.signature(op).return_annotation
    assert returns == "Tensor" or re.fullmatch(r"tuple\[Tensor(, Tensor)+\]", returns)


@for_each("op", PAGES)
def test_docstring_has_the_call_the_summary_and_a_line_for_each_setting(op):
    call, blank, *lines = op.__doc__.splitlines()
    assert call.startswith(f"{op.__name__}(")
    assert blank == ""
    assert " ".join("\n".join(lines).split("\n\n")[0].split()) == op.page.summary
    named = [line.partition(":")[0] for line in lines if re.match(r"[a-zA-Z_]\w*: [a-z0-9]", line)]
    assert sorted(named) == sorted([*op.page.settings, "name"])
    assert call.count("=") == len(op.page.defaults) + 1


@for_each("op", PAGES)
def test_op_looks_like_a_function_of_its_package(op):
    assert getattr(w.ops, op.__name__) is op
    assert op.__module__ == "workings.ops"


def test_help_shows_the_call_and_the_settings():
    text = pydoc.plain(pydoc.render_doc(w.ops.layer_norm))
    assert "layer_norm(x, gamma, beta, /, *, correction=0, epsilon=1e-05, place='inside', name=None)" in text
    assert "place: whether epsilon is added inside or outside the square root" in text


def test_signature_shows_types_choices_and_results():
    assert str(inspect.signature(w.ops.cross_entropy)) == (
        "(logits: 'Tensor | AnyArray', target: 'Tensor | AnyArray', /, *, "
        "reduction: \"Literal['mean', 'sum']\" = 'mean', name: 'str | None' = None) -> 'Tensor'"
    )
    momentum = inspect.signature(w.ops.momentum)
    assert momentum.return_annotation == "tuple[Tensor, Tensor]"
    assert momentum.parameters["rate"].default is inspect.Parameter.empty
    assert str(inspect.signature(w.ops.collect)).startswith("(*parts: ")


def test_class_of_an_op_has_no_signature_of_a_call():
    assert str(inspect.signature(type(w.ops.softmax))) == "() -> 'None'"


@pytest.mark.parametrize("value", ["median", 3, None, ["mean"], [[1.0]]])
def test_value_that_is_no_choice_is_refused(value):
    with pytest.raises(CallError, match="The setting reduction of mean_squared_error cannot be") as refused:
        w.ops.mean_squared_error(w.given([1.0]), w.given([2.0]), reduction=value)
    assert refused.value.hint == "Allowed: mean, sum."


def test_truth_value_is_not_the_choice_1():
    row = w.given([1.0, 2.0])
    with pytest.raises(CallError, match="The setting correction of layer_norm cannot be True"):
        w.ops.layer_norm(row, row, row, correction=True)


def test_step_may_have_no_name():
    assert isinstance(w.ops.exp(w.given([1.0]), name=None), Tensor)
    with w.Trace() as trace:
        w.ops.exp(w.given([1.0]), name=None)
    assert "exp" in trace
