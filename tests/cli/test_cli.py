"""The command line as its users meet it: what they type, what they see, and the code it ends with."""

import json
from pathlib import Path

import jsonschema
import numpy
import pytest

import workings as w
from workings.engine.op import OPS
from workings.scenarios.scenario import names

TWIN = ("trace", "example-3", "--run", "twin")
SCHEMAS = {
    name: jsonschema.Draft202012Validator(json.loads((Path(w.__file__).parent / "schema" / f"{name}.json").read_text()))
    for name in ("document", "trace")
}


# -- workings ----------------------------------------------------------------------------------


def test_version_and_help(run):
    assert run("--version") == (0, f"workings {w.__version__}\n", "")
    code, out, _ = run("--help")
    assert code == 0
    assert "op " in out
    assert "trace " in out
    for command in ("op", "trace"):
        code, out, _ = run(command, "--help")
        assert code == 0
        assert f"\n  workings {command} " in out
        assert "--precision" in out


@pytest.mark.parametrize("words", [("nonsense",), ("trace", "--nonsense"), ("op", "softmax", "--digits", "0")])
def test_what_the_command_line_itself_refuses_ends_with_2(run, words):
    code, out, err = run(*words)
    assert code == 2
    assert "Usage: " in out + err


# -- op ----------------------------------------------------------------------------------------


def test_all_ops_are_listed(works):
    out = works("op")
    for name in OPS:
        assert f"\n  {name} " in out
    SCHEMAS["document"].validate(json.loads(works("op", "--format", "json")))


@pytest.mark.parametrize("name", sorted(OPS))
def test_every_op_runs_its_example(works, name):
    out = works("op", name)
    assert out.startswith(f"{name}\n")
    assert ("\nUpdate\n" if OPS[name].stage == "update" else "\nForward\n") in out


def test_own_numbers_take_the_place_of_the_example(works):
    out = works("op", "softmax", "--x", "2 1 0.1", "--cotangent", "1 0 0", "--cell", "0")
    assert "x  key 3\n  [ 2.0  1.0  0.1 ]\n" in out
    assert "  P[0] = e0 / total = 1.0 / 1.5175 = 0.659\n" in out
    assert "dP  key 3\n  [ 1  0  0 ]\n" in out


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("-1 -2", "[ -1  -2 ]"),
        ("-1", "-1"),
        ("1/2 -3/4", "[ 0.5  -0.75 ]"),
        ("1, 2, 3", "[ 1  2  3 ]"),
        ("1,2,3", "[ 1  2  3 ]"),
        (" 1   2 ", "[ 1  2 ]"),
        (".5 +2 1e-3", "[ 0.5  2.0  0.001 ]"),
        ("1 2; 3 4", "[ 1  2 ]\n  [ 3  4 ]"),
        ("[[[1, 2]], [[3, 4.5]]]", "[0,:,:]\n  [ 1.0  2.0 ]\n  [1,:,:]\n  [ 3.0  4.5 ]"),
    ],
)
def test_numbers_can_be_typed_as_people_do(works, typed, shown):
    assert f"\n  {shown}\n\nForward" in works("op", "neg", "--x", typed)
    assert works("op", "neg", f"--x={typed}") == works("op", "neg", "--x", typed)


def test_settings_are_typed_under_their_names(works):
    assert "factor = 3" in works("op", "scale", "--x", "1 2", "--factor", "3")
    assert "factor = -0.5" in works("op", "scale", "--x", "1 2", "--factor", "-1/2")
    assert "axis = query" in works("op", "softmax", "--axis", "query")
    assert "axis = query" in works("op", "softmax", "--axis", "-2")
    assert "reduction = sum" in works("op", "cross_entropy", "--reduction", "sum")
    assert "shape = 3 2" in works("op", "reshape", "--x", "1 2 3; 4 5 6", "--shape", "3,2", "--axes", "a,b")


def test_one_row_is_read_under_the_last_words_of_the_example(works):
    assert "axis = key" in works("op", "softmax", "--x", "2 1", "--axis", "key")
    assert "logits  vocab 3\n" in works("op", "cross_entropy", "--logits", "2 1 0", "--target", "1")


