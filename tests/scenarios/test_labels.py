"""Labels along axes: words of the text where there is one text, and always those of the vocabulary."""

from __future__ import annotations

import workings as w


def _labels(name: str, run: str = "default") -> dict[str, tuple[str, ...]]:
    found = w.scenario(name)
    return found.trace(run).labels.axes


def test_words_of_the_text_and_of_the_vocabulary() -> None:
    labels = _labels("cat-sat-encoder")
    assert labels["token"] == labels["query"] == labels["key"] == ("The", "cat", "sat")
    assert labels["vocab"] == ("The", "cat", "sat", "on", "the", "mat")


def test_several_texts_give_no_words_of_a_text() -> None:
    assert set(_labels("example-4")) == {"vocab"}


def test_a_training_step_that_reads_the_same_text_again_has_its_words() -> None:
    assert _labels("example-3", "after")["query"] == ("A", "B")


def test_a_calculation_without_a_model_has_only_its_own() -> None:
    found = w.scenario("cat-sat")
    assert set(_labels("cat-sat")) == set(found.plan().labels)


def test_every_label_belongs_to_a_place_of_its_axis() -> None:
    example = w.scenario("hello-world")
    trace = example.trace()
    labels = trace.labels.axes
    for step in trace:
        for axis, size in zip(step.axes, step.shape, strict=True):
            assert size in (1, len(labels.get(axis, range(size)))), step.path  # a sum along an axis leaves 1
