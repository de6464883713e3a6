"""Progress: what is kept, for how long, and how it is taken along or forgotten."""

import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from threading import Event
from types import SimpleNamespace

import pytest
from asking_lab import is_problem, lab_client
from sqlalchemy import text

from workings.lab.answers.trace import Learner, LessonProgress
from workings.server.codes import CODE, LETTERS, new_code
from workings.server.database import Database, usual_database
from workings.server.errors import ServerError
from workings.server.limits import ServerLimits
from workings.server.progress import KEPT, ProgressStore
from workings.server.settings import ServerSettings


def mark(label, verdict="right", mistake=""):
    return SimpleNamespace(label=label, verdict=verdict, right=verdict == "right", mistake=mistake)


@pytest.fixture(params=["memory", "file"])
def database(request, tmp_path):
    made = Database(":memory:" if request.param == "memory" else f"sqlite:///{tmp_path / 'deep' / 'progress.db'}")
    yield made
    made.close()


@pytest.fixture
def progress(database):
    return ProgressStore(database)


def test_a_code_is_random_and_readable():
    codes = {new_code() for _ in range(100)}
    assert len(codes) == 100
    assert all(CODE.fullmatch(code) for code in codes)
    assert not set("il1o0") & set(LETTERS)


def test_what_is_done_is_found_under_the_code(progress):
    code = progress.begin().code
    progress.open_lesson(code, "example-1")
    progress.open_lesson(code, "example-1")
    progress.note(code, "example-2", "sheet", [mark("a"), mark("b", "wrong", "softmax.wrong_axis")])
    found = progress.of(code)
    assert isinstance(found, Learner)
    assert found.lessons == (LessonProgress("example-1", True, 0, 0), LessonProgress("example-2", False, 2, 1))
    assert [(one.mistake, one.count) for one in found.mistakes] == [("softmax.wrong_axis", 1)]
    assert progress.of(progress.begin().code).lessons == ()


def test_a_blank_counts_as_it_was_judged_last(progress):
    code = progress.begin().code
    progress.note(code, "example-2", "sheet", [mark("a", "wrong")])
    progress.note(code, "example-2", "sheet", [mark("a", "wrong")])  # the same answer, judged again
    assert len(progress.export(code)["attempts"]) == 1
    progress.note(code, "example-2", "sheet", [mark("a")])
    assert len(progress.export(code)["attempts"]) == 2
    assert progress.of(code).lessons == (LessonProgress("example-2", False, 1, 1),)


def test_the_oldest_attempts_go_first(database):
    progress = ProgressStore(database, ServerLimits(attempts=5))
    code = progress.begin().code
    for number in range(9):
        progress.note(code, "example-2", "sheet", [mark(f"a{number}")])
    assert [one["label"] for one in progress.export(code)["attempts"]] == ["a4", "a5", "a6", "a7", "a8"]


def test_deleting_leaves_nothing(tmp_path):
    file = tmp_path / "progress.db"
    progress = ProgressStore(Database(f"sqlite:///{file}"))
    code, other = progress.begin().code, progress.begin().code
    for one in (code, other):
        progress.open_lesson(one, "example-1")
        progress.note(one, "example-2", "sheet", [mark("a")])
    progress.delete(code)
    with pytest.raises(ServerError, match="no learner"):
        progress.of(code)
    assert progress.of(other).lessons
    progress.database.close()
    with sqlite3.connect(file) as connection:
        counts = [connection.execute(f"select count(*) from {table}").fetchone()[0] for table in TABLES]
    connection.close()
    assert counts == [1, 1, 1]


TABLES = ("learner", "opened", "attempt")


def test_neither_code_nor_address_nor_answer_is_stored(tmp_path):
    file = tmp_path / "progress.db"
    with lab_client(settings=ServerSettings(database=f"sqlite:///{file}")) as ask:
        code = ask.post("/api/learners").json()["code"]
        learner = {"Workings-Learner": code}
        field = ask.post("/api/sheets", json={"source": "example-1"}).json()["fields"][0]
        ask.post("/api/sheets/grade", json={"source": "example-1", "answers": {field: "8.7654"}}, headers=learner)
    with sqlite3.connect(file) as connection:
        dump = "\n".join(connection.iterdump())
    connection.close()
    assert field in dump
    for secret in (code, "8.7654", "testclient", "127.0.0.1"):
        assert secret not in dump


def test_a_year_after_the_last_visit_a_learner_is_forgotten(database):
    now = datetime(2030, 1, 1)
    progress = ProgressStore(database, now=lambda: now)
    gone, kept = progress.begin().code, progress.begin().code
    progress.open_lesson(gone, "example-1")
    now += timedelta(days=200)
    progress.open_lesson(kept, "example-1")
    assert progress.of(kept).kept_until == "2031-07-20"
    now += KEPT - timedelta(days=100)
    assert progress.forget_expired() == 1
    assert progress.forget_expired() == 0
    with pytest.raises(ServerError):
        progress.of(gone)
    assert progress.of(kept).lessons[0].opened


def test_who_did_nothing_is_forgotten_the_next_day(database):
    now = datetime(2030, 1, 1)
    progress = ProgressStore(database, now=lambda: now)
    idle, opened, practised = (progress.begin().code for _ in range(3))
    progress.open_lesson(opened, "example-1")
    progress.note(practised, "example-2", "sheet", [mark("a")])
    assert progress.forget_expired() == 0
    now += timedelta(days=2)
    assert progress.forget_expired() == 1
    with pytest.raises(ServerError):
        progress.of(idle)
    assert progress.of(opened).lessons
    assert progress.of(practised).lessons


