"""Nothing on a worksheet gives a blank away. The sheets are judged from what is printed on them and from their JSON."""

import io

import pytest
from loops import slow_if
from sheet_reader import has_other_digits, ids_of, printed_elsewhere, read_page, significant, summed_up

from workings.lessons.contents import names
from workings.practice.blanks import BLANK_LEVELS, choose_blanks
from workings.practice.exercise import exercise
from workings.practice.sheet import make_sheet, own_sheet, sheet_of
from workings.practice.variant import FIRST_GENERATOR, find_variant
from workings.practice.worksheets.worksheet import worksheet
from workings.render.terminal import show

QUICK = ("example-3", "causal-mask", "layer-norm", "multi-head", "cat-sleeps", "matrix-core")
SEEDS = (1, 2, 3, 4)
SHORT = 2  # digits of numbers that are equal by chance


def page_of(sheet):
    content = io.BytesIO()
    file = io.TextIOWrapper(content, encoding="utf-8")
    show(worksheet(sheet), file, width=3000)
    file.flush()
    return content.getvalue().decode()


def leaks(name, seed, level):
    """What the page gives away: sums, long numbers that are printed, and short ones where the step has others."""
    sheet = make_sheet(name, seed, level)
    data = sheet.to_data()
    matrices, ids = read_page(page_of(sheet), data), ids_of(data)
    elsewhere = list(printed_elsewhere(matrices, ids))
    found = [*summed_up(matrices), *(pair for pair in elsewhere if significant(pair[0]) > SHORT)]
    short = {pair for pair in elsewhere if significant(pair[0]) <= SHORT}
    if level != "all":
        found += [pair for pair in short if has_other_digits(matrices, pair[1][0], ids)]
    return found, {pair for pair in short if pair[2][0] in inputs_of(data, pair[1][0])}


def inputs_of(data, name):
    """The names of the steps that a step reads, through steps without a name."""
    steps = {step["id"]: step for step in data["trace"]["steps"]}
    waiting = [step for step in steps.values() if name.endswith(step["name"])]
    found = set()
    while waiting:
        for before in [steps[id] for id in waiting.pop()["inputs"]]:
            waiting += [before] if "." in before["id"] or before["name"] == before["op"] else []
            found.add(before["name"])
    return found


@pytest.mark.parametrize("level", BLANK_LEVELS)
@pytest.mark.parametrize("name", slow_if([name for name in names() if name not in QUICK], names()))
def test_no_blank_can_be_read_off_the_sheet(name, level):
    digits = {}  # of each blank that is printed in a step that it reads, for each seed
    for seed in SEEDS:
        found, short = leaks(name, seed, level)
        assert not found, (seed, found[:3])
        for text, blank, source in short:
            digits.setdefault((blank, source), []).append(text)
    copies = [pair for pair, texts in digits.items() if len(texts) == len(SEEDS) and len(set(texts)) > 1]
    assert not copies or level != "all"


def test_the_reader_finds_what_the_first_generator_gave_away():
    """The judge can fail: on sheets of the first generator it finds all three kinds."""
    chosen = exercise("example-3")
    variant = find_variant(chosen.trace, 7)
    sheet = sheet_of(chosen, variant, "few", FIRST_GENERATOR)
    matrices = read_page(page_of(sheet), sheet.to_data())
    copied = {(blank[0], source[0]) for _, blank, source in printed_elsewhere(matrices, ids_of(sheet.to_data()))}
    sums = " ".join(summed_up(matrices))
    assert ("X", "E") in copied
    assert "weights(0, 0, 0)" in sums
    assert "dscaled(0, 1, 0)" in sums


def test_step_that_only_copies_given_numbers_is_printed():
    blanks = make_sheet("example-3", 1, "all").fields
    assert not [blank for blank in blanks if blank.step.endswith(".X")]


def test_step_that_only_copies_is_asked_if_nothing_else_is(tmp_path):
    path = tmp_path / "rows.yaml"
    path.write_text(
        "scenario: 1\ngiven: {E: 1 2.5; 3 4}\ncalculate:\n  - last = take_row(E, index=1)", encoding="utf-8"
    )
    assert [blank.label for blank in make_sheet(path, 1, "some").fields] == ["last[0]", "last[1]"]


def test_masked_positions_are_asked_only_if_no_infinity_shows_them():
    for level in BLANK_LEVELS:
        sheet = make_sheet("causal-mask", 2, level)
        rows = [blank for blank in sheet.fields if blank.kind == "positions"]
        blank = {(one.step, one.index) for one in sheet.fields if one.kind == "number"}
        assert rows
        assert all((row.step, (*row.index, column)) in blank for row in rows for column in row.true)


def test_own_numbers_can_be_checked_in_every_entry():
    variant = find_variant(exercise("example-1").trace, 1)
    assert len(own_sheet("example-1").fields) > len(choose_blanks(variant, "all"))
    assert "X[0][0]" in own_sheet("example-1").by_label
