"""The catalogue of sentences: everything that a person reads has a key there, and a translation reaches it."""

import ast
import pkgutil
import re
import string
import typing
from importlib import import_module
from pathlib import Path

import pytest
from traces import small

import workings as w
from workings.engine import errors
from workings.engine.registry import OPS
from workings.engine.sentences import ENGLISH, add_sentences, say, translated
from workings.explain.document import plain_text
from workings.explain.op_page import op_document, run_op
from workings.render.figure_text import FORMS

PACKAGE = Path(w.__file__).parent
for module in pkgutil.walk_packages(w.__path__, "workings."):  # the sentences of all of them
    import_module(module.name)
SOURCES = sorted(PACKAGE.rglob("*.py"))
ERRORS = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, Exception)}
CONTEXT = {"where", "given"}  # what every error takes besides the values of its sentence


def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def calls(*names):
    """Every call of one of these functions in the package: the file, the call."""
    for path in SOURCES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call):
                name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
                if name in names:
                    yield path, node


def first_argument(call):
    """The key of a call, if it is written there; of an f-string, its beginning followed by *."""
    if not call.args:
        return None
    key = call.args[0]
    if isinstance(key, ast.Constant) and isinstance(key.value, str):
        return key.value
    if isinstance(key, ast.JoinedStr) and isinstance(key.values[0], ast.Constant):
        return f"{key.values[0].value}*"
    return None


def placeholders(text):
    return {field.split(".")[0].split("[")[0] for _, field, _, _ in string.Formatter().parse(text) if field is not None}


def keywords(call):
    """The names of the values that a call gives, or None where some come in a dictionary."""
    names = [keyword.arg for keyword in call.keywords]
    return None if None in names else set(names)


ERROR_CALLS = [(path, call) for path, call in calls(*ERRORS) if isinstance(first_argument(call), str)]
SAY_CALLS = list(calls("say", "say_spans"))


# -- keys --------------------------------------------------------------------------------------


def test_no_key_is_written_twice_in_one_dictionary():
    for path, call in calls("add_sentences"):
        for node in ast.walk(call):
            if isinstance(node, ast.Dict):
                keys = [key.value for key in node.keys if isinstance(key, ast.Constant)]
                assert len(keys) == len(set(keys)), path


def test_a_key_cannot_be_given_to_another_sentence():
    with pytest.raises(KeyError):
        add_sentences("error", {"label": "Something else."})
    add_sentences("error", {"label": ENGLISH["error.label"]})  # the same again is no harm


def test_every_error_has_a_sentence_and_what_to_try():
    assert len(ERROR_CALLS) > 50
    for path, call in ERROR_CALLS:
        key = f"error.{first_argument(call)}"
        assert key in ENGLISH, f"{path.name}: {key}"
        assert f"{key}.try" in ENGLISH, f"{path.name}: {key}.try"


def keys_of_helpers():
    """The keys of errors that are not written where the error is: `key = "a" if ... else "b"`, `refuse("a", ...)`.

    A helper is a function that raises an error with its own parameter `key`.
    """
    helpers, found = {}, []
    for path in SOURCES:
        for function in (node for node in ast.walk(tree_of(path)) if isinstance(node, ast.FunctionDef)):
            names = [arg.arg for arg in function.args.args if arg.arg != "self"]
            for node in ast.walk(function):
                if _raises_key(node):
                    if "key" in names:
                        helpers.setdefault(path, {})[function.name] = names.index("key")
                    found += [(path, key) for key in _assigned(function, "key")]
    for path in SOURCES:
        for call in (node for node in ast.walk(tree_of(path)) if isinstance(node, ast.Call)):
            name = getattr(call.func, "attr", getattr(call.func, "id", ""))
            at = next((helpers[file][name] for file in helpers if name in helpers[file] and _sees(path, file)), None)
            if at is not None and len(call.args) > at:
                found += [(path, key) for key in _strings(call.args[at])]
    return found


def _raises_key(node):
    is_call = isinstance(node, ast.Call) and getattr(node.func, "id", "") in ERRORS and bool(node.args)
    return is_call and isinstance(node.args[0], ast.Name) and node.args[0].id == "key"


def _assigned(function, name):
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and any(getattr(target, "id", "") == name for target in node.targets):
            yield from _strings(node.value)


def _strings(node):
    """The strings that an expression may be: those of both branches, and not that of the condition."""
    if isinstance(node, ast.IfExp):
        yield from (*_strings(node.body), *_strings(node.orelse))
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def _sees(path, other):
    return path == other or other.stem in path.read_text(encoding="utf-8")


