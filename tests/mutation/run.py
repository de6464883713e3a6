"""The mutation run: how many small changes of the op pages and of backward go unnoticed?

    make mutation                                        all files
    make mutation FILES=src/workings/ops/softmax.py      some files
    python tests/mutation/run.py --write FILE            write those alive to a file
    python tests/mutation/run.py --survivors FILE        judge only those of a file again

One process loads PyTorch and the rest once. For each mutant it forks: the child imports `workings` with the changed
module in place, and meets the judges (judges.py) until one of them complains. A child that does not come to an end
is stopped: that counts as noticed.

survivors.toml explains those that stay alive. An explained mutant meets only the first two rounds of judges, and counts
as alive if these do not see it. The run fails if 5 % or more are alive, if one of them is not explained, or if an
explanation is stale: its mutant is gone, or is noticed now.
"""

from __future__ import annotations

import argparse
import compileall
import gc
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import resource
import signal
import sys
import time
import tomllib
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any

from mutants import ROOT, SOURCE, Mutant, module_of, mutants_of, mutated_files
from tests_of_modules import files_about

MOST_ALIVE = 0.05
JOBS = 2
SECONDS = (60, 100, 300)  # of work for each round of judges
MEMORY = 12 << 30
EXPLANATIONS = Path(__file__).parent / "survivors.toml"
ALIVE = "alive"
TESTS = [str(ROOT / folder) for folder in ("tests/support", "tests/mutation")]
LOADED_ONCE = (
    "array_api_compat.torch", "array_api_strict", "doctest", "hypothesis", "jsonschema", "numpy", "numpy.random",
    "pytest", "rich.console", "sympy", "torch", "typer.testing",
)  # fmt: skip

Survivors = dict[Mutant, str]


# -- one mutant ------------------------------------------------------------------------------


class _Changed(importlib.machinery.SourceFileLoader):
    """Loads a module from another text than that of its file."""

    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self.text = text

    def get_code(self, fullname: str) -> CodeType:
        return compile(self.text, self.path, "exec", dont_inherit=True)


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name != self.mutant.module:
            return None
        file = str(ROOT / self.mutant.file)
        folder = [str(Path(file).parent)] if file.endswith("__init__.py") else None
        loader = _Changed(name, file, self.mutant.source)
        return importlib.util.spec_from_file_location(name, file, loader=loader, submodule_search_locations=folder)


def meet_the_judges(mutant: Mutant, rounds: int) -> str:
    """What the first judge that noticed the mutant said; `alive` if none did. Only for a process of its own."""
    warnings.simplefilter("error")
    signal.alarm(10 * sum(SECONDS))  # even if it sleeps
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.setitimer(signal.ITIMER_PROF, SECONDS[0])
    sys.meta_path.insert(0, _Finder(mutant))
    number = 0
    try:
        judges = importlib.import_module("judges")
        for number, seconds in enumerate(SECONDS[:rounds]):
            signal.setitimer(signal.ITIMER_PROF, seconds)
            judges.ROUNDS[number](mutant.module)
    except BaseException as error:
        return f"{number + 1}. {type(error).__name__}: {error}".replace("\n", " ")[:200]
    return ALIVE


# -- many mutants ----------------------------------------------------------------------------


def load_once() -> None:
    """What all children share. Nothing of `workings`: that is changed."""
    sys.path[:0] = [str(SOURCE), *TESTS]
    os.chdir(ROOT)
    for folder in (SOURCE, *TESTS):
        compileall.compile_dir(folder, quiet=2)  # or each child would compile it all
    for name in LOADED_ONCE:
        importlib.import_module(name)
    import torch
    from hypothesis import settings

    torch.set_num_threads(1)
    x = torch.ones(2, requires_grad=True)  # PyTorch loads a part of itself when it first differentiates
    torch.autograd.grad(x * x, [x], torch.ones(2), create_graph=True, materialize_grads=True)
    settings.register_profile("mutation", database=None, derandomize=True)  # a mutant leaves no examples behind
    settings.load_profile("mutation")
    assert "workings" not in sys.modules
    gc.collect()
    gc.freeze()  # or each child would look through all of PyTorch for garbage


def fates(mutants: Iterator[tuple[Mutant, int]]) -> Iterator[tuple[Mutant, str]]:
    """Each mutant with what became of it, in the order in which they come to an end."""
    running: dict[int, tuple[Mutant, int]] = {}
    for mutant, rounds in mutants:
        if len(running) == JOBS:
            yield _next_fate(running)
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            for stream in (1, 2):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
            os.write(writing, meet_the_judges(mutant, rounds).encode())
            os._exit(0)
        os.close(writing)
        running[child] = mutant, reading
    while running:
        yield _next_fate(running)


def _next_fate(running: dict[int, tuple[Mutant, int]]) -> tuple[Mutant, str]:
    child, status = os.wait()
    mutant, reading = running.pop(child)
    said = os.read(reading, 4096).decode(errors="replace")
    os.close(reading)
    return mutant, said or f"it did not come to an end: {os.waitstatus_to_exitcode(status)}"


