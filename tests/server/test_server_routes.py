"""The routes: what they answer is what the engine computed, and what is hostile is refused in a sentence."""

import time

import pytest
import yaml
from asking_lab import is_problem, lab_client
from async_runs import run_async

import workings as w
from workings.lab.traces.store import Lab
from workings.server.app import make_app
from workings.server.settings import ServerSettings

IMAGE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def ask():
    with lab_client() as client:
        yield client


@pytest.fixture(scope="module")
def example(ask):
    """The overview of example 3, with its steps by their names."""
    overview = ask.post("/api/traces", json={"source": "example-3"}).json()
    return overview["key"], {step["name"]: step["id"] for step in overview["steps"]}


# -- reading ---------------------------------------------------------------------------------------


def test_what_there_is_to_read(ask):
    start = ask.get("/api/start").json()
    assert start["live"] is True
    assert start["version"] == w.__version__
    lessons = [one["name"] for part in ask.get("/api/lessons").json()["parts"] for one in part["lessons"]]
    assert "example-3" in lessons
    assert ask.get("/api/lessons/example-1").json()["document"]["title"] == w.lesson("example-1").title
    scenarios = [one["name"] for one in ask.get("/api/scenarios").json()["scenarios"]]
    assert "example-3" in scenarios
    assert ask.get("/api/scenarios/example-3").json()["text"].startswith("scenario: 1")
    models = [one["name"] for one in ask.get("/api/models").json()["models"]]
    assert "gpt2" in models
    assert "124,439,808" in ask.get("/api/models/gpt2").text


def test_a_lesson_in_another_precision_and_other_digits(ask):
    usual = ask.get("/api/lessons/example-1").text
    rounded = ask.get("/api/lessons/example-1", params={"precision": "calculator 3 significant", "digits": 3})
    assert rounded.status_code == 200
    assert rounded.text != usual
    assert ask.get("/api/lessons/example-1", params={"precision": "a good one"}).status_code == 400
    assert ask.get("/api/lessons/example-1", params={"convention": "nobody's"}).status_code == 400
    is_problem(ask.get("/api/lessons/example-1", params={"digits": 99}), 400, "A number cannot be shown with")
    is_problem(
        ask.post("/api/traces", json={"source": "example-1", "digits": 99}), 400, "A number cannot be shown with"
    )


NAMES = [
    "nothing",
    "..",
    "../../etc/passwd",
    "..%2f..%2fetc%2fpasswd",
    IMAGE,
    "a%00b",
    "x" * 90,
    "example-1.yaml",
    "/etc",
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["lessons", "scenarios", "models"])
def test_names_are_looked_up_in_lists(ask, kind, name):
    answer = ask.get(f"/api/{kind}/{name}")
    assert answer.status_code == 404 or (name == ".." and answer.url.path == "/api/")
    assert "root:" not in answer.text
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", IMAGE, "a\0b", "pyproject.toml"])
def test_a_source_is_never_a_path(ask, name):
    is_problem(ask.post("/api/traces", json={"source": name}), 404, "There is no lesson and no scenario named")
    assert ask.post("/api/sheets", json={"source": name}).status_code in (400, 404)


# -- traces ----------------------------------------------------------------------------------------


def test_the_numbers_are_those_of_the_engine(ask, example):
    key, ids = example
    trace = w.scenario("example-3").trace()
    for name in ("scores", "weights", "dW_V"):
        window = ask.get(f"/api/traces/{key}/steps/{ids[name]}/window").json()
        assert [[number["value"] for number in row] for row in window["numbers"]] == trace[name].value.tolist()
    cell = ask.get(f"/api/traces/{key}/steps/{ids['weights']}/cells/1,0").json()
    assert cell["number"]["value"] == float(trace["weights"].value[1, 0])
    loss = ask.get(f"/api/traces/{key}/steps/{ids['loss']}/cells/-").json()
    assert loss["number"]["value"] == float(trace["loss"].value)
    step = ask.get(f"/api/traces/{key}/steps/{ids['weights']}").json()
    assert step["row"]["op"] == "softmax"
    assert ask.get(f"/api/traces/{key}/steps/{step['inside'][0]['id']}").status_code == 200
    tile = ask.get(f"/api/traces/{key}/steps/{ids['weights']}/tile").json()
    assert (tile["rows"], tile["columns"]) == (2, 2)
    assert ask.get(f"/api/traces/{key}/flow").json()["document"]["blocks"]


