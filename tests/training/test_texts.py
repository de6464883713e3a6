"""Long texts: read from files, taken from Python itself, cut into windows; and what is refused."""

import ast
import hashlib
import os
import sys
import sysconfig
import textwrap
from pathlib import Path

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workings import Draws
from workings.engine.errors import CallError, InputError, VocabularyError, WorkingsError
from workings.text import Vocabulary
from workings.training.data import DataError, LongText, long_text, read_text, standard_library, text_files

EXAMPLES = settings(max_examples=60, deadline=None, derandomize=True, database=None)
SPECIAL = ("<pad>", "<s>", "</s>")


def refused(call, key, *words, kind=DataError):
    with pytest.raises(WorkingsError) as raised:
        call()
    assert isinstance(raised.value, kind)
    assert key in raised.value.what
    said = str(raised.value)
    assert all(word in said for word in words), said
    assert "\n  try:   " in said


@pytest.fixture
def file(tmp_path):
    """A file with these bytes in it."""

    def with_bytes(data):
        path = tmp_path / "text.txt"
        path.write_bytes(data)
        return path

    return with_bytes


# -- files -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"one\ntwo\n", "one\ntwo\n"),
        (b"one\r\ntwo\r\n", "one\ntwo\n"),
        (b"one\rtwo\r\r\nthree", "one\ntwo\n\nthree"),
        ("naïve ☕\n".encode(), "naïve ☕\n"),
        (b"\xef\xbb\xbfmarked", "marked"),
        (b"  x ", "  x "),
    ],
)
def test_a_file_is_read_with_one_sign_at_the_end_of_a_line(file, data, text):
    assert read_text(file(data)) == text
    assert read_text(str(file(data))) == text


@pytest.mark.parametrize("data", [b"", b" \n\t\r\n", b"\xef\xbb\xbf\n"])
def test_a_file_without_text_is_refused(file, data):
    refused(lambda: read_text(file(data)), ": the file is empty, or has only white space.", "text.txt")


@pytest.mark.parametrize(
    ("data", "place", "byte"),
    [
        (b"caf\xe9 au lait", 3, "e9"),
        (b"\xef\xbb\xbfcaf\xe9 au lait", 6, "e9"),
        ("é\0x".encode(), 2, "00"),
        (b"\x89PNG\r\n", 0, "89"),
        (b"cut off: \xe2\x98", 9, "e2"),
    ],
)
def test_a_file_that_is_no_text_is_refused_with_the_place(file, data, place, byte):
    refused(
        lambda: read_text(file(data)),
        "is not text in UTF-8: byte",
        f"byte {place}, counted from 0, is {byte}.",
        "text.txt",
    )


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    refused(lambda: read_text(tmp_path / "none.txt"), "There is no file", "none.txt", kind=InputError)
    refused(lambda: read_text(tmp_path), "is a folder", tmp_path.name, kind=InputError)
    refused(lambda: read_text(""), "is a folder", kind=InputError)
    refused(lambda: read_text("a\0b"), "cannot be read:", kind=InputError)
    refused(lambda: read_text("x" * 5000), "cannot be read:", kind=InputError)


# -- the standard library ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def library():
    return standard_library()


def test_the_library_is_a_long_text_of_few_characters(library):
    assert 2_000_000 < len(library) < 10_000_000
    assert library.isascii()
    assert 90 <= len(set(library)) <= 110
    assert "\r" not in library
    assert library == standard_library()


