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
from workings.engine.errors import ScenarioError, WorkingsError
from workings.engine.sentences import ENGLISH
from workings.models.reading.matrix_reading import ids_of, matrix_of
from workings.models.reading.plan import (
    ConventionPlan,
    ExamplePlan,
    GivenIds,
    GivenValue,
    ModelPlan,
    OptimiserPlan,
    ParametersPlan,
    Plan,
    VocabularyPlan,
)
from workings.models.reading.scenario_reading import MOST_RUNS, ScenarioFile, read_scenario
from workings.models.reading.yaml_reading import data_of, read_yaml
from workings.models.running.calculate import calculate

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
  optimiser: sgd
  rate: 0.1
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
      optimiser: {name: adam, beta1: 0.8}
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
    assert str(error)
    assert error.where == (f"example.yaml, {where}" if where is not None else error.where)
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
    assert (plan.train.optimiser, plan.train.keep, plan.train.trainable) == (OptimiserPlan("sgd"), (1, 400), "all")
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
        axes, where = " ".join(part.axes), file.place_of("default", "given", name)
        if isinstance(part, GivenIds):
            values[name] = workings.ids(ids_of(part.ids, where), axes, name=name)
        else:
            values[name] = workings.given(matrix_of(part.value, None, where), axes, name=name)
    found = calculate(plan.calculate, values, "example.yaml")
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
            "convention: {norm_correction: 1, tied_output: true}",
            "convention",
            ConventionPlan("seed", {"norm_correction": 1, "tied_output": True}),
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
        ("optimiser: adam", "optimiser", OptimiserPlan("adam")),
        (
            "optimiser: {name: adam, beta1: 0.9, epsilon: 1e-8}",
            "optimiser",
            OptimiserPlan("adam", {"beta1": 0.9, "epsilon": 1e-8}),
        ),
        ("trainable: W_Q", "trainable", ("W_Q",)),
        ("trainable: [W_Q, W_K]", "trainable", ("W_Q", "W_K")),
        ("keep: 3, steps: 3", "keep", (3,)),
        ("rate: 1", "rate", 1.0),
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
    assert runs["adam"].train.optimiser == OptimiserPlan("adam", {"beta1": 0.8})
    assert runs["adam"].train.keep == (3,)
    assert runs["default"].model.mask == "none"


def test_a_word_that_stands_for_a_mapping_stays_when_a_run_changes_another_key():
    text = f"""{SMALL}convention: gpt2
vocabulary: A B
train: {{optimiser: adam}}
runs:
  other: {{convention: {{norm_place: post}}, vocabulary: {{special: [<unk>]}}, train: {{optimiser: {{beta1: 0.5}}}}}}
  bert: {{convention: bert}}"""
    runs = read_scenario(text).runs
    assert runs["other"].convention == ConventionPlan("gpt2", {"norm_place": "post"})
    assert runs["other"].vocabulary == VocabularyPlan(("A", "B"), special=("<unk>",))
    assert runs["other"].train.optimiser == OptimiserPlan("adam", {"beta1": 0.5})
    assert runs["bert"].convention == ConventionPlan("bert")


def test_a_run_may_exchange_the_model_for_lines():
    text = SMALL + "runs: {by-hand: {model: null, given: {X: 1 2}, calculate: [y = softmax(X)]}}"
    run = read_scenario(text).runs["by-hand"]
    assert (run.model, run.calculate[0].name) == (None, "y")


