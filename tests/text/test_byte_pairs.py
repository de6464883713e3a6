"""Byte pairs: what is learned, texts that come back, every merge as data, and what is refused."""

import dataclasses
import pickle
import time
import tokenize
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel
from tokenizers.trainers import BpeTrainer

from workings.engine.errors import VocabularyError
from workings.text import BytePairs, Merge, Vocabulary, pad
from workings.text.pieces import from_signs, pieces
from workings.text.tokens import ROLES

SOURCE = Path(tokenize.__file__).read_text(encoding="utf-8")  # Python source that every machine has
PAIRS = BytePairs.learn(SOURCE, 600, special=("<s>", "</s>", "<pad>"))
# Texts in which merges, special tokens and pieces of them are likely.
CODE = st.lists(
    st.sampled_from([*PAIRS.special, "<", "s>", "self", " return", "\r\n", "    ", "é", "e\u0301", "🙂", "a"])
)
TEXTS = st.one_of(st.text(min_size=1), CODE.map("".join).filter(bool))


def refused(call, key):
    with pytest.raises(VocabularyError) as raised:
        call()
    assert key in raised.value.what
    assert all(line.isprintable() for line in str(raised.value).split("\n"))
    return raised.value


# -- there and back ----------------------------------------------------------------------------


@given(TEXTS)
def test_every_text_comes_back_as_it_was(text):
    ids = PAIRS.encode(text)
    assert PAIRS.decode(ids) == text
    assert PAIRS.encode([PAIRS.token(id) for id in ids]) == ids
    assert all(0 <= id < len(PAIRS) for id in ids)


@pytest.mark.parametrize(
    "text", ["\r\n", "\u0301", "e\u0301", "é", "👩\u200d👧", "\x00", "\ufffd", " " * 9, "日本", "\u2028"]
)
def test_nothing_is_brought_into_another_form(text):
    assert BytePairs(()).decode(BytePairs(()).encode(text)) == text
    assert PAIRS.decode(PAIRS.encode(text)) == text


@given(st.lists(st.integers(0, len(PAIRS) - 1)))
def test_any_ids_are_a_text_and_what_is_no_utf8_is_replaced(ids):
    content = b"".join(PAIRS.token(id).encode() if id < 3 else from_signs(PAIRS.token(id)) for id in ids)
    assert PAIRS.decode(ids) == content.decode("utf-8", "replace")


def test_half_a_character_is_replaced():
    assert BytePairs(()).decode([0xF0, 0x9F]) == "\ufffd"
    assert BytePairs(()).decode([0x61, 0xFF, 0x62]) == "a\ufffdb"


@given(TEXTS)
def test_pairs_are_joined_in_the_order_in_which_they_were_learned(text):
    """Judged the slow way: of all pairs in a piece the one that was learned first, again and again."""
    numbers = {merge.pair: merge.number for merge in PAIRS.merges}

    def slowly(piece):
        tokens = [bytes((byte,)) for byte in piece.encode()]
        while found := [(numbers[pair], at) for at, pair in enumerate(pairwise(tokens)) if pair in numbers]:
            _, at = min(found)
            tokens[at : at + 2] = [tokens[at] + tokens[at + 1]]
        return tokens

    text = text.replace("<", "-")  # special tokens are not cut into pieces
    expected = [token for piece in pieces(text) for token in slowly(piece)]
    assert [from_signs(PAIRS.token(id)) for id in PAIRS.encode(text)] == expected


def test_special_tokens_stay_whole():
    pairs = BytePairs.learn("<s>the <s> the", 260, special=("<s>", "<s>>"))
    assert [pairs.token(id) for id in pairs.encode("<s>the<s>><s")] == ["<s>", "the", "<s>>", "<", "s"]
    assert pairs.decode(pairs.encode("<s>the<s>><s")) == "<s>the<s>><s"


def test_a_long_piece_takes_no_longer_for_each_byte():
    pairs = BytePairs.learn("ab" * 50, 262)
    start = time.perf_counter()
    assert pairs.decode(pairs.encode("ab" * 100_000)) == "ab" * 100_000
    assert time.perf_counter() - start < 20  # a quarter of a second for each thousand would be a minute


