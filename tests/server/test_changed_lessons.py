"""A lesson whose numbers somebody changes: the whole page is worked out anew, and says what stood there before."""

import pytest
from asking_lab import lab_client

from workings.engine.arrays import brackets
from workings.lab.pages.lesson_changes import entries
from workings.lab.pages.reading import lesson_page
from workings.lab.traces.store import Lab
from workings.lab.traces.wanted import Wanted

FIRST = "default:W_Q[0][1]=0.3"
SECOND = "default:W_V[0][0]=0.9"


@pytest.fixture(scope="module")
def ask():
    with lab_client(Lab()) as client:
        yield client


def asked(ask, *edits):
    return ask.get("/api/lessons/example-3", params=[("edit", edit) for edit in edits])


def printed(page):
    """The number at each place of a page."""
    return {number.step + brackets(number.index): number.text for number in entries(page.document)}


def test_every_number_of_the_page_is_that_of_the_changed_trace():
    page = lesson_page("example-3", edits=(FIRST, SECOND))
    opened = Lab().open(Wanted("example-3", edits=("W_Q[0][1]=0.3", "W_V[0][0]=0.9")))
    own = [number for number in entries(page.document) if number.step.startswith("default:")]
    assert len(own) > 50
    for number in own:
        view = opened.view(number.step.removeprefix("default:"))
        assert number.value == pytest.approx(float(view.value[number.index]), rel=1e-12)


def test_what_is_marked_is_what_is_printed_otherwise():
    before, after = lesson_page("example-3"), lesson_page("example-3", edits=(FIRST,))
    texts = printed(before)
    others = {place for place, text in printed(after).items() if texts.get(place, text) != text}
    assert others
    assert {number.step + brackets(number.index) for number in after.was} == others
    assert all(number.text == texts[number.step + brackets(number.index)] for number in after.was)
    assert (before.was, before.edits, before.broken) == ((), (), 0)


def test_several_edits_and_of_two_for_one_place_the_later_one_counts(ask):
    both = asked(ask, FIRST, SECOND)
    assert both.status_code == 200
    assert [row["label"] for row in both.json()["edits"]] == ["default:W_Q[0][1]", "default:W_V[0][0]"]
    up, down = (
        asked(ask, *edits).json() for edits in ((FIRST, "default:W_Q[0][1]=0.9"), ("default:W_Q[0][1]=0.9", FIRST))
    )
    assert up["document"] != down["document"] == asked(ask, FIRST).json()["document"]


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        ("W_Q[0][1]=0.3", "follow from other runs"),
        ("nowhere:W_Q[0][1]=0.3", "follow from other runs"),
        ("default:W_Q[0][1]=abc", "number"),
        ("default:W_Q[9][9]=1", "W_Q"),
    ],
)
def test_what_cannot_be_changed_is_refused_in_a_sentence(ask, edit, said):
    answer = asked(ask, edit)
    assert answer.status_code in (400, 404)
    assert said in answer.json()["what"]
    assert answer.json()["try_this"]
