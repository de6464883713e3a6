"""One HTML file with the front end of the lab and the answers that it needs: it works offline, and asks nobody.

Until the front end is there, and where scripts are off, the file shows the same document as plain HTML.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Sequence
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from string import Template

from ...document.blocks import Document
from ...engine.errors import InputError
from ...render.html import contents_and_main
from ...render.page.tags import markup
from .record import Answers

HERE = resources.files(__package__)
PAGE = resources.files("workings.render.page")
APP = resources.files("workings.lab") / "app"
SCRIPT, STYLE = "single.js", "single.css"  # what the front end is built into for such files
RARE_FONTS = {  # of KaTeX, with the commands that ask for them
    "Caligraphic": ("mathcal", "cal"),
    "Fraktur": ("mathfrak", "frak"),
    "SansSerif": ("mathsf", "textsf", "sf"),
    "Script": ("mathscr",),
    "Typewriter": ("mathtt", "texttt", "tt", "verb"),
}


def check_app() -> None:
    """Refuses before anything is computed if the front end is not there."""
    if not all((APP / name).is_file() for name in (SCRIPT, STYLE)):
        raise InputError(
            "The front end of the lab, which such a page contains, is not built.",
            hint="In the folder of the source, run `make run`: it builds it. Or choose another format, such "
            "as --format md.",
        )


def offline_page(document: Document, answers: Answers, view: str, drawings: Sequence[str] | None = None) -> str:
    """The file of a document, whose front end shows the `view` of the lab, such as #/lesson/example-1. Its figures may
    have been drawn before.
    """
    contents, main = contents_and_main(document, drawings)
    theme, record, app = _script(_text(PAGE, "theme.js")), _script(_text(HERE, "record.js")), _front_end()
    text = _in_order(answers)
    return Template(_text(HERE, "page.html")).substitute(
        title=markup(document.title),
        word_contents=markup("Contents"),
        hashes=" ".join(map(_hash, (theme, record, app))),
        style=_style(_with_fonts_for(text, _text(APP, STYLE))),
        frame=_style(_text(PAGE, "page.css")),
        theme=theme,
        contents=contents,
        main=main,
        view=markup(view),
        answers=_packed(text),
        record=record,
        app=_packed_front_end(),
    )


def packed(answers: Answers) -> str:
    """Answers in few letters, none of which means anything in HTML. The same answers are always the same letters.

    >>> gzip.decompress(base64.b64decode(packed({"/api/start": {"live": False}})))
    b'{"/api/start":{"live":false}}'
    """
    return _packed(_in_order(answers))


def _in_order(answers: Answers) -> str:
    similar = dict(sorted(answers.items(), key=lambda answer: _likeness(answer[0])))
    return json.dumps(similar, allow_nan=False, separators=(",", ":"))


def _likeness(request: str) -> tuple[str, str]:
    """What to sort requests by so that similar answers come together, which takes a fifth less room: gzip finds what
    repeats only if it repeats soon. The same entry in another run is nearly the same.

    >>> _likeness('/api/sheets {"seed":1}'), _likeness("/api/traces/0f/steps/9/cells/1,0")
    (('/api/sheets', ''), ('/api/traces/cells', 'steps/9/cells/1,0'))
    """
    path = re.split("[ ?]", request, maxsplit=1)[0]
    of_trace = re.fullmatch(r"/api/traces/\w+/((?:steps/[\d.]+/)?(\w+).*)", path)
    return (f"/api/traces/{of_trace[2]}", of_trace[1]) if of_trace else (path, "")


def _packed(text: str) -> str:
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


@cache
def _front_end() -> str:
    return _script(_text(APP, SCRIPT))


@cache
def _packed_front_end() -> str:
    return _packed(_front_end())


def _text(folder: Traversable, name: str) -> str:
    return (folder / name).read_text(encoding="utf-8")


def _script(text: str) -> str:
    r"""A script that can stand in a page of any encoding, and does not end its own tag.

    >>> _script("say('×</script>')")
    "say('\\u00d7\\x3c/script>')"
    """
    safe = re.sub(r"<(?=/script|!--)", r"\\x3c", text, flags=re.IGNORECASE)
    return re.sub(r"[^\x00-\x7f]", lambda found: _escaped(found[0]), safe)


def _escaped(sign: str) -> str:
    pairs = sign.encode("utf-16-be").hex()
    return "".join(f"\\u{pairs[n : n + 4]}" for n in range(0, len(pairs), 4))


def _with_fonts_for(text: str, style: str) -> str:
    r"""The style sheet without the fonts that no formula in the text asks for.

    >>> sheet = "@font-face{font-family:KaTeX_Script;src:x}@font-face{font-family:KaTeX_Main;src:y}"
    >>> _with_fonts_for(r"\mathscr{L}", sheet) == sheet, _with_fonts_for("L", sheet)
    (True, '@font-face{font-family:KaTeX_Main;src:y}')
    """
    if "\ud835" in text:  # letters that are in such a font without a command
        return style
    for font, commands in RARE_FONTS.items():
        if not re.search(rf"\\(?:{'|'.join(commands)})\b", text):
            style = re.sub(rf"@font-face\{{[^{{}}]*KaTeX_{font}\b[^{{}}]*\}}", "", style)
    return style


def _style(text: str) -> str:
    r"""The same for a style sheet.

    >>> _style('a::before { content: "→" }')
    'a::before { content: "\\2192 " }'
    """
    return re.sub(r"[^\x00-\x7f]", lambda found: f"\\{ord(found[0]):x} ", text)


def _hash(script: str) -> str:
    """By which the policy of the page knows a script that may run."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
