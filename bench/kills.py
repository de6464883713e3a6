"""Training that is killed at any moment goes on as if nothing had happened, to the last bit.

`workings train` is started, killed by the system (SIGKILL, which no program can answer) and started again, until it is
done. A third of the kills wait for the folder into which a checkpoint is being written; others come while the program
starts, and the rest anywhere. After each kill the checkpoint that is left, and at the end the last one, must be
byte for byte that of a training that nobody disturbed: weights, what the optimizer carries, and all losses.

python bench/kills.py [KILLS]     50 unless a number is given; the exit code is 1 if anything differs
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

KILLS, WHILE_SAVING = 50, 10  # at least so many
STEPS, SAVE = 300, 2
PATIENCE = 120.0  # seconds that a training may take to do anything at all

TEXT = "The seventh mill turns when it rains; six stand still, and the miller counts them. " * 12
SCENARIO = """
scenario: 1
convention: gpt2
precision: float32
model: {kind: decoder, width: 16, heads: 2, layers: 1, hidden: 32, final_norm: true, position: learned,
  head: all-tokens, dropout: 0.1}
parameters: {seed: 4, draw: normal}
data: {text: text.txt, context: 8}
train:
  {optimizer: adamw, learning_rate: 0.01, warmup_steps: 20, schedule: cosine, end_factor: 0.1, max_grad_norm: 1,
   batch_size: 4, accumulation_steps: 2, eval_steps: 50}
