"""No number that users can see has changed since tests/digest.json was written. See support/digest.py."""

import os
import platform
import subprocess
import sys

import digest
import digest_numbers
import numpy
import pytest
from digest_numbers import Entry, fingerprint, numbers_in

# Some of everything, in 10 seconds where nobody else computes.
CHEAP = [
    "op/softmax", "op/matmul", "op/linear", "op/layer_norm", "op/lookup", "op/cross_entropy", "op/adam",
    "lesson/example-1", "lesson/causal-mask", "lesson/tokenization", "lesson/kv-cache",
    "scenario/block", "scenario/cat-sat", "scenario/example-2", "scenario/example-3", "scenario/token-i",
    "sheet/example-1-own-7-few", "sheet/example-3-own-3-some",
    "lab/example-3 edited", "route/lesson edited", "route/check not divided", "route/hint last",
    "command/why attention", "command/count gpt2", "command/generated text",
]  # fmt: skip

same_machine = pytest.mark.skipif(
    platform.machine().lower() not in ("x86_64", "amd64"), reason="hashes hold where NumPy computes with AVX2"
)


def check(*items):
    """The digest is computed in a process of its own, which decides how NumPy computes before it is loaded."""
    command = [sys.executable, digest.__file__, "check", *items]
    done = subprocess.run(command, env={**os.environ, **digest.PINNED}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert done.stdout.startswith("Nothing differs")


@same_machine
def test_numbers_of_some_items_are_the_same():
    check(*CHEAP)


@same_machine
@pytest.mark.slow
def test_numbers_of_all_items_are_the_same():
    check()


def test_every_group_has_items_and_every_item_a_group():
    groups, written = set(digest.groups()), digest.read()
    assert [name for name in CHEAP if not any(digest.is_under(item, name) for item in written)] == []
    assert [item for item in written if not any(digest.is_under(item, group) for group in groups)] == []
    assert [group for group in groups if not any(digest.is_under(item, group) for item in written)] == []
    assert sum(name.startswith("lesson/") for name in groups) == 28


# -- what a fingerprint notices ----------------------------------------------------------------------


def placed_and_alone(entries):
    _, placed, alone = fingerprint(entries).split()
    return placed, alone


ENTRIES = [Entry("scores", numpy.array([[1.0, 2.0], [3.0, 4.0]])), Entry("loss", 1.386, "1.386")]


@pytest.mark.parametrize(
    "changed",
    [
        [Entry("scores", numpy.array([[1.0, 2.0], [3.0, 4.000000001]])), ENTRIES[1]],
        [ENTRIES[0], Entry("loss", 1.386, "1.39")],
        [ENTRIES[0]],
        [*ENTRIES, ENTRIES[1]],
        [ENTRIES[0], Entry("loss", float("nan"), "1.386")],
    ],
    ids=["value", "printed digits", "lost", "twice", "not a number"],
)
def test_changed_number_changes_both_hashes(changed):
    placed, alone = placed_and_alone(ENTRIES)
    placed_now, alone_now = placed_and_alone(changed)
    assert placed != placed_now
    assert alone != alone_now


@pytest.mark.parametrize(
    "moved",
    [
        ENTRIES[::-1],
        [Entry("attention_scores", ENTRIES[0].value), ENTRIES[1]],
        [Entry("scores", ENTRIES[0].value.T), ENTRIES[1]],
        [Entry("scores", ENTRIES[0].value.reshape(4)), ENTRIES[1]],
    ],
    ids=["order", "name", "transposed", "shape"],
)
def test_moved_number_changes_only_the_hash_of_places(moved):
    placed, alone = placed_and_alone(ENTRIES)
    placed_now, alone_now = placed_and_alone(moved)
    assert placed != placed_now
    assert alone == alone_now


def test_last_bits_do_not_count():
    nearly = [Entry(place, value * (1 + 2**-51), printed) for place, value, printed in ENTRIES]
    assert fingerprint(nearly) == fingerprint(ENTRIES)


def test_order_of_keys_and_words_do_not_count():
    number = {"kind": "number", "step": "3", "index": [0], "value": 0.5, "text": "0.5", "role": "entry"}
    data = {"title": "Attention", "number": number, "before": None, "shape": [2, 3]}
    other = {"shape": [2, 3], "before": None, "title": "attention", "number": {**number, "role": "result"}}
    assert fingerprint(numbers_in(data)) == fingerprint(numbers_in(other))


def test_renamed_key_and_step_keep_their_hash(monkeypatch):
    before = fingerprint([*numbers_in({"before": 1.0, "shape": [2]}), Entry("block1.shares[0]", 0.5)])
    after = [*numbers_in({"earlier": 1.0, "shape": [2]}), Entry("block1.weights[0]", 0.5)]
    assert fingerprint(after) != before
    monkeypatch.setattr(digest_numbers, "RENAMED", {"earlier": "before", "weights": "shares"})
    after = [*numbers_in({"earlier": 1.0, "shape": [2]}), Entry("block1.weights[0]", 0.5)]
    assert fingerprint(after) == before


def test_changed_op_changes_its_item(monkeypatch):
    def now():
        return {name: fingerprint(entries) for name, entries in digest.items(["op/sigmoid"])}

    before = now()
    sigmoid = type(digest.OPS["sigmoid"])
    forward = sigmoid.forward
    monkeypatch.setattr(sigmoid, "forward", lambda self, x: forward(self, x) * 1.0001)
    assert {name: digest.difference(before[name], line) for name, line in now().items()} == {
        "op/sigmoid": "has other numbers"
    }


def test_difference_is_said_in_a_sentence():
    assert digest.difference("4 aa bb", "4 aa bb") == ""
    assert digest.difference("4 aa bb", "4 cc bb") == "has the same 4 numbers, in other places or under other names"
    assert digest.difference("4 aa bb", "4 cc dd") == "has other numbers"
    assert digest.difference("4 aa bb", "3 cc dd") == "had 4 numbers, and has 3"
    assert digest.difference(None, "3 cc dd") == "is new"
    assert digest.difference("4 aa bb", None) == "is gone"