# -- learning ----------------------------------------------------------------------------------


def slowly_learned(text, count):
    """Merges with their counts, everything counted anew each time; and whether another pair was as frequent."""
    words = [[bytes((byte,)) for byte in piece.encode()] for piece in pieces(text)]
    seen = set()
    while len(seen) < count:
        counts = Counter(pair for word in words for pair in pairwise(word))
        most = max(counts.values(), default=0)
        if most < 2:
            return
        best = min(pair for pair in counts if counts[pair] == most)
        if best not in seen:
            yield best, most, sum(other == most for other in counts.values()) > 1
        seen.add(best)
        for word in words:
            at = 0
            while at < len(word) - 1:
                if (word[at], word[at + 1]) == best:
                    word[at : at + 2] = [word[at] + word[at + 1]]
                at += 1


@given(st.text(st.sampled_from("aab bcé\n1"), min_size=1, max_size=80))
def test_the_most_frequent_pair_is_merged_and_of_equals_the_first_in_order(text):
    pairs = BytePairs.learn(text, 10_000)
    expected = list(slowly_learned(text, 10_000))
    assert [(merge.pair, merge.count) for merge in pairs.merges] == [(pair, count) for pair, count, _ in expected]
    assert [merge.number for merge in pairs.merges] == list(range(1, len(expected) + 1))


def test_python_source_is_learned_as_the_slow_way_learns_it():
    text = SOURCE[:6000]
    expected = [(pair, count) for pair, count, _ in slowly_learned(text, 60)]
    assert [(merge.pair, merge.count) for merge in BytePairs.learn(text, 316).merges] == expected


def test_the_package_learns_the_same_until_two_pairs_are_equally_frequent():
    """The package breaks ties in another way; before the first one, all is decided by the counts."""
    text = SOURCE.replace(" ", "")  # it counts a pair of equal tokens in its own way: runs of spaces
    certain = []
    for pair, _, tie in slowly_learned(text, 60):
        if tie:
            break
        certain.append(pair)
    judge = Tokenizer(BPE())
    judge.pre_tokenizer = ByteLevel(add_prefix_space=False)
    alphabet = ByteLevel.alphabet()
    judge.train_from_iterator(
        [text], BpeTrainer(vocab_size=256 + len(certain), initial_alphabet=alphabet, show_progress=False)
    )
    made = sorted((id, token) for token, id in judge.get_vocab().items() if id >= 256)
    assert len(certain) > 15
    assert [from_signs(token) for _, token in made] == [left + right for left, right in certain]
    assert [merge.pair for merge in BytePairs.learn(text, 256 + len(certain)).merges] == certain


def test_learning_ends_when_nothing_occurs_twice():
    pairs = BytePairs.learn("abcd", 1000)
    assert pairs.merges == ()
    assert len(pairs) == 256
    assert len(BytePairs.learn("abab", 1000)) == 257


def test_nothing_is_learned_from_special_tokens_or_across_pieces():
    assert BytePairs.learn("<pad><pad>x<pad>", 300, special=("<pad>",)).merges == ()
    assert BytePairs.learn("a b a b a b", 300).entries[256:] == ("Ġb", "Ġa")
    refused(lambda: BytePairs.learn("<pad><pad>", 300, special=("<pad>",)), "There is no text here.")


def test_two_ways_to_one_token_are_one_entry():
    merges = (Merge(1, b"b", b"c"), Merge(2, b"a", b"bc"), Merge(3, b"a", b"b"), Merge(4, b"ab", b"c"))
    pairs = BytePairs(merges)
    assert pairs.entries[256:] == ("bc", "abc", "ab")
    assert pairs.encode("abc") == [257]


def test_a_thousand_merges_of_much_source_are_learned_soon():
    text = (SOURCE * 40)[:1_000_000]
    assert len(text) == 1_000_000
    start = time.perf_counter()
    assert len(BytePairs.learn(text, 1256).merges) == 1000
    assert time.perf_counter() - start < 30


# -- merges as data ----------------------------------------------------------------------------


