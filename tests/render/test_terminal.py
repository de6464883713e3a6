"""Documents in a terminal: nothing too wide, nothing lost, color only where it can be seen."""

import re
import subprocess
import sys
from functools import lru_cache

import pytest
from loops import slow_if
from rich.cells import cell_len
from scenario_pages import RUNS, scenario_pages
from small_traces import SMALL_TRACES
from streams import Pipe, Terminal, shown

import workings as w
from workings.cli.op import op_call, op_list
from workings.document.blocks import Derivation, Document, Matrix
from workings.engine.op import OPS
from workings.explain.op_page import op_document, run_op
from workings.render.terminal import show

WIDTHS = (80, 40, 120)
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]\d+)?(?!\w)")


@lru_cache
def documents():
    found = {name: make("float64").document(name) for name, make in SMALL_TRACES.items()} | scenario_pages()
    found["calculator"] = SMALL_TRACES["attention-backward"]("calculator 4 significant").document("calculator")
    found["ops"] = op_list()
    for name in OPS:
        call = op_call(name, [])
        found[f"op {name}"] = op_document(run_op(call.op, call.inputs, call.settings, call.cotangent))
    return found


NAMES = [*SMALL_TRACES, *RUNS, "calculator", "ops", *(f"op {name}" for name in sorted(OPS))]


# -- every document ----------------------------------------------------------------------------


@pytest.mark.parametrize("width", slow_if([120, 40], WIDTHS))
def test_no_line_is_wider_than_the_terminal(width):
    for name in NAMES:
        for encoding in ("utf-8", "ascii"):
            for line in shown(documents()[name], width, encoding).splitlines():
                assert cell_len(line) <= width, f"{name}: {line}"


def test_piped_output_has_no_escape_codes_and_no_trailing_spaces():
    for name in NAMES:
        text = shown(documents()[name])
        assert "\x1b" not in text
        assert all(line == line.rstrip() for line in text.splitlines())
        assert text.endswith("\n")
        assert not text.endswith("\n\n")
        assert "\n\n\n" not in text


def test_the_fallback_is_pure_ascii_and_loses_no_number():
    for name in NAMES:
        document = documents()[name]
        assert shown(document, encoding="ascii").count("?") == shown(document).count("?")  # it replaces no other sign
        assert shown(document, encoding="ascii").isascii()
        # Without formulas and words: ASCII has no small 2, so that a square has one digit more.
        page = Document(name, tuple(block for block in document.blocks if isinstance(block, Matrix | Derivation)))
        plain, fallback = shown(page).replace("−", "-"), shown(page, encoding="ascii").replace("sqrt(", "(")
        assert sorted(NUMBER.findall(plain)) == sorted(NUMBER.findall(fallback))


@pytest.mark.parametrize("width", WIDTHS)
def test_no_width_loses_a_number(width):
    for name in ("attention-training", "block", "trained", "cat-sleeps", "op cross_entropy", "op attention"):
        expected = sorted(numbers_of(documents()[name]))
        text = shown(documents()[name], width)
        for number in set(expected):
            assert len(re.findall(rf"(?<![\d.]){re.escape(number)}(?![\d.]*\d)", text)) >= 1, number
    assert expected


def numbers_of(document):
    for block in document.blocks:
        if isinstance(block, Matrix):
            yield from (number.text for part in block.slices for row in part.rows for number in row)
        if isinstance(block, Derivation):
            yield from (line.value.text for line in block.lines)


# -- color ------------------------------------------------------------------------------------


def test_a_terminal_gets_color_and_the_same_words(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name in ("attention-backward", "op softmax"):
        stream = Terminal()
        show(documents()[name], stream, 80)
        text = stream.getvalue()
        assert re.search(r"\x1b\[36m(scores|x)\b", text)  # names are cyan
        assert "\x1b[1m" in text  # results are bold
        if name == "op softmax":
            assert "\x1b[33m" in text  # mistakes are yellow
        bare = re.sub(r"\x1b\[[0-9;]*m", "", text)
        assert [line.rstrip() for line in bare.splitlines()] == shown(documents()[name]).splitlines()


def test_no_color_is_respected(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", "1")
    stream = Terminal()
    show(documents()["op softmax"], stream, 80)
    assert not re.search(r"\x1b\[(3|4)\dm", stream.getvalue())


def test_a_terminal_decides_the_width(monkeypatch):
    for columns, limit in (("50", 50), ("100", 100), ("300", 120)):
        monkeypatch.setenv("COLUMNS", columns)
        stream = Terminal()
        show(documents()["attention-forward"], stream)
        bare = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())
        assert max(len(line) for line in bare.splitlines()) <= limit
    monkeypatch.setenv("COLUMNS", "50")
    pipe = Pipe()
    show(documents()["attention-forward"], pipe)
    assert pipe.getvalue() == shown(documents()["attention-forward"], 80)


# -- consoles without the signs of formulas ----------------------------------------------------


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "cp437", "latin-1"])
def test_a_console_of_another_encoding_can_read_a_page(encoding):
    program = "import workings as w; w.show(w.scenario('example-3').trace('twin'), 'Aufwärts')"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        check=True,
        env={"PYTHONIOENCODING": encoding, "PATH": "", "PYTHONPATH": ":".join(sys.path)},
    )
    text = done.stdout.decode(encoding)
    lines = text.splitlines()
    assert lines[0] == ("Aufwarts" if encoding == "ascii" else "Aufwärts")
    assert "\n".join(lines[1:]).isascii()
    assert "  scores[1][0] = Q[1] . K[0] = 0.31*0.38 + 0.14*0.82 = 0.2326" in lines
    assert "    scaled_ij = scores_ij / sqrt(2)" in lines
    assert "    weights_ij = e^(scaled_ij) / sum_k e^(scaled_ik)" in lines
    assert done.stderr == b""


def test_names_that_a_console_cannot_print_are_spelled_out():
    with w.Trace() as trace:
        x = w.given([[1.0, 2.5]], "query key", name="Größe")
        w.ops.softmax(x, name="α")
    document = trace.document("β → 日")
    text = shown(document, encoding="ascii")
    assert text.splitlines()[0] == "beta -> ?"
    assert "alpha = softmax(Gro?e)" in text
    assert "alpha[0][1] = e1 / total" in text
    assert "α = softmax(Größe)" in shown(document)
    assert "alpha = softmax(Größe)" in shown(document, encoding="cp1252")


def test_a_sum_keeps_its_spaces_in_ascii():
    with w.Trace() as trace:
        w.ops.sum(w.given([[1.0, 2.5]], "query key", name="x"), axis="key", name="s")
    assert "  s[0] = sum x[0] = 1.0 + 2.5 = 3.5" in shown(trace.document(), encoding="ascii").splitlines()
