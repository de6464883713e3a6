"""What is there to read: the words of the front end, lessons, scenarios and models."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import Response

from ...lab.answers.lesson import LessonPage
from ...lab.answers.trace import LessonPath, Models, Page, Scenarios, ScenarioText, Start
from ...lab.pages.reading import lesson_page, lesson_path, model_page, models, scenario_text, scenarios
from ...lab.pages.start import start
from ...lab.traces.edits import MOST as MOST_EDITS
from ...lessons.runs import Numbers
from ..asking import PROBLEMS, Digits, EditText
from ..desk import ASK_AGAIN, Pool
from ..service import Service

HostGuard = Annotated[str, Path(max_length=100)]
Setting = Annotated[str, Query(max_length=60)]
Edits = Annotated[list[EditText], Query(max_length=MOST_EDITS)]


async def prepare(service: Service) -> None:
    """Make the answers that everybody asks for first, so that the first page appears at once."""
    for request_line, kind, make in (("/api/start?", Start, start), ("/api/lessons?", LessonPath, lesson_path)):
        await service.desk.once(request_line, kind, make, "heavy")


def reading_router(service: Service) -> APIRouter:
    router = APIRouter(prefix="/api", responses=PROBLEMS)

    async def read(request: Request, kind: Any, make: Callable[[], Any], pool: Pool = "heavy") -> Response:
        return await service.desk.read(request, kind, make, pool, ASK_AGAIN)

    @router.get("/start", response_model=Start)
    async def first(request: Request) -> Response:
        """What the front end needs before anything else."""
        return await read(request, Start, start, "light")

    @router.get("/lessons", response_model=LessonPath)
    async def all_lessons(request: Request) -> Response:
        """The lessons in the order in which they are taught."""
        return await read(request, LessonPath, lesson_path)

    @router.get("/lessons/{name}", response_model=LessonPage)
    async def lesson(
        request: Request,
        name: HostGuard,
        digits: Digits | None = None,
        precision: Setting = "",
        convention: Setting = "",
        numbers: Numbers = "document",
        edit: Edits = [],  # noqa: B006  (which FastAPI only reads)
    ) -> Response:
        """One lesson, with every number worked out, and those that somebody changed: `default:W_Q[0][1]=0.3`."""
        return await read(request, LessonPage, partial(lesson_page, name, digits, precision, convention, numbers, edit))

    @router.get("/scenarios", response_model=Scenarios)
    async def all_scenarios(request: Request) -> Response:
        """The scenarios of the package."""
        return await read(request, Scenarios, scenarios)

    @router.get("/scenarios/{name}", response_model=ScenarioText)
    async def scenario(request: Request, name: HostGuard) -> Response:
        """The file of a scenario, to start from."""
        return await read(request, ScenarioText, partial(scenario_text, name), "light")

    @router.get("/models", response_model=Models)
    async def all_models(request: Request) -> Response:
        """The architectures that are known by name."""
        return await read(request, Models, models)

    @router.get("/models/{name}", response_model=Page)
    async def model(request: Request, name: HostGuard) -> Response:
        """A model, counted line by line."""
        return await read(request, Page, partial(model_page, name))

    return router
