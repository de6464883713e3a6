"""A file of answers: JSON, CSV, a filled worksheet in Markdown, or a spreadsheet.

Whatever the kind, it comes down to entries and what was written for them. Whether that is a number is asked later, so
that one cell with words does not lose the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from ...engine.errors import InputError, WorkingsError
from .collected import Answers, Collected
from .csv_file import collect_csv
from .json_file import collect_json
from .markdown_file import collect_markdown
from .spelling import shown
from .text_file import decoded
from .xlsx_file import collect_xlsx

__all__ = ["Answers", "content_of", "read_answers"]

LARGEST = 5_000_000  # bytes


def _from_text(collect: Callable[[str, Collected], None]) -> Callable[[bytes, Collected], None]:
    return lambda content, answers: collect(decoded(content), answers)


KINDS: Mapping[str, Callable[[bytes, Collected], None]] = {
    ".json": _from_text(collect_json),
    ".csv": _from_text(collect_csv),
    ".tsv": _from_text(collect_csv),
    ".md": _from_text(collect_markdown),
    ".markdown": _from_text(collect_markdown),
    ".xlsx": collect_xlsx,
}


def read_answers(path: Path) -> Answers:
    r"""The answers in a file; its ending says of which kind it is.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "mine.csv"
    ...     _ = file.write_text("entry;answer\nscores[1, 0];0,0071\nloss;\n")
    ...     answers = read_answers(file)
    >>> dict(answers.written), answers.places["loss"]
    ({'scores[1][0]': '0,0071', 'loss': ''}, 'line 3')
    """
    collect = KINDS.get(path.suffix.casefold())
    content = content_of(path, known=collect is not None)
    if collect is None:
        raise InputError("answers.file.ending", path=shown(path.name), endings=", ".join(KINDS))
    answers = Collected()
    try:
        collect(content, answers)
        return answers.finished()
    except WorkingsError as error:
        error.where = ", ".join(filter(None, (shown(path.name), error.where)))
        raise


def content_of(path: Path, known: bool = True) -> bytes:
    """The bytes of a file; one that is too large is refused before it is read. Of a kind that is not known it is only
    asked whether it is a file at all.

    >>> content_of(Path("nowhere.csv"))
    Traceback (most recent call last):
        ...
    workings.engine.errors.InputError: There is no file nowhere.csv.
    ...
    """
    try:
        if path.is_dir():
            raise InputError("answers.file.folder", path=shown(str(path)), endings=", ".join(KINDS))
        if not path.exists():
            folder = shown(str(path.parent.resolve()))
            raise InputError("answers.file.missing", path=shown(path.name), folder=folder)
        if not path.is_file():
            raise InputError("answers.file.device", path=shown(str(path)))
        size = path.stat().st_size
        if size > LARGEST:
            raise InputError(
                "answers.file.large", path=shown(path.name), size=_megabytes(size), most=_megabytes(LARGEST)
            )
        if not known:
            return b""
        with path.open("rb") as file:
            return file.read(LARGEST)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError("answers.file.read", path=shown(str(path)), reason=reason) from None


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.0f} MB"
