"""Check my numbers: planted mistakes are found and named, and whoever only rounds is not accused."""

from __future__ import annotations

from collections.abc import Mapping

import numpy
import pytest

from workings.document.blocks import Document, Fold, Link, Matrix, Note, Table, Text, Words
from workings.engine.errors import WorkingsError
from workings.lab.answers.trace import CheckPage
from workings.lab.pages.checking import check_page
from workings.scenarios.reading.scenario_file import read_scenario
from workings.scenarios.scenario import Scenario

Arrays = dict[str, numpy.ndarray]
CASES = range(6)


def drawn(seed: int, tokens: int = 3, width: int = 3) -> Arrays:
    draws = numpy.random.default_rng(seed)
    given = {"X": draws.integers(-15, 16, (tokens, width)) / 10}
    return given | {name: draws.integers(-9, 10, (width, width)) / 10 for name in ("W_Q", "W_K", "W_V")}


def shares(scores: numpy.ndarray, axis: int = -1) -> numpy.ndarray:
    powers = numpy.exp(scores)
    return powers / powers.sum(axis=axis, keepdims=True)


def worked_out(given: Arrays, mistake: str = "", causal: bool = False, every_line: int | None = None) -> Arrays:
    """What somebody writes down who works it out, in this order; perhaps with a mistake, or rounding every line."""

    def line(value: numpy.ndarray) -> numpy.ndarray:
        return value if every_line is None else numpy.where(numpy.isfinite(value), value.round(every_line), value)

    weights = {letter: given[f"W_{letter}"] for letter in "QKV"}
    if mistake == "transposed weight":
        weights["Q"] = weights["Q"].T
    Q, K, V = (line(given["X"] @ weights[letter]) for letter in "QKV")
    scores = line(K @ Q.T if mistake == "exchanged" else Q @ K.T)
    scaled = line(scores if mistake == "no root" else scores / numpy.sqrt(Q.shape[1]))
    found = {"Q": Q, "K": K, "V": V, "scores": scores, "scaled": scaled}
    seen = numpy.tril(numpy.ones(scaled.shape)) > 0
    if causal and mistake != "mask afterwards":
        found["masked"] = scaled = numpy.where(seen, scaled, -numpy.inf)
    share = shares(scaled, axis=-2 if mistake == "wrong axis" else -1)
    found["weights"] = line(numpy.where(seen, share, 0.0) if mistake == "mask afterwards" else share)
    found["context"] = line(found["weights"] @ V)
    return found


def texts(arrays: Mapping[str, numpy.ndarray], digits: int = 4) -> dict[str, str]:
    return {name: "; ".join(" ".join(f"{entry:.{digits}f}" for entry in row) for row in array)
            for name, array in arrays.items()}  # fmt: skip


def checked(given: Arrays, got: Arrays, digits: int = 4, mask: str = "") -> CheckPage:
    return check_page(texts(given, 1), texts(got, digits), mask)


def verdicts(page: CheckPage) -> dict[str, str]:
    (table,) = [block for block in page.page.document.blocks if isinstance(block, Table)]
    return {_words(row[0]): _words(row[1]) for row in table.rows}


def _words(spans: tuple[object, ...]) -> str:
    return "".join(span.text for span in spans if isinstance(span, Words | Link))


def said(document: Document) -> str:
    return " ".join(_words(block.spans) for block in document.blocks if isinstance(block, Text | Note))


# -- mistakes ------------------------------------------------------------------------------------------


MISTAKES = {
    "no root": ("scaled", "divide_by_root.not_divided"),
    "wrong axis": ("weights", "softmax.wrong_axis"),
    "exchanged": ("scores", "matmul.queries_and_keys_exchanged"),
    "mask afterwards": ("weights", "softmax.masked_afterwards"),
    "transposed weight": ("Q", "matmul.second_transposed"),
}


@pytest.mark.parametrize("seed", CASES)
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_planted_mistake_is_found_and_named_and_the_rest_follows(mistake: str, seed: int) -> None:
    given = drawn(seed)
    mask = "causal" if mistake == "mask afterwards" else ""
    page = checked(given, worked_out(given, mistake, bool(mask)), 4, mask)
    step, id = MISTAKES[mistake]
    assert (page.first_wrong, page.mistake) == (step, id)
    others = {name: verdict for name, verdict in verdicts(page).items() if name != step}
    assert verdicts(page)[step] == "does not fit"
    assert "does not fit" not in others.values()
    assert "follows from your own numbers" in others.values()


@pytest.mark.parametrize("seed", CASES)
def test_a_mistake_is_found_from_a_later_step_alone(seed: int) -> None:
    given = drawn(seed)
    got = worked_out(given, "no root")
    page = checked(given, {"scores": got["scores"], "context": got["context"]})
    assert (page.first_wrong, page.mistake) == ("context", "divide_by_root.not_divided")
    assert "You gave nothing for V, scaled, weights" in said(page.page.document)


