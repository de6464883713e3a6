"""The two files of a checkpoint as bytes, and back. Whatever does not fit is refused with one sentence.

Format 1 was written by version 0.8, format 2 is written now. They differ in the words of the scenario that is stored:
the recipe's reader brings old ones up to date.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from hashlib import sha256
from typing import Any, Generic, TypeVar

import numpy

from ..engine.arrays import Array
from ..engine.errors import CheckpointError, WorkingsError
from ..nn.architecture import Architecture
from ..nn.build import build
from ..nn.model import EncoderDecoder, Transformer
from ..nn.weights import Given, Shapes
from ..text.tokens import Tokens
from ..text.vocabulary_data import vocabulary_from_data, vocabulary_to_data
from .recipe import TrainingRecipe

FORMATS = {"workings/checkpoint/1": 1, "workings/checkpoint/2": 2}
FORMAT = "workings/checkpoint/2"
WEIGHTS, STATE = "weights.safetensors", "state.json"
WEIGHT, MEMORY, LOSSES = "weight.", "carried.", "losses"  # how the names of arrays begin

MAX_COUNT = 2**53  # of steps and updates
MAX_TOKENS = 10_000_000  # of one text
MAX_THREADS = 4096
MAX_SHOWN_CHARS = 40
MAX_REASON_CHARS = 200

RecipeT = TypeVar("RecipeT", bound=TrainingRecipe)


@dataclass(frozen=True)
class Check:
    """An evaluation on held-out texts: their loss, and for a task the fraction of answers that were right."""

    step: int
    loss: float
    exact: float | None
    texts: int


@dataclass(frozen=True)
class Checkpoint(Generic[RecipeT]):
    """A training after so many steps."""

    recipe: RecipeT
    step: int
    updates: int
    weights: Mapping[str, Array]
    memory: Mapping[str, Mapping[str, Array]]  # of the optimizer: by its name for it, and by weight
    losses: tuple[float, ...]
    vocabulary: Tokens | None
    longest: int
    data: str  # the fingerprint of the data
    checks: tuple[Check, ...] = ()
    threads: int = 1  # that computed the products: their number can change the last bit of a sum
    where: str = field(default="", compare=False)

    @cached_property
    def architecture(self) -> Architecture:
        return self.recipe.architecture(self.vocabulary, self.longest)

    @cached_property
    def model(self) -> Transformer | EncoderDecoder:
        """The model with these weights, without dropout."""
        return build(self.architecture, Given(self.weights, Shapes()))


# -- writing -------------------------------------------------------------------------------------------


def encode(checkpoint: Checkpoint[RecipeT]) -> dict[str, bytes]:
    """The content of each file."""
    arrays = {f"{WEIGHT}{path}": value for path, value in checkpoint.weights.items()}
    for name, rows in checkpoint.memory.items():
        arrays |= {f"{MEMORY}{name}.{path}": value for path, value in rows.items()}
    arrays[LOSSES] = numpy.array(checkpoint.losses, dtype=numpy.float64)
    weights: bytes = _safetensors().save({name: numpy.ascontiguousarray(value) for name, value in arrays.items()})
    return {WEIGHTS: weights, STATE: json.dumps(_state(checkpoint, weights), indent=1).encode()}


def _state(checkpoint: Checkpoint[RecipeT], weights: bytes) -> dict[str, Any]:
    vocabulary = checkpoint.vocabulary
    state = {
        "format": FORMAT,
        "step": checkpoint.step,
        "updates": checkpoint.updates,
        "seed": checkpoint.recipe.seed,
        "recipe": checkpoint.recipe.to_data(),
        "architecture": asdict(checkpoint.architecture),
        "vocabulary": None if vocabulary is None else vocabulary_to_data(vocabulary),
        "longest": checkpoint.longest,
        "data": checkpoint.data,
        "checks": [asdict(check) for check in checkpoint.checks],
        "threads": checkpoint.threads,
        "numpy": numpy.__version__,
        "weights": {"bytes": len(weights), "sha256": sha256(weights).hexdigest()},
    }
    return {**state, "sha256": _checksum(state)}


def _checksum(state: Mapping[str, Any]) -> str:
    return sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()


# -- reading -------------------------------------------------------------------------------------------


def decode(
    state: bytes, weights: bytes, where: str, read_recipe: Callable[[Mapping[str, str], int], RecipeT]
) -> Checkpoint[RecipeT]:
    """The checkpoint in the content of its two files; `where` is the folder that they are from."""
    data = _verified(state, weights)
    arrays = _arrays(weights)
    step = _count(data, "step", 0, MAX_COUNT)
    found = Checkpoint(
        _recipe(data, read_recipe),
        step,
        _count(data, "updates", step, MAX_COUNT),
        {name.removeprefix(WEIGHT): array for name, array in arrays.items() if name.startswith(WEIGHT)},
        _memory(arrays),
        _losses(arrays, step),
        _vocabulary(_entry(data, "vocabulary")),
        _count(data, "longest", 1, MAX_TOKENS),
        _text(data, "data"),
        tuple(_check(check) for check in _list(data, "checks")),
        _count(data, "threads", 1, MAX_THREADS),
        where,
    )
    _refuse_other_weights(found)
    return found


def _verified(state: bytes, weights: bytes) -> Mapping[str, Any]:
    """The content of state.json, if both files are what was written."""
    try:
        data = json.loads(state)
        checksum = _checksum({key: value for key, value in data.items() if key != "sha256"})
    except (ValueError, AttributeError, RecursionError):
        raise _damaged(STATE) from None
    if "format" not in data:
        raise _damaged(STATE)
    if not isinstance(data["format"], str) or data["format"] not in FORMATS:
        raise CheckpointError(
            f"This is not a checkpoint that can be read here: its format is {_shown(data['format'])}.",
            hint=f"`workings train` writes the format {FORMAT}, and version 0.8 wrote {next(iter(FORMATS))}.",
        )
    if data.get("sha256") != checksum:
        raise _damaged(STATE)
    stored = _entry(data, "weights")
    if not isinstance(stored, dict) or "sha256" not in stored:
        raise _unusable("it has no checksum of the weights", STATE)
    if stored["sha256"] != sha256(weights).hexdigest():
        raise _damaged(WEIGHTS)
    return dict(data)


def _arrays(weights: bytes) -> dict[str, Array]:
    from safetensors import SafetensorError

    try:
        arrays: dict[str, Array] = _safetensors().load(weights)
    except (SafetensorError, KeyError, TypeError, ValueError, OverflowError, MemoryError) as error:
        raise _unusable(f"its arrays cannot be read ({str(error)[:MAX_SHOWN_CHARS]})", WEIGHTS) from None
    for name, array in arrays.items():
        if name != LOSSES and not name.startswith((WEIGHT, MEMORY)):
            raise _unusable(f"it has an array of another name, {_shown(name)}", WEIGHTS)
        if array.dtype not in (numpy.float32, numpy.float64):
            raise _unusable(f"{_shown(name)} is an array of {array.dtype}, not of float32 or float64", WEIGHTS)
        if not numpy.all(numpy.isfinite(array)):
            raise _unusable(f"{_shown(name)} has an entry that is not a finite number", WEIGHTS)
    return arrays


def _recipe(data: Mapping[str, Any], read_recipe: Callable[[Mapping[str, str], int], RecipeT]) -> RecipeT:
    stored = _entry(data, "recipe")
    if not isinstance(stored, dict) or not all(isinstance(value, str) for value in stored.values()):
        raise _unusable("its `recipe` is not a mapping of texts", STATE)
    try:
        return read_recipe(stored, FORMATS[data["format"]])
    except WorkingsError as error:
        raise _unusable(f"its scenario cannot be read ({_reason(error)})", STATE) from None


def _memory(arrays: Mapping[str, Array]) -> dict[str, dict[str, Array]]:
    found: dict[str, dict[str, Array]] = {}
    for name, array in arrays.items():
        if name.startswith(MEMORY):
            kind, _, path = name.removeprefix(MEMORY).partition(".")
            found.setdefault(kind, {})[path] = array
    return found


def _losses(arrays: Mapping[str, Array], step: int) -> tuple[float, ...]:
    if LOSSES not in arrays or arrays[LOSSES].shape != (step,):
        raise _unusable(f"it does not have one loss for each of {step} steps", WEIGHTS)
    return tuple(arrays[LOSSES].tolist())


def _vocabulary(data: Any) -> Tokens | None:
    if data is None:
        return None
    lists = ("tokens", "special", "merges", "order")
    try:
        if all(isinstance(data[key], list) for key in lists if key in data):
            return vocabulary_from_data(data)
    except (WorkingsError, KeyError, TypeError, ValueError, AttributeError):
        pass
    raise _unusable("its vocabulary cannot be read", STATE)


def _check(data: Any) -> Check:
    if not isinstance(data, dict) or set(data) != {part.name for part in fields(Check)}:
        raise _unusable(f"{_shown(data)} is not an evaluation", STATE)
    exact = None if data["exact"] is None else _number(data, "exact")
    return Check(_count(data, "step", 0, MAX_COUNT), _number(data, "loss"), exact, _count(data, "texts", 1, MAX_COUNT))


def _refuse_other_weights(checkpoint: Checkpoint[RecipeT]) -> None:
    """The weights must be those of the model that is trained, and the optimizer's memory that of such weights."""
    try:
        model = build(checkpoint.architecture, Shapes())
    except WorkingsError as error:
        raise _unusable(f"its model cannot be built ({_reason(error)})", STATE) from None
    shapes = {path: weight.shape for path, weight in model.parameters().items()}
    for path in {**shapes, **checkpoint.weights}:
        if path not in checkpoint.weights:
            raise _unusable(f"the weight {path} is missing", WEIGHTS)
        if path not in shapes:
            raise _unusable(f"its model has no weight {_shown(path)}", WEIGHTS)
        _refuse_other_shape(path, checkpoint.weights[path], shapes[path])
    for name, parts in checkpoint.memory.items():
        for path, array in parts.items():
            if path not in shapes:
                raise _unusable(f"its model has no weight {_shown(path)}", WEIGHTS)
            _refuse_other_shape(f"{name} of {path}", array, shapes[path])


