r"""One spelling for the many ways to write a number: − and -, × and \times, \frac{3}{8} and 3/8.

Every pattern here looks at a bounded piece of text, so that a long text takes time in proportion to its length.
"""

from __future__ import annotations

import re

MAX_SHOWN = 60  # characters of a user's text in an error

_SIGNS = str.maketrans(
    {
        **dict.fromkeys("−–—‒‑﹣－", "-"),
        **dict.fromkeys("×·⋅∙∗", "*"),
        **dict.fromkeys("⁄∕", "/"),
        **dict.fromkeys("\u200b\u2060\ufeff\u00ad", None),  # invisible signs without width
        **dict.fromkeys("\u00a0\u2002\u2003\u2007\u3000", " "),
        **dict.fromkeys("\u200a\u2006\u2008\u202f", "\u2009"),  # thin spaces
        **{chr(0xFF10 + digit): str(digit) for digit in range(10)},
        "＋": "+",
        "％": "%",
        "∞": "inf",
        "…": "...",
    }
)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_COMMANDS = {
    **dict.fromkeys((r"\times", r"\cdot", r"\ast"), "*"),
    **dict.fromkeys((r"\left", r"\right", r"\displaystyle", r"\!"), ""),
    **dict.fromkeys((r"\;", r"\:", r"\ ", r"\quad", r"\qquad"), " "),
    **dict.fromkeys((r"\dots", r"\ldots", r"\cdots"), "..."),
    r"\,": "\u2009",
    r"\infty": "inf",
    r"\square": "_",
    r"\cr": r"\\",
    r"\%": "%",
    r"\_": "_",
}
_COMMAND = re.compile(r"\\(?:[A-Za-z]{1,20}|.)")
_REPLACEMENTS = (
    (re.compile("[⁰¹²³⁴-⁹⁻⁺]{1,9}"), lambda found: f"^{found[0].translate(_RAISED)}"),
    (re.compile(r"(?<=[0-9])\u2009(?=[0-9])"), ""),  # a thin space groups the digits of one number
    (re.compile("\u2009"), " "),
    (re.compile(r"\\[dt]?frac\s{0,3}\{([^{}]{1,400})\}\s{0,3}\{([^{}]{1,400})\}"), r"\1/\2"),
    (re.compile(r"\{,\}"), ","),  # how LaTeX marks a comma as a decimal sign
    (re.compile(r"\s{0,3}(?:\*\*|\^)\s{0,3}(\{\s{0,3})?([+-]?[0-9]{1,400})(?(1)\s{0,3}\})"), r"^\2"),
    (re.compile(r"(?<=[0-9.,])\s{0,3}[*xX]\s{0,3}10\^"), "e"),  # many people type the letter instead of the sign
    (re.compile(r"(?<![0-9.,^])10\^(?=[+-]?[0-9])"), "1e"),
    (re.compile(r"(?<=[0-9])\s{0,3}/\s{0,3}(?=[0-9])"), "/"),
    (re.compile(r"(?<=[0-9])\s{1,3}%"), "%"),
)


def spelled(text: str) -> str:
    r"""The text with plain signs, and without spaces inside its numbers.

    >>> spelled(r"−1,2 · 10⁻³"), spelled(r"1.2 \times 10^{-3}"), spelled("1.2 x 10^-3"), spelled(r"-\frac{3}{8}")
    ('-1,2e-3', '1.2e-3', '1.2e-3', '-3/8')
    """
    text = text.translate(_SIGNS)
    if "\\" in text:
        text = _COMMAND.sub(lambda found: _COMMANDS.get(found[0], found[0]), text)
    for pattern, plain in _REPLACEMENTS:
        text = pattern.sub(plain, text)
    return text


def shown(text: str) -> str:
    r"""The beginning of a user's text, safe for an error: on one line, and without terminal control characters.

    >>> shown("two\n\x1b[31mone")
    'two  [31mone'
    """
    cut = text.strip()
    beginning = "".join(sign if sign.isprintable() else " " for sign in cut[:MAX_SHOWN])
    return beginning if len(cut) <= MAX_SHOWN else f"{beginning}..."
