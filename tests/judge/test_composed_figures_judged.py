"""Figures that are composed by hand: every number of them is judged, and each one that is changed is noticed, in the
data, in the arithmetic, in the words, in the note and in the title.
"""

import copy
import json
import re
from functools import cache

import numpy
import pytest

import workings as w
from workings.document.blocks import Document
from workings.figures.attention import attention_of
from workings.figures.block import block_of
from workings.figures.mirror import mirror_of
from workings.figures.numbers import numbers_of
from workings.figures.path import path_of
from workings.figures.product import product_of
from workings.figures.temperature import temperature_of
from workings.figures.update import update_of

from .composed import FAULTS
from .numbers import judge_document, not_judged
from .runs import Runs
from .told import NUMBER

NOT_FOR_READERS = ("kind", "role", "look", "mistake")


def attention(trace, step, **options):
    return attention_of(trace[step], trace.labels(trace[step]), **options)


def product(trace, step, **options):
    return product_of(trace[step], trace.labels(trace[step]), **options)


def update(trace, step):
    return update_of(trace[step], trace.labels(trace[step]))


def temperature(trace, *steps):
    return temperature_of([trace[step] for step in steps], trace.labels(trace[steps[0]]))


def path(trace, *steps):
    return path_of([trace[step] for step in steps], trace.labels(trace[steps[-1]]))


def block(trace, under=""):
    return block_of(trace.recording, under)


def many_keys():
    """More keys than are drawn, more values, and two equal weights; more logits, and several rows of them."""
    numbers = numpy.random.default_rng(0)
    with w.Trace() as trace:
        Q, K, V = (w.given(numbers.standard_normal((12, 6)).round(1), "token head_size", name=name) for name in "QKV")
        trace.start_from(Q, K, V)
        scores = w.ops.matmul(Q.rename(token="query"), w.ops.transpose(K.rename(token="key")), name="scores")
        weights = w.ops.softmax(w.ops.scale(scores, factor=0.5, name="scaled"), axis="key", name="weights")
        w.ops.matmul(weights, V.rename(token="key"), name="context")
        w.ops.softmax(w.ops.divide_by(scores, divisor=4), axis="key", name="flat")
        w.ops.softmax(scores, axis="key", name="as_they_are")
        w.ops.softmax(w.ops.divide_by_root(scores, d=9), axis="key", name="rooted")
    return trace


def adam():
    with w.Trace() as trace:
        zeros = w.given([[0.0] * 7] * 6, "model hidden", name="zeros")
        weight = w.parameter(numpy.arange(42).reshape(6, 7) / 8, "model hidden", name="W")
        slope = w.given(numpy.random.default_rng(1).standard_normal((6, 7)), "model hidden", name="dW")
        w.ops.adam(weight, slope, zeros, zeros, t=1, rate=0.1)
    return trace


def of(name, run="default", **options):
    return lambda: w.scenario(name).trace(run, **options)


