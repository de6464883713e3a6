"""YAML as a tree with lines: what words mean, and what is refused, by both parsers of PyYAML."""

import time

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as some

from workings.engine.errors import ScenarioError, WorkingsError
from workings.scenarios.reading import yaml_tree
from workings.scenarios.reading.yaml_tree import MAX_DEPTH, MAX_FILE_BYTES, MAX_NODES, MappingNode, data_of, read_yaml

LOADERS = [yaml.SafeLoader, *([yaml.CSafeLoader] if yaml.__with_libyaml__ else [])]


@pytest.fixture(params=LOADERS, ids=lambda loader: loader.__name__, autouse=True)
def loader(request, monkeypatch):
    monkeypatch.setattr(yaml_tree, "LOADER", request.param)


def refused(text, key, where):
    with pytest.raises(ScenarioError) as raised:
        read_yaml(text, "example.yaml")
    assert key in raised.value.what
    assert raised.value.where == (f"example.yaml, {where}" if where else "example.yaml")
    assert raised.value.hint
    return raised.value


def test_a_tree_is_plain_data():
    text = """
a: {b: [1, 2.5, word], c: null}
d:
- e: "1"
  f: 'no'
-
  - 7
"""
    assert data_of(read_yaml(text)) == {
        "a": {"b": (1, 2.5, "word"), "c": None},
        "d": ({"e": "1", "f": "no"}, (7,)),
    }


def test_every_node_knows_its_line():
    tree = read_yaml("\na: 1\nb:\n  c: [5,\n    6]\n")
    assert tree.line == 2
    assert tree.lines == {"a": 2, "b": 3}
    inner = tree.entries["b"]
    assert (inner.line, inner.lines) == (4, {"c": 4})
    assert [item.line for item in inner.entries["c"].items] == [4, 5]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("yes", "yes"), ("no", "no"), ("on", "on"), ("Off", "Off"), ("y", "y"), ("true", True), ("False", False),
        ("~", None), ("", None), ("null", None), ("1e-5", 1e-5), ("1E5", 1e5), (".1", 0.1), ("1.", 1.0), ("-.5", -0.5),
        ("+3", 3), ("-3", -3), ("010", 10), ("0x10", "0x10"), ("1_000", "1_000"), ("1:30", "1:30"), ("1/3", "1/3"),
        ("2024-01-01", "2024-01-01"), ('"1"', "1"), ("'true'", "true"), ("=", "="), (".inf", float("inf")),
        ("-.INF", float("-inf")), ("9" * 5000, float("inf")), ("1e999", float("inf")), ("0.1 I", "0.1 I"),
    ],
)  # fmt: skip
def test_what_a_word_means(written, value):
    found = read_yaml(f"key: {written}").entries["key"]
    assert found.value == value
    assert type(found.value) is type(value)


def test_a_key_is_the_word_as_it_is_written():
    assert list(read_yaml("no: 1\n1: 2\nnull: 3\n1.50: 4").entries) == ["no", "1", "null", "1.50"]


def test_text_below_a_bar_is_known_as_such():
    tree = read_yaml("a: |\n  one\n  two\nb: >\n  one\n  two\n")
    assert (tree.entries["a"].block, tree.entries["a"].value) == (True, "one\ntwo\n")
    assert tree.entries["b"].block is False


def test_an_alias_repeats_what_its_anchor_marks():
    tree = read_yaml("a: &W [1, 2]\nb: *W\nc: &x 3\nd: *x")
    assert data_of(tree) == {"a": (1, 2), "b": (1, 2), "c": 3, "d": 3}
    assert tree.lines["b"] == 2


def test_bytes_are_read_as_utf_8_with_or_without_a_mark():
    assert data_of(read_yaml("α: é".encode())) == data_of(read_yaml("\ufeffα: é".encode())) == {"α": "é"}


