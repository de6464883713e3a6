"""The colors of a heatmap: one hue for numbers from 0 upwards, two where there are negative ones."""

from __future__ import annotations

from .axes import Axis

ZERO, ABOVE, BELOW = (246, 247, 250), (11, 60, 140), (176, 64, 0)
LOW, MIDDLE, HIGH = (255, 243, 227), (160, 160, 166), (8, 35, 79)  # lighter, gray, darker
DARK, LIGHT = (0, 0, 0), (255, 255, 255)  # of texts

Color = tuple[int, int, int]


def strength(scale: Axis, value: float) -> float:
    """How far a value is from 0 on its scale, from 0 to 1; below 0 it is negative."""
    return max(-1.0, min(value / scale.high, 1.0)) if scale.high else 0.0


def color(scale: Axis, value: float) -> Color:
    """
    >>> hexadecimal(color(Axis("", 0, 1, ()), 1)), hexadecimal(color(Axis("", 0, 1, ()), 0))
    ('#0b3c8c', '#f6f7fa')
    """
    share = strength(scale, value)
    end = ABOVE if share >= 0 else BELOW
    mixed = [round(zero + (full - zero) * abs(share)) for zero, full in zip(ZERO, end, strict=True)]
    return mixed[0], mixed[1], mixed[2]


def rising(scale: Axis, value: float) -> Color:
    """Where cells have no numbers: the higher the darker. Below 0 it is lighter than the gray of 0, so that the sign is
    seen in gray print too.

    >>> [hexadecimal(rising(Axis("", -1, 1, ()), value)) for value in (-1, 0, 1)]
    ['#fff3e3', '#a0a0a6', '#08234f']
    """
    if scale.low >= 0:
        return color(scale, value)
    share = strength(scale, value)
    end = HIGH if share >= 0 else LOW
    mixed = [round(middle + (full - middle) * abs(share)) for middle, full in zip(MIDDLE, end, strict=True)]
    return mixed[0], mixed[1], mixed[2]


def text_on(ground: Color) -> Color:
    """Dark or light, whichever can be read better."""
    return max(DARK, LIGHT, key=lambda ink: contrast(ink, ground))


def contrast(one: Color, other: Color) -> float:
    """The contrast ratio of WCAG: 4.5 is enough for small texts.

    >>> round(contrast((0, 0, 0), (255, 255, 255)))
    21
    """
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: Color) -> float:
    red, green, blue = (
        part / 255 / 12.92 if part / 255 <= 0.04045 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in color
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def hexadecimal(color: Color) -> str:
    return "#" + "".join(f"{part:02x}" for part in color)
