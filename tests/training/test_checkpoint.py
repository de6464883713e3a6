"""Checkpoints: complete or not there at all; damaged or misfitting ones are rejected with one sentence."""

import copy
import errno
import json
import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import numpy
import pytest
import safetensors.numpy as safetensors
from hypothesis import given, settings
from hypothesis import strategies as some
from small_sessions import SMALL, TEXT, last_weights, recipe, stopped, trained
from small_training import BEGINNING, TASK

from workings.engine import files
from workings.engine.errors import CheckpointError
from workings.scenarios.running.checkpoints import load_checkpoint
from workings.training.checkpoint import steps_in
from workings.training.checkpoint_format import FORMAT, STATE, WEIGHTS
from workings.training.session import Session, start_over


def test_checkpoint_has_vocabulary_model_and_losses(tmp_path):
    session = trained(tmp_path)
    found = load_checkpoint(tmp_path)
    assert found.step == found.updates == 20
    assert found.vocabulary.entries == ("<pad>", "<s>", "</s>", "a", "b", "c", "d", ">")
    assert found.losses == tuple(session.losses)
    assert found.architecture.max_positions == found.longest == 9
    weights = session.trainer.weights()
    for path, weight in found.model.parameters().items():
        assert numpy.array_equal(weight.array, weights[path].array)
    state = json.loads((tmp_path / "step-000020" / STATE).read_text())
    assert state["seed"] == 3
    assert state["architecture"]["width"] == 16


def test_weights_can_be_read_by_other_programs(tmp_path):
    from safetensors.torch import load_file

    trained(tmp_path)
    tensors = load_file(tmp_path / "step-000020" / WEIGHTS)
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
    assert found.vocabulary == session.setup.source.vocabulary
    assert found.vocabulary.encode("the cat") == session.setup.source.vocabulary.encode("the cat")
    assert len(found.vocabulary) == found.architecture.vocab_size == 270


# -- damaged files -----------------------------------------------------------------------------------


def _flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


DAMAGED = "This file is damaged: its content is not what was written."
OTHER_FORMAT = "This is not a checkpoint that can be read here: its format is"
DAMAGES = {
    "a flipped bit": (WEIGHTS, _flip, DAMAGED),
    "cut off": (WEIGHTS, lambda path: path.write_bytes(path.read_bytes()[:100]), DAMAGED),
    "empty": (WEIGHTS, lambda path: path.write_bytes(b""), DAMAGED),
    "gone": (WEIGHTS, lambda path: path.unlink(), "There is no file"),
    "a pipe": (WEIGHTS, lambda path: (path.unlink(), os.mkfifo(path)), "is a pipe or a device"),
    "no JSON": (STATE, lambda path: path.write_text("{"), DAMAGED),
    "a list": (STATE, lambda path: path.write_text("[]"), DAMAGED),
    "keys missing": (STATE, lambda path: path.write_text("{}"), DAMAGED),
    "nested too deeply": (STATE, lambda path: path.write_text("[" * 100_000), DAMAGED),
    "too many digits": (STATE, lambda path: path.write_text('{"step": ' + "9" * 5000 + "}"), DAMAGED),
    "a digit": (STATE, lambda path: path.write_text(path.read_text().replace('"step": 20', '"step": 21')), DAMAGED),
    "another format": (STATE, lambda path: path.write_text('{"format": "other/2"}'), OTHER_FORMAT),
    "a number as format": (STATE, lambda path: path.write_text('{"format": [2]}'), OTHER_FORMAT),
}  # fmt: skip


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """A folder with a training of 20 steps: not to be changed."""
    folder = tmp_path_factory.mktemp("checkpoints") / "sample"
    trained(folder)
    return folder


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_checkpoint_is_rejected(damage, sample, tmp_path):
    file, spoil, key = DAMAGES[damage]
    folder = tmp_path / "run"
    shutil.copytree(sample, folder)
    spoil(folder / "step-000020" / file)
    with pytest.raises(CheckpointError) as raised:
        load_checkpoint(folder)
    assert key in raised.value.what
    assert "step-000020" in raised.value.where


