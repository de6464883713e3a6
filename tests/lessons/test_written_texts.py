"""The directives `written` and `choice`: what they show, and what they refuse."""

import pytest

from workings.document.blocks import Number, Table, plain_text
from workings.engine.errors import LessonError
from workings.lessons.lesson import lesson

LESSON = """---
title: Writing
---
:::{scenario}
scenario: 1
vocabulary: {tokens: the cat sat down, special: [<s>]}
model: {kind: decoder, width: 4, head: last-token}
parameters: {seed: 3}
data: {input: the}
runs:
  greedy: {data: null, generate: {prompt: <s> the, max_new_tokens: 2, greedy: true}}
  drawn: {data: null, generate: {prompt: <s> the, max_new_tokens: 2, temperature: 2, seed: 4}}
  beams: {data: null, generate: {prompt: <s>, max_new_tokens: 2, beams: 2}}
:::

"""


def tables(tmp_path, text):
    file = tmp_path / "writing.md"
    file.write_text(LESSON + text)
    return [block for block in lesson(file).document.blocks if isinstance(block, Table)]


def test_a_written_text_is_a_table_with_a_row_for_each_token(tmp_path):
    text = ":::{written} greedy\n:shown: 2\n:title: Greedy\n:::\n:::{written} drawn\n:::\n:::{written} beams\n:::\n"
    greedy, drawn, beams = tables(tmp_path, text)
    assert greedy.title == "Greedy"
    assert greedy.headings == ("text so far", "most likely next tokens", "chosen")
    assert "drawn" in drawn.headings
    for table, count in ((greedy, 2), (drawn, 3)):
        first, second = table.rows
        assert plain_text(second[0]) == f"'<s> the {plain_text(first[-1])[1:-1]}'"
        shares = [span for span in first[1] if isinstance(span, Number)]
        assert count <= len(shares) <= count + 1  # the chosen one may stand behind the likeliest
        likeliest = [share.value for share in shares[:count]]
        assert likeliest == sorted(likeliest, reverse=True)
        assert all(share.step.startswith(("greedy:", "drawn:")) for share in shares)
    assert plain_text(greedy.rows[0][1]).startswith(plain_text(greedy.rows[0][-1]))  # the likeliest is taken
    assert len(beams.rows) == 4


def test_one_choice_is_shown_with_all_candidates(tmp_path):
    (table,) = tables(tmp_path, ":::{choice} 2\n:run: drawn\n:::\n")
    assert table.headings == ("token", "logit", "divided", "probability", "running total")
    assert len(table.rows) == 5
    assert [plain_text(row[0]) for row in table.rows if "chosen" in plain_text(row[0])]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (":::{written}\n:::", "The run default writes no text."),
        (":::{written} greedi\n:::", "There is no run 'greedi'."),
        (":::{written} greedy\n:shown: 0\n:::", "number of candidates in a row, not '0'."),
        (":::{choice} 3\n:run: greedy\n:::", "There is no token 3 to show: the run greedy chose 2"),
        (":::{choice} one\n:run: greedy\n:::", "There is no token one to show"),
        (":::{choice} 1\n:run: beams\n:::", "the run beams chose 0"),
        (":::{choice} 1\n:::", "The run default writes no text."),
    ],
)
def test_what_cannot_be_shown_is_refused_with_its_line(tmp_path, text, said):
    with pytest.raises(LessonError) as caught:
        tables(tmp_path, text)
    assert said in caught.value.what
    assert caught.value.where.endswith("line 16")
