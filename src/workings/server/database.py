"""Where progress is kept: a file of SQLite under the user's data folder, or any database that SQLAlchemy knows."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session
from sqlalchemy.pool import StaticPool

from .errors import ServerError
from .problems import LOG
from .tables import DatabaseTable

PLACE = "WORKINGS_DATA"  # the variable that names another folder
FILE = "progress.db"
MEMORY = ":memory:"
WAIT = 5  # seconds that one writer waits for another


def usual_database() -> str:
    """The database that is used if nothing is said: a file in the data folder of the user, as the system has it."""
    own = os.environ.get(PLACE)
    if own is not None:
        base = Path(own)
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", "")) / "workings"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME", "") or os.path.expanduser("~/.local/share")) / "workings"
    return f"sqlite:///{base / FILE}" if base.is_absolute() else MEMORY


class Database:
    """One database, for all threads. Its tables are made when it is first used: a lab whose progress cannot be kept
    still runs, and says so.
    """

    def __init__(self, url: str) -> None:
        self.in_memory = url in (MEMORY, "sqlite://", "sqlite:///:memory:")
        self.place = MEMORY if self.in_memory else url.partition("://")[2].rpartition("@")[2].lstrip("/") or url
        self._engine = _memory_engine() if self.in_memory else _engine(url)
        self._one_at_a_time = Lock() if self.in_memory else nullcontext()  # all share the one connection
        self._making = Lock()
        self._made = False

    @contextmanager
    def session(self) -> Iterator[Session]:
        """A piece of work that happens whole or not at all. What the database refuses is said in a sentence."""
        try:
            with self._one_at_a_time:
                self._make_tables()
                with Session(self._engine) as session, session.begin():
                    yield session
        except (SQLAlchemyError, OSError) as fault:
            LOG.warning("%s: %s", self.place, type(fault).__name__)
            raise ServerError(
                "Progress cannot be saved at the moment: its database does not answer.",
                hint="Everything else works. Tell the person who runs this lab: its log says more.",
                status=503,
            ) from fault

    def close(self) -> None:
        """Let go of the database; a thread that still works with the one connection ends its work first."""
        with self._one_at_a_time:
            self._engine.dispose()

    def _make_tables(self) -> None:
        with self._making:
            if not self._made:
                self._make_folder()
                DatabaseTable.metadata.create_all(self._engine)
                self._hide()
                self._made = True

    @property
    def _file(self) -> Path | None:
        """The file of SQLite, where it is one."""
        name = self._engine.url.database
        return Path(name) if self._engine.dialect.name == "sqlite" and not self.in_memory and name else None

    def _make_folder(self) -> None:
        if self._file is not None:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)

    def _hide(self) -> None:
        """Its owner alone may read it."""
        if self._file is not None:
            self._file.chmod(0o600)


def _memory_engine() -> Engine:
    return _with_keys(create_engine("sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False}))


def _engine(url: str) -> Engine:
    try:
        engine = create_engine(url, pool_pre_ping=not url.startswith("sqlite"))
    except (SQLAlchemyError, ImportError, ValueError):
        raise ServerError(
            f"{url[:80]} is no database that can be opened.",
            hint="Write it like sqlite:///progress.db, or `:memory:` to forget everything at the end.",
        ) from None
    return _with_keys(engine) if engine.dialect.name == "sqlite" else engine


def _with_keys(engine: Engine) -> Engine:
    """SQLite forgets the rows of a learner who is deleted only if it is told to, and lets others read while one
    writes only in its newer mode.
    """

    @event.listens_for(engine, "connect")
    def _prepared(connection: Any, _: Any) -> None:
        cursor = connection.cursor()
        for setting in ("foreign_keys=ON", "journal_mode=WAL", "synchronous=NORMAL", f"busy_timeout={WAIT * 1000}"):
            cursor.execute(f"PRAGMA {setting}")
        cursor.close()

    return engine
