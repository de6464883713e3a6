"""The op pages: one file per op or close family, found by themselves.

Adding an op is adding a file to this folder: everything below reads what is there.
"""

from __future__ import annotations

import importlib
import pkgutil

from ..engine.registry import OPS
from .given import constant, given, ids, parameter, random

for _module in sorted(module.name for module in pkgutil.iter_modules(__path__)):
    importlib.import_module(f"{__name__}.{_module}")

globals().update({name if name != "pass" else "pass_": op for name, op in OPS.items()})

__all__ = sorted([*(name for name in OPS if name != "pass"), "constant", "given", "ids", "parameter", "random"])  # noqa: PLE0605
