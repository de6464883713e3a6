"""The large folders have a map in the docstring of their package, and the map names every file."""

import importlib
import re
from pathlib import Path

import pytest

MAPPED = ["workings.ops", "workings.engine", "workings.lab"]


@pytest.mark.parametrize("name", MAPPED)
def test_the_map_of_a_folder_names_every_file_and_folder(name):
    package = importlib.import_module(name)
    words = set(re.findall(r"\w+", package.__doc__))
    found = {
        entry.stem
        for entry in Path(package.__file__).parent.iterdir()
        if not entry.name.startswith("_") and (entry.is_dir() or entry.suffix == ".py")
    }
    assert sorted(found - words) == []
