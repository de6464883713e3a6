"""Scenario files: what they may say, what becomes of it, and errors that point to line and key."""

import json
from pathlib import Path

import jsonschema
import numpy
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as some

import workings
from workings.engine.errors import WorkingsError
from workings.scenarios.reading.location import path_text
from workings.scenarios.reading.matrices import ids_of, matrix_of
from workings.scenarios.reading.plan import (
    ConventionPlan,
    ExamplePlan,
    GivenIds,
    GivenValue,
    ModelPlan,
    OptimizerPlan,
    ParametersPlan,
    Plan,
    VocabularyPlan,
)
from workings.scenarios.reading.scenario_file import MAX_RUNS, ScenarioFile, read_scenario
from workings.scenarios.reading.yaml_tree import data_of, read_yaml
from workings.scenarios.running.calculate import calculate

SCHEMA = jsonschema.Draft202012Validator(
    json.loads((Path(workings.__file__).parent / "schema" / "scenario.json").read_text())
)

SMALL = "scenario: 1\nmodel: {kind: decoder, width: 2}\n"
LINES = "scenario: 1\ngiven: {X: [[1, 0]]}\ncalculate: [y = relu(X)]\n"
WHOLE = """\
scenario: 1
title: Two patterns
convention: {profile: seed, norm_place: post}
precision: float64
vocabulary: [A, B, C, D]
model: {kind: decoder, width: 2, heads: 1, layers: 1, norm: none, residual: none, mask: none, head: last-token}
parameters:
  seed: 7
  embedding: [[1,0],[0,1],[1,1],[0,0]]
  block1.attention.W_Q: 0.1 I
  W_vocab: .1 0 0 0; 0 0 .1 0
aliases: {W_vocab: W_O}
given: {}
data:
- {input: A B, target: C}
- input: A A
  target: D
train:
  loss: cross_entropy mean
  optimizer: sgd
  learning_rate: 0.1
  trainable: all
  steps: 400
  keep: [1, 400]
notation: {symbols: {weights: α}, count_from: 1}
runs:
  only-W_vocab: {train: {trainable: [W_vocab]}}
  masked:
    model: {mask: causal}
    train: null
  adam:
    train:
      optimizer: {name: adam, beta1: 0.8}
      keep: 3
"""
CALCULATED = """\
scenario: 1
given:
  scores: {axes: query key, value: [[2, 1.5], [0.1, -0.4]]}
  target: {ids: [1, 0]}
  b: 1/2 0
calculate: |
  # the deep dive

  weights = softmax(scores, axis=key)
  loss = cross_entropy(weights + b, target)
backward: loss
"""


def read(text: str | bytes) -> Plan:
    return read_scenario(text, "example.yaml").runs["default"]


def refused(text: str | bytes, where: str | None = None) -> WorkingsError:
    with pytest.raises(WorkingsError) as raised:
        read_scenario(text, "example.yaml")
    error = raised.value
    assert error.hint
    assert error.where == (f"example.yaml, {where}" if where is not None else error.where)
    assert error.where.endswith(path_text(error.keys))
    return error


# -- what a file says ---------------------------------------------------------------------------


def test_a_whole_file():
    file = read_scenario(WHOLE, "example.yaml")
    plan = file.runs["default"]
    assert list(file.runs) == ["default", "only-W_vocab", "masked", "adam"]
    assert plan.convention == ConventionPlan("seed", {"norm_place": "post"})
    assert plan.vocabulary == VocabularyPlan(("A", "B", "C", "D"))
    assert plan.model == ModelPlan("decoder", 2, norm="none", residual="none", mask="none")
    assert plan.parameters.seed == 7
    assert plan.parameters.values == {
        "embedding": ((1, 0), (0, 1), (1, 1), (0, 0)),
        "block1.attention.W_Q": "0.1 I",
        "W_vocab": ".1 0 0 0; 0 0 .1 0",
    }
    assert plan.data == (ExamplePlan("A B", "C"), ExamplePlan("A A", "D"))
    assert (plan.train.optimizer, plan.train.keep, plan.train.trainable) == (OptimizerPlan("sgd"), (1, 400), "all")
    assert (plan.notation.symbols, plan.notation.count_from) == ({"weights": "α"}, 1)
    assert plan.aliases == {"W_vocab": "W_O"}


