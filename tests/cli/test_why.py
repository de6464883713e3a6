"""`workings why` and `workings compare` as their users meet them."""

import json

import numpy
import pytest
from small_sessions import trained

import workings as w

QUERIES, KEYS, VALUES = (
    [[1, 0, 2, 1, 0, 1], [0, 1, 1, 3, 1, 0]],
    [[1, 2, 0, 1, 1, 0], [0, 1, 1, 0, 1, 2]],
    [[1, 2, 3, 4, 5, 6], [3, 1, 0, 2, 2, 4]],
)


def squeezed(text):
    """Words with one space between them, so that widths of columns do not matter."""
    return " ".join(text.split())


@pytest.fixture(scope="module")
def trace():
    return w.scenario("example-3").trace("twin")


def typed(array, digits=4):
    return "; ".join(" ".join(f"{number:.{digits}g}" for number in row) for row in array)


# -- why ---------------------------------------------------------------------------------------


def test_homework_of_ones_own_divided_by_the_root_of_the_model(works):
    """What the README promises: from one's own numbers to the reason."""
    q, k, v = (numpy.array(rows, dtype=float).reshape(2, 2, 3).transpose(1, 0, 2) for rows in (QUERIES, KEYS, VALUES))
    scores = q @ k.transpose(0, 2, 1) / numpy.sqrt(6)  # all columns; a head has 3
    weights = numpy.exp(scores) / numpy.exp(scores).sum(-1, keepdims=True)
    mine = (weights @ v).transpose(1, 0, 2).reshape(2, 6)
    inputs = ("--q", typed(QUERIES), "--k", typed(KEYS), "--v", typed(VALUES), "--heads", "2")
    out = squeezed(works("why", "attention", *inputs, "--got", typed(mine)))
    assert "divide_by_root.root_of_model at scaled: You divided by √d_model" in out


def test_a_step_of_a_lesson_a_scenario_and_a_file(works, trace, tmp_path):
    wrong = trace.replay(ops={"weights": "softmax.wrong_axis"})["weights"].value
    (tmp_path / "mine.txt").write_text(f"weights = [{typed(wrong, 6)}]\n", encoding="utf-8")
    for got in (typed(wrong, 6), f"@{tmp_path / 'mine.txt'}", json.dumps(wrong.tolist())):
        assert "softmax.wrong_axis" in works("why", "example-3", "weights", "--run", "twin", "--got", got)
    right = trace["weights"].value
    assert "rounded to 3" in works("why", "example-3", "weights", "--run", "twin", "--got", typed(right, 3))


def test_a_zero_at_the_end_is_a_digit(works):
    found = json.loads(works("why", "add", "--a", "0.1234", "--b", "0.1266", "--got", "0.250", "--format", "json"))
    assert found["verdict"] == "exact"
    found = json.loads(works("why", "add", "--a", "0.1234", "--b", "0.1264", "--got", "0.250", "--format", "json"))
    assert found["cause"] == "rounded.3.decimals"


def test_settings_and_steps_of_an_op(works):
    got = "0.7311 0.5; 0.2689 0.5"
    assert "are right" in works("why", "softmax", "--x", "1 2; 0 2", "--axis", "-2", "--got", got)
    back = ("why", "softmax", "--x", "2 1", "--cotangent", "1 0", "--step", "dx", "--got")
    assert "are right" in works(*back, "0.1966 -0.1966")
    assert "softmax.diagonal_only" in works(*back, "0.1966 0")


@pytest.mark.parametrize("format", ["terminal", "md", "html", "json", "tex"])
def test_every_format(works, format):
    out = works("why", "softmax", "--x", "2 1", "--got", "7.389 2.718", "--format", format)
    assert "softmax.not_normalised" in out.replace("\\", "")


