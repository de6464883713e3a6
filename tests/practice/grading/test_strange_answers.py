"""Whatever numbers are written into a sheet, it is graded."""

import pytest

from workings.practice.grading.grade import grade
from workings.practice.sheet import make_sheet


@pytest.mark.parametrize("text", ["-0.2", "0", "1e300"])
@pytest.mark.parametrize(("lesson", "lines"), [("layer-norm", False), ("layer-norm", True)])
def test_strange_numbers_are_graded(lesson, lines, text):
    """The root or the logarithm of a negative number, a division by 0: none of them ends grading."""
    sheet = make_sheet(lesson, 5, "few", lines=lines)
    fields = [blank for blank in sheet.fields if blank.kind in ("number", "line")]
    right = {blank.label: f"{blank.true:.4g}" for blank in fields}
    for blank in fields:
        assert len(grade(sheet, right | {blank.label: text}).marks) == len(sheet.fields)
