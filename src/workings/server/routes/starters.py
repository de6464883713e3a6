"""A scenario to start from: made of somebody's own words or matrices."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from ...lab.answers.trace import ScenarioText
from ...lab.traces import starters
from ...lab.traces.starters import from_matrices, from_sentence
from ...practice.answers import pasted
from ..asking import PROBLEMS, Mask
from ..service import Service

Pasted = Annotated[str, Query(max_length=2 * pasted.MAX_FIELD_CHARS)]


def starters_router(service: Service) -> APIRouter:
    router = APIRouter(prefix="/api/starters", responses=PROBLEMS)
    desk = service.desk

    @router.get("/sentence", response_model=ScenarioText)
    async def sentence(request: Request, text: Annotated[str, Query(max_length=2 * starters.MAX_CHARS)]) -> Response:
        """A small decoder that reads these words."""
        return await desk.read(request, ScenarioText, lambda: from_sentence(text))

    @router.get("/matrices", response_model=ScenarioText)
    async def matrices(
        request: Request,
        Q: Pasted = "",
        K: Pasted = "",
        V: Pasted = "",
        X: Pasted = "",
        W_Q: Pasted = "",
        W_K: Pasted = "",
        W_V: Pasted = "",
        W_O: Pasted = "",
        mask: Mask = "none",
    ) -> Response:
        """Attention on Q, K and V, or on X and its weights."""
        given = {"Q": Q, "K": K, "V": V, "X": X, "W_Q": W_Q, "W_K": W_K, "W_V": W_V, "W_O": W_O}
        return await desk.read(request, ScenarioText, lambda: from_matrices(given, mask))

    return router
