"""The wheel, installed into an environment that has nothing but what its extra `lab` asks for: the lab starts there."""

import json
import os
import re
import signal
import subprocess
import urllib.request
import zipfile

import pytest
from wheels import SECONDS, install, make_wheel, needed

APP = "workings/lab/app/"


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    """An empty environment with the wheel, and with the packages that `workings[lab]` names and nothing else."""
    folder = tmp_path_factory.mktemp("environment")
    install(wheel, folder, needed("workings", "lab"))
    return folder


def test_only_what_the_lab_needs_is_there(environment):
    names = needed("workings", "lab")
    assert {"numpy", "fastapi", "uvicorn", "starlette"} <= names
    code = "import importlib.util as u; print([n for n in ('torch', 'typst', 'pytest', 'hatchling') if u.find_spec(n)])"
    shown = subprocess.run([environment / "bin/python", "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_the_wheel_contains_the_front_end_and_its_licenses(wheel):
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
        licenses = file.read(f"{APP}LICENCES.txt").decode()
    assert {f"{APP}{name}" for name in ("index.html", "single.js", "single.css", "theme.js")} <= names
    assert "workings/render/page/katex.js" in names
    assert any(re.fullmatch(rf"{APP}assets/.+\.js", name) for name in names)
    assert re.findall(r"^(\w+) [\d.]+$", licenses, re.MULTILINE) == ["svelte", "katex"]
    assert not [name for name in names if name.startswith("web/") or "node_modules" in name]


def test_an_installed_lab_starts_and_answers(environment, tmp_path):
    own = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV", "DISPLAY")}
    own |= {"WORKINGS_CACHE": str(tmp_path), "WORKINGS_DATA": str(tmp_path)}
    command = [environment / "bin/workings", "serve", "--no-browser"]
    with subprocess.Popen(command, env=own, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as running:
        try:
            address = next(line.strip() for line in running.stdout if line.startswith("http"))
            page = read(address)
            assert '<div id="app">' in page
            script = re.search(r'src="\./(assets/[^"]+\.js)"', page)[1]
            assert len(read(f"{address.rstrip('/')}/{script}")) > 10_000
            parts = json.loads(read(f"{address.rstrip('/')}/api/lessons"))["parts"]
            assert "example-1" in [lesson["name"] for part in parts for lesson in part["lessons"]]
        finally:
            running.send_signal(signal.SIGINT)
        assert running.wait(SECONDS) == 0


def read(address):
    with urllib.request.urlopen(address, timeout=SECONDS) as answer:
        return answer.read().decode()


def test_a_wheel_without_the_front_end_is_refused_in_a_sentence(source, tmp_path):
    app = source / "src/workings/lab/app"
    (app / "index.html").rename(tmp_path / "index.html")
    try:
        made = make_wheel(source, tmp_path)
    finally:
        (tmp_path / "index.html").rename(app / "index.html")
    assert made.returncode != 0
    assert "The front end is not built (lab/app/index.html). Run `make wheel`" in made.stdout + made.stderr
    assert not list(tmp_path.glob("*.whl"))