def test_even_before_the_daily_round_one_who_expired_is_not_found(database):
    now = datetime(2030, 1, 1)
    progress = ProgressStore(database, now=lambda: now)
    code = progress.begin().code
    now += KEPT + timedelta(days=1)
    with pytest.raises(ServerError):
        progress.of(code)


def test_many_threads_lose_nothing(progress):
    code = progress.begin().code
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: progress.note(code, "example-2", "s", [mark(f"a{number}")]), range(80)))
    assert progress.of(code).lessons[0].answers == 80


def test_a_lesson_that_is_opened_in_many_tabs_at_once(progress):
    code = progress.begin().code
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: progress.open_lesson(code, "example-1"), range(40)))
    assert len(progress.export(code)["opened"]) == 1


@pytest.mark.skipif(os.name == "nt", reason="there are no such permissions")
def test_the_file_is_for_its_owner_alone(tmp_path):
    progress = ProgressStore(Database(f"sqlite:///{tmp_path / 'deep' / 'progress.db'}"))
    progress.begin()
    progress.database.close()
    assert (tmp_path / "deep").stat().st_mode & 0o077 == 0
    assert (tmp_path / "deep" / "progress.db").stat().st_mode & 0o077 == 0


def test_the_folder_can_be_named(monkeypatch, tmp_path):
    monkeypatch.setenv("WORKINGS_DATA", str(tmp_path))
    assert usual_database() == f"sqlite:///{tmp_path / 'progress.db'}"
    monkeypatch.delenv("WORKINGS_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert usual_database() == f"sqlite:///{tmp_path / 'data' / 'workings' / 'progress.db'}"


@pytest.mark.parametrize("url", ["nonsense", "nosuch://x", "sqlite+nosuch:///x", "postgresql://"])
def test_a_database_that_is_none_is_refused_at_the_start(url):
    with pytest.raises(ServerError, match="no database"):
        Database(url)


# -- over HTTP -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ask():
    with lab_client() as client:
        yield client


@pytest.fixture
def learner(ask):
    return {"Workings-Learner": ask.post("/api/learners").json()["code"]}


def test_a_learner_takes_everything_along_and_is_forgotten(ask, learner):
    assert ask.post("/api/me/opened", json={"lesson": "example-1"}, headers=learner).status_code == 204
    export = ask.get("/api/me/export", headers=learner)
    assert [one["lesson"] for one in export.json()["opened"]] == ["example-1"]
    assert "attachment" in export.headers["content-disposition"]
    assert export.headers["cache-control"] == "no-store"
    assert ask.delete("/api/me", headers=learner).status_code == 204
    for answer in (ask.get("/api/me", headers=learner), ask.delete("/api/me", headers=learner)):
        is_problem(answer, 404, "server.learner")


def test_grading_counts_for_the_learner(ask, learner):
    sheet = {"source": "example-1", "seed": 3}
    field = ask.post("/api/sheets", json=sheet).json()["fields"][0]
    answer = ask.post("/api/sheets/grade", json={**sheet, "answers": {field: "123"}}, headers=learner)
    assert answer.json()["marks"][0]["right"] is False
    assert ask.get("/api/me", headers=learner).json()["lessons"] == [
        {"name": "example-1", "opened": False, "answers": 1, "right": 0}
    ]


def test_what_is_no_code_or_no_lesson_is_said(ask, learner):
    is_problem(ask.get("/api/me"), 400, "No learner's code was given.")
    is_problem(
        ask.get("/api/me", headers={"Workings-Learner": "' or 1=1 --"}),
        422,
        "is missing, or",
    )
    is_problem(ask.get("/api/me", headers={"Workings-Learner": "aaaaa-aaaaa-aaaaa-aaaaa"}), 404, "server.learner")
    unknown = ask.post("/api/me/opened", json={"lesson": "../../etc/passwd"}, headers=learner)
    is_problem(unknown, 404, "There is no lesson named")


def test_a_database_that_cannot_be_written_breaks_nothing_else(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    with lab_client(settings=ServerSettings(database=f"sqlite:///{blocked}/progress.db")) as ask:
        is_problem(ask.post("/api/learners"), 503, "Progress cannot be saved")
        assert str(tmp_path) not in ask.post("/api/learners").text
        sheet = {"source": "example-1"}
        field = ask.post("/api/sheets", json=sheet).json()["fields"][0]
        learner = {"Workings-Learner": new_code()}
        graded = ask.post("/api/sheets/grade", json={**sheet, "answers": {field: "1"}}, headers=learner)
        assert graded.status_code == 200


def test_closing_waits_for_work_on_the_only_connection():
    """SQLite dies if its connection is closed while another thread reads from it."""
    database = Database(":memory:")
    is_working, may_end = Event(), Event()

    def work():
        with database.session() as session:
            is_working.set()
            may_end.wait(10)
            return session.scalar(text("select 42"))

    with ThreadPoolExecutor() as pool:
        worker = pool.submit(work)
        assert is_working.wait(10)
        closing = pool.submit(database.close)
        with pytest.raises(TimeoutError):
            closing.result(0.05)
        may_end.set()
        assert worker.result(10) == 42
        closing.result(10)