def test_lines_to_calculate():
    plan = read(CALCULATED)
    assert [(line.name, line.line) for line in plan.calculate] == [("weights", 9), ("loss", 10)]
    assert plan.given == {
        "scores": GivenValue(((2, 1.5), (0.1, -0.4)), ("query", "key")),
        "target": GivenIds((1, 0)),
        "b": GivenValue("1/2 0"),
    }
    assert (plan.backward.of, plan.model) == ("loss", None)
    listed = "scenario: 1\ngiven: {X: 1}\ncalculate:\n- y = relu(X)\n- z = -y\n"
    assert [(line.name, line.line) for line in read(listed).calculate] == [("y", 4), ("z", 5)]
    one = "scenario: 1\ngiven: {X: 1}\ncalculate: y = relu(X)\n"
    assert [(line.name, line.line) for line in read(one).calculate] == [("y", 3)]


def test_what_is_given_can_be_calculated_with():
    file = read_scenario(CALCULATED, "example.yaml")
    plan = file.runs["default"]
    values = {}
    for name, part in plan.given.items():
        axes = " ".join(part.axes)
        if isinstance(part, GivenIds):
            values[name] = workings.ids(ids_of(part.ids), axes, name=name)
        else:
            values[name] = workings.given(matrix_of(part.value), axes, name=name)
    found = calculate(plan.calculate, values)
    shares = numpy.exp([[2, 1.5], [0.1, -0.4]])
    shares /= shares.sum(axis=1, keepdims=True)
    scores = numpy.add(shares, [0.5, 0])
    losses = numpy.log(numpy.exp(scores).sum(axis=1)) - scores[[0, 1], [1, 0]]
    numpy.testing.assert_allclose(found["weights"].array, shares)
    numpy.testing.assert_allclose(found["loss"].array, losses.mean())


@pytest.mark.parametrize(
    ("written", "key", "expected"),
    [
        ("convention: gpt2", "convention", ConventionPlan("gpt2")),
        (
            "convention: {norm_epsilon: 1e-5, norm_place: pre}",
            "convention",
            ConventionPlan("seed", {"norm_epsilon": 1e-5, "norm_place": "pre"}),
        ),
        (
            "convention: {norm_correction: 1, tied_embeddings: true}",
            "convention",
            ConventionPlan("seed", {"norm_correction": 1, "tied_embeddings": True}),
        ),
        ("vocabulary: A B C", "vocabulary", VocabularyPlan(("A", "B", "C"))),
        ("vocabulary: [1, no, null, 1.50, true]", "vocabulary", VocabularyPlan(("1", "no", "null", "1.50", "true"))),
        ("vocabulary: {tokens: A B, special: <unk>}", "vocabulary", VocabularyPlan(("A", "B"), "word", ("<unk>",))),
        (
            "vocabulary: {characters: 01 a, special: [<unk>]}",
            "vocabulary",
            VocabularyPlan(("0", "1", " ", "a"), "character", ("<unk>",)),
        ),
        ("vocabulary: {characters: [a, b]}", "vocabulary", VocabularyPlan(("a", "b"), "character")),
        ("vocabulary: {tokens: [a, b], unit: character}", "vocabulary", VocabularyPlan(("a", "b"), "character")),
        (
            "parameters: {draw: normal, E: zeros, b: 2}",
            "parameters",
            ParametersPlan(0, "normal", {"E": "zeros", "b": 2}),
        ),
        ("data: {input: [0, 1], target: 2}", "data", (ExamplePlan((0, 1), 2),)),
        (
            "data: [{input: [0], target: [0, 1.5]}, {input: 3}]",
            "data",
            (ExamplePlan((0,), (0, 1.5)), ExamplePlan((3,))),
        ),
        ("title:\ntrain:", "train", None),
        (
            "given: {scores: {axes: [query, key], value: zeros}}",
            "given",
            {"scores": GivenValue("zeros", ("query", "key"))},
        ),
    ],
)
def test_short_forms(written, key, expected):
    assert getattr(read(SMALL + written), key) == expected
    SCHEMA.validate(data_of_json(SMALL + written))


