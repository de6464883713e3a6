"""The desk: answers that are kept, work that takes too long, and what nobody foresaw."""

import asyncio
import threading
import time

import pytest
from asking_lab import is_problem, lab_client
from async_runs import run_async

from workings.lab.pages.overview import overview as real
from workings.lab.traces.store import Lab
from workings.server.desk import Body, Desk, Kept
from workings.server.errors import ServerError
from workings.server.limits import Rate, ServerLimits
from workings.server.problems import LOG
from workings.server.rates import Buckets
from workings.server.settings import ServerSettings
from workings.server.workers import Workers


class SlowLab(Lab):
    """A lab that waits until it is told to go on."""

    def __init__(self):
        super().__init__()
        self.go_on = threading.Event()
        self.opened = 0

    def open(self, wanted):
        self.opened += 1
        self.go_on.wait(20)
        return super().open(wanted)


def until(happened):
    end = time.monotonic() + 20
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_what_takes_too_long_is_said_and_goes_on():
    lab = SlowLab()
    with lab_client(lab, seconds=0.2) as ask:
        slow = ask.post("/api/traces", json={"source": "example-1"})
        is_problem(slow, 503, "server.time")
        assert slow.headers["retry-after"] == "2"
        lab.go_on.set()
        until(lambda: len(lab))
        assert ask.post("/api/traces", json={"source": "example-1"}).status_code == 200


def test_so_much_may_wait_and_no_more():
    async def crowd():
        desk, go_on = Desk(ServerLimits(heavy=1, waiting=3)), threading.Event()
        begun = [asyncio.create_task(desk.run(lambda: go_on.wait(10), "heavy")) for _ in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(ServerError, match="many other requests"):
            await desk.run(lambda: 1)
        go_on.set()
        await asyncio.gather(*begun)
        assert await desk.run(lambda: 1) == 1
        desk.close()

    run_async(crowd())


def test_only_so_many_heavy_ones_run_at_once():
    running, most = 0, 0
    lock = threading.Lock()

    def work():
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.02)
        with lock:
            running -= 1

    async def crowd():
        desk = Desk(ServerLimits(heavy=2))
        await asyncio.gather(*(desk.run(work, "heavy") for _ in range(12)))
        desk.close()

    run_async(crowd())
    assert most == 2


def test_what_many_ask_for_at_once_is_made_once():
    made = []

    def make():
        time.sleep(0.05)
        made.append(1)
        return {}

    async def crowd():
        desk = Desk(ServerLimits())
        bodies = await asyncio.gather(*(desk.once("/x", dict, make) for _ in range(20)))
        assert {body.plain for body in bodies} == {b"{}"}
        desk.close()

    run_async(crowd())
    assert made == [1]


def test_what_nobody_waited_for_is_kept_all_the_same():
    async def impatient():
        desk, go_on = Desk(ServerLimits(seconds=0.05)), threading.Event()

        def make():
            go_on.wait(10)
            return {}

        for _ in range(2):
            with pytest.raises(ServerError, match="takes longer"):
                await desk.once("/x", dict, make)
        go_on.set()
        for _ in range(1000):
            if desk.kept.get("/x") is not None:
                break
            await asyncio.sleep(0.01)
        assert desk.kept.get("/x") is not None
        desk.close()

    run_async(impatient())


def test_the_first_answers_are_made_before_anybody_asks(monkeypatch):
    with lab_client(settings=ServerSettings(prepared=True)) as ask:
        made = ask.get("/api/lessons").text  # waits for the one that is being made, or finds it
        monkeypatch.setattr("workings.server.routes.reading.lesson_path", None)
        assert ask.get("/api/lessons").text == made
        assert ask.get("/api/start").json()["live"]


class BrokenLab(Lab):
    def open(self, wanted):
        raise ZeroDivisionError("a secret of the inside")


def test_what_nobody_foresaw_is_told_calmly(monkeypatch):
    lines = []
    monkeypatch.setattr(LOG, "error", lambda text, *values, **_: lines.append(text % values))
    with lab_client(BrokenLab()) as ask:
        answer = ask.post("/api/traces", json={"source": "example-1"})
    is_problem(answer, 500, "Something went wrong inside the lab.")
    assert "secret" not in answer.text
    assert len(lines) == 1
    assert lines[0].startswith("ZeroDivisionError: a secret of the inside (test_server_desk.py:")