def unchanged(file: str) -> Mutant:
    """No mutant at all: the judges must not complain about it, or they would complain about everything."""
    return Mutant(file, "", "", "", "", 0, (ROOT / file).read_text(encoding="utf-8"))


def refuse_complaints(files: list[str], rounds: int) -> None:
    """The first round on every file as it is; the others once for all of them that have the same tests."""
    alike = {files_about(module_of(file)): file for file in files}.values()
    enough = dict.fromkeys(files, 1) | {file: min(rounds, 2) for file in alike} | {files[-1]: rounds}
    tries = [(unchanged(file), number) for file, number in enough.items()]
    complaints = [f"{mutant.file}: {fate}" for mutant, fate in fates(iter(tries)) if fate != ALIVE]
    if complaints:
        sys.exit("The tests fail without any mutant:\n" + "\n".join(complaints))


# -- what is known, and what is new ----------------------------------------------------------


def listed_in(path: Path) -> Survivors:
    """The survivors of a file in the form of survivors.toml, with their reasons."""
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("survivor", [])
    return {
        Mutant(entry["file"], entry["where"], entry["before"], entry["after"], "", 0, ""): entry["reason"]
        for entry in entries
    }


def as_entry(mutant: Mutant, reason: str = "") -> str:
    """A survivor as survivors.toml lists it."""
    facts = {"file": mutant.file, "where": mutant.where, "before": mutant.before, "after": mutant.after}
    facts["reason"] = reason
    return "\n".join(["[[survivor]]", *(f"{key} = {_quoted(value)}" for key, value in facts.items())])


def _quoted(text: str) -> str:
    if "'" not in text:
        return f"'{text}'"
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def run(files: list[str], chosen: argparse.Namespace) -> int:
    """Judge all mutants of these files, print what came out, and say how the program ends."""
    began = time.monotonic()
    load_once()
    again = listed_in(chosen.survivors) if chosen.survivors else None
    if again is not None:
        files = sorted({mutant.file for mutant in again})
    known = {mutant: reason for mutant, reason in listed_in(EXPLANATIONS).items() if mutant.file in files}
    refuse_complaints(files, chosen.rounds)
    made = (mutant for file in files for mutant in mutants_of(file, (ROOT / file).read_text(encoding="utf-8")))
    asked = (mutant for mutant in made if again is None or mutant in again)
    every: Counter[str] = Counter()
    alive: list[Mutant] = []
    for mutant, fate in fates(
        (mutant, min(chosen.rounds, 2) if mutant in known else chosen.rounds) for mutant in asked
    ):
        every[mutant.file] += 1
        if fate == ALIVE:
            alive.append(mutant)
        if chosen.verbose:
            print(f"{mutant}\n    {fate}", flush=True)
    alive.sort(key=lambda mutant: (mutant.file, mutant.line))
    unexplained = [mutant for mutant in alive if not known.get(mutant)]
    stale = [mutant for mutant in known if mutant not in alive and (again is None or mutant in again)]
    _print_table(every, Counter(mutant.file for mutant in alive))
    _print_list("Alive, and not explained in survivors.toml:", unexplained)
    _print_list("Explained in survivors.toml, but gone or noticed:", stale)
    print(
        f"{len(alive)} alive, {len(alive) - len(unexplained)} of them explained; {time.monotonic() - began:.0f} seconds"
    )
    if chosen.write:
        chosen.write.write_text("\n\n".join(as_entry(mutant, known.get(mutant, "")) for mutant in alive) + "\n")
    too_many = again is None and len(alive) >= MOST_ALIVE * every.total()
    return int(too_many or bool(unexplained) or bool(stale))


def _print_table(every: Counter[str], alive: Counter[str]) -> None:
    print(f"{'file':58}{'mutants':>8}{'killed':>8}{'alive':>8}")
    for file in every:
        print(f"{file:58}{every[file]:8}{every[file] - alive[file]:8}{alive[file]:8}")
    total, living = every.total(), alive.total()
    print(f"{'all':58}{total:8}{total - living:8}{living:8}  {living / max(total, 1):.1%} alive")


def _print_list(heading: str, mutants: list[Mutant]) -> None:
    if mutants:
        print(f"\n{heading}\n")
        print("\n\n".join(map(as_entry, mutants)), end="\n\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Judge the mutants of the op pages and of backward.")
    parser.add_argument("files", nargs="*", help="as src/workings/ops/softmax.py; all of them if none is named")
    parser.add_argument("-v", "--verbose", action="store_true", help="say of every mutant what became of it")
    parser.add_argument("--rounds", type=int, default=3, help="how many rounds of judges: with fewer, more stay alive")
    parser.add_argument("--survivors", type=Path, metavar="FILE", help="judge only those that this file lists")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write those alive to this file")
    options = parser.parse_args()
    sys.exit(run([str(Path(file)) for file in options.files] or mutated_files(), options))
