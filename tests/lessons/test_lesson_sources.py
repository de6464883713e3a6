"""What the sources printed: a reason stands exactly where a printed number is wrong; every row of them is covered."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import yaml
from built_lessons import NAMES, OF_SOURCES, blocks_of, each, written
from test_lesson_parts import anchors

from workings.document.blocks import Heading
from workings.lessons.book import own_chapter, own_names
from workings.lessons.directives.source_notes import claims_of
from workings.lessons.lesson import Lesson, lesson
from workings.lessons.reading.lesson_file import read_lesson

INVENTORY = Path(__file__).parent / "inventory"
WITH_CLAIMS = [name for name in NAMES if (lesson(name).file.folder / "source.yaml").exists()]
ROWS = [row["id"] for row in yaml.safe_load((INVENTORY / "rows.yaml").read_text())]


@pytest.mark.parametrize("name", each(WITH_CLAIMS))
def test_a_reason_stands_exactly_where_a_number_is_wrong(name):
    _, claims = claims_of(written(name).page)
    assert not [
        (claim.at, str(claim.name), claim.printed, claim.true) for claim in claims if claim.holds == bool(claim.why)
    ]


def test_the_sources_print_over_a_hundred_wrong_numbers():
    wrong = sum(not claim.holds for name in OF_SOURCES for claim in claims_of(written(name).page)[1])
    assert wrong > 100


def claims_in(folder, printed):
    """The claims of a source that prints these numbers of example-1, all at one place."""
    rows = "".join(f'- {{at: "1", of: "{of}", printed: "{text}"}}\n' for of, text in printed.items())
    (folder / "source.yaml").write_text(f"source: x\nclaims:\n{rows}")
    head = "---\ntitle: x\nscenario: example-1\n---\n"
    return claims_of(Lesson("x", read_lesson(head, "x.md", folder)).build().page)[1]


@pytest.mark.parametrize(
    ("printed", "holds"),
    [
        ({"weights[1]": "0.0 0.5"}, [False, True]),  # 0.498 and 0.502
        ({"scaled[1]": "0.0 0.0"}, [True, True]),  # 0 and 0.00707: a row of one decimal
        ({"scaled[1]": "0.0 0.00"}, [True, False]),
        ({"scaled[1]": "0.007 0.0"}, [False, False]),
        ({"scaled[1][0]": "0.007", "scaled[1][1]": "0.0"}, [False, False]),
        ({"scaled[1][1]": "0", "scaled[0]": "0.007 0.000"}, [True, True, True]),  # another row
    ],
)
def test_printed_zero_holds_to_the_digits_of_its_row(tmp_path, printed, holds):
    assert [claim.holds for claim in claims_in(tmp_path, printed)] == holds


def test_number_that_a_source_printed_instead_is_computed():
    claims = [claim for claim in claims_of(written("cat-sat").page)[1] if claim.really]
    found = {claim.printed: str(claim.really) for claim in claims}
    assert found["0.836"] == "positions.ten-rounded:sine"
    assert math.sin(1 / 1.01) == pytest.approx(written("cat-sat").page.value(claims[2].really), rel=1e-12)
    blocks = blocks_of(written("cat-sat").document.blocks)
    table = next(block for block in blocks if getattr(block, "title", "").startswith("This also uses ten"))
    assert table.headings[-1] == "printed instead"
    assert [span.text for span in table.rows[0][-1]] == ["sine", " (positions.ten-rounded)", " = ", "0.83608"]


def mapped() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in sorted(INVENTORY.glob("*.yaml")):
        for entry in yaml.safe_load(path.read_text()) if path.name != "rows.yaml" else ():
            found.setdefault(entry["row"], []).extend(entry["anchors"])
    return found


def test_every_row_of_the_sources_has_its_place_in_a_lesson():
    assert not [row for row in ROWS if not mapped().get(row)]
    assert not [row for row in mapped() if row not in ROWS]


def anchors_of(name):
    if name not in own_names():
        return anchors(name)
    return [block.anchor for block in own_chapter(name).blocks if isinstance(block, Heading)]


def test_the_places_are_there():
    places = {place for places in mapped().values() for place in places}
    missing = [place for place in places if place.partition("#")[2] not in anchors_of(place.partition("#")[0])]
    assert not missing
