"""Training that is stopped and goes on, and checkpoints that are there as a whole or not at all."""

import json
import shutil

import numpy
import pytest
from small_training import BEGINNING, TASK

from workings.engine.errors import CheckpointError, DataError, TrainingError
from workings.models.generating.choice import Choice
from workings.models.generating.generate import generate
from workings.models.learning import checkpoint as files
from workings.models.learning.checkpoint import load_checkpoint
from workings.models.learning.opening import open_step
from workings.models.learning.recipe import Recipe
from workings.models.learning.session import Session, begin_anew
from workings.ops.drawing import Draws

SMALL = (
    BEGINNING
    + """
train:
  {optimiser: adamw, rate: 0.01, warmup: 4, fall: cosine, floor: 0.1, clip: 1, size: 8, steps: 20, save: 5, check: 10}
runs:
  dropping: {model: {dropout: 0.2}}
  accumulating: {train: {parts: 3, average: sequences}}
  steady: {train: {fall: none}}
  plain: {train: {optimiser: sgd, clip: null}}
"""
)
TEXT = "the cat sat on the mat and the dog sat on the log\n" * 40


def recipe(run="default", changes="", text=SMALL):
    return Recipe("small", text, run, changes)


def trained(folder, *arguments, **settings):
    session = Session(recipe(*arguments, **settings), folder)
    session.resume()
    list(session.run())
    return session


def stopped(folder, step, *arguments):
    """A training that was stopped after a step, and leaves only what it had saved."""
    session = Session(recipe(*arguments), folder)
    session.resume()
    for progress in session.run():
        if progress.step == step:
            return


def content(folder):
    (step,) = files.steps_in(folder)[-1:]
    return (folder / f"step-{step:06d}" / files.WEIGHTS).read_bytes()


@pytest.mark.parametrize("run", ["default", "dropping", "accumulating", "steady", "plain"])
def test_a_training_that_was_stopped_goes_on_to_the_last_bit(run, tmp_path):
    whole = trained(tmp_path / "whole", run)
    for step in (7, 13, 15):
        stopped(tmp_path / "parts", step, run)
    parts = trained(tmp_path / "parts", run)
    assert content(tmp_path / "parts") == content(tmp_path / "whole")
    assert parts.losses == whole.losses
    assert len(whole.losses) == 20
    assert parts.checks == whole.checks


def test_only_the_last_two_checkpoints_and_those_before_kept_steps_stay(tmp_path):
    trained(tmp_path, changes="train: {keep: [4, 12]}")
    assert files.steps_in(tmp_path) == [3, 11, 15, 20]
    assert not list(tmp_path.glob(".unfinished*"))


def test_a_training_goes_on_with_as_many_threads_as_it_began(tmp_path):
    session = Session(recipe(), tmp_path, threads=3)
    assert next(session.run()).step == 1
    again = Session(recipe(), tmp_path)
    again.resume()
    assert again.threads == 3
    assert load_checkpoint(tmp_path).threads == 3


def test_any_step_opens_as_a_trace_wherever_it_starts_from(tmp_path):
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
    assert near.history["loss"] == [*session.losses[:11], float(near["loss"].value)]


def test_the_step_that_is_opened_is_the_last_unless_told_and_must_be_there(tmp_path):
    trained(tmp_path)
    assert len(open_step(tmp_path).history["loss"]) == 20
    for run, key in (("step21", "train.done"), ("step0", "train.done"), ("masked", "checkpoint.run")):
        with pytest.raises((TrainingError, CheckpointError)) as raised:
            open_step(tmp_path, run)
        assert raised.value.key == key


def test_answers_that_count_as_right_are_those_that_are_written_token_by_token(tmp_path):
    session = trained(tmp_path, changes="train: {steps: 150}")
    source = session.computation.source
    pairs = source.task.draw(Draws(0), 30, held_out=True)
    found, vocabulary = load_checkpoint(tmp_path), source.vocabulary
    right = 0
    for pair in pairs:
        tokens = generate(found.model, vocabulary.encode(pair.question), Choice(greedy=True), 6, end=vocabulary.end)
        right += vocabulary.decode([token for token in tokens if token != vocabulary.end] or [0]) == pair.answer
    verdict = session._judge(session.training.weights(), source.of(pairs))
    assert verdict.exact == right / 30
    assert 0 < right < 30


