"""A thousand different scenarios: what the process takes stays within what it was given."""

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from workings.lab.answers.trace import Overview
from workings.lab.pages.overview import overview
from workings.lab.traces.store import Lab
from workings.lab.traces.wanted import Wanted
from workings.server.desk import body_of
from workings.server.limits import MB

SCENARIO = """\
scenario: 1
given:
  Q: {{axes: query model, value: {matrix}}}
  K: {{axes: key model, value: {matrix}}}
calculate:
  - scores = matmul(Q, transpose(K))
  - weights = softmax(scores, axis=key)
  - more = exp(scores)
"""
SIZE = 40  # tokens: a trace takes some 100 kB, and a thousand of them ten times the budget
BUDGET = 10 * MB
ALLOWANCE = 8 * MB  # what computing one takes for a moment, and what Python keeps of memory that was given back


def scenario(number):
    return SCENARIO.format(matrix="; ".join([f"0.{number:03}", *["0"] * (SIZE - 1)]))


def largest():
    """The most memory that this process ever took, in bytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else 1024 * most


def a_thousand():
    """Open them all, and print what was measured on the way."""
    lab, measured = Lab(BUDGET), {}
    wishes = [Wanted(scenario=scenario(number)) for number in range(1000)]
    for number, wanted in enumerate(wishes):
        body_of(Overview, overview(lab.open(wanted)))
        assert lab.used + lab.reserved <= BUDGET
        if number in (0, 499, 999):
            measured[number] = largest()
    assert lab.find(wishes[0].key).wanted == wishes[0]  # it is computed again when somebody asks
    size = lab.find(wishes[0].key).size
    print(json.dumps({"measured": measured, "kept": len(lab), "size": size}))


@pytest.mark.skipif(sys.platform == "win32", reason="it does not say how much a process takes")
def test_a_thousand_scenarios_stay_within_the_budget():
    here = Path(__file__)
    script = f"import {here.stem}; {here.stem}.a_thousand()"
    done = subprocess.run([sys.executable, "-c", script], cwd=here.parent, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert 1000 * found["size"] > 5 * BUDGET > 5 * found["size"] * found["kept"]
    begun, half, whole = found["measured"].values()
    assert whole - begun < BUDGET + ALLOWANCE
    assert whole - half < ALLOWANCE / 4  # nothing grows any more