@pytest.mark.parametrize(
    ("written", "key", "expected"),
    [
        ("optimizer: adam", "optimizer", OptimizerPlan("adam")),
        (
            "optimizer: {name: adam, beta1: 0.9, epsilon: 1e-8}",
            "optimizer",
            OptimizerPlan("adam", {"beta1": 0.9, "epsilon": 1e-8}),
        ),
        ("trainable: W_Q", "trainable", ("W_Q",)),
        ("trainable: [W_Q, W_K]", "trainable", ("W_Q", "W_K")),
        ("keep: 3, steps: 3", "keep", (3,)),
        ("learning_rate: 1", "learning_rate", 1.0),
    ],
)
def test_short_forms_of_training(written, key, expected):
    text = f"{SMALL}train: {{{written}}}"
    found = getattr(read(text).train, key)
    assert found == expected
    assert type(found) is type(expected)
    SCHEMA.validate(data_of_json(text))


# -- runs ---------------------------------------------------------------------------------------


def test_a_run_is_the_file_with_its_own_changes():
    runs = read_scenario(WHOLE, "example.yaml").runs
    assert runs["only-W_vocab"].train.trainable == ("W_vocab",)
    assert runs["only-W_vocab"].train.steps == 400
    assert runs["masked"].model.mask == "causal"
    assert runs["masked"].model.width == 2
    assert runs["masked"].train is None
    assert runs["adam"].train.optimizer == OptimizerPlan("adam", {"beta1": 0.8})
    assert runs["adam"].train.keep == (3,)
    assert runs["default"].model.mask == "none"


def test_a_word_that_stands_for_a_mapping_stays_when_a_run_changes_another_key():
    text = f"""{SMALL}convention: gpt2
vocabulary: A B
train: {{optimizer: adam}}
runs:
  other: {{convention: {{norm_place: post}}, vocabulary: {{special: [<unk>]}}, train: {{optimizer: {{beta1: 0.5}}}}}}
  bert: {{convention: bert}}"""
    runs = read_scenario(text).runs
    assert runs["other"].convention == ConventionPlan("gpt2", {"norm_place": "post"})
    assert runs["other"].vocabulary == VocabularyPlan(("A", "B"), special=("<unk>",))
    assert runs["other"].train.optimizer == OptimizerPlan("adam", {"beta1": 0.5})
    assert runs["bert"].convention == ConventionPlan("bert")


def test_a_run_may_exchange_the_model_for_lines():
    text = SMALL + "runs: {by-hand: {model: null, given: {X: 1 2}, calculate: [y = softmax(X)]}}"
    run = read_scenario(text).runs["by-hand"]
    assert (run.model, run.calculate[0].name) == (None, "y")


def test_lines_are_known_after_reading():
    file = read_scenario(WHOLE, "example.yaml")
    assert file.location("default", "model", "heads").line == 6
    assert file.location("default", "parameters", "W_vocab").line == 11
    assert file.location("default", "parameters", "values", "W_vocab").line == 11
    assert file.location("default", "data", 1, "target").line == 17
    assert file.location("default", "data", 0).line == 15
    assert file.location("default", "train", "batch").line == 18
    assert file.location("default", "backward").line == 1
    assert file.location("masked", "model", "mask").line == 29
    assert file.location("masked", "model", "width").line == 6
    assert file.location("adam", "train", "optimizer", "beta1").line == 33
    assert str(file.location("masked", "model", "mask")) == "example.yaml, line 29, runs.masked.model.mask"
    assert str(file.location("default", "data", 1, "target")) == "example.yaml, line 17, data[1].target"
    assert read_scenario(CALCULATED).location("default", "calculate", 1).line == 10


