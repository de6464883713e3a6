"""Tasks: the answers are right, a tenth is held out, the same seed gives the same pairs, and what is refused."""

import calendar
import datetime
import re
import time
from contextlib import suppress
from itertools import product

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workings import Draws
from workings.engine.errors import CallError, WorkingsError
from workings.training.data import TASKS, Addition, Copy, DataError, Dates, Pair, Reverse, Sort, task
from workings.training.data.dates import FORMATS, format_date
from workings.training.data.split import held_out

SEEDS = st.integers(-(2**53) + 1, 2**53 - 1)
SIDES = st.booleans()
MANY = 4000
EXAMPLES = settings(max_examples=50, deadline=None, derandomize=True, database=None)


@st.composite
def rows_of_symbols(draw):
    symbols = draw(st.lists(st.sampled_from("abcxyz0189+éßλ漢"), min_size=3, unique=True))
    shortest = draw(st.integers(1, 6))
    longest = draw(st.integers(shortest + 2, 12))
    return {"symbols": "".join(symbols), "shortest": shortest, "longest": longest}


# -- the answers -------------------------------------------------------------------------------------


def check_rows(made, seed, side, answer):
    pairs = made.draw(Draws(seed), 20, held_out=side)
    assert len(pairs) == 20
    for pair in pairs:
        assert pair.question.endswith(">")
        row = pair.question.removesuffix(">")
        assert made.shortest <= len(row) <= made.longest
        assert set(row) <= set(made.symbols)
        assert pair.answer == answer(row)


@EXAMPLES
@given(rows_of_symbols(), SEEDS, SIDES)
def test_a_copy_is_the_row_itself(chosen, seed, side):
    check_rows(Copy(**chosen), seed, side, lambda row: row)


@EXAMPLES
@given(rows_of_symbols(), SEEDS, SIDES)
def test_a_reversed_row_begins_with_its_last_symbol(chosen, seed, side):
    check_rows(Reverse(**chosen), seed, side, lambda row: "".join(row[-place] for place in range(1, len(row) + 1)))


@EXAMPLES
@given(rows_of_symbols(), SEEDS, SIDES)
def test_a_sorted_row_has_its_symbols_in_the_order_given(chosen, seed, side):
    symbols = chosen["symbols"]
    check_rows(Sort(**chosen), seed, side, lambda row: "".join(symbol * row.count(symbol) for symbol in symbols))


@EXAMPLES
@given(st.integers(1, 9), SIDES, SEEDS, SIDES)
def test_a_sum_is_right_and_written_as_asked(digits, backwards, seed, side):
    for pair in Addition(digits, reversed=backwards).draw(Draws(seed), 20, held_out=side):
        one, other = re.fullmatch(rf"(\d{{{digits}}})\+(\d{{{digits}}})=", pair.question).groups()
        assert len(pair.answer) == digits + 1
        forwards = "".join(reversed(pair.answer)) if backwards else pair.answer
        assert int(forwards) == int(one) + int(other)


# The ways to write a date, for the standard library to read. It knows no endings as in 3rd.
READINGS = (
    "%d %B %Y", "%B %d, %Y", "%d %b %Y", "%b %d, %Y", "%a %d %b %Y", "the %d of %B %Y", "%d.%m.%Y", "%d/%m/%Y",
    "%Y %b %d",
)  # fmt: skip


def read(question):
    """All dates that a text can mean."""
    bare = re.sub(r"(\d)(st|nd|rd|th)", r"\1", question)
    days = set()
    for reading in READINGS:
        with suppress(ValueError):
            days.add(datetime.datetime.strptime(bare, reading).date().isoformat())
    return days


@EXAMPLES
@given(SEEDS, SIDES)
def test_a_date_is_the_one_that_was_written(seed, side):
    for pair in Dates().draw(Draws(seed), 20, held_out=side):
        assert read(pair.question) == {pair.answer}


