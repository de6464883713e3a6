"""The colors of numbers: the larger the darker, and texts on them can be read."""

import numpy
from hypothesis import given
from hypothesis import strategies as some

from workings.figures.parts.axes import Axis
from workings.figures.parts.colors import color, contrast, text_on


@given(some.floats(-1, 1))
def test_text_is_legible_on_every_color(value):
    ground = color(Axis("", -1.0, 1.0, ()), value)
    assert contrast(text_on(ground), ground) >= 4.5


def test_larger_numbers_are_darker():
    scale = Axis("", 0.0, 1.0, ())
    lights = [sum(color(scale, value)) for value in numpy.linspace(0, 1, 11)]
    assert lights == sorted(lights, reverse=True)
