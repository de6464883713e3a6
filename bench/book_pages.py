"""How the book looks on paper: its pages, pages that are nearly empty, and words that are too small to read.

python bench/book_pages.py [BOOK.pdf]        a PDF that is there, or the book made now
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pypdf

MOST_PAGES = 350
LEAST_FULL = 1 / 3  # of a page that is not the last one of a chapter
SMALLEST = 7.0  # points
SHOWN = 12  # of a list of failures
FORMULA_FONTS = ("NewCM",)
RAISED = (5.7, 6.3)  # points of indices and powers in the text, and in tables
DPI, WHITE = 20, 235  # of the pictures that tell how full a page is
TOP, BOTTOM = 0.095, 0.92  # the part of a page between head and foot


def fullness(path: Path) -> Iterator[float]:
    """How far down each page is filled, from 0 to 1."""
    command = ["pdftoppm", "-r", str(DPI), "-gray", str(path)]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*command, f"{folder}/p"], check=True, capture_output=True)
        for file in sorted(Path(folder).iterdir()):
            _, size, _, pixels = file.read_bytes().split(b"\n", 3)
            width, height = map(int, size.split())
            first, last = int(TOP * height), int(BOTTOM * height)
            inked = [row for row in range(first, last) if min(pixels[row * width : (row + 1) * width]) < WHITE]
            yield (inked[-1] + 1 - first) / (last - first) if inked else 0.0


def sizes(page: pypdf.PageObject) -> Counter[float]:
    """How many words of each size a page has, in points, as they are on paper; indices and powers aside, which have a
    font for formulas or are raised and lowered by the page.
    """
    found: Counter[float] = Counter()

    def seen(text: str, cm: list[float], tm: list[float], font: dict[str, str] | None, size: float) -> None:
        a, b = tm[0] * cm[0] + tm[1] * cm[2], tm[0] * cm[1] + tm[1] * cm[3]
        points = round(abs(size) * (a * a + b * b) ** 0.5, 1)
        is_formula = any(name in (font or {}).get("/BaseFont", "") for name in FORMULA_FONTS)
        if text.strip() and not is_formula and points not in RAISED:
            found[points] += len(text.split())

    page.extract_text(visitor_text=seen)
    return found


def chapter_starts(reader: pypdf.PdfReader) -> set[int]:
    """The pages on which a part or a chapter begins, counted from 0."""
    starts: set[int] = set()

    def visit(entries: list[object], depth: int) -> None:
        for entry in entries:
            if isinstance(entry, list):
                visit(entry, depth + 1)
            elif depth < 2:
                number = reader.get_destination_page_number(entry)  # type: ignore[arg-type]
                starts.add(number if number is not None else -1)

    visit(reader.outline, 0)  # type: ignore[arg-type]
    return starts


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("book", nargs="?", type=Path)
    path = parser.parse_args().book
    with tempfile.TemporaryDirectory() as folder:
        if path is None:
            path = Path(folder) / "book.pdf"
            subprocess.run(["workings", "book", "-o", str(path)], check=True)
        reader = pypdf.PdfReader(path)
        starts = chapter_starts(reader)
        full = list(fullness(path))
        inner = [n for n in range(min(starts), len(full)) if not {n, n + 1} & starts]
        empty = [n + 1 for n in inner if full[n] < LEAST_FULL]
        found_sizes = {n + 1: sizes(page) for n, page in enumerate(reader.pages)}
    too_small = {n: {size: count for size, count in of.items() if size < SMALLEST} for n, of in found_sizes.items()}
    small = {page: found for page, found in too_small.items() if found}
    print(f"pages: {len(full)} (at most {MOST_PAGES})")
    print(f"pages less than a third full, ends of chapters aside: {len(empty)} {empty[:SHOWN]}")
    print(f"words below {SMALLEST} pt: {sum(sum(found.values()) for found in small.values())} on {len(small)} pages")
    for page, found in list(small.items())[:SHOWN]:
        print(f"  page {page}: {dict(sorted(found.items()))}")


if __name__ == "__main__":
    main()
