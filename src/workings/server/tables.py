"""What is kept about a learner: a hash of the random code, the lessons opened, and how answers were judged. No name, no
address, and no answer itself.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import DateTime, ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

NAME = 100  # characters of the name of a lesson, a label, a verdict
HASH = 64


class DatabaseTable(DeclarativeBase):
    """The base of all tables."""


class LearnerRow(DatabaseTable):
    __tablename__ = "learner"

    id: Mapped[int] = mapped_column(primary_key=True)
    code: Mapped[str] = mapped_column(String(HASH), unique=True)  # its SHA-256: the code itself is known to nobody else
    since: Mapped[datetime] = mapped_column(DateTime)
    seen: Mapped[datetime] = mapped_column(DateTime, index=True)


class OpenedRow(DatabaseTable):
    __tablename__ = "opened"
    __table_args__ = (UniqueConstraint("learner", "lesson"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    learner: Mapped[int] = mapped_column(ForeignKey("learner.id", ondelete="CASCADE"))
    lesson: Mapped[str] = mapped_column(String(NAME))
    when: Mapped[datetime] = mapped_column(DateTime)


class AttemptRow(DatabaseTable):
    __tablename__ = "attempt"
    __table_args__ = (Index("attempt_of", "learner", "sheet", "label"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    learner: Mapped[int] = mapped_column(ForeignKey("learner.id", ondelete="CASCADE"))
    source: Mapped[str] = mapped_column(String(NAME))
    sheet: Mapped[str] = mapped_column(String(NAME))
    label: Mapped[str] = mapped_column(String(NAME))
    verdict: Mapped[str] = mapped_column(String(NAME))
    right: Mapped[bool]
    mistake: Mapped[str] = mapped_column(String(NAME))
    when: Mapped[datetime] = mapped_column(DateTime)