@given(TEXTS)
def test_the_states_lead_from_bytes_to_the_tokens(text):
    merging = PAIRS.merging(text)
    assert merging.ids == PAIRS.encode(text)
    assert "".join(piece.text for piece in merging.pieces) == text
    for piece in merging.pieces:
        first, *others = piece.states
        assert first.merge is None
        if piece.special:
            assert (first.tokens, others) == ((piece.text.encode(),), [])
            continue
        assert first.tokens == tuple(bytes((byte,)) for byte in piece.text.encode())
        for before, after in pairwise(piece.states):
            assert after.tokens == replaced(before.tokens, after.merge)
            assert after.merge in PAIRS.merges
        assert [PAIRS.token(id) for id in piece.ids] == [PAIRS.token(id) for id in PAIRS.encode(piece.text)]


def replaced(tokens, merge):
    """A merge carried out wherever it can be, from left to right."""
    result = []
    for token in tokens:
        if result and (result[-1], token) == merge.pair:
            result[-1] = merge.joined
        else:
            result.append(token)
    return tuple(result)


def test_one_merge_at_several_places_is_one_state():
    pairs = BytePairs.learn("ab ab ab", 257)
    [piece] = pairs.merging("abab").pieces
    assert [(state.merge, state.tokens) for state in piece.states] == [
        (None, (b"a", b"b", b"a", b"b")),
        (pairs.merges[0], (b"ab", b"ab")),
    ]


# -- the same surface as a vocabulary ----------------------------------------------------------


def test_byte_pairs_have_all_that_a_vocabulary_has():
    public = {name for name in dir(Vocabulary) if not name.startswith("_")}
    own = {"words", "characters", "from_text", "tokens", "unit"}  # how it is made, and of what
    assert public - own <= set(dir(BytePairs.learn("a", 256)))
    assert PAIRS.specials == {"padding": 2, "start": 0, "end": 1}
    assert (PAIRS.start, PAIRS.end, PAIRS.padding, PAIRS.mask, PAIRS.unknown) == (0, 1, 2, None, None)
    assert "<s>" in PAIRS
    assert "Ġ" in PAIRS
    assert " " not in PAIRS
    assert 5 not in PAIRS
    assert PAIRS.id("Ġ") == 3 + 32
    assert len(PAIRS) == len(PAIRS.entries) == 600
    assert PAIRS.entries[:3] == ("<s>", "</s>", "<pad>")
    assert pad([PAIRS.encode("self"), PAIRS.encode("🙂")], PAIRS).keep[0][-1] == 0


@pytest.mark.parametrize("token", [token for tokens in ROLES.values() for token in tokens])
def test_special_tokens_have_their_roles(token):
    assert list(BytePairs((), special=(token,)).specials.values()) == [0]


def test_byte_pairs_are_a_value():
    again = BytePairs.learn(SOURCE, 600, special=("<s>", "</s>", "<pad>"))
    assert again == PAIRS
    assert hash(again) == hash(PAIRS)
    assert pickle.loads(pickle.dumps(PAIRS)).encode("self") == PAIRS.encode("self")
    assert BytePairs.learn(SOURCE, 599) != PAIRS
    assert BytePairs(PAIRS.merges, PAIRS.special, PAIRS.entries) == PAIRS
    with pytest.raises(dataclasses.FrozenInstanceError):
        PAIRS.special = ()


def test_another_order_gives_other_ids_and_the_same_text():
    turned = BytePairs(PAIRS.merges, PAIRS.special, tuple(reversed(PAIRS.entries)))
    assert turned.encode("def <s>") == [599 - id for id in PAIRS.encode("def <s>")]
    assert turned.decode(turned.encode("def <s> é")) == "def <s> é"
    assert turned.start == 599


# -- what is refused ---------------------------------------------------------------------------

A, B = Merge(1, b"a", b"b"), Merge(2, b"ab", b"c")
BYTES = BytePairs(()).entries


