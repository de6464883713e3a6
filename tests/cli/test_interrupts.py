"""Ctrl-C at any moment: status 130, nothing on standard error, nothing left running."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from on_terminal import seen
from started import is_running, started

from workings.loading import INTERRUPTED

WORKINGS = Path(sys.executable).parent / "workings"
COMMANDS = {"script": [WORKINGS], "module": [sys.executable, "-m", "workings"]}
PIPES = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ["dataclasses", "numpy", "typer", "yaml", "rich"])
def test_interrupt_while_loading_ends_quietly(tmp_path, command, name):
    """The module, which presses Ctrl-C when it is imported, takes the place of one that the command needs."""
    (tmp_path / f"{name}.py").write_text("import os, signal, time; os.kill(os.getpid(), signal.SIGINT); time.sleep(30)")
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"}
    with started(*COMMANDS[command], "trace", "example-1", env=environment, **PIPES) as process:
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (INTERRUPTED, b"", b"")


LATER = """
import os, signal, sys
sys.argv = ["workings", {words}]
from workings.cli.main import run
from workings.{module} import {owner} as owner
def pressed(*_, **__):
    exec("os.kill(os.getpid(), signal.SIGINT)")
    exec("import time; time.sleep(30)")
owner.{name} = pressed
run()
"""
MOMENTS = {
    "computing": ("'trace', 'example-1'", "scenarios.scenario", "Scenario", "trace"),
    "printing": ("'trace', 'example-1'", "cli", "output", "show"),
    "writing": ("'trace', 'example-1', '-o', 'page.md'", "engine", "files", "_write_to_disk"),
    "reading": ("'trace', 'mine.yaml'", "engine", "files", "_check_status"),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_interrupt_of_a_running_command_ends_quietly(tmp_path, moment):
    """Also inside of code from a string, after which Python would end itself by the signal."""
    (tmp_path / "mine.yaml").write_text("scenario: 1\n")
    words, module, owner, name = MOMENTS[moment]
    program = LATER.format(words=words, module=module, owner=owner, name=name)
    with started(sys.executable, "-c", program, cwd=tmp_path, **PIPES) as process:
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (INTERRUPTED, b"", b"")
    assert os.listdir(tmp_path) == ["mine.yaml"]


def test_importing_the_package_leaves_the_handler_of_another_program_alone():
    program = "import signal; import workings; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    with started(sys.executable, "-c", program, **PIPES) as process:
        assert process.communicate(timeout=60) == (b"True\n", b"")


def test_interrupt_that_is_ignored_stays_ignored():
    """As in the background of a script, whose Ctrl-C is not meant for it."""
    program = (
        "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])"
    )
    words = [sys.executable, "-c", program, WORKINGS, "quiz", "example-1", "--seed", "0"]
    with started(*words, **{**PIPES, "stdin": subprocess.PIPE}) as process:
        while b"Type a number" not in process.stdout.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(b"q\n", timeout=60)
    assert (process.returncode, err) == (0, b"")
    assert b"You stopped after 0 of" in out


def test_pager_does_not_outlive_the_command(tmp_path):
    """When writing to it fails, the pager is ended: without the command it would keep the terminal."""
    pager = tmp_path / "pager"
    pager.write_text('#!/bin/sh\ntrap "" INT TERM\nwhile :; do sleep 0.1; done\n')
    pager.chmod(0o755)
    program = f"""
import subprocess
from workings.cli import pager
def failing(self, text):
    raise MemoryError
subprocess.Popen.communicate = failing
try:
    pager._show([{str(pager)!r}], "text")
except MemoryError:
    print("failed")
"""
    with started(sys.executable, "-c", program, **PIPES) as process:
        out, err = process.communicate(timeout=60)
        assert out.endswith(b"failed\n")
        assert err == b""
        assert not is_running(process.pid)


def test_pager_that_handles_the_interrupt_goes_on(tmp_path):
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\ntrap 'echo again' INT\necho ready\nread line < /dev/tty\nread line < /dev/tty\n")
    pager.chmod(0o755)
    code, shown = seen("trace", "example-3", PAGER=str(pager), keys=b"\x03one\ntwo\n", after=b"ready")
    assert code == 0
    assert "Traceback" not in shown


def test_interrupt_before_the_browser_opens_cancels_it():
    program = """
import time, webbrowser
from workings.cli import serve
webbrowser.open = lambda url: print("opened", url)
with serve._browser("http://127.0.0.1/"):
    pass
time.sleep(2 * serve.BROWSER_DELAY)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_signals_of_the_helper_arrive_whatever_the_tests_inherit():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as in the background of a shell
    try:
        with started(sys.executable, "-c", "import time; print(1, flush=True); time.sleep(30)", **PIPES) as process:
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=20) == -signal.SIGINT
    finally:
        signal.signal(signal.SIGINT, before)