# -- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "key", "where"),
    [
        ("", "This file is empty.", ""),
        ("# only a comment\n", "This file is empty.", ""),
        ("---\n", "This file is empty.", ""),
        ("null", "This file is empty.", ""),
        ("- 1\n- 2", "A scenario is a mapping of keys to values.", "line 1"),
        ("\n\njust words", "A scenario is a mapping of keys to values.", "line 3"),
        ("7", "A scenario is a mapping of keys to values.", "line 1"),
        ("a: 1\nb: 2\na: 3", "' is already on line", "line 3"),
        ("m:\n  a: 1\n  b: {c: 1, d: 2,\n    c: 3}", "' is already on line", "line 4, m.b"),
        ("a: 1\nb: !!python/object:os.system x", "There is a tag here:", "line 2, b"),
        ("a: !!str 1", "There is a tag here:", "line 1, a"),
        ("a: !own [1]", "There is a tag here:", "line 1, a"),
        ("a: !own {b: 1}", "There is a tag here:", "line 1, a"),
        ("!!map {b: 1}", "There is a tag here:", "line 1"),
        ("a: 1\n---\nb: 2", "A second document begins here.", "line 2"),
        ("a: {<<: {b: 1}}", "The key << is not supported.", "line 1, a"),
        ("a: &x {b: *x}", "is inside the value that it repeats.", "line 1, a.b"),
        ("a: &x\n- 1\n- *x", "is inside the value that it repeats.", "line 3, a"),
        ("a: 1\nb: {[1, 2]: 3}", "A key must be a word.", "line 2, b"),
        ("a:\n  ? {b: 1}\n  : 2", "A key must be a word.", "line 2, a"),
        ("a: {? : 3}", "A key must be a word.", "line 1, a"),
        ('"": 3', "A key must be a word.", "line 1"),
        ("a: 1\n\x00", "This is not a text in UTF-8: it contains the code", "line 2"),
        ("a: \ud800", "This is not a text in UTF-8: it contains the code", "line 1"),
        ("a: \x1b[31m", "This is not a text in UTF-8: it contains the code", "line 1"),
        (b"a: 1\nb: \xff\xfe", "This is not a text in UTF-8: it contains the code", "line 2"),
        (b"\x89PNG\r\n\x1a\n", "This is not a text in UTF-8: it contains the code", "line 1"),
        ("a: 1".encode("utf-16"), "This is not a text in UTF-8: it contains the code", "line 1"),
        ("a: " + "[" * (MAX_DEPTH + 1), "lists and mappings are nested here.", "line 1, a"),
        ("a: " + "[" * 1_000_000, "lists and mappings are nested here.", "line 1, a"),
        ("a: " + "{b: " * 100_000, "lists and mappings are nested here.", "line 1, a" + ".b" * (MAX_DEPTH - 1)),
        ("a:\n" + "- " * 10_000, "lists and mappings are nested here.", "line 2, a"),
        ("#" * (MAX_FILE_BYTES + 1), "This file has more than", ""),
        (b"#" * (MAX_FILE_BYTES + 1), "This file has more than", ""),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_is_refused_with_its_line_and_key(text, key, where):
    refused(text, key, where)


@pytest.mark.parametrize(
    ("text", "key", "line", "given"),
    [
        ("a: 1\n\tb: 2", "This line begins with a tab:", 2, "b: 2"),
        ("a:\n\t- 2", "This line begins with a tab:", 2, "- 2"),
        ("a: [1, 2\nb: 3", "YAML cannot be read here:", 2, "b: 3"),
        ("a: 1\nb: c: d", "YAML cannot be read here:", 2, "b: c: d"),
        ("a: @x", "YAML cannot be read here:", 1, "a: @x"),
        ("a: 1\n  b: 2", "YAML cannot be read here:", 2, "b: 2"),
        ("a: *no", "There is no anchor &", 1, ""),
        ("a: 1\n]", "YAML cannot be read here:", 2, "]"),
        ("%YAML 7.0\n---\na: 1", "YAML cannot be read here:", 1, "%YAML 7.0"),
    ],
)
def test_what_yaml_complains_of_is_said_with_the_line(text, key, line, given):
    with pytest.raises(ScenarioError) as raised:
        read_yaml(text, "example.yaml")
    assert key in raised.value.what
    assert raised.value.where.startswith(f"example.yaml, line {line}")
    assert raised.value.given == given
    assert len(raised.value.what) > 20


def test_aliases_that_multiply_are_refused_at_once():
    laughs = ["a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha]"]
    laughs += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    began = time.perf_counter()
    refused("\n".join(laughs), "values, including those that * repeats.", "line 6, a5")  # 9**6 is above the limit
    assert time.perf_counter() - began < 2


def test_many_values_without_aliases_are_refused_too(monkeypatch):
    monkeypatch.setattr(yaml_tree, "MAX_NODES", 100)
    assert MAX_NODES > 100_000
    refused(f"a: [{', '.join(['1'] * 97)}]\nb: 2", "values, including those that * repeats.", "line 2")
    assert isinstance(read_yaml(f"a: [{', '.join(['1'] * 97)}]"), MappingNode)


def test_what_is_just_not_too_deep_is_read():
    inside = MAX_DEPTH - 1
    assert data_of(read_yaml(f"a: {'[' * inside}{']' * inside}"))


YAML_PIECES = [*"ab:-[]{},#&*!|>'\"?%@ \n\t", ": ", "\n  ", "- ", "1", "&a", "*a", "<<", "---", "...", "!!str "]


@settings(max_examples=300, deadline=None)
@given(some.one_of(some.text(), some.binary(), some.lists(some.sampled_from(YAML_PIECES)).map("".join)))
def test_anything_is_a_tree_or_an_error(text):
    try:
        found = read_yaml(text, "example.yaml")
    except WorkingsError as error:
        found = str(error)
    assert isinstance(found, MappingNode) or "example.yaml" in found