CALCULATOR = {"precision": "calculator 4 significant"}
FIGURES = {
    "attention": (of("cat-sat"), lambda trace: attention(trace, "weights", token="cat")),
    "attention, masked": (of("cat-sat", "masked"), lambda trace: attention(trace, "weights", token="cat")),
    "attention of a head": (of("block"), lambda trace: attention(trace, "head2.weights")),
    "attention at a head": (of("block"), lambda trace: attention(trace, "weights", at=(1,))),
    "attention without words": (many_keys, lambda trace: attention_of(trace["weights"], token="2")),
    "attention with a calculator": (of("example-1", **CALCULATOR), lambda trace: attention(trace, "weights")),
    "block": (of("block"), block),
    "block with its norms after": (of("block", "post-norm"), block),
    "block of separate heads": (of("block", "per-head"), block),
    "block without norms": (of("example-5"), block),
    "block of an encoder": (of("cat-sat-encoder"), lambda trace: block(trace, "block1")),
    "mirror": (of("example-3"), mirror_of),
    "mirror of a block": (of("block"), mirror_of),
    "mirror of heads": (of("hello-world"), mirror_of),
    "mirror of chosen steps": (of("block"), lambda trace: mirror_of(trace, ("X", "K_heads", "weights", "P", "loss"))),
    "numbers": (of("example-1"), numbers_of),
    "numbers of a module": (of("block"), lambda trace: numbers_of(trace, "block1.attention")),
    "numbers of large matrices": (of("cat-sat-encoder"), lambda trace: numbers_of(trace, "block1.attention")),
    "numbers of chosen steps": (of("block"), lambda trace: numbers_of(trace, names=("X", "hidden", "Q", "scores"))),
    "numbers with a calculator": (of("example-1", **CALCULATOR), numbers_of),
    "path": (of("cat-sat", "recurrent"), lambda trace: path(trace, "dh1", "dh2", "dh3", "dh4", "weights")),
    "path to the last keys": (of("cat-sat", "recurrent"), lambda trace: path(trace, "dh3", "dh4", "weights")),
    "product": (of("hello-world"), lambda trace: product(trace, "head1.Q", cell=(1, 0))),
    "product of a row": (of("example-1"), lambda trace: product(trace, "logits")),
    "product with a bias": (of("example-5"), lambda trace: product(trace, "hidden")),
    "product of packed heads": (of("block"), lambda trace: product(trace, "scores", at=(1,))),
    "product of a gradient": (of("example-3"), lambda trace: product(trace, "dW_Q")),
    "product of large matrices": (of("cat-sat-encoder"), lambda trace: product(trace, "attention.Q", cell=(1, 300))),
    "product without words": (many_keys, lambda trace: product_of(trace["scores"], cell=(9, 7))),
    "temperature": (of("cat-sat", "temperatures"), lambda trace: temperature(trace, "P_cold", "P", "P_hot")),
    "temperature of many": (
        many_keys, lambda trace: temperature(trace, "weights", "flat", "as_they_are", "rooted"),
    ),
    "update": (of("example-2", "after"), lambda trace: update(trace, "step1.W_vocab_new")),
    "update of one weight of several": (of("example-3", "after"), lambda trace: update(trace, "W_Q")),
    "update of a bias": (of("hello-world", "after"), lambda trace: update(trace, "step1.block1.feed_forward.b_1_new")),
    "update without a later pass": (of("example-2"), lambda trace: update(trace, "W_vocab")),
    "update by Adam": (adam, lambda trace: update(trace, "W")),
}  # fmt: skip
LARGE = ("block of an encoder", "numbers of large matrices", "product of large matrices")
CHANGED = [pytest.param(title, marks=pytest.mark.slow) if title in LARGE else title for title in FIGURES]


@cache
def judged(title):
    """The figure as it stands in JSON, and the runs that the judge computed."""
    run, figure = FIGURES[title]
    trace = run()
    data = trace.to_data("small", name="default", document=Document("", (figure(trace),)))
    runs = Runs(json.loads(json.dumps(data["runs"], allow_nan=False)), {"default": trace.values()})
    return json.dumps(data["document"], allow_nan=False), runs


def document(title):
    return json.loads(judged(title)[0])


def test_every_form_has_figures():
    assert {document(title)["blocks"][0]["form"] for title in FIGURES} == set(FAULTS)


@pytest.mark.parametrize("title", FIGURES)
def test_every_number_of_a_figure_is_what_the_judge_computes(title):
    assert judge_document(document(title), judged(title)[1]) == []
    assert not_judged(document(title), judged(title)[1]) == []


def changes(node, key=""):
    """Every number in a piece of data, however it is written: a function that changes it, and what changes it back."""
    if isinstance(node, dict | list):
        for place in list(node) if isinstance(node, dict) else range(len(node)):
            if place not in NOT_FOR_READERS:
                for other in others(node[place]):
                    yield node, place, other
                yield from changes(node[place], place)


