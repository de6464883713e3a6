"""Practising one mistake until it is not made any more."""

import pytest

from workings.engine.errors import InputError
from workings.engine.rounding import round_float
from workings.explain.document import plain_text
from workings.teach.practice.exercise import exercise
from workings.teach.practice.slips import Slips
from workings.teach.practice.variant import APART
from workings.teach.quiz.drill import IN_A_ROW, Drill
from workings.teach.quiz.known import known_mistakes

MISTAKE = "softmax.wrong_axis"


@pytest.fixture(scope="module")
def token_i():
    return exercise("token-i")


def written(value):
    return repr(round_float(float(value), 4, "significant"))


def be_right(drill):
    return drill.answer({field.label: written(field.true) for field in drill.question.fields})


def be_wrong(drill):
    """As the mistake has it."""
    (slip,) = (
        slip for slip in drill.sheet.slips if slip.step == drill.question.step and MISTAKE in (slip.id, *slip.also)
    )
    return drill.answer({field.label: written(slip.value[field.index]) for field in drill.question.fields})


def test_it_ends_after_three_right_ones_in_a_row(token_i):
    drill = Drill(token_i, MISTAKE)
    assert [be_right(drill).next for _ in range(IN_A_ROW)] == ["on", "on", "done"]
    assert drill.done
    assert drill.question is None
    summary = drill.summary()
    assert plain_text(summary.document().blocks[1].spans) == "You were right 3 times in a row."
    rounds = dict.fromkeys(turn.field.label.partition(":")[0] for turn in summary.turns)
    assert list(rounds) == ["round 1", "round 2", "round 3"]


def test_the_mistake_is_named_and_begins_the_count_anew(token_i):
    drill = Drill(token_i, MISTAKE)
    be_right(drill)
    reply = be_wrong(drill)
    assert {mark.mistake for mark in reply.marks} == {MISTAKE}
    assert reply.next == "again"
    assert be_right(drill).next == "on"
    assert drill.streak == 0
    assert [be_right(drill).next for _ in range(IN_A_ROW)] == ["on", "on", "done"]
    assert drill.summary().mistakes == ()  # it is being practised already


@pytest.mark.parametrize("act", ["hint", "give_up", "skip"])
def test_who_needs_help_is_not_counted_as_right(token_i, act):
    drill = Drill(token_i, MISTAKE)
    be_right(drill)
    getattr(drill, act)()
    while drill.rounds == 2:
        be_right(drill)
    assert drill.streak == 0


def test_every_round_has_other_numbers_and_asks_for_what_tells(token_i):
    drill = Drill(token_i, MISTAKE)
    seen = set()
    for number in range(1, IN_A_ROW + 1):
        question = drill.question
        assert question.heading == f"weights, round {number}"
        seen.add(drill.sheet.checksum)
        (slip,) = (s for s in drill.sheet.slips if s.step == question.step and MISTAKE in (s.id, *s.also))
        off = [abs(slip.value[field.index] - field.true) / field.tolerance for field in question.fields]
        assert max(off) >= APART
        be_right(drill)
    assert len(seen) == IN_A_ROW


@pytest.mark.parametrize("name", ["token-i", "causal-mask"])
def test_what_is_asked_tells_a_mistake_from_others_too(name):
    """Whoever makes it is told so, but for a few that other mistakes resemble."""
    chosen = exercise(name)
    names = sorted({slip.id for slip in Slips(chosen.trace).all if slip.changes is not None})[::3]
    tried = named = 0
    for mistake in names:
        try:
            drill = Drill(chosen, mistake)
        except InputError:  # at these digits it does not show
            continue
        step = drill.question.step
        slip = next(slip for slip in drill.sheet.slips if slip.step == step and mistake in (slip.id, *slip.also))
        reply = drill.answer({field.label: written(slip.value[field.index]) for field in drill.question.fields})
        accused = {id for mark in reply.marks if mark.mistake for id in (mark.mistake, *mark.also)}
        assert not accused or mistake in accused
        tried, named = tried + 1, named + bool(accused)
    assert named >= 0.9 * tried > 0


def test_the_same_seed_asks_the_same_and_another_one_asks_something_else(token_i):
    def first(seed):
        return [field.true for field in Drill(token_i, MISTAKE, seed).question.fields]

    assert first(1) == first(1) != first(2)


def test_a_mistake_that_can_be_made_in_several_steps_is_practised_in_several():
    drill = Drill(exercise("example-1"), "matmul.second_transposed")
    steps = set()
    for _ in range(IN_A_ROW):
        steps.add(drill.question.step)
        be_right(drill)
    assert len(steps) == IN_A_ROW


def test_the_introduction_says_what_the_mistake_is(token_i):
    title, (note, about) = Drill(token_i, MISTAKE).introduction.title, Drill(token_i, MISTAKE).introduction.blocks
    assert title.endswith(MISTAKE)
    assert note.mistake == MISTAKE
    assert "other axis" in plain_text(note.spans)
    assert str(IN_A_ROW) in plain_text(about.spans)


def test_an_id_that_no_mistake_has(token_i):
    with pytest.raises(InputError, match=r"There is no mistake 'softmax\.wrong_axes'\. Near it: softmax\.wrong_axis"):
        Drill(token_i, "softmax.wrong_axes")


def test_a_mistake_that_cannot_be_made_here(token_i):
    with pytest.raises(InputError, match="does not show in the numbers of token-i") as refused:
        Drill(token_i, "layer_norm.wrong_n")
    assert "workings quiz example-6 --mistake layer_norm.wrong_n" in refused.value.hint


def test_a_mistake_that_no_lesson_shows(token_i):
    with pytest.raises(InputError, match="nor in another lesson") as refused:
        Drill(token_i, "softmax.naive")
    assert "workings op softmax" in refused.value.hint


def test_all_mistakes_of_a_sheet_are_known(token_i):
    drill = Drill(token_i, MISTAKE)
    assert {id for slip in drill.sheet.slips for id in (slip.id, *slip.also)} <= set(known_mistakes())
