"""Scenarios that can be read and cannot run: an error with the line, the keys and the nearest name."""

import pytest

import workings as w
from workings.cli.main import main
from workings.scenarios.reading.location import path_text

GOOD = """scenario: 1
vocabulary: A B C D
model: {kind: decoder, width: 4, heads: 2, hidden: 3, norm: none, residual: none, mask: none, head: last-token}
parameters:
  seed: 5
data: {input: A B, target: C}
train: {learning_rate: 0.1, steps: 3}
runs:
  other: {model: {mask: causal}}
"""

TRAIN = "train: {learning_rate: 0.1, steps: 3}"

# What is wrong: what is changed in the good file, where it is said to be, and what is said.
BAD = {
    "heads that do not divide the width": ("heads: 2", "heads: 3", "line 3, model.heads", "3 heads", "2 and 4"),
    "a matrix of the wrong shape": (
        "seed: 5", "W_Q: [[1, 2], [3, 4]]", "line 5, parameters.W_Q", "needed 4 × 4, given 2 × 2", "4 × 4",
    ),
    "a matrix of the wrong shape in a run": (
        "{model: {mask: causal}}", "{parameters: {W_Q: [[1, 2], [3, 4]]}}", "line 9, runs.other.parameters.W_Q",
        "needed 4 × 4", "4 × 4",
    ),
    "a target that is not in the vocabulary": ("target: C", "target: X", "line 6, data[0].target", "'X'", "A, B, C"),
    "an input that is not in the vocabulary": ("A B, t", "A Z, t", "line 6, data[0].input", "'Z'", "A, B, C"),
    "a text longer than the positions": (
        "heads: 2", "heads: 2, position: learned, max_positions: 1", "line 6, data[0].input",
        "2 tokens, and there are positions for 1", "max_positions: 2",
    ),
    "a weight that is not there": ("seed: 5", "W_Qq: 0.1 I", "line 5, parameters.W_Qq", "'W_Qq'", "mean W_Q?"),
    "a weight that could be two": (
        "hidden: 3, norm: none, residual: none, mask: none, head: last-token}\nparameters:\n  seed: 5",
        "hidden: 3, layers: 2}\nparameters:\n  W_Q: 1 I", "line 5, parameters.W_Q", "'W_Q' could be any of several",
        "more of the path",
    ),
    "an alias of nothing": (
        "data:", "aliases: {W_vocb: W_out}\ndata:", "line 6, aliases.W_vocb", "no step 'W_vocb'", "mean W_vocab",
    ),
    "too few targets": ("last-token", "all-tokens", "line 6, data[0].target", "2 predictions", "one for each"),
    "two targets for one token": ("target: C", "target: C D", "line 6, data[0].target", "2 are given", "one token"),
    "no text of a decoder": (
        "kind: decoder, width: 4, heads: 2, hidden: 3, norm: none, residual: none, mask: none,",
        "kind: encoder-decoder, width: 4, heads: 2, hidden: 3,", "line 6, data[0]", "another", "decoder:",
    ),
    "a key that does nothing": (
        "heads: 2", "heads: 2, classes: 3", "line 3, model.classes", "does nothing", "Leave it out",
    ),
    "a loss that does not fit": (
        "steps: 3", "steps: 3, loss: mean_squared_error mean", "line 7, train.loss", "does not fit",
        "cross_entropy mean",
    ),
    "a weight given twice": (
        "seed: 5", "E: zeros\n  embedding: ones", "line 6, parameters.embedding", "twice", "Remove one",
    ),
    "a weight that is trained twice": (
        "steps: 3", "steps: 3, trainable: [W_Q, block1.attention.W_Q]", "line 7, train.trainable", "twice",
        "Remove one",
    ),
    "an alias that is taken": (
        "data:", "aliases: {W_vocab: scores}\ndata:", "line 6, aliases.W_vocab", "name of a step", "no step has",
    ),
    "a backward pass from elsewhere in training": (
        "data:", "backward: {of: logits, cotangent: [1, 2, 3, 4]}\ndata:", "line 6, backward",
        "starts at the loss", "Leave out",
    ),
    "pins in several steps": ("data:", "given: {scores: zeros}\ndata:", "line 6, given", "several", "steps: 1"),
    "a text of a decoder that is not there": (
        "input: A B,", "input: A B, decoder: A,", "line 6, data[0].decoder", "no decoder", "encoder-decoder",
    ),
    "nothing that is masked": (
        "last-token", "masked-tokens", "line 6, data[0].input", "no token of this text is masked", "<mask>",
    ),
    "a trained weight that is not there": (
        "steps: 3", "steps: 3, trainable: W_vocb", "line 7, train.trainable", "'W_vocb'", "mean W_vocab?",
    ),
    "a kept step beyond the last": (
        "steps: 3", "steps: 3, keep: [1, 9]", "line 7, train.keep", "Step 9 cannot be kept", "from 1 to 3",
    ),
    "a pin of a step that is not there": (
        TRAIN, "given: {logit: [1, 2, 3, 4]}", "line 7, given.logit", "no step 'logit'",
        "mean logits",
    ),
    "a pin of the wrong shape": (
        TRAIN, "given: {logits: [1, 2, 3]}", "line 7, given.logits", "needed 4, given 3",
        "Give 4",
    ),
    "a cotangent of the wrong shape": (
        TRAIN, "backward: {of: logits, cotangent: [1, 2]}", "line 7, backward.cotangent",
        "needed 4, given 2", "Give 4",
    ),
    "a backward pass from nothing": (
        TRAIN, "backward: {of: logitz}", "line 7, backward.of", "no step 'logitz'",
        "mean logits?",
    ),
    "training without a target": (", target: C", "", "line 7, train", "no loss to train on", "target"),
    "a model without data": ("data: {input: A B, target: C}\n", "", "line 3, model", "no input for it", "data:"),
    "a target without a head": ("last-token", "none", "line 6, data[0].target", "no head", "head: last-token"),
    "a class that is not there": (
        "last-token", "classifier, classes: [noun, verb]", "line 6, data[0].target", "no class 'C'", "noun, verb",
    ),
    "a number of a class that is not there": (
        "last-token}\nparameters:\n  seed: 5\ndata: {input: A B, target: C}",
        "classifier, classes: 2}\nparameters:\n  seed: 5\ndata: {input: A B, target: 2}",
        "line 6, data[0].target", "from 0 to 1", "",
    ),
    "labels that are no probabilities": (
        "last-token}\nparameters:\n  seed: 5\ndata: {input: A B, target: C}",
        "token-sigmoid}\nparameters:\n  seed: 5\ndata: {input: A B, target: [0, 2]}",
        "line 6, data[0].target", "yes (1), no (0) or a probability", "",
    ),
    "several heads without an output projection": (
        "residual: none", "residual: none, output_projection: false", "line 3, model.output_projection", "W_O",
        "one head",
    ),
    "a residual of another width": (
        "heads: 2, hidden: 3, norm: none, residual: none", "norm: none, output_projection: false, head_size: 3",
        "line 3, model", "A residual connection adds", "residual: none",
    ),
    "a symbol of nothing": (
        "data:", "notation: {symbols: {weigths: a}}\ndata:", "line 6, notation.symbols", "'weigths'", "mean weights",
    ),
}  # fmt: skip


