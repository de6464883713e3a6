"""The forms of figures stand in several tables, and all of them know the same ones."""

from workings.cli.figure import FIGURES, LOSS
from workings.render.figure_text import FORMS as IN_LETTERS
from workings.render.svg import CHARTS, DRAWN
from workings.teach.directives.figures import FORMS, OPTIONS

OF_LINES = "lines"  # how a loss is drawn


def test_a_command_and_a_lesson_know_the_same_figures():
    assert {LOSS, *FIGURES} == set(FORMS) == set(OPTIONS)


def test_every_figure_can_be_drawn_in_letters_and_as_a_picture():
    charts = {chart.name.removesuffix(".json") for chart in CHARTS.iterdir() if chart.name.endswith(".json")}
    assert not charts & set(DRAWN)
    assert charts | set(DRAWN) == set(IN_LETTERS)
    assert {*FIGURES, OF_LINES} == set(IN_LETTERS)
