"""The programs of the lessons run by themselves, and give what the trace gives."""

from __future__ import annotations

import contextlib
import io
import runpy

import numpy
import pytest
from built_lessons import NAMES, written

from workings.lessons.lesson import lesson
from workings.lessons.reading.myst import directive_of, line_of, tree

MOST_LINES = 60
OF_TWO_BLOCKS = {"example-6": 105}  # forward, backward and update of a whole model, one statement a line
CLOSE = {"program.py": 1e-12, "program_torch.py": 1e-9}


def directives(text):
    """Those of a text, and those inside them."""
    for node in tree(text):
        directive = directive_of(node, line_of(node)) if node.type == "colon_fence" else None
        if directive is not None:
            yield directive
            yield from directives(directive.body) if directive.name in ("fold", "only") else ()


def programs():
    for name in NAMES:
        for directive in directives(lesson(name).file.text):
            if directive.name == "program":
                yield pytest.param(name, directive, id=f"{name}-{directive.argument}")


def test_every_program_beside_a_lesson_is_shown_and_tried():
    tried = {(program.values[0], program.values[1].argument) for program in programs()}
    beside = {(name, path.name) for name in NAMES for path in lesson(name).file.folder.glob("program*.py")}
    assert tried == beside


@pytest.mark.parametrize(("name", "directive"), list(programs()))
def test_a_program_gives_what_the_trace_gives(name, directive):
    path = lesson(name).file.folder / directive.argument
    assert len(path.read_text().splitlines()) <= OF_TWO_BLOCKS.get(name, MOST_LINES)
    with contextlib.redirect_stdout(io.StringIO()) as output:
        found = runpy.run_path(str(path))
    assert output.getvalue().strip()
    trace = written(name).page.trace(directive.options.get("run", "default"))
    pairs = [pair.partition("=")[::2] for pair in directive.options["equals"].split()]
    assert len(pairs) >= 3
    for variable, step in pairs:
        value = numpy.asarray(getattr_path(found, variable))
        true = trace[step or variable].value
        assert value.shape == true.shape, variable
        numpy.testing.assert_allclose(
            value, true, rtol=0, atol=CLOSE[path.name] * max(1, abs(true).max()), err_msg=variable
        )


def getattr_path(found, name):
    """`block1.dW_Q`: an attribute of a variable, or an entry of one that is a dictionary."""
    first, *rest = name.split(".")
    value = found[first]
    for part in rest:
        value = value[part] if isinstance(value, dict) else getattr(value, part)
    return value.detach() if hasattr(value, "detach") else value
