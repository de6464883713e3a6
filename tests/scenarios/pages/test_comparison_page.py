"""Before and after: the numbers are those of the trace, the distances those of PyTorch, and a failure is said."""

import math

import numpy
import pytest
import torch

import workings as w
from workings.document.blocks import Heading, Number, Table, Text, plain_text
from workings.engine.errors import StepError
from workings.scenarios.pages.comparison import comparison_of, kept_steps
from workings.scenarios.pages.comparison_page import comparison_document
from workings.scenarios.scenario_page import scenario_document

MODEL = """
scenario: 1
vocabulary: {tokens: A B C D, special: [<s>, <mask>]}
model: {kind: decoder, width: 2, norm: none, residual: none, mask: none}
parameters: {seed: 3}
data: [{input: A B, target: C}, {input: A A, target: D}, {input: B A, target: C}]
"""
OPTIMIZERS = ("sgd", "momentum", "adam", "adamw")


def scenario_of(tmp_path, train, before=MODEL, runs=""):
    file = tmp_path / "compared.yaml"
    file.write_text(f"{before}train: {{{train}}}\n{runs}")
    return w.scenario(file)


def page_of(scenario, run="default"):
    return comparison_document(scenario.trace(run), scenario.plan(run).examples)


def tables_of(page):
    return [block for block in page.blocks if isinstance(block, Table)]


def texts_of(table):
    return [[plain_text(cell) for cell in row] for row in table.rows]


def sentences_of(page):
    return " ".join(plain_text(block.spans) for block in page.blocks if isinstance(block, Text))


def numbers_of(page):
    cells = [span for table in tables_of(page) for row in table.rows for cell in row for span in cell]
    texts = [span for block in page.blocks if isinstance(block, Text) for span in block.spans]
    return [span for span in (*cells, *texts) if isinstance(span, Number)]


# -- the numbers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", ["null", "1", "2"])
def test_every_number_is_an_entry_of_the_step_that_it_names(tmp_path, batch):
    trace = scenario_of(tmp_path, f"learning_rate: 0.1, steps: 6, keep: [2, 6], batch_size: {batch}").trace()
    side = comparison_of(trace).side.trace
    numbers = numbers_of(comparison_document(trace))
    roles = {number.role for number in numbers}
    assert roles == ({"entry", "history"} if batch != "null" else {"entry"})
    for number in numbers:
        if number.role == "history":
            assert trace.history[number.step][number.index[0]] == number.value
            continue
        name, dot, id = number.step.partition(".")
        assert (side if dot else trace).recording.value(id or name)[number.index].item() == number.value


def test_examples_are_told_with_the_share_of_their_target_and_their_loss(tmp_path):
    scenario = scenario_of(tmp_path, "learning_rate: 0.3, steps: 20, keep: [1, 4, 20]")
    trace = scenario.trace()
    page = page_of(scenario)
    assert page.title == "What training changed from step 1 to step 20"
    rows = tables_of(page)[0].rows
    assert [row[:2] for row in texts_of(tables_of(page)[0])] == [["A B", "C"], ["A A", "D"], ["B A", "C"]]
    for n, (row, target) in enumerate(zip(rows, (4, 5, 4), strict=True), start=1):  # two special tokens come first
        shares = [torch.tensor(trace[f"step{k}.example{n}.logits"].value).softmax(0)[target].item() for k in (1, 20)]
        values = [cell[0].value for cell in row[2:]]
        assert values == pytest.approx([*shares, *(-math.log(share) for share in shares)], rel=1e-12)
    ends = [trace.history["loss"][k] for k in (0, 19)]
    losses = [block for block in page.blocks if isinstance(block, Text) and "The loss" in plain_text(block.spans)]
    assert [span.value for span in losses[0].spans if isinstance(span, Number)] == ends


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("keep", ["[1, 2]", "[1, 7]", "[3, 6, 7]"])
def test_weights_moved_by_the_norm_of_their_change(tmp_path, optimizer, keep):
    every = scenario_of(tmp_path, f"optimizer: {optimizer}, steps: 7, keep: [1, 2, 3, 4, 5, 6, 7]").trace()
    trace = scenario_of(tmp_path, f"optimizer: {optimizer}, steps: 7, keep: {keep}").trace()
    first, last = kept_steps(trace)[0], kept_steps(trace)[-1]

    def at(number, path):
        """A weight when a step begins: as the step before it left it."""
        return torch.tensor(every[path if number == 1 else f"step{number - 1}.{path}_new"].value)

    rows = tables_of(comparison_document(trace))[-1].rows
    assert [row[0][0].text for row in rows] == [
        "embedding.E", "block1.attention.W_Q", "block1.attention.W_K", "block1.attention.W_V", "W_vocab",
    ]  # fmt: skip
    for name, moved, change, place in rows:
        difference = at(last, name[0].text) - at(first, name[0].text)
        assert moved[0].value == pytest.approx(torch.linalg.norm(difference).item(), rel=1e-9)
        assert abs(change[0].value) == pytest.approx(difference.abs().max().item(), rel=1e-9)
        assert change[0].value == pytest.approx(difference[change[0].index].item(), rel=1e-9)
        assert place[0].text == "[{}][{}]".format(*change[0].index)


