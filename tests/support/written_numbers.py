"""Numbers as people write them, and how they are read. The front end has a reader of its own for offline files: it is
tested with the same table, which `python tests/written_numbers.py write` makes.
"""

import json
import math
import sys
from pathlib import Path

from workings.engine.errors import InputError
from workings.practice.answers.number import is_blank, read_number

FILE = Path(__file__).parents[2] / "web/src/api/offline_numbers.json"
TEXTS = (
    *("0.25", "0,25", ".5", "5.", "-0.25", "+3", "− 0.25", "–3", "1.250", "0.0070", "0.00", "0", "00.10", "12", "1e3"),
    *("1.2e-3", "1.2E+3", "1e0003", "1e999", "1e1000", "1e-400", "2,5e-1", " 0.5 ", "= 0.5", "≈0.5", "~ 0.5", "$0.5$"),
    *("25 %", "81.97%", "25％", "0.5 %", "-3%", r"25\%", "1e2%", "% 5", "5 % 3"),
    *(
        "1/4",
        "-3/8",
        "3 / 8",
        "1/1.22",
        "1,5/2",
        ".5/2",
        "1/-4",
        "- 1/4",
        "1/0",
        "0/5",
        "1/3/2",
        "1e2/3",
        "0.10/0.200",
        "5/%",
    ),
    *("1.2 × 10^-3", "1.2·10⁻³", "1.2x10^3", "10^2", r"1.2 \times 10^{-3}", "1.2*10**-3", "2^3", "10⁻²"),
    *(
        r"\frac{3}{8}",
        r"-\dfrac{1}{4}",
        r"0{,}25",
        r"1\,000.5",
        "1\u202f000,5",
        "1\u2009000",
        "０.５",
        "\u200b0.5",
        "3⁄4",
    ),
    *("inf", "-inf", "−∞", "∞", r"-\infty", "Infinity", "nan", "-", "--", "", " ", "____", "?", "??", "...", "…", "□"),
    *(
        "null",
        "n/a",
        "None",
        "none",
        r"\square",
        r"\\square",
        "a quarter",
        "0.25 34",
        "1,2,3",
        "1.2.3",
        "=A1+B1",
        "2024-01-02",
    ),
    *(
        "0x10",
        "1_000",
        "1'000",
        "[0.5]",
        "(0.5)",
        "0.5;",
        "½",
        "٣",
        "5-",
        "1 2",
        "e5",
        ".",
        ",5",
        "5,",
        "+",
        "- -5",
        "4e",
        "1/",
    ),
    "7" * 400,
    "7" * 401,
    "0." + "3" * 30,
)


def read(text: str) -> dict[str, object]:
    """What is not a number, and what a sheet cannot ask for, has no value."""
    try:
        given = read_number(text)
    except InputError:
        given = None
    if given is None or math.isnan(given.value):
        return {"text": text, "blank": is_blank(text), "value": None}
    value = given.value if math.isfinite(given.value) else str(given.value)
    return {"text": text, "blank": is_blank(text), "value": value, "unit": given.unit, "digits": given.digits}


def table() -> str:
    return "[\n" + ",\n".join(f"  {json.dumps(read(text))}" for text in TEXTS) + "\n]\n"


if __name__ == "__main__" and sys.argv[1:] == ["write"]:
    FILE.write_text(table(), encoding="utf-8")
