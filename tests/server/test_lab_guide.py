"""docs/lab.md states the limits of the lab: the same numbers as the program."""

import re
from pathlib import Path

import workings
from workings.cli.serve import MB, PORT
from workings.lab.traces.edits import MOST
from workings.lab.traces.store import MEMORY
from workings.server.asking import WantedBody
from workings.server.codes import GROUPS, IN_GROUP
from workings.server.limits import HEAVY_REQUEST, KB, ServerLimits
from workings.server.progress import KEPT

PAGE = (Path(workings.__file__).parents[2] / "docs" / "lab.md").read_text(encoding="utf-8")


def numbers_of(beginning):
    """The numbers in the row or line of the page that begins so."""
    line = next(line for line in PAGE.splitlines() if line.startswith(beginning))
    return [float(text.replace(",", "")) for text in re.findall(r"\d[\d,]*(?:\.\d+)?", line[len(beginning) :])]


def test_the_page_states_the_limits():
    limits = ServerLimits()
    assert numbers_of("| requests of one learner") == [limits.learner.per_second, limits.learner.burst, 429]
    address = [limits.address.per_second, limits.address.burst, HEAVY_REQUEST, 429]
    assert numbers_of("| requests of one address") == address
    assert numbers_of("| codes never seen before") == [limits.newcomers.per_second, limits.newcomers.burst, 429]
    assert numbers_of("| new learners") == [limits.new_learners.per_second, limits.new_learners.burst, 429]
    assert numbers_of("| size of a request") == [limits.body / KB, limits.body_seconds, 413, 408]
    assert numbers_of("| time of an answer") == [limits.seconds, 503]
    assert numbers_of("| computed at a time") == [limits.heavy, limits.light, limits.waiting, 503]


def test_the_page_states_what_is_kept():
    assert f"for {KEPT.days} days" in PAGE
    assert f"code of {GROUPS * IN_GROUP} letters" in PAGE
    assert f"last {ServerLimits().attempts:,} answers" in PAGE
    assert numbers_of("| `--port N`") == [PORT]
    assert numbers_of("| `--memory MB`") == [MEMORY / MB]


def test_the_page_states_the_limits_of_a_scenario():
    fields = WantedBody.model_json_schema()["properties"]
    assert numbers_of("| a scenario of one's own") == [fields["scenario"]["maxLength"], MOST, 400]
