"""What a request may ask: every name, text, number and list with its limit. What is not named here is refused.

Where the lab has a sentence about something that is too long, it is let through up to twice that length.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any, Literal, TypeAlias, get_origin

from fastapi import Header, Path, Query, Request
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from ..lab.answers.trace import Problem
from ..lab.pages.practice import MAX_SEED
from ..lab.pages.windows import MOST_BYTES, MOST_NUMBERS
from ..lab.traces.edits import MOST as MOST_EDITS
from ..lab.traces.wanted import KEY_LENGTH, Wanted
from ..lessons.runs import Numbers
from ..practice.answers import pasted
from .codes import CODE
from .errors import ServerError
from .guard import LEARNER_HEADER

OTHER_STATUSES = (403, 404, 405, 408, 413, 422, 429, 500, 503)

Name: TypeAlias = Annotated[str, StringConstraints(max_length=100)]
Setting: TypeAlias = Annotated[str, StringConstraints(max_length=60)]
EditText: TypeAlias = Annotated[str, StringConstraints(max_length=2000)]
Answer: TypeAlias = Annotated[str, StringConstraints(max_length=200)]
Answers: TypeAlias = Annotated[dict[Name, Answer], Field(max_length=500)]
MatrixText: TypeAlias = Annotated[str, StringConstraints(max_length=2 * pasted.MAX_FIELD_CHARS)]

Key: TypeAlias = Annotated[str, Path(pattern=f"^[0-9a-f]{{{KEY_LENGTH}}}$")]
StepId: TypeAlias = Annotated[str, Path(pattern=r"^[0-9]{1,7}(\.[0-9]{1,7}){0,8}$")]
EntryText: TypeAlias = Annotated[str, Path(pattern=r"^(-|[0-9]{1,7}(,[0-9]{1,7}){0,7})$")]
LeadText: TypeAlias = Annotated[str, Query(pattern=r"^([0-9]{1,7}(,[0-9]{1,7}){0,7})?$")]
Start: TypeAlias = Annotated[int, Query(ge=0, le=9_999_999)]
WindowSize: TypeAlias = Annotated[int, Query(ge=1, le=MOST_NUMBERS)]
TileSize: TypeAlias = Annotated[int, Query(ge=1, le=MOST_BYTES)]
Stride: TypeAlias = Annotated[int, Query(ge=1, le=256)]
LearnerCode: TypeAlias = Annotated[str | None, Header(alias=LEARNER_HEADER, pattern=f"^{CODE.pattern}$")]
Digits: TypeAlias = Annotated[int, Field(ge=0, le=999)]
Seed: TypeAlias = Annotated[int, Field(ge=0, le=MAX_SEED)]
Blanks: TypeAlias = Literal["few", "some", "all"]
Mask: TypeAlias = Literal["none", "causal"]

# What can be answered besides what was asked for; every route declares it. The type is given once, and pointed at by
# the others: for each of them it would be made anew, and the lab would start later.
_PROBLEM_SCHEMA = {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem},
    **{status: {"description": HTTPStatus(status).phrase, "content": _PROBLEM_SCHEMA} for status in OTHER_STATUSES},
}


class RequestBody(BaseModel):
    """A body: exactly these fields, of exactly these types."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class WantedBody(RequestBody):
    """The trace that is wanted: see `lab.wanted.Wanted`."""

    source: Name = ""
    scenario: Annotated[str, StringConstraints(max_length=20_000)] = ""
    run: Name = "default"
    precision: Setting = ""
    convention: Setting = ""
    numbers: Numbers = "document"
    digits: Digits | None = None
    count_from: Literal[0, 1] | None = None
    vectors: Literal["", "row", "column"] = ""
    symbols: Annotated[list[Setting], Field(max_length=50)] = Field(default_factory=list)
    edits: Annotated[list[EditText], Field(max_length=2 * MOST_EDITS)] = Field(default_factory=list)

    @property
    def wanted(self) -> Wanted:
        fields = self.model_dump()
        return Wanted(**{**fields, "symbols": tuple(self.symbols), "edits": tuple(self.edits)})


class SheetBody(RequestBody):
    source: Name
    run: Name = ""
    seed: Seed = 0
    blanks: Blanks = "few"


class GradeBody(SheetBody):
    answers: Answers


class HintBody(SheetBody):
    label: Name
    rung: Annotated[int, Field(ge=0, le=20)] = 0
    answers: Answers = Field(default_factory=dict)


class CheckBody(RequestBody):
    given: Annotated[dict[Setting, MatrixText], Field(max_length=20)]
    got: Annotated[dict[Setting, MatrixText], Field(max_length=20)]
    mask: Mask = "none"
    heads: Annotated[int, Field(ge=1, le=64)] = 1
    convention: Setting = ""


class OpenedBody(RequestBody):
    lesson: Name


def only_declared(request: Request) -> None:
    """Refuse parameters that the route does not have, and single ones that are given twice: they would be kept apart
    from the same question without them.
    """
    known = {field.alias: field.field_info.annotation for field in request.scope["route"].dependant.query_params}
    given = [name for name, _ in request.query_params.multi_items()]
    for name in given:
        if name not in known or (given.count(name) > 1 and get_origin(known[name]) is not list):
            path = request.scope["path"]
            raise ServerError(
                f"{path[:60]} has no parameter {name[:60]}, or it is given twice.",
                hint=f"It takes: {', '.join(known) or '-'}.",
                status=422,
            )


def positions(text: str) -> tuple[int, ...]:
    """
    >>> positions("1,0"), positions("-"), positions("")
    ((1, 0), (), ())
    """
    return tuple(int(part) for part in text.split(",")) if text not in ("", "-") else ()
