"""Reads lines of arithmetic off a rendered page, and checks each with exact decimals.

It knows nothing of the package, only the text that a reader sees:

    weights[0][0] = e0 / total = 1.0 / 1.99295 = 0.50177

Of such a chain every form in numbers must give the next number, rounded half away from zero to the digits of the page.
A line that calculates something with numbers, and of which no form can be read, is listed as unread, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Context, Decimal, DecimalException
from itertools import pairwise

from printed_arithmetic import calculate

ROUNDING = Context(prec=400, rounding=ROUND_HALF_UP)
_DIGITS = r"(?:\d+(?:[.,]\d+)?(?:e[+-]\d+)?|∞)"
NUMBER = re.compile(rf"-?{_DIGITS}")
FUNCTIONS = r"\b(?:(?:ln|tanh|erf|sin|cos|max|min)(?=\()|more\b|smaller\b|first position of\b|in\b)"
# What a form in numbers is written with: anything else is a name.
ARITHMETIC = re.compile(rf"(?:{_DIGITS}|e\^|√|{FUNCTIONS}|[-+−×·/^()\[\]=>,:\s])+")
INDEX = re.compile(r"(\[\d+\])+")  # the end of a name that was broken before it
OPERATOR = re.compile(rf"[-+−×·/^√]|e\^|{FUNCTIONS}")
EQUALS = re.compile(r" = (?![^\[]*\])")  # but not the one in [a = b]
RESULT = re.compile(rf"(-?{_DIGITS})(?![\w\[(]|[.,]\d)")  # a number, and then the end or words
IN_WORDS = re.compile(rf"(?<![\w\])])(?:{_DIGITS}|[-(√]|e\^)[-+−×·/^()√\d.e\s]*$")  # what is calculated in a sentence
PROSE = re.compile(r"(?:(?!first |position |of |in )[^\W\d_]{2,}[,;:]? ){2}")  # two words after each other
# A page without the signs of formulas; its minus sign is that of a negative number.
ASCII = ((r"(?<=\S)\*(?=\S)|(?<= )\*(?= )", "×"), (r"\bsqrt(?=\()", "√"), (r"\binf\b", "∞"), (r"(?<= )-(?= )", "−"))


@dataclass
class Findings:
    """What was read: how many lines held, which did not, and which could not be read, with the reason."""

    held: int = 0
    wrong: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def check(self, line: str, digits: int, unit: str = "significant") -> None:
        for pattern, sign in ASCII:
            line = re.sub(pattern, sign, line)
        forms = [form.strip() for form in EQUALS.split(line)]
        read = [self._holds(line, form, result, digits, unit) for form, result in pairwise(forms)]
        if not any(read) and len(forms) > 2 and not PROSE.search(line) and _is_calculation(forms):
            self.unread.append(f"{line}   [no form in numbers]")

    def _holds(self, line: str, form: str, result: str, digits: int, unit: str) -> bool:
        """Whether there was something to read: a form in numbers, and its result."""
        printed, calculated = RESULT.match(result), _in_numbers(form)
        if not printed or not calculated:
            return False
        try:
            exact = calculate(calculated)
        except (ValueError, DecimalException) as error:
            self.unread.append(f"{line}   [{error}]")
            return True
        if follows(exact, printed[1], digits, unit):
            self.held += 1
        else:
            self.wrong.append(f"{line}   [{exact:.12g}]")
        return True


def _in_numbers(form: str) -> str:
    """What a form calculates with numbers alone; nothing if it has names, or only words."""
    if PROSE.search(f"{form} "):
        found = IN_WORDS.search(form)
        form = found[0] if found and OPERATOR.search(found[0]) else ""
    if not ARITHMETIC.fullmatch(form) or INDEX.fullmatch(form) or not re.search(r"\d|∞", form):
        return ""
    return form


def _is_calculation(forms: list[str]) -> bool:
    """Whether a line ends in a number that was calculated from others: `a = b × 2 = 0.5`, not `a = b[0] = 0.5`."""
    *before, last = forms
    return bool(RESULT.fullmatch(last)) and any(re.search(r" [-+−×·/] |[√×]|e\^|\w\(", form) for form in before)


def follows(exact: Decimal, printed: str, digits: int = 1, unit: str = "significant") -> bool:
    """Whether a number is printed right: rounded to the digits of the page, or to more if more are printed.

    >>> [follows(Decimal("0.49826"), printed, 4) for printed in ("0.4983", "0.49826", "0.4982", "0.5")]
    [True, True, False, False]
    >>> follows(Decimal("0.49826"), "0.5"), follows(Decimal("12345.6"), "12346", 4), follows(Decimal("-1e-7"), "0.0", 4)
    (True, True, True)
    """
    shown = decimal(printed)
    if not exact.is_finite() or not shown.is_finite():
        return exact == shown
    after = max(0, -shown.as_tuple().exponent)
    if not shown:
        return abs(exact) < Decimal("0.05") and abs(exact) <= Decimal(5).scaleb(-digits - 1)
    last = exact.adjusted() + 1 - digits
    if unit == "decimals":
        last = -max(digits, after)
    elif after:
        last = min(last, -after)
    if "e" not in printed and unit != "calculator":  # which rounds digits before the point away, too
        last = min(last, 0)
    return exact.quantize(Decimal(1).scaleb(last), context=ROUNDING) == shown


def decimal(text: str) -> Decimal:
    return Decimal(text.replace(",", ".").replace("∞", "Infinity"))


def lines_in(page: str, has_columns: bool = True) -> Iterator[str]:
    """The lines of a page that have an equals sign, with what was broken over several lines joined again, and what is
    side by side apart.
    """
    apart = r" [|│] |(?<=\S) {2,}(?!= )" if has_columns else r" [|│] "
    whole = re.sub(r"(?m)(?<= = )(.*)(?<=,)\n +", r"\1 ", re.sub(r"\s*\n\s*(?=[=+] )", " ", page))
    for line in whole.splitlines():
        for part in re.split(apart, re.sub(r" +(?=[=+] )", " ", line)):
            if " = " in part:
                yield part.strip(" |│")


# LaTeX as a reader sees it once it is set.
_SET = (
    (r"\\\\\s*&=", " ="), (r"\\(?:mathrm|text|texttt|textbf|operatorname)\{([^{}]*)\}", r"\1"), (r"\\_", "_"),
    (r"\\sqrt\{([^{}]*)\}", r"√(\1)"), (r"\^\{([^{}]*)\}", r"^(\1)"), (r"\\times", "×"), (r"\\cdot", "·"),
    (r"\\infty", "∞"), (r"\\(ln|tanh|sin|cos|max|min)\b", r"\1"), (r" *\\ +(?=\S)", " "),
    (r"\\left|\\right|\\[,;!]|[&$]|\\[()]|\\\\", ""),
    (r"\{,\}", ","), (r"(?<=\S)× ", "×"),
)  # fmt: skip


def as_set(latex: str) -> str:
    r"""The lines of a LaTeX page as they look.

    >>> as_set(r"\mathrm{root} &= \sqrt{2} = 1.4142 \\")
    'root = √(2) = 1.4142 '
    """
    for pattern, sign in _SET:
        latex = re.sub(pattern, sign, latex)
    return latex
