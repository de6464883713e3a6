"""Kept lessons: read back whole, made again when something changed, and never in the way."""

import json

import pytest

from workings.explain.document import Document, Text, Words
from workings.teach import cache

PAGE = Document("x", (Text((Words("kept"),)),))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(cache.PLACE, str(tmp_path / "kept"))
    return tmp_path / "kept"


def made(document=PAGE):
    calls = []
    return calls, lambda: calls.append(1) or document


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
    monkeypatch.setattr(cache, "_state", lambda: "another")
    cache.kept_document("a", "", make)
    assert len(calls) == 2


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"state": 1}', "null"])
def test_a_damaged_file_is_made_again(folder, damage):
    calls, make = made()
    cache.kept_document("a", "", make)
    [path] = folder.iterdir()
    path.write_text(damage)
    assert cache.kept_document("a", "", make) == PAGE
    assert len(calls) == 2
    assert json.loads(path.read_text())["document"]["title"] == "x"


def test_a_folder_that_cannot_be_written_is_no_trouble(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(cache.PLACE, str(tmp_path / "file" / "inside"))
    _, make = made()
    assert cache.kept_document("a", "", make) == PAGE


def test_nothing_is_kept_where_that_is_not_wanted(monkeypatch, tmp_path):
    monkeypatch.setenv(cache.PLACE, "")
    calls, make = made()
    for _ in range(2):
        cache.kept_document("a", "", make)
    assert len(calls) == 2