def test_previous_checkpoint_is_used_once_the_damaged_one_is_gone(tmp_path):
    whole = trained(tmp_path)
    _flip(tmp_path / "step-000020" / WEIGHTS)
    shutil.rmtree(tmp_path / "step-000020")  # as the error says
    assert load_checkpoint(tmp_path).step == 15
    assert trained(tmp_path).losses == whole.losses


# -- checksums that are right, and content that is not -------------------------------------------------


class Forged:
    """A checkpoint whose content can be changed, with checksums to match."""

    def __init__(self, sample, step=20):
        self.name = f"step-{step:06d}"
        folder = sample / self.name
        self.state = json.loads((folder / STATE).read_bytes())
        self.arrays = safetensors.load((folder / WEIGHTS).read_bytes())

    def save(self, folder):
        place = folder / self.name
        place.mkdir(parents=True, exist_ok=True)
        content = safetensors.save(self.arrays)
        state = copy.deepcopy(self.state)
        if isinstance(state.get("weights"), dict):
            state["weights"]["sha256"] = sha256(content).hexdigest()
        state.pop("sha256", None)
        state["sha256"] = sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()
        (place / WEIGHTS).write_bytes(content)
        (place / STATE).write_text(json.dumps(state))
        return folder


def _changed(**keys):
    return lambda forged: forged.state.update(keys)


def _without(key):
    return lambda forged: forged.state.pop(key)


def _recipe(**keys):
    return lambda forged: forged.state["recipe"].update(keys)


def _array(name, change):
    def apply(forged):
        forged.arrays[name] = change(forged.arrays[name])

    return apply


