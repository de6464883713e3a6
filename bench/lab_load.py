"""A class in the lab: 200 learners at once, each below the stated rate, for at most a minute, on loopback.

python bench/lab_load.py                 200 learners, 40 seconds
python bench/lab_load.py 50 10           50 learners, 10 seconds

Each learner opens the lab, a lesson and its trace, then looks at windows and cells, edits a weight, and fills in a
sheet, with a pause after each act. Prints how many requests there were, how many failed, and how long they took.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import random
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

from workings.server.codes import new_code

PAUSE = 3.0  # seconds on average between two acts of a learner
LESSONS = ("example-1", "example-2", "example-3", "example-5", "cat-sat", "causal-mask")
MOST_SECONDS = 60
P99 = 0.5  # seconds
SEEDS = 3  # different sheets of each lesson
TRIES = 10
REMEMBERED = 0.5  # share of the learners whose progress is kept


class Asker:
    """One learner's connection: HTTP/1.1 over a stream, kept open."""

    def __init__(self, port: int, times: dict[str, list[float]], faults: list[str]) -> None:
        self.port = port
        self.times = times
        self.faults = faults
        self.code = new_code()  # of this visit, unless the learner wants progress to be kept
        self.is_kept = False
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, what: str, path: str, body: object = None) -> dict:
        """One request; its time counts from before it is sent until it is read whole."""
        content = b"" if body is None else json.dumps(body).encode()
        head = [
            f"{'GET' if body is None else 'POST'} {path} HTTP/1.1",
            f"Host: 127.0.0.1:{self.port}",
            f"Workings-{'Learner' if self.is_kept else 'Visitor'}: {self.code}",
            "Accept-Encoding: gzip",
            *([] if body is None else ["Content-Type: application/json", f"Content-Length: {len(content)}"]),
        ]
        begun = time.perf_counter()
        try:
            status, answer = await self._sent("\r\n".join(head).encode() + b"\r\n\r\n" + content)
        except (OSError, asyncio.IncompleteReadError, ValueError) as fault:
            self.streams = None
            self.faults.append(f"{what}: {type(fault).__name__}")
            return {}
        self.times[what].append(time.perf_counter() - begun)
        if status != 200:
            self.faults.append(f"{what}: {status} {answer[:200]!r}")
            return {}
        return json.loads(answer)

    async def _sent(self, request: bytes) -> tuple[int, bytes]:
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port, limit=2**20)
        reader, writer = self.streams
        writer.write(request)
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
        content = await reader.readexactly(int(headers.get("content-length", 0)))
        packed = headers.get("content-encoding") == "gzip"
        return int(lines[0].split()[1]), gzip.decompress(content) if packed else content

    def close(self) -> None:
        if self.streams is not None:
            self.streams[1].close()


async def learner(asker: Asker, draws: random.Random, until: float) -> None:
    """What somebody does in the lab, again and again."""

    async def pause() -> None:
        await asyncio.sleep(draws.uniform(0.5, 1.5) * PAUSE)

    await asyncio.sleep(draws.uniform(0, PAUSE))  # nobody is at the same moment as all others
    if draws.random() < REMEMBERED:
        begun = await asker.ask("learner", "/api/learners", {})
        asker.code, asker.is_kept = begun.get("code", asker.code), bool(begun)
    while time.perf_counter() < until:
        name = draws.choice(LESSONS)
        await asker.ask("start", "/api/start")
        await asker.ask("lessons", "/api/lessons")
        await pause()
        await asker.ask("lesson", f"/api/lessons/{name}")
        await pause()
        overview = await asker.ask("trace", "/api/traces", {"source": name})
        await look(asker, draws, overview, pause, until)
        weights = [
            step for step in overview.get("steps", []) if step["leaf"] == "parameter" and len(step["shape"]) == 2
        ]
        if weights and time.perf_counter() < until:
            edit = f"{draws.choice(weights)['name']}[0][0]={draws.randint(-99, 99) / 100}"
            edited = await asker.ask("edit", "/api/traces", {"source": name, "edits": [edit]})
            await look(asker, draws, edited, pause, until)
        sheet = {"source": name, "seed": draws.randrange(SEEDS)}
        fields = (await asker.ask("sheet", "/api/sheets", sheet)).get("fields", [])
        for label in fields[:2]:
            await pause()
            answers = {label: str(draws.randint(-99, 99) / 100)}
            await asker.ask("grade", "/api/sheets/grade", {**sheet, "answers": answers})
        await pause()


