"""Errors as answers: every one is a `Problem` that says what happened, where, what was given, and what to try."""

from __future__ import annotations

import logging
import os
import traceback
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import TypeAdapter
from starlette.exceptions import HTTPException

from ..engine.errors import EntryError, WorkingsError
from ..lab.answers.trace import Problem
from ..lab.errors import Missing, NoRoom
from .errors import ServerError

LOG = logging.getLogger("workings.server")
LONGEST = 200  # characters of what was given that an answer repeats
JSON = "application/json"
DEBUG = "WORKINGS_DEBUG"
NOT_THERE = (Missing, EntryError)

_PROBLEM = TypeAdapter(Problem)


def problem_of(error: WorkingsError) -> Problem:
    """
    >>> problem_of(ServerError("There is nothing at /nowhere.")).what
    'There is nothing at /nowhere.'
    """
    return Problem(error.key, error.what, error.where, _short(error.given), error.hint)


def status_of(error: WorkingsError) -> int:
    """404 for what is not there, 503 for what may go well later, else 400.

    >>> status_of(Missing("This trace is no longer kept."))
    404
    """
    if isinstance(error, ServerError):
        return error.status
    if isinstance(error, NoRoom):
        return 503
    return 404 if isinstance(error, NOT_THERE) else 400


def problem_response(error: WorkingsError, headers: Mapping[str, str] | None = None) -> Response:
    """An error as an answer."""
    own = {"Cache-Control": "no-store", **(headers or {})}
    if isinstance(error, ServerError | NoRoom) and error.retry is not None:
        own["Retry-After"] = str(error.retry)
    return Response(_PROBLEM.dump_json(problem_of(error)), status_of(error), own, JSON)


def fault_response() -> Response:
    """What nobody foresaw: a calm sentence for the reader."""
    return problem_response(
        ServerError(
            "Something went wrong inside the lab.",
            hint="Try it once more. If it happens again, report what you did, with the last lines of the log "
            "of the server.",
            status=500,
        )
    )


def log_fault(fault: BaseException) -> None:
    """One line for the log of the server: what happened, and where; with WORKINGS_DEBUG, the whole way there."""
    place = traceback.extract_tb(fault.__traceback__)[-1:]
    where = f"{os.path.basename(place[0].filename)}:{place[0].lineno}" if place else ""
    LOG.error("%s: %s (%s)", type(fault).__name__, fault, where, exc_info=fault if os.environ.get(DEBUG) else None)


def handle_problems(app: FastAPI) -> None:
    """Let every error of the routes be answered as a `Problem`."""
    app.add_exception_handler(WorkingsError, _known_error)
    app.add_exception_handler(RequestValidationError, _unreadable)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(Exception, _unforeseen)


async def _known_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, WorkingsError)
    return problem_response(error)


async def _unreadable(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    if first["type"] == "json_invalid" or first["loc"] == ("body",):
        return problem_response(_no_json(422))
    place = [str(part) for part in first["loc"]]
    where = ".".join(place[:1])
    return problem_response(
        ServerError(
            f"The field {'.'.join(place[1:]) or where} is missing, or is not what is expected there.",
            hint="/api/openapi.json lists what every request takes.",
            where=where,
            given=_given(first),
            status=422,
        )
    )


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    path = _short(request.url.path)
    if error.status_code == 405:
        wrong_method = ServerError(
            f"{path} cannot be asked with {request.method}.",
            hint="/api/openapi.json lists every request.",
            status=405,
        )
        return problem_response(wrong_method, error.headers)
    if error.status_code == 404:
        return problem_response(
            ServerError(f"There is nothing at {path}.", hint="Start from the first page of the lab, /.", status=404)
        )
    return problem_response(_no_json(error.status_code), error.headers)


async def _unforeseen(request: Request, error: Exception) -> Response:
    return fault_response()  # the outermost guard writes the log


def _no_json(status: int) -> ServerError:
    return ServerError(
        "The body of the request is not JSON that can be read.",
        hint="Send one JSON object with Content-Type: application/json.",
        status=status,
    )


def _given(fault: Mapping[str, Any]) -> str:
    """What was given, where it is one value: a whole body would not say more."""
    given = fault.get("input")
    return repr(given) if isinstance(given, str | int | float) else ""


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
