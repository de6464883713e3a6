"""The wheel, built from a copy of the source, and environments that have it installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

import workings

ROOT = Path(workings.__file__).parents[2]
PARTS = ("pyproject.toml", "README.md", "LICENSE", "web/wheel.py", "src")
SECONDS = 60


def copy_source(folder: Path) -> None:
    """What a wheel is made from: nothing is written beside the source."""
    for name in PARTS:
        target = folder / name
        target.parent.mkdir(exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, target)


def make_wheel(folder: Path, target: Path) -> subprocess.CompletedProcess[str]:
    """What pip says about it, and whether it was made."""
    options = ("--no-deps", "--no-build-isolation", "--no-index")
    command = [sys.executable, "-m", "pip", "wheel", *options, "-w", target, "."]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=SECONDS)


def install(wheel: Path, folder: Path, packages: Iterable[str]) -> None:
    """A new environment with the wheel and these packages, which are linked from this one, and nothing else."""
    venv.create(folder, symlinks=True, with_pip=False)
    place = next(folder.glob("lib/python*/site-packages"))
    for package in packages:
        for file in metadata.distribution(package).files or ():
            entry = place / file.parts[0]
            if not entry.exists() and file.parts[0] not in ("..", "__pycache__"):
                entry.symlink_to(metadata.distribution(package).locate_file(file.parts[0]))
    command = [sys.executable, "-m", "pip", "--python", folder, "install", "--no-deps", "--no-index", "--quiet", wheel]
    subprocess.run(command, check=True, timeout=SECONDS)


def needed(package: str, extra: str = "") -> set[str]:
    """The packages that a package needs, with those that they need."""
    found, waiting = set(), [(package, extra)]
    while waiting:
        name, extra = waiting.pop()
        for line in metadata.requires(name) or ():
            wanted = Requirement(line)
            if wanted.marker is None or wanted.marker.evaluate({"extra": extra}):
                new = (wanted.name, next(iter(wanted.extras), ""))
                if wanted.name not in found:
                    waiting.append(new)
                found.add(wanted.name)
    return found
