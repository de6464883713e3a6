"""The front end shows numbers and computes none; its words are in the catalogue; it is small, and asks nobody else."""

import ast
import gzip
import json
import re
import subprocess
import sys
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
COMPONENTS = [path for path in CODE if path.suffix == ".svelte"]
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


@pytest.mark.parametrize("path", SOURCES, ids=named)
def test_no_file_is_long(path):
    assert read(path).count("\n") <= LONGEST


# -- numbers -----------------------------------------------------------------------------------------

GEOMETRY = {"min", "max", "round", "floor", "ceil", "trunc", "abs", "sign", "hypot", "PI"}  # where something stands
ARITHMETIC = re.compile(
    r"(?<![/\w])Math\s*\.\s*(\w+)|\bMath\s*(\[)|=\s*(Math)\b(?!\s*\.)|(\*\*)|\b(Float\d+Array)\b|\b(eval|Function)\("
)


def computing(code):
    """What may compute a number of a model: a function of numbers, or a power."""
    return [found.group(0) for found in ARITHMETIC.finditer(code) if found[1] not in GEOMETRY]


@pytest.mark.parametrize("path", CODE, ids=named)
def test_the_browser_computes_no_number_of_the_model(path):
    assert computing(code_of(path)) == []


@pytest.mark.parametrize("code", ["Math.exp(x)", "Math . sqrt(2)", "x ** 2", "Math['exp']", "const { exp } = Math;"])
def test_computing_is_noticed(code):
    assert computing(code) != []
    assert computing("Math.max(1, Math.floor(x)) * y") == []


# -- words -------------------------------------------------------------------------------------------

KEY = re.compile(r"""(["'`])((?:lab|page)\.(?:(?!\1).)+)\1""")
FIELD = re.compile(r"\$?\{[^}]*\}")
TOO_WIDE = re.compile(r"lab\.(\[\^ \]\+)?$")  # would fit any key


@cache
def catalogue():
    """Every sentence that the front end is given, from a process that loads nothing else."""
    code = "import json; from workings.lab.start import start; print(json.dumps(start().sentences))"
    return json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)


def pattern(key):
    """A key, in which what is filled in later may be anything."""
    return "[^ ]+".join(map(re.escape, FIELD.split(key)))


def keys_in_front_end(path):
    return [found[2] for found in KEY.finditer(code_of(path))]


@cache
def keys_in_python():
    found = set()
    for path in PACKAGE.rglob("*.py"):
        if "lab." not in read(path):
            continue
        for node in ast.walk(ast.parse(read(path))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("lab."):
                found.add(re.escape(node.value))
            if isinstance(node, ast.JoinedStr):
                parts = [re.escape(part.value) if isinstance(part, ast.Constant) else "[^ ]+" for part in node.values]
                if parts[0].startswith(r"lab\."):
                    found.add("".join(parts))
    return found


@pytest.mark.parametrize("path", CODE, ids=named)
def test_every_key_is_in_the_catalogue(path):
    for key in keys_in_front_end(path):
        if not key.endswith("."):
            wanted = re.compile(pattern(key))
            assert any(wanted.fullmatch(known) for known in catalogue()) or is_problem(key), key


def is_problem(key):
    """The key of an error that the lab sends, such as lab.gone."""
    from workings.engine.sentences import ENGLISH
    from workings.lab import errors  # noqa: F401

    return f"error.{key}" in ENGLISH


def test_every_sentence_is_said_somewhere():
    used = {pattern(key) for path in CODE for key in keys_in_front_end(path)} | keys_in_python()
    known = re.compile("|".join(sorted(one for one in used if not TOO_WIDE.fullmatch(one))))
    assert [key for key in catalogue() if key.startswith("lab.") and not known.fullmatch(key)] == []


ATTRIBUTES = re.compile(
    r"""\b(?:aria-label|aria-description|aria-roledescription|title|placeholder|alt)="([^"{]*[A-Za-z][^"{]*)\""""
)
WORD = re.compile(r"[^\W\d_]{2,}")
SENTENCE = re.compile(r"""(["'`])((?:(?!\1|\\|\n).)*[A-Za-z]{2,},? [a-z]{2,}(?:(?!\1|\\|\n).)*[.?!:])\1""")


def without_expressions(text):
    """Markup without what stands in braces, however deep."""
    kept, depth, quote = [], 0, ""
    for sign in text:
        if depth and (quote or sign in "\"'`"):
            quote = "" if sign == quote else quote or sign
        elif sign == "{":
            depth += 1
        elif sign == "}":
            depth -= 1
        elif not depth:
            kept.append(sign)
    assert depth == 0, "braces do not pair up"
    return "".join(kept)


def literal_words(code):
    """Words that stand in markup themselves instead of coming from the catalogue."""
    markup = re.sub(r"<(script|style)\b.*?</\1>", "", code, flags=re.DOTALL)
    text = re.sub(r"<[^>]*>", " ", without_expressions(markup))
    return WORD.findall(re.sub(r"&\w+;", "", text)) + ATTRIBUTES.findall(markup)


@pytest.mark.parametrize("path", COMPONENTS, ids=named)
def test_no_component_has_words_of_its_own(path):
    assert literal_words(code_of(path)) == []


@pytest.mark.parametrize("path", CODE, ids=named)
def test_no_sentence_stands_in_the_code(path):
    assert [found[2] for found in SENTENCE.finditer(code_of(path))] == []


def test_literal_words_are_noticed():
    assert literal_words("<p>{say('lab.x')} × {#if a > b}<b>Total</b>{/if}</p>") == ["Total"]
    assert literal_words('<button title="Close it" aria-label={say("lab.x")}></button>') == ["Close it"]
    assert literal_words('<script>const x = "a word";</script><p class="what">{`a ${"b"} c`} 1 &times; 2</p>') == []
    assert SENTENCE.search('throw new Error("This is not there.")')


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
