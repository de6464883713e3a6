"""How long `import workings` takes, against `import numpy`. Target: at most twice as long."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

from interleaved import median_seconds


def fresh_import(module: str) -> None:
    subprocess.run([sys.executable, "-c", f"import {module}"], check=True)


if __name__ == "__main__":
    times = median_seconds({name: partial(fresh_import, name) for name in ("sys", "numpy", "workings")}, rounds=15)
    start = times["sys"]  # what starting Python costs by itself
    ratio = (times["workings"] - start) / (times["numpy"] - start)
    print("import, beyond starting Python (median of 15 interleaved processes)")
    for name in ("numpy", "workings"):
        print(f"  {name:<9} {1e3 * (times[name] - start):6.0f} ms")
    print(f"  workings / numpy = {ratio:.2f}   (target: at most 2)")