def test_the_precision_and_the_digits_can_be_chosen(works):
    out = works("op", "softmax", "--x", "2 1 0.1", "--precision", "calculator 3 decimals")
    assert "Numbers: calculator 3 decimals." in out
    assert "  [ 0.659  0.242  0.099 ]\n" in out
    assert "[ 0.65900114  0.24243297  0.09856589 ]" in works("op", "softmax", "--x", "2 1 0.1", "--digits", "8")
    assert "0.6590011388859679" in works("op", "softmax", "--x", "2 1 0.1", "--digits", "17")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("softmaxx",), "There is no op 'softmaxx'.\n  try:   Did you mean softmax"),
        (
            ("softmax", "--axes", "1"),
            "has no input or setting '--axes'.\n  try:   Did you mean axis? Known",
        ),
        (("softmax", "--axsi", "1"), "--axis "),
        (("softmax", "word"), "has no input or setting 'word'"),
        (("softmax", "--x"), "--x needs a value"),
        (("softmax", "--x", ""), "--x needs a value"),
        (("softmax", "--x", "two one"), "'two one' is not a matrix of numbers"),
        (("softmax", "--x", "1;;2"), "is not a matrix of numbers"),
        (("softmax", "--x", "1/0"), "is not a matrix of numbers"),
        (("softmax", "--x", "[1, true]"), "is not a matrix of numbers"),
        (("softmax", "--x", "[1, 2"), "is not a matrix of numbers"),
        (("softmax", "--x", "[]"), "is not a matrix of numbers"),
        (("softmax", "--x", "[[], []]"), "is not a matrix of numbers"),
        (("softmax", "--x", "[" * 5000), "is not a matrix of numbers"),
        (("softmax", "--x", "1,5 2,5"), 'Write decimals with a point: "1.5 2.5".'),
        (("softmax", "--x", "1 2; 3"), "The rows have different lengths"),
        (("softmax", "--x", "[[1, 2], [3]]"), "The rows have different lengths"),
        (("softmax", "--x", "1 nan"), "x contains nan at [1]"),
        (("softmax", "--x", "1 1e999"), "x contains inf at [1]"),
        (("softmax", "--x", "1 2", "--axis", "row"), "There is no axis 'row' here."),
        (("softmax", "--x", "1 2", "--cotangent", "1 2 3"), "The upstream gradient has the shape (3,)"),
        (("softmax", "--x", "1 2", "--cotangent", "1 2; 3"), "The rows have different lengths"),
        (("softmax", "--cell", "5,0"), "Position 5 on the axis query is outside: there are 2."),
        (("softmax", "--cell", "0"), "An entry of P has a position on each axis (2); given: 1."),
        (("softmax", "--cell", "first"), "'first' is not an entry."),
        (("attention", "--cell", "0,9"), "Position 9 on the axis head_size is outside"),
        (("softmax", "--precision", "nonsense"), "'nonsense' is not a precision."),
        (("softmax", "--precision", "calculator 99 decimals"), "A calculator with 99 digits"),
        (("softmax", "--format", "docx"), "Choices: terminal, md, html, json, pdf, ipynb, tex."),
        (("matmul", "--a", "1 2"), "matmul also needs --b."),
        (("matmul", "--a", "1 2", "--b", "1 2 3"), "given: a: model 2, b: hidden 3"),
        (("matmul", "--a", "1 2 3", "--b", "1 2; 3 4"), "3 is not 2"),
        (("lookup", "--E", "1 2; 3 4", "--ids", "0 7"), "The label 7 is outside"),
        (("lookup", "--E", "1 2; 3 4", "--ids", "0.5"), "ids must be whole numbers"),
        (("cross_entropy", "--reduction", "median"), "The setting reduction of cross_entropy cannot be median."),
        (("log", "--x", "1 -2"), "The logarithm of -2"),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_sentence(fails, words, said):
    assert said in fails("op", *words)


def test_one_step_of_a_page_can_be_shown(works, fails):
    out = works("op", "softmax", "--x", "2 1; 0 3", "--step", "dx", "--cell", "1,0")
    assert out.startswith("dx\n")
    assert "\n  dx[1][0] = P[1][0] × difference = " in out
    assert "There is no step 'dy'" in fails("op", "softmax", "--step", "dy")


def test_a_page_in_json_is_a_trace_that_can_be_read_back(works):
    data = json.loads(works("op", "softmax", "--x", "2 1; 0 3", "--format", "json"))
    SCHEMAS["trace"].validate(data)
    assert data["document"]["title"] == "softmax"
    trace = w.Trace.from_json(json.dumps(data))
    assert numpy.allclose(trace["P"].value.sum(axis=-1), 1)
    assert str(trace["dx"].cell(0, 0)).startswith("average = dP[0] · P[0] = ")


