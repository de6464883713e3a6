"""Check my numbers: what fits of somebody's results, and the first step that does not."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from ...lab.answers.trace import CheckPage
from ...lab.pages.checking import check_page
from ..asking import PROBLEMS, CheckBody
from ..service import Service


def checking_router(service: Service) -> APIRouter:
    router = APIRouter(prefix="/api", responses=PROBLEMS)
    desk = service.desk

    @router.post("/check", response_model=CheckPage)
    async def check(request: Request, body: CheckBody) -> Response:
        """Compare results with what the engine makes of the same matrices."""
        return await desk.make(
            request,
            CheckPage,
            lambda: check_page(body.given, body.got, body.mask, body.heads, body.convention),
            "heavy",
        )

    return router
