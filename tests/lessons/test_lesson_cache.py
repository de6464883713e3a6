"""Kept lessons: read back whole, made again when something changed, and never in the way."""

import json
import os

import pytest

import workings
from workings.document.blocks import Document, Text, Words
from workings.lessons import cache

PAGE = Document("x", (Text((Words("kept"),)),))
OLD = "0" * 64


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(cache.PLACE, str(tmp_path / "kept"))
    return tmp_path / "kept"


def made():
    """How often a document was made, and what makes it."""
    calls = []
    return calls, lambda: calls.append(1) or PAGE


def page_in(folder):
    [path] = folder.iterdir()
    return path


def test_a_document_is_made_once(folder):
    calls, make = made()
    assert [cache.kept_document("a", "", make) for _ in range(3)] == [PAGE] * 3
    assert len(calls) == 1


def test_another_precision_is_another_document(folder):
    calls, make = made()
    cache.kept_document("a", "calculator", make)
    cache.kept_document("a", "", make)
    assert len(calls) == 2
    assert len(list(folder.iterdir())) == 2


def test_after_a_change_of_the_package_it_is_made_again(folder, monkeypatch):
    calls, make = made()
    cache.kept_document("a", "", make)
    monkeypatch.setattr(cache, "_state", lambda: OLD)
    cache.kept_document("a", "", make)
    assert len(calls) == 2


@pytest.mark.parametrize("part", ["sys.version", "numpy.__version__"])
def test_another_version_is_another_state(monkeypatch, part):
    before = cache._state()
    assert cache._state() == before
    monkeypatch.setattr(f"workings.lessons.cache.{part}", "another")
    assert cache._state() != before


def test_the_version_of_the_package_is_part_of_the_state():
    assert f'__version__ = "{workings.__version__}"' in (cache.PACKAGE / "__init__.py").read_text(encoding="utf-8")
    assert "__init__.py".endswith(cache.FILES)


def test_another_text_of_the_same_size_and_time_is_another_state(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "PACKAGE", tmp_path)
    (tmp_path / "inside").mkdir()
    path = tmp_path / "inside" / "lesson.md"
    (tmp_path / ".#lesson.md").symlink_to(tmp_path / "nowhere")  # as an editor leaves it
    states = set()
    for text in ("one", "two"):
        path.write_text(text)
        os.utime(path, (0, 0))
        states.add(cache._state())
    path.rename(tmp_path / "lesson.md")
    assert len(states | {cache._state()}) == 3


DAMAGE = ["", "{", "[]", '{"state": 1}', "null", "x" * 500]
BODIES = ['{"title": 1}', '{"title": "x", "blocks": [1]}', "[]", '"x"', "null", "[" * 100_000]


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_made_again(folder, damage):
    calls, make = made()
    cache.kept_document("a", "", make)
    path = page_in(folder)
    path.write_text(damage)
    assert cache.kept_document("a", "", make) == PAGE
    assert len(calls) == 2
    assert json.loads(path.read_text())["document"]["title"] == "x"


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("sealed", [True, False])
def test_a_right_state_with_a_wrong_document_is_made_again(folder, body, sealed):
    calls, make = made()
    cache.kept_document("a", "", make)
    path = page_in(folder)
    kept = json.loads(path.read_text())
    if sealed and body != BODIES[1]:  # what is well formed, and sealed, is believed
        kept["digest"] = cache._digest(body.encode())
    path.write_text(f'{{"state": "{kept["state"]}", "digest": "{kept["digest"]}", "document": {body}}}')
    assert cache.kept_document("a", "", make) == PAGE
    assert len(calls) == 2


def test_what_other_versions_kept_is_removed_and_nothing_else(folder, monkeypatch):
    _, make = made()
    folder.mkdir()
    old = f'{{"state": "{OLD}", "document": {{}}}}'
    ours = "b-0123456789abcdef.json", "b-0123456789abcdef-cells.json"
    others = "notes.json", "b-0123456789abcdef.txt", "b-0123456789abcdef.json.bak"
    for name in (*ours, *others):
        (folder / name).write_text(old)
    (folder / "c-0123456789abcdef.json").write_text('{"something": "else"}')
    (folder / "d-0123456789abcdef.json").mkdir()
    cache.kept_document("a", "", make)
    there = {path.name for path in folder.iterdir()}
    assert there >= {*others, "c-0123456789abcdef.json", "d-0123456789abcdef.json"}
    assert not there & set(ours)
    cache.kept_document("e", "", make)
    assert {path.name for path in folder.iterdir()} > there  # what this version kept stays


@pytest.mark.parametrize("trouble", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_leaves_nothing_behind(folder, monkeypatch, trouble):
    def broken(*_):
        raise trouble

    monkeypatch.setattr(cache.os, "replace", broken)
    _, make = made()
    if isinstance(trouble, OSError):
        assert cache.kept_document("a", "", make) == PAGE
    else:
        with pytest.raises(KeyboardInterrupt):
            cache.kept_document("a", "", make)
    assert os.listdir(folder) == []


def test_a_folder_that_cannot_be_written_is_no_trouble(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(cache.PLACE, str(tmp_path / "file" / "inside"))
    _, make = made()
    assert cache.kept_document("a", "", make) == PAGE


@pytest.mark.parametrize("place", ["", "relative", "./here", "~/cache"])
def test_nothing_is_kept_where_that_is_not_wanted_or_not_clear(monkeypatch, tmp_path, place):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(cache.PLACE, place)
    calls, make = made()
    for _ in range(2):
        cache.kept_document("a", "", make)
    assert len(calls) == 2
    assert os.listdir(tmp_path) == []


def test_a_relative_folder_of_the_system_is_not_used(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(cache.PLACE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    cache.kept_document("a", "", made()[1])
    assert os.listdir(tmp_path) == []
