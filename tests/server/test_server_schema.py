"""The OpenAPI of the lab: every route is asked with whatever fits it, and with what does not; every answer must be one
that it declares.
"""

from contextlib import suppress

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from workings.lab.traces.store import Lab
from workings.server.app import make_app
from workings.server.limits import Rate, ServerLimits
from workings.server.settings import ServerSettings

EXAMPLES = 8  # of each route and each mode: some 15 s in all
UNLIMITED = Rate(1e9, 1e9)
HOST = {"Host": "127.0.0.1:8765"}


@pytest.fixture(scope="module")
def schema():
    app = make_app(Lab(), ServerSettings(limits=ServerLimits(learner=UNLIMITED, address=UNLIMITED)))

    async def running(scope, receive, send):
        """The lab without its beginning and end: the client makes both anew for every request."""
        if scope["type"] != "lifespan":
            await app(scope, receive, send)
            return
        for event in ("startup", "shutdown"):
            assert (await receive())["type"] == f"lifespan.{event}"
            await send({"type": f"lifespan.{event}.complete"})

    return schemathesis.openapi.from_asgi("/api/openapi.json", running, headers=HOST)


SETTINGS = settings(
    max_examples=EXAMPLES, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)


def statuses_of(schema, mode, at_home=lambda case: None):
    """Ask every route; which statuses were answered, and how many routes could be asked."""
    statuses, asked = set(), 0
    for found in schema.get_all_operations():

        @SETTINGS
        @given(case=found.ok().as_strategy(generation_mode=mode))
        def ask(case):
            at_home(case)
            answer = case.call(headers=HOST)
            assert answer.status_code != 500
            is_refused = answer.status_code == 413  # before it was looked at
            known = [negative_data_rejection] if is_refused else []
            case.validate_response(answer, excluded_checks=[positive_data_acceptance, *known])
            statuses.add(answer.status_code)

        with suppress(Unsatisfiable):  # a route that takes nothing cannot be asked wrongly
            ask()
            asked += 1
    return statuses, asked


def test_whatever_fits_is_answered_as_declared(schema):
    statuses, asked = statuses_of(schema, GenerationMode.POSITIVE)
    assert statuses >= {200, 400, 404}
    assert asked >= 20


def test_what_does_not_fit_is_refused(schema):
    statuses, asked = statuses_of(schema, GenerationMode.NEGATIVE)
    assert statuses <= {400, 404, 405, 413, 422}
    assert asked >= 15


def test_the_same_of_a_trace_and_a_lesson_that_are_there(schema):
    """Names and keys that are made up are hardly ever known: here they are."""
    opened = schema["/api/traces"]["POST"].Case(body={"source": "example-1"}, media_type="application/json")
    key = opened.call(headers=HOST).json()["key"]
    begun = schema["/api/learners"]["POST"].Case()

    def at_home(case):
        if case.path.startswith("/api/me"):
            case.headers["Workings-Learner"] = begun.call(headers=HOST).json()["code"]
        if "key" in (case.path_parameters or {}):
            case.path_parameters["key"] = key
        if isinstance(case.body, dict) and "source" in case.body:
            case.body = {**case.body, "source": "example-1"}
            case.body.pop("scenario", None)

    statuses, _ = statuses_of(schema, GenerationMode.POSITIVE, at_home)
    assert statuses >= {200, 204}