def test_every_key_that_is_chosen_or_handed_on_has_a_sentence_and_what_to_try():
    found = keys_of_helpers()
    assert {path.parent.name for path, _ in found} >= {"models", "text"}
    assert {key for _, key in found} >= {"run.class.none", "yaml.tab", "matrix.shape", "scenario.unknown"}
    for path, key in found:
        assert f"error.{key}" in ENGLISH, f"{path.name}: {key}"
        assert f"error.{key}.try" in ENGLISH, f"{path.name}: {key}.try"


def test_every_error_in_the_catalogue_is_raised_somewhere():
    text = "".join(path.read_text(encoding="utf-8") for path in SOURCES)
    keys = [key.removeprefix("error.") for key in ENGLISH if key.startswith("error.") and not key.endswith(".try")]
    assert [key for key in keys if text.count(f'"{key}"') < 2] == []  # in the catalogue, and where it happens


def test_every_sentence_that_is_said_is_in_the_catalogue():
    assert len(SAY_CALLS) > 30
    for path, call in SAY_CALLS:
        key = first_argument(call)
        if key is None:
            continue
        start = key.removesuffix("*")
        found = any(known.startswith(start) for known in ENGLISH) if key.endswith("*") else key in ENGLISH
        assert found or start.startswith("trace."), f"{path.name}: {key}"


def test_every_sentence_of_explanations_is_said_somewhere():
    said = {first_argument(call) for _, call in SAY_CALLS} - {None}
    whole = {key for key in said if not key.endswith("*")}
    starts = tuple(key.removesuffix("*") for key in said if key.endswith("*"))
    text = "".join(path.read_text(encoding="utf-8") for path in SOURCES)
    for key in ENGLISH:
        if key.startswith(("explain.", "cli.")):
            assert key in whole or key.startswith(starts) or f'"{key}"' in text, key


# -- placeholders ------------------------------------------------------------------------------


def test_every_value_that_an_error_needs_is_given():
    for path, call in ERROR_CALLS:
        given = keywords(call)
        if given is None:
            continue
        key = f"error.{first_argument(call)}"
        needed = placeholders(ENGLISH[key]) | placeholders(ENGLISH[f"{key}.try"])
        assert needed <= given, f"{path.name}:{call.lineno} gives no {needed - given} for {key}"


def test_no_error_is_given_a_value_that_nobody_reads():
    for path, call in ERROR_CALLS:
        key = f"error.{first_argument(call)}"
        read = placeholders(ENGLISH[key]) | placeholders(ENGLISH[f"{key}.try"]) | CONTEXT
        assert (keywords(call) or set()) <= read, f"{path.name}:{call.lineno} {key}"


def test_every_value_that_a_sentence_needs_is_given():
    for path, call in SAY_CALLS:
        key, given = first_argument(call), keywords(call)
        if key in ENGLISH and given is not None:
            assert placeholders(ENGLISH[key]) <= given, f"{path.name}:{call.lineno} {key}"


def test_sentences_are_clean():
    for key, text in ENGLISH.items():
        assert text.strip(), key
        assert "  " not in text.replace("\n  try:   ", ""), key
        assert text == text.rstrip(), key
        assert not re.search(r"\bTODO\b|\?\?", text), key


def test_every_error_ends_its_sentence_and_its_advice():
    for key, text in ENGLISH.items():
        if key.startswith("error."):
            assert text.endswith((".", "?")), key
            assert text[0].isupper() or text.startswith(("{", "'", "--", "e to the power")), key


# -- translation -------------------------------------------------------------------------------


def test_a_translation_reaches_errors_and_their_advice():
    error = errors.InputError("input.value", option="--x")
    with translated({"error.input.value": "{option} braucht Zahlen.", "error.input.value.try": "So: {option} 1"}):
        assert str(error) == "--x braucht Zahlen.\n  try:   So: --x 1"
    assert str(error).startswith("--x needs a value.")


def test_a_translation_reaches_headings_titles_and_notes():
    german = {
        "explain.forward": "Vorwärts",
        "explain.shapes": "Formen",
        "explain.leaf.parameter": "ein Gewicht",
        "explain.gradient": "wie der Verlust von {twin} abhängt",
        "explain.precision": "Zahlen: {precision}",
        "explain.ledger.step": "Schritt",
        "op.attention.summary": "Vergleicht Fragen mit Schlüsseln.",
    }
    with translated(german):
        document = small("attention-backward").document("Titel")
        leaf = small("attention-backward")["W_Q"].cell(0, 0)
    texts = [plain_text(block.spans) for block in document.blocks if block.kind == "text"]
    assert {"Vorwärts", "Formen"} <= {block.text for block in document.blocks if block.kind == "heading"}
    assert texts[0] == "Zahlen: float64"
    assert "W_Q (ein Gewicht)" in texts
    assert "dQ (wie der Verlust von Q abhängt)" in texts
    assert leaf.note == "ein Gewicht"
    assert next(block for block in document.blocks if block.kind == "ledger").headings[0] == "Schritt"
    assert "Vergleicht Fragen mit Schlüsseln." in [b.reason for b in document.blocks if b.kind == "formula"]