CHECK = {"step": 10, "loss": 1.0, "exact": 0.5, "texts": 256}
W_Q, M = "weight.block1.attention.W_Q", "carried.m.block1.attention.W_Q"
FORGERIES = {
    **{f"no {key}": (_without(key), f"it has no `{key}`") for key in ("step", "updates", "recipe", "longest", "data")},
    **{f"no {key}": (_without(key), f"it has no `{key}`") for key in ("vocabulary", "checks", "threads", "weights")},
    "a negative step": (_changed(step=-1), "`step` is -1, not a whole number from 0"),
    "a fraction of a step": (_changed(step=19.5), "`step` is 19.5"),
    "a text as step": (_changed(step="20"), "`step` is '20'"),
    "true as step": (_changed(step=True), "`step` is True"),
    "another step": (_changed(step=19), "one loss for each of 19 steps"),
    "a huge step": (_changed(step=10**30), "`step` is 1000"),
    "fewer updates than steps": (_changed(updates=3), "`updates` is 3"),
    "a huge text": (_changed(longest=10**18), "`longest` is 1000"),
    "threads without end": (_changed(threads=10**9), "`threads` is 1000"),
    "no threads": (_changed(threads=0), "`threads` is 0"),
    "a number as fingerprint": (_changed(data=7), "`data` is 7, not a text"),
    "a text as checks": (_changed(checks="none"), "`checks` is 'none', not a list"),
    "a check without loss": (_changed(checks=[{"step": 1}]), "is not an evaluation"),
    "a check of nothing": (_changed(checks=[None]), "None is not an evaluation"),
    "a check that is not a number": (_changed(checks=[{**CHECK, "loss": float("nan")}]), "`loss` is nan"),
    "a list as weights": (_changed(weights=[]), "it has no checksum of the weights"),
    "a vocabulary of numbers": (_changed(vocabulary=[1, 2]), "its vocabulary cannot be read"),
    "a vocabulary without tokens": (_changed(vocabulary={"kind": "tokens"}), "its vocabulary cannot be read"),
    "no vocabulary at all": (_changed(vocabulary=None), "embedding.E has the shape"),
    "a recipe of numbers": (_recipe(text=3), "its `recipe` is not a mapping of texts"),
    "half a recipe": (lambda forged: forged.state["recipe"].pop("run"), "its scenario cannot be read (A recipe has"),
    "a recipe that is no YAML": (_recipe(text="{"), "its scenario cannot be read"),
    "a recipe that cannot be encoded": (_recipe(text="\ud800"), "its scenario cannot be read"),
    "a recipe with an unknown key": (_recipe(text="scenario: 1\nmodle: 3"), "its scenario cannot be read"),
    "a recipe that trains nothing": (_recipe(text="scenario: 1\ncalculate: [y = exp(1)]"), "its scenario cannot"),
    "an unknown run": (_recipe(run="de\nfault"), "its scenario cannot be read (There is no run 'de fault')"),
    "changes that are no YAML": (_recipe(changes="]"), "its scenario cannot be read"),
    "another model": (_recipe(changes="model: {width: 32}"), "has the shape"),
    "a model with another layer": (_recipe(changes="model: {layers: 2}"), "the weight block2"),
    "a key of version 0.8": (_recipe(changes="train: {optimiser: adam}"), "its scenario cannot be read"),
    "NaN as a loss": (_array("losses", lambda losses: losses * float("nan")), "'losses' has an entry that is not"),
    "a loss too few": (_array("losses", lambda losses: losses[:-1]), "one loss for each of 20 steps"),
    "no losses": (lambda forged: forged.arrays.pop("losses"), "one loss for each of 20 steps"),
    "an infinite weight": (_array(W_Q, lambda array: array / 0), "has an entry that is not a finite number"),
    "a weight that is missing": (lambda forged: forged.arrays.pop(W_Q), "the weight block1.attention.W_Q is missing"),
    "a weight too many": (lambda forged: forged.arrays.update({"weight.x": numpy.ones(2)}), "has no weight 'x'"),
    "a weight of another shape": (_array(W_Q, lambda array: array[:-1]), "has the shape (15, 16)"),
    "a weight of whole numbers": (_array(W_Q, lambda array: array.astype(int)), "is an array of int64"),
    "an array of another name": (lambda forged: forged.arrays.update({"x": numpy.ones(2)}), "of another name, 'x'"),
    "memory of another shape": (_array(M, lambda array: array[:-1]), "m of block1.attention.W_Q has the shape"),
    "memory of no weight": (lambda forged: forged.arrays.update({"carried.m.x": numpy.ones(2)}), "has no weight 'x'"),
}  # fmt: skip


@pytest.mark.parametrize("forgery", FORGERIES)
@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.filterwarnings("ignore:invalid value")
def test_checkpoint_with_unusable_content_is_rejected(forgery, sample, tmp_path):
    change, words = FORGERIES[forgery]
    forged = Forged(sample)
    change(forged)
    with pytest.raises(CheckpointError) as raised:
        load_checkpoint(forged.save(tmp_path))
    assert raised.value.what.startswith("This checkpoint cannot be used: ")
    assert words in raised.value.what
    assert "\n" not in raised.value.what
    assert str(tmp_path / "step-000020") in raised.value.where


MISFITS = {
    "more updates than were made": _changed(updates=40),
    "memory that is missing": lambda forged: forged.arrays.pop(M),
    "memory of one kind only": lambda forged: [forged.arrays.pop(n) for n in list(forged.arrays) if ".v." in n],
    "a weight of another precision": _array(W_Q, lambda array: array.astype("float64")),
}


@pytest.mark.parametrize("misfit", MISFITS)
def test_checkpoint_that_does_not_fit_the_training_is_not_resumed(misfit, sample, tmp_path):
    forged = Forged(sample)
    MISFITS[misfit](forged)
    session = Session(recipe(), forged.save(tmp_path))
    with pytest.raises(CheckpointError, match="This checkpoint does not fit the model that is trained"):
        session.resume()
    assert session.step == 0


