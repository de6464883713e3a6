"""The door of the lab: names, origins, headers, sizes, rates."""

import asyncio

import pytest
from asking_lab import PAGES, is_problem, lab_client
from async_runs import run_async

from workings.server.errors import ServerError
from workings.server.guard import SizeGuard
from workings.server.limits import KB, Rate, ServerLimits
from workings.server.settings import ServerSettings, checked_url

MINE = "http://127.0.0.1:8765"


@pytest.fixture(scope="module")
def ask():
    with lab_client() as client:
        yield client


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost:8765", "[::1]:8765", "LOCALHOST:8765"])
def test_the_lab_answers_to_its_names(ask, host):
    assert ask.get("/api/lessons", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1",
        "127.0.0.1:80",
        "localhost.evil.example:8765",
        "localhost.:8765",
        "127.0.0.1:8765@evil.example",
        "127.0.0.1:8765, evil.example",
        "[::1]:8765.evil.example",
        "[::1]",
        "",
        "x\x7f",
    ],
)
def test_and_to_no_other(ask, host):
    is_problem(ask.get("/api/lessons", headers={"Host": host}), 403, "This lab is not called")
    assert ask.get("/", headers={"Host": host}).status_code == 403


@pytest.mark.parametrize("origin", [MINE, "http://localhost:8765"])
def test_its_own_pages_may_ask(ask, origin):
    answer = ask.post("/api/traces", json={"source": "example-1"}, headers={"Origin": origin})
    assert answer.status_code == 200
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:9999", "https://127.0.0.1:8765"])
def test_other_pages_may_not(ask, origin):
    is_problem(ask.post("/api/traces", json={}, headers={"Origin": origin}), 403, "may not use this lab")
    is_problem(ask.get("/api/start", headers={"Origin": origin}), 403, "may not use this lab")


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_picture_a_form_and_a_link_elsewhere_ask_nothing(ask, site):
    picture = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors"}
    is_problem(ask.get("/api/lessons/example-1", headers=picture), 403, "may not use this lab")
    link = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate"}
    is_problem(ask.get("/api/lessons/example-1", headers=link), 403, "may not use this lab")
    is_problem(ask.post("/api/learners", headers=link), 403, "may not use this lab")
    assert ask.get("/", headers=link).status_code == 200


JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 60_000,
        b'{"source": ' + b"[" * 30_000 + b"]" * 30_000 + b"}",
        b'{"source": "example-1", "seed": NaN}',
        b'{"source": "example-1", "seed": 1e400}',
        b'{"source": "example-1", "seed": ' + b"9" * 60_000 + b"}",
        b'{"source": "\\ud800"}',
        b'{"source": "\xff"}',
    ],
    ids=["deep", "deep inside", "nan", "infinite", "long number", "half a letter", "no letter"],
)
def test_a_hostile_body_is_refused_calmly(ask, body):
    answer = ask.post("/api/sheets", content=body, headers=JSON)
    assert answer.status_code in (400, 422)
    assert answer.json()["what"].startswith(("The body of the request is not JSON", "The field "))


def test_a_form_of_a_page_cannot_send_json(ask):
    plain = {"Content-Type": "text/plain"}
    is_problem(
        ask.post("/api/sheets", content=b'{"source": "example-1"}', headers=plain),
        422,
        "The body of the request is not JSON that can be read.",
    )


@pytest.mark.parametrize("method", ["OPTIONS", "TRACE", "PUT", "PATCH", "HEAD", "CONNECT", "ANY"])
def test_other_methods_are_refused(ask, method):
    assert ask.request(method, "/api/lessons").status_code == 405


def test_a_public_address_is_one_more_name():
    settings = ServerSettings(host="0.0.0.0", port=9000, public_url=checked_url("https://Lab.school.example:443/"))
    with lab_client(settings=settings) as ask:
        good = {"Host": "lab.school.example", "Origin": "https://lab.school.example"}
        assert ask.get("/api/lessons", headers=good).status_code == 200
        assert ask.get("/api/lessons", headers={"Host": "localhost:9000"}).status_code == 200
        plain = {**good, "Origin": "http://lab.school.example"}
        is_problem(ask.get("/api/lessons", headers=plain), 403, "may not use this lab")


@pytest.mark.parametrize(
    "url", ["lab.school.example", "ftp://lab", "https://", "https://x/path", "https://u@x", "http://x:99999"]
)
def test_an_address_that_is_none_is_refused(url):
    with pytest.raises(ServerError, match="no address of a page"):
        checked_url(url)


@pytest.mark.parametrize("path", ["/", "/assets/main-1a.js", "/api/lessons", "/api/nowhere", "/nowhere"])
def test_every_answer_carries_the_headers(ask, path):
    headers = ask.get(path).headers
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert "unsafe-eval" not in headers["content-security-policy"]
    assert policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert "camera=()" in headers["permissions-policy"]
    assert "server" not in headers


def test_no_page_of_documentation_loads_anything_from_elsewhere(ask):
    assert ask.get("/docs").status_code == ask.get("/redoc").status_code == 404
    assert ask.get("/api/openapi.json").json()["openapi"].startswith("3.")


def test_a_body_that_is_too_large_is_refused_before_it_is_read(ask):
    is_problem(ask.post("/api/traces", content=b" " * (64 * KB + 1)), 413, "The request is larger than")