def _refuse_other_shape(name: str, array: Array, shape: tuple[int, ...]) -> None:
    if array.shape != shape:
        raise _unusable(f"{name} has the shape {array.shape}, and the model needs {shape}", WEIGHTS)


# -- entries of state.json -----------------------------------------------------------------------------


def _entry(data: Mapping[str, Any], key: str) -> Any:
    if key not in data:
        raise _unusable(f"it has no `{key}`", STATE)
    return data[key]


def _count(data: Mapping[str, Any], key: str, least: int, most: int) -> int:
    value = _entry(data, key)
    if type(value) is not int or not least <= value <= most:
        raise _unusable(f"`{key}` is {_shown(value)}, not a whole number from {least} to {most}", STATE)
    return value


def _number(data: Mapping[str, Any], key: str) -> float:
    value = _entry(data, key)
    if type(value) not in (int, float) or not math.isfinite(value):
        raise _unusable(f"`{key}` is {_shown(value)}, not a finite number", STATE)
    return float(value)


def _text(data: Mapping[str, Any], key: str) -> str:
    value = _entry(data, key)
    if not isinstance(value, str):
        raise _unusable(f"`{key}` is {_shown(value)}, not a text", STATE)
    return value


def _list(data: Mapping[str, Any], key: str) -> list[Any]:
    value = _entry(data, key)
    if not isinstance(value, list):
        raise _unusable(f"`{key}` is {_shown(value)}, not a list", STATE)
    return value


def _reason(error: WorkingsError) -> str:
    """What an error says, on one line: it may repeat a text of the file."""
    return " ".join(error.what.split()).rstrip(".")[:MAX_REASON_CHARS]


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]}..."


# -- errors --------------------------------------------------------------------------------------------


def _damaged(file: str) -> CheckpointError:
    return CheckpointError(
        "This file is damaged: its content is not what was written.",
        hint="Move its folder away: then the checkpoint before it is used.",
        where=file,
    )


def _unusable(reason: str, file: str) -> CheckpointError:
    return CheckpointError(
        f"This checkpoint cannot be used: {reason}.",
        hint="Its checksums are right, so no bit was lost. Use the checkpoint as `workings train` wrote it.",
        where=file,
    )


def _safetensors() -> Any:
    try:
        import safetensors.numpy as found
    except ImportError:
        raise CheckpointError(
            "Checkpoints are safetensors files, and the package for them is not installed.",
            hint='Install it: pip install "workings[models]".',
        ) from None
    return found
