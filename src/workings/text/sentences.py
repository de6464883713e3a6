"""The sentences about text and vocabularies, under stable keys. See engine/sentences.py for how they are found."""

from __future__ import annotations

from ..engine.sentences import add_sentences, say

add_sentences("text", {"position": "position {position} of the text, counted from 0"})

# What can go wrong, and what to try.
add_sentences(
    "error",
    {
        "vocabulary.word": "The word {token} is not in the vocabulary.",
        "vocabulary.word.try": "Nearest in the vocabulary: {nearest}. Or put <unk>, for all unknown "
        "words, among its special tokens.",
        "vocabulary.character": "The character {token} is not in the vocabulary.",
        "vocabulary.character.try": "The vocabulary has {known}. Or put <unk>, for all unknown "
        "characters, among its special tokens.",
        "vocabulary.case": "{token} is not in the vocabulary, but it is there in another case: {other}.",
        "vocabulary.case.try": "Write it as in the vocabulary: small and capital letters are different here.",
        "vocabulary.text": "A text is a string; this is of the type {type}.",
        "vocabulary.text.try": 'Write it in quotes: "hello world".',
        "vocabulary.tokens": "Tokens are given as a list of strings; here stands something of the type {type}.",
        "vocabulary.tokens.try": 'Give a list or a tuple, such as ["hello", "world"]. In a set they have no order.',
        "vocabulary.broken": "{text} contains half of a character, which no file and no screen can hold.",
        "vocabulary.broken.try": "Look at how the text was read: it should be decoded as UTF-8.",
        "vocabulary.nothing": "There is no text here.",
        "vocabulary.nothing.try": "Give at least one word or character.",
        "vocabulary.empty": "The vocabulary has no tokens besides the special ones.",
        "vocabulary.empty.try": "Give it at least one word or character.",
        "vocabulary.unit": "A vocabulary cannot be of the unit {unit}.",
        "vocabulary.unit.try": "What fits: word, character.",
        "vocabulary.twice": "The token {token} is given twice.",
        "vocabulary.twice.try": "Leave one out, or collect the tokens of a text, each once, with Vocabulary.from_text.",
        "vocabulary.blank": "Token {position} (counted from 0) is empty.",
        "vocabulary.blank.try": "Leave it out: a token has at least one character.",
        "vocabulary.space": "The word {token} has white space in it; texts are split there, so no text has it.",
        "vocabulary.space.try": "Give the words one by one, or use a vocabulary of characters.",
        "vocabulary.long": "{token} is more than one character.",
        "vocabulary.long.try": "Give single characters, or name it as a special token: special=({token},).",
        "vocabulary.id": "The id {id} is outside the vocabulary of {size} tokens.",
        "vocabulary.id.try": "Ids count from 0 to {last}.",
        "vocabulary.whole": "{id} is not an id: ids are whole numbers.",
        "vocabulary.whole.try": "Encode the text first: vocabulary.encode(text).",
        "vocabulary.ids": "Ids are given as a list; this is of the type {type}.",
        "vocabulary.ids.try": "Give a list such as [0, 2, 1].",
        "vocabulary.rows": "The texts to fill up are given as a list of rows; this is of the type {type}.",
        "vocabulary.rows.try": "Give a list of encoded texts, such as [[0, 2, 1], [3]].",
        "vocabulary.no_rows": "There are no texts to fill up.",
        "vocabulary.no_rows.try": "Give at least one encoded text.",
        "vocabulary.empty_row": "Text {row} (counted from 0) has no tokens: nothing but padding would be left of it.",
        "vocabulary.empty_row.try": "Leave it out.",
        "vocabulary.padding": "The vocabulary has no padding token to fill texts up with.",
        "vocabulary.padding.try": 'Make it with special=("<pad>",).',
    },
)

__all__ = ["say"]