def test_a_weekday_is_that_of_the_date():
    questions = [pair for pair in Dates().draw(Draws(3), MANY) if re.match(r"[A-Z]\w\w \d+ ", pair.question)]
    assert len(questions) > 100
    for pair in questions:
        weekday = calendar.weekday(*map(int, pair.answer.split("-")))
        assert pair.question.startswith(calendar.day_abbr[weekday])


@pytest.mark.parametrize("day", range(1, 32))
def test_the_ending_of_a_day(day):
    """1st, 2nd and 3rd by the last digit; 11th, 12th and 13th are th like all others."""
    ending = "th" if 10 < day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    assert format_date(datetime.date(2000, 1, day), "{day}{ending}") == f"{day}{ending}"


def test_all_dates_are_drawn_and_no_others():
    """Every day from 1900 to 2099: counted by the rule of leap years, not by the module that made the dates."""
    rows = Dates()._rows(Draws(2), 2_000_000)
    once = numpy.unique(rows[:, 0], return_index=True)[1]
    drawn = {pair.answer for pair in Dates()._pairs(rows[once])}
    months = product(range(1900, 2100), range(1, 13))
    leap = {year for year in range(1900, 2100) if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)}
    longest = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    ends = {(year, month): longest[month - 1] + (month == 2 and year in leap) for year, month in months}
    real = {f"{year}-{month:02}-{day:02}" for (year, month), end in ends.items() for day in range(1, end + 1)}
    assert len(real) == 73049
    assert drawn == real


def test_there_are_enough_formats_and_each_is_used():
    assert len({format_date(datetime.date(2024, 2, 29), form) for form in FORMATS}) == len(FORMATS) >= 6
    used = set()
    for pair in Dates().draw(Draws(4), 1000):
        forms = [
            form for form in FORMATS if format_date(datetime.date.fromisoformat(pair.answer), form) == pair.question
        ]
        assert forms
        used |= set(forms)
    assert used == set(FORMATS)


def test_a_text_means_one_date_only():
    days = [datetime.date(1987, 1, 1) + datetime.timedelta(days) for days in range(730)]
    meanings = {}
    for day, form in product(days, FORMATS):
        assert meanings.setdefault(format_date(day, form), day) == day


# -- what is told about a task -----------------------------------------------------------------------

EVERY = [
    *(made() for made in TASKS.values()),
    Sort(symbols="ba", shortest=1, longest=30),
    Addition(digits=9, reversed=False),
    Addition(digits=1),
]


@pytest.mark.parametrize("made", EVERY, ids=repr)
def test_lengths_and_characters_are_as_announced(made):
    pairs = [pair for side in (True, False) for pair in made.draw(Draws(5), MANY, held_out=side)]
    assert max(len(pair.question) for pair in pairs) == made.longest_question
    assert max(len(pair.answer) for pair in pairs) == made.longest_answer
    used = {character for pair in pairs for character in pair.question + pair.answer}
    vocabulary = made.vocabulary
    assert used <= set(vocabulary.entries) == used | {"<pad>", "<s>", "</s>"}
    assert (vocabulary.padding, vocabulary.start, vocabulary.end) == (0, 1, 2)
    pair = pairs[0]
    assert vocabulary.decode(vocabulary.encode(pair.question)) == pair.question
    assert len(vocabulary.encode(pair.question)) == len(pair.question)


@pytest.mark.parametrize("name", TASKS)
def test_a_task_says_what_it_is_about(name):
    about = task(name).about
    assert task(name).name == name
    assert about[0].isupper()
    assert about.endswith(".")


def test_lengths_and_symbols_are_drawn_alike():
    rows = [pair.answer for pair in Copy().draw(Draws(6), MANY)]
    for length in range(2, 9):
        assert sum(len(row) == length for row in rows) == pytest.approx(MANY / 7, rel=0.2)
    text = "".join(rows)
    for symbol in "abcdefghij":
        assert text.count(symbol) == pytest.approx(len(text) / 10, rel=0.1)


