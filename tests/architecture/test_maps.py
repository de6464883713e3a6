"""Every room has a map in the docstring of its package, and the map names every file."""

import importlib
import re
from pathlib import Path

import pytest

import workings

ROOMS = sorted(path.parent.name for path in Path(workings.__file__).parent.glob("*/__init__.py"))
PAGES = ("ops", "figures")  # where adding a page is adding a file, and nothing else


@pytest.mark.parametrize("room", ROOMS)
def test_the_map_of_a_room_names_every_file_and_folder(room):
    package = importlib.import_module(f"workings.{room}")
    words = set(re.findall(r"\w+", package.__doc__))
    found = {
        entry.stem
        for entry in Path(package.__file__).parent.iterdir()
        if not entry.name.startswith("_") and (entry.is_dir() or entry.suffix == ".py")
    }
    pages = found - {"parts", "given"} if room in PAGES else set()
    assert sorted(found - words - pages) == []
