"""`workings new-scenario`: a file to start from."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from ..engine.errors import InputError
from .output import write_whole

TEMPLATE = resources.files("workings.models") / "templates" / "scenario.yaml"


def write_scenario(name: str) -> Path:
    """Write the commented example under a name, unless something is there already."""
    if not name.strip() or not name.isprintable() or name.endswith(("/", "\\")) or Path(name).name.startswith("."):
        raise InputError("input.scenario.name", name=name)
    path = Path(name) if name.endswith((".yaml", ".yml")) else Path(f"{name}.yaml")
    if path.exists() or path.is_symlink():
        raise InputError("output.exists", path=path)
    text = TEMPLATE.read_text(encoding="utf-8").replace("FILE", str(path))
    write_whole(path, text.encode())
    return path