def test_unchanged_file_runs(tmp_path):
    path = tmp_path / "good.yaml"
    path.write_text(GOOD)
    found = w.scenario(path)
    assert [len(found.trace(run).history["loss"]) for run in found.runs] == [3, 3]


@pytest.mark.parametrize("wrong", BAD)
def test_plan_that_cannot_run_is_refused_with_line_and_keys(tmp_path, capsys, wrong):
    old, new, where, said, hint = BAD[wrong]
    assert GOOD.count(old) == 1
    path = tmp_path / "bad.yaml"
    path.write_text(GOOD.replace(old, new))
    run = "other" if "in a run" in wrong else "default"
    with pytest.raises(w.WorkingsError) as raised:
        w.scenario(path).trace(run)
    error = raised.value
    assert error.where.startswith(f"bad.yaml, {where}")
    assert error.where.removeprefix(f"bad.yaml, {where}")[:1] in ("", ",")
    assert path_text(error.keys) == where.partition(", ")[2]
    assert said in error.what
    assert hint in error.hint
    assert main(["trace", str(path), "--run", run]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == f"{error}\n"


def test_a_run_that_is_not_there(tmp_path, capsys):
    path = tmp_path / "good.yaml"
    path.write_text(GOOD)
    with pytest.raises(w.WorkingsError, match="There is no run 'othr'") as raised:
        w.scenario(path).trace("othr")
    assert raised.value.hint == "Did you mean other? The runs are: default, other."
    assert main(["trace", str(path), "--run", "othr"]) == 2
    assert "Did you mean other?" in capsys.readouterr().err


def test_a_file_that_is_not_there_or_cannot_be_read(tmp_path):
    with pytest.raises(w.WorkingsError, match="no scenario with this name") as raised:
        w.scenario("example-33")
    assert "example-3" in raised.value.hint
    with pytest.raises(w.WorkingsError, match="is a folder"):
        w.scenario(tmp_path)


def test_a_model_is_asked_of_lines(tmp_path):
    with pytest.raises(w.WorkingsError, match="a calculation of lines"):
        w.scenario("cat-sat").architecture()


def test_a_loss_of_several_numbers_is_refused(tmp_path):
    path = tmp_path / "lines.yaml"
    path.write_text("scenario: 1\ngiven: {x: [1, 2]}\ncalculate:\n  - loss = exp(x)\n")
    with pytest.raises(w.WorkingsError, match="starts from a single number"):
        w.scenario(path).trace()
