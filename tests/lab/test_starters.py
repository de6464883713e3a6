"""Scenarios for somebody's own words and matrices: they run, and what is hostile stays text."""

from __future__ import annotations

import numpy
import pytest

from workings.engine.errors import WorkingsError
from workings.explain.trace import Trace
from workings.lab.answers.trace import ScenarioText
from workings.lab.traces.starters import MAX_WORD_CHARS, MAX_WORDS, from_matrices, from_sentence
from workings.scenarios.reading.scenario_file import read_scenario
from workings.scenarios.scenario import Scenario

HOSTILE = [
    "<img src=x onerror=alert(1)> sat",
    "\"quotes\" 'and' `ticks`",
    "a: b {c: d} [e, f] - g # h",
    "null true ~ 1 1e5 no .inf",
    "!!python/object:os.system &anchor *anchor <<: % @",
    "back\\slash \\n \\u0041 {0} {words} %s",
    "👩\u200d👩\u200d👧 eats 🍕",
    "<unk> <pad> <s> [PAD] [MASK]",
    "e\u0301 é z",
    "the\ncat\tsat\u2028down\x85",
    "شبكة عصبية متكررة",
]
QKV = {"Q": "1 0; 0 1; 1 1", "K": "1 2; 0 1; 2 0", "V": "1 2; 3 4; 0 1"}
XW = {"X": "1 0.5; -0.3 2", "W_Q": "1 0; 0 1", "W_K": "0.2 1; 1 0", "W_V": "1 1; 0 2"}


def opened(made: ScenarioText) -> Scenario:
    return Scenario(made.name, read_scenario(made.text, made.name), made.text)


def traced(made: ScenarioText) -> Trace:
    return opened(made).trace()


# -- sentences -----------------------------------------------------------------------------------------


def test_the_last_word_is_what_should_be_guessed() -> None:
    scenario = opened(from_sentence("the cat sat on the mat"))
    trace = scenario.trace()
    labels = trace.labels.axes
    assert labels["query"] == ("the", "cat", "sat", "on", "the")
    assert labels["vocab"] == ("the", "cat", "sat", "on", "mat")
    assert labels["vocab"][int(trace["target"].value)] == "mat"
    assert numpy.isfinite(trace["loss"].value)
    assert trace["dW_Q"].value.any()
    assert trace["W_Q_new"].shape == (4, 4)


def test_its_numbers_are_tenths_and_the_same_every_time() -> None:
    trace, again = (traced(from_sentence("the cat sat")) for _ in range(2))
    leaves = [leaf for leaf in trace.recording.leaves() if leaf.leaf == "parameter" and leaf.stage == "forward"]
    assert leaves
    for leaf in leaves:
        tenths = numpy.asarray(leaf.tensor.array) * 10
        assert numpy.allclose(tenths, tenths.round())
        assert numpy.array_equal(leaf.tensor.array, again[leaf.path].value)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_words_stay_words(text: str) -> None:
    scenario = opened(from_sentence(text))
    labels = scenario.trace().labels.axes
    words = [word.replace("e\u0301", "é") for word in text.split()]
    assert labels["query"] == tuple(words[:-1])
    assert set(labels["vocab"]) == set(words)


def test_what_nobody_sees_is_left_out() -> None:
    made = from_sentence("the\x00 \x1b[31mcat\u202e \u200b \u200d \ud800 sat\ufeff")
    assert 'vocabulary: "the [31mcat sat"' in made.text
    assert numpy.isfinite(traced(made)["loss"].value)


def test_as_many_words_as_there_may_be_still_run() -> None:
    trace = traced(from_sentence(" ".join(f"word{number}" for number in range(MAX_WORDS))))
    assert trace["weights"].shape == (2, MAX_WORDS - 1, MAX_WORDS - 1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "different words, and it takes two: one to read and one to"),
        ("\u200b\x00", "different words, and it takes two: one to read and one to"),
        ("alone", "different words, and it takes two: one to read and one to"),
        ("the the the", "different words, and it takes two: one to read and one to"),
        ("word " * 100 + "end", "words, and a page that you can follow has at most"),
        ("a " + "b" * (MAX_WORD_CHARS + 1), "characters; at most"),
        ("a b " * 10_000, "characters, and a sentence has at most"),
    ],
)
def test_what_is_no_sentence_is_refused_with_what_to_try(text: str, said: str) -> None:
    with pytest.raises(WorkingsError) as refused:
        from_sentence(text)
    assert said in refused.value.what
    assert refused.value.hint


# -- matrices ------------------------------------------------------------------------------------------


def attention(Q: numpy.ndarray, K: numpy.ndarray, V: numpy.ndarray, causal: bool = False) -> numpy.ndarray:
    scaled = Q @ K.T / numpy.sqrt(Q.shape[1])
    if causal:
        scaled = numpy.where(numpy.tril(numpy.ones(scaled.shape)) > 0, scaled, -numpy.inf)
    powers = numpy.exp(scaled)
    return powers / powers.sum(axis=1, keepdims=True) @ V


def array(text: str) -> numpy.ndarray:
    return numpy.array([[float(entry) for entry in row.split()] for row in text.split(";")])


