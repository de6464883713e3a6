"""Offline files hold what the lab would answer, word for word; they run no script but their own, and are not large."""

import base64
import gzip
import hashlib
import json
import re
from functools import cache

import pytest
import written_numbers
from asking_lab import lab_client
from loops import slow_if

from workings.cli.new_file import LESSON
from workings.document.blocks import to_data
from workings.lab.addresses import view_address
from workings.lab.offline import single_file as offline
from workings.lab.offline.files import lesson_file
from workings.lab.offline.record import posted
from workings.lab.offline.rulings import practice_answers, rulings
from workings.lab.offline.single_file import packed
from workings.lab.pages.practice import Sheets
from workings.lab.traces.wanted import Wanted
from workings.lessons.lesson import lesson
from workings.server.limits import Rate

LARGEST = 2_000_000  # bytes
SCRIPT = re.compile(r"<script([^>]*)>(.*?)</script>", re.DOTALL)


@cache
def file_of(name):
    found = lesson(name)
    return lesson_file(found, found.document, Wanted(name))


def own_file(**wishes):
    """A lesson of one's own, which is quickly made."""
    found = lesson(LESSON, **wishes)
    return lesson_file(found, found.document, Wanted("own", **wishes))


def answers_in(page):
    return json.loads(unpacked(page, "answers"))


def unpacked(page, id):
    [packed] = re.findall(rf'<script type="application/octet-stream" id="{id}"[^>]*>([^<]*)</script>', page)
    return gzip.decompress(base64.b64decode(packed))


@pytest.fixture(scope="module")
def lab():
    with lab_client(learner=Rate(10**6, 10**6), address=Rate(10**6, 10**6), seconds=120) as client:
        yield client


def test_every_answer_is_what_the_lab_answers(lab):
    kept = answers_in(file_of("example-1"))
    assert kept.pop("/api/start")["live"] is False
    kept = {request: answer for request, answer in kept.items() if not request.startswith("/api/sheets/rulings")}
    traces = [request for request in kept if request.startswith("/api/traces {")]
    others = [request for request in kept if request not in traces]
    assert len(traces) > 5
    assert len(others) > 500
    cells = [request for request in others if "/cells/" in request]
    passed_over = {request for n, request in enumerate(cells) if n % 4}  # one entry in four says as much, and sooner
    for request in [*traces, *(request for request in others if request not in passed_over)]:
        path, _, body = request.partition(" ")
        answer = lab.post(path, json=json.loads(body)) if body else lab.get(path)
        assert answer.json() == kept[request], request


def test_an_answer_is_asked_for_as_the_front_end_does():
    """web/src/api/ask.ts writes the same text: see its test."""
    body = {"source": "example-3", "run": "default", "digits": 5, "edits": (), "precision": "", "numbers": "document"}
    assert posted("/api/traces", body) == '/api/traces {"digits":5,"source":"example-3"}'
    assert posted("/api/traces", {"numbers": "distinguishing"}) == '/api/traces {"numbers":"distinguishing"}'
    assert posted("/api/sheets/hint", {"rung": 0, "label": "α[0]"}) == '/api/sheets/hint {"label":"α[0]","rung":0}'


def test_an_address_is_written_as_the_front_end_does():
    """web/src/address/view.test.ts has the same."""
    settings = {"run": "twin", "precision": "calculator 4 significant"}
    wanted = "#/explore/example-3/weights[1][0]?run=twin&precision=calculator+4+significant"
    assert view_address("explore", "example-3", "weights[1][0]", settings) == wanted
    assert view_address("lesson", 'a&b "c"/ü', "", {"run": ""}) == "#/lesson/a%26b+%22c%22%2F%C3%BC"


def test_only_the_scripts_of_the_file_may_run():
    page = file_of("example-1")
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-inline" not in policy.split(";")[1]
    scripts = [text for settings, text in SCRIPT.findall(page) if "application/octet-stream" not in settings]
    assert len(scripts) == 2
    assert policy.split(";")[1].count("'sha256-") == 3
    for text in (*scripts, unpacked(page, "front-end").decode()):
        assert base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() in policy
        assert text.isascii()  # it is the same in a file of any encoding
        assert not re.search(r"<!--|</script", text, re.IGNORECASE)


def test_files_are_the_same_every_time_and_not_too_large():
    assert own_file() == own_file()
    assert len(file_of("example-1").encode()) < LARGEST


@pytest.mark.slow
@pytest.mark.parametrize("name", ["example-3", "cat-sat"])
def test_the_file_of_a_longer_lesson_is_not_too_large(name):
    assert len(file_of(name).encode()) < LARGEST