def test_checkpoint_in_the_folder_of_another_step_is_rejected(sample, tmp_path):
    shutil.copytree(sample / "step-000020", tmp_path / "step-000030")
    with pytest.raises(CheckpointError, match="should hold step 30, and holds step 20"):
        load_checkpoint(tmp_path)


ANY_JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(max_size=20),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def places(node, path=()):
    """The paths of all values of a JSON document."""
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in children:
        yield (*path, key)
        yield from places(value, (*path, key))


@settings(max_examples=150, deadline=None)
@given(some.data())
def test_any_change_of_the_state_loads_or_is_rejected(sample, tmp_path_factory, data):
    forged = Forged(sample)
    *above, last = data.draw(some.sampled_from(list(places(forged.state))))
    node = forged.state
    for key in above:
        node = node[key]
    if data.draw(some.booleans()):
        node[last] = data.draw(ANY_JSON)
    else:
        del node[last]
    folder = forged.save(tmp_path_factory.mktemp("forged"))
    try:
        found = load_checkpoint(folder)
        assert found.model.parameters().keys() == found.weights.keys()
    except CheckpointError as error:
        said = error.what
    else:
        said = ""
    finally:
        shutil.rmtree(folder)
    assert "\n" not in said


# -- version 0.8 ---------------------------------------------------------------------------------------


OLD = (
    BEGINNING
    + """
train:
  {optimiser: adamw, rate: 0.01, warmup: 4, fall: cosine, floor: 0.1, clip: 1,
   size: 8, steps: 20, save: 5, check: 10}
runs:
  dropping: {model: {dropout: 0.2}}
  accumulating: {train: {parts: 3, average: sequences}}
  steady: {train: {fall: none}}
  plain: {train: {optimiser: sgd, clip: null}}
"""
)
OLD_CHANGES = {"": "", '{"train": {"optimizer": "momentum"}}': '{"train": {"optimiser": "momentum"}}'}


@pytest.mark.parametrize("run", ["default", "plain"])
@pytest.mark.parametrize("changes", OLD_CHANGES)
def test_checkpoint_of_version_08_resumes_bit_exactly(run, changes, tmp_path):
    trained(tmp_path / "whole", run, changes)
    stopped(tmp_path / "old", 10, run, changes)
    for step in steps_in(tmp_path / "old"):
        forged = Forged(tmp_path / "old", step)
        forged.state["format"] = "workings/checkpoint/1"
        forged.state["recipe"] |= {"text": OLD, "changes": OLD_CHANGES[changes]}
        forged.save(tmp_path / "old")
    assert load_checkpoint(tmp_path / "old").recipe == recipe(run, changes)
    trained(tmp_path / "old", run, changes)
    assert last_weights(tmp_path / "old") == last_weights(tmp_path / "whole")
    assert json.loads((tmp_path / "old" / "step-000020" / STATE).read_text())["format"] == FORMAT


# -- the disk ------------------------------------------------------------------------------------------


def test_foreign_folder_is_not_a_checkpoint(tmp_path):
    (tmp_path / "step-000005").mkdir()
    (tmp_path / "step-000005" / "thesis.txt").write_text("years of work")
    (tmp_path / "step-5").mkdir()
    assert steps_in(tmp_path) == []
    start_over(tmp_path)
    assert (tmp_path / "step-000005" / "thesis.txt").exists()


def test_folder_without_checkpoint_is_rejected(tmp_path):
    for path in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(CheckpointError) as raised:
            load_checkpoint(path)
        assert "There is no checkpoint here." in raised.value.what
    trained(tmp_path)
    with pytest.raises(CheckpointError, match="20"):
        load_checkpoint(tmp_path, 7)


def test_full_disk_leaves_the_previous_checkpoint_intact(tmp_path):
    resource = pytest.importorskip("resource")
    stopped(tmp_path, 7)
    before = last_weights(tmp_path)
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
    assert "The checkpoint could not be written:" in raised.value.what
    assert "step 5" in str(raised.value)
    assert steps_in(tmp_path) == [0, 5]
    assert last_weights(tmp_path) == before
    assert not list(tmp_path.glob(".unfinished*"))
    assert trained(tmp_path).losses == trained(tmp_path.parent / f"{tmp_path.name}-whole").losses


