"""`workings new-scenario`: a file to start from."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from ..engine.errors import InputError
from .new_file import can_be_name, write_template

TEMPLATE = resources.files("workings.models") / "templates" / "scenario.yaml"


def write_scenario(name: str) -> Path:
    """Write the commented example under a name, unless something is there already."""
    if not can_be_name(name):
        raise InputError("input.scenario.name", name=name)
    path = Path(name) if name.endswith((".yaml", ".yml")) else Path(f"{name}.yaml")
    write_template(TEMPLATE, path)
    return path