def test_lines_are_known_after_reading():
    file = read_scenario(WHOLE, "example.yaml")
    assert file.line_of("default", "model", "heads") == 6
    assert file.line_of("default", "parameters", "W_vocab") == 11
    assert file.line_of("default", "parameters", "values", "W_vocab") == 11
    assert file.line_of("default", "data", 1, "target") == 17
    assert file.line_of("default", "data", 0) == 15
    assert file.line_of("default", "train", "batch") == 18
    assert file.line_of("default", "backward") == 1
    assert file.line_of("masked", "model", "mask") == 29
    assert file.line_of("masked", "model", "width") == 6
    assert file.line_of("adam", "train", "optimiser", "beta1") == 33
    assert file.place_of("masked", "model", "mask") == "example.yaml, line 29, runs.masked.model.mask"
    assert file.place_of("default", "data", 1, "target") == "example.yaml, line 17, data[1].target"
    assert read_scenario(CALCULATED).line_of("default", "calculate", 1) == 10


@pytest.mark.parametrize(
    ("runs", "key", "where"),
    [
        ("runs:\n  masked:\n    model: {maks: causal}", "scenario.unknown", "line 5, runs.masked.model.maks"),
        ("runs:\n  a: {model: {mask: casual}}", "scenario.choice", "line 4, runs.a.model.mask"),
        ("runs:\n  a:\n    model: {width: null}", "scenario.missing", "line 5, runs.a.model"),
        ("runs:\n  a:\n    model: null", "scenario.neither", "line 5, runs.a"),
        ("runs:\n  a: {trian: null}", "scenario.run.nothing", "line 4, runs.a.trian"),
        ("runs:\n  a: {model: {heads: null}}", "scenario.run.nothing", "line 4, runs.a.model.heads"),
        ("runs:\n  default: {}", "scenario.run.default", "line 4, runs.default"),
        ("runs:\n  two words: {}", "scenario.run.name", "line 4, runs.two words"),
        ("runs:\n  1: {}", "scenario.run.name", "line 4, runs.1"),
        ("runs:\n  a.b: {}", "scenario.run.name", "line 4, runs.a.b"),
        ("runs:\n  a:", "scenario.runs", "line 4, runs.a"),
        ("runs:\n  a: [1]", "scenario.runs", "line 4, runs.a"),
        ("runs: [a, b]", "scenario.runs", "line 3, runs"),
        ("runs:\n  a: {runs: {b: {}}}", "scenario.run.runs", "line 4, runs.a.runs"),
        ("runs:\n  a: {calculate: [y = relu(X)]}", "scenario.both", "line 4, runs.a.calculate"),
        (
            "runs: {" + ", ".join(f"r{n}: {{}}" for n in range(MOST_RUNS + 1)) + "}",
            "scenario.runs.many",
            "line 3, runs",
        ),
        (
            f"given: {{M: [{', '.join(['1'] * 6000)}]}}\nruns: {{" + ", ".join(f"r{n}: {{}}" for n in range(90)) + "}",
            "scenario.runs.values",
            "line 4, runs",
        ),
        ("run: {a: {}}", "scenario.unknown", "line 3, run"),
    ],
)
def test_what_is_wrong_in_a_run_points_to_its_line(runs, key, where):
    assert refused(SMALL + runs, where).key == key


# -- what is refused ----------------------------------------------------------------------------