def test_another_training_in_the_folder_is_refused(tmp_path):
    trained(tmp_path)
    for changes, key in (
        ("train: {rate: 0.02}", "checkpoint.other"),
        ("model: {width: 32}", "checkpoint.other"),
        ("train: {steps: 30}", "checkpoint.falls"),
    ):
        with pytest.raises(CheckpointError) as raised:
            trained(tmp_path, changes=changes)
        assert raised.value.key == key
        assert str(tmp_path) in raised.value.where
    assert trained(tmp_path, changes="train: {save: 7, check: 4}").step == 20
    begin_anew(tmp_path)
    assert files.steps_in(tmp_path) == []


def test_a_steady_rate_can_go_on_for_longer(tmp_path):
    trained(tmp_path / "short", "steady")
    longer = trained(tmp_path / "short", "steady", "train: {steps: 30}")
    assert longer.losses == trained(tmp_path / "long", "steady", "train: {steps: 30}").losses


def test_other_data_than_at_the_beginning_is_refused(tmp_path):
    file = tmp_path / "text.txt"
    file.write_text(TEXT)
    text = SMALL.replace(TASK, f"data: {{text: {file}, context: 8}}")
    trained(tmp_path / "run", text=text)
    file.write_text(TEXT.replace("dog", "god"))
    with pytest.raises(CheckpointError) as raised:
        trained(tmp_path / "run", text=text)
    assert raised.value.key == "checkpoint.data"
    file.unlink()
    with pytest.raises(DataError):
        trained(tmp_path / "run", text=text)
    # To write with it, the text is not needed any more.
    assert load_checkpoint(tmp_path / "run").model.head is not None


def _flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


