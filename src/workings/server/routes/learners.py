"""Learners: a code, what was done under it, and a way to take it along or to have it forgotten."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from ...lab.answers.trace import Learner
from ...lab.pages.reading import no_lesson
from ...lessons.contents import names as lesson_names
from ..asking import PROBLEMS, LearnerCode, OpenedBody
from ..errors import ServerError
from ..service import Service


def learners_router(service: Service) -> APIRouter:
    router = APIRouter(prefix="/api", responses=PROBLEMS)
    progress, desk = service.progress, service.desk

    @router.post("/learners", response_model=Learner)
    async def begin(request: Request) -> Response:
        """A new learner, under a random code."""
        return await desk.make(request, Learner, progress.begin)

    @router.get("/me", response_model=Learner)
    async def me(request: Request, learner: LearnerCode = None) -> Response:
        """What a learner has done so far."""
        code = _given(learner)
        return await desk.make(request, Learner, lambda: progress.of(code))

    @router.get("/me/export", response_model=dict[str, Any])
    async def export(request: Request, learner: LearnerCode = None) -> Response:
        """Everything that is kept about a learner."""
        code = _given(learner)
        answer = await desk.make(request, dict[str, Any], lambda: progress.export(code))
        answer.headers["Content-Disposition"] = 'attachment; filename="workings-progress.json"'
        return answer

    @router.delete("/me", status_code=204, response_class=Response)
    async def delete(learner: LearnerCode = None) -> None:
        """Forget a learner, at once and whole."""
        code = _given(learner)
        await desk.run(lambda: progress.delete(code))

    @router.post("/me/opened", status_code=204, response_class=Response)
    async def opened(body: OpenedBody, learner: LearnerCode = None) -> None:
        """Remember that a lesson was opened."""
        code = _given(learner)
        if body.lesson not in lesson_names():
            raise no_lesson(body.lesson)
        await desk.run(lambda: progress.open_lesson(code, body.lesson))

    return router


def _given(code: str | None) -> str:
    if code is None:
        raise ServerError("No learner's code was given.", hint="Send it in the header Workings-Learner.")
    return code