def test_two_mistakes_are_both_told() -> None:
    given = drawn(1)
    got = worked_out(given, "no root")
    got["weights"] = shares(got["scaled"], axis=-2)
    got["context"] = got["weights"] @ got["V"]
    page = checked(given, got)
    assert page.mistake == "divide_by_root.not_divided"
    assert {name for name, verdict in verdicts(page).items() if verdict == "does not fit"} == {"scaled", "weights"}
    notes = {block.mistake for block in page.page.document.blocks if isinstance(block, Note)}
    assert {"divide_by_root.not_divided", "softmax.wrong_axis"} <= notes


def test_the_right_numbers_stand_there_with_one_entry_by_hand() -> None:
    given = drawn(2)
    page = checked(given, worked_out(given, "no root"))
    blocks = page.page.document.blocks
    (matrix,) = [block for block in blocks if isinstance(block, Matrix)]
    right = worked_out(given)["scaled"]
    shown = [[float(entry.value) for entry in row] for row in matrix.slices[0].rows]
    assert numpy.allclose(shown, right, atol=1e-3)
    (fold,) = [block for block in blocks if isinstance(block, Fold)]
    assert fold.is_open


def test_a_number_out_of_the_air_has_no_cause() -> None:
    given = drawn(3)
    got = worked_out(given)
    got["weights"] = numpy.array([[0.123, 0.7, 0.177], [0.9, 0.05, 0.05], [0.31, 0.33, 0.36]])
    page = checked(given, got)
    assert (page.first_wrong, page.mistake) == ("weights", "")


# -- nobody who is right is accused ----------------------------------------------------------------------


@pytest.mark.parametrize("seed", CASES)
@pytest.mark.parametrize("digits", [2, 3, 4, 8])
@pytest.mark.parametrize("causal", [False, True])
def test_rounding_is_not_accused(seed: int, digits: int, causal: bool) -> None:
    given = drawn(seed, tokens=2 + seed % 3)
    for every_line in (None, digits):
        got = worked_out(given, causal=causal, every_line=every_line)
        page = checked(given, got, digits, "causal" if causal else "")
        assert (page.first_wrong, page.mistake) == ("", "")
        assert set(verdicts(page).values()) <= {"fits", "fits, to rounding"}
        assert "All of your results fit." in said(page.page.document)


@pytest.mark.parametrize("hidden", ["-inf", "-1e9", "-10000", "−∞"])
def test_what_is_hidden_may_be_written_in_many_ways(hidden: str) -> None:
    given = drawn(0)
    got = texts(worked_out(given, causal=True))
    got["masked"] = got["masked"].replace("-inf", hidden)
    assert check_page(texts(given, 1), got, "causal").first_wrong == ""


def test_steps_may_go_by_the_names_that_others_use() -> None:
    given = drawn(4)
    got = worked_out(given)
    page = checked(given, {"q": got["Q"], "attn_weights": got["weights"], "ctx": got["context"]})
    assert page.first_wrong == ""
    assert "attn_weights (our weights)" in verdicts(page)


def test_scores_that_are_scaled_already_are_taken_for_that() -> None:
    given = drawn(4)
    got = worked_out(given)
    page = checked(given, {"scores": got["scaled"], "weights": got["weights"]})
    assert page.first_wrong == ""
    assert "scores (our scaled)" in verdicts(page)


def test_blank_entries_are_not_wrong() -> None:
    given = drawn(4)
    got = texts(worked_out(given))
    got["weights"] = "; ".join("_ " + row.split(" ", 1)[1] for row in got["weights"].split("; "))
    page = check_page(texts(given, 1), {**got, "scaled": ""})
    assert page.first_wrong == ""
    assert "scaled" not in verdicts(page)


def test_so_few_digits_that_a_mistake_gives_them_too_decide_nothing() -> None:
    given = {"Q": "0.1 0; 0 0.1", "K": "0.1 0; 0 0.1", "V": "1 2; 3 4"}
    page = check_page(given, {"scaled": "0.01 0; 0 0.01"})
    assert (page.first_wrong, page.mistake) == ("", "")
    assert verdicts(page) == {"scaled": "undecided"}
    assert "scaled[0][0] would distinguish them" in said(page.page.document)


# -- other computations ----------------------------------------------------------------------------------


