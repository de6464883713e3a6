"""The op pages: one file per op or close family, found by themselves.

Adding an op is adding a file to this folder: everything below reads what is there.
"""

from __future__ import annotations

import os
from importlib import import_module

from ..engine.registry import OPS
from .given import constant, given, ids, parameter, random

for _file in sorted(os.listdir(__path__[0])):
    if _file.endswith(".py") and not _file.startswith("_"):
        import_module(f"{__name__}.{_file.removesuffix('.py')}")

_pages = {name if name != "pass" else "pass_": op for name, op in OPS.items()}  # pass is a word of Python
globals().update(_pages)

__all__ = [*_pages, "constant", "given", "ids", "parameter", "random"]  # noqa: PLE0604
