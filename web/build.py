"""Puts KaTeX into the package: one script, and one style sheet with its fonts inside, for pages that have no lab behind
them. And the licenses of what the front end of the lab is built from.

Run by the Makefile after the front end is built. The files are in no commit; the wheel contains them.
"""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

HOME = Path(__file__).parent
KATEX = HOME / "node_modules" / "katex"
PACKAGE = HOME.parent / "src" / "workings"
PAGE, APP = PACKAGE / "render" / "page", PACKAGE / "lab" / "app"
PARTS = {"svelte": "LICENSE.md", "katex": "LICENSE"}  # what is in the bundle, and where it says so
SOURCES = re.compile(r"src:url\((fonts/[\w-]+\.woff2)\)[^}]*")  # of a font, in several formats: one is enough


def main() -> None:
    license = license_of("katex")
    for source, target in (("katex.min.js", "katex.js"), ("katex.min.css", "katex.css")):
        text = SOURCES.sub(_inside, (KATEX / "dist" / source).read_text(encoding="utf-8")).strip()
        check(text, source)
        (PAGE / target).write_text(f"/* {license}\n*/\n{text}\n", encoding="utf-8")
    (APP / "LICENCES.txt").write_text("\n\n\n".join(map(license_of, PARTS)) + "\n", encoding="utf-8")


def license_of(name: str) -> str:
    """A package, its version and its license."""
    folder = HOME / "node_modules" / name
    version = json.loads((folder / "package.json").read_text(encoding="utf-8"))["version"]
    return f"{name} {version}\n\n{(folder / PARTS[name]).read_text(encoding='utf-8').strip()}"


def _inside(found: re.Match[str]) -> str:
    font = base64.b64encode((KATEX / "dist" / found[1]).read_bytes()).decode()
    return f'src:url(data:font/woff2;base64,{font}) format("woff2")'


def check(text: str, name: str) -> None:
    """It must be possible to put it between two tags, in a page of any encoding, and to read it without a network."""
    assert text.isascii(), f"{name} has signs that are not ASCII"
    assert not re.search(r"</(script|style)|<!--", text, re.IGNORECASE), f"{name} would end its tag"
    assert not re.search(r"url\((?!data:)", text), f"{name} loads something"


if __name__ == "__main__":
    main()