def test_asking_again_for_what_is_computed_takes_no_second_worker():
    lab = SlowLab()
    with lab_client(lab, seconds=0.2) as ask:
        for _ in range(4):
            is_problem(ask.post("/api/traces", json={"source": "example-1"}), 503, "server.time")
        until(lambda: ask.get("/api/models").status_code == 200)  # the other heavy worker is free
        lab.go_on.set()
        until(lambda: len(lab))
    assert lab.opened == 1


def test_what_nobody_waits_for_any_more_is_not_begun():
    begun = []

    async def impatient():
        desk, go_on = Desk(ServerLimits(heavy=1, seconds=0.05)), threading.Event()
        for number in range(3):
            with pytest.raises(ServerError, match="takes longer"):
                await desk.run(lambda: begun.append(go_on.wait(10)), "heavy", str(number))
        go_on.set()
        await desk.run(lambda: None, "heavy")
        desk.close()

    run_async(impatient())
    assert begun == [True]


def test_a_trace_that_was_let_go_is_computed_with_the_heavy_work(monkeypatch):
    pools = []
    with lab_client(Lab(memory=250_000)) as ask:
        key = ask.post("/api/traces", json={"source": "example-1"}).json()["key"]
        for number in range(9):
            edits = [f"W_Q[0][0]=0.{number + 1}"]
            ask.post("/api/traces", json={"source": "example-1", "run": "masked", "edits": edits})
        monkeypatch.setattr(Workers, "submit", note_pool(pools, Workers.submit))
        assert ask.get(f"/api/traces/{key}/steps/7/window").status_code == 200
        assert pools == ["heavy", "light"]
        assert ask.get(f"/api/traces/{key}/steps/8/window").status_code == 200
        assert pools == ["heavy", "light", "light"]


def note_pool(pools, submit):
    def noted(self, work):
        pools.append(self.name)
        return submit(self, work)

    return noted


def test_an_answer_is_made_once_and_known_by_its_tag(monkeypatch):
    made = []
    monkeypatch.setattr("workings.server.routes.traces.overview", lambda opened: made.append(1) or real(opened))
    with lab_client() as ask:
        key = ask.post("/api/traces", json={"source": "example-1"}).json()["key"]
        first = ask.get(f"/api/traces/{key}")
        assert first.headers["cache-control"].startswith("private, max-age=")
        assert ask.get(f"/api/traces/{key}").content == first.content
        again = ask.get(f"/api/traces/{key}", headers={"If-None-Match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        plain = ask.get(f"/api/traces/{key}", headers={"Accept-Encoding": "identity"})
        assert "content-encoding" not in plain.headers
        assert plain.content == first.content
        assert first.headers["content-encoding"] == "gzip"
    assert made == [1]


def test_errors_are_not_kept():
    with lab_client() as ask:
        gone = ask.get("/api/traces/" + "0" * 24)
        is_problem(gone, 404, "lab.gone")
        assert gone.headers["cache-control"] == "no-store"


def test_kept_answers_stay_within_their_bytes():
    kept = Kept(1000)  # of which one may take 250
    for number in range(100):
        kept.put(f"/{number}", Body(b"x" * 90, b"y" * 10, '"t"'))
        kept.get("/0")
        assert kept.used <= 1000
    assert kept.get("/0") is not None  # asked for all the time
    assert kept.get("/1") is None
    kept.put("/0", Body(b"z", b"", '"u"'))
    assert kept.used <= 1000
    before = kept.used
    kept.put("/large", Body(b"x" * 300, b"", '"t"'))  # would leave too little room for others
    assert kept.get("/large") is None
    assert kept.used == before


def test_a_bucket_fills_up_again():
    now = 0.0
    buckets = Buckets(Rate(2, 4), most=2, clock=lambda: now)
    assert [buckets.wait_for("a") for _ in range(5)] == [0, 0, 0, 0, 0.5]
    now = 0.5
    assert [buckets.wait_for("a") for _ in range(2)] == [0, 0.5]
    now = 100.0
    assert [buckets.wait_for("a") for _ in range(5)] == [0, 0, 0, 0, 0.5]
    for name in "bcd":
        buckets.wait_for(name)
    assert len(buckets) == 2
