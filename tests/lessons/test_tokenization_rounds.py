"""The rounds of the lesson on tokens are those of its text: neighbors, tokens and merges follow from it."""

from itertools import pairwise

import pytest

from workings.lessons.lesson import lesson
from workings.text import BytePairs

TEXT = "banana bandana"
ROUNDS = ("default", "second", "third", "fourth")
PAIRS = BytePairs.learn(TEXT, 1000)


def tokens_after(merges):
    """The tokens of each piece after so many merges."""
    for piece in PAIRS.merging(TEXT).pieces:
        yield [state for state in piece.states if state.merge is None or state.merge.number <= merges][-1].tokens


@pytest.mark.parametrize(("merges", "run"), list(enumerate(ROUNDS)))
def test_a_round_counts_the_neighbors_of_the_text(merges, run):
    written = lesson("tokenization").build()
    trace, rows = written.page.trace(run), list(tokens_after(merges))
    known = sorted({token for row in rows for token in row})
    neighbors = [pair for row in rows for pair in pairwise(row)]
    assert trace["left"].value.tolist() == [known.index(left) for left, _ in neighbors]
    assert trace["right"].value.tolist() == [known.index(right) for _, right in neighbors]
    words = tuple(token.decode().replace(" ", "␣") for token in known)
    assert written.page.labels(run)["left"] == written.page.labels(run)["right"] == words
    most = divmod(int(trace["place"].value), len(known))
    if merges < len(PAIRS.merges):
        merge = PAIRS.merges[merges]
        assert tuple(known[place] for place in most) == merge.pair
        assert trace["largest"].value.tolist() == [merge.count]
    else:
        assert trace["largest"].value.tolist() == [1]


def test_there_are_as_many_rounds_as_merges_and_one_more():
    assert len(ROUNDS) == len(PAIRS.merges) + 1
    assert PAIRS.merging("banana").pieces[0].states[-1].tokens == (b"ban", b"ana")  # the two rows of rows.yaml
