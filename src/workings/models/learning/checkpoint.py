"""Checkpoints: where a training stands, as a folder that is there as a whole or not at all.

DIR/step-000500/weights.safetensors     the weights, what the optimiser carries, and the losses so far
DIR/step-000500/state.json              all the rest: what is trained, the vocabulary, how often, checksums

A checkpoint is written into a folder of another name, brought to the disk, and renamed. So a process that is killed
at any moment leaves the last checkpoint as it was.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

import numpy

from ...engine.arrays import Array
from ...engine.errors import CheckpointError
from ...nn.architecture import Architecture
from ...nn.build import build
from ...nn.model import EncoderDecoder, Transformer
from ...nn.weights import Given, Shapes
from ...text.tokens import Tokens
from ...text.written import vocabulary_from_data, vocabulary_to_data
from ..running.building import Texts, architecture_of
from .recipe import Recipe

FORMAT = "workings/checkpoint/1"
WEIGHTS, STATE = "weights.safetensors", "state.json"
FOLDER = re.compile(r"step-(\d{6,})")
UNFINISHED, LOCK = ".unfinished", ".lock"


@dataclass(frozen=True)
class Check:
    """A look at so many texts that were held out: their loss, and of a task the share of answers that were right."""

    step: int
    loss: float
    exact: float | None
    texts: int


@dataclass(frozen=True)
class Checkpoint:
    """A training after so many steps."""

    recipe: Recipe
    step: int
    updates: int
    weights: Mapping[str, Array]
    carried: Mapping[str, Mapping[str, Array]]  # by the optimiser's name for it, and by weight
    losses: tuple[float, ...]
    vocabulary: Tokens | None
    longest: int
    data: str  # the fingerprint of what it learned from
    checks: tuple[Check, ...] = ()
    threads: int = 1  # on which products were computed: their number can change the last bit of a sum
    where: str = field(default="", compare=False)

    @property
    def plan(self) -> Any:
        return self.recipe.plan

    @cached_property
    def architecture(self) -> Architecture:
        convention = self.recipe.scenario.convention(self.recipe.run)
        return architecture_of(self.recipe.plan, convention, Texts(self.vocabulary, self.longest))

    @cached_property
    def model(self) -> Transformer | EncoderDecoder:
        """The model with these weights; nothing is dropped out of it."""
        return build(self.architecture, Given(self.weights, Shapes()))


def save(folder: Path, checkpoint: Checkpoint) -> Path:
    """Write a checkpoint into a folder; older ones stay. If there is one of this step already, nothing is written: the
    session has gone on from it, or made it.
    """
    final = folder / f"step-{checkpoint.step:06d}"
    if final.exists():
        return final
    aside = folder / f"{UNFINISHED}-{checkpoint.step:06d}-{os.getpid()}"
    try:
        is_new = not folder.exists()
        aside.mkdir(parents=True)
        content = _tensors(checkpoint)
        _write(aside / WEIGHTS, content)
        _write(aside / STATE, json.dumps(_state(checkpoint, content), indent=1).encode())
        _sync(aside)
        os.rename(aside, final)
        _sync(folder)
        if is_new:
            _sync(folder.parent)
    except OSError as error:
        shutil.rmtree(aside, ignore_errors=True)
        kept = steps_in(folder)
        key = "checkpoint.write" if kept else "checkpoint.write.first"
        raise CheckpointError(
            key, where=str(folder), reason=error.strerror or error, step=max(kept, default=0)
        ) from None
    return final


def load_checkpoint(path: str | Path, step: int | None = None) -> Checkpoint:
    """The checkpoint in a folder: of that step, or the last one. The folder of one checkpoint fits, too."""
    folder = Path(path)
    if FOLDER.fullmatch(folder.name) and (folder / STATE).exists():
        return _read(folder)
    steps = steps_in(folder)
    if not steps:
        raise CheckpointError("checkpoint.none", where=str(path))
    if step is not None and step not in steps:
        raise CheckpointError("checkpoint.step", where=str(path), step=step, steps=", ".join(map(str, steps)))
    return _read(folder / f"step-{steps[-1] if step is None else step:06d}")


def steps_in(folder: Path) -> list[int]:
    """The steps of which there is a checkpoint, in order."""
    try:
        found = [FOLDER.fullmatch(entry.name) for entry in folder.iterdir() if (entry / STATE).exists()]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise CheckpointError("checkpoint.read", where=str(folder), reason=error.strerror or error) from None
    return sorted(int(match[1]) for match in found if match)


def remove(folder: Path, steps: list[int]) -> None:
    """Take checkpoints away that nobody needs any more; a folder is renamed first, so that none is ever half there."""
    for step in steps:
        doomed = folder / f"{UNFINISHED}-{step:06d}-{os.getpid()}"
        with suppress(OSError):  # somebody reads it, perhaps; an old checkpoint harms nobody
            os.rename(folder / f"step-{step:06d}", doomed)
        shutil.rmtree(doomed, ignore_errors=True)


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Nobody else may write here meanwhile. The system gives the claim up when a process ends, however it ends."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = open(folder / LOCK, "w")  # noqa: SIM115 - closed below, once it is sure that there is one
    except OSError as error:
        raise CheckpointError("checkpoint.write.first", where=str(folder), reason=error.strerror or error) from None
    with lock:
        if not _locked(lock):
            raise CheckpointError("checkpoint.busy", where=str(folder))
        sweep(folder)
        yield


def sweep(folder: Path) -> None:
    """Remove what a process left behind that was stopped while it wrote."""
    for entry in folder.glob(f"{UNFINISHED}-*"):
        shutil.rmtree(entry, ignore_errors=True)


def _locked(file: IO[str]) -> bool:
    """Whether the lock could be had; where the system knows no such locks, it can."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


