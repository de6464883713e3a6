"""Practice: a sheet, what is said about the answers, and hints."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

from fastapi import APIRouter, Request
from fastapi.responses import Response

from ...lab.answers.trace import GradePage, HintPage, SheetPage
from ...lab.pages.practice import grade_page, hint_page, sheet_page
from ..asking import PROBLEMS, GradeBody, HintBody, LearnerCode, SheetBody
from ..desk import NEVER_STORED, sent
from ..errors import ServerError
from ..service import Service


def practice_router(service: Service) -> APIRouter:
    router = APIRouter(prefix="/api/sheets", responses=PROBLEMS)
    sheets, desk = service.sheets, service.desk

    def graded(body: GradeBody, code: str | None) -> GradePage:
        page = grade_page(sheets, body.source, body.run, body.seed, body.blanks, body.answers)
        if code is not None and page.marks:
            sheet = sheets.of(body.source, body.run, body.seed, body.blanks)
            with suppress(ServerError):  # who is not known, or cannot be written down, is answered all the same
                service.progress.note(code, body.source, sheet.code, page.marks)
        return page

    @router.post("", response_model=SheetPage)
    async def sheet(request: Request, body: SheetBody) -> Response:
        """A sheet to fill in."""
        request_line = f"/api/sheets {body.model_dump_json()}"  # the same wish is the same sheet
        page = partial(sheet_page, sheets, body.source, body.run, body.seed, body.blanks)
        return sent(request, await desk.once(request_line, SheetPage, page, "heavy"), NEVER_STORED)

    @router.post("/grade", response_model=GradePage)
    async def grade(request: Request, body: GradeBody, learner: LearnerCode = None) -> Response:
        """What is said about the answers. With a learner's code, it counts towards the progress."""
        return await desk.make(request, GradePage, lambda: graded(body, learner), "heavy")

    @router.post("/hint", response_model=HintPage)
    async def hint(request: Request, body: HintBody) -> Response:
        """One rung of the ladder to an entry."""
        return await desk.make(
            request,
            HintPage,
            lambda: hint_page(
                sheets, body.source, body.run, body.seed, body.blanks, body.label, body.rung, body.answers
            ),
            "heavy",
        )

    return router
