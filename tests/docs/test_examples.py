"""Every example in the README and in docs/ runs and prints what it says."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import workings

ROOT = Path(workings.__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(language):
    return [
        pytest.param(match[2], id=f"{page.name}-{number}")
        for page in PAGES
        for number, match in enumerate(BLOCK.finditer(page.read_text(encoding="utf-8")), 1)
        if match[1] == language
    ]


@pytest.mark.parametrize("text", blocks("console"))
def test_commands_print_what_the_page_shows(text):
    command, _, expected = text.removeprefix("$ ").partition("\n")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = {**os.environ, "PATH": path, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(command, shell=True, capture_output=True, env=environment, check=False, cwd=ROOT)
    assert done.stderr.decode() == ""
    assert done.stdout.decode() == expected


@pytest.mark.parametrize("text", blocks("python"))
def test_python_examples_print_what_the_page_shows(text):
    test = doctest.DocTestParser().get_doctest(text, {}, "example", None, 0)
    assert test.examples
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    report = []
    runner.run(test, out=report.append)
    assert not runner.failures, "".join(report)


def test_the_readme_has_both_kinds_of_example():
    assert len(blocks("console")) >= 3
    assert blocks("python")