def test_the_data_of_several_reasons(works):
    words = ("why", "example-5", "scaled", "--got", "0.01 0; 0 0.01", "--format", "json")
    found = json.loads(works(*words))
    assert (found["schema"], found["verdict"], found["cause"]) == ("workings/why/1", "several", None)
    assert [candidate["kind"] for candidate in found["candidates"]] == ["rounded", "mistake"]
    assert {value["id"] for value in found["apart"]["values"]} == {each["id"] for each in found["candidates"]}


def test_a_step_inside_attention_and_numbers_without_rows(works):
    inputs = ("--q", "1 0; 0 1", "--k", "1 2; 0 1", "--v", "1 2; 3 4")
    for got in ("1 0; 2 1", "1 0 2 1", "[1, 0, 2, 1]"):
        assert "divide_by_root.not_divided at scaled" in works("why", "attention", "scaled", *inputs, "--got", got)
    assert "have the shape 3" in works("why", "attention", "scaled", *inputs, "--got", "1 0 2")


def test_a_lesson_with_the_name_of_an_op(run):
    code, _, err = run("why", "adam", "no_such_step", "--got", "1")
    assert (code, "no_such_step" in err) == (2, True)


def test_where_nothing_fits_a_step_before_is_asked_for(works):
    inputs = ("--q", "1 0; 0 1", "--k", "1 2; 0 1", "--v", "1 2; 3 4")
    out = squeezed(works("why", "attention", *inputs, "--got", "1.5 2.5; 2 3.7"))
    assert "we try only the likeliest pairs: the numbers of an earlier step, such as weights" in out
    assert "Two slips" not in works("why", "softmax", "--x", "2 1 3", "--got", "9.37 4.51 -2.2")


def test_entries_that_are_left_open_are_not_looked_at(works):
    words = ("why", "softmax", "--x", "2 1 0.5; 0.1 0.2 0.3", "--got")
    assert "are right" in works(*words, "0.6285 _ 0.1402; ? 0.3322 0.3672")
    out = works(*words, "0.8699 _ 0.5498; 0.1301 ? 0.4502")
    assert "softmax.wrong_axis" in out
    assert "Blank entries, which are not checked: 2." in out
    assert "softmax[1][1] is not a number" in works(*words, "0.8699 _ 0.5498; 0.1301 nan 0.4502")
    assert "none of the" in works(*words, "0.5 _ 0.99; 0.1301 ? 0.4502")


def test_an_op_page_with_a_result_of_ones_own(works):
    out = works("op", "softmax", "--x", "2 1", "--got", "7.389 2.718")
    assert out.index("Your numbers for") > out.index("Backward")
    assert "this gives these numbers" in out
    step = ("op", "softmax", "--x", "2 1", "--cotangent", "1 0", "--step", "dx", "--got", "0.1966 0")
    assert "softmax.diagonal_only" in works(*step)


def test_shapes_and_what_is_not_a_number_are_verdicts(works):
    assert "have the shape 3" in works("why", "softmax", "--x", "2 1", "--got", "1 2 3")
    assert "softmax[1] is not a number" in works("why", "softmax", "--x", "2 1", "--got", "1 nan")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("softmax", "--x", "2 1"), "There are no numbers to check."),
        (("softmax", "--x", "2 1", "--got", "? _"), "blank is not a zero"),
        (("softmax", "--x", "2 1", "--got", "two one"), "try:"),
        (("softmax", "--x", "2 1", "--got", "@nowhere.txt"), "There is no file nowhere.txt."),
        (("softmax", "--z", "2 1", "--got", "1 1"), "no input or setting 'z'"),
        (("softmax", "--x", "--got", "1 1"), "try:"),
        (("softmax", "--x", "2 1", "--banana", "3", "--got", "1 1"), "no input or setting 'banana'"),
        (("softmax", "--x", "2 1", "--banana", "3", "--got", "1 1"), "Known here: x, axis."),
        (("atention", "--q", "1 2", "--got", "1 1"), "Did you mean attention?"),
        (("attention", "--q", "1 2", "--got", "1 1"), "attention also needs k, v."),
        (("example-3", "--got", "1 1"), "many steps: name one"),
        (("example-3", "scores", "--x", "1", "--got", "1 1"), "'--x' is not an option here."),
        (("example-3", "scorse", "--got", "1 1"), "Did you mean scores, dscores?"),
        (("example-99", "scores", "--got", "1 1"), "example-99"),
        (("example-3", "scores", "--run", "nobody", "--got", "1 1"), "nobody"),
    ],
)
def test_what_cannot_be_asked_is_said_in_words(run, words, says):
    code, out, err = run("why", *words)
    assert (code, out) == (2, "")
    assert says in err
    assert "Traceback" not in err


