"""The pages in docs/ops are what the ops say today, and every link in the documentation leads somewhere."""

import itertools
import re
from dataclasses import fields, is_dataclass
from pathlib import Path
from urllib.parse import unquote

import pytest
import reference
import scenario_keys
from loops import for_each
from markdown_it import MarkdownIt

from workings.scenarios.reading import plan

ROOT = reference.FOLDER.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]
READER = MarkdownIt("commonmark").enable("table")


def test_the_pages_of_the_ops_are_up_to_date():
    expected = reference.derived()
    single = [reference.FOLDER / name for name in expected if (reference.FOLDER / name).exists()]
    paths = {*single, *reference.FOLDER.glob("ops/*.md")}
    written = {path.relative_to(reference.FOLDER).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    stale = sorted(name for name in expected.keys() | written.keys() if expected.get(name) != written.get(name))
    if stale:
        pytest.fail(
            f"{len(stale)} pages in docs differ from the program ({', '.join(stale[:5])}): run `make reference`."
        )


@for_each("page", PAGES)
def test_every_link_leads_somewhere(page):
    for address in links(page):
        if re.match(r"[a-z]+:", address):
            continue
        path, _, anchor = unquote(address).partition("#")
        target = (page.parent / path) if path else page
        assert target.exists(), f"{page.relative_to(ROOT)} links to {address}, which is not there"
        assert not anchor or anchor in anchors(target), f"{page.relative_to(ROOT)}: no heading for {address}"


def test_the_links_of_the_contents_are_seen():
    pages = {name.removeprefix("ops/") for name in reference.derived() if name.startswith("ops/")}
    assert set(links(reference.FOLDER / "ops" / "README.md")) == pages - {"README.md"}


def test_the_contents_list_every_page():
    pages = {path.name for path in reference.FOLDER.glob("*.md")} - {"README.md"}
    assert set(links(reference.FOLDER / "README.md")) == pages | {"ops/README.md", "../README.md"}


@for_each("kind", plan.ABOUT)
def test_something_is_said_of_every_key_of_a_scenario(kind):
    assert list(plan.ABOUT[kind]) == [field.name for field in fields(kind)]


def test_every_record_of_a_scenario_is_in_the_table_of_keys():
    records = {kind for kind in vars(plan).values() if is_dataclass(kind) and kind.__module__ == plan.__name__}
    assert records == set(plan.ABOUT) == {kind for kinds in scenario_keys.SECTIONS.values() for kind in kinds}


def links(page: Path) -> list[str]:
    tokens = READER.parse(page.read_text(encoding="utf-8"))
    inline = [child for token in tokens for child in token.children or ()]
    return [str(token.attrs[key]) for token in inline for key in ("href", "src") if key in token.attrs]


def anchors(page: Path) -> set[str]:
    """The headings of a page as GitHub names them."""
    tokens = READER.parse(page.read_text(encoding="utf-8"))
    titles = [after.content for token, after in itertools.pairwise(tokens) if token.type == "heading_open"]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_files_that_the_guides_name_exist():
    for page in PAGES:
        for name in re.findall(r"`([\w/]+\.py)`", page.read_text(encoding="utf-8")):
            places = [ROOT / folder / name for folder in (".", "src/workings", "web", "bench", "tests/support")]
            if "/" in name:
                assert any(place.exists() for place in places), f"{page.name} names {name}"
