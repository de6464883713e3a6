"""A digest of every number that users can see: proof that a change of names, files or words has changed no number.

python tests/support/digest.py write [ITEM ...]     write tests/digest.json anew, or only these items of it
python tests/support/digest.py check [ITEM ...]     compute them again, and print those that differ
python tests/support/digest.py show ITEM [COUNT]    print the first numbers of an item, to compare two versions

ITEM is the name of an item, or how several begin: `lesson/example-3`, `op`. For each, tests/digest.json has the count
of its numbers, a hash of the numbers in their places (run, step, index, printed digits, in their order), and a hash of
the numbers alone. If only the first hash differs, names or the order changed and no number did.

Words are left out. Where a name changed on purpose, RENAMED in digest_numbers.py keeps the old one in the hash. Numbers
are rounded to 41 binary digits, somewhat more than 12 decimal ones. PINNED takes away what else differs between
machines: in which order a large product is summed, and how exp is approximated. NumPy reads it when it is loaded, so
the program starts itself again with it.
"""

from __future__ import annotations

import io
import itertools
import json
import math
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import parse_qsl

import digest_numbers as n
import numpy
from digest_numbers import Entry, data_entries, fingerprint, lines_of, numbers_in, run_entries
from digest_requests import COMMANDS, ROUTES, SHEETS, TRACES
from starlette.testclient import TestClient

# All that is imported from inside the package; the rest goes through `workings`, the commands and the routes.
import workings as w
from workings.cli.main import main as run_command
from workings.document.blocks import to_data
from workings.engine.op import OPS
from workings.explain.op_example import example_run
from workings.explain.op_page import op_document
from workings.lab.traces.store import Lab
from workings.lessons.contents import names as lesson_names
from workings.scenarios.scenario import names as scenario_names
from workings.scenarios.scenario_page import scenario_document
from workings.server.app import make_app
from workings.server.limits import ServerLimits
from workings.server.settings import ServerSettings

TESTS = Path(__file__).parents[1]
FILE = TESTS / "digest.json"
SAMPLES = TESTS / "samples" / "0.8"
RIVER = TESTS / "training" / "river.txt"  # instead of the source of Python, which differs from machine to machine

PINNED = {
    "OPENBLAS_NUM_THREADS": "1",
    "OPENBLAS_CORETYPE": "Haswell",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
    "WORKINGS_CACHE": "",  # documents are computed, never read from a cache
}

Items: TypeAlias = Iterator[tuple[str, Iterable[Entry]]]  # what follows the name of the group, and its numbers


# -- lessons, scenarios, ops -----------------------------------------------------------------------


def lesson_items(name: str) -> Items:
    """All runs of a lesson, with the steps inside composites that it shows; and its document."""
    written = w.lesson(name).build()
    data, traces = written.to_data(), written.traces
    runs = (run_entries(run, traces[run[n.NAME]].values()) for run in data[n.RUNS])
    yield "runs", itertools.chain.from_iterable(runs)
    blocks, text = n.printed_in(data)
    yield "blocks", blocks
    yield "text", text


def scenario_items(name: str) -> Items:
    """Each run of a scenario, and its page."""
    scenario = w.scenario(name)
    if name == "characters":
        scenario = scenario.changed(f"data: {{text: {json.dumps(str(RIVER))}}}")
    for run in scenario.runs:
        trace = scenario.trace(run)
        data = trace.to_data(name=run, document=scenario_document(scenario, run, trace))
        yield run, run_entries(data[n.RUNS][0], trace.values())
        yield f"{run}/page", itertools.chain(*n.printed_in(data))


def op_items(name: str) -> Items:
    """The examples of an op: values and gradients, the page, every entry by hand, and what mistakes give."""
    op = OPS[name]
    runs = (example_run(op, number) for number in range(len(op.page.examples)))
    yield "", itertools.chain.from_iterable(_op_entries(run.trace, op_document(run)) for run in runs)


def _op_entries(trace: Any, document: Any) -> Iterator[Entry]:
    data = trace.to_data(document=document)
    yield from data_entries(data)
    names = n.names_of(data[n.RUNS])
    for view in trace:
        for index in numpy.ndindex(view.shape):
            yield from numbers_in(to_data(view.cell(*index)), names=names)
    for fit in trace.mistakes():
        for path, value in fit.make().values().items():
            yield Entry(f"{fit.id} at {fit.step}: {path}", value)


# -- sheets ----------------------------------------------------------------------------------------