def test_a_translation_reaches_the_parts_of_a_page():
    page = OPS["relu"].page
    german = {
        "op.relu.summary": "Schneidet ab.",
        "op.relu.mistake.forgotten": "Vergessen.",
        "op.relu.derivation.1": "ein Eintrag",
        "explain.mistake.gives": " Das gibt {value}, nicht {truth} ({entry}).",
        "explain.why": "Warum",
    }
    assert set(german) <= set(ENGLISH)
    with translated(german):
        inputs = [w.given(value.numbers, " ".join(value.axes), name="x") for value in page.example.inputs]
        document = op_document(run_op(OPS["relu"], inputs, {}, page.example.cotangent))
    assert plain_text(document.blocks[0].spans) == "Schneidet ab."
    notes = [plain_text(block.spans) for block in document.blocks if block.kind == "note"]
    assert notes[0] == "forgotten: Vergessen. Das gibt -0.7, nicht 0.0 (y[1][0])."
    assert "ein Eintrag" in [block.reason for block in document.blocks if block.kind == "formula"]
    assert "Warum" in [block.text for block in document.blocks if block.kind == "heading"]


def test_a_translation_ends_with_its_block_and_falls_back_to_english():
    with translated({"explain.forward": "Vorwärts"}):
        assert say("explain.forward") == "Vorwärts"
        assert say("explain.backward") == "Backward"
    assert say("explain.forward") == "Forward"


def test_every_page_has_its_sentences_in_the_catalogue():
    for name, op in OPS.items():
        assert ENGLISH[f"op.{name}.summary"] == op.page.summary
        for mistake in op.page.mistakes.values():
            assert ENGLISH[f"op.{name}.mistake.{mistake.name}"] == mistake.hint
        for number, (_, reason) in enumerate(op.page.derivation, 1):
            assert ENGLISH[f"op.{name}.derivation.{number}"] == reason
        for input, reason in op.page.no_rule.items():
            assert ENGLISH[f"op.{name}.no_rule.{input}"] == reason


# -- renderers contain no sentence -------------------------------------------------------------

STYLES = {
    "not bold dim",
    "bold",
    "dim",
    "cyan",
    "italic",
    "yellow",
    "fold",
    "ignore",
    "ascii",
    "utf-8",
    "replace",
    "encoding",
}
PICTURES = {
    "charts",
    ".json",
    "svg",
    "png",
    "pdf",
    "><desc>",
    "</desc>",
    "$several",
    "log",
    ".md",
    '<a id="',
    '"></a>\n\n',
    "book",
    "subtitle",
}  # kinds of file, and marks
# What the pictures that are drawn by hand are made of: elements, attributes, colours and classes of SVG.
SVG = {
    "aa", "accent", "anchor", "bd", "bold", "ccd", "cell", "circle", "class", "dasharray", "data", "desc", "eef", "end",
    "faint", "ffffff", "fill", "font", "height", "http", "img", "index", "ink", "leaf", "line", "linecap", "look",
    "middle", "node", "none", "on", "opacity", "org", "paper", "path", "rect", "rotate", "round", "rx", "sans", "size",
    "start", "step", "stroke", "svg", "text", "title", "translate", "weight", "width", "workings", "www",
}  # fmt: skip


def strings_outside_docstrings(path):
    tree = tree_of(path)
    documents = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            body = node.body
            if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
                documents.add(id(body[0].value))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents:
            yield node.value


@pytest.mark.parametrize("path", sorted((PACKAGE / "render").glob("*.py")), ids=lambda path: path.name)
def test_renderers_contain_no_sentence(path):
    from workings.explain import document

    kinds = {field.default for kind in vars(document).values() for field in _kind_fields(kind)}
    looks = set(typing.get_args(typing.get_type_hints(document.Words)["look"]))
    forms = set(FORMS) if path.name.startswith(("figure_text", "svg")) else set()  # of figures, by name
    signs = {"sqrt", "sum", "inf"}  # how a console without √, Σ and ∞ writes them
    for text in strings_outside_docstrings(path):
        words = re.findall(r"(?<![\\A-Za-z-])[A-Za-z]{2,}", text)  # \thinspace is a command
        known = text in STYLES | PICTURES | kinds | signs | looks | forms or text in ("hint", "warning", "mistake")
        is_drawing = path.name.startswith(("svg_", "drawing"))
        known = known or (is_drawing and " " not in text.strip() and set(words) <= SVG)
        assert not words or known, f"{path.name} says {text!r}"


def _kind_fields(kind):
    return [field for name, field in getattr(kind, "__dataclass_fields__", {}).items() if name == "kind"]
