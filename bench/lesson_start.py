"""How long it takes until a lesson that was opened before stands on the screen, from a cold start. Target: below 1.5 s.

Beside it, in turn, what importing NumPy costs on the machine as it is just now: a time alone means little there.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from interleaved import median_seconds

from workings.lessons.contents import names

WORKINGS = Path(sys.executable).with_name("workings")


def opened(name: str) -> None:
    subprocess.run([WORKINGS, "lesson", name], check=True, stdout=subprocess.DEVNULL)


def numpy() -> None:
    subprocess.run([sys.executable, "-c", "import numpy"], check=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as kept:
        os.environ["WORKINGS_CACHE"] = kept
        lessons = {name: partial(opened, name) for name in names()}
        times = median_seconds({"import numpy": numpy, **lessons}, rounds=5)
    print("a lesson on the screen, kept from before (median of 5 interleaved processes)")
    for name, seconds in times.items():
        print(f"  {name:<13} {seconds:5.2f} s   {seconds / times['import numpy']:5.1f} x importing NumPy")
    slowest = max(times[name] for name in lessons)
    print(f"  slowest: {slowest:.2f} s   (target: below 1.5)")