@pytest.mark.parametrize(
    ("runs", "key", "where"),
    [
        ("runs:\n  masked:\n    model: {maks: causal}", "There is no key '", "line 5, runs.masked.model.maks"),
        ("runs:\n  a: {model: {mask: casual}}", "' is not one of the choices.", "line 4, runs.a.model.mask"),
        ("runs:\n  a:\n    model: {width: null}", "' is missing.", "line 5, runs.a.model"),
        ("runs:\n  a:\n    model: null", "There is nothing to compute.", "line 5, runs.a"),
        ("runs:\n  a: {trian: null}", "' to remove.", "line 4, runs.a.trian"),
        ("runs:\n  a: {model: {heads: null}}", "' to remove.", "line 4, runs.a.model.heads"),
        ("runs:\n  default: {}", "The run default is the file without its runs.", "line 4, runs.default"),
        ("runs:\n  two words: {}", "' cannot be the name of a run.", "line 4, runs.two words"),
        ("runs:\n  1: {}", "' cannot be the name of a run.", "line 4, runs.1"),
        ("runs:\n  a.b: {}", "' cannot be the name of a run.", "line 4, runs.a.b"),
        ("runs:\n  a:", "is not a run.", "line 4, runs.a"),
        ("runs:\n  a: [1]", "is not a run.", "line 4, runs.a"),
        ("runs: [a, b]", "is not a run.", "line 3, runs"),
        ("runs:\n  a: {runs: {b: {}}}", "A run cannot have runs of its own.", "line 4, runs.a.runs"),
        (
            "runs:\n  a: {calculate: [y = relu(X)]}",
            "There is a model, and there are lines to calculate.",
            "line 4, runs.a.calculate",
        ),
        (
            "runs: {" + ", ".join(f"r{n}: {{}}" for n in range(MAX_RUNS + 1)) + "}",
            "There are",
            "line 3, runs",
        ),
        (
            f"given: {{M: [{', '.join(['1'] * 6000)}]}}\nruns: {{" + ", ".join(f"r{n}: {{}}" for n in range(90)) + "}",
            "values, because each repeats those of the file.",
            "line 4, runs",
        ),
        ("run: {a: {}}", "There is no key '", "line 3, run"),
    ],
)
def test_what_is_wrong_in_a_run_points_to_its_line(runs, key, where):
    assert key in refused(SMALL + runs, where).what


# -- what is refused ----------------------------------------------------------------------------

