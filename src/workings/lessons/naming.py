"""The name of a step in a text: its name, with its head before it where there are several."""

from __future__ import annotations

import re

from ..document.blocks import plain_text
from ..explain.step_view import StepView

_HEAD = re.compile(r"head[0-9]+")


def step_label(view: StepView) -> str:
    """
    >>> import workings as w
    >>> trace = w.scenario("hello-world").trace()
    >>> step_label(trace["head2.weights"]), step_label(trace["logits"])
    ('head2.weights', 'logits')
    """
    *_, module, name = ["", *view.path.split(".")]
    return f"{module}.{view.name}" if _HEAD.fullmatch(module) and name == view.name else view.name


def step_title(view: StepView) -> str:
    """The same with where it comes from: `weights = softmax(scaled)`."""
    title = plain_text(view.title())
    return step_label(view) + title.removeprefix(view.name) if title.startswith(view.name) else title
