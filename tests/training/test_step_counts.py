"""What one step of the GPT of `workings train characters` costs, in counts: no clock, so that a busy machine tells the
same. The program does not grow unnoticed, and in float32 nothing in it is computed in float64.

The model is made narrower here, and its texts shorter: that changes how large arrays are, not how many calls there are.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy
import pytest

from workings.scenarios.scenario import scenario

TEXT = Path(__file__).with_name("river.txt")

# Array calls when this was written. A program may have 2 % more; products of matrices are what takes time.
CALLS = {"loss": 741, "update": 25, "norm": 206}
PRODUCTS = {"loss": 101, "update": 0, "norm": 0}
MORE = 1.02

SMALL = """
model: {width: 32, hidden: 64}
train: {batch_size: 3}
"""

LINE = re.compile(r"    v\d+ = (?P<call>.*?)  # ")


class Steps:
    """A training in one precision after its first step, and the programs of that step with what they were given."""

    def __init__(self, precision):
        found = scenario("characters").changed(
            f"{SMALL}precision: {precision}\ndata: {{text: {json.dumps(str(TEXT))}}}"
        )
        self.trainer = trainer = found.trainer()
        trainer.advance()
        ((one,),) = trainer.computation.updates(1)
        update, state = trainer.compile(), trainer._as_rows()
        piece = slice(trainer.flat.piece)
        row = state.weights
        rows = [array[piece] for array in (row, row, *state.memory)]
        inputs = [tensor.array for tensor in one.inputs.values()]
        loss = trainer._program(one).program
        self.programs = {"loss": loss, "update": update.program, "norm": update.norm_program}
        self.given = {
            "loss": [*trainer.flat.views(row).values(), *inputs],
            "update": [*rows, update.norm(row)],
            "norm": list(trainer.flat.views(row).values()),
        }
        self.numbers = {"loss": {}, "update": {"rate": 0.001, "t": 2}, "norm": {}}

    def calls(self, name):
        return [match["call"] for line in self.programs[name].source.splitlines() if (match := LINE.match(line))]

    def wide(self, name):
        """What is of float64 in a program: constants, settings, buffers, and every value that is computed."""
        program = self.programs[name]
        *lines, last = program.source.splitlines()
        assert last.startswith("    return")
        space = dict(program.function.__globals__)
        exec("\n".join([*lines, "    return locals()"]), space)
        values = space["program"](*self.given[name], **self.numbers[name])
        settings = {f"{key}.{k}": v for key, part in space.items() if key.startswith("s_") for k, v in part.items()}
        everything = {**space, **settings, **values}
        return sorted(key for key, value in everything.items() if getattr(value, "dtype", None) == numpy.float64)


@pytest.fixture(scope="module")
def narrow():
    return Steps("float32")


@pytest.mark.parametrize("name", CALLS)
def test_the_programs_of_a_step_do_not_grow(narrow, name):
    calls = narrow.calls(name)
    assert 0 < len(calls) <= MORE * CALLS[name]
    assert sum("matmul(" in call for call in calls) <= PRODUCTS[name]


def test_all_steps_share_one_program(narrow):
    narrow.trainer.advance()
    assert len(narrow.trainer._programs) == 1


@pytest.mark.parametrize("name", CALLS)
def test_nothing_in_a_float32_program_is_of_float64(narrow, name):
    assert narrow.wide(name) == []


def test_a_recorded_step_in_float32_moves_the_weights_to_the_bits_of_the_program():
    found = scenario("copy").changed("model: {width: 16, heads: 2, layers: 1, hidden: 32}\nprecision: float32")
    recorded, compiled = found.trainer(), found.trainer()
    for _ in range(5):
        recorded.advance()
        compiled.advance()
    recorded.record(recorded.empty_trace())
    compiled.advance()
    weights = compiled.weights()
    different = [path for path, weight in recorded.weights().items() if (weight.array != weights[path].array).any()]
    assert different == []


def test_what_is_wide_is_found():
    wide = Steps("float64")
    for name in CALLS:
        assert len(wide.wide(name)) > len(wide.calls(name)) // 2