# -- writing -------------------------------------------------------------------------------------------


def _tensors(checkpoint: Checkpoint) -> bytes:
    arrays = {f"weight.{path}": value for path, value in checkpoint.weights.items()}
    for name, rows in checkpoint.carried.items():
        arrays |= {f"carried.{name}.{path}": value for path, value in rows.items()}
    arrays["losses"] = numpy.array(checkpoint.losses, dtype=numpy.float64)
    content: bytes = _safetensors().save({name: numpy.ascontiguousarray(value) for name, value in arrays.items()})
    return content


def _state(checkpoint: Checkpoint, content: bytes) -> dict[str, Any]:
    vocabulary = checkpoint.vocabulary
    state = {
        "format": FORMAT,
        "step": checkpoint.step,
        "updates": checkpoint.updates,
        "seed": checkpoint.recipe.plan.parameters.seed,
        "recipe": {key: getattr(checkpoint.recipe, key) for key in ("name", "text", "run", "changes")},
        "architecture": asdict(checkpoint.architecture),
        "vocabulary": None if vocabulary is None else vocabulary_to_data(vocabulary),
        "longest": checkpoint.longest,
        "data": checkpoint.data,
        "checks": [asdict(check) for check in checkpoint.checks],
        "threads": checkpoint.threads,
        "numpy": numpy.__version__,
        "weights": {"bytes": len(content), "sha256": sha256(content).hexdigest()},
    }
    return {**state, "sha256": _fingerprint(state)}


def _fingerprint(state: Mapping[str, Any]) -> str:
    return sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()


def _write(path: Path, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    """Bring the names in a folder to the disk, where the system can."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows does not open folders
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# -- reading -------------------------------------------------------------------------------------------


def _read(folder: Path) -> Checkpoint:
    try:
        content = (folder / WEIGHTS).read_bytes()
        state = json.loads((folder / STATE).read_bytes())
    except OSError as error:
        raise CheckpointError("checkpoint.read", where=str(folder), reason=error.strerror or error) from None
    except ValueError:
        state = None
    if not isinstance(state, dict) or "format" not in state:
        raise CheckpointError("checkpoint.damaged", where=str(folder / STATE))
    if state["format"] != FORMAT:
        raise CheckpointError("checkpoint.format", where=str(folder), found=str(state["format"])[:60], needed=FORMAT)
    if state.pop("sha256", None) != _fingerprint(state):
        raise CheckpointError("checkpoint.damaged", where=str(folder / STATE))
    if sha256(content).hexdigest() != state["weights"]["sha256"]:
        raise CheckpointError("checkpoint.damaged", where=str(folder / WEIGHTS))
    return _checkpoint(state, content, folder)


def _checkpoint(state: Mapping[str, Any], content: bytes, folder: Path) -> Checkpoint:
    arrays: dict[str, Array] = _safetensors().load(content)
    carried: dict[str, dict[str, Array]] = {}
    for name, value in arrays.items():
        kind, _, rest = name.partition(".")
        if kind == "carried":
            carried.setdefault(rest.partition(".")[0], {})[rest.partition(".")[2]] = value
    written = state["vocabulary"]
    return Checkpoint(
        Recipe(**state["recipe"]),
        int(state["step"]),
        int(state["updates"]),
        {name.removeprefix("weight."): value for name, value in arrays.items() if name.startswith("weight.")},
        carried,
        tuple(arrays["losses"].tolist()),
        None if written is None else vocabulary_from_data(written),
        int(state["longest"]),
        str(state["data"]),
        tuple(Check(**check) for check in state["checks"]),
        int(state["threads"]),
        str(folder),
    )


def _safetensors() -> Any:
    try:
        import safetensors.numpy as found
    except ImportError:
        raise CheckpointError("checkpoint.package") from None
    return found