def test_large_and_binary_files_are_refused(run, tmp_path):
    (tmp_path / "large.txt").write_bytes(b"1 " * 3_000_000)
    (tmp_path / "binary.txt").write_bytes(b"\xff\xfe\x00\x80\x81")
    cases = ((tmp_path / "large.txt", "too large"), (tmp_path / "binary.txt", "not text"), ("/dev/zero", "a device"))
    for path, says in cases:
        code, _, err = run("why", "softmax", "--x", "2 1", "--got", f"@{path}")
        assert code == 2
        assert says in err


# -- compare -----------------------------------------------------------------------------------


def saved(path, trace, **changed):
    values = {name: trace[name].value for name in ("Q", "K", "V", "scores", "weights", "dW_V")}
    numpy.savez(path, **{**values, **changed})
    return str(path)


def test_a_file_beside_a_lesson(works, trace, tmp_path):
    wrong = trace.replay(ops={"weights": "softmax.wrong_axis"})["weights"].value
    path = saved(tmp_path / "mine.npz", trace, weights=wrong, learning_rate=numpy.array(0.1))
    out = squeezed(works("compare", "example-3", path, "--run", "twin"))
    assert "The first difference is in weights." in out
    assert "softmax.wrong_axis" in out
    assert "There is no step for: learning_rate." in out
    data = json.loads(works("compare", "example-3", path, "--run", "twin", "--format", "json"))
    assert (data["first"], data["why"]["cause"], data["unknown"]) == (
        "weights",
        "softmax.wrong_axis",
        ["learning_rate"],
    )
    assert {step["name"]: step["verdict"] for step in data["steps"]}["Q"] == "exact"


@pytest.mark.parametrize("format", ["terminal", "md", "html", "json", "tex"])
def test_every_format_of_a_comparison(works, trace, tmp_path, format):
    path = saved(tmp_path / "mine.npz", trace)
    assert "dW" in works("compare", "example-3", path, "--run", "twin", "--format", format)


@pytest.mark.parametrize("name", ["mine.txt", "mine.npz", "mine.json"])
def test_files_that_are_none(run, tmp_path, name):
    (tmp_path / name).write_text("nothing", encoding="utf-8")
    code, out, err = run("compare", "example-3", str(tmp_path / name))
    assert (code, out) == (2, "")
    assert "try:" in err
    assert "Traceback" not in err


def test_a_file_beside_a_trained_model_with_its_tokens(works, run, tmp_path):
    """The tokens as ids or as text; the model is that of the last checkpoint."""
    trained(tmp_path / "copy")
    checkpoint = w.load_checkpoint(tmp_path / "copy")
    ids = checkpoint.vocabulary.encode("ab>")
    with w.Trace() as trace:
        checkpoint.model(w.ids(ids, "token", name="tokens"))
    mine = {"logits": trace["logits"].value, "h.0.attn.att": trace["weights"].value}
    numpy.savez(tmp_path / "mine.npz", **mine)
    for tokens in ("ab>", " ".join(map(str, ids))):
        out = works("compare", str(tmp_path / "copy"), str(tmp_path / "mine.npz"), "--tokens", tokens)
        assert "No difference." in out
    code, _, err = run("compare", "example-3", str(tmp_path / "mine.npz"), "--tokens", "1 2")
    assert (code, "--tokens is for a trained model" in err) == (2, True)
