"""One thread for PyTorch, and commands that run in this process."""

import pytest
import torch

from workings.cli.main import main

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
