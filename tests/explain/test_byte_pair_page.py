"""The pages about byte pairs: every state and every count on them is that of the vocabulary."""

import io

import pytest

from workings.document.blocks import plain_text
from workings.engine.errors import VocabularyError
from workings.explain.byte_pair_page import learning_document, merging_document, token_text
from workings.render.markdown import to_markdown
from workings.render.terminal import show
from workings.text import BytePairs, Merge

TEXT = "low lower lowest slow slower"
PAIRS = BytePairs.learn(TEXT, 264, special=("<s>",))


def tables(document):
    """Every table as rows of plain texts, with no-break spaces as spaces."""
    return [
        [tuple(plain_text(cell).replace("\u00a0", " ") for cell in row) for row in block.rows]
        for block in document.blocks
        if block.kind == "table"
    ]


def texts(document):
    return [plain_text(block.spans) for block in document.blocks if block.kind == "text"]


def test_a_text_is_shown_merge_by_merge():
    document = merging_document(PAIRS, "<s>lower low lower")
    pieces = PAIRS.merging("<s>lower low lower").pieces
    tokens = len(PAIRS.encode("<s>lower low lower"))
    assert f"Characters: 18, bytes: 18, pieces: 4, tokens: {tokens}." in texts(document)[0]
    overview, *one_by_one = tables(document)
    assert [row[0] for row in overview] == ["'<s>'", "'lower'", "' low'", "' lower'"]
    assert [row[1] for row in overview] == [" ".join(map(str, piece.ids)) for piece in pieces]
    assert [block.text for block in document.blocks if block.kind == "heading"] == [
        row[0].replace(" ", "\u00a0") for row in overview
    ]
    assert "A special token stays whole." in texts(document)
    for piece, rows in zip(pieces[1:], one_by_one, strict=True):
        assert rows[0] == ("", "bytes", " ".join(f"'{sign}'" for sign in piece.text))
        assert [row[0] for row in rows[1:]] == [str(state.merge.number) for state in piece.states[1:]]
        assert rows[-1][2] == " ".join(token_text(token).replace("\u00a0", " ") for token in piece.states[-1].tokens)


def test_equal_pieces_are_shown_once_and_many_are_left_out():
    assert len(tables(merging_document(PAIRS, " low" * 50))) == 2
    document = merging_document(PAIRS, "1 2 3 4 5", most=2)
    assert tables(document) == [[("'1'", "50", "'1'"), ("' 2'", "33 51", "' ' '2'")]]
    assert "Not shown: 3 more different pieces, merged in the same way." in texts(document)
    assert texts(document).count("No merge applies here.") == 2


def test_learned_merges_are_shown_with_their_counts():
    [rows] = tables(learning_document(PAIRS))
    assert rows[0] == ("1", "'l'", "'o'", "'lo'", str(TEXT.count("lo")))
    assert rows == [
        (str(merge.number), *(repr(part.decode()) for part in (*merge.pair, merge.joined)), str(merge.count))
        for merge in PAIRS.merges
    ]
    made = len(PAIRS) - 257
    assert texts(learning_document(PAIRS))[0] == (
        f"Entries of the vocabulary: {len(PAIRS)} (bytes: 256, special tokens: 1, merged tokens: {made})."
    )


@pytest.mark.parametrize("most", [1, 2, 3, 4, 5, 6, 7, 8])
def test_of_many_merges_the_first_and_the_last_are_shown(most):
    document = learning_document(PAIRS, most)
    numbers = [int(row[0]) for rows in tables(document) for row in rows]
    assert len(numbers) == min(most, len(PAIRS.merges))
    assert numbers == sorted(set(numbers))
    left_out = len(PAIRS.merges) - len(numbers)
    assert (f"Not shown: {left_out} merges." in texts(document)) == (left_out > 0)
    assert 1 in numbers
    assert (len(PAIRS.merges) in numbers) == (most >= 4)


def test_merges_without_counts_have_no_column_of_counts():
    document = learning_document(BytePairs((Merge(1, b"a", b"b"),)))
    assert tables(document) == [[("1", "'a'", "'b'", "'ab'")]]
    assert "is not known here" in texts(document)[1]
    assert tables(learning_document(BytePairs(()))) == []


def test_a_part_of_a_character_is_shown_as_bytes():
    assert token_text("é".encode()) == "'é'"
    assert token_text("é".encode()[:1]) == r"b'\xc3'"
    assert token_text(b" a  b\n") == "'\u00a0a\u00a0\u00a0b\\n'"


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_the_pages_can_be_printed(width, encoding):
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    for document in (merging_document(PAIRS, "<s>slow é|🙂\n\x1b[0m"), learning_document(PAIRS)):
        show(document, stream, width)
        assert to_markdown(document).startswith(f"# {document.title}\n")
    stream.seek(0)
    printed = stream.read()
    assert "'slow'" in printed
    assert "\x1b" not in printed


@pytest.mark.parametrize("text", ["", None, b"low"])
def test_input_that_is_not_text_is_rejected(text):
    with pytest.raises(VocabularyError):
        merging_document(PAIRS, text)
