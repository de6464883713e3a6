"""CONTRIBUTING says that an op is one file and nothing else: put its example into a copy of the package, and see."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import workings

ROOT = Path(workings.__file__).parents[2]


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The project with one more page."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("src", "tests", "pyproject.toml"):
        source = ROOT / name
        ignore = shutil.ignore_patterns("__pycache__")
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=ignore, symlinks=True)
        else:
            shutil.copy(source, folder / name)
    page = re.search(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.DOTALL)[1]
    (folder / "src/workings/ops/square.py").write_text(page, encoding="utf-8")
    return folder


def run(copy, *command):
    environment = {**os.environ, "PYTHONPATH": str(copy / "src"), "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [sys.executable, *command], cwd=copy, env=environment, capture_output=True, text=True, check=False
    )


def test_the_new_page_stands_every_check(copy):
    tests = ("tests/ops/test_pages.py", "tests/formula/test_katex.py")
    done = run(copy, "-m", "pytest", *tests, "-k", "square or katex", "-o", "verbosity_subtests=1")
    assert done.returncode == 0, done.stdout
    checks = int(re.search(r"(\d+) subtests passed", done.stdout)[1])
    assert checks >= 12


def test_the_new_page_is_shown_by_the_command_line(copy):
    command = "import sys; from workings.cli.main import main; sys.exit(main(['op', 'square', '--x', '3 -2']))"
    done = run(copy, "-c", command)
    assert "y[0] = x[0] × x[0] = 3 × 3 = 9" in done.stdout
    assert "You doubled the number" in done.stdout


def test_the_new_page_is_well_typed_and_tidy(copy):
    done = run(copy, "-m", "ruff", "check", "src/workings/ops/square.py")
    assert done.returncode == 0, done.stdout
    done = run(copy, "-m", "ruff", "format", "--check", "src/workings/ops/square.py")
    assert done.returncode == 0, done.stdout
