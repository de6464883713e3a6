"""Type checkers accept programs that use the installed wheel: those of the README and docs, and one of our own."""

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from wheels import ROOT, install, needed

SAMPLE = Path(__file__).with_name("sample_program.py")
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
SECONDS = 600
CLEAN = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "MYPYPATH", "VIRTUAL_ENV")}


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    folder = tmp_path_factory.mktemp("environment")
    install(wheel, folder, {*needed("workings"), "torch"})  # programs in the docs read tensors of PyTorch
    return folder


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """The sample and every Python block as files, without what they print."""
    folder = tmp_path_factory.mktemp("programs")
    shutil.copy(SAMPLE, folder)
    for page in PAGES:
        for number, block in enumerate(PYTHON.findall(page.read_text(encoding="utf-8")), 1):
            source = "".join(example.source for example in doctest.DocTestParser().get_examples(block))
            (folder / f"{page.stem.replace('-', '_')}_{number}.py").write_text(source, encoding="utf-8")
    assert (folder / "README_1.py").exists()
    assert len(list(folder.glob("*.py"))) > 20
    return folder


def checked(folder, *command):
    """The errors that a type checker finds in the programs of a folder."""
    environment = {**CLEAN, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    errors = [line for line in done.stdout.splitlines() if " error: " in line]
    assert bool(errors) == bool(done.returncode), done.stdout + done.stderr
    return errors


def pyright(environment, folder):
    return checked(folder, "pyright", "--pythonpath", str(environment / "bin/python"), ".")


def mypy(environment, folder):
    files = sorted(path.name for path in folder.glob("*.py"))
    options = ("--strict", "--python-executable", str(environment / "bin/python"), "--cache-dir", "cache")
    return checked(folder, "mypy", *options, "--scripts-are-modules", *files)


def test_sample_program_runs(environment, tmp_path):
    command = [environment / "bin/python", SAMPLE]
    own = {**CLEAN, "WORKINGS_CACHE": str(tmp_path)}
    done = subprocess.run(command, env=own, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    assert "softmax.wrong_axis" in done.stdout


def test_pyright_accepts_the_programs(environment, programs):
    assert pyright(environment, programs) == []


@pytest.mark.slow
def test_mypy_accepts_the_programs(environment, programs):
    assert mypy(environment, programs) == []


WRONG = """
import workings as w
x = w.given([[1.0, 2.0]], "query key")
w.ops.softmax(x, axes="key")
w.ops.softmax(x, axis=1.5)
w.ops.softmax([[1.0, 2.0]])
w.ops.matmul(x)
w.ops.cross_entropy(x, x, reduction="median")
w.ops.exp(x).softmax()
x[1.5]
"""


@pytest.mark.parametrize("checker", [pyright, pytest.param(mypy, marks=pytest.mark.slow)])
def test_every_wrong_call_is_noticed(checker, environment, tmp_path):
    (tmp_path / "wrong.py").write_text(WRONG, encoding="utf-8")
    lines = {int(re.search(r"wrong\.py:(\d+)", error)[1]) for error in checker(environment, tmp_path)}
    assert lines == {4, 5, 6, 7, 8, 9, 10}
