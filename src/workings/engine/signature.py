"""The call of an op as Python, editors and type checkers see it: `help(w.ops.softmax)`, `inspect.signature`.

It is read off the page. `ops/__init__.pyi` is written from it.
"""

from __future__ import annotations

import re
from inspect import Parameter, cleandoc
from inspect import Signature as CallSignature
from keyword import iskeyword

from .page import OpPage

INPUT = "Tensor | AnyArray"
NAME = Parameter("name", Parameter.KEYWORD_ONLY, default=None, annotation="str | None")

# What a caller may give where a page has another type: see settings.as_plain.
ACCEPTED = {
    "Axis": "int | str",
    "tuple[int, ...]": "list[int] | tuple[int, ...]",
    "tuple[str, ...]": "list[str] | tuple[str, ...]",
}

# Settings that are the same on many pages; a page has a line of its own for every other.
COMMON = {
    "axis": "the axis, by name or position",
    "beta1": "the decay rate of the average gradient",
    "beta2": "the decay rate of the average squared gradient",
    "decay": "the weight decay",
    "dtype": "the type of the numbers",
    "epsilon": "a small number that prevents a division by 0",
    "keep": "whether to keep the axis, with one entry",
    "name": "the name of the step in the trace",
    "place": "whether epsilon is added inside or outside the square root",
    "rate": "the learning rate",
    "reduction": "whether to average or to sum the losses of all rows",
    "t": "the number of this update, counted from 1",
    "word": "the name of the new axis",
}


def call_signature(page: OpPage) -> CallSignature:
    """Inputs are positional, settings are keywords; `name` is that of the step."""
    kind = Parameter.VAR_POSITIONAL if page.variadic else Parameter.POSITIONAL_ONLY
    inputs = [Parameter(name, kind, annotation=INPUT) for name in page.inputs]
    settings = [
        Parameter(
            name,
            Parameter.KEYWORD_ONLY,
            default=page.defaults.get(name, Parameter.empty),
            annotation=setting_type(page, name),
        )
        for name in page.settings
    ]
    result = "Tensor" if page.returns == "Array" else page.returns
    return CallSignature([*inputs, *settings, NAME], return_annotation=result)


def setting_type(page: OpPage, setting: str) -> str:
    """The type of a setting as a caller reads it; the choices, if there are only a few."""
    if setting in page.choices:
        return f"Literal[{', '.join(repr(choice) for choice in page.choices[setting])}]"
    return " | ".join(ACCEPTED.get(kind, kind) for kind in page.types.get(setting, "Any").split(" | "))


def call_doc(page: OpPage) -> str:
    """The docstring: how to call the op, what it does, and a line for each setting."""
    text = cleandoc(page.doc)
    own = [name for name in page.settings if re.search(f"^{name}: ", text, re.MULTILINE)]
    more = [f"{name}: {COMMON[name]}" for name in (*page.settings, "name") if name in COMMON and name not in own]
    parameters = [part.replace(annotation=Parameter.empty) for part in call_signature(page).parameters.values()]
    return "\n".join(
        [f"{python_name(page.name)}{CallSignature(parameters)}", "", text, *([] if own else [""]), *more, ""]
    )


def python_name(op: str) -> str:
    """The name of an op in Python, where `pass` is taken.

    >>> python_name("softmax"), python_name("pass")
    ('softmax', 'pass_')
    """
    return f"{op}_" if iskeyword(op) else op
