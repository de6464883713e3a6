"""A learner's progress: under a random code, kept for a year after the last visit, exported or deleted at any time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import and_, delete, func, or_, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from ..lab.answers.trace import Learner, LessonProgress, Marked, MistakeCount
from ..practice.mistakes import mistake_hint
from .codes import hashed, new_code
from .database import Database
from .errors import ServerError
from .limits import ServerLimits
from .tables import NAME, AttemptRow, LearnerRow, OpenedRow

KEPT = timedelta(days=365)  # after the last visit
EMPTY = timedelta(days=1)  # after which one is forgotten who did nothing
VISIT = timedelta(hours=12)  # after which a request counts as another visit


def _now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)


class ProgressStore:
    """
    >>> progress = ProgressStore(Database(":memory:"))
    >>> code = progress.begin().code
    >>> progress.open_lesson(code, "example-1")
    >>> progress.of(code).lessons
    (LessonProgress(name='example-1', opened=True, answers=0, right=0),)
    """

    def __init__(
        self, database: Database, limits: ServerLimits | None = None, now: Callable[[], datetime] = _now
    ) -> None:
        self.database = database
        self.most = (limits or ServerLimits()).attempts
        self.now = now

    def begin(self) -> Learner:
        """A new learner."""
        code, now = new_code(), self.now()
        with self.database.session() as session:
            session.add(LearnerRow(code=hashed(code), since=now, seen=now))
        return self.of(code)

    def of(self, code: str) -> Learner:
        """What a learner has done so far."""
        with self.database.session() as session:
            row = self._row(session, code)
            opened = session.scalars(select(OpenedRow).where(OpenedRow.learner == row.id).order_by(OpenedRow.id)).all()
            attempts = _attempts(session, row)
            return Learner(
                code, _day(row.since), _day(row.seen + KEPT), _lessons(opened, attempts), _mistakes(attempts)
            )

    def open_lesson(self, code: str, lesson: str) -> None:
        with self.database.session() as session:
            row = self._row(session, code)
            known = select(OpenedRow).where(OpenedRow.learner == row.id, OpenedRow.lesson == lesson)
            if session.scalar(known) is None:
                with suppress(IntegrityError), session.begin_nested():  # another tab was faster
                    session.add(OpenedRow(learner=row.id, lesson=lesson, when=self.now()))

    def note(self, code: str, source: str, sheet: str, marks: Iterable[Marked]) -> None:
        """Keep how answers were judged. One that is judged as it was the last time is no new attempt."""
        with self.database.session() as session:
            row = self._row(session, code)
            last = {attempt.label: attempt for attempt in _attempts(session, row, sheet)}
            for mark in marks:
                before = last.get(mark.label[:NAME])
                if before is None or (before.verdict, before.mistake) != (mark.verdict, mark.mistake):
                    session.add(_attempt(row, source, sheet, mark, self.now()))
            self._forget_oldest(session, row)

    def export(self, code: str) -> dict[str, Any]:
        """Everything that is kept about a learner."""
        with self.database.session() as session:
            row = self._row(session, code)
            opened = session.scalars(select(OpenedRow).where(OpenedRow.learner == row.id).order_by(OpenedRow.id))
            return {
                "code": code,
                "since": row.since.isoformat(),
                "seen": row.seen.isoformat(),
                "kept_until": _day(row.seen + KEPT),
                "opened": [_plain(one, "lesson", "when") for one in opened],
                "attempts": [
                    _plain(one, "source", "sheet", "label", "verdict", "right", "mistake", "when")
                    for one in _attempts(session, row)
                ],
            }

    def delete(self, code: str) -> None:
        """Forget a learner, at once and whole."""
        with self.database.session() as session:
            session.delete(self._row(session, code))

    def forget_expired(self) -> int:
        """Remove those who have not come for as long as things are kept, and those who never did anything; how many."""
        with self.database.session() as session:
            empty = and_(
                LearnerRow.seen < self.now() - EMPTY,
                LearnerRow.id.not_in(select(OpenedRow.learner)),
                LearnerRow.id.not_in(select(AttemptRow.learner)),
            )
            gone = session.scalars(select(LearnerRow).where(or_(LearnerRow.seen < self.now() - KEPT, empty))).all()
            for row in gone:
                session.delete(row)
            return len(gone)

    def _row(self, session: Session, code: str) -> LearnerRow:
        row = session.scalar(select(LearnerRow).where(LearnerRow.code == hashed(code)))
        now = self.now()
        if row is None or row.seen < now - KEPT:
            raise ServerError(
                "There is no learner with this code.",
                hint="Check the code, or start again: progress is kept for a year after the last visit.",
                key="server.learner",
                status=404,
            )
        if now - row.seen > VISIT:
            row.seen = now
        return row

    def _forget_oldest(self, session: Session, row: LearnerRow) -> None:
        session.flush()
        count = session.scalar(select(func.count()).where(AttemptRow.learner == row.id)) or 0
        if count > self.most:
            oldest = select(AttemptRow.id).where(AttemptRow.learner == row.id).order_by(AttemptRow.id)
            session.execute(delete(AttemptRow).where(AttemptRow.id.in_(oldest.limit(count - self.most))))


def _attempts(session: Session, row: LearnerRow, sheet: str = "") -> Sequence[AttemptRow]:
    """All attempts of a learner, or those on one sheet, the oldest first."""
    wanted = select(AttemptRow).where(AttemptRow.learner == row.id).order_by(AttemptRow.id)
    return session.scalars(wanted.where(AttemptRow.sheet == sheet[:NAME]) if sheet else wanted).all()


def _attempt(row: LearnerRow, source: str, sheet: str, mark: Marked, when: datetime) -> AttemptRow:
    return AttemptRow(
        learner=row.id,
        source=source[:NAME],
        sheet=sheet[:NAME],
        label=mark.label[:NAME],
        verdict=mark.verdict[:NAME],
        right=mark.right,
        mistake=mark.mistake[:NAME],
        when=when,
    )


def _lessons(opened: Iterable[OpenedRow], attempts: Iterable[AttemptRow]) -> tuple[LessonProgress, ...]:
    """A blank counts once, as it was judged last."""
    seen = {row.lesson: True for row in opened}
    last = {(one.source, one.sheet, one.label): one.right for one in attempts}
    names = dict.fromkeys([*seen, *(source for source, _, _ in last)])
    judged: dict[str, list[bool]] = {name: [] for name in names}
    for (source, _, _), right in last.items():
        judged[source].append(right)
    return tuple(LessonProgress(name, name in seen, len(judged[name]), sum(judged[name])) for name in names)


def _mistakes(attempts: Iterable[AttemptRow]) -> tuple[MistakeCount, ...]:
    """The commonest first."""
    found: dict[str, list[AttemptRow]] = {}
    for one in attempts:
        if one.mistake:
            found.setdefault(one.mistake, []).append(one)
    counted = sorted(found.items(), key=lambda item: -len(item[1]))
    return tuple(
        MistakeCount(name, mistake_hint(name) or name, rows[-1].source, len(rows), _day(rows[-1].when))
        for name, rows in counted
    )


def _day(when: datetime) -> str:
    return when.date().isoformat()


def _plain(row: Any, *names: str) -> dict[str, Any]:
    values = {name: getattr(row, name) for name in names}
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in values.items()}
