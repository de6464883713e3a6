"""The application: the routes of the lab and its front end, behind the guards."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from fastapi import Depends, FastAPI
from starlette.types import ASGIApp

from ..engine.errors import WorkingsError
from ..lab.traces.store import Lab
from .asking import only_declared
from .guard import guarded
from .pages import pages_router
from .problems import handle_problems, log_fault
from .routes.checking import checking_router
from .routes.learners import learners_router
from .routes.practice import practice_router
from .routes.reading import prepare, reading_router
from .routes.starters import starters_router
from .routes.steps import steps_router
from .routes.traces import traces_router
from .service import Service, make_service
from .settings import ServerSettings

ROUTERS = (
    reading_router,
    starters_router,
    traces_router,
    steps_router,
    practice_router,
    checking_router,
    learners_router,
)
DAY = 24 * 60 * 60


def make_app(lab: Lab, settings: ServerSettings, pages: Mapping[str, bytes] | None = None) -> ASGIApp:
    """The lab as an ASGI application. Without `pages` there is only the API."""
    service = make_service(lab, settings)
    app = FastAPI(
        title="workings: the lab",
        version=_version(),
        openapi_url="/api/openapi.json",
        docs_url=None,  # these pages would load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lambda _: _running(service),
    )
    handle_problems(app)
    for router in ROUTERS:
        app.include_router(router(service), dependencies=[Depends(only_declared)])
    if pages is not None:
        app.include_router(pages_router(pages))
    return guarded(app, settings)


@asynccontextmanager
async def _running(service: Service) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(_forget_daily(service))]
    if service.settings.prepared:
        tasks.append(asyncio.create_task(prepare(service)))
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        service.desk.close()
        service.progress.database.close()


async def _forget_daily(service: Service) -> None:
    """At the start and once a day, learners who have not come for a year are forgotten."""
    while True:
        try:
            await service.desk.run(service.progress.forget_expired)
        except WorkingsError:
            pass  # the database wrote it into the log
        except Exception as fault:
            log_fault(fault)
        await asyncio.sleep(DAY)


def _version() -> str:
    from .. import __version__

    return __version__