def test_an_edit_changes_what_depends_on_it(ask, example):
    edited = ask.post("/api/traces", json={"source": "example-3", "edits": ["W_Q[0][1]=0.3"]}).json()
    assert edited["base"] == example[0]
    scores = example[1]["scores"]
    window = ask.get(f"/api/traces/{edited['key']}/steps/{scores}/window").json()
    trace = w.scenario("example-3").trace()
    weight = trace["W_Q"].value.copy()
    weight[0, 1] = 0.3
    assert window["numbers"][0][1]["value"] == trace.replay(values={"W_Q": weight})["scores"].value[0, 1]


def test_numbers_that_json_does_not_know_are_texts(ask):
    overview = ask.post("/api/traces", json={"source": "example-1", "edits": ["model.mask=causal"]}).json()
    masked = next(step["id"] for step in overview["steps"] if step["name"] == "masked")
    window = ask.get(f"/api/traces/{overview['key']}/steps/{masked}/window").json()
    assert window["numbers"][0][1]["value"] == "-inf"


def test_what_is_not_there(ask, example):
    key, ids = example
    is_problem(ask.get(f"/api/traces/{'0' * 24}"), 404, "lab.gone")
    is_problem(ask.get(f"/api/traces/{'0' * 24}/steps/1/window"), 404, "lab.gone")
    is_problem(ask.get(f"/api/traces/{key}/steps/99999"), 404, "There is no step")
    is_problem(ask.get(f"/api/traces/{key}/steps/{ids['scores']}/cells/9,9"), 404, "is outside")
    is_problem(ask.get(f"/api/traces/{key}/steps/{ids['scores']}/cells/..%2f..%2fx"), 404, "There is nothing at")
    is_problem(
        ask.get(f"/api/traces/{key}/steps/{ids['scores']}/window?rows=65"),
        422,
        "is missing, or",
    )
    is_problem(
        ask.get(f"/api/traces/{key}/steps/{ids['scores']}/tile?rows=513"),
        422,
        "is missing, or",
    )


def test_what_cannot_be_read_is_said(ask):
    for content, kind in ((b"{", "application/json"), (b"source=x", "application/x-www-form-urlencoded"), (b"", "")):
        answer = ask.post("/api/traces", content=content, headers={"Content-Type": kind})
        is_problem(answer, 422, "The body of the request is not JSON that can be read.")
    told = is_problem(ask.post("/api/traces", json={"digits": "many"}), 422, "is missing, or")
    assert (told["where"], told["given"]) == ("body", "'many'")
    assert "digits" in told["what"]
    is_problem(ask.post("/api/traces", json={"sauce": "example-1"}), 422, "is missing, or")
    many = [f"W_Q[0][{number}]=1" for number in range(201)]
    is_problem(
        ask.post("/api/traces", json={"source": "example-1", "edits": many}), 400, "edits, and the lab takes up to"
    )
    is_problem(ask.post("/api/traces", json={"edits": ["a=1"] * 401}), 422, "is missing, or")
    is_problem(ask.post("/api/traces", json={"scenario": "x" * 20_001}), 422, "is missing, or")
    is_problem(ask.get("/api/learners"), 405, "cannot be asked with")


def test_a_lab_without_room_for_a_trace_says_so():
    with lab_client(Lab(memory=1)) as ask:
        is_problem(ask.post("/api/traces", json={"source": "example-1"}), 400, "MB, and the lab holds up to")


