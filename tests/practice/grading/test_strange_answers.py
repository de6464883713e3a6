"""Whatever numbers are written into a sheet, it is graded."""

import random

import pytest

from workings.practice.grading.grade import grade
from workings.practice.sheet import make_sheet

STRANGE = ("0", "-0.2", "-5", "7", "1e9", "1e300", "-1e-300")


@pytest.mark.parametrize("lines", [False, True])
@pytest.mark.parametrize("lesson", ["adam", "layer-norm", "hello-world", "generation"])
def test_strange_numbers_are_graded(lesson, lines):
    """The logarithm of a negative number, a root below 0, a division by 0: none of them ends grading."""
    draw = random.Random(lesson)
    sheet = make_sheet(lesson, 5, "few", lines=lines)
    fields = [blank for blank in sheet.fields if blank.kind in ("number", "line")]
    right = {blank.label: f"{blank.true:.4g}" for blank in fields}
    for count in (1, 1, 1, 3, 3, 10):
        for _ in range(3):
            wrong = draw.sample(fields, min(len(fields), count))
            texts = {blank.label: draw.choice([*STRANGE, f"{-blank.true:.4g}"]) for blank in wrong}
            graded = grade(sheet, right | texts)
            assert len(graded.marks) == len(sheet.fields)