# -- trace -------------------------------------------------------------------------------------


def test_all_traces_are_listed(works):
    out = works("trace")
    for name in names():
        assert f"\n  {name} " in out
    assert "other runs" in out
    assert "masked-off" not in out
    assert " embeddings-too, twin\n" in out
    SCHEMAS["document"].validate(json.loads(works("trace", "--format", "json")))


@pytest.mark.parametrize("precision", ["float64", "float32", "calculator 4 significant"])
@pytest.mark.parametrize("name", ["block", "cat-sat", "cat-sleeps", "example-1", "example-3", "hello-world"])
def test_a_scenario_can_be_shown(works, name, precision):
    out = works("trace", name, "--precision", precision)
    assert out.startswith(f"{w.scenario(name).title}\n")
    assert f"Numbers: {precision}" in out


@pytest.mark.parametrize("name", w.scenario("example-3").runs)
def test_every_run_of_a_scenario_can_be_shown(works, name):
    out = works("trace", "example-3", "--run", name)
    title = "Example 3: backpropagation through everything"
    assert out.startswith(f"{title}\n" if name == "default" else f"{title} (run {name})\n")
    data = json.loads(works("trace", "example-3", "--run", name, "--format", "json"))
    SCHEMAS["trace"].validate(data)
    assert data["runs"][0]["name"] == name
    whole = w.scenario("example-3").trace(name)
    again = w.Trace.from_json(json.dumps(data))
    assert {step.path: step.value.tolist() for step in again} == {step.path: step.value.tolist() for step in whole}


def test_a_file_is_a_scenario_like_those_of_the_package(works, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(
        "scenario: 1\ngiven: {x: [2, 1]}\ncalculate:\n  - P = softmax(x)\nruns: {more: {given: {x: [9, 1]}}}\n"
    )
    assert works("trace", path).startswith("mine.yaml\n")
    assert "P[0] = e0 / total = 1 / 1.36788 = 0.7311\n" in works("trace", path, "--step", "P", "--cell", "0")
    assert "= 0.9997\n" in works("trace", path, "--run", "more", "--step", "P", "--cell", "0")


def test_one_step_or_one_entry_can_be_shown(works):
    out = works(*TWIN, "--step", "dscaled", "--cell", "1,0")
    assert out.startswith("block1.attention.dscaled\n")
    assert "\n  dscaled[1][0] = weights[1][0] × difference = 0.5453 × (-0.3103) = -0.1692\n" in out
    assert out == works(*TWIN, "--step", "dscaled", "--cell", "[1][0]")
    assert out == works(*TWIN, "--step", "dscaled", "--cell", "-1,-2")
    whole = works(*TWIN, "--step", "dscaled")
    assert "dscaledᵢⱼ = weightsᵢⱼ (" in whole
    assert "  loss = log − s2 = " in works(*TWIN, "--step", "loss", "--cell", "")


def test_a_step_inside_another_can_be_shown(works):
    out = works(*TWIN, "--step", "weights/exp", "--cell", "1,1")
    assert "\n  exp[1][1] = e^(sub[1][1]) = e^(-0.1816) = 0.8339\n" in out
    assert "\n    expᵢⱼ = e^(subᵢⱼ)\n" in works(*TWIN, "--step", "weights/exp")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nosuch",), "There is no file nosuch, and no scenario with this name."),
        (("nosuch",), "addition, block, cat-sat, cat-sat-encoder, cat-sleeps, characters, copy, "),
        (("nosuch.json",), "There is no trace 'nosuch.json'."),
        (("exampel-3",), "Did you mean example-3? "),
        (("example-3", "--run", "twn"), "Did you mean twin? The runs are: default, after, masked, "),
        ((*TWIN[1:], "--step", "scorez"), "Did you mean scores"),
        (
            ("example-3", "--run", "after", "--step", "scores"),
            "step1.block1.attention.scores, step2.block1.attention.scores",
        ),
        ((*TWIN[1:], "--step", "scores/exp"), "has no inside"),
        ((*TWIN[1:], "--step", "weights/nosuch"), "There is no step 'nosuch'"),
        ((*TWIN[1:], "--step", "scores", "--cell", "2,0"), "there are 2"),
        ((*TWIN[1:], "--step", "scores", "--cell", "1.5"), "'1.5' is not an entry"),
        ((*TWIN[1:], "--cell", "1,0"), "--cell 1,0 needs a step."),
        ((*TWIN[1:], "--precision", "double"), "'double' is not a precision"),
        ((*TWIN[1:], "--format", "docx"), "Choices: terminal, md, html, json, pdf, ipynb, tex."),
        (("--precision", "double"), "'double' is not a precision"),
        (("--format", "docx"), "Choices: terminal, md, html, json, pdf, ipynb, tex."),
    ],
)
def test_a_trace_that_cannot_be_shown_says_why(fails, words, said):
    assert said in fails("trace", *words)