def test_a_lab_that_has_no_room_now_says_when_to_come_back():
    lab = Lab(patience=0)
    lab.reserved = lab.memory
    with lab_client(lab) as ask:
        answer = ask.post("/api/traces", json={"source": "example-1"})
        is_problem(answer, 503, "Other computations take all the memory of the lab at this")
        assert answer.headers["retry-after"] == "2"


# -- scenarios of one's own --------------------------------------------------------------------------

SMALL = "scenario: 1\nmodel: {kind: decoder, width: 2, norm: none}\nvocabulary: A B C\ndata: A B -> C\n"
LARGE = {
    "width": "model: {width: 9000}",
    "layers": "model: {layers: 1000, width: 64}",
    "hidden": "model: {hidden: 9999999}",
    "positions": "model: {position: learned, max_positions: 9999999}",
    "heads": "model: {heads: 9999999, head_size: 9999999}",
    "training": "train: {steps: 1000000}",
    "writing": "generate: {prompt: A B, max_new_tokens: 1000, beams: 1000}",
    "task": "data: {task: copy}\ntrain: {batch_size: 1000000, steps: 5}",
    "long task": "data: {task: copy, longest: 100000000}\ntrain: {batch_size: 10, steps: 1}",
}


@pytest.mark.parametrize("name", LARGE)
def test_what_would_take_too_long_is_refused_at_once(name):
    text = yaml.safe_load(SMALL)
    for key, value in yaml.safe_load(LARGE[name]).items():
        text[key] = {**text[key], **value} if isinstance(text.get(key), dict) else value
    with lab_client(Lab(memory=2**26)) as ask:
        begun = time.perf_counter()
        answer = ask.post("/api/traces", json={"scenario": yaml.safe_dump(text)})
        assert answer.status_code == 400, (answer.status_code, answer.text[:300])
        assert time.perf_counter() - begun < 10


