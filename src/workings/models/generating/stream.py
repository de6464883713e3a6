"""Tokens as text, piece by piece as they come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...text.tokens import Tokens

UNFINISHED = "\ufffd"  # what a character is shown as while some of its bytes are missing


def pieces(vocabulary: Tokens, tokens: Iterable[int], before: Sequence[int] = ()) -> Iterator[str]:
    """The text of each token as it comes after the tokens before. A token may be a part of a character only: it waits
    for the others.

    >>> from workings.text.vocabulary import Vocabulary
    >>> list(pieces(Vocabulary.words("the cat sat"), [1, 2], before=[0]))
    [' cat', ' sat']
    """
    ids = list(before)
    shown = vocabulary.decode(ids) if ids else ""
    for token in tokens:
        ids.append(token)
        text = vocabulary.decode(ids)
        if not text.endswith(UNFINISHED):
            yield text[len(shown) :]
            shown = text
    if ids and len(text := vocabulary.decode(ids)) > len(shown):
        yield text[len(shown) :]
