"""Sessions: training that is stopped and resumed, steps that are opened, and folders that are refused."""

import numpy
import pytest
from small_sessions import SMALL, TEXT, last_weights, recipe, stopped, trained
from small_training import TASK

from workings.engine.errors import CheckpointError, TrainingError
from workings.engine.files import MissingFileError
from workings.generation.generate import generate
from workings.generation.sampling import Choice
from workings.ops.parts.drawing import Draws
from workings.scenarios.running.checkpoints import load_checkpoint, open_step
from workings.training.checkpoint import steps_in
from workings.training.session import DivergedError, Session, start_over


@pytest.mark.parametrize("run", ["default", "dropping", "accumulating", "steady", "plain"])
def test_stopped_training_resumes_bit_exactly(run, tmp_path):
    whole = trained(tmp_path / "whole", run)
    for step in (7, 13, 15):
        stopped(tmp_path / "parts", step, run)
    parts = trained(tmp_path / "parts", run)
    assert last_weights(tmp_path / "parts") == last_weights(tmp_path / "whole")
    assert parts.losses == whole.losses
    assert len(whole.losses) == 20
    assert parts.checks == whole.checks


def test_last_two_checkpoints_and_those_before_kept_steps_remain(tmp_path):
    trained(tmp_path, changes="train: {keep: [4, 12]}")
    assert steps_in(tmp_path) == [3, 11, 15, 20]
    assert not list(tmp_path.glob(".unfinished*"))


def test_resumed_training_uses_the_threads_of_its_checkpoint(tmp_path):
    session = Session(recipe(), tmp_path, threads=3)
    assert next(session.run()).step == 1
    again = Session(recipe(), tmp_path)
    again.resume()
    assert again.threads == 3
    assert load_checkpoint(tmp_path).threads == 3


def test_opened_step_is_the_same_from_any_checkpoint(tmp_path):
    session = trained(tmp_path / "kept", changes="train: {keep: [12]}")
    trained(tmp_path / "bare")
    near, far = open_step(tmp_path / "kept", "step12"), open_step(tmp_path / "bare", "step12")
    assert near["loss"].value == pytest.approx(session.losses[11], rel=1e-5)
    for step in near:
        assert numpy.array_equal(step.value, far[step.path].value), step.path
    # What the update of this step gives is where the next one starts.
    after = open_step(tmp_path / "bare", "step13")
    for path in load_checkpoint(tmp_path / "bare").weights:
        assert near[f"{path}_new"].value == pytest.approx(after[path].value, abs=1e-6), path
    assert near.history["loss"] == (*session.losses[:11], float(near["loss"].value))


def test_last_step_opens_by_default_and_missing_step_is_rejected(tmp_path):
    trained(tmp_path)
    assert len(open_step(tmp_path).history["loss"]) == 20
    for run, key in (
        ("step21", "This training has no step"),
        ("step0", "This training has no step"),
        ("masked", "' is not a training step."),
    ):
        with pytest.raises((TrainingError, CheckpointError)) as raised:
            open_step(tmp_path, run)
        assert key in raised.value.what


def test_exact_answers_are_those_of_greedy_decoding(tmp_path):
    session = trained(tmp_path, changes="train: {steps: 150}")
    source = session.setup.source
    pairs = source.task.draw(Draws(0), 30, held_out=True)
    found, vocabulary = load_checkpoint(tmp_path), source.vocabulary
    right = 0
    for pair in pairs:
        tokens = generate(found.model, vocabulary.encode(pair.question), Choice(greedy=True), 6, end=vocabulary.end)
        right += vocabulary.decode([token for token in tokens if token != vocabulary.end] or [0]) == pair.answer
    assert session._evaluate(session.trainer.weights(), source.of(pairs))[1] == right / 30
    assert 0 < right < 30