@pytest.mark.parametrize("text", ["standard library", "/etc/passwd", "../../../etc/passwd"])
def test_a_scenario_reads_no_file(ask, text):
    scenario = SMALL.replace("data: A B -> C", f"data: {{text: '{text}'}}\ntrain: {{steps: 1}}")
    answer = ask.post("/api/traces", json={"scenario": scenario})
    is_problem(answer, 400, "A scenario in the lab may not read a file.")
    assert "root:" not in answer.text


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{new}: &{new} [{','.join('*' + old for _ in range(9))}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
YAMLS = {
    "an object": "!!python/object/apply:os.system ['true']",
    "nothing": "",
    "a list": "[1, 2]",
    "no yaml": "{",
    "null bytes": "scenario: 1\0",
    "many anchors": BOMB,
    "depth": "[" * 5000,
    "a large number": "scenario: " + "9" * 10_000,
    "surrogates": "scenario: 1\ntitle: \ud800",
}


@pytest.mark.parametrize("name", [name for name in YAMLS if name != "surrogates"])
def test_a_scenario_that_is_none_is_refused_in_a_sentence(ask, name):
    answer = ask.post("/api/traces", json={"scenario": YAMLS[name]})
    assert answer.status_code == 400, answer.text[:300]
    assert answer.json()["try_this"]


def test_half_a_character_is_refused_in_a_sentence(ask):
    content = b'{"scenario": "scenario: 1\\ntitle: \\ud800"}'
    answer = ask.post("/api/traces", content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)


def test_hostile_words_are_words(ask):
    made = ask.get("/api/starters/sentence", params={"text": f"{IMAGE} \"'; drop table learner;-- {{}} 🙂 end"})
    overview = ask.post("/api/traces", json={"scenario": made.json()["text"]})
    assert overview.status_code == 200, overview.text
    tokens = next(step for step in overview.json()["steps"] if "vocab" in step["axes"])
    window = ask.get(f"/api/traces/{overview.json()['key']}/steps/{tokens['id']}/window")
    assert "onerror=alert(1)>" in window.json()["row_labels"]
    assert window.headers["content-type"] == "application/json"


def test_matrices_of_ones_own(ask):
    given = {"Q": "1 0; 0 1", "K": "1 2; 0 1", "V": "1 2; 3 4", "mask": "causal"}
    made = ask.get("/api/starters/matrices", params=given).json()
    assert ask.post("/api/traces", json={"scenario": made["text"]}).status_code == 200
    assert ask.get("/api/starters/matrices", params={**given, "Q": IMAGE}).status_code == 400


# -- practice --------------------------------------------------------------------------------------


def test_a_sheet_is_filled_in(ask):
    sheet = {"source": "example-1", "seed": 3}
    page = ask.post("/api/sheets", json=sheet).json()
    label = page["fields"][0]
    hint = ask.post("/api/sheets/hint", json={**sheet, "label": label, "rung": 0})
    assert hint.json()["rungs"] > 1
    graded = ask.post("/api/sheets/grade", json={**sheet, "answers": {label: IMAGE}}).json()
    assert graded["marks"][0]["verdict"] == "unreadable"
    is_problem(
        ask.post("/api/sheets/grade", json={**sheet, "answers": {IMAGE: "1"}}),
        400,
        "This sheet has no blank named",
    )
    is_problem(ask.post("/api/sheets", json={**sheet, "blanks": "none"}), 422, "is missing, or")
    is_problem(ask.post("/api/sheets", json={**sheet, "seed": -1}), 422, "is missing, or")
    assert ask.post("/api/sheets/hint", json={**sheet, "label": "nothing", "rung": 1}).status_code in (400, 404)


def test_numbers_of_ones_own_are_checked(ask):
    given = {"Q": "1 0; 0 1", "K": "1 2; 0 1", "V": "1 2; 3 4"}
    right = ask.post("/api/check", json={"given": given, "got": {"scores": "1 0; 2 1"}})
    assert (right.status_code, right.json()["first_wrong"]) == (200, ""), right.text
    wrong = ask.post("/api/check", json={"given": given, "got": {"scores": "1 2; 0 1"}}).json()
    assert wrong["first_wrong"]
    assert ask.post("/api/traces", json={"scenario": wrong["scenario"]}).status_code == 200
    assert ask.post("/api/check", json={"given": {**given, "Q": IMAGE}, "got": {"scores": "1"}}).status_code == 400
    assert ask.post("/api/check", json={"given": {}, "got": {}}).status_code == 400
    is_problem(ask.post("/api/check", json={"given": given}), 422, "is missing, or")
    is_problem(
        ask.post("/api/check", json={"given": given, "got": {}, "heads": 0}),
        422,
        "is missing, or",
    )


# -- what is kept ------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", ["x=1", "row=0&row=1", "row=0&x=", "<img>=1"])
def test_parameters_that_nobody_knows_are_refused(ask, example, query):
    key, ids = example
    at = f"/api/traces/{key}/steps/{ids['scores']}/window"
    is_problem(ask.get(f"{at}?{query}"), 422, "has no parameter")
    is_problem(ask.get(f"/api/lessons/example-1?{query}"), 422, "has no parameter")


def test_nobody_puts_a_wrong_answer_where_others_look():
    """Some clients send a # in an address; the browser's own never leaves it."""
    app = make_app(Lab(), ServerSettings())

    async def asked(query):
        answered = []

        async def receive():
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message):
            answered.append(message)

        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": "/api/starters/sentence",
            "raw_path": b"/api/starters/sentence",
            "query_string": query,
            "root_path": "",
            "headers": [(b"host", b"127.0.0.1:8765")],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8765),
        }
        await app(scope, receive, send)
        return b"".join(message.get("body", b"") for message in answered).decode()

    async def both():
        hostile = await asked(b"text=the+cat+sat#+and+more")
        return hostile, await asked(b"text=the+cat+sat")

    hostile, plain = run_async(both())
    assert "more" in hostile
    assert "the cat sat" in plain
    assert "more" not in plain