def test_one_by_one_begins_with_the_first_update(tmp_path):
    trace = scenario_of(tmp_path, "learning_rate: 0.1, steps: 3, keep: [1, 3], batch_size: 1").trace()
    weights = {change.path: change for change in comparison_of(trace).weights}
    assert weights["W_vocab"].before.path == "W_vocab"
    assert weights["W_vocab"].after.path == "step3.W_vocab"
    page = comparison_document(trace)
    assert "each example before its own update" in sentences_of(page)
    shares = [trace[f"step{k}.update2.P"].value[5] for k in (1, 3)]
    assert [cell[0].value for cell in tables_of(page)[0].rows[1][2:4]] == shares


def test_steps_one_after_the_other_are_written_apart():
    scenario = w.scenario("example-4")
    for row in texts_of(tables_of(page_of(scenario, "after"))[0]):
        assert row[2] != row[3]
        assert row[4] != row[5]


# -- what is said -----------------------------------------------------------------------------------


def test_a_training_that_learns_says_so():
    page = page_of(w.scenario("example-4"), "all-weights")
    assert "The loss fell from 1.385 to" in sentences_of(page)
    assert "P(target) rose everywhere." in sentences_of(page)


def test_a_training_that_fails_says_so_too(tmp_path):
    """The same text is followed by C seven times, and once by A: what is learned of C is lost for A."""
    before = MODEL[: MODEL.index("data:")] + f"data: [A B -> C, A B -> A{', A B -> C' * 6}]\n"
    page = page_of(scenario_of(tmp_path, "learning_rate: 0.5, steps: 30, keep: [1, 30]", before))
    rows = texts_of(tables_of(page)[0])
    assert [float(row[3]) > float(row[2]) for row in rows] == [True, False, *[True] * 6]
    assert "P(target) rose in 7 of 8 places. It did not rise for A after A B." in sentences_of(page)


def test_a_loss_that_rises_is_not_called_falling(tmp_path):
    page = page_of(scenario_of(tmp_path, "learning_rate: 40.0, steps: 2, keep: [1, 2]"))
    assert "The loss did not fall: it was" in sentences_of(page)


def test_many_failures_are_counted(tmp_path):
    rows = ", ".join(["A B -> A"] * 5 + ["A B -> C"] * 30)
    before = MODEL[: MODEL.index("data:")] + f"data: [{rows}]\n"
    page = page_of(scenario_of(tmp_path, "learning_rate: 0.5, steps: 30, keep: [1, 30]", before))
    table = texts_of(tables_of(page)[0])
    assert len(table) == 13
    assert table[-1] == ["23 more", "", "", "", "", ""]
    names = "A after A B, A after A B, A after A B, and 2 more"
    assert f"P(target) rose in 30 of 35 places. It did not rise for {names}." in sentences_of(page)


HEADS = {
    "every": ("all-tokens", "A B, target: B C", [["A B", "B"], ["", "C"]]),
    "yes-or-no": ("token-sigmoid", "A B, target: [1, 1]", [["A B", "1"], ["", "1"]]),
    "class": ("classifier, classes: [calm, wild]", "A B, target: wild", [["A B", "wild"]]),
    "covered": ("masked-tokens", "A <mask> C, target: B", [["A <mask> C", "B"]]),
}


@pytest.mark.parametrize("head", HEADS)
def test_every_answer_of_an_example_has_a_line(tmp_path, head):
    kind, data, expected = HEADS[head]
    before = MODEL.replace("mask: none}", f"mask: none, head: {kind}}}")
    before = before[: before.index("data:")] + f"data: {{input: {data}}}\n"
    scenario = scenario_of(tmp_path, "learning_rate: 0.1, steps: 5, keep: [1, 5]", before)
    page = page_of(scenario)
    table = tables_of(page)[0]
    assert [row[:2] for row in texts_of(table)] == expected
    assert table.headings[2] == ("P" if head == "yes-or-no" else "P(target)")
    said = {"yes-or-no": "Every P came closer to its target."}.get(head, "P(target) rose everywhere.")
    assert said in sentences_of(page)
    assert all(row[4] == "" for row in texts_of(table)[1:])  # the loss stands once
    trace = scenario.trace()
    if head == "yes-or-no":
        scores = [trace.recording.value(trace[f"step{k}.P"].step.inputs[0]) for k in (1, 5)]
        shares = [torch.tensor(values).sigmoid() for values in scores]
        for n, row in enumerate(table.rows):
            assert [cell[0].value for cell in row[2:4]] == pytest.approx(
                [share[n].item() for share in shares], rel=1e-12
            )