DAMAGES = {
    "a flipped bit": (files.WEIGHTS, _flip, "checkpoint.damaged"),
    "cut off": (files.WEIGHTS, lambda path: path.write_bytes(path.read_bytes()[:100]), "checkpoint.damaged"),
    "empty": (files.WEIGHTS, lambda path: path.write_bytes(b""), "checkpoint.damaged"),
    "gone": (files.WEIGHTS, lambda path: path.unlink(), "checkpoint.read"),
    "no JSON": (files.STATE, lambda path: path.write_text("{"), "checkpoint.damaged"),
    "a list": (files.STATE, lambda path: path.write_text("[]"), "checkpoint.damaged"),
    "keys missing": (files.STATE, lambda path: path.write_text("{}"), "checkpoint.damaged"),
    "a digit": (
        files.STATE,
        lambda path: path.write_text(path.read_text().replace('"updates": 20', '"updates": 19')),
        "checkpoint.damaged",
    ),
    "another format": (files.STATE, lambda path: path.write_text('{"format": "other/2"}'), "checkpoint.format"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_checkpoint_is_refused_with_a_sentence(damage, tmp_path):
    file, spoil, key = DAMAGES[damage]
    trained(tmp_path)
    spoil(tmp_path / "step-000020" / file)
    with pytest.raises(CheckpointError) as raised:
        load_checkpoint(tmp_path)
    assert raised.value.key == key
    assert "step-000020" in raised.value.where


def test_of_two_checkpoints_the_older_one_is_there_if_the_last_is_damaged(tmp_path):
    whole = trained(tmp_path)
    _flip(tmp_path / "step-000020" / files.WEIGHTS)
    shutil.rmtree(tmp_path / "step-000020")  # as the error says
    assert load_checkpoint(tmp_path).step == 15
    assert trained(tmp_path).losses == whole.losses


def test_a_folder_in_which_somebody_writes_is_left_alone(tmp_path):
    session = Session(recipe(), tmp_path)
    steps = session.run()
    next(steps)
    with pytest.raises(CheckpointError) as raised:
        trained(tmp_path)
    assert raised.value.key == "checkpoint.busy"
    steps.close()  # as if it had been killed
    assert trained(tmp_path).step == 20


def test_what_was_kept_stays_when_nobody_asks_for_it_again(tmp_path):
    stopped(tmp_path, 15, "default", "train: {keep: [4]}")
    assert files.steps_in(tmp_path) == [3, 10, 15]
    trained(tmp_path)
    assert files.steps_in(tmp_path) == [3, 15, 20]


def test_a_training_that_is_asked_to_stop_saves_the_step_that_it_makes(tmp_path):
    session = Session(recipe(), tmp_path)
    for progress in session.run():
        session.stopping = progress.step == 6
    assert session.step == 6
    assert files.steps_in(tmp_path)[-1] == 6


def test_a_folder_of_somebody_else_is_no_checkpoint(tmp_path):
    (tmp_path / "step-000005").mkdir()
    (tmp_path / "step-000005" / "thesis.txt").write_text("years of work")
    (tmp_path / "step-5").mkdir()
    assert files.steps_in(tmp_path) == []
    begin_anew(tmp_path)
    assert (tmp_path / "step-000005" / "thesis.txt").exists()


def test_no_checkpoint_at_all(tmp_path):
    for path in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(CheckpointError) as raised:
            load_checkpoint(path)
        assert raised.value.key == "checkpoint.none"
    trained(tmp_path)
    with pytest.raises(CheckpointError, match="20"):
        load_checkpoint(tmp_path, 7)


def test_a_full_disk_leaves_the_old_checkpoint_whole(tmp_path):
    resource = pytest.importorskip("resource")
    stopped(tmp_path, 7)
    before = content(tmp_path)
    session = Session(recipe(), tmp_path)
    session.resume()
    session.advance_to(8)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(
        resource.RLIMIT_FSIZE, (4000, limits[1])
    )  # no file may grow beyond this: as if there was no room
    try:
        with pytest.raises(CheckpointError) as raised:
            session.save(set())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert raised.value.key == "checkpoint.write"
    assert "step 5" in str(raised.value)
    assert files.steps_in(tmp_path) == [0, 5]
    assert content(tmp_path) == before
    assert not list(tmp_path.glob(".unfinished*"))
    assert trained(tmp_path).losses == trained(tmp_path.parent / f"{tmp_path.name}-whole").losses


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(CheckpointError) as raised:
        trained(tmp_path / "file")
    assert raised.value.key == "checkpoint.write.first"


def test_what_an_interrupted_save_left_behind_is_swept_away(tmp_path):
    stopped(tmp_path, 7)
    (tmp_path / ".unfinished-000010-999999999").mkdir()
    (tmp_path / ".unfinished-000010-999999999" / files.WEIGHTS).write_bytes(b"half")
    trained(tmp_path)
    assert files.steps_in(tmp_path) == [15, 20]
    assert not list(tmp_path.glob(".unfinished*"))


def test_a_rate_that_is_too_high_stops_training_and_says_where(tmp_path):
    with pytest.raises(TrainingError) as raised:
        trained(tmp_path, "plain", "train: {rate: 1000000, warmup: 0}")
    assert raised.value.key == "train.blown"
    said = raised.value.values
    assert said["steepest"] in load_checkpoint(tmp_path).weights
    trained(tmp_path / "calm", "plain")
    assert said["path"] in {step.path for step in open_step(tmp_path / "calm", "step1")}
    assert 2 <= said["step"] <= 20
    assert files.steps_in(tmp_path)  # what was saved is still there


def test_a_checkpoint_has_its_vocabulary_its_model_and_what_it_learned(tmp_path):
    session = trained(tmp_path)
    found = load_checkpoint(tmp_path)
    assert found.step == found.updates == 20
    assert found.vocabulary.entries == ("<pad>", "<s>", "</s>", "a", "b", "c", "d", ">")
    assert found.losses == tuple(session.losses)
    assert found.architecture.positions == found.longest == 9
    weights = session.training.weights()
    for path, weight in found.model.parameters().items():
        assert numpy.array_equal(weight.array, weights[path].array)
    state = json.loads((tmp_path / "step-000020" / files.STATE).read_text())
    assert state["seed"] == 3
    assert state["architecture"]["width"] == 16


def test_the_weights_are_a_safetensors_file_that_others_can_read(tmp_path):
    from safetensors.torch import load_file

    trained(tmp_path)
    tensors = load_file(tmp_path / "step-000020" / files.WEIGHTS)
    ours = load_checkpoint(tmp_path)
    for path, weight in ours.weights.items():
        assert numpy.array_equal(tensors[f"weight.{path}"].numpy(), weight)
        assert f"carried.m.{path}" in tensors


def test_byte_pairs_are_stored_with_their_merges(tmp_path):
    file = tmp_path / "text.txt"
    file.write_text(TEXT)
    data = f"data: {{text: {file}, context: 8}}\nvocabulary: {{unit: byte-pair, size: 270}}"
    text = SMALL.replace(TASK, data)
    session = trained(tmp_path / "run", text=text)
    found = load_checkpoint(tmp_path / "run")
    assert found.vocabulary == session.computation.source.vocabulary
    assert found.vocabulary.encode("the cat") == session.computation.source.vocabulary.encode("the cat")
    assert len(found.vocabulary) == found.architecture.vocabulary == 270
