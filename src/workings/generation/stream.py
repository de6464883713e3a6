"""Tokens as text, piece by piece as they are generated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..text.tokens import Tokens

INCOMPLETE = "\ufffd"  # how a character is decoded while some of its bytes are missing


def pieces(vocabulary: Tokens, tokens: Iterable[int], before: Sequence[int] = ()) -> Iterator[str]:
    """The text that each token adds to the tokens `before`. A token that is only part of a character waits for the
    rest of it.

    >>> from workings.text.vocabulary import Vocabulary
    >>> list(pieces(Vocabulary.words("the cat sat"), [1, 2], before=[0]))
    [' cat', ' sat']
    """
    ids = list(before)
    shown = vocabulary.decode(ids) if ids else ""
    for token in tokens:
        ids.append(token)
        text = vocabulary.decode(ids)
        if not text.endswith(INCOMPLETE):
            yield text[len(shown) :]
            shown = text
    if ids and len(text := vocabulary.decode(ids)) > len(shown):
        yield text[len(shown) :]
