"""One thread for PyTorch, commands that run in this process, and the browser of the system."""

import gc
import os
import shutil

os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX2")  # virtual machines name instructions that they do not have

import pytest
import torch
from playwright.sync_api import sync_playwright

from workings.cli.main import main

# Lessons and traces that tests share are millions of objects; looking through them for garbage again and again would
# take a twentieth of the time.
gc.set_threshold(200_000, 20, 100)
torch.set_num_threads(1)  # the arrays here are tiny, and several test processes share the machine


# -- commands --------------------------------------------------------------------------------------


@pytest.fixture
def run(capsys):
    """Run a command in this process: its code, what it printed, and what it said on standard error."""

    def command(*words):
        code = main([str(word) for word in words])
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        return code, printed.out, printed.err

    return command


@pytest.fixture
def works(run):
    def command(*words):
        code, out, err = run(*words)
        assert (code, err) == (0, "")
        return out

    return command


@pytest.fixture
def fails(run):
    """Run a command that must be refused in a sentence, with what to try."""

    def command(*words):
        code, out, err = run(*words)
        assert (code, out) == (2, "")
        assert "\n  try:   " in err
        assert "Something went wrong" not in err
        return err

    return command


# -- the browser -----------------------------------------------------------------------------------

# The headless shell draws no window around a page, which would take as long as the page.
CHROMIUM_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
# Without what a page of the lab does not need: every process and every drawn frame takes time from the tests.
CHROMIUM_OPTIONS = [
    "--no-sandbox", "--disable-gpu", "--disable-software-rasterizer", "--disable-extensions",
    "--renderer-process-limit=1", "--disable-features=site-per-process,Translate,MediaRouter",
]  # fmt: skip


@pytest.fixture(scope="session")
def browser():
    found = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if found is None:
        pytest.fail("There is no Chromium: `make test` installs it where it may, and says what to do where it may not.")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=CHROMIUM_OPTIONS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def lab():
    """The address of a lab. All tests of a process use it, so that a lesson is computed once."""
    from lab_server import running_lab  # only those who ask for one need a server

    with running_lab() as url:
        yield url