def test_the_library_is_made_of_whole_modules_in_order(library):
    """Files found in another way; each of them is Python, and stands in the text where it should."""
    modules = ["argparse", "asyncio.events", "email.header", "json.decoder", "textwrap", "zipfile"]
    folder = Path(os.__file__).parent
    at = 0
    for module in modules:
        path = folder.joinpath(*module.split("."))
        source = (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text(encoding="utf-8")
        if source.isascii():
            ast.parse(source)
            at = library.index(source, at) + len(source)
    assert at > 0
    assert textwrap.TextWrapper.__doc__ in library


def test_some_files_are_left_out(monkeypatch, tmp_path):
    sources = {
        "b.py": b"b = 2\r\n",
        "a/__init__.py": b"",
        "a/z.py": b"z = 26\n",
        "a.py": b"a = 1\n",
        "accent.py": "# é\n".encode(),
        "blank.py": b"\n",
        "notes.txt": b"no\n",
        "loose/c.py": b"no\n",
        "a/tests/__init__.py": b"no = 1\n",
        "a/tests/d.py": b"no\n",
        "test/__init__.py": b"no = 1\n",
        "idlelib/__init__.py": b"no = 1\n",
        "site-packages/e.py": b"no\n",
        "_sysconfigdata__linux.py": b"no\n",
        "a/b/__init__.py": b"deep = 3\n",
    }
    for name, source in sources.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(source)
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    assert standard_library() == "a = 1\n\ndeep = 3\n\nz = 26\n\nb = 2\n"


def test_a_python_without_source_says_so(monkeypatch, tmp_path):
    (tmp_path / "a.pyc").write_bytes(b"\0")
    for folder in (tmp_path, tmp_path / "python.zip"):
        monkeypatch.setattr(sysconfig, "get_path", lambda name, folder=folder: str(folder))
        refused(
            standard_library,
            "This Python was installed without the source of its standard library.",
            "without the source",
            str(folder),
        )


def test_the_names_left_out_are_not_in_the_library():
    folder = Path(sysconfig.get_path("stdlib"))
    files = [file.relative_to(folder) for file in text_files._modules(folder)]
    assert len(files) > 250
    assert not {part for file in files for part in file.parts[:-1]} & text_files.LEFT_OUT
    left = {"site-packages", "test", "idlelib"}
    assert not {part for file in files for part in file.parts} & left
    assert {file.stem for file in files if len(file.parts) == 1} <= {
        *sys.stdlib_module_names,
        "__hello__",
        "__phello__",
    }


# -- from characters to ids --------------------------------------------------------------------------

ALIKE = ("<s", *SPECIAL)  # two begin alike: the longer one is meant where it fits
PIECES = st.sampled_from([*SPECIAL, "<unk>", "<", "s>", "a", "e", "\u0301", "é", "\n", "🙂", "λ", "\0"])
MIXED = st.lists(PIECES, min_size=30, max_size=80).map("".join)


@EXAMPLES
@given(MIXED, st.booleans(), st.booleans())
def test_ids_are_those_of_the_vocabulary(text, unknown, special):
    """Looked up all at once, as one by one: accents, special tokens and unknown characters too."""
    known = "<s>ae\né/pd🙂" if unknown else "<s>aáeé\u0301/pdunk\n🙂λ\0"
    vocabulary = Vocabulary.characters(known, special=(*ALIKE * special, *("<unk>",) * unknown))
    ids = long_text._encoded(text, vocabulary)
    assert ids.tolist() == vocabulary.encode(text)


def test_known_characters_are_never_asked_for_one_by_one(monkeypatch):
    vocabulary = Vocabulary.characters("ab", special=SPECIAL)
    asked = []
    looked_up = Vocabulary._id
    monkeypatch.setattr(Vocabulary, "_id", lambda self, *token: asked.append(token) or looked_up(self, *token))
    monkeypatch.setattr(Vocabulary, "encode", None)
    text = LongText("ab" * 5000 + "</s>", vocabulary, 8)
    assert len(text.ids) == 10_001
    assert len(asked) == 1
    assert text.ids[-3:].tolist() == [3, 4, 2]


def test_an_unknown_character_is_named_with_its_place():
    vocabulary = Vocabulary.characters("ab")
    words = ("'?'", "position 150 of the text")
    refused(lambda: LongText("ab" * 75 + "?", vocabulary, 4), "is not in the vocabulary.", *words, kind=VocabularyError)


def test_words_are_taken_too():
    vocabulary = Vocabulary.words("the cat sat")
    text = LongText("the cat sat " * 10, vocabulary, 2)
    assert text.ids.tolist() == [0, 1, 2] * 10
    refused(
        lambda: LongText("the dog " * 20, vocabulary, 2), "is not in the vocabulary.", "'dog'", kind=VocabularyError
    )


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (["a"] * 99, "A text is a string, not"),
        ("a\ud800" * 99, "contains half of a character, which no file and no screen"),
    ],
)
def test_only_a_text_is_taken(text, key):
    refused(lambda: LongText(text, Vocabulary.characters("a"), 2), key, kind=VocabularyError)


# -- windows -----------------------------------------------------------------------------------------


