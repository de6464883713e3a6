"""Text into tokens and back; what a vocabulary refuses."""

import dataclasses
import pickle
import unicodedata

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

import workings as w
from workings.engine.errors import VocabularyError
from workings.text import Vocabulary, pad
from workings.text.tokens import ROLES

SPECIAL = ("<unk>", "<pad>", "<s>", "</s>")
WORDS = Vocabulary.words("hello world good")


def normal(text):
    return unicodedata.normalize("NFC", text)


def refused(call, key):
    with pytest.raises(VocabularyError) as raised:
        call()
    assert key in raised.value.what
    assert all(line.isprintable() for line in str(raised.value).split("\n"))
    return raised.value


# -- there and back ----------------------------------------------------------------------------

WORDY = st.text().filter(lambda text: text.split())
FULL = st.text(min_size=1)
# Texts in which special tokens, pieces of them, and marks that join the character before them are likely.
MIXED = st.lists(st.sampled_from([*SPECIAL, "<", "s>", "/", "a", "e", "\u0301", "\u0338", " ", "\n", "🙂"]), min_size=1)


@given(WORDY)
def test_words_come_back_with_one_space_between_them(text):
    vocabulary = Vocabulary.from_text(text)
    ids = vocabulary.encode(text)
    assert vocabulary.decode(ids) == " ".join(normal(text).split())
    assert vocabulary.encode(vocabulary.decode(ids)) == ids
    assert vocabulary.encode([vocabulary.token(id) for id in ids]) == ids


@given(FULL)
def test_characters_come_back_as_they_were(text):
    vocabulary = Vocabulary.from_text(text, unit="character")
    ids = vocabulary.encode(text)
    assert vocabulary.decode(ids) == normal(text)
    assert len(ids) == len(normal(text))
    assert vocabulary.tokens == tuple(dict.fromkeys(normal(text)))


@given(MIXED)
def test_characters_and_special_tokens_come_back_as_they_were(parts):
    text = "".join(["x", *parts])  # a text of special tokens alone has no characters
    vocabulary = Vocabulary.from_text(text, unit="character", special=SPECIAL)
    ids = vocabulary.encode(text)
    assert vocabulary.decode(ids) == normal(text)
    assert [id for id in ids if id < 4] == [SPECIAL.index(part) for part in reference_specials(normal(text))]


def reference_specials(text):
    """The special tokens of a text from left to right, found letter by letter."""
    while text:
        found = next((token for token in SPECIAL if text.startswith(token)), text[0])
        if found in SPECIAL:
            yield found
        text = text[len(found) :]


@given(st.lists(st.sampled_from(["hello", "world", "moon", "Hello"]), min_size=1))
def test_unknown_words_become_the_unknown_token_and_nothing_else_does(words):
    vocabulary = Vocabulary.words("hello world", special=("<pad>", "<unk>"))
    known = {"hello": 2, "world": 3}
    assert vocabulary.encode(" ".join(words)) == [known.get(word, 1) for word in words]


def test_accents_and_emoji():
    composed, apart = "caf\u00e9", "cafe\u0301"
    vocabulary = Vocabulary.from_text(apart, unit="character")
    assert vocabulary.tokens == ("c", "a", "f", "\u00e9")
    assert vocabulary.encode(composed) == vocabulary.encode(apart) == [0, 1, 2, 3]
    assert "e\u0301" in vocabulary
    assert Vocabulary.words(apart).id(composed) == 0
    assert len(Vocabulary.characters("x\u0301").tokens) == 2  # there is no x with an accent in one character
    family = "👩\u200d👧"
    assert Vocabulary.from_text(family, unit="character").tokens == ("👩", "\u200d", "👧")


# -- numbers of tokens -------------------------------------------------------------------------


def test_special_tokens_come_first_in_their_order():
    vocabulary = Vocabulary.words("hello world", special=("<pad>", "<unk>"))
    assert vocabulary.entries == ("<pad>", "<unk>", "hello", "world")
    assert len(vocabulary) == 4
    assert [vocabulary.id(token) for token in vocabulary.entries] == [0, 1, 2, 3]
    assert [vocabulary.token(id) for id in range(4)] == list(vocabulary.entries)


def test_a_special_token_among_the_tokens_keeps_its_place():
    vocabulary = Vocabulary(("a", "<s>", "b"), "character", ("<s>", "</s>"))
    assert vocabulary.entries == ("</s>", "a", "<s>", "b")
    assert vocabulary.encode("<s>ab</s>") == [2, 1, 3, 0]


