"""Tokens as text, piece by piece."""

from hypothesis import given
from hypothesis import strategies as st

from workings.generation.stream import pieces
from workings.text.byte_pairs import BytePairs
from workings.text.vocabulary import Vocabulary


def test_words_have_a_space_between_them():
    vocabulary = Vocabulary.words("the cat sat")
    assert list(pieces(vocabulary, [0, 1, 2])) == ["the", " cat", " sat"]
    assert list(pieces(vocabulary, [2], [0, 1])) == [" sat"]
    assert list(pieces(vocabulary, [], [0, 1])) == []


def test_pieces_come_before_the_next_token_is_asked_for():
    asked = []

    def tokens():
        for id in (2, 0, 1):
            asked.append(id)
            yield id

    stream = pieces(Vocabulary.characters("abc"), tokens())
    assert next(stream) == "c"
    assert asked == [2]


BYTES = BytePairs.learn("größer und größer, 🙂 🙂 für alle", 280)


@given(st.lists(st.integers(0, len(BYTES) - 1), max_size=12))
def test_together_the_pieces_are_the_whole_text_even_of_bytes_that_are_no_character(ids):
    assert "".join(pieces(BYTES, ids)) == (BYTES.decode(ids) if ids else "")


def test_a_part_of_a_character_waits_for_the_others():
    ids = [*BYTES.encode("ab"), *"🙃".encode(), *BYTES.encode("c")]
    assert list(pieces(BYTES, ids)) == ["a", "b", "🙃", "c"]
    assert list(pieces(BYTES, ids[:-2])) == ["a", "b", "\ufffd"]
