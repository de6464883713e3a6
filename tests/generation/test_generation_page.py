"""The page on choices: every number on it is an entry of a step, and what it says is true."""

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from generated_models import PAIR, SMALL, built
from hypothesis import given, settings
from hypothesis import strategies as st

import workings as w
from workings.document.blocks import Number, Table, Text, plain_text, to_data
from workings.engine.errors import StepError
from workings.generation.beams import beam_search
from workings.generation.generate import generate
from workings.generation.generation_page import MAX_CANDIDATES, beams_document, choice_document
from workings.generation.sampling import Choice, choose
from workings.render.markdown import to_markdown
from workings.text.vocabulary import Vocabulary

LETTERS = Vocabulary.characters("abcdefghijklmno \n")
MANY = replace(SMALL, vocab_size=len(LETTERS))
DOCUMENT = jsonschema.Draft202012Validator(
    json.loads((Path(w.__file__).parent / "schema" / "document.json").read_text(encoding="utf-8"))
)


def page_of(choice, count=3, architecture=MANY, **settings):
    trace = w.Trace()
    tokens = list(generate(built(architecture), [1, 2], choice, count, record=trace, **settings))
    return tokens, trace, choice_document(trace, LETTERS)


def numbers_of(document):
    for block in document.blocks:
        for spans in [cell for row in block.rows for cell in row] if isinstance(block, Table) else []:
            yield from (span for span in spans if isinstance(span, Number))
        if isinstance(block, Text):
            yield from (span for span in block.spans if isinstance(span, Number))


def tables(document):
    return [block for block in document.blocks if isinstance(block, Table)]


def texts(document):
    return [plain_text(block.spans) for block in document.blocks if isinstance(block, Text)]


CHOICES = (Choice(seed=1), Choice(0.6, seed=2), Choice(top_k=3), Choice(1.4, top_k=5, top_p=0.6), Choice(greedy=True))


@pytest.mark.parametrize("choice", CHOICES, ids=str)
@pytest.mark.parametrize(
    "architecture", [MANY, replace(PAIR, vocab_size=len(LETTERS)), replace(MANY, head="last-token")]
)
def test_every_number_is_its_entry(choice, architecture):
    start = 0 if architecture.kind == "encoder-decoder" else None
    tokens, trace, document = page_of(choice, architecture=architecture, start=start)
    DOCUMENT.validate(to_data(document))
    seen = 0
    for number in numbers_of(document):
        if number.role == "entry":
            value = float(trace.recording.value(number.step)[number.index])
            assert value == float(number.value)
            seen += 1
    assert seen > 20
    headings = [block.text for block in document.blocks if block.kind == "heading"]
    assert headings == [f"Token {n}: {LETTERS.token(id)!r}" for n, id in enumerate(tokens, 1)]
    for table, token in zip(tables(document), tokens, strict=True):
        marked = [plain_text(row[0]) for row in table.rows if plain_text(row[0]).endswith(" chosen")]
        assert marked == [f"{LETTERS.token(token)!r} chosen"]


def test_columns_are_those_of_recorded_steps():
    heads = {choice: tables(page_of(choice)[2])[0].headings for choice in CHOICES}
    assert heads[CHOICES[0]] == ("token", "logit", "probability", "running total")
    assert heads[CHOICES[1]] == ("token", "logit", "divided", "probability", "running total")
    assert heads[CHOICES[2]] == ("token", "logit", "cut", "probability", "running total")
    assert heads[CHOICES[3]] == ("token", "logit", "divided", "cut", "probability", "running total")
    assert heads[CHOICES[4]] == ("token", "logit", "probability")


