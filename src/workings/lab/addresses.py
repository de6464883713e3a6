"""Texts in addresses: of requests, and of the views of the front end, as the front end itself writes them."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

READABLE = "[],:;@"  # signs that stand in the address of a view as they are


def encoded(text: str, safe: str = "") -> str:
    """As encodeURIComponent writes it.

    >>> encoded("calculator 4 significant"), encoded("a/b[0]")
    ('calculator%204%20significant', 'a%2Fb%5B0%5D')
    """
    return quote(text, safe=f"!'()*{safe}")


def view_address(page: str, name: str, place: str, settings: Mapping[str, str | int | None]) -> str:
    """Where the front end shows something; as web/src/address writes it.

    >>> view_address("explore", "example-3", "weights[1][0]", {"run": "twin", "precision": "calculator 4 significant"})
    '#/explore/example-3/weights[1][0]?run=twin&precision=calculator+4+significant'
    """
    query = "&".join(f"{key}={_in_view(str(value))}" for key, value in settings.items() if value)
    path = "/".join(_in_view(part) for part in (page, name, place) if part)
    return f"#/{path}" + (f"?{query}" if query else "")


def _in_view(text: str) -> str:
    return encoded(text, f"{READABLE} ").replace(" ", "+")
