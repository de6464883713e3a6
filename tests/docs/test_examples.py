"""Every example in the README and in docs/ runs and prints what it says.

A console block has one or more commands, each with its output below it. A page may also show files: the first
line of a YAML block is a comment with the name of the file. What stands below it on the page, commands and Python,
runs in a folder that has this file. The commands of the README run as a reader runs them; on the other pages `workings`
runs in this process, because starting it takes longer than most commands do, and a shell does the rest.
"""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import workings

ROOT = Path(workings.__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"# ([\w-]+\.yaml)\n")
JOINED = " 2>&1"  # standard error goes where the output goes


class Example(NamedTuple):
    """What is run, in a folder with these files."""

    text: str
    files: dict[str, str]


def examples_of(page, language):
    """The blocks of a page in one language, with their numbers, each with the files that stand above it."""
    files = {}
    for number, (kind, text) in enumerate(BLOCK.findall(page), 1):
        if named := NAMED.match(text) if kind == "yaml" else None:
            assert named[1] not in files, f"two files on one page have the name {named[1]}"
            files[named[1]] = text
        if kind == language:
            yield number, Example(text, dict(files))


def blocks(language):
    return [
        pytest.param(example, id=f"{page.relative_to(ROOT)}-{number}")
        for page in PAGES
        for number, example in examples_of(page.read_text(encoding="utf-8"), language)
    ]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where an example runs: its files are written there."""
    monkeypatch.chdir(tmp_path)

    def write(files):
        for name, text in files.items():
            (tmp_path / name).write_text(text, encoding="utf-8")

    return write


@pytest.mark.parametrize("example", blocks("console"))
def test_commands_print_what_the_page_shows(example, folder, run, request):
    folder(example.files)
    commands = commands_of(example.text)
    assert commands
    is_readme = request.node.callspec.id.startswith("README.md")
    for command, expected in commands:
        out, err = in_a_shell(command) if is_readme else in_this_process(command, run)
        assert err == ""
        assert out == expected


@pytest.mark.parametrize("example", blocks("python"))
def test_python_examples_print_what_the_page_shows(example, folder):
    folder(example.files)
    test = doctest.DocTestParser().get_doctest(example.text, {}, "example", None, 0)
    assert test.examples
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    report = []
    runner.run(test, out=report.append)
    assert not runner.failures, "".join(report)


def commands_of(text):
    """The commands of a block, each with what it should print; text above the first is refused."""
    above, *parts = re.split(r"^\$ ", text, flags=re.MULTILINE)
    assert not above, f"no command stands above: {above}"
    return [(command, output) for command, _, output in (part.partition("\n") for part in parts)]


def in_this_process(command, run):
    """The same as `in_a_shell`, with `workings`, where the command begins with it, in this process."""
    first, pipe, rest = before_pipe(command)
    words = shlex.shlex(first.removesuffix(JOINED), posix=True, punctuation_chars=True)
    words.whitespace_split = True
    name, *words = words
    if name != "workings" or any(set(word) <= set("();<>|&") for word in words):
        return in_a_shell(command)
    _, out, err = run(*words)
    if first.endswith(JOINED):
        out, err = err + out, ""
    return in_a_shell(rest, out) if pipe else (out, err)


def before_pipe(command):
    """A command up to its first pipe, the pipe, and the rest."""
    quoted = ""
    for place, sign in enumerate(command):
        if sign in "'\"" and quoted in ("", sign):
            quoted = "" if quoted else sign
        elif sign == "|" and not quoted:
            return command[:place].strip(), sign, command[place + 1 :]
    return command, "", ""


def in_a_shell(command, given=""):
    """What a command prints, and what it says on standard error."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = {**os.environ, "PATH": path, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(command, shell=True, input=given.encode(), capture_output=True, env=environment, check=False)
    return done.stdout.decode(), done.stderr.decode()


def test_the_readme_has_both_kinds_of_example():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(list(examples_of(readme, "console"))) >= 3
    assert list(examples_of(readme, "python"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_that_a_page_shows_is_run_below_it(page):
    text = page.read_text(encoding="utf-8")
    shown = [example.text for _, example in examples_of(text, "yaml")]
    unnamed = [block for block in shown if not NAMED.match(block)]
    assert not unnamed, f"{page.name} shows YAML without the name of a file: {unnamed[0]}"
    run_below = {
        name
        for language in ("console", "python")
        for _, example in examples_of(text, language)
        for name in example.files
        if name in example.text
    }
    assert {NAMED.match(block)[1] for block in shown} <= run_below


def test_every_command_of_a_block_is_found():
    assert commands_of("$ a\n1\n2\n$ b | c\n") == [("a", "1\n2\n"), ("b | c", "")]
    with pytest.raises(AssertionError, match="no command"):
        commands_of("1\n$ a\n")


def test_a_file_is_there_for_the_examples_below_it_and_not_above():
    page = "```console\n$ one\n```\n\n```yaml\n# a.yaml\nscenario: 1\n```\n\n```console\n$ two\n```\n"
    above, below = (example for _, example in examples_of(page, "console"))
    assert above.files == {}
    assert below == Example("$ two\n", {"a.yaml": "# a.yaml\nscenario: 1\n"})


def test_a_command_reads_the_file_that_the_page_shows(folder):
    folder({"a.yaml": "scenario: 1\ngiven: {x: -1 2}\ncalculate: [y = relu(x)]\n"})
    assert "[ 0  2 ]" in in_a_shell("workings trace a.yaml --step y")[0]
    assert "There is no file b.yaml" in in_a_shell("workings trace b.yaml")[1]