# -- what is held out --------------------------------------------------------------------------------


def thing(name, pair):
    """What must be on one side: the question, the two numbers in any order, or the date."""
    if name == "addition":
        return frozenset(pair.question.removesuffix("=").split("+"))
    return pair.answer if name == "dates" else pair.question


@pytest.mark.parametrize("name", TASKS)
def test_nothing_that_is_held_out_is_trained_on(name):
    small = {"addition": {"digits": 2}, "dates": {}}.get(name, {"symbols": "abc", "longest": 6})
    made = task(name, **small)
    seen = {thing(name, pair) for pair in made.draw(Draws(7), 20_000)}
    unseen = {thing(name, pair) for pair in made.draw(Draws(8), 20_000, held_out=True)}
    assert not seen & unseen
    assert len(unseen) / (len(seen) + len(unseen)) == pytest.approx(0.1, abs=0.02 if name != "dates" else 0.3)


@pytest.mark.parametrize("name", ["copy", "addition"])
def test_the_parts_add_up_to_everything(name):
    """Small tasks whose questions can all be counted: each is on one side, and a tenth is held out."""
    made, total = {
        "copy": (Copy(symbols="abcd", shortest=1, longest=5), sum(4**length for length in range(1, 6))),
        "addition": (Addition(digits=2), 100 * 101 // 2),
    }[name]
    seen = {thing(name, pair) for pair in made.draw(Draws(9), 60_000)}
    unseen = {thing(name, pair) for pair in made.draw(Draws(9), 6000, held_out=True)}
    assert not seen & unseen
    assert total * 0.99 <= len(seen | unseen) <= total
    assert len(unseen) / total == pytest.approx(0.1, abs=0.02)


def test_enough_dates_are_held_out():
    pairs = Dates().draw(Draws(10), 40_000, held_out=True)
    assert len({pair.question for pair in pairs}) >= 10_000
    assert len({pair.answer for pair in pairs}) > 7000


def test_the_side_of_a_question_does_not_depend_on_the_settings():
    short = {pair.question for pair in Copy(symbols="abc", longest=4).draw(Draws(11), 2000, held_out=True)}
    long = {pair.question for pair in Reverse(symbols="cbaxyz", longest=9).draw(Draws(12), 20_000)}
    assert len(short) >= 5
    assert len({question for question in long if set(question) <= set("abc>") and len(question) <= 5}) >= 50
    assert not short & long


@EXAMPLES
@given(st.lists(st.lists(st.integers(0, 2**53), min_size=3, max_size=3), min_size=1, max_size=20), st.integers(1, 4))
def test_the_side_follows_from_the_row_alone(rows, more):
    """Calculated with the whole numbers of Python, which have no last bit."""
    whole = 2**64

    def stirred(number):
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            number = (number ^ (number >> shift)) * factor % whole
        return number ^ (number >> 31)

    def side(row):
        parts = (
            stirred((number + place * 0x9E3779B97F4A7C15) % whole) for place, number in enumerate(row, 1) if number
        )
        return stirred(sum(parts) % whole) % 10 == 0

    expected = [side(row) for row in rows]
    assert held_out(numpy.array(rows)).tolist() == expected
    assert held_out(numpy.pad(numpy.array(rows), ((0, 0), (0, more)))).tolist() == expected


# -- the same again ----------------------------------------------------------------------------------

FROZEN = {
    ("copy", False): [("igihc>", "igihc"), ("dbijdbd>", "dbijdbd"), ("dagbjifa>", "dagbjifa")],
    ("copy", True): [("gjhbbhhd>", "gjhbbhhd"), ("icbjab>", "icbjab"), ("eg>", "eg")],
    ("reverse", False): [("igihc>", "chigi"), ("dbijdbd>", "dbdjibd"), ("dagbjifa>", "afijbgad")],
    ("reverse", True): [("gjhbbhhd>", "dhhbbhjg"), ("icbjab>", "bajbci"), ("eg>", "ge")],
    ("sort", False): [("igihc>", "cghii"), ("dbijdbd>", "bbdddij"), ("dagbjifa>", "aabdfgij")],
    ("sort", True): [("gjhbbhhd>", "bbdghhhj"), ("icbjab>", "abbcij"), ("eg>", "eg")],
    ("addition", False): [("566+745=", "1131"), ("971+444=", "5141"), ("444+762=", "6021")],
    ("addition", True): [("877+523=", "0041"), ("285+793=", "8701"), ("681+884=", "5651")],
    ("dates", False): [("24/04/2013", "2013-04-24"), ("February 26th, 2049", "2049-02-26"),
        ("14/03/2094", "2094-03-14")],
    ("dates", True): [("the 21st of June 2075", "2075-06-21"), ("November 12, 2076", "2076-11-12"),
        ("13/05/2072", "2072-05-13")],
}  # fmt: skip


@pytest.mark.parametrize(("name", "side"), FROZEN)
def test_seed_1_gives_these_pairs_for_ever(name, side):
    pairs = task(name).draw(Draws(1), 3, held_out=side)
    assert [(pair.question, pair.answer) for pair in pairs] == FROZEN[name, side]


@pytest.mark.parametrize("made", EVERY, ids=repr)
def test_the_same_seed_gives_the_same_pairs_and_the_next_draw_others(made):
    one, other = Draws(13), Draws(13)
    first, second = made.draw(one, 50), made.draw(one, 50, held_out=True)
    assert (first, second) == (made.draw(other, 50), made.draw(other, 50, held_out=True))
    assert made.draw(one, 50) != first


def test_one_answer_per_round_of_draws(monkeypatch):
    """Speed: numbers are drawn in bulk, a few calls for 128 pairs, however many digits they have."""
    calls = []
    drawn = Draws.bits
    monkeypatch.setattr(Draws, "bits", lambda self, count: calls.append(count) or drawn(self, count))
    for made, side in product(EVERY, (True, False)):
        calls.clear()
        made.draw(Draws(14), 128, held_out=side)
        assert len(calls) <= 4
        assert sum(calls) <= 128 * 13 * made.longest_question + 1000


def test_many_pairs_cost_less_each_than_few():
    """Drawn one by one, pairs take many times as long as in bulk."""
    made = Sort()

    def seconds(count, times):
        draws, begin = Draws(15), time.perf_counter()
        for _ in range(times):
            made.draw(draws, count)
        return time.perf_counter() - begin

    assert min(seconds(256, 1) for _ in range(5)) * 3 < min(seconds(1, 256) for _ in range(5))


def test_a_large_draw_goes_in_rounds(monkeypatch):
    calls = []
    drawn = Draws.bits
    monkeypatch.setattr(Draws, "bits", lambda self, count: calls.append(count) or drawn(self, count))
    pairs = Addition().draw(Draws(16), 20_000, held_out=True)
    assert len(pairs) == 20_000
    assert max(calls) <= 2**17
    assert len(set(pairs)) > 15_000


# -- what is refused ---------------------------------------------------------------------------------

REFUSED = [
    ("sorting", {}, "There is no task", "There is no task 'sorting'."),
    (["copy"], {}, "There is no task", "There is no task ['copy']."),
    ("copy", {"digits": 2}, "has no setting '", "copy has no setting 'digits'."),
    ("dates", {"digits": 2}, "has no setting '", "Its settings are: none."),
    ("sort", {"shortest": 5, "longest": 4}, "The shortest row cannot be longer than the longest:", "5 is more than 4."),
    ("sort", {"shortest": 0}, "The setting", "a whole number from 1 to 1000"),
    ("sort", {"shortest": True}, "The setting", "The setting shortest of sort cannot be True."),
    ("sort", {"longest": 1001}, "The setting", "The setting longest of sort cannot be 1001."),
    ("sort", {"longest": "8"}, "The setting", "The setting longest of sort cannot be '8'."),
    ("reverse", {"symbols": "abca"}, "is given twice.", "The symbol 'a' is given twice."),
    ("reverse", {"symbols": "a"}, "Rows of symbols need at least 2 different symbols", "there is only 'a'."),
    ("reverse", {"symbols": ""}, "Rows of symbols need at least 2 different symbols", "there is only ''."),
    ("reverse", {"symbols": ["a", "b"]}, "The setting", "characters in one string"),
    (
        "copy",
        {"symbols": "ab>"},
        "cannot be a symbol: it would be read as something else, or",
        "'>' cannot be a symbol",
    ),
    ("copy", {"symbols": "<s"}, "cannot be a symbol: it would be read as something else, or", "'<' cannot be a symbol"),
    (
        "copy",
        {"symbols": "ab\n"},
        "cannot be a symbol: it would be read as something else, or",
        "'\\n' cannot be a symbol",
    ),
    (
        "copy",
        {"symbols": "ab\ud800"},
        "cannot be a symbol: it would be read as something else, or",
        "'\\ud800' cannot be a symbol",
    ),
    (
        "copy",
        {"symbols": "e\u0301"},
        "cannot be a symbol: it would be read as something else, or",
        "cannot be a symbol",
    ),
    (
        "copy",
        {"symbols": "\u1100\u1161"},
        "cannot be a symbol: it would be read as something else, or",
        "cannot be a symbol",
    ),
    ("addition", {"digits": 0}, "The setting", "a whole number from 1 to 9"),
    ("addition", {"digits": 10}, "The setting", "The setting digits of addition cannot be 10."),
    ("addition", {"digits": 2.0}, "The setting", "The setting digits of addition cannot be 2.0."),
    ("addition", {"reversed": 1}, "The setting", "True or False"),
]


def refused(call, key, words):
    with pytest.raises(WorkingsError) as raised:
        call()
    assert isinstance(raised.value, DataError | CallError)
    assert key in raised.value.what
    assert words in str(raised.value)
    assert "\n  try:   " in str(raised.value)


@pytest.mark.parametrize(("name", "chosen", "key", "words"), REFUSED)
def test_what_makes_no_task_is_refused_in_a_sentence(name, chosen, key, words):
    refused(lambda: task(name, **chosen), key, words)


@pytest.mark.parametrize("count", [0, -1, 2.0, True, "3", None, 2**53])
def test_only_a_count_can_be_drawn(count):
    refused(lambda: Copy().draw(Draws(1), count), "The setting", "a whole number above 0")


def test_a_task_too_small_to_hold_anything_out_says_so():
    tiny = Copy(symbols="ab", shortest=1, longest=1)
    assert {pair.question for pair in tiny.draw(Draws(1), 20)} == {"a>", "b>"}
    refused(lambda: tiny.draw(Draws(1), 1, held_out=True), "questions of the task", "none was held out")


def test_what_is_rare_is_found_in_a_later_round():
    """Of 27 rows one is held out; now and then it is not among the first that are drawn."""
    few = Copy(symbols="abc", shortest=3, longest=3)
    assert {few.draw(Draws(seed), 1, held_out=True)[0].question for seed in range(40)} == {"ccb>"}


def test_a_task_with_nothing_left_to_train_on_says_so(monkeypatch):
    monkeypatch.setattr(Dates, "_identity", lambda self, rows: rows[:, :1] * 0)  # the side of a single thing
    assert held_out(numpy.zeros((1, 1), dtype=numpy.int64)).tolist() == [True]
    refused(lambda: Dates().draw(Draws(1), 1), "questions of the task", "none was left to train on")


def test_tasks_and_pairs_are_values():
    assert Sort() == task("sort")
    assert Sort() != Sort(longest=9)
    assert len({Pair("a", "b"), Pair("a", "b"), Pair("a", "c")}) == 2
    with pytest.raises(AttributeError):
        Pair("a", "b").answer = "c"
    with pytest.raises(AttributeError):
        Sort().longest = 3
