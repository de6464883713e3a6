"""Edits: every number that depends on one changes, no other does, and what cannot be is refused in a sentence."""

import numpy
import pytest

import workings as w
from workings.engine.errors import WorkingsError
from workings.lab.errors import LabError
from workings.lab.pages.steps import step_rows
from workings.lab.traces.store import Lab
from workings.lab.traces.wanted import Wanted
from workings.scenarios.scenario import names as scenario_names


@pytest.fixture(scope="module")
def lab():
    return Lab()


def changed_paths(opened):
    steps = opened.trace.recording.steps.values()
    return {step.path for step in steps if not numpy.array_equal(step.tensor.array, opened.base.trace[step.path].value)}


def test_a_number_changes_what_depends_on_it_and_nothing_else(lab):
    opened = lab.open(Wanted("example-3", run="twin", edits=("W_V[0][1]=0.7",)))
    scenario = w.scenario("example-3")
    weight = scenario.trace("twin")["W_V"].value.copy()
    weight[0, 1] = 0.7
    alone = scenario.changed(f"parameters: {{W_V: {weight.tolist()}}}", "twin").trace("twin")
    for step in alone:
        assert numpy.array_equal(step.value, opened.trace[step.path].value), step.path
    changed = changed_paths(opened)
    attention = "block1.attention"
    assert {"loss", f"{attention}.dW_Q", f"{attention}.dW_V", f"{attention}.V"} <= changed
    assert not changed & {"X", f"{attention}.Q", f"{attention}.K", f"{attention}.scores", f"{attention}.weights"}


@pytest.mark.parametrize(
    ("edit", "keys"),
    [
        ("input=B A", "data: [{input: B A, target: C}]"),
        ("model.mask=causal", "model: {mask: causal}"),
        ("train.learning_rate=0.5", "train: {learning_rate: 0.5}"),
    ],
)
def test_texts_and_settings_make_a_new_run(lab, edit, keys):
    opened = lab.open(Wanted("example-2", edits=(edit,)))
    alone = w.scenario("example-2").changed(keys).trace()
    assert [step.path for step in alone] == [step.path for step in opened.trace]
    for step in alone:
        assert numpy.array_equal(step.value, opened.trace[step.path].value), step.path


def test_a_weight_of_a_long_training_starts_the_training_anew(lab):
    scenario = w.scenario("example-4")
    run = next(run for run in scenario.runs if (plan := scenario.plan(run)).train and plan.train.steps > 1)
    weight = scenario.trace(run)["W_vocab"].value.copy()
    weight[0, 0] = 0.4
    alone = scenario.changed(f"parameters: {{W_vocab: {weight.tolist()}}}", run).trace(run)
    opened = lab.open(Wanted(scenario="", source="example-4", run=run, edits=("W_vocab[0][0]=0.4",)))
    assert opened.trace.history["loss"] == alone.history["loss"]
    assert opened.trace.history["loss"] != scenario.trace(run).history["loss"]


LONG = {"addition", "copy", "dates", "reverse", "sort"}  # tasks that train for long
TOO_LONG = "characters"  # to be trained anew while somebody waits
RUNS = [
    pytest.param(name, run, marks=pytest.mark.slow if name in LONG else ())
    for name in scenario_names()
    for run in w.scenario(name).runs
    if name != TOO_LONG and run in ("default", "after", "with-answer", "rate-low")
]


