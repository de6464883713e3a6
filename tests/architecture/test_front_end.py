"""The front end shows numbers and computes none, is small, and asks nobody else."""

import gzip
import re
from functools import cache
from pathlib import Path

import pytest

import workings

ROOT = Path(workings.__file__).parents[2]
PACKAGE = ROOT / "src" / "workings"
APP = PACKAGE / "lab" / "app"
GENERATED = ("answers.ts",)
SOURCES = sorted(
    path
    for path in (ROOT / "web" / "src").rglob("*")
    if path.suffix in (".ts", ".svelte", ".css") and path.name not in GENERATED
)
CODE = [path for path in SOURCES if path.suffix != ".css" and ".test." not in path.name]
LONGEST = 400  # lines
LARGEST = 350_000  # bytes of what is loaded at first, gzipped


def named(path):
    return str(path.relative_to(ROOT))


def read(path):
    return path.read_text(encoding="utf-8")


@cache
def code_of(path):
    """Without its comments."""
    return re.sub(r"/\*.*?\*/|<!--.*?-->|(?<![:\"'`\\])//[^\n]*", "", read(path), flags=re.DOTALL)


def test_the_sources_are_found():
    assert {"App.svelte", "main.ts", "ask.ts"} <= {path.name for path in CODE}
    assert (APP / "index.html").is_file(), "the front end is not built: make test does it"


def test_no_file_is_long():
    assert [named(path) for path in SOURCES if read(path).count("\n") > LONGEST] == []


# -- numbers -----------------------------------------------------------------------------------------

GEOMETRY = {"min", "max", "round", "floor", "ceil", "trunc", "abs", "sign", "hypot", "PI"}  # where something stands
ARITHMETIC = re.compile(
    r"(?<![/\w])Math\s*\.\s*(\w+)|\bMath\s*(\[)|=\s*(Math)\b(?!\s*\.)|(\*\*)|\b(Float\d+Array)\b|\b(eval|Function)\("
)


def computing(code):
    """What may compute a number of a model: a function of numbers, or a power."""
    return [found.group(0) for found in ARITHMETIC.finditer(code) if found[1] not in GEOMETRY]


def test_the_browser_computes_no_number_of_the_model():
    found = {named(path): computing(code_of(path)) for path in CODE}
    assert {name: code for name, code in found.items() if code} == {}


@pytest.mark.parametrize("code", ["Math.exp(x)", "Math . sqrt(2)", "x ** 2", "Math['exp']", "const { exp } = Math;"])
def test_computing_is_noticed(code):
    assert computing(code) != []
    assert computing("Math.max(1, Math.floor(x)) * y") == []


# -- problems ----------------------------------------------------------------------------------------

KEY = re.compile(r'"((?:lab|server)\.[a-z.]+)"')


@cache
def python_of(folder):
    return "".join(read(path) for path in (PACKAGE / folder).rglob("*.py"))


def test_problem_keys_that_the_front_end_knows_are_sent_by_the_lab():
    keys = {key for path in CODE for key in KEY.findall(code_of(path))}
    assert {"lab.gone", "server.busy", "server.learner"} <= keys
    for key in keys:
        assert f'"{key}"' in python_of(key.partition(".")[0]), key


# -- what is built -----------------------------------------------------------------------------------

NAMED = re.compile(r'(?:src|href)="\./([^"]+\.(?:js|css))"')
IMPORTED = re.compile(r"""(?:^|[;}\n])import(?:[^"'();]*from)?["']\./([^"']+\.js)["']""")
ADDRESS = re.compile(r"https?://[^\s\"'`)<>\\]*")
NAMES = ("http://www.w3.org/", "https://svelte.dev/e/")  # names of languages, and of what Svelte complains about


@cache
def loaded_at_first():
    """The files that a browser has to load before it shows anything."""
    found, waiting = {"index.html"}, NAMED.findall(read(APP / "index.html"))
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [str(Path(name).parent / other) for other in IMPORTED.findall(read(APP / name))]
    return found


def test_what_is_loaded_at_first_is_small():
    sizes = {name: len(gzip.compress((APP / name).read_bytes())) for name in loaded_at_first()}
    assert len(sizes) > 2
    assert sum(sizes.values()) < LARGEST, sizes


def test_katex_comes_only_when_there_is_a_formula():
    everything = "".join(read(APP / name) for name in loaded_at_first() if name.endswith(".js"))
    assert "ParseError" not in everything


def test_the_front_end_knows_no_address_of_anybody_else():
    files = [path for path in APP.rglob("*") if path.suffix in (".js", ".css", ".html")]
    assert len(files) > 3
    for path in files:
        foreign = [address for address in ADDRESS.findall(read(path)) if not address.startswith(NAMES)]
        assert foreign == [], path.name


def test_the_page_allows_a_strict_policy():
    """No script stands in the page itself, and none is made from text."""
    page = read(APP / "index.html")
    assert re.findall(r"<script(?![^>]*\bsrc=)[^>]*>|\son\w+=|<style|\sstyle=", page) == []
    for path in APP.glob("assets/*.js"):
        assert re.findall(r"\beval\(|new Function\(", read(path)) == [], path.name
