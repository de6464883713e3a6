"""Where the result of a command goes, and in which format: the screen, a pager, or a file."""

from __future__ import annotations

import io
import json
import shutil
import sys
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

from ..document.blocks import Document
from ..engine.arguments import unknown_choice
from ..engine.errors import InputError
from ..engine.files import make_user_folder, write_user_file
from ..render.extra_files import ExtraFiles
from ..render.markdown import to_markdown
from ..render.terminal import show
from .pager import page_by_page
from .streams import print_note

FILE_WIDTH = 100  # columns of a terminal page that goes into a file
ENDINGS = {
    ".md": "md",
    ".html": "html",
    ".htm": "html",
    ".json": "json",
    ".pdf": "pdf",
    ".ipynb": "ipynb",
    ".tex": "tex",
}
# Formats that we do not write: a page of text under such a name could not be opened.
FOREIGN = (".doc", ".docx", ".epub", ".gif", ".jpg", ".npz", ".odt", ".png", ".pptx", ".rtf", ".svg", ".xlsx", ".yaml")
Data: TypeAlias = Callable[[], Any]  # makes the content of JSON
Offline: TypeAlias = Callable[[], str]  # makes an HTML page with the front end of the lab


def check_format(format: str, path: Path | None = None, offline: bool = False) -> str:
    """The format to write: the one that is named, or the one that the ending of the file implies. One that cannot be
    written is refused here, before anything is computed. An `offline` page needs the front end of the lab.
    """
    if format == "terminal" and path is not None:
        format = ENDINGS.get(path.suffix.lower(), format)
        if path.suffix.lower() in FOREIGN:
            raise InputError(
                f"There is no format for the ending of {path}.",
                hint=f"End it in one of {', '.join(ENDINGS)}. `workings figure` writes pictures.",
            )
    if format not in FORMATS:
        raise unknown_choice("--format", format, FORMATS)
    if format == "html":
        _check_html(offline)
    if format == "pdf":
        _check_pdf(path)
    return format


def _check_html(offline: bool) -> None:
    """Whether the parts of such a page have been built."""
    if offline:
        from ..lab.offline.single_file import check_app

        check_app()
    else:
        from ..render.page.shell import is_built

        if not is_built():
            raise InputError(
                "KaTeX, which sets the formulas of HTML pages, is missing.",
                hint="Run `make run` in the folder of the source: it puts KaTeX into the package. Or choose another "
                "format, such as --format md.",
            )


def _check_pdf(path: Path | None) -> None:
    """Whether a PDF can be made, and goes where it can be read."""
    if find_spec("typst") is None:
        raise InputError(
            "The package typst, which sets PDF, is not installed.",
            hint='Install it with pip install "workings[print]". Or choose another format, such as --format html.',
        )
    if path is None and sys.stdout.isatty():
        raise InputError("A terminal cannot show a PDF.", hint="Write it to a file: -o page.pdf.")


def extra_files(path: Path, format: str) -> ExtraFiles | None:
    """Where pictures and chapters go that belong to a file: into a folder beside it, such as lesson-files."""
    kinds = {"md": "svg", "tex": "pdf"}
    return ExtraFiles(f"{path.stem}-files", kinds[format]) if format in kinds else None


def write_with_files(document: Document, data: Data, format: str, path: Path) -> None:
    """A file, and those beside it, each written whole. The file that names the others comes last."""
    extra = extra_files(path, format)
    if extra is None:
        write_user_file(path, WRITERS[format](document, data, "utf-8"))
        return
    content = _markdown(document, data, "utf-8", extra) if format == "md" else _tex(document, data, "utf-8", extra)
    if extra.files:
        make_user_folder(path.parent / extra.folder)
    for name, file in extra.files.items():
        write_user_file(path.parent / extra.folder / name, file)
    write_user_file(path, content)


def give(document: Document, data: Data, format: str, path: Path | None, offline: Offline | None = None) -> None:
    """Show a document, or write it, in a format. JSON holds what `data` makes. HTML is the `offline` page, with the
    front end of the lab in it, where there is one.
    """
    writer = WRITERS[format]
    if format == "html" and offline is not None:
        writer = partial(_offline, offline)
    if path is not None and format in ("md", "tex"):
        write_with_files(document, data, format, path)
    elif path is not None:
        write_user_file(path, writer(document, data, "utf-8"))
    elif format != "terminal":
        sys.stdout.flush()
        sys.stdout.buffer.write(writer(document, data, sys.stdout.encoding or "ascii"))
    elif sys.stdout.isatty():
        _on_screen(document)
    else:
        show(document)
    sys.stdout.flush()


class _Screen(io.StringIO):
    """Text for the screen, with its colors."""

    encoding = property(lambda self: sys.stdout.encoding)

    def isatty(self) -> bool:
        return True


def _on_screen(document: Document) -> None:
    """A page that fits on the screen is printed; a longer one goes through the pager."""
    screen = _Screen()
    show(document, screen)
    text = screen.getvalue()
    if text.count("\n") < shutil.get_terminal_size().lines:
        sys.stdout.write(text)
    else:
        page_by_page(text)


def _json(document: Document, data: Data, encoding: str) -> bytes:
    ascii_only = not encoding.lower().startswith("utf")
    return (json.dumps(data(), allow_nan=False, ensure_ascii=ascii_only, indent=1) + "\n").encode(encoding)


def _html(document: Document, data: Data, encoding: str) -> bytes:
    from ..render.html import to_html  # loaded only for this format

    return to_html(document).encode(encoding, "xmlcharrefreplace")


def _offline(offline: Offline, document: Document, data: Data, encoding: str) -> bytes:
    return offline().encode(encoding, "xmlcharrefreplace")


def _markdown(document: Document, data: Data, encoding: str, extra: ExtraFiles | None = None) -> bytes:
    return to_markdown(document, encoding, extra).encode(encoding, "replace")


def _notebook(document: Document, data: Data, encoding: str) -> bytes:
    from ..render.notebook.notebook import to_notebook

    return to_notebook(document).encode()  # notebooks are always UTF-8


def _pdf(document: Document, data: Data, encoding: str) -> bytes:
    from ..render.typst.printing import TypesettingFault, to_pdf

    try:
        printed = to_pdf(document)
    except TypesettingFault as fault:
        raise InputError(
            f"The page could not be typeset, which is a fault of workings: {fault.message}.",
            hint=f"Report it with this place: {fault.place}. The other formats, such as --format html, still work.",
        ) from None
    if printed.remark:
        print_note(printed.remark)
    return printed.pdf


def _tex(document: Document, data: Data, encoding: str, extra: ExtraFiles | None = None) -> bytes:
    from ..render.tex.page import typeset

    page = typeset(document, extra)
    if page.remark:
        print_note(page.remark)
    return page.text.encode()


def page_text(document: Document) -> str:
    """The page of a terminal, as it goes into a file."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
    show(document, stream, width=FILE_WIDTH)
    stream.seek(0)
    return stream.read()


def _terminal(document: Document, data: Data, encoding: str) -> bytes:
    return page_text(document).encode()


# One for each format: from a document, the content of JSON, and the encoding of the target, to bytes.
WRITERS: dict[str, Callable[[Document, Data, str], bytes]] = {
    "terminal": _terminal,
    "md": _markdown,
    "html": _html,
    "json": _json,
    "pdf": _pdf,
    "ipynb": _notebook,
    "tex": _tex,
}
FORMATS = tuple(WRITERS)