def test_a_body_in_pieces_is_counted_too():
    async def application(scope, receive, send):
        raise AssertionError("never reached")

    taken, answered = [], []

    async def receive():
        taken.append(1)
        return {"type": "http.request", "body": b"x" * KB, "more_body": True}

    async def send(message):
        answered.append(message)

    scope = {"type": "http", "method": "POST", "path": "/", "headers": [(b"transfer-encoding", b"chunked")]}
    run_async(SizeGuard(application, ServerLimits())(scope, receive, send))
    assert answered[0]["status"] == 413
    assert len(taken) == 65


def test_a_body_that_never_comes_is_not_waited_for():
    answered = []

    async def receive():
        await asyncio.sleep(60)

    async def send(message):
        answered.append(message)

    scope = {"type": "http", "method": "POST", "path": "/", "headers": []}
    run_async(SizeGuard(None, ServerLimits(body_seconds=0.05))(scope, receive, send))
    assert answered[0]["status"] == 408


@pytest.mark.parametrize("length", ["-1", "x", "9" * 30])
def test_a_length_that_is_none_is_refused(ask, length):
    assert ask.post("/api/traces", content=b"{}", headers={"Content-Length": length}).status_code == 413


CODE = "aaaaa-bbbbb-ccccc-ddddd"


@pytest.mark.parametrize("header", ["Workings-Learner", "Workings-Visitor"])
def test_one_learner_cannot_ask_for_everybody(header):
    with lab_client(learner=Rate(0.001, 3), address=Rate(0.001, 6)) as ask:
        answers = [ask.get("/api/models", headers={header: CODE}) for _ in range(9)]
        assert [answer.status_code for answer in answers] == [200] * 3 + [429] * 6
        is_problem(answers[-1], 429, "server.rate")
        assert int(answers[-1].headers["retry-after"]) > 900
        other = CODE.replace("a", "z")  # at the same address: what was refused cost it nothing
        assert ask.get("/api/models", headers={header: other}).status_code == 200
        assert ask.get("/", headers={header: CODE}).status_code == 200  # pages are not counted


@pytest.mark.parametrize("headers", [{}, {"Workings-Learner": "no code"}, {"Workings-Visitor": "x" * 500}])
def test_who_sends_no_code_shares_the_rate_of_one_learner(headers):
    with lab_client(learner=Rate(0.001, 3)) as ask:
        answers = [ask.get("/api/models", headers=headers).status_code for _ in range(4)]
        assert answers[-1] == 429
        assert 429 not in answers[:-1]


def test_codes_that_are_made_up_share_it_too():
    with lab_client(learner=Rate(0.001, 3), newcomers=Rate(0.001, 5)) as ask:
        codes = [f"aaaaa-bbbbb-ccccc-{number:05}" for number in range(20)]
        answers = [ask.get("/api/models", headers={"Workings-Visitor": code}).status_code for code in codes]
        assert answers == [200] * (5 + 3) + [429] * 12
        assert ask.get("/api/models", headers={"Workings-Visitor": codes[0]}).status_code == 200


def test_an_address_has_a_rate_of_its_own():
    with lab_client(address=Rate(0.001, 5)) as ask:
        codes = [f"aaaaa-bbbbb-ccccc-{number:05}" for number in range(6)]
        answers = [ask.get("/api/models", headers={"Workings-Visitor": code}).status_code for code in codes]
        assert answers == [200] * 5 + [429]


def test_what_computes_something_counts_for_more():
    with lab_client(address=Rate(0.001, 12)) as ask:
        answers = [ask.post("/api/traces", json={"source": "example-1"}).status_code for _ in range(3)]
        assert answers == [200, 200, 429]


def test_new_learners_come_one_after_the_other():
    with lab_client(new_learners=Rate(0.001, 2)) as ask:
        assert [ask.post("/api/learners").status_code for _ in range(3)] == [200, 200, 429]


def test_a_class_of_200_comes_in_at_once_from_one_address():
    with lab_client() as ask:
        for number in range(200):
            visitor = {"Workings-Visitor": f"aaaaa-bbbbb-ccccc-{number:05}"}
            assert ask.get("/api/me", headers=visitor).status_code == 400
            begun = ask.post("/api/learners", headers=visitor)
            assert begun.status_code == 200
            assert ask.get("/api/me", headers={"Workings-Learner": begun.json()["code"]}).status_code == 200


def test_the_files_of_the_pages_are_a_fixed_table(ask):
    first = ask.get("/")
    assert first.content == PAGES["index.html"]
    assert first.headers["content-type"].startswith("text/html")
    script = ask.get("/assets/main-1a.js")
    assert script.content == PAGES["assets/main-1a.js"]
    assert script.headers["content-encoding"] == "gzip"
    assert "immutable" in script.headers["cache-control"]
    assert ask.get("/", headers={"If-None-Match": first.headers["etag"]}).status_code == 304
    assert ask.head("/").content == b""


HOSTILE = [
    "/../../etc/passwd",
    "/assets/../../../etc/passwd",
    "/assets/%2e%2e/%2e%2e/etc/passwd",
    "/%00",
    "/index.html%00.js",
    "/assets/",
    "//etc/passwd",
    "/.git/config",
    "/assets/main-1a.js/",
]


@pytest.mark.parametrize("path", HOSTILE)
def test_no_other_file_is_reached(ask, path):
    answer = ask.get(path)
    assert answer.status_code == 404
    assert "root:" not in answer.text
