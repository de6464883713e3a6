"""A file of answers: JSON, CSV, a filled worksheet in Markdown, or a spreadsheet.

Every kind is reduced to labels and texts. Whether a text is a number is decided later, so that one cell with words does
not lose the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from ...engine.errors import InputError, WorkingsError
from ...engine.files import read_user_file
from .collector import AnswerCollector, FileAnswers
from .csv_file import collect_csv
from .json_file import collect_json
from .markdown_file import collect_markdown
from .spelling import shown
from .text_file import decoded
from .xlsx_file import collect_xlsx

__all__ = ["FileAnswers", "read_answers"]

MAX_ANSWER_BYTES = 5_000_000


def _from_text(collect: Callable[[str, AnswerCollector], None]) -> Callable[[bytes, AnswerCollector], None]:
    return lambda content, answers: collect(decoded(content), answers)


KINDS: Mapping[str, Callable[[bytes, AnswerCollector], None]] = {
    ".json": _from_text(collect_json),
    ".csv": _from_text(collect_csv),
    ".tsv": _from_text(collect_csv),
    ".md": _from_text(collect_markdown),
    ".markdown": _from_text(collect_markdown),
    ".xlsx": collect_xlsx,
}


def read_answers(path: Path) -> FileAnswers:
    r"""The answers in a file; its ending says which kind it is.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "mine.csv"
    ...     _ = file.write_text("entry;answer\nscores[1, 0];0,0071\nloss;\n")
    ...     answers = read_answers(file)
    >>> dict(answers.texts), answers.places["loss"]
    ({'scores[1][0]': '0,0071', 'loss': ''}, 'line 3')
    """
    collect = KINDS.get(path.suffix.casefold())
    content = read_user_file(path, MAX_ANSWER_BYTES)
    if collect is None:
        raise InputError(
            f"Answers cannot be read from a file such as {shown(path.name)}.",
            hint=f"Save it as one of {', '.join(KINDS)}.",
        )
    answers = AnswerCollector()
    try:
        collect(content, answers)
        return answers.finished()
    except WorkingsError as error:
        error.where = ", ".join(filter(None, (shown(path.name), error.where)))
        raise