def sheet_items(source: str, run: str | None, seed: int, blanks: str) -> Items:
    """A sheet with its key, and the grades of several sets of answers."""
    sheet = w.make_sheet(source, seed, blanks, run=run)
    data = sheet.to_data()
    yield "", n.sheet_entries(data)
    yield (
        "grades",
        (
            Entry(f"{name}: {place}", value, printed)
            for name, answers in answer_sets(sheet, data)
            for place, value, printed in numbers_in(w.grade(sheet, answers).to_data())
        ),
    )


def answer_sets(sheet: Any, data: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, str]]]:
    """Answers to a sheet: right, a little off, by a known mistake with and without what follows from it, incomplete."""
    right = {row[n.LABEL]: _answer(row, row[n.TRUE], data[n.DIGITS]) for row in data[n.FIELDS]}
    yield "right", right
    numbers = [row for row in data[n.FIELDS] if row[n.KIND] == n.NUMBER and row[n.TRUE] not in (*n.NOT_FINITE, 0.0)]
    middle = numbers[len(numbers) // 2]
    for name, times in (("within tolerance", 0.9), ("a little off", 1.6), ("off", 5.0), ("far off", 300.0)):
        yield name, {**right, middle[n.LABEL]: repr(middle[n.TRUE] + times * middle[n.TOLERANCE])}
    asked = {row[n.STEP] for row in numbers}
    slips = [slip for slip in data[n.SLIPS] if slip[n.STEP] in asked]
    for slip in slips[:: max(1, len(slips) // 6)]:
        step, value = slip[n.STEP], n.array_of(slip[n.VALUE])
        if value.shape == sheet.trace[step].shape:
            yield slip[n.ID], {**right, **_from(data, {step: value})}
            yield f"{slip[n.ID]} followed", {**right, **_from(data, sheet.trace.replay(values={step: value}).values())}
    yield "incomplete", dict(list(right.items())[::2])
    yield "unreadable", {**right, middle[n.LABEL]: "about a half"}


def _from(data: Mapping[str, Any], values: Mapping[str, n.Array]) -> dict[str, str]:
    rows = [row for row in data[n.FIELDS] if row[n.KIND] == n.NUMBER and row[n.STEP] in values]
    at = {row[n.LABEL]: float(values[row[n.STEP]][tuple(row[n.INDEX])]) for row in rows}
    return {row[n.LABEL]: _answer(row, at[row[n.LABEL]], data[n.DIGITS]) for row in rows}


def _answer(row: Mapping[str, Any], value: Any, digits: int) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value)) or "none"
    is_number = row[n.KIND] == n.NUMBER and not isinstance(value, str) and math.isfinite(value)
    return f"{value:.{digits}g}" if is_number else str(value)


# -- the lab and commands --------------------------------------------------------------------------


def client() -> TestClient:
    """A lab with all the time it needs, which keeps nothing on the disk."""
    return TestClient(
        make_app(Lab(), ServerSettings(limits=ServerLimits(seconds=600.0))), base_url="http://127.0.0.1:8765"
    )


def _answered(lab: TestClient, method: str, address: str, content: Mapping[str, Any]) -> Any:
    answer = lab.post(address, json=content) if method == "POST" else lab.get(address, params=dict(content))
    if answer.status_code != 200:
        raise RuntimeError(f"{method} {address} {content}: {answer.status_code} {answer.text[:300]}")
    return answer.json()


def trace_items(body: Mapping[str, Any], requests: Iterable[str]) -> Items:
    """A trace in the lab: its overview, and what is opened in it."""
    yield "", _trace_entries(body, requests)


def _trace_entries(body: Mapping[str, Any], requests: Iterable[str]) -> Iterator[Entry]:
    with client() as lab:
        overview = _answered(lab, "POST", "/api/traces", body)
        yield from numbers_in(overview)
        ids = {row[n.NAME]: row[n.ID] for row in overview[n.STEPS]}
        for request in requests:
            route, _, query = request.partition("?")
            name, _, part = route.partition(" ")
            place = name if name == "flow" else f"steps/{ids[name]}/{part}".rstrip("/")
            answer = _answered(lab, "GET", f"/api/traces/{overview[n.KEY]}/{place}", dict(parse_qsl(query)))
            ids |= {row[n.NAME]: row[n.ID] for row in answer.get(n.INSIDE, [])}
            yield Entry(request, n.NOTHING)
            yield from numbers_in(answer)


def route_items(method: str, address: str, content: Mapping[str, Any]) -> Items:
    """One answer of the lab."""
    with client() as lab:
        yield "", numbers_in(_answered(lab, method, address, content))


def command_items(words: Iterable[str]) -> Items:
    """What a command writes as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "output.json"
        samples = shutil.copytree(SAMPLES, Path(folder) / "samples")
        given = [word.replace("{samples}", str(samples)) for word in words]
        said = io.StringIO()
        with redirect_stdout(said), redirect_stderr(said):
            code = run_command([*given, "--format", "json", "-o", str(output)])
        if code:
            raise RuntimeError(f"{' '.join(given)}: {said.getvalue()}")
        data = json.loads(output.read_text(encoding="utf-8"))
    yield "", data_entries(data)


# -- the digest ------------------------------------------------------------------------------------


def groups() -> dict[str, Callable[[], Items]]:
    """What is computed together, by the beginning of the names of its items."""
    sheets = {"-".join(map(str, (source, run or "own", seed, blanks))): (source, run, seed, blanks)
              for source, run, seed, blanks in SHEETS}  # fmt: skip
    return {
        **{f"lesson/{name}": partial(lesson_items, name) for name in lesson_names()},
        **{f"scenario/{name}": partial(scenario_items, name) for name in scenario_names()},
        **{f"op/{name}": partial(op_items, name) for name in OPS},
        **{f"sheet/{name}": partial(sheet_items, *chosen) for name, chosen in sheets.items()},
        **{f"lab/{name}": partial(trace_items, *chosen) for name, chosen in TRACES.items()},
        **{f"route/{name}": partial(route_items, *chosen) for name, chosen in ROUTES.items()},
        **{f"command/{name}": partial(command_items, words) for name, words in COMMANDS.items()},
    }


def items(chosen: Iterable[str]) -> Iterator[tuple[str, Iterable[Entry]]]:
    """The items that are chosen, by name or by how their names begin; all of them if none is."""
    wanted = tuple(chosen)
    for group, make in groups().items():
        if wanted and not any(is_under(group, name) or is_under(name, group) for name in wanted):
            continue
        for rest, entries in make():
            name = f"{group}/{rest}".rstrip("/")
            if not wanted or any(is_under(name, beginning) for beginning in wanted):
                yield name, entries


def is_under(name: str, beginning: str) -> bool:
    return f"{name}/".startswith(f"{beginning}/")


def read() -> dict[str, str]:
    return dict(json.loads(FILE.read_text(encoding="utf-8"))) if FILE.exists() else {}


def write(chosen: list[str]) -> None:
    """Write the digest of the items that are chosen; the others stay as they are."""
    kept = {name: line for name, line in read().items() if chosen and not any(is_under(name, c) for c in chosen)}
    lines = {**kept, **{name: fingerprint(entries) for name, entries in items(chosen)}}
    FILE.write_text(json.dumps(dict(sorted(lines.items())), indent=0) + "\n", encoding="utf-8")


def difference(old: str | None, new: str | None) -> str:
    """What is different in an item, or nothing."""
    if old is None or new is None:
        return "" if old == new else "is new" if old is None else "is gone"
    if old == new:
        return ""
    (count, _, alone), (count_now, _, alone_now) = old.split(), new.split()
    if alone == alone_now:
        return f"has the same {count} numbers, in other places or under other names"
    return "has other numbers" if count == count_now else f"had {count} numbers, and has {count_now}"


def check(chosen: list[str]) -> int:
    """Print every item that is not what it was; how many there are."""
    before = {name: line for name, line in read().items() if not chosen or any(is_under(name, c) for c in chosen)}
    now: dict[str, str] = {}
    for name, entries in items(chosen):
        now[name] = fingerprint(entries)
        if said := difference(before.get(name), now[name]):
            print(f"{name} {said}", flush=True)
    for name in sorted(before.keys() - now.keys()):
        print(f"{name} {difference(before[name], None)}")
    return sum(before.get(name) != now.get(name) for name in before.keys() | now.keys())


def show(name: str, count: str = "1000") -> None:
    """Print the first numbers of the items that are chosen."""
    for item, entries in items([name]):
        print(f"# {item}")
        for line in itertools.islice(lines_of(entries), int(count)):
            print(line)


def main(words: list[str]) -> int:
    command, chosen = (words or [""])[0], words[1:]
    begun = time.perf_counter()
    if command == "write":
        write(chosen)
    elif command == "check":
        found = check(chosen)
        print(f"{found} items differ." if found else f"Nothing differs ({time.perf_counter() - begun:.0f} s).")
        return int(found > 0)
    elif command == "show" and chosen:
        show(*chosen[:2])
    else:
        print(__doc__)
        return 2
    return 0


if __name__ == "__main__":
    if any(os.environ.get(name) != value for name, value in PINNED.items()):
        os.execve(sys.executable, [sys.executable, __file__, *sys.argv[1:]], {**os.environ, **PINNED})
    sys.exit(main(sys.argv[1:]))