def test_of_special_tokens_that_begin_alike_the_longest_is_taken():
    vocabulary = Vocabulary.characters("ab", special=("<a", "<a>", "<"))
    assert [vocabulary.token(id) for id in vocabulary.encode("<a><ab<b")] == ["<a>", "<a", "b", "<", "b"]


def test_the_signs_of_special_tokens_mean_themselves():
    vocabulary = Vocabulary.characters("PAD[]", special=("[PAD]", ".*"))
    assert [vocabulary.token(id) for id in vocabulary.encode("PAD[PAD].*")] == ["P", "A", "D", "[PAD]", ".*"]
    refused(lambda: vocabulary.encode("x"), "is not in the vocabulary.")


def test_special_tokens_are_collected_from_a_text_as_special():
    assert Vocabulary.from_text("b a b </s>", special=("</s>",)).entries == ("</s>", "b", "a")
    assert Vocabulary.from_text("ba<s>\nb", unit="character", special=("<s>",)).entries == ("<s>", "b", "a", "\n")


def test_what_is_in_a_vocabulary():
    assert "hello" in WORDS
    assert "Hello" not in WORDS
    assert "<unk>" not in WORDS
    assert 0 not in WORDS
    assert None not in WORDS


@pytest.mark.parametrize("tokens", [["a", "b"], ("a", "b"), iter("ab"), numpy.array(["a", "b"]), "a\n b "])
def test_tokens_may_be_given_as_a_text_or_in_any_kind_of_list(tokens):
    assert Vocabulary.words(tokens) == Vocabulary(("a", "b"))


def test_a_vocabulary_is_a_value():
    again = Vocabulary.words(["hello", "world", "good"])
    assert again == WORDS
    assert hash(again) == hash(WORDS)
    assert pickle.loads(pickle.dumps(WORDS)).encode("good") == [2]
    assert Vocabulary.words("hello world") != WORDS
    with pytest.raises(dataclasses.FrozenInstanceError):
        WORDS.unit = "character"


# -- roles -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("role", "token"), [(role, token) for role, tokens in ROLES.items() for token in tokens])
@pytest.mark.parametrize("unit", ["word", "character"])
def test_special_tokens_are_known_by_their_text(role, token, unit):
    vocabulary = Vocabulary(("x", "y"), unit, ("<other>", token))
    assert vocabulary.specials == {role: 1}
    assert [getattr(vocabulary, name) for name in ROLES] == [1 if name == role else None for name in ROLES]


def test_each_of_several_special_tokens_has_its_role():
    vocabulary = Vocabulary.words("hello [SEP]", special=("[CLS]", "[PAD]", "[MASK]", "[UNK]", "<unk>"))
    assert vocabulary.specials == {"unknown": 4, "padding": 1, "mask": 2, "start": 0, "end": 6}
    assert vocabulary.encode("[CLS] hello nobody [SEP]") == [0, 5, 4, 6]
    assert WORDS.specials == {}


def test_of_several_special_tokens_for_one_role_the_first_of_the_roles_has_it():
    vocabulary = Vocabulary.words("x", special=[token for tokens in ROLES.values() for token in reversed(tokens)])
    assert vocabulary.specials == {"unknown": 1, "padding": 3, "mask": 5, "start": 7, "end": 10}
    assert [vocabulary.token(id) for id in vocabulary.specials.values()] == ["<unk>", "<pad>", "<mask>", "<s>", "</s>"]


# -- unknown tokens ----------------------------------------------------------------------------


def test_an_unknown_word_is_named_with_its_place_and_the_nearest_words():
    error = refused(lambda: WORDS.encode("hello wrold"), "is not in the vocabulary.")
    assert str(error) == (
        "The word 'wrold' is not in the vocabulary.\n"
        "  where: position 1 of the text, counted from 0\n"
        "  given: 'hello wrold'\n"
        "  try:   Did you mean world? Its words: hello, world, good. Or add the special token <unk> for all "
        "unknown words."
    )
    assert refused(lambda: WORDS.encode(["good", "hello world"]), "is not in the vocabulary.").where.startswith(
        "position 1 "
    )
    assert refused(lambda: WORDS.id("moon"), "is not in the vocabulary.").where == ""


def test_of_a_long_text_only_what_stands_around_is_shown():
    error = refused(lambda: WORDS.encode("good " * 100 + "moon" + " hello" * 100), "is not in the vocabulary.")
    assert error.where.startswith("position 100 ")
    assert error.given == f"'…{'good ' * 8}moon{' hello' * 8}…'"
    assert len(str(refused(lambda: WORDS.encode("m" * 100_000), "is not in the vocabulary."))) < 400


