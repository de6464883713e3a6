"""Cases of a test: many small ones in a loop, because collecting thousands takes longer than running them; and a few
that take long, which run in `make test-all` only.
"""

import inspect
from collections.abc import Callable, Collection, Iterable
from typing import Any

import pytest

TestFunction = Callable[..., None]


def for_each(names: str | tuple[str, ...], cases: Iterable[Any]) -> Callable[[TestFunction], TestFunction]:
    """Like `pytest.mark.parametrize`, but one test with a subtest for each case; those that fail are named. The cases
    share their fixtures.
    """
    words = (names,) if isinstance(names, str) else names
    rows = [case if len(words) > 1 else (case,) for case in cases]
    assert rows, "there is no case"

    def decorate(test: TestFunction) -> TestFunction:
        fixtures = [name for name in inspect.signature(test).parameters if name not in words]

        def looped(subtests: Any, **given: Any) -> None:
            for row in rows:
                case = dict(zip(words, row, strict=True))
                with subtests.test(**{word: _short(value) for word, value in case.items()}):
                    test(**case, **given)

        wanted = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in ("subtests", *fixtures)]
        looped.__signature__ = inspect.Signature(wanted)  # type: ignore[attr-defined]
        looped.__name__, looped.__doc__, looped.__module__ = test.__name__, test.__doc__, test.__module__
        looped.__dict__.update({name: mark for name, mark in vars(test).items() if name == "pytestmark"})
        return looped

    return decorate


def slow_if(slow: Collection[Any], cases: Iterable[Any]) -> list[Any]:
    """The cases for `parametrize`, those in `slow` marked. A case that is not there is an error."""
    every = list(cases)
    assert [case for case in slow if case not in every] == []
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=[pytest.mark.slow] if case in slow else [])
        for case in every
    ]


def _short(value: Any) -> str:
    return str(getattr(value, "id", None) or getattr(value, "name", None) or getattr(value, "__name__", None) or value)
