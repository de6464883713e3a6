"""How long each lesson is on a screen with its folds closed: screens of 900 px at a width of 1400, and visible words.

python bench/lesson_length.py [LESSON ...]        all lessons, if none is named
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
from pathlib import Path

import workings as w
from workings.lessons.contents import names
from workings.render.html import to_html

WIDTH, SCREEN = 1400, 900
MOST_SCREENS, MOST_WORDS = 15, 1800
BROWSERS = ("chromium-headless-shell", "chromium")
OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--dump-dom",
    "--virtual-time-budget=8000",
    f"--window-size={WIDTH},{SCREEN}",
)
# The words of the running text: without figures, formulas, matrices, lines of arithmetic and programs.
COUNT = """<script>addEventListener("load", () => setTimeout(() => {
  const main = document.querySelector("main") ?? document.body;
  const height = document.documentElement.scrollHeight;
  const numeric = "figure.figure, .formula, .matrix, .derivation, .program, .katex, table";
  for (const part of main.querySelectorAll(numeric)) part.remove();
  const words = main.innerText.split(/\\s+/).filter((word) => /[A-Za-z]/.test(word)).length;
  document.title = `measured ${height} ${words}`;
}, 1500));</script></body>"""


def measured(name: str) -> tuple[float, int]:
    """Screens and words of a lesson."""
    page = to_html(w.lesson(name).document).replace("</body>", COUNT)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "lesson.html"
        file.write_text(page, encoding="utf-8")
        for browser in BROWSERS:
            try:
                run = subprocess.run([browser, *OPTIONS, file.as_uri()], capture_output=True, text=True, check=True)
            except FileNotFoundError:
                continue
            found = re.search(r"<title>measured (\d+) (\d+)</title>", run.stdout)
            if found:
                return int(found[1]) / SCREEN, int(found[2])
    raise SystemExit("No Chromium was found, or it did not measure the page.")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("lesson", nargs="*", default=list(names()))
    lengths = {name: measured(name) for name in parser.parse_args().lesson}
    for name, (screens, words) in lengths.items():
        too_long = screens > MOST_SCREENS or words > MOST_WORDS
        print(f"{name:24} {screens:5.1f} screens {words:6} words{'   too long' if too_long else ''}")
    print(f"longest: {max(screens for screens, _ in lengths.values()):.1f} screens, "
          f"{max(words for _, words in lengths.values())} words")  # fmt: skip


if __name__ == "__main__":
    main()