UNFIT = [
    ("titel: x", "There is no key '", "line 3, titel", "title"),
    ("train: {step: 3}", "There is no key '", "line 3, train.step", "steps"),
    (
        "runs: {a: {model: {norm_place: post}}}",
        "There is no key '",
        "line 3, runs.a.model.norm_place",
        "convention: {norm_place",
    ),
    ("train:\n  optimizer: {name: adam}\n  rat: 1", "There is no key '", "line 5, train.rat", "rate"),
    ("data: [{inputs: [1]}]", "There is no key '", "line 3, data[0].inputs", "input"),
    ("data: [{target: 1}]", "' is missing.", "line 3, data[0]", "input"),
    ("vocabulary: {special: [a]}", "' is missing.", "line 3, vocabulary", "tokens"),
    ("vocabulary: [A, B]\nvocabulary: [C]", "' is already on line", "line 4", "line 3"),
    ("title: 7", "does not fit here.", "line 3, title", "a word or a text"),
    ("title: [a]", "does not fit here.", "line 3, title", "A list"),
    ("aliases: [a]", "does not fit here.", "line 3, aliases", "a mapping"),
    ("aliases: {W: 1}", "does not fit here.", "line 3, aliases.W", "a word"),
    ("train: 7", "does not fit here.", "line 3, train", "optimizer"),
    ("train: {learning_rate: fast}", "does not fit here.", "line 3, train.learning_rate", "a number"),
    ("train: {learning_rate: true}", "does not fit here.", "line 3, train.learning_rate", "a number"),
    ("train: {learning_rate: .nan}", "is not a finite number.", "line 3, train.learning_rate", "nan"),
    ("train: {learning_rate: .inf}", "is not a finite number.", "line 3, train.learning_rate", "inf"),
    ("train: {learning_rate: 1e999}", "is not a finite number.", "line 3, train.learning_rate", "inf"),
    ("train: {learning_rate: -0.1}", "is out of range.", "line 3, train.learning_rate", "from 0"),
    ("train: {steps: 2.0}", "does not fit here.", "line 3, train.steps", "a whole number"),
    ("train: {steps: true}", "does not fit here.", "line 3, train.steps", "a whole number"),
    ("train: {steps: 0}", "is out of range.", "line 3, train.steps", "from 1"),
    ("train: {steps: 100000000000000000000}", "is out of range.", "line 3, train.steps", "1,000,001"),
    ("train: {steps: 3, keep: [1, 4]}", "cannot be kept: there are", "line 3, train.keep", "from 1 to 3"),
    ("train: {keep: [1, x]}", "does not fit here.", "line 3, train.keep[1]", "a whole number"),
    ("train: {average: tokns}", "' is not one of the choices.", "line 3, train.average", "tokens"),
    ("train: {optimizer: adem}", "' is not one of the choices.", "line 3, train.optimizer.name", "adam"),
    ("train: {optimizer: {name: adam, bta1: 0.9}}", "has no setting '", "line 3, train.optimizer.bta1", "beta1"),
    ("train: {optimizer: {name: sgd, rate: 0.9}}", "has no setting '", "line 3, train.optimizer.rate", "under train"),
    ("train: {optimizer: {name: adam, beta1: x}}", "does not fit here.", "line 3, train.optimizer.beta1", "a number"),
    ("train: {trainable: [1]}", "does not fit here.", "line 3, train.trainable[0]", "a word"),
    ("train: {trainable: 1}", "does not fit here.", "line 3, train.trainable", "all"),
    ("convention: sead", "There is no convention '", "line 3, convention.profile", "seed"),
    ("convention: 7", "does not fit here.", "line 3, convention.profile", "a word"),
    (
        "convention:\n  profile: seed\n  norm_plce: pre",
        "There is no key '",
        "line 5, convention.norm_plce",
        "norm_place",
    ),
    ("convention: {self: 1}", "There is no key '", "line 3, convention.self", ""),
    ("convention: {norm_place: before}", "of a convention cannot be", "line 3, convention.norm_place", "pre, post"),
    ("convention: {norm_place: [pre]}", "of a convention cannot be", "line 3, convention.norm_place", "pre, post"),
    ("convention: {norm_correction: true}", "of a convention cannot be", "line 3, convention.norm_correction", "0, 1"),
    ("precision: float16", "precision", "line 3, precision", "float32"),
    (f"precision: calculator {'9' * 5000} significant", "precision", "line 3, precision", "float32"),
    ("precision: calculator 99 significant", "A calculator with", "line 3, precision", "12"),
    ("vocabulary: [A, A]", "is given twice.", "line 3, vocabulary", "A"),
    (
        "vocabulary: {characters: abc, tokens: [a]}",
        "The vocabulary has both characters and",
        "line 3, vocabulary.tokens",
        "",
    ),
    (
        "vocabulary: {characters: abc, unit: word}",
        "The vocabulary has both characters and",
        "line 3, vocabulary.unit",
        "",
    ),
    ("vocabulary: [[A], B]", "does not fit here.", "line 3, vocabulary.tokens[0]", "a word"),
    ("parameters: {W: [[1, 2], [3]]}", "The rows are not equally long:", "line 3, parameters.W[1]", "[1]"),
    ("parameters:\n  W:\n  - [1, 2]\n  - [3, x]", "is not a number.", "line 6, parameters.W[1][1]", "x"),
    ("parameters: {W: [[1, .nan]]}", "is not a finite number, or too large.", "line 3, parameters.W[0][1]", "nan"),
    ("parameters: {W: [true]}", "is not a number.", "line 3, parameters.W[0]", "True"),
    ("parameters: {W: []}", "There are no numbers here.", "line 3, parameters.W", "at least one"),
    ("parameters: {W: {a: 1}}", "is not a number.", "line 3, parameters.W", ""),
    ("parameters: {W: 1 2; 3}", "The rows are not equally long:", "line 3, parameters.W", "[1]"),
    ('parameters: {W: "1,5 2,5"}', "' has commas and spaces between its numbers.", "line 3, parameters.W", "point"),
    ("parameters: {W: 0.1 J}", "is not a number.", "line 3, parameters.W", "J"),
    ("parameters: {W: 1/0}", "is not a number.", "line 3, parameters.W", "1/0"),
    ("parameters: {W: 1e999 I}", "is not a number.", "line 3, parameters.W", "I"),
    ("parameters: {seed: 1.5}", "does not fit here.", "line 3, parameters.seed", "a whole number"),
    ("parameters: {draw: tens}", "' is not one of the choices.", "line 3, parameters.draw", "tenths"),
    (
        "given: {X: {value: [1], axes: token model}}",
        "needs one word for each axis (",
        "line 3, given.X.axes",
        "token model",
    ),
    (
        "given: {X: {value: [[1]], axes: token token}}",
        "' would name two axes of one tensor.",
        "line 3, given.X.axes",
        "token",
    ),
    ("given: {X: {axes: token}}", "' is missing.", "line 3, given.X", "value"),
    ("given: {X: {ids: [1], value: [2]}}", "There is no key '", "line 3, given.X.ids", "axes"),
    ("given: {X: {ids: [1, 1.5]}}", "is not a whole number.", "line 3, given.X", "1.5"),
    (
        "data: [{input: A B}]",
        "' cannot be turned into token ids: there is no vocabulary.",
        "line 3, data[0].input",
        "vocabulary",
    ),
    (
        "data: [{input: [0]}, {input: [0, B]}]",
        "' cannot be turned into token ids: there is no vocabulary.",
        "line 3, data[1].input",
        "vocabulary",
    ),
    ("data: [{input: []}]", "There are no tokens here.", "line 3, data[0].input", "token"),
    ("data: [{input: [-1]}]", "is out of range.", "line 3, data[0].input[0]", "from 0"),
    ("data: [{input: 1.5}]", "does not fit here.", "line 3, data[0].input", "a list"),
    (
        "data: [{input: [0], decoder: [1]}]",
        "This model has no decoder that reads a second text.",
        "line 3, data[0].decoder",
        "encoder-decoder",
    ),
    ("data: [7]", "does not fit here.", "line 3, data[0]", "input"),
    ("backward: {cotangent: [1]}", "' is missing.", "line 3, backward", "of"),
    ("backward: {of: y, cotangent: [[1], 2]}", "The rows are not equally long:", "line 3, backward.cotangent[1]", ""),
    ("notation: {count_from: true}", "' is not one of the choices.", "line 3, notation.count_from", "0, 1"),
    ("notation: {count_from: 2}", "' is not one of the choices.", "line 3, notation.count_from", "0, 1"),
    ("calculate: [y = relu(X)]", "There is a model, and there are lines to calculate.", "line 3, calculate", "model"),
]