def counted(length, context):
    """A text in which every character is another one, so that an id is also its place."""
    characters = "".join(chr(0x4E00 + place) for place in range(length))
    return LongText(characters, Vocabulary.characters(characters), context)


SIZES = st.integers(1, 30).flatmap(lambda context: st.tuples(st.integers(10 * context + 10, 700), st.just(context)))


def check(tokens, targets, count, context, lowest, highest):
    assert tokens.shape == targets.shape == (count, context)
    assert tokens.dtype == targets.dtype == numpy.int64
    assert (targets == tokens + 1).all()
    assert (tokens == tokens[:, :1] + numpy.arange(context)).all()
    assert tokens.min() >= lowest
    assert targets.max() <= highest


@EXAMPLES
@given(SIZES, st.integers(0, 10**6), st.integers(1, 50))
def test_targets_come_one_later_and_the_last_tenth_is_never_trained_on(size, seed, count):
    length, context = size
    text, border = counted(length, context), length - length // 10
    check(*text.windows(Draws(seed), count), count, context, 0, border - 1)
    check(*text.windows(Draws(seed), count, held_out=True), count, context, border, length - 1)
    check(*text.held_out_windows(count), count, context, border, length - 1)


@EXAMPLES
@given(SIZES, st.integers(2, 20))
def test_held_out_windows_are_spread_evenly(size, count):
    length, context = size
    text = counted(length, context)
    tokens, targets = text.held_out_windows(count)
    assert tokens[0, 0] == length - length // 10
    assert targets[-1, -1] == length - 1
    steps = numpy.diff(tokens[:, 0])
    assert steps.max() - steps.min() <= 1
    assert (text.held_out_windows(count)[0] == tokens).all()
    assert text.held_out_windows(1)[0][0, 0] == length - length // 10


def test_every_window_is_drawn():
    text = counted(100, 4)
    assert set(text.windows(Draws(1), 3000)[0][:, 0].tolist()) == set(range(86))
    assert set(text.windows(Draws(1), 3000, held_out=True)[0][:, 0].tolist()) == set(range(90, 96))


def test_the_same_seed_gives_the_same_windows():
    text = counted(500, 8)
    one, other = Draws(1), Draws(1)
    first = text.windows(one, 4)[0][:, 0].tolist()
    assert first == text.windows(other, 4)[0][:, 0].tolist()
    assert first == [250, 329, 429, 196]
    assert text.windows(one, 4)[0][:, 0].tolist() != first


def test_the_ids_cannot_be_changed():
    text = counted(100, 4)
    with pytest.raises(ValueError, match="read-only"):
        text.ids[0] = 1
    tokens, _ = text.windows(Draws(1), 2)
    tokens[0, 0] = 5  # a copy, which belongs to whoever asked for it
    assert text.ids.tolist() == list(range(100))


def test_a_fingerprint_is_that_of_the_text():
    one, other = counted(100, 4), counted(101, 4)
    assert one.fingerprint == hashlib.sha256(one.text.encode()).hexdigest()
    assert one.fingerprint == counted(100, 3).fingerprint
    assert one.fingerprint != other.fingerprint
    assert repr(one) == "LongText(context=4)"


# -- what is too short -------------------------------------------------------------------------------


@pytest.mark.parametrize("context", [1, 5, 40])
def test_a_text_must_be_long_enough_and_need_not_be_longer(context):
    needed = 10 * (context + 1)
    text = counted(needed, context)
    assert text.windows(Draws(1), 1, held_out=True)[1].tolist() == [list(range(needed - context, needed))]
    words = (f"it has {needed - 1} tokens, and a context of {context} needs {needed}.",)
    refused(lambda: counted(needed - 1, context), "The text is too short: it has", *words)
    if context > 1:
        refused(
            lambda: counted(needed - 1, context), "The text is too short: it has", f"a context of at most {context - 1}"
        )
        assert len(counted(needed - 1, context - 1).ids) == needed - 1


@pytest.mark.parametrize("bad", [0, -1, 1.5, True, "8", None])
def test_sizes_are_whole_numbers_above_0(bad):
    text = counted(100, 4)
    words = "a whole number above 0"
    refused(lambda: counted(100, bad), "The setting", "context", words, kind=CallError)
    refused(lambda: text.windows(Draws(1), bad), "The setting", "count", words, kind=CallError)
    refused(lambda: text.held_out_windows(bad), "The setting", "count", words, kind=CallError)