def test_labels_that_get_worse_are_named(tmp_path):
    before = MODEL.replace("mask: none}", "mask: none, head: token-sigmoid}")
    before = before[: before.index("data:")] + "data: [{input: A, target: [1]}, {input: A, target: [0]}]\n"
    page = page_of(scenario_of(tmp_path, "learning_rate: 0.5, steps: 5, keep: [1, 5]", before))
    assert "P came closer to its target in 1 of 2 places. It did not for" in sentences_of(page)


def test_characters_of_a_target_are_told_apart(tmp_path):
    before = MODEL.replace("{tokens: A B C D, special: [<s>, <mask>]}", "{characters: abc}").replace(
        "mask: none}", "mask: none, head: all-tokens}"
    )
    before = before[: before.index("data:")] + "data: {input: abc, target: bca}\n"
    page = page_of(scenario_of(tmp_path, "steps: 2, keep: [1, 2]", before))
    assert [row[1] for row in texts_of(tables_of(page)[0])] == ["b", "c", "a"]


def test_without_the_words_the_page_has_ids(tmp_path):
    trace = scenario_of(tmp_path, "steps: 2, keep: [1, 2]").trace()
    assert [row[:2] for row in texts_of(tables_of(comparison_document(trace))[0])] == [
        ["2 3", "4"], ["2 2", "5"], ["3 2", "4"],
    ]  # fmt: skip


def test_lines_have_weights_and_a_loss_and_no_examples(tmp_path):
    before = "scenario: 1\ngiven: {x: [1.5, -0.5]}\nparameters: {W: [[0.3, -0.2], [0.5, 0.1]], b: 0.5}\n"
    before += "calculate: [y = tanh(x @ W + b), 'loss = mean_squared_error(y, x)']\n"
    page = page_of(scenario_of(tmp_path, "steps: 4, keep: [1, 4]", before))
    (weights,) = tables_of(page)
    assert [row[0][0].text for row in weights.rows] == ["W", "b"]
    assert weights.rows[1][3][0].text == ""  # one number has no places
    assert "The loss fell" in sentences_of(page)
    assert "P" not in {heading for table in tables_of(page) for heading in table.headings}


def test_batches_have_texts_of_their_own_and_many_weights(tmp_path):
    before = (
        "scenario: 1\nmodel: {kind: decoder, width: 4, heads: 2, hidden: 6, head: all-tokens}\ndata: {task: copy}\n"
    )
    trace = scenario_of(tmp_path, "batch_size: 2, steps: 3, keep: [1, 3]", before).trace()
    page = comparison_document(trace)
    assert "Each step has its own texts" in sentences_of(page)
    (weights,) = tables_of(page)
    moved = [row[1][0].value for row in weights.rows]
    assert moved == sorted(moved, reverse=True)
    every = [float(change.distance.value) for change in comparison_of(trace).weights]
    assert len(every) > 12
    assert moved == sorted(every, reverse=True)[:12]
    assert f"Of {len(every)} weights, these 12 moved furthest." in sentences_of(page)


def test_a_replay_is_compared_by_its_own_losses(tmp_path):
    trace = scenario_of(tmp_path, "steps: 2, keep: [1, 2], batch_size: 1").trace()
    other = trace.replay(values={"W_vocab": numpy.ones(trace["W_vocab"].shape)})
    page = comparison_document(other)
    losses = [block for block in page.blocks if isinstance(block, Text) and "The loss" in plain_text(block.spans)]
    means = [numpy.mean([other[f"step{k}.update{n}.loss"].value for n in (1, 2, 3)]) for k in (1, 2)]
    assert [span.value for span in losses[0].spans if isinstance(span, Number)] == pytest.approx(means)
    shares = [cell[0].value for cell in tables_of(page)[0].rows[0][2:4]]
    assert shares == [other[f"step{k}.update1.P"].value[4] for k in (1, 2)]


def test_notation_counts_from_one_where_the_page_does(tmp_path):
    scenario = scenario_of(tmp_path, "steps: 2, keep: [1, 2]", MODEL + "notation: {count_from: 1}\n")
    row = tables_of(page_of(scenario))[-1].rows[0]
    assert row[3][0].text == "[{}][{}]".format(*(place + 1 for place in row[2][0].index))


def test_one_step_cannot_be_compared():
    trace = w.scenario("example-2").trace()
    assert len(kept_steps(trace)) < 2
    with pytest.raises(StepError, match="needs two training steps"):
        comparison_document(trace)


@pytest.mark.parametrize(("run", "there"), [("after", True), ("one-by-one", False), ("default", False)])
def test_the_page_of_a_run_compares_the_steps_that_it_keeps(run, there):
    scenario = w.scenario("example-4")
    page = scenario_document(scenario, run, scenario.trace(run))
    headings = [block.text for block in page.blocks if isinstance(block, Heading)]
    assert ("What training changed from step 1 to step 2" in headings) is there
    assert any("What training changed" in heading for heading in headings) is there