@pytest.mark.parametrize(("written", "key", "where", "says"), UNFIT, ids=[case[0][:40] for case in UNFIT])
def test_what_does_not_fit_is_refused_with_line_and_key(written, key, where, says):
    error = refused(SMALL + written, where)
    assert key in error.what
    assert says in str(error)


@pytest.mark.parametrize(
    ("text", "key", "where", "says"),
    [
        ("scenario: 1", "There is nothing to compute.", "line 1", "model:"),
        ("model: {kind: decoder, width: 2}", "' is missing.", "line 1", "scenario"),
        ("scenario: 2\nmodel: {kind: decoder, width: 2}", "' is not one of the choices.", "line 1, scenario", "1"),
        ("scenario: true\nmodel: {kind: decoder, width: 2}", "' is not one of the choices.", "line 1, scenario", "1"),
        (
            "scenario: 1\nmodel:\n  kind: decoder\n  width: 0",
            "is out of range.",
            "line 4, model.width",
            "from 1",
        ),
        (
            "scenario: 1\nmodel:\n  kind: dekoder\n  width: 1",
            "' is not one of the choices.",
            "line 3, model.kind",
            "decoder",
        ),
        ("scenario: 1\nmodel:\n  width: 1", "' is missing.", "line 2, model", "kind"),
        ("scenario: 1\nmodel: decoder", "does not fit here.", "line 2, model", "kind"),
        (
            "scenario: 1\nmodel:\n  kind: decoder\n  width: 2\n  hedas: 2",
            "There is no key '",
            "line 5, model.hedas",
            "heads",
        ),
        (
            "scenario: 1\nmodel: {kind: decoder, width: 2, final_norm: yes}",
            "does not fit here.",
            "line 2, model.final_norm",
            "true or false",
        ),
        (
            "scenario: 1\nmodel: {kind: decoder, width: 2, dropout: 1}",
            "is out of range.",
            "line 2, model.dropout",
            "including, 1",
        ),
        (LINES + "data: [{input: [1]}]", "Lines to calculate read no data.", "line 4, data", "given"),
        ("scenario: 1\ncalculate: {y: relu(X)}", "is not a line to calculate.", "line 2, calculate", "A mapping"),
        ("scenario: 1\ncalculate:\n- y: relu(X)", "is not a line to calculate.", "line 3, calculate[0]", "A mapping"),
        ("scenario: 1\ncalculate: []", "is not a line to calculate.", "line 2, calculate", "A list"),
        (
            "scenario: 1\ncalculate:\n- y = relu(X)\n- z = sotfmax(y)\ngiven: {X: 1}",
            "There is no op '",
            "line 4, calculate[1]",
            "softmax",
        ),
        (
            "scenario: 1\ngiven: {X: 1}\ncalculate: |\n  y = relu(X)\n\n  z = relu(",
            "This line stops too early.",
            "line 6, calculate",
            "relu(",
        ),
        (
            "scenario: 1\ngiven: {X: 1}\ncalculate: |\n  y = relu(X)\n  z = relu(x)",
            "' here: it is neither given nor computed above.",
            "line 5, calculate[1]",
            "X",
        ),
        (
            "scenario: 1\ngiven: {X: 1}\ncalculate: |\n  y = relu(X)\n  y = -X",
            "is already computed on line",
            "line 5, calculate[1]",
            "line 4",
        ),
        (
            "scenario: 1\ngiven:\n  X: zeros\ncalculate: [y = relu(X)]",
            "needs a shape, which nothing here determines.",
            "line 3, given.X",
            "shape",
        ),
        ("", "This file is empty.", None, "scenario: 1"),
    ],
)
def test_other_files_that_are_refused(text, key, where, says):
    error = refused(text, where)
    assert key in error.what
    assert says in str(error)


