"""Settings of which a program knows the name only: pages hand them on, and cannot compute with them."""

import operator

import pytest

from workings.engine.varying import Varying, VaryingCount, settled, varies

RATE, COUNT = Varying("rate", 0.25), VaryingCount("t", 3)


@pytest.mark.parametrize("number", [RATE, COUNT])
@pytest.mark.parametrize("operation", ["add", "sub", "mul", "truediv", "pow", "floordiv", "mod"])
def test_arithmetic_is_refused_from_both_sides(number, operation):
    calculate = getattr(operator, operation)
    for pair in ((number, 2), (2, number), (number, number)):
        with pytest.raises(TypeError, match="changes from call to call"):
            calculate(*pair)
    for single in (operator.neg, round):
        with pytest.raises(TypeError, match="changes from call to call"):
            single(number)


def test_in_source_code_the_name_stands_for_the_number():
    assert f"{RATE} {RATE!r} {COUNT}" == "rate rate t"
    assert (RATE > 0, COUNT == 3) == (True, True)


def test_settled_they_are_plain_numbers():
    plain = settled({"rate": RATE, "t": COUNT, "axis": -1})
    assert plain == {"rate": 0.25, "t": 3, "axis": -1}
    assert [type(value) for value in plain.values()] == [float, int, int]
    assert varies({"rate": RATE})
    assert not varies(plain)
