"""Every test that is named as slow is there."""

from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_the_named_tests_are_there():
    names = [line for line in (TESTS / "slow_tests.txt").read_text().splitlines() if not line.startswith("#")]
    assert names
    for name in names:
        file, _, function = name.partition("::")
        assert f"def {function.partition('[')[0]}(" in (TESTS.parent / file).read_text(), name