# -- the schema ---------------------------------------------------------------------------------


def data_of_json(text: str):
    """A file as an editor with a YAML 1.2 parser hands it to the schema."""
    return json.loads(json.dumps(data_of(read_yaml(text))))


@pytest.mark.parametrize("text", [WHOLE, CALCULATED, SMALL, LINES])
def test_scenarios_fit_the_schema(text):
    assert isinstance(read_scenario(text), ScenarioFile)
    SCHEMA.validate(data_of_json(text))


# What a schema cannot say: what depends on other keys, on names that are computed, or on the inside of a text.
BEYOND = {
    "cannot be kept: there are", "' cannot be turned into token ids: there is no vocabulary.", "' to remove.",
    "This model has no decoder that reads a second text.", "has no setting '", "' is already on line",
    "is not a finite number.", "The rows are not equally long:", "is not a number.",
    "is not a finite number, or too large.",
    "' has commas and spaces between its numbers.", "needs one word for each axis (",
    "' would name two axes of one tensor.", "precision", "A calculator with", "is given twice.",
    "There are no tokens here.",
}  # fmt: skip


WITHIN = [case for case in UNFIT if case[1] not in BEYOND and "2.0" not in case[0]]  # in JSON 2.0 is a whole number


@pytest.mark.parametrize("case", WITHIN, ids=lambda case: case[0][:40])
def test_the_schema_refuses_what_the_reader_refuses(case):
    assert not SCHEMA.is_valid(data_of_json(SMALL + case[0]))


def test_most_bad_files_are_refused_by_the_schema_too():
    assert len(WITHIN) > 30