def others(value):
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield value + (1 if isinstance(value, int) else 1e-3)
    elif isinstance(value, str):
        for digits in re.finditer(r"\d+", value):
            last = str((int(digits[0][-1]) + 1) % 10)
            yield value[: digits.end() - 1] + last + value[digits.end() :]


@pytest.mark.parametrize("title", CHANGED)
def test_any_changed_number_of_its_data_is_noticed(title):
    page, runs = document(title), judged(title)[1]
    found = list(changes(page["blocks"][0]["data"]))
    assert found
    for holder, place, other in found:
        before, holder[place] = holder[place], other
        assert judge_document(page, runs), (place, before, other, holder)
        holder[place] = before
    assert judge_document(page, runs) == []


@pytest.mark.parametrize("title", CHANGED)
@pytest.mark.parametrize("part", ["alternative", "note", "title"])
def test_any_changed_number_in_its_words_is_noticed(title, part):
    page, runs = document(title), judged(title)[1]
    right = page["blocks"][0][part]
    assert part != "alternative" or NUMBER.search(right)
    for number in NUMBER.finditer(right) if part == "title" else re.finditer(r"\d+", right):
        last = str((int(number[0][-1]) + 1) % 10)
        page["blocks"][0][part] = right[: number.end() - 1] + last + right[number.end() :]
        assert judge_document(page, runs), page["blocks"][0][part]


def test_number_that_is_told_besides_is_noticed():
    for title in FIGURES:
        for part in ("alternative", "note", "title"):
            page = document(title)
            page["blocks"][0][part] += " It is 7."
            assert judge_document(page, judged(title)[1]), (title, part)


def wrong(title, change):
    page = document(title)
    change(page["blocks"][0]["data"])
    return judge_document(page, judged(title)[1])


@pytest.mark.parametrize(
    ("title", "change"),
    [
        ("attention", lambda data: data["keys"].pop()),
        ("attention without words", lambda data: data["keys"].pop(3)),
        ("attention", lambda data: data["keys"][0].update(value=data["keys"][1]["value"])),
        ("attention", lambda data: data["columns"].reverse()),
        ("attention", lambda data: data.update(context=data["context"][:2])),
        ("block", lambda data: data["sublayers"].reverse()),
        ("block", lambda data: data["sublayers"][0]["parts"].pop()),
        ("block", lambda data: data["sublayers"][0].update(norm=None)),
        ("mirror", lambda data: data["steps"][3].update(gradient=data["steps"][2]["gradient"])),
        ("mirror", lambda data: data["steps"][3].update(gradient=None)),
        ("mirror", lambda data: data["steps"][4]["inputs"].reverse()),
        ("numbers", lambda data: data["steps"][5]["inputs"].pop()),
        ("numbers", lambda data: data["steps"][5].update(operation="")),
        ("path", lambda data: data["states"].reverse()),
        ("path", lambda data: data["weights"].reverse()),
        ("product", lambda data: data.update(left=data["right"], right=data["left"])),
        ("product of large matrices", lambda data: data["right"]["rows"].pop(0)),
        ("temperature", lambda data: data["columns"][0].update(divisor=None)),
        ("temperature", lambda data: data["columns"][0].update(divisor=data["columns"][2]["divisor"])),
        ("update", lambda data: data.update(gradient=data["weight"])),
        ("update", lambda data: data.update(after=data["before"])),
        ("update", lambda data: data.update(after=None)),
    ],
)
def test_what_does_not_belong_together_is_noticed(title, change):
    assert wrong(title, change)


def test_arithmetic_of_another_entry_is_noticed():
    def of_another(data):
        other = document("product with a bias")["blocks"][0]["data"]["lines"]
        data["lines"] = copy.deepcopy(other)

    assert wrong("product", of_another)
    letters = document("product")
    form = letters["blocks"][0]["data"]["lines"][0]["forms"][0]
    form[0]["text"] = form[0]["text"].replace("X", "W_Q")
    letters["blocks"][0]["alternative"] = letters["blocks"][0]["alternative"].replace("= X[1]", "= W_Q[1]")
    assert judge_document(letters, judged("product")[1])