@pytest.mark.parametrize("from_inputs", [True, False])
def test_several_heads_and_the_last_matrix(from_inputs: bool) -> None:
    given = drawn(5, width=6)
    W_O = numpy.random.default_rng(9).integers(-9, 10, (6, 6)) / 10
    Q, K, V = (given["X"] @ given[f"W_{letter}"] for letter in "QKV")

    def joined(root: float) -> numpy.ndarray:
        parts = [(Q[:, at : at + 3], K[:, at : at + 3], V[:, at : at + 3]) for at in (0, 3)]
        return numpy.concatenate([shares(q @ k.T / root) @ v for q, k, v in parts], axis=1)

    fields = texts({**(given if from_inputs else {"Q": Q, "K": K, "V": V}), "W_O": W_O}, 2)
    right = texts({"joined": joined(3**0.5), "output": joined(3**0.5) @ W_O})
    assert check_page(fields, right, heads=2).first_wrong == ""
    wrong = texts({"joined": joined(6**0.5), "output": joined(6**0.5) @ W_O})
    page = check_page(fields, wrong, heads=2)
    assert (page.first_wrong, page.mistake) == ("joined", "divide_by_root.root_of_model")
    assert verdicts(page)["output (our attended)"] == "follows from your own numbers"
    assert check_page(fields, wrong, heads=2, convention="attention_scale=model").first_wrong == ""
    scaled = [[Q[:, at : at + 3] @ K[:, at : at + 3].T / 6**0.5 for at in (0, 3)]]
    assert check_page(fields, {"scaled": str(numpy.round(scaled, 4).tolist())}, heads=2).mistake == page.mistake


def test_gradients_are_checked_where_the_result_has_a_cotangent() -> None:
    given = drawn(0)
    counts = numpy.array([[1.0, -0.5, 0.2], [0.3, 0.8, -0.6], [-0.4, 0.1, 0.7]])
    weights = worked_out(given)["weights"]
    fields = texts({**given, "cotangent": counts}, 1)
    right = given["X"].T @ weights.T @ counts
    assert check_page(fields, texts({"dW_V": right})).first_wrong == ""
    page = check_page(fields, texts({"dW_V": given["X"].T @ weights @ counts}))
    assert page.first_wrong == "dW_V"


def test_the_scenario_computes_what_was_checked() -> None:
    given = drawn(1)
    page = checked(given, worked_out(given), mask="")
    trace = Scenario("own", read_scenario(page.scenario, "own"), page.scenario).trace()
    assert numpy.allclose(trace["context"].value, worked_out(given)["context"])


# -- what cannot be checked ------------------------------------------------------------------------------


def test_another_shape_is_a_verdict() -> None:
    given = drawn(1)
    page = check_page(texts(given, 1), {"weights": "0.2 0.8", "context": "1 2 3; 4 5 6"})
    assert page.first_wrong == "weights"
    assert set(verdicts(page).values()) == {"another shape"}


def test_rows_and_columns_exchanged_are_not_accused() -> None:
    given = drawn(1, tokens=2)
    page = checked(given, {"Q": worked_out(given)["Q"].T})
    assert verdicts(page) == {"Q": "fits, in another arrangement"}


def is_answered(given: dict[str, str], got: dict[str, str]) -> bool:
    """Whether there is an answer, or an error that teaches."""
    try:
        return bool(verdicts(check_page(given, got, "causal")))
    except WorkingsError as refused:
        return bool(refused.what and refused.hint)


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "1e300", "0", "0.5 0.5", "[]", "[[[[1]]]]", "1/0", "é"])
@pytest.mark.parametrize("step", ["X", "Q", "masked", "context"])
def test_strange_numbers_are_judged_or_refused(step: str, text: str) -> None:
    given = texts(drawn(1), 1)
    whole = "; ".join([" ".join([text] * 3)] * 3)
    assert is_answered(given, {step: text})
    assert is_answered(given, {step: whole, "weights": whole})
    assert is_answered({**given, "X": whole}, {step: whole})


@pytest.mark.parametrize(
    ("got", "said", "where"),
    [
        ({}, "There are no results to check.", ""),
        ({"scores": " \n "}, "There are no results to check.", ""),
        ({"nonsense": "1 2"}, "There is no step", ""),
        ({"<img onerror=alert(1)>": "1 2"}, "There is no step", ""),
        ({"scores": "1 2 3\n4 5 six\n7 8 9"}, "' is not a matrix of numbers:", "scores, line 2"),
        ({"scores": "_ _ _; _ _ _; _ _ _"}, "Every entry is blank, and a blank is not a zero.", "scores"),
        ({"scores": "1 " * 30_000}, "characters, too many for one field.", "scores"),
    ],
)
def test_what_cannot_be_read_says_where_and_what_to_try(got: dict[str, str], said: str, where: str) -> None:
    with pytest.raises(WorkingsError) as refused:
        check_page(texts(drawn(1), 1), got)
    assert said in refused.value.what
    assert refused.value.where == where
    assert refused.value.hint
