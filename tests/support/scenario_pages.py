"""The pages of scenarios, for the tests of renderers: every default run, and one with a table of losses."""

from __future__ import annotations

from scenario_names import EXAMPLES, smaller

import workings as w
from workings.document.blocks import Document
from workings.scenarios.scenario_page import scenario_document

# The encoder of full size takes long to compute, and its page looks like that of its twin.
RUNS = {name: (name, "twin" if name == "cat-sat-encoder" else "default") for name in EXAMPLES}
RUNS["trained"] = ("example-3", "after")


def scenario_pages() -> dict[str, Document]:
    found = {}
    for page, (name, run) in RUNS.items():
        scenario = w.scenario(name)
        found[page] = scenario_document(scenario, run, scenario.trace(run))
    for name in ("copy", "dates"):
        scenario = smaller(name)
        found[name] = scenario_document(scenario, "default", scenario.trace())
    return found