def test_wishes_are_part_of_every_request():
    precision = "calculator 4 significant"
    page = own_file(precision=precision)
    kept = answers_in(page)
    assert "/api/lessons/own?precision=calculator%204%20significant" in kept
    assert 'data-view="#/lesson/own?precision=calculator+4+significant"' in page
    overview = kept[f'/api/traces {{"precision":"{precision}","source":"own"}}']
    assert overview["precision"] == precision


@pytest.mark.parametrize("name", slow_if(["example-2"], ["example-1", "example-2"]))  # it names what is inside a step
def test_every_entry_that_the_lesson_names_opens(name):
    page = answers_in(file_of(name))
    document = page[f"/api/lessons/{name}"]["document"]
    entries = list(entries_of(document))
    assert len(entries) > 200
    assert len({step.rpartition(":")[0] for step, _ in entries}) > 4  # runs
    inner = [pair for entry in entries for pair in entries_in_calculation(page, *entry)]
    assert len(inner) > len(entries)
    for run_and_step, index in inner:  # what a reader opens next
        assert cell_request(page, run_and_step, index) in page, (run_and_step, index)


@pytest.mark.slow
def test_every_name_and_drawing_of_a_lesson_leads_to_a_step_that_the_file_holds():
    page = answers_in(file_of("example-3"))
    lesson = page["/api/lessons/example-3"]
    links = {part["step"] for part in parts_of(lesson["document"]) if part.get("kind") == "link"}
    drawn = {step for drawing in lesson["drawings"] for step in re.findall(r'data-step="([^"]+)"', drawing)}
    assert len(links) > 10
    assert len(drawn) > 10
    for run_and_step in links | drawn:
        request = step_request(page, run_and_step)
        assert request in page, run_and_step
        assert any(other.startswith(f"{request}/window?") for other in page)


def entries_of(part):
    """The entries that can be opened: their run and step, and their index."""
    for inner in parts_of(part):
        if inner.get("kind") == "number" and inner["role"] == "entry" and inner["step"]:
            yield inner["step"], inner["index"]


def entries_in_calculation(page, run_and_step, index):
    answer = page[cell_request(page, run_and_step, index)]
    run = run_and_step.rpartition(":")[0]
    return [(f"{run}:{step}", index) for step, index in entries_of(answer["page"]["document"])]


def cell_request(page, run_and_step, index):
    return f"{step_request(page, run_and_step)}/cells/{','.join(map(str, index)) or '-'}"


def step_request(page, run_and_step):
    run, _, step = run_and_step.rpartition(":")
    lesson = next(request for request in page if request.startswith("/api/lessons/")).rpartition("/")[2]
    overview = page[posted("/api/traces", {"source": lesson, "run": run})]
    return f"/api/traces/{overview['key']}/steps/{step}"


def parts_of(part):
    if isinstance(part, dict):
        yield part
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from parts_of(inner)


def test_without_the_front_end_there_is_a_sentence(fails, monkeypatch, tmp_path):
    monkeypatch.setattr(offline, "APP", tmp_path)
    for words in (("lesson", "example-1"), ("trace", "example-1")):
        said = fails(*words, "--format", "html", "-o", tmp_path / "x.html")
        assert "The front end of the lab" in said
        assert "`make run`" in said


def test_hostile_words_stay_words(tmp_path):
    text = "<script>alert(1)</script><!--"
    (tmp_path / "mine.md").write_text(
        f'---\ntitle: "{text}"\nabout: x\nscenario: example-1\n---\n\n## Goal\n\n`{text}` here.\n', "utf-8"
    )
    found = lesson(tmp_path / "mine.md")
    page = lesson_file(found, found.document, Wanted(found.name))
    assert len(SCRIPT.findall(page)) == 4
    assert page.count("<script") == page.count("</script") == 4
    assert "<title>&lt;script&gt;" in page
    kept = answers_in(page)
    assert kept["/api/lessons/mine"]["document"]["title"] == text
    assert not any(request.startswith("/api/sheets") for request in kept)


def test_a_sheet_may_ask_for_what_has_no_end():
    """A hidden score is -inf, which JSON cannot write as a number."""
    found = rulings(Sheets().of("causal-mask", "", 1, "few"))
    packed({"rulings": to_data(found)})
    hidden = next(ruling for ruling in found.rulings if ruling.label == "masked[0][1]").expected
    assert [(one.value, one.tolerance) for one in hidden if one.mark.right] == [("-inf", 0.0)]
    assert list(found.rulings[0].texts) == ["1 2 3"]


def test_numbers_are_read_as_the_front_end_reads_them():
    """web/src/api/offline_sheets.test.ts has the other half."""
    assert written_numbers.FILE.read_text(encoding="utf-8") == written_numbers.table()


def test_a_sheet_whose_step_has_fewer_answers_than_entries_is_recorded():
    """Seed 2 of this lesson asks for a part of a step only."""
    assert practice_answers("token-i")
