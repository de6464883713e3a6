"""`workings count`: which model is meant, and its count as a page and as data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..engine.errors import InputError
from ..engine.registry import nearest
from ..explain.document import Document, to_data
from ..models.counting.count import count
from ..models.counting.count_page import count_document, preset_list
from ..models.hf_config import read_config
from ..models.presets import PRESETS
from ..models.reading.scenario_reading import DEFAULT
from ..models.scenario import names, scenario
from ..nn import Architecture

SCENARIOS = (".yaml", ".yml")


def model_list() -> Document:
    """All models that are known by name."""
    return preset_list(PRESETS)


def count_page(
    name: str, run: str | None, tokens: int | None, batch: int, dtype: str
) -> tuple[Document, dict[str, Any]]:
    """The count of a model as a page, and as data with that page in it."""
    if tokens is None and _is_scenario(name):
        tokens = scenario(name).longest(run or DEFAULT)
    found = count(architecture_of(name, run), Path(name).name or name, tokens, batch, dtype)
    page = count_document(found)
    return page, {**found.to_data(), "document": to_data(page)}


def architecture_of(name: str, run: str | None = None) -> Architecture:
    """The architecture of a preset, of a scenario, or of a configuration (or the folder that holds one)."""
    path = Path(name)
    if name in PRESETS and run is None:
        return PRESETS[name]
    if _is_scenario(name):
        return scenario(name).architecture(run or DEFAULT)
    if run is not None:
        raise InputError("input.run", name=name)
    if path.suffix.lower() == ".json" or path.exists():
        return read_config(path)
    raise InputError("count.model", name=name, nearest=nearest(name, PRESETS), known=", ".join(PRESETS))


def _is_scenario(name: str) -> bool:
    return name in names() or Path(name).suffix.lower() in SCENARIOS