@pytest.mark.parametrize(
    "written", ["modle: {mask: causal}", "model: {mask: casual}", "runs: {b: {}}", "train: {steps: 0}"]
)
def test_the_schema_knows_runs(written):
    assert not SCHEMA.is_valid(data_of_json(f"{SMALL}runs: {{a: {{{written}}}}}"))
    assert not SCHEMA.is_valid(data_of_json(f"{SMALL}runs: {{default: {{}}}}"))
    assert SCHEMA.is_valid(data_of_json(f"{SMALL}runs: {{a: {{model: {{mask: causal}}, train: null}}}}"))


# -- anything at all ----------------------------------------------------------------------------


def outcome(text: str | bytes) -> ScenarioFile | WorkingsError | None:
    """What a text gives: a file, or an error whose sentences can be said and that names the file."""
    try:
        return read_scenario(text, "example.yaml")
    except WorkingsError as error:
        return error if "example.yaml" in str(error) else None


LINES_OF_ALL = [*WHOLE.splitlines(), *CALCULATED.splitlines()]
KEYS = [*Plan.__dataclass_fields__, *ModelPlan.__dataclass_fields__, "runs", "characters", "ids", "axes", "beta1"]
SCALARS = some.one_of(
    some.none(), some.booleans(), some.integers(), some.floats(), some.text(max_size=8),
    some.sampled_from([*KEYS, "0.1 I", "A B", "y = relu(X)", "adam", "all", "decoder", "1 2; 3 4", "seed", "causal"]),
)  # fmt: skip
TREES = some.recursive(
    SCALARS,
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(some.text() | some.binary())
def test_any_text_is_a_plan_or_an_error(text):
    assert isinstance(outcome(text), ScenarioFile | WorkingsError)


@settings(max_examples=300, deadline=None)
@given(some.lists(some.sampled_from(LINES_OF_ALL), max_size=12).map("\n".join))
def test_any_shuffle_of_lines_is_a_plan_or_an_error(text):
    assert isinstance(outcome(text), ScenarioFile | WorkingsError)


@settings(max_examples=400, deadline=None)
@given(some.dictionaries(some.sampled_from(KEYS), TREES, max_size=4), some.sampled_from([WHOLE, CALCULATED, SMALL]))
def test_any_tree_is_a_plan_or_an_error(changes, text):
    tree = {**yaml.safe_load(text), **changes}
    assert isinstance(outcome(yaml.safe_dump(tree, allow_unicode=True)), ScenarioFile | WorkingsError)


@settings(max_examples=300, deadline=None)
@given(some.integers(0, len(WHOLE)), some.integers(0, 12), some.text(alphabet="ab:-[]{},#&*!|> \n1.", max_size=4))
def test_any_small_damage_is_a_plan_or_an_error(at, length, put):
    assert isinstance(outcome(WHOLE[:at] + put + WHOLE[at + length :]), ScenarioFile | WorkingsError)


def test_a_row_of_data_may_be_a_line_with_an_arrow():
    text = "scenario: 1\nvocabulary: A B C D\nmodel: {kind: decoder, width: 2}\ndata: [A B -> C, A A -> D]"
    assert read_scenario(text).runs["default"].data == (ExamplePlan("A B", "C"), ExamplePlan("A A", "D"))
    assert read_scenario(text.replace("[A B -> C, A A -> D]", "A B -> C")).runs["default"].data == (
        ExamplePlan("A B", "C"),
    )


@pytest.mark.parametrize(
    ("data", "train", "key"),
    [
        ("{task: copy}", "{loss: cross_entropy sum}", "train.loss"),
        ("A B -> C", "{accumulation_steps: 2}", "train.accumulation_steps"),
        ("A B -> C", "{average: sequences}", "train.average"),
    ],
)
def test_keys_that_would_do_nothing_with_this_data_are_refused(data, train, key):
    words = "" if "task" in data else "vocabulary: A B C\n"
    text = f"scenario: 1\n{words}model: {{kind: decoder, width: 2, head: all-tokens}}\ndata: {data}\ntrain: {train}"
    error = refused(text)
    assert "would do nothing." in error.what
    assert key in error.where