UNFIT = [
    ("titel: x", "scenario.unknown", "line 3, titel", "title"),
    ("train: {step: 3}", "scenario.unknown", "line 3, train.step", "steps"),
    ("train:\n  optimiser: {name: adam}\n  rat: 1", "scenario.unknown", "line 5, train.rat", "rate"),
    ("data: [{inputs: [1]}]", "scenario.unknown", "line 3, data[0].inputs", "input"),
    ("data: [{target: 1}]", "scenario.missing", "line 3, data[0]", "input"),
    ("vocabulary: {special: [a]}", "scenario.missing", "line 3, vocabulary", "tokens"),
    ("vocabulary: [A, B]\nvocabulary: [C]", "yaml.twice", "line 4", "line 3"),
    ("title: 7", "scenario.type", "line 3, title", "a word or a text"),
    ("title: [a]", "scenario.type", "line 3, title", "A list"),
    ("aliases: [a]", "scenario.type", "line 3, aliases", "a mapping"),
    ("aliases: {W: 1}", "scenario.type", "line 3, aliases.W", "a word"),
    ("train: 7", "scenario.type", "line 3, train", "optimiser"),
    ("train: {rate: fast}", "scenario.type", "line 3, train.rate", "a number"),
    ("train: {rate: true}", "scenario.type", "line 3, train.rate", "a number"),
    ("train: {rate: .nan}", "scenario.finite", "line 3, train.rate", "nan"),
    ("train: {rate: .inf}", "scenario.finite", "line 3, train.rate", "inf"),
    ("train: {rate: 1e999}", "scenario.finite", "line 3, train.rate", "inf"),
    ("train: {rate: -0.1}", "scenario.range", "line 3, train.rate", "from 0"),
    ("train: {steps: 2.0}", "scenario.type", "line 3, train.steps", "a whole number"),
    ("train: {steps: true}", "scenario.type", "line 3, train.steps", "a whole number"),
    ("train: {steps: 0}", "scenario.range", "line 3, train.steps", "from 1"),
    ("train: {steps: 100000000000000000000}", "scenario.range", "line 3, train.steps", "1 000 001"),
    ("train: {steps: 3, keep: [1, 4]}", "scenario.keep", "line 3, train.keep", "from 1 to 3"),
    ("train: {keep: [1, x]}", "scenario.type", "line 3, train.keep[1]", "a whole number"),
    ("train: {batch: averge}", "scenario.choice", "line 3, train.batch", "average"),
    ("train: {optimiser: adem}", "scenario.choice", "line 3, train.optimiser.name", "adam"),
    ("train: {optimiser: {name: adam, bta1: 0.9}}", "scenario.optimiser", "line 3, train.optimiser.bta1", "beta1"),
    ("train: {optimiser: {name: sgd, rate: 0.9}}", "scenario.optimiser", "line 3, train.optimiser.rate", "under train"),
    ("train: {optimiser: {name: adam, beta1: x}}", "scenario.type", "line 3, train.optimiser.beta1", "a number"),
    ("train: {trainable: [1]}", "scenario.type", "line 3, train.trainable[0]", "a word"),
    ("train: {trainable: 1}", "scenario.type", "line 3, train.trainable", "all"),
    ("convention: sead", "convention.profile", "line 3, convention.profile", "seed"),
    ("convention: 7", "scenario.type", "line 3, convention.profile", "a word"),
    (
        "convention:\n  profile: seed\n  norm_plce: pre",
        "convention.field",
        "line 5, convention.norm_plce",
        "norm_place",
    ),
    ("convention: {self: 1}", "convention.field", "line 3, convention.self", ""),
    ("convention: {norm_place: before}", "convention.choice", "line 3, convention.norm_place", "pre, post"),
    ("convention: {norm_place: [pre]}", "convention.choice", "line 3, convention.norm_place", "pre, post"),
    ("convention: {norm_correction: true}", "convention.choice", "line 3, convention.norm_correction", "0, 1"),
    ("precision: float16", "precision", "line 3, precision", "float32"),
    (f"precision: calculator {'9' * 5000} significant", "precision", "line 3, precision", "float32"),
    ("precision: calculator 99 significant", "precision.digits", "line 3, precision", "12"),
    ("vocabulary: [A, A]", "vocabulary.twice", "line 3, vocabulary", "A"),
    ("vocabulary: {characters: abc, tokens: [a]}", "scenario.vocabulary", "line 3, vocabulary.tokens", ""),
    ("vocabulary: {characters: abc, unit: word}", "scenario.vocabulary", "line 3, vocabulary.unit", ""),
    ("vocabulary: [[A], B]", "scenario.type", "line 3, vocabulary.tokens[0]", "a word"),
    ("parameters: {W: [[1, 2], [3]]}", "matrix.ragged", "line 3, parameters.W[1]", "[1]"),
    ("parameters:\n  W:\n  - [1, 2]\n  - [3, x]", "matrix.entry", "line 6, parameters.W[1][1]", "x"),
    ("parameters: {W: [[1, .nan]]}", "matrix.finite", "line 3, parameters.W[0][1]", "nan"),
    ("parameters: {W: [true]}", "matrix.entry", "line 3, parameters.W[0]", "True"),
    ("parameters: {W: []}", "matrix.empty", "line 3, parameters.W", "at least one"),
    ("parameters: {W: {a: 1}}", "matrix.entry", "line 3, parameters.W", ""),
    ("parameters: {W: 1 2; 3}", "matrix.ragged", "line 3, parameters.W", "[1]"),
    ('parameters: {W: "1,5 2,5"}', "matrix.comma", "line 3, parameters.W", "point"),
    ("parameters: {W: 0.1 J}", "matrix.entry", "line 3, parameters.W", "J"),
    ("parameters: {W: 1/0}", "matrix.entry", "line 3, parameters.W", "1/0"),
    ("parameters: {W: 1e999 I}", "matrix.entry", "line 3, parameters.W", "I"),
    ("parameters: {seed: 1.5}", "scenario.type", "line 3, parameters.seed", "a whole number"),
    ("parameters: {draw: tens}", "scenario.choice", "line 3, parameters.draw", "tenths"),
    ("given: {X: {value: [1], axes: token model}}", "shape.words", "line 3, given.X.axes", "token model"),
    ("given: {X: {value: [[1]], axes: token token}}", "axis.twice", "line 3, given.X.axes", "token"),
    ("given: {X: {axes: token}}", "scenario.missing", "line 3, given.X", "value"),
    ("given: {X: {ids: [1], value: [2]}}", "scenario.unknown", "line 3, given.X.ids", "axes"),
    ("given: {X: {ids: [1, 1.5]}}", "matrix.whole", "line 3, given.X", "1.5"),
    ("data: [{input: A B}]", "scenario.tokens", "line 3, data[0].input", "vocabulary"),
    ("data: [{input: [0]}, {input: [0, B]}]", "scenario.tokens", "line 3, data[1].input", "vocabulary"),
    ("data: [{input: []}]", "scenario.input", "line 3, data[0].input", "token"),
    ("data: [{input: [-1]}]", "scenario.range", "line 3, data[0].input[0]", "from 0"),
    ("data: [{input: 1.5}]", "scenario.type", "line 3, data[0].input", "a list"),
    ("data: [{input: [0], decoder: [1]}]", "scenario.decoder", "line 3, data[0].decoder", "encoder-decoder"),
    ("data: [7]", "scenario.type", "line 3, data[0]", "input"),
    ("backward: {cotangent: [1]}", "scenario.missing", "line 3, backward", "of"),
    ("backward: {of: y, cotangent: [[1], 2]}", "matrix.ragged", "line 3, backward.cotangent[1]", ""),
    ("notation: {count_from: true}", "scenario.choice", "line 3, notation.count_from", "0, 1"),
    ("notation: {count_from: 2}", "scenario.choice", "line 3, notation.count_from", "0, 1"),
    ("calculate: [y = relu(X)]", "scenario.both", "line 3, calculate", "model"),
]


