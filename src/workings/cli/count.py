"""`workings count`: the count of a model as a page and as data."""

from __future__ import annotations

from os.path import exists
from pathlib import Path
from typing import Any

from ..counting.count import count
from ..counting.count_page import count_document, preset_list
from ..counting.hf_config import read_config
from ..counting.presets import PRESETS
from ..document.blocks import Document, to_data
from ..engine.errors import InputError, did_you_mean
from ..engine.files import shown_path
from ..nn import Architecture
from ..scenarios.reading.scenario_file import DEFAULT
from ..scenarios.scenario import names, scenario
from .options import no_runs

SCENARIO_ENDINGS = (".yaml", ".yml")


def model_list() -> Document:
    """All models that are known by name."""
    return preset_list(PRESETS)


def count_page(
    name: str, run: str | None, tokens: int | None, batch_size: int, dtype: str
) -> tuple[Document, dict[str, Any]]:
    """The count of a model as a page, and as data with that page in it."""
    if tokens is None and _is_scenario(name):
        tokens = scenario(name).longest(run or DEFAULT)
    found = count(architecture_of(name, run), Path(name).name or name, tokens, batch_size, dtype)
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
        raise no_runs(name)
    if path.suffix.lower() == ".json" or exists(path):
        return read_config(path)
    raise InputError(
        f"There is no model '{shown_path(name)}'.",
        hint=f"{did_you_mean(name, PRESETS)}Known: {', '.join(PRESETS)}; or the path of a "
        "config.json, or of a scenario.",
    )


def _is_scenario(name: str) -> bool:
    return name in names() or Path(name).suffix.lower() in SCENARIO_ENDINGS