def test_a_word_known_in_another_case_is_shown():
    error = refused(lambda: WORDS.encode("good World"), "is not in the vocabulary, but it is there in another case:")
    assert error.what == "'World' is not in the vocabulary, but it is there in another case: world."
    letters = Vocabulary.characters("aÄ")
    refused(lambda: letters.encode("aA"), "is not in the vocabulary, but it is there in another case: a.")
    refused(lambda: letters.encode("aa\u0308"), "'ä' is not in the vocabulary, but it is there in another case: Ä.")


def test_an_unknown_character_is_named_with_its_place_and_the_known_ones():
    error = refused(
        lambda: Vocabulary.characters("ab \n", special=("<s>",)).encode("<s>a\n?b"), "is not in the vocabulary."
    )
    assert str(error) == (
        "The character '?' is not in the vocabulary.\n"
        "  where: position 3 of the text, counted from 0\n"
        "  given: '<s>a\\n?b'\n"
        "  try:   The vocabulary has '<s>' 'a' 'b' ' ' '\\n'. Or put <unk>, for all unknown "
        "characters, among its special tokens."
    )


# -- what is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "key"),
    [
        (lambda: Vocabulary(()), "The vocabulary has no tokens besides the special ones."),
        (lambda: Vocabulary.words(""), "The vocabulary has no tokens besides the special ones."),
        (lambda: Vocabulary.characters(""), "The vocabulary has no tokens besides the special ones."),
        (lambda: Vocabulary.words([], special=("<unk>",)), "The vocabulary has no tokens besides the special ones."),
        (lambda: Vocabulary(("<s>",), special=("<s>",)), "The vocabulary has no tokens besides the special ones."),
        (lambda: Vocabulary.words("the cat the"), "is given twice."),
        (lambda: Vocabulary.characters("hello"), "is given twice."),
        (lambda: Vocabulary.words("cat", special=("<s>", "<s>")), "is given twice."),
        (lambda: Vocabulary.words(["\u00e9", "e\u0301"]), "is given twice."),
        (lambda: Vocabulary.words(["cat", ""]), "(counted from 0) is empty."),
        (lambda: Vocabulary.characters("a", special=("",)), "(counted from 0) is empty."),
        (lambda: Vocabulary.from_text("a", unit="character", special=("",)), "(counted from 0) is empty."),
        (lambda: Vocabulary.words(["new york"]), "contains white space; texts are split there, so it never"),
        (lambda: Vocabulary.words(["cat\n"]), "contains white space; texts are split there, so it never"),
        (lambda: Vocabulary.words(["\u2003"]), "contains white space; texts are split there, so it never"),
        (
            lambda: Vocabulary.words("cat", special=("<end of text>",)),
            "contains white space; texts are split there, so it never",
        ),
        (lambda: Vocabulary.characters(["a", "bc"]), "is more than one character."),
        (lambda: Vocabulary.characters(["\u0958"]), "is more than one character."),  # NFC takes it apart
        (lambda: Vocabulary(("a",), "letter"), "A vocabulary cannot be of the unit"),
        (lambda: Vocabulary.from_text("a", unit=["word"]), "A vocabulary cannot be of the unit"),
        (lambda: Vocabulary.words("cat", special="<unk>"), "Tokens are given as a list of strings, not as"),
        (lambda: Vocabulary("abc", "character"), "Tokens are given as a list of strings, not as"),
        (lambda: Vocabulary.words({"cat", "dog"}), "Tokens are given as a list of strings, not as"),
        (lambda: Vocabulary.words({"cat": 0, "dog": 1}), "Tokens are given as a list of strings, not as"),
        (lambda: Vocabulary.words(["cat", 1]), "Tokens are given as a list of strings, not as"),
        (lambda: Vocabulary.words(None), "Tokens are given as a list of strings, not as"),
        (lambda: Vocabulary.words(b"cat"), "Tokens are given as a list of strings, not as"),
        (lambda: Vocabulary.words(numpy.array("cat")), "Tokens are given as a list of strings, not as"),
        (lambda: Vocabulary.characters("a\ud800"), "contains half of a character, which no file and no screen"),
        (lambda: Vocabulary.from_text(""), "There is no text here."),
        (lambda: Vocabulary.from_text(" \n "), "There is no text here."),
        (lambda: Vocabulary.from_text(["a", "b"]), "A text is a string, not"),
    ],
)
def test_a_vocabulary_that_cannot_be_used_is_refused(make, key):
    assert refused(make, key).hint


