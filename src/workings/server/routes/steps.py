"""The steps of a trace: what each one is, its numbers part by part, and one entry by hand."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from ...lab.answers.trace import CellPage, StepPage
from ...lab.answers.window import Tile, Window
from ...lab.pages.cells import cell_page
from ...lab.pages.step_page import step_page
from ...lab.pages.windows import tile, window
from ..asking import PROBLEMS, EntryText, Key, LeadText, Start, StepId, Stride, TileSize, WindowSize, positions
from ..service import Service


def steps_router(service: Service) -> APIRouter:
    router = APIRouter(prefix="/api/traces/{key}/steps/{id}", responses=PROBLEMS)

    @router.get("", response_model=StepPage)
    async def step(request: Request, key: Key, id: StepId) -> Response:
        """What is to be said about a step, without its numbers."""
        return await service.about(request, key, StepPage, lambda opened: step_page(opened, id))

    @router.get("/window", response_model=Window)
    async def window_of_step(
        request: Request,
        key: Key,
        id: StepId,
        lead: LeadText = "",
        row: Start = 0,
        column: Start = 0,
        rows: WindowSize = 24,
        columns: WindowSize = 24,
    ) -> Response:
        """Some rows and columns of a step, as printed numbers."""
        place = (positions(lead), row, column, rows, columns)
        return await service.about(request, key, Window, lambda opened: window(opened, id, *place))

    @router.get("/tile", response_model=Tile)
    async def tile_of_step(
        request: Request,
        key: Key,
        id: StepId,
        lead: LeadText = "",
        row: Start = 0,
        column: Start = 0,
        rows: TileSize = 256,
        columns: TileSize = 256,
        stride: Stride = 1,
    ) -> Response:
        """How strong the entries of a large part are, one byte each."""
        place = (positions(lead), row, column, rows, columns, stride)
        return await service.about(request, key, Tile, lambda opened: tile(opened, id, *place))

    @router.get("/cells/{entry}", response_model=CellPage)
    async def cell(request: Request, key: Key, id: StepId, entry: EntryText) -> Response:
        """One entry by hand: what it reads, what reads it, and its gradient. A single number has the entry -."""
        return await service.about(request, key, CellPage, lambda opened: cell_page(opened, id, positions(entry)))

    return router