def story(page):
    """What the trace tells, after the title and what the scenario says about itself."""
    told = page[page.index("\nNumbers: ") :]
    assert len(told) > 1000
    return told


def test_a_trace_in_json_gives_the_same_pages_again(works, fails, tmp_path):
    path = tmp_path / "trace.json"
    assert works("trace", "example-3", "--run", "after", "--format", "json", "-o", path) == ""
    data = json.loads(path.read_text(encoding="utf-8"))
    SCHEMAS["trace"].validate(data)
    first, again = works("trace", "example-3", "--run", "after"), works("trace", path)
    assert story(again) == story(first)
    cell = ("--step", "backward2.step1.block1.attention.dW_V_new", "--cell", "0,1")
    assert works("trace", path, *cell) == works("trace", "example-3", "--run", "after", *cell)
    assert "has no runs to choose from" in fails("trace", path, "--run", "after")


def test_a_stored_trace_keeps_its_precision(works, fails, tmp_path):
    path = tmp_path / "trace.json"
    works("trace", "example-1", "--precision", "calculator 3 decimals", "--format", "json", "-o", path)
    assert "Numbers: calculator 3 decimals." in works("trace", path)
    assert works("trace", path, "--precision", "calculator 3 decimals") == works("trace", path)
    assert "was calculated in calculator 3 decimals" in fails("trace", path, "--precision", "float64")


def test_a_stored_trace_is_worked_out_again_in_another_precision(works, tmp_path):
    path = tmp_path / "trace.json"
    works(*TWIN, "--format", "json", "-o", path)
    again = works("trace", path, "--precision", "calculator 3 decimals")
    anew = works(*TWIN, "--precision", "calculator 3 decimals")
    assert story(again) == story(anew)


def test_a_trace_under_another_convention(works, fails):
    assert "Convention: annotated." in works("trace", "block", "--convention", "annotated")
    assert works("trace", "block", "--convention", "seed") == works("trace", "block")
    assert "Did you mean bert?" in fails("trace", "block", "--convention", "brt")


def test_an_op_of_any_number_of_inputs_takes_more_than_its_example_has(works):
    three = ("--parts1", "1 2", "--parts2", "3 4", "--parts3", "5 6", "--axis", "model")
    assert "[ 1  2  3  4  5  6 ]" in works("op", "concat", *three)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "it is not whole JSON"),
        (b'{"runs": [', "it is not whole JSON"),
        (b"[]", "there are no runs"),
        (b"{}", "there are no runs"),
        (b'"text"', "there are no runs"),
        (b'{"runs": [{"steps": 5, "precision": "float64"}]}', "This is not a trace"),
        (b'{"runs": [{"steps": [5], "precision": "float64"}]}', "This is not a trace"),
        (b"\xe2\x28\xa1", "is not text in UTF-8"),
        (bytes(range(256)), "is not text in UTF-8"),
    ],
)
def test_a_damaged_file_is_refused_in_a_sentence(fails, tmp_path, content, said):
    path = tmp_path / "trace.json"
    path.write_bytes(content)
    assert said in fails("trace", path)


def test_a_trace_file_with_a_piece_missing_is_refused(works, fails, tmp_path):
    data = json.loads(works("trace", "example-1", "--format", "json"))
    path = tmp_path / "trace.json"
    for key in ("inputs", "value", "op", "shape"):
        changed = json.loads(json.dumps(data))
        del changed["runs"][0]["steps"][2][key]
        path.write_text(json.dumps(changed))
        assert "This is not a trace" in fails("trace", path)


def test_a_directory_is_not_a_trace(fails, tmp_path):
    assert "is a folder" in fails("trace", tmp_path)