def test_candidates_are_in_the_order_of_the_vocabulary():
    for seed in range(6):
        _, trace, document = page_of(Choice(2.0, seed=seed), 1)
        (table,) = tables(document)
        shares = trace["token1.shares"].value
        shown = [row[1][0].index[0] for row in table.rows[:-1]]
        assert plain_text(table.rows[-1][0]) == "all others"
        assert table.rows[-1][1] == ()
        likeliest = sorted(range(len(shares)), key=lambda id: -shares[id])[:MAX_CANDIDATES]
        assert shown == sorted({*likeliest, int(trace["token1.chosen"].value)})
        said = next(number for number in numbers_of(document) if number.role == "rest")
        assert said.value == pytest.approx(1 - sum(shares[id] for id in shown), abs=1e-15)


def test_page_names_the_settings():
    said = " ".join(texts(page_of(Choice(1.4, top_k=5, top_p=0.6))[2]))
    for words in ("temperature, 1.4.", "keeps the 5 most likely", "add up to 0.6"):
        assert words in said
    assert "temperature" not in " ".join(texts(page_of(Choice())[2]))


def test_page_names_the_drawn_number_and_the_first_total_above_it():
    _, trace, document = page_of(Choice(seed=3), 1)
    chosen, drawn = int(trace["token1.chosen"].value), float(trace["token1.drawn"].value)
    total = float(trace["token1.chosen.running"].value[chosen])
    assert texts(document)[-1] == f"Drawn: {drawn:.4g}. The first running total above it is {total:.4g}, " + (
        f"that of {LETTERS.token(chosen)!r}."
    )
    assert texts(page_of(Choice(greedy=True), 1)[2])[-1].startswith("The largest logit is ")


@given(st.integers(0, 10**6))
@settings(max_examples=20, deadline=None, derandomize=True)
def test_a_total_never_looks_like_the_drawn_number(seed):
    """Totals very near to it get more digits."""
    choice = Choice(seed=seed)
    with w.Trace() as trace, trace.scope("token1"):
        choose(w.given([0.0, 1.0, 0.5], "vocab", name="logits"), choice, 2)
    near = float(trace["token1.chosen.running"].value[1]) * (1 - 1e-9)
    document = choice_document(trace.replay(values={"token1.drawn": near}), Vocabulary.characters("abc"))
    drawn = next(number for number in numbers_of(document) if number.value == near)
    others = [number.text for number in numbers_of(document) if number.step != drawn.step]
    assert drawn.text not in others


def test_page_explains_a_last_total_below_the_drawn_number():
    with w.Trace() as trace, trace.scope("token1"):
        choose(w.given([0.0, 0.0], "vocab", name="logits"), Choice(), 2)
    again = trace.replay(values={"token1.chosen.running": [0.5, 0.9375], "token1.drawn": 0.96875})
    assert texts(choice_document(again, LETTERS))[-1] == (
        "Drawn: 0.9688. Rounding leaves the last running total at 0.9375; the last token with a probability above 0 "
        "is 'b'."
    )


def test_renderers_can_show_it():
    written = to_markdown(page_of(Choice(top_k=2), 1)[2], "utf-8")
    assert "| token | logit | cut | probability | running total |" in " ".join(written.split())
    assert "-∞" in written


def test_a_trace_without_tokens_has_no_page():
    for page in (choice_document, beams_document):
        with pytest.raises(StepError, match="No token was generated"):
            page(w.Trace(), LETTERS)


# -- beams ------------------------------------------------------------------------------------------


def test_totals_of_beams_are_the_total_before_plus_the_logarithm():
    trace = w.Trace()
    beams = beam_search(built(MANY), [1, 2], 3, 4, record=trace)
    document = beams_document(trace, LETTERS)
    DOCUMENT.validate(to_data(document))
    for number in numbers_of(document):
        assert float(trace.recording.value(number.step)[number.index]) == number.value
    first, *others = tables(document)
    assert all(row[2] == () for row in first.rows)
    for table in others:
        for row in table.rows:
            assert row[2][0].value + row[3][0].value == pytest.approx(row[4][0].value)
    last = others[-1].rows[0]
    assert last[4][0].value == beams[0].total
    assert plain_text(last[0]) == repr(LETTERS.decode([1, 2, *beams[0].tokens[:-1]]))
