"""How a text is cut into pieces, judged by the package tokenizers over all of Unicode."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers.pre_tokenizers import ByteLevel

from workings.text.pieces import SIGNS, apart, from_signs, in_signs, pieces

JUDGE = ByteLevel(add_prefix_space=False)
# Python and the package may know different versions of Unicode: what has no kind yet in Python's may be a letter.
KNOWN = [chr(n) for n in range(sys.maxunicode + 1) if unicodedata.category(chr(n)) not in ("Cn", "Cs")]
TELLING = st.text(st.sampled_from(" \n\t\r\u00a0\u3000\x1c\x85'’stdmlverSA1²Ⅷé\u0301日अ٣-_.🙂\u200d½"))


def judged(text):
    return [text[start:end] for _, (start, end) in JUDGE.pre_tokenize_str(text)]


def test_every_character_of_unicode_is_cut_as_the_package_does():
    for first in range(0, len(KNOWN), 1000):
        text = "".join(f"a{sign}1{sign}- {sign}" for sign in KNOWN[first : first + 1000])
        assert list(pieces(text)) == judged(text)
    assert len(KNOWN) > 100_000


@given(st.one_of(TELLING, st.text(st.sampled_from(KNOWN))))
def test_texts_are_cut_as_the_package_does_and_nothing_is_lost(text):
    assert list(pieces(text)) == judged(text)
    assert "".join(pieces(text)) == text


@pytest.mark.parametrize("text", ["I'll we've they're it's I'd I'm can't", "'S 'LL", "x  y", "x \n y", " ", "\n\n", ""])
def test_words_and_spaces(text):
    assert list(pieces(text)) == judged(text)


def test_every_byte_has_the_sign_that_the_package_gives_it():
    text = "".join(KNOWN)
    assert "".join(signs for signs, _ in JUDGE.pre_tokenize_str(text)) == in_signs(text.encode())
    assert sorted(SIGNS) == sorted(ByteLevel.alphabet())


@given(st.binary())
def test_signs_and_bytes_are_one_to_one(content):
    signs = in_signs(content)
    assert len(signs) == len(content)
    assert signs.isprintable()
    assert from_signs(signs) == content


def test_what_is_no_sign_of_a_byte():
    assert from_signs("a b") is None
    assert from_signs("日") is None


def test_special_tokens_are_cut_out_first():
    assert list(apart("<s>a<s><s", ("<s", "<s>"))) == [("<s>", True), ("a", False), ("<s>", True), ("<s", True)]
    assert list(apart("", ("<s>",))) == []
    assert list(apart("a", ())) == [("a", False)]
    assert list(apart("a.b", (".",))) == [("a", False), (".", True), ("b", False)]