def test_a_special_token_of_characters_may_contain_white_space():
    vocabulary = Vocabulary.characters("ab", special=("<end of text>",))
    assert vocabulary.encode("ab<end of text>") == [1, 2, 0]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("", "There is no text here."),
        (" \t\n", "There is no text here."),
        ([], "There is no text here."),
        (None, "A text is a string, not"),
        (5, "A text is a string, not"),
        (b"hello", "A text is a string, not"),
        (["hello", 5], "Tokens are given as a list of strings, not as"),
        ({"hello"}, "Tokens are given as a list of strings, not as"),
        ("hello \ud800", "contains half of a character, which no file and no screen"),
    ],
)
def test_a_text_that_is_none_is_refused(text, key):
    assert refused(lambda: WORDS.encode(text), key).hint


@pytest.mark.parametrize(
    ("ids", "key"),
    [
        ([0, 3], "is outside the vocabulary of"),
        ([-1], "is outside the vocabulary of"),
        ([10**30], "is outside the vocabulary of"),
        ([1.0], "is not an id: ids are whole numbers."),
        ([True], "is not an id: ids are whole numbers."),
        (["hello"], "is not an id: ids are whole numbers."),
        ([None], "is not an id: ids are whole numbers."),
        ([[0, 1]], "is not an id: ids are whole numbers."),
        (numpy.array([[0, 1]]), "is not an id: ids are whole numbers."),
        (numpy.array([0.5]), "is not an id: ids are whole numbers."),
        (numpy.array(1), "Ids are given as a list, not as"),
        ("012", "Ids are given as a list, not as"),
        (b"\x00\x01", "Ids are given as a list, not as"),  # Python counts its bytes as whole numbers
        (2, "Ids are given as a list, not as"),
        (None, "Ids are given as a list, not as"),
    ],
)
def test_ids_that_are_none_are_refused(ids, key):
    assert refused(lambda: WORDS.decode(ids), key).hint


def test_the_range_of_ids_is_told():
    error = refused(lambda: WORDS.token(3), "is outside the vocabulary of")
    assert (error.what, error.hint) == ("The id 3 is outside the vocabulary of 3 tokens.", "Ids count from 0 to 2.")


def test_ids_may_come_from_an_array():
    assert WORDS.decode(numpy.array([2, 0])) == "good hello"
    assert WORDS.token(numpy.int64(1)) == "world"
    assert WORDS.decode([]) == ""


# -- padding -----------------------------------------------------------------------------------

PADDED = Vocabulary.words("hello world good", special=("<unk>", "<pad>"))


@given(st.lists(st.lists(st.sampled_from([0, 2, 3, 4]), min_size=1), min_size=1))
def test_padding_fills_up_on_the_right_and_marks_what_it_added(rows):
    ids, keep = pad(rows, PADDED)
    longest = max(map(len, rows))
    for row, filled, marks in zip(rows, ids, keep, strict=True):
        assert len(filled) == len(marks) == longest
        assert filled[: len(row)] == row
        assert set(filled[len(row) :]) <= {PADDED.padding}
        assert marks == [1] * len(row) + [0] * (longest - len(row))


def test_the_rows_that_were_given_stay_as_they_were():
    rows = [[2, 3], [4]]
    ids, _ = pad(rows, PADDED)
    ids[0][0] = 0
    assert rows == [[2, 3], [4]]


def test_padding_that_stood_in_a_text_is_not_kept():
    assert pad([PADDED.encode("<pad> good"), PADDED.encode("hello hello world")], PADDED).keep == [[0, 1, 0], [1, 1, 1]]


def test_padding_fits_the_padding_mask():
    ids, keep = pad([PADDED.encode("hello good world"), PADDED.encode("hello")], PADDED)
    scores = w.given(numpy.ones((2, 3, 3)), "batch query key")
    weights = w.ops.softmax(w.ops.padding_mask(scores, w.constant(keep, "batch key"))).array
    assert w.ids(ids, "batch token").array.dtype == numpy.int64
    assert weights[1].tolist() == [[1.0, 0.0, 0.0]] * 3
    assert numpy.allclose(weights[0], 1 / 3)


@pytest.mark.parametrize(
    ("rows", "vocabulary", "key"),
    [
        ([[0]], WORDS, "The vocabulary has no padding token to pad texts with."),
        ([], PADDED, "There are no texts to pad."),
        ([[0], []], PADDED, "(counted from 0) has no tokens: it would be nothing but padding."),
        ([[0], [5]], PADDED, "is outside the vocabulary of"),
        (["hello", "good world"], PADDED, "Ids are given as a list, not as"),
        ([0, 1], PADDED, "Ids are given as a list, not as"),
        ("hello", PADDED, "The texts to pad are given as a list of rows, not as"),
        (None, PADDED, "The texts to pad are given as a list of rows, not as"),
    ],
)
def test_rows_that_cannot_be_filled_up_are_refused(rows, vocabulary, key):
    assert refused(lambda: pad(rows, vocabulary), key).hint
