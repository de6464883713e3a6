"""Practicing one mistake until it no longer happens."""

import pytest

from workings.document.blocks import plain_text
from workings.engine.errors import InputError
from workings.engine.rounding import round_float
from workings.practice.exercise import exercise
from workings.practice.mistakes import MistakeFinder, known_mistakes
from workings.practice.quiz.drill import RIGHT_IN_A_ROW, Drill
from workings.practice.variant import MIN_APART

MISTAKE = "softmax.wrong_axis"


@pytest.fixture(scope="module")
def token_i():
    return exercise("token-i")


def rounded(value):
    return repr(round_float(float(value), 4, "significant"))


def be_right(drill):
    return drill.answer({blank.label: rounded(blank.true) for blank in drill.question.fields})


def be_wrong(drill):
    """Answer as a learner who makes the mistake."""
    (mistake,) = (
        mistake
        for mistake in drill.sheet.mistakes
        if mistake.step == drill.question.step and MISTAKE in (mistake.id, *mistake.also)
    )
    return drill.answer({blank.label: rounded(mistake.value[blank.index]) for blank in drill.question.fields})


def test_drill_ends_after_three_right_rounds_in_a_row(token_i):
    drill = Drill(token_i, MISTAKE)
    assert [be_right(drill).next for _ in range(RIGHT_IN_A_ROW)] == ["on", "on", "done"]
    assert drill.done
    assert drill.question is None
    summary = drill.summary()
    assert plain_text(summary.document().blocks[1].spans) == "You were right 3 times in a row."
    rounds = dict.fromkeys(entry.blank.label.partition(":")[0] for entry in summary.entries)
    assert list(rounds) == ["round 1", "round 2", "round 3"]


def test_mistake_is_named_and_resets_the_streak(token_i):
    drill = Drill(token_i, MISTAKE)
    be_right(drill)
    reply = be_wrong(drill)
    assert {mark.mistake for mark in reply.marks} == {MISTAKE}
    assert reply.next == "again"
    assert be_right(drill).next == "on"
    assert drill.streak == 0
    assert [be_right(drill).next for _ in range(RIGHT_IN_A_ROW)] == ["on", "on", "done"]
    assert drill.summary().mistakes == ()  # it is being practiced already


@pytest.mark.parametrize("act", ["hint", "give_up", "skip"])
def test_help_resets_the_streak(token_i, act):
    drill = Drill(token_i, MISTAKE)
    be_right(drill)
    getattr(drill, act)()
    while drill.rounds == 2:
        be_right(drill)
    assert drill.streak == 0


def test_every_round_has_new_numbers_and_distinguishing_blanks(token_i):
    drill = Drill(token_i, MISTAKE)
    seen = set()
    for number in range(1, RIGHT_IN_A_ROW + 1):
        question = drill.question
        assert question.heading == f"weights, round {number}"
        seen.add(drill.sheet.checksum)
        (mistake,) = (s for s in drill.sheet.mistakes if s.step == question.step and MISTAKE in (s.id, *s.also))
        off = [abs(mistake.value[blank.index] - blank.true) / blank.tolerance for blank in question.fields]
        assert max(off) >= MIN_APART
        be_right(drill)
    assert len(seen) == RIGHT_IN_A_ROW


@pytest.mark.parametrize("name", ["token-i", "causal-mask"])
def test_blanks_distinguish_the_mistake_from_others(name):
    """The mistake is named, except for a few that resemble others."""
    chosen = exercise(name)
    names = sorted({mistake.id for mistake in MistakeFinder(chosen.trace).all if mistake.changes is not None})
    tried = named = 0
    for id in names:
        try:
            drill = Drill(chosen, id)
        except InputError:  # at these digits it does not show
            continue
        step = drill.question.step
        mistake = next(
            mistake for mistake in drill.sheet.mistakes if mistake.step == step and id in (mistake.id, *mistake.also)
        )
        reply = drill.answer({blank.label: rounded(mistake.value[blank.index]) for blank in drill.question.fields})
        found = {id for mark in reply.marks if mark.verdict == "mistake" for id in (mark.mistake, *mark.also)}
        assert not found or id in found
        tried, named = tried + 1, named + bool(found)
    assert named >= 0.9 * tried > 0


def test_seed_determines_the_questions(token_i):
    def first(seed):
        return [blank.true for blank in Drill(token_i, MISTAKE, seed).question.fields]

    assert first(1) == first(1) != first(2)


def test_steps_that_show_the_mistake_take_turns():
    drill = Drill(exercise("example-1"), "matmul.second_transposed")
    steps = set()
    for _ in range(RIGHT_IN_A_ROW):
        steps.add(drill.question.step)
        be_right(drill)
    assert len(steps) == RIGHT_IN_A_ROW


def test_introduction_explains_the_mistake(token_i):
    title, (note, about) = Drill(token_i, MISTAKE).introduction.title, Drill(token_i, MISTAKE).introduction.blocks
    assert title.endswith(MISTAKE)
    assert note.mistake == MISTAKE
    assert "other axis" in plain_text(note.spans)
    assert str(RIGHT_IN_A_ROW) in plain_text(about.spans)


def test_unknown_id_is_rejected(token_i):
    with pytest.raises(
        InputError, match=r"There is no mistake 'softmax\.wrong_axes'\.\s+try:   Did you mean softmax\.wrong_axis"
    ):
        Drill(token_i, "softmax.wrong_axes")


def test_mistake_that_shows_in_another_lesson_is_rejected(token_i):
    with pytest.raises(InputError, match="does not show in the numbers of token-i") as refused:
        Drill(token_i, "layer_norm.wrong_n")
    assert "workings quiz example-6 --mistake layer_norm.wrong_n" in refused.value.hint


def test_mistake_that_no_lesson_shows_is_rejected(token_i):
    with pytest.raises(InputError, match="nor in another lesson") as refused:
        Drill(token_i, "softmax.naive")
    assert "workings op softmax" in refused.value.hint


def test_all_mistakes_of_a_sheet_are_known(token_i):
    drill = Drill(token_i, MISTAKE)
    assert {id for mistake in drill.sheet.mistakes for id in (mistake.id, *mistake.also)} <= set(known_mistakes())