async def look(asker: Asker, draws: random.Random, overview: dict, pause, until: float) -> None:
    """At three steps of a trace: what it is, its numbers, and one entry."""
    steps = [step for step in overview.get("steps", []) if step["told"]]
    for step in draws.sample(steps, min(3, len(steps))):
        if time.perf_counter() > until:
            return
        await pause()
        at = f"/api/traces/{overview['key']}/steps/{step['id']}"
        lead = ",".join("0" for _ in step["shape"][:-2])
        await asker.ask("step", at)
        await asker.ask("window", f"{at}/window?lead={lead}&rows=24&columns=24")
        await pause()
        entry = ",".join(str(draws.randrange(size)) for size in step["shape"]) or "-"
        await asker.ask("cell", f"{at}/cells/{entry}")


async def everybody(port: int, count: int, seconds: float) -> tuple[dict[str, list[float]], list[str]]:
    times: dict[str, list[float]] = defaultdict(list)
    faults: list[str] = []
    until = time.perf_counter() + seconds
    askers = [Asker(port, times, faults) for number in range(count)]
    await asyncio.gather(*(learner(asker, random.Random(number), until) for number, asker in enumerate(askers)))
    for asker in askers:
        asker.close()
    return times, faults


async def warmed(port: int) -> None:
    """One learner before all others, as on the first morning: lessons and sheets are worked out, and kept. What takes
    longer than a request may is asked for again, as the answer says.
    """
    for name in LESSONS:
        asks: list[tuple[str, str, object]] = [("lesson", f"/api/lessons/{name}", None)]
        asks += [("trace", "/api/traces", {"source": name})]
        asks += [("sheet", "/api/sheets", {"source": name, "seed": seed}) for seed in range(SEEDS)]
        for what, path, body in asks:
            for _ in range(TRIES):
                first = Asker(port, defaultdict(list), [])
                await first.ask(what, path, body)
                first.close()
                if not first.faults:
                    break
                assert "503" in first.faults[0], first.faults
            else:
                raise AssertionError(first.faults)


def share(times: list[float], part: float) -> float:
    return sorted(times)[min(len(times) - 1, int(part * len(times)))]


def memory_of(process: int) -> str:
    """What a process takes at this moment, and the most that it ever took, where the system says it."""
    status = Path(f"/proc/{process}/status")
    lines = status.read_text().splitlines() if status.exists() else []
    parts = (line.partition(":") for line in lines)
    known = {name: int(rest.split()[0]) // 1000 for name, _, rest in parts if name in ("VmRSS", "VmHWM")}
    return f"{known['VmRSS']} MB, at most {known['VmHWM']} MB" if known else "an amount that this system does not say"


def report(times: dict[str, list[float]], faults: list[str], seconds: float, memory: str) -> bool:
    every = [time for several in times.values() for time in several]
    print(f"{'request':10} {'count':>6} {'p50 ms':>8} {'p99 ms':>8} {'longest':>8}")
    for name, several in [*sorted(times.items()), ("all", every)]:
        print(
            f"{name:10} {len(several):6} {1000 * share(several, 0.5):8.1f} {1000 * share(several, 0.99):8.1f} "
            f"{1000 * max(several):8.1f}"
        )
    print(f"{len(every) / seconds:.0f} requests a second, {len(faults)} failed (asked: 0)")
    print(f"99 of 100 within {1000 * share(every, 0.99):.0f} ms (asked: {1000 * P99:.0f})")
    print(f"the lab takes {memory}")
    for fault in faults[:5]:
        print("  ", fault)
    return not faults and share(every, 0.99) < P99


def main(count: int = 200, seconds: float = 40) -> int:
    workings = Path(sys.executable).with_name("workings")
    command = [str(workings), "serve", "--no-browser", "--port", "8921", "--database", ":memory:"]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        try:
            assert server.stdout is not None
            while "http://" not in (line := server.stdout.readline()):
                assert line, "the lab did not start"
            port = int(line.rsplit(":", 1)[1].strip().strip("/"))
            asyncio.run(warmed(port))
            times, faults = asyncio.run(everybody(port, count, min(seconds, MOST_SECONDS)))
            memory = memory_of(server.pid)
        finally:
            server.terminate()
    return 0 if report(times, faults, seconds, memory) else 1


if __name__ == "__main__":
    sys.exit(main(*(int(word) for word in sys.argv[1:])))
