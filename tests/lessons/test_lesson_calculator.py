"""Each lesson says how many digits a calculator needs: with so many every check holds, with one less some do not."""

from __future__ import annotations

import pytest
from built_lessons import LONG, NAMES, each, written

from workings.document.blocks import plain_text
from workings.engine.rounding import GUARD
from workings.lessons.lesson import lesson
from workings.lessons.runs import LessonOptions

ROUNDED = [name for name in NAMES if lesson(name).file.calculator]


def failing(name, digits, unit):
    checks = lesson(name).checks(LessonOptions(precision=f"calculator {digits} {unit}"))
    assert len(checks) == len(written(name).checks), "a check stands inside another directive"
    return [plain_text(check.words) for check in checks if not check.holds]


@pytest.mark.parametrize("name", each(ROUNDED, slow=(*LONG, "encoder-decoder", "cat-sleeps", "example-5")))
def test_the_fewest_digits_are_the_fewest(name):
    digits, unit = lesson(name).file.calculator.split()
    assert not failing(name, int(digits), unit)
    assert digits == "1" or failing(name, int(digits) - 1, unit), "fewer digits would do"


@pytest.mark.slow
@pytest.mark.parametrize("name", each(ROUNDED))
def test_more_digits_do_no_harm(name):
    digits, unit = lesson(name).file.calculator.split()
    for more in range(int(digits) + 1, GUARD + 1):
        assert not failing(name, more, unit), more