def test_file_in_the_place_of_the_folder_is_rejected(tmp_path):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(CheckpointError) as raised:
        trained(tmp_path / "file")
    assert "The checkpoint could not be written:" in raised.value.what


def test_leftovers_of_an_interrupted_save_are_removed(tmp_path):
    stopped(tmp_path, 7)
    (tmp_path / ".unfinished-000010-999999999").mkdir()
    (tmp_path / ".unfinished-000010-999999999" / WEIGHTS).write_bytes(b"half")
    trained(tmp_path)
    assert steps_in(tmp_path) == [15, 20]
    assert not list(tmp_path.glob(".unfinished*"))


@pytest.mark.parametrize("name", ["step-000005", "step-000000", "step-000020"])
def test_folder_in_the_way_of_a_checkpoint_is_rejected_before_training(name, tmp_path):
    (tmp_path / name).mkdir()
    (tmp_path / name / "thesis.txt").write_text("years of work")
    session = Session(recipe(), tmp_path)
    with pytest.raises(CheckpointError, match=f"{name} is in the way: it is not a checkpoint"):
        next(session.run())
    assert session.step == 0
    assert (tmp_path / name / "thesis.txt").exists()


def test_folder_in_the_place_of_the_lock_is_rejected(tmp_path):
    (tmp_path / ".lock").mkdir()
    with pytest.raises(CheckpointError, match=r"could not be written: \.lock in it is a folder"):
        trained(tmp_path)


REFUSALS = {errno.ENOSPC: "No space left on device", errno.EACCES: "Permission denied", errno.EROFS: "Read-only file"}


@pytest.mark.parametrize("number", REFUSALS)
@pytest.mark.parametrize("call", ["mkdir", "open", "fsync", "rename"])
def test_refusal_of_the_system_becomes_one_sentence(number, call, sample, tmp_path, monkeypatch):
    session = Session(recipe(), tmp_path / "run")
    session.advance_to(3)

    def refuse(*arguments, **options):
        raise OSError(number, os.strerror(number))

    target = {"mkdir": (Path, "mkdir"), "open": ("builtins.open",), "fsync": (os, "fsync"), "rename": (os, "rename")}
    monkeypatch.setattr(*target[call], refuse)
    with pytest.raises(CheckpointError, match=f"The checkpoint could not be written: {REFUSALS[number]}"):
        session.save(set())
    monkeypatch.undo()
    assert steps_in(tmp_path / "run") == []
    assert not list((tmp_path / "run").glob(".unfinished*"))
    session.save(set())
    assert steps_in(tmp_path / "run") == [3]


@pytest.mark.parametrize("call", ["iterdir", "exists", "open"])
def test_checkpoint_that_may_not_be_read_is_rejected(call, sample, monkeypatch):
    def refuse(*arguments, **options):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(files if call == "open" else Path, call, refuse, raising=False)
    for path in (sample, sample / "step-000020"):
        if call == "iterdir" and path != sample:
            continue
        with pytest.raises(CheckpointError, match="be read: Permission denied"):
            load_checkpoint(path)


def test_training_needs_no_standard_streams(tmp_path):
    code = """
import sys
from pathlib import Path
from small_sessions import trained
from workings.training.training_page import training_document
assert sys.stdout is None and sys.stderr is None
training_document(trained(Path(sys.argv[1])))
"""
    paths = os.pathsep.join(path for path in sys.path if path)
    script = f'exec "{sys.executable}" -c "$0" "$1" >&- 2>&-'
    done = subprocess.run(
        ["sh", "-c", script, code, str(tmp_path)], env={**os.environ, "PYTHONPATH": paths}, check=False
    )
    assert done.returncode == 0
    assert load_checkpoint(tmp_path).step == 20