@pytest.mark.parametrize(("written", "key", "where", "says"), UNFIT, ids=[case[0][:40] for case in UNFIT])
def test_what_does_not_fit_is_refused_with_line_and_key(written, key, where, says):
    error = refused(SMALL + written, where)
    assert error.key == key
    assert says in str(error)


@pytest.mark.parametrize(
    ("text", "key", "where", "says"),
    [
        ("scenario: 1", "scenario.neither", "line 1", "model:"),
        ("model: {kind: decoder, width: 2}", "scenario.missing", "line 1", "scenario"),
        ("scenario: 2\nmodel: {kind: decoder, width: 2}", "scenario.choice", "line 1, scenario", "1"),
        ("scenario: true\nmodel: {kind: decoder, width: 2}", "scenario.choice", "line 1, scenario", "1"),
        ("scenario: 1\nmodel:\n  kind: decoder\n  width: 0", "scenario.range", "line 4, model.width", "from 1"),
        ("scenario: 1\nmodel:\n  kind: dekoder\n  width: 1", "scenario.choice", "line 3, model.kind", "decoder"),
        ("scenario: 1\nmodel:\n  width: 1", "scenario.missing", "line 2, model", "kind"),
        ("scenario: 1\nmodel: decoder", "scenario.type", "line 2, model", "kind"),
        (
            "scenario: 1\nmodel:\n  kind: decoder\n  width: 2\n  hedas: 2",
            "scenario.unknown",
            "line 5, model.hedas",
            "heads",
        ),
        (
            "scenario: 1\nmodel: {kind: decoder, width: 2, final_norm: yes}",
            "scenario.type",
            "line 2, model.final_norm",
            "true or false",
        ),
        (
            "scenario: 1\nmodel: {kind: decoder, width: 2, dropout: 1}",
            "scenario.range",
            "line 2, model.dropout",
            "including, 1",
        ),
        (LINES + "data: [{input: [1]}]", "scenario.data", "line 4, data", "given"),
        ("scenario: 1\ncalculate: {y: relu(X)}", "scenario.line", "line 2, calculate", "A mapping"),
        ("scenario: 1\ncalculate:\n- y: relu(X)", "scenario.line", "line 3, calculate[0]", "A mapping"),
        ("scenario: 1\ncalculate: []", "scenario.line", "line 2, calculate", "A list"),
        (
            "scenario: 1\ncalculate:\n- y = relu(X)\n- z = sotfmax(y)\ngiven: {X: 1}",
            "op.unknown",
            "line 4, calculate[1]",
            "softmax",
        ),
        (
            "scenario: 1\ngiven: {X: 1}\ncalculate: |\n  y = relu(X)\n\n  z = relu(",
            "calculate.end",
            "line 6, calculate",
            "relu(",
        ),
        (
            "scenario: 1\ngiven: {X: 1}\ncalculate: |\n  y = relu(X)\n  z = relu(x)",
            "calculate.unknown",
            "line 5, z = relu(x)",
            "X",
        ),
        (
            "scenario: 1\ngiven: {X: 1}\ncalculate: |\n  y = relu(X)\n  y = -X",
            "calculate.twice",
            "line 5, y = -X",
            "line 4",
        ),
        ("scenario: 1\ngiven:\n  X: zeros\ncalculate: [y = relu(X)]", "matrix.words", "line 3, given.X", "shape"),
        ("", "yaml.empty", None, "scenario: 1"),
    ],
)
def test_other_files_that_are_refused(text, key, where, says):
    error = refused(text, where)
    assert error.key == key
    assert says in str(error)


