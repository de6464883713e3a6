"""Scenarios that can be read and cannot be carried out: a sentence with the line, the key and the nearest name."""

import pytest

import workings as w
from workings.cli.main import main

GOOD = """scenario: 1
vocabulary: A B C D
model: {kind: decoder, width: 4, heads: 2, hidden: 3, norm: none, residual: none, mask: none, head: last-token}
parameters:
  seed: 5
data: {input: A B, target: C}
train: {rate: 0.1, steps: 3}
runs:
  other: {model: {mask: causal}}
"""

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
        "heads: 2", "heads: 2, position: learned, positions: 1", "line 6, data[0].input",
        "2 tokens, and there are positions for 1", "positions: 2",
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
    "too few targets": ("last-token", "all-tokens", "line 6, data[0].target", "2 answers", "one for each"),
    "two targets for one token": ("target: C", "target: C D", "line 6, data[0].target", "2 are given", "one word"),
    "no text of a decoder": (
        "kind: decoder, width: 4, heads: 2, hidden: 3, norm: none, residual: none, mask: none,",
        "kind: encoder-decoder, width: 4, heads: 2, hidden: 3,", "line 6, data[0]", "another", "decoder:",
    ),
    "a key that does nothing": (
        "heads: 2", "heads: 2, classes: 3", "line 3, model.classes", "does nothing", "Take it away",
    ),
    "a loss that does not fit": (
        "steps: 3", "steps: 3, loss: mean_squared_error mean", "line 7, train.loss", "does not fit",
        "cross_entropy mean",
    ),
    "a weight given twice": (
        "seed: 5", "E: zeros\n  embedding: ones", "line 6, parameters.embedding", "twice", "Take one of them away",
    ),
    "a weight that is trained twice": (
        "steps: 3", "steps: 3, trainable: [W_Q, block1.attention.W_Q]", "line 7, train.trainable", "twice", "away",
    ),
    "an alias that is taken": (
        "data:", "aliases: {W_vocab: scores}\ndata:", "line 6, aliases.W_vocab", "name of a step", "free",
    ),
    "a way back beside training": (
        "data:", "backward: {of: logits, cotangent: [1, 2, 3, 4]}\ndata:", "line 6, backward",
        "Training goes back", "away",
    ),
    "pins in several steps": ("data:", "given: {scores: zeros}\ndata:", "line 6, given", "several", "steps: 1"),
    "a text of a decoder that is not there": (
        "input: A B,", "input: A B, decoder: A,", "line 6, data[0].decoder", "no decoder", "encoder-decoder",
    ),
    "nothing that is masked": ("last-token", "masked-tokens", "line 6, data[0].input", "no word", "<mask>"),
    "a trained weight that is not there": (
        "steps: 3", "steps: 3, trainable: W_vocb", "line 7, train.trainable", "'W_vocb'", "mean W_vocab?",
    ),
    "a kept step beyond the last": (
        "steps: 3", "steps: 3, keep: [1, 9]", "line 7, train.keep", "Step 9 cannot be kept", "from 1 to 3",
    ),
    "a pin of a step that is not there": (
        "train: {rate: 0.1, steps: 3}", "given: {logit: [1, 2, 3, 4]}", "line 7, given.logit", "no step 'logit'",
        "mean logits",
    ),
    "a pin of the wrong shape": (
        "train: {rate: 0.1, steps: 3}", "given: {logits: [1, 2, 3]}", "line 7, given.logits", "needed 4, given 3",
        "Give 4",
    ),
    "a cotangent of the wrong shape": (
        "train: {rate: 0.1, steps: 3}", "backward: {of: logits, cotangent: [1, 2]}", "line 7, backward.cotangent",
        "needed 4, given 2", "Give 4",
    ),
    "the way back from nothing": (
        "train: {rate: 0.1, steps: 3}", "backward: {of: logitz}", "line 7, backward.of", "no step 'logitz'",
        "mean logits?",
    ),
    "training without a target": (", target: C", "", "line 7, train", "no loss is computed", "target"),
    "a model without data": ("data: {input: A B, target: C}\n", "", "line 3, model", "nothing to put into it", "data:"),
    "a target without a head": ("last-token", "none", "line 6, data[0].target", "no head", "head: last-token"),
    "a class that is not there": (
        "last-token", "classifier, classes: [noun, verb]", "line 6, data[0].target", "no class 'C'", "noun, verb",
    ),
    "a number of a class that is not there": (
        "last-token}\nparameters:\n  seed: 5\ndata: {input: A B, target: C}",
        "classifier, classes: 2}\nparameters:\n  seed: 5\ndata: {input: A B, target: 2}",
        "line 6, data[0].target", "from 0 to 1", "",
    ),
    "labels that are no shares": (
        "last-token}\nparameters:\n  seed: 5\ndata: {input: A B, target: C}",
        "token-sigmoid}\nparameters:\n  seed: 5\ndata: {input: A B, target: [0, 2]}",
        "line 6, data[0].target", "yes (1) or no (0)", "",
    ),
    "a residual of another width": (
        "residual: none", "residual: all, output_projection: false, head_size: 3", "line 3, model", "W_O", "one head",
    ),
    "a symbol of nothing": (
        "data:", "notation: {symbols: {weigths: a}}\ndata:", "line 6, notation.symbols", "'weigths'", "mean weights",
    ),
}  # fmt: skip


def test_the_good_file_is_good(tmp_path):
    path = tmp_path / "good.yaml"
    path.write_text(GOOD)
    found = w.scenario(path)
    assert [len(found.trace(run).history["loss"]) for run in found.runs] == [3, 3]


@pytest.mark.parametrize("wrong", BAD)
def test_what_cannot_be_carried_out_is_said_with_its_line_and_key(tmp_path, capsys, wrong):
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
    with pytest.raises(w.WorkingsError, match="no scenario of that name") as raised:
        w.scenario("example-33")
    assert "example-3" in raised.value.hint
    with pytest.raises(w.WorkingsError, match="cannot be read"):
        w.scenario(tmp_path)


def test_a_model_is_asked_of_lines(tmp_path):
    with pytest.raises(w.WorkingsError, match="a calculation of lines"):
        w.scenario("cat-sat").architecture()


def test_a_loss_of_several_numbers_is_refused(tmp_path):
    path = tmp_path / "lines.yaml"
    path.write_text("scenario: 1\ngiven: {x: [1, 2]}\ncalculate:\n  - loss = exp(x)\n")
    with pytest.raises(w.WorkingsError, match="must be one number"):
        w.scenario(path).trace()
