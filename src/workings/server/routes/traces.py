"""Traces: computed or found, and their flow."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from ...lab.answers.trace import Overview, Page
from ...lab.pages.overview import flow, overview
from ...lab.traces.wanted import Wanted
from ..asking import PROBLEMS, Key, WantedBody
from ..desk import NEVER_STORED, Body, body_of, sent
from ..service import Service


def traces_router(service: Service) -> APIRouter:
    router = APIRouter(prefix="/api/traces", responses=PROBLEMS)
    lab, desk = service.lab, service.desk

    def opened(wanted: Wanted) -> Body:
        body = body_of(Overview, overview(lab.open(wanted)))
        desk.kept.put(f"/api/traces/{wanted.key}?", body)
        return body

    @router.post("", response_model=Overview)
    async def open_trace(request: Request, body: WantedBody) -> Response:
        """Compute a trace, or find it: its steps and modules, without their numbers."""
        wanted = body.wanted
        found = desk.kept.get(f"/api/traces/{wanted.key}?") if lab.is_kept(wanted.key) else None
        if found is None:  # the trace itself is opened, too: who asks for it now will ask for its entries next
            found = await desk.run(partial(opened, wanted), "heavy", f"open {wanted.key}")
        return sent(request, found, NEVER_STORED)

    @router.get("/{key}", response_model=Overview)
    async def find_trace(request: Request, key: Key) -> Response:
        """A trace that was opened before."""
        return await service.about(request, key, Overview, overview)

    @router.get("/{key}/flow", response_model=Page)
    async def flow_of_trace(request: Request, key: Key, under: Annotated[str, Query(max_length=200)] = "") -> Response:
        """Which step leads to which, of the whole trace or of one module."""
        return await service.about(request, key, Page, lambda opened: flow(opened, under))

    return router