@pytest.mark.parametrize(
    ("make", "key"),
    [
        (lambda: BytePairs.learn("", 300), "There is no text here."),
        (lambda: BytePairs.learn(b"abc", 300), "A text is a string, not"),
        (lambda: BytePairs.learn(["abc"], 300), "A text is a string, not"),
        (lambda: BytePairs.learn(None, 300), "A text is a string, not"),
        (lambda: BytePairs.learn("a\ud800", 300), "contains half of a character, which no file and no screen"),
        (lambda: BytePairs.learn("abc", 255), "entries are too few: there are 256 bytes and"),
        (lambda: BytePairs.learn("abc", 257, special=("<s>", "</s>")), "entries are too few: there are 256 bytes and"),
        (lambda: BytePairs.learn("abc", -1), "entries are too few: there are 256 bytes and"),
        (lambda: BytePairs.learn("abc", 300.0), "is not the size of a vocabulary: sizes are whole numbers."),
        (lambda: BytePairs.learn("abc", "300"), "is not the size of a vocabulary: sizes are whole numbers."),
        (lambda: BytePairs.learn("abc", True), "is not the size of a vocabulary: sizes are whole numbers."),
        (lambda: BytePairs.learn("abc", None), "is not the size of a vocabulary: sizes are whole numbers."),
        (lambda: BytePairs.learn("abc", 300, special="<s>"), "Tokens are given as a list of strings, not as"),
        (lambda: BytePairs.learn("abc", 300, special=("<s>", "<s>")), "is given twice."),
        (lambda: BytePairs.learn("abc", 300, special=("",)), "(counted from 0) is empty."),
        (lambda: BytePairs.learn("abc", 300, special=("a",)), "is written like a token that is made of bytes."),
        (lambda: BytePairs.learn("é", 300, special=("Ã",)), "is written like a token that is made of bytes."),
        (lambda: BytePairs.learn(" to to", 300, special=("Ġto",)), "is written like a token that is made of bytes."),
        (lambda: BytePairs(None), "Merges are given as a list of Merge records, not as"),
        (lambda: BytePairs((("a", "b"),)), "Merges are given as a list of Merge records, not as"),
        (lambda: BytePairs((B,)), "The merge with the number"),
        (lambda: BytePairs((Merge(1, b"ab", b"c"),)), ", which is neither a byte nor made by another merge."),
        (lambda: BytePairs((Merge(1, b"a", b""),)), ", which is neither a byte nor made by another merge."),
        (lambda: BytePairs((A, Merge(2, b"a", b"b"))), ", as another merge does already."),
        (lambda: BytePairs((A,), order=BYTES), "too often, or not at all."),
        (lambda: BytePairs((), order=(*BYTES, "x")), "too often, or not at all."),
        (lambda: BytePairs((), order=(*BYTES[:-1], "日")), "too often, or not at all."),
    ],
)
def test_byte_pairs_that_cannot_be_are_refused(make, key):
    assert refused(make, key).hint


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("", "There is no text here."),
        ([], "There is no text here."),
        (None, "A text is a string, not"),
        (b"self", "A text is a string, not"),
        (["self", 5], "Tokens are given as a list of strings, not as"),
        (["日"], "is not a token of this vocabulary."),
        ("\ud800", "contains half of a character, which no file and no screen"),
    ],
)
def test_a_text_that_is_none_is_refused(text, key):
    assert refused(lambda: PAIRS.encode(text), key).hint
    if not isinstance(text, list):
        assert refused(lambda: PAIRS.merging(text), key).hint


@pytest.mark.parametrize(
    ("ids", "key"),
    [
        ([600], "is outside the vocabulary of"),
        ([-1], "is outside the vocabulary of"),
        (["a"], "is not an id: ids are whole numbers."),
    ],
)
def test_ids_outside_are_refused(ids, key):
    assert refused(lambda: PAIRS.decode(ids), key).hint
    assert refused(lambda: PAIRS.token(ids[0]), key).hint


def test_sizes_and_ids_may_come_from_an_array():
    assert len(BytePairs.learn("abab", numpy.int64(257))) == 257
    assert PAIRS.decode(numpy.array([3 + 97])) == "a"


def test_an_unknown_token_is_named_with_its_place():
    error = refused(lambda: PAIRS.encode(["self", " return"]), "is not a token of this vocabulary.")
    assert error.where == "position 1 of the text, counted from 0"
    assert "' return'" in error.what
    assert "Ġ" in error.hint
