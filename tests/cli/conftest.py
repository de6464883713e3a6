"""Commands run in this process: what they print, what they say on standard error, and the code they end with."""

import pytest

from workings.cli.main import main


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