"""

# When a kill came, judged by what it left behind.
STARTING, STEPPING, WRITING, REMOVING = "while starting", "between checkpoints", "while saving", "while removing"
LEFT_BEHIND = re.compile(r"\.unfinished-(\d+)-\d+")
CHECKPOINT = re.compile(r"step-(\d+)")


@dataclass
class Tally:
    """What was seen so far."""

    kills: Counter[str] = field(default_factory=Counter)
    exact: int = 0  # kills after which everything was as it should be, up to the end of the training
    trainings: int = 0
    differences: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        return self.kills.total()


class Trainings:
    """Trainings of one scenario in one folder, beside one that is never disturbed."""

    def __init__(self, place: Path, steps: int = STEPS, save: int = SAVE, seed: int = 1) -> None:
        self.place, self.steps, self.save = place, steps, save
        self.random = random.Random(seed)
        self.undisturbed = place / "undisturbed"
        (place / "text.txt").write_text(TEXT, encoding="utf-8")
        (place / "kills.yaml").write_text(SCENARIO, encoding="utf-8")
        # Of this one every checkpoint is kept, to compare with whatever a kill leaves.
        kept = ",".join(str(number + 1) for number in range(0, steps, save))
        process = self.started(self.undisturbed, "--keep", kept)
        if process.wait() != 0:
            raise RuntimeError("the training without kills did not end well")

    def started(self, folder: Path, *more: str) -> subprocess.Popen[bytes]:
        command = "from workings.cli.main import run; run()"
        words = [
            "train",
            "kills.yaml",
            "-o",
            folder.name,
            "--steps",
            str(self.steps),
            "--save-steps",
            str(self.save),
            *more,
        ]
        # A sum is the same to the last bit only with equally many threads.
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
        quiet = subprocess.DEVNULL
        return subprocess.Popen(
            [sys.executable, "-c", command, *words], cwd=self.place, env=environment, stdout=quiet, stderr=quiet
        )

    def killed(self, kills: int, tally: Tally | None = None) -> Tally:
        """Whole trainings, until there were so many kills."""
        tally = tally or Tally()
        while tally.total < kills:
            tally.trainings += 1
            self._one_training(self.place / f"killed-{tally.trainings}", kills, tally)
        return tally

    def _one_training(self, folder: Path, kills: int, tally: Tally) -> None:
        before, differences = tally.total, len(tally.differences)
        while True:
            start, old = last_step(folder), left_behind(folder)
            code = self._one_life(folder, tally.total, disturbed=tally.total < kills)
            if code >= 0:  # it ended by itself; a process that was killed has a negative code
                break
            tally.kills[moment(folder, start, old)] += 1
            tally.differences += self.differences(folder)
        if code:
            tally.differences.append(f"{folder.name}: ended with code {code}")
        tally.differences += self.differences(folder, whole=True)
        if len(tally.differences) == differences:
            tally.exact += tally.total - before

    def _one_life(self, folder: Path, number: int, disturbed: bool) -> int:
        """Start the training, and kill it unless it is done before; the code that it ends with."""
        process = self.started(folder)
        try:
            if disturbed:
                self._wait(process, folder, number)
            else:
                process.wait()
        finally:
            process.kill()
        return process.wait()

    def _wait(self, process: subprocess.Popen[bytes], folder: Path, number: int) -> None:
        """Wait for the moment of a kill, or until the training is done."""
        start = last_step(folder)
        if number % 6 == 5:
            _pass(process, self.random.uniform(0.0, 1.0))
            return
        # The others come when some steps are made; every third as soon as something is being saved after that.
        _until(process, lambda: last_step(folder) > start)
        _pass(process, self.random.uniform(0.0, 0.5))
        if number % 3 == 0:
            _until(process, lambda: bool(left_behind(folder)))

    def differences(self, folder: Path, whole: bool = False) -> list[str]:
        """What is not as in the training without kills: in the last checkpoint, or in that of the last step."""
        step = self.steps if whole else last_step(folder)
        if step < 0:
            return []  # killed before there was anything to save
        mine, theirs = (place / f"step-{step:06d}" for place in (folder, self.undisturbed))
        found = []
        if not mine.exists():
            return [f"{folder.name}: there is no checkpoint of step {step}"]
        if (mine / "weights.safetensors").read_bytes() != (theirs / "weights.safetensors").read_bytes():
            found.append(f"{mine.relative_to(self.place)}: weights or losses differ")
        for key in ("step", "updates", "checks", "weights"):
            one, other = (json.loads((at / "state.json").read_bytes())[key] for at in (mine, theirs))
            if one != other:
                found.append(f"{mine.relative_to(self.place)}: {key} differs")
        return found


def _until(process: subprocess.Popen[bytes], happened: Callable[[], bool]) -> None:
    """Look again and again until something has happened, or the process has ended."""
    end = time.monotonic() + PATIENCE
    while process.poll() is None and not happened():
        if time.monotonic() > end:
            raise RuntimeError(f"nothing happened for {PATIENCE:.0f} s")
        time.sleep(0.0005)


def _pass(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Let so many seconds pass, or fewer if the process ends before."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)


def _numbered(folder: Path, pattern: re.Pattern[str]) -> dict[str, int]:
    found = [pattern.fullmatch(entry.name) for entry in folder.iterdir()] if folder.exists() else []
    return {match[0]: int(match[1]) for match in found if match}


def last_step(folder: Path) -> int:
    """That of the newest checkpoint; -1 if there is none."""
    return max(_numbered(folder, CHECKPOINT).values(), default=-1)


def left_behind(folder: Path) -> dict[str, int]:
    """The folders that somebody did not finish writing or removing, and their steps."""
    return _numbered(folder, LEFT_BEHIND)


def moment(folder: Path, start: int, old: dict[str, int]) -> str:
    """When a process was killed that began at the checkpoint `start`, and found these folders left behind."""
    left = [step for name, step in left_behind(folder).items() if name not in old]
    if left:
        return WRITING if max(left) > last_step(folder) else REMOVING
    return STEPPING if last_step(folder) > start else STARTING


def main(kills: int = KILLS) -> int:
    with tempfile.TemporaryDirectory() as place:
        trainings = Trainings(Path(place))
        tally = trainings.killed(kills)
    print(f"{tally.trainings} trainings of {STEPS} steps, a checkpoint after every {SAVE}, killed {tally.total} times")
    for name in (STARTING, STEPPING, WRITING, REMOVING):
        print(f"  {name:<20} {tally.kills[name]:4}")
    print(f"  resumed to the last bit {tally.exact} of {tally.total}   (target: all)")
    for difference in tally.differences:
        print(f"  {difference}")
    enough = tally.kills[WRITING] * KILLS >= WHILE_SAVING * kills
    if not enough:
        print(f"  too few kills while saving (target: at least {WHILE_SAVING} of {KILLS})")
    return 0 if enough and not tally.differences else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