def test_every_sentence_of_these_errors_says_what_to_try():
    mine = [
        key
        for key in ENGLISH
        if key.startswith(("error.scenario.", "error.matrix.", "error.yaml.", "error.calculate."))
    ]
    assert len(mine) > 100
    assert [key for key in mine if not key.endswith(".try") and f"{key}.try" not in ENGLISH] == []


# -- matrices -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "shape", "expected"),
    [
        ([[2, 1.5], [1, 0]], None, [[2, 1.5], [1, 0]]),
        (((2, 1.5), (1, 0)), (2, 2), [[2, 1.5], [1, 0]]),
        ("2 1.5; 1 0", (2, 2), [[2, 1.5], [1, 0]]),
        ("2 1.5\n1 0\n", (2, 2), [[2, 1.5], [1, 0]]),
        ("2, 1.5; 1, -1/4", (2, 2), [[2, 1.5], [1, -0.25]]),
        (["2 1.5", "1 0"], (2, 2), [[2, 1.5], [1, 0]]),
        (["1/3", 1], (2,), [1 / 3, 1]),
        ("1 2 3", (3,), [1, 2, 3]),
        ("1 2 3;", (1, 3), [[1, 2, 3]]),
        ("0.5", (), 0.5),
        (3, (), 3),
        ("0.1 I", (2, 2), [[0.1, 0], [0, 0.1]]),
        ("I", (2, 2), [[1, 0], [0, 1]]),
        ("-I", (2, 2), [[-1, 0], [0, -1]]),
        ("1/2 * I", (2, 2), [[0.5, 0], [0, 0.5]]),
        ("zeros", (1, 2), [[0, 0]]),
        ("ones", (2,), [1, 1]),
        ("-0.5 ones", (2,), [-0.5, -0.5]),
        ([[[1], [2]]], (1, 2, 1), [[[1], [2]]]),
    ],
)
def test_matrices_as_people_write_them(value, shape, expected):
    found = matrix_of(value, shape, "")
    assert found.dtype == numpy.float64
    numpy.testing.assert_array_equal(found, expected)
    assert found.shape == numpy.shape(expected)