@pytest.mark.parametrize("mask", ["", "none", "causal"])
def test_attention_on_queries_keys_and_values(mask: str) -> None:
    trace = traced(from_matrices(QKV, mask))
    Q, K, V = (array(QKV[name]) for name in "QKV")
    assert numpy.allclose(trace["context"].value, attention(Q, K, V, mask == "causal"))
    assert trace["weights"].axes == ("query", "key")


def test_attention_on_inputs_and_weights_with_two_heads() -> None:
    trace = traced(from_matrices({**XW, "W_O": "1 2 3; 0 1 0"}, heads=2))
    X = array(XW["X"])
    Q, K, V = (X @ array(XW[f"W_{letter}"]) for letter in "QKV")
    heads = [attention(*(part[:, head : head + 1] for part in (Q, K, V))) for head in range(2)]
    expected = numpy.concatenate(heads, axis=1) @ array("1 2 3; 0 1 0")
    assert numpy.allclose(trace["attended"].value, expected)


def test_a_cotangent_adds_the_way_back() -> None:
    trace = traced(from_matrices({**XW, "cotangent": "1 0; 0 -1"}))
    assert trace["dW_V"].shape == (2, 2)
    step = 1e-6
    moved = {**XW, "W_V": f"{1 + step!r} 1; 0 2"}
    (before, after) = (float((traced(from_matrices(given))["context"].value * [[1, 0], [0, -1]]).sum())
                       for given in (XW, moved))  # fmt: skip
    assert float(trace["dW_V"].value[0, 0]) == pytest.approx((after - before) / step, rel=1e-4)


def test_a_convention_may_divide_by_the_width_of_the_model() -> None:
    for convention, root in (("", 1.0), ("paper", 1.0), ("attention_scale=model", 2.0**0.5)):
        trace = traced(from_matrices(XW, heads=2, convention=convention))
        assert numpy.allclose(trace["scores"].value, root * trace["scaled"].value)


@pytest.mark.parametrize(
    "text",
    ["[[1, 0.5], [0, 0.25]]", "1 1/2; 0 1/4", "1,0.5\n0,0.25", r"\begin{bmatrix} 1 & 0.5 \\ 0 & 25\% \end{bmatrix}",
     "tensor([[1.0000, 0.5000],\n        [0.0000, 0.2500]])", "| 1 | 0.5 |\n| 0 | 0.25 |", "[1 .5; 0 2.5e-1]"],
)  # fmt: skip
def test_matrices_may_be_written_in_many_ways(text: str) -> None:
    trace = traced(from_matrices({"Q": text, "K": "1 0; 0 1", "V": "1; 2"}))
    assert trace["Q"].value.tolist() == [[1.0, 0.5], [0.0, 0.25]]


@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        ({}, {}, "Some inputs are missing:"),
        ({"Q": "1 0", "K": " "}, {}, "Some inputs are missing:"),
        ({**QKV, "Z": "1"}, {}, "There is no input"),
        ({**XW, "Q": "1 0"}, {}, "follow from X and the weights, so they cannot be inputs too"),
        ({**QKV, "K": "1 2 3; 0 1 0; 2 0 0"}, {}, ", and"),
        ({**QKV, "V": "1 2"}, {}, ", and"),
        ({**XW, "W_K": "1 2; 3 4; 5 6"}, {}, ", and"),
        ({**XW, "W_O": "1 2 3"}, {}, ", and"),
        ({**QKV, "cotangent": "1 2"}, {}, ", and"),
        (QKV, {"heads": 3}, "cannot be split evenly among"),
        (QKV, {"heads": 0}, "cannot be split evenly among"),
        (QKV, {"mask": "padding"}, "is unknown."),
        ({**QKV, "Q": "1 0"}, {"mask": "causal"}, "A causal mask needs as many queries as keys:"),
        ({**QKV, "Q": "1 _; 0 1; 1 1"}, {}, "has an entry that is blank or not finite."),
        ({**QKV, "Q": "1 inf; 0 1; 1 1"}, {}, "has an entry that is blank or not finite."),
        ({**QKV, "Q": "[[[1, 0]], [[0, 1]]]"}, {}, "axes, and a matrix has two: rows and columns."),
        ({**QKV, "Q": " ".join(["1"] * 33)}, {}, "we compute at most 32 rows and columns."),
        ({**QKV, "Q": "1 " * 40_000}, {}, "characters, too many for one field."),
        ({**QKV, "Q": "1 0; zero 1"}, {}, "' is not a matrix of numbers:"),
        (QKV, {"convention": "nobody"}, "There is no convention '"),
        (QKV, {"convention": "nothing=model"}, "A convention has no choice '"),
        (QKV, {"convention": "attention_scale=}{"}, "of a convention cannot be"),
    ],
)
def test_what_does_not_fit_is_refused_with_what_to_try(
    given: dict[str, str], options: dict[str, object], said: str
) -> None:
    with pytest.raises(WorkingsError) as refused:
        from_matrices(given, **options)  # type: ignore[arg-type]
    assert said in refused.value.what
    assert refused.value.hint


def test_what_cannot_be_read_names_its_field_and_line() -> None:
    with pytest.raises(WorkingsError) as refused:
        from_matrices({**QKV, "K": "1 2\n0 one\n2 0"})
    assert refused.value.where == "K, line 2"
    with pytest.raises(WorkingsError) as refused:
        from_matrices({**QKV, "V": "1 2\n\n3 4 5\n0 1"})
    assert refused.value.where == "V, line 3"