@pytest.mark.parametrize(("name", "run"), RUNS)
def test_every_step_that_can_be_edited_takes_an_edit(name, run):
    lab = Lab()
    base = lab.open(Wanted(name, run=run))
    rows = [row for row in step_rows(base.trace) if row.editable]
    for row in rows[:: max(1, len(rows) // 12)]:  # of many, some from everywhere
        value = base.trace.recording.value(row.id)
        entry = tuple(0 for _ in value.shape)
        now = value[entry].item()
        other = 1 - now if isinstance(now, int) and now in (0, 1) else 0 if isinstance(now, int) else now + 0.25
        edit = row.name + "".join(f"[{n}]" for n in entry) + f"={other}"
        opened = lab.open(Wanted(name, run=run, edits=(edit,)))
        assert opened.trace[row.path].value[entry] == pytest.approx(other), edit


@pytest.mark.slow
def test_a_weight_of_a_training_that_would_take_too_long_is_refused():
    lab = Lab()
    rows = step_rows(lab.open(Wanted(TOO_LONG)).trace)
    first = next(row for row in rows if row.editable and row.name.endswith("W_Q"))
    with pytest.raises(LabError) as caught:
        lab.open(Wanted(TOO_LONG, edits=(f"{first.name}{'[0]' * len(first.shape)}=0.5",)))
    assert "multiplications, and the lab computes up to" in caught.value.what


def test_a_long_training_is_not_rounded_line_by_line():
    with pytest.raises(LabError):
        Lab().open(
            Wanted(
                "example-4", run="many-epochs", precision="calculator 4 significant", edits=("train.learning_rate=0.2",)
            )
        )


@pytest.mark.parametrize(("name", "run"), [("matrix-core", "nudge1.up"), ("example-3", "telling")])
def test_a_run_of_a_lesson_is_as_the_lesson_works_it_out(lab, name, run):
    rounded = "calculator 3 significant"
    opened = lab.open(Wanted(name, run=run, precision=rounded, convention="pytorch"))
    there = w.lesson(name, precision=rounded, convention="pytorch").trace(run)
    assert opened.trace.precision == there.precision
    for step in there:
        assert numpy.array_equal(step.value, opened.trace[step.path].value), step.path


def test_several_edits_of_numbers_and_settings_work_together(lab):
    opened = lab.open(Wanted("example-2", edits=("model.mask=causal", "W_Q=0.3 0; 0 0.3", "E[0]=1 0.5")))
    assert opened.trace["W_Q"].value.tolist() == [[0.3, 0], [0, 0.3]]
    assert opened.trace["E"].value[0].tolist() == [1, 0.5]
    assert opened.trace["weights"].value[0].tolist() == [1, 0]  # the first token sees only itself


def test_the_later_of_two_edits_in_one_place_counts(lab):
    opened = lab.open(Wanted("example-1", edits=("W_Q[0][1]=0.3", "W_Q[0][1]=0.2")))
    assert opened.trace["W_Q"].value[0, 1] == 0.2


def test_a_token_can_be_edited_by_its_number(lab):
    opened = lab.open(Wanted("example-1", edits=("tokens[0]=2",)))
    assert opened.trace["X"].value[0].tolist() == opened.trace["E"].value[2].tolist()


@pytest.mark.parametrize(
    "edit",
    [
        "", "=", "W_Q", "W_Q[0][1]=", "W_Q[0][9]=1", "W_Q[0][0][0]=1", "W_Q[0]=1 2 3", "W_Q=1 2; 3", "W_Q[0][0]=word",
        "W_Q[0][0]=inf", "W_Q[0][0]=1e999", "nothing[0]=1", "tokens[0]=9", "tokens[0]=0.5", "tokens[0]=-1",
        "model.width=5", "model.mask=sideways", "model.mask[0]=causal", "train.steps=2000000", "input=A Z", "target=Z",
        "W_Q[-1][0]=1", "W_Q[0][1]=__import__('os')", "../../secret=1", "<img src=x>=1", "model.__class__=1",
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_a_sentence(lab, edit):
    with pytest.raises(WorkingsError) as caught:
        lab.open(Wanted("example-2", edits=(edit,)))
    assert caught.value.what
    assert caught.value.hint


def test_edit_that_is_no_number_is_rejected(lab):
    with pytest.raises(LabError) as caught:
        lab.open(Wanted("example-2", edits=("W_Q[0][0]=abc",)))
    assert "must be a finite number" in caught.value.what
    assert "abc" in caught.value.what


def test_of_a_thousand_weights_of_one_name_only_a_few_are_told(lab):
    model = "model: {kind: decoder, width: 2, layers: 1000}"
    text = f"scenario: 1\nvocabulary: A B\n{model}\nparameters: {{W_Q: [[1, 0], [0, 1]]}}\ndata: A -> B"
    with pytest.raises(WorkingsError) as caught:
        lab.open(Wanted(scenario=text))
    assert "' could be any of several weights:" in caught.value.what
    assert "and 992 more" in caught.value.what
    assert len(caught.value.what) < 400


@pytest.mark.parametrize("digits", [0, 18, 99])
def test_a_number_of_digits_that_cannot_be_is_refused(lab, digits):
    with pytest.raises(LabError) as caught:
        lab.open(Wanted("example-2", digits=digits))
    assert "A number cannot be shown with" in caught.value.what


def test_too_many_edits_are_refused(lab):
    with pytest.raises(LabError):
        lab.open(Wanted("example-1", edits=tuple(f"W{n}[0][0]=1" for n in range(201))))


@pytest.mark.parametrize(
    "text",
    [
        "vocabulary: A B\nmodel: {kind: decoder, width: 100000}\ndata: A -> B",
        "vocabulary: A B\nmodel: {kind: decoder, width: 8, layers: 9}\ndata: A -> B\ntrain: {steps: 1000000}",
        "vocabulary: A B\nmodel: {kind: decoder, width: 2}\ndata: A -> B\ntrain: {steps: 1000000}",
        "vocabulary: A B\nmodel: {kind: decoder, width: 2}\ndata: A -> B\n"
        "generate: {prompt: A, max_new_tokens: 99, beams: 99}",
        "model: {kind: decoder, width: 8}\ndata: {text: /etc/passwd}\ntrain: {steps: 1}",
        "model: {kind: decoder, width: 8}\ndata: {text: standard library}\ntrain: {steps: 1}",
        f"given: {{a: [{'1, ' * 4000}1]}}\ncalculate:\n- b = outer(a, a)\n- c = matmul(b, b)",
    ],
)
def test_a_scenario_that_is_too_large_or_reads_a_file_is_refused_before_it_is_computed(lab, text):
    with pytest.raises(LabError) as caught:
        lab.open(Wanted(scenario=f"scenario: 1\n{text}"))
    reasons = ("the lab computes up to", "the lab holds up to", "may not read a file")
    assert any(reason in caught.value.what for reason in reasons)
