"""What a code was made from: a lesson or scenario of the package, or somebody's own file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from ...models.scenario import names as scenario_names
from ..shelf import names as lesson_names

ENDINGS = (".yaml", ".yml", ".md")
DEEPEST = 4  # folders in each other
MOST_LOOKED_AT = 5_000  # files and folders
MOST_FOUND = 5


def is_in_package(name: str) -> bool:
    """Whether it is a lesson or a scenario that everybody has.

    >>> is_in_package("example-3"), is_in_package("homework/two.yaml")
    (True, False)
    """
    return name in lesson_names() or name in scenario_names()


def name_in_code(name: str) -> str:
    """What a code calls it: a file may be called anything, and a code is copied by hand.

    >>> name_in_code("homework/my own. example.yaml"), name_in_code("example-3")
    ('my-own-example', 'example-3')
    """
    return re.sub(r"[^\w-]+", "-", Path(name).stem)


def sources_of(name: str) -> Iterator[str]:
    """What a code may mean by a name: what the package has, and files in the folder where we are and below it.

    >>> next(sources_of("example-3"))
    'example-3'
    """
    if is_in_package(name):
        yield name
    yield from map(str, islice(_files(name), MOST_FOUND))


def _files(name: str) -> Iterator[Path]:
    """The files that have this name in a code, the nearest first as far as it is looked."""

    def is_it(file: str) -> bool:
        return name_in_code(file).casefold() == name.casefold()  # somebody copies a code in capitals

    looked_at = 0
    folders = [Path()]
    for folder in folders:
        try:
            found = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in found:
            looked_at += 1
            if looked_at > MOST_LOOKED_AT:
                return
            path = folder / entry.name
            if entry.is_file() and path.suffix.lower() in ENDINGS and is_it(entry.name):
                yield path
            is_hidden = entry.name.startswith(".")
            if not is_hidden and len(path.parts) <= DEEPEST and entry.is_dir(follow_symlinks=False):
                folders.append(path)