def test_folder_of_another_training_is_rejected(tmp_path):
    trained(tmp_path)
    for changes, key in (
        ("train: {learning_rate: 0.02}", "This folder has another training:"),
        ("model: {width: 32}", "This folder has another training:"),
        ("train: {steps: 30}", "The learning rate falls until step"),
    ):
        with pytest.raises(CheckpointError) as raised:
            trained(tmp_path, changes=changes)
        assert key in raised.value.what
        assert str(tmp_path) in raised.value.where
    assert trained(tmp_path, changes="train: {save_steps: 7, eval_steps: 4}").step == 20
    start_over(tmp_path)
    assert steps_in(tmp_path) == []


def test_constant_rate_can_train_more_steps(tmp_path):
    trained(tmp_path / "short", "steady")
    longer = trained(tmp_path / "short", "steady", "train: {steps: 30}")
    assert longer.losses == trained(tmp_path / "long", "steady", "train: {steps: 30}").losses


def test_changed_data_is_rejected(tmp_path):
    file = tmp_path / "text.txt"
    file.write_text(TEXT)
    text = SMALL.replace(TASK, f"data: {{text: {file}, context: 8}}")
    trained(tmp_path / "run", text=text)
    file.write_text(TEXT.replace("dog", "god"))
    with pytest.raises(CheckpointError) as raised:
        trained(tmp_path / "run", text=text)
    assert "The data has changed since this training began." in raised.value.what
    file.unlink()
    with pytest.raises(MissingFileError):
        trained(tmp_path / "run", text=text)
    # To write with it, the text is not needed any more.
    assert load_checkpoint(tmp_path / "run").model.head is not None


def test_locked_folder_is_rejected_until_released(tmp_path):
    session = Session(recipe(), tmp_path)
    steps = session.run()
    next(steps)
    with pytest.raises(CheckpointError) as raised:
        trained(tmp_path)
    assert "Another training is writing into this folder." in raised.value.what
    steps.close()  # as if it had been killed
    assert trained(tmp_path).step == 20


def test_kept_checkpoint_remains_in_a_later_session(tmp_path):
    stopped(tmp_path, 15, "default", "train: {keep: [4]}")
    assert steps_in(tmp_path) == [3, 10, 15]
    trained(tmp_path)
    assert steps_in(tmp_path) == [3, 15, 20]


def test_stopping_session_saves_its_current_step(tmp_path):
    session = Session(recipe(), tmp_path)
    for progress in session.run():
        session.stopping = progress.step == 6
    assert session.step == 6
    assert steps_in(tmp_path)[-1] == 6


def test_diverged_training_names_number_and_gradient(tmp_path):
    with pytest.raises(DivergedError) as raised:
        trained(tmp_path, "plain", "train: {learning_rate: 1000000, warmup_steps: 0}")
    assert "The largest gradient before it was that of" in raised.value.what
    assert raised.value.steepest in load_checkpoint(tmp_path).weights
    trained(tmp_path / "calm", "plain")
    assert raised.value.place in {step.path for step in open_step(tmp_path / "calm", "step1")}
    assert 2 <= raised.value.step <= 20
    assert steps_in(tmp_path)  # what was saved is still there


def test_step_with_an_update_per_example_opens_with_its_mean_loss(tmp_path):
    text = """
scenario: 1
vocabulary: A B C D
model: {kind: decoder, width: 4, heads: 2, head: last-token}
parameters: {seed: 5}
data: [{input: A B, target: C}, {input: A A, target: D}]
train: {optimizer: adam, learning_rate: 0.05, steps: 4, save_steps: 2, batch_size: 1}
"""
    session = trained(tmp_path, text=text)
    assert session.trainer.updates == 8
    trace = open_step(tmp_path, "step3")
    assert trace.history["loss"] == pytest.approx(session.losses[:3], rel=1e-12)
    assert trace["update2.loss"].value != trace["update1.loss"].value


def test_calculation_without_a_model_is_rejected_before_anything_is_written(tmp_path):
    text = "scenario: 1\ngiven: {x: [1.5, -0.5]}\nparameters: {W: [[0.3], [0.5]]}\n"
    text += "calculate: [y = x @ W, loss = mean(y)]\ntrain: {steps: 3}\n"
    with pytest.raises(TrainingError, match="nothing to store in a checkpoint"):
        trained(tmp_path / "run", text=text)
    assert not (tmp_path / "run").exists()