@pytest.mark.parametrize(
    ("value", "shape", "says"),
    [
        ([[1, 2], [3, 4]], (2, 3), "needed 2 × 3, given 2 × 2"),
        (1, (2, 2), "needed 2 × 2, given one number"),
        ("1 2", (), "needed one number, given 2"),
        ("I", (2, 3), "2 × 3 is needed"),
        ("I", (2,), "2 is needed"),
        ("ones", None, "ones needs a shape"),
        ("", None, "nothing is not a number"),
        ("1;;2", None, "nothing is not a number"),
        ("- + I", (2, 2), "not a number"),
        ("--2 I", (2, 2), "not a number"),
        ("inf", None, "inf is not a number"),
        ([None], None, "None is not a number"),
        (float("nan"), None, "not a finite number"),
        (10**400, None, "not a finite number"),
        ("1e-999999999/3 x", None, "not a number"),
        ([1, [2]], None, "[1] has 1, the first has one number"),
        ([[], []], None, "no numbers"),
    ],
)
def test_what_is_no_matrix(value, shape, says):
    with pytest.raises(ScenarioError) as raised:
        matrix_of(value, shape, "example.yaml, line 7, given.X")
    assert says in str(raised.value)
    assert raised.value.where == "example.yaml, line 7, given.X"


def test_labels_are_whole_numbers():
    assert ids_of([2, 0], "").dtype == numpy.int64
    assert ids_of("2; 0", "").tolist() == [[2], [0]]
    assert ids_of(3, "").shape == ()
    with pytest.raises(ScenarioError, match=r"1\.5 is not a whole number"):
        ids_of([1, 1.5], "")
    with pytest.raises(ScenarioError, match="is not a whole number"):
        ids_of(2**60, "")


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
    "scenario.keep", "scenario.tokens", "scenario.decoder", "scenario.run.nothing", "scenario.optimiser", "yaml.twice",
    "scenario.finite", "matrix.ragged", "matrix.entry", "matrix.comma", "matrix.finite", "shape.words", "axis.twice",
    "precision", "precision.digits", "vocabulary.twice", "scenario.input",
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
        ("{task: copy}", "{batch: one-by-one}", "train.batch"),
        ("{task: copy}", "{loss: cross_entropy sum}", "train.loss"),
        ("A B -> C", "{size: 4}", "train.size"),
        ("A B -> C", "{parts: 2}", "train.parts"),
        ("A B -> C", "{average: sequences}", "train.average"),
    ],
)
def test_keys_that_would_do_nothing_with_this_data_are_refused(data, train, key):
    words = "" if "task" in data else "vocabulary: A B C\n"
    text = f"scenario: 1\n{words}model: {{kind: decoder, width: 2, head: all-tokens}}\ndata: {data}\ntrain: {train}"
    error = refused(text)
    assert error.key == "scenario.idle"
    assert key in error.where
