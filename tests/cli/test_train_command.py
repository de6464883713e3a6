"""`workings train`, and what is done with its folder: going on, generating, opening a step."""

import json
import re
import signal
import subprocess
import sys
import time

import pytest
from small_training import SMALL, TASK
from started import started


@pytest.fixture
def small(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.yaml").write_text(SMALL)
    return tmp_path


@pytest.fixture
def trains(run):
    """Train: the page at the end, and what was told on the way."""

    def command(*words):
        code, out, err = run("train", *words)
        assert code == 0, err
        return out, err

    return command


def test_a_training_goes_on_generates_and_opens(small, trains, works):
    page, told = trains("small.yaml", "-o", "run", "--steps", "10")
    assert "step 10: loss" in told
    assert "What small.yaml has learned" in page
    assert "continues from step 10 of 20" in trains("run", "--steps", "20")[1]
    assert "Nothing is left to do: 20 of 20 steps are done" in trains("small.yaml", "-o", "run")[1]
    assert "block1.attention.scores" in works("trace", "run", "--run", "step12", "--step", "block1.attention.scores")
    data = json.loads(works("trace", "run", "--run", "step12", "--step", "loss", "--format", "json"))
    assert len(data["runs"][0]["history"][0]["value"]) == 12
    assert works("generate", "run", "abc>", "--greedy", "--max-new-tokens", "3").startswith("abc>")


def test_the_same_training_in_one_go_is_the_same(small, trains):
    trains("small.yaml", "-o", "parts", "--steps", "10")
    trains("small.yaml", "-o", "parts")
    trains("small.yaml", "-o", "whole")
    one, other = (small / name / "step-000020" / "weights.safetensors" for name in ("parts", "whole"))
    assert one.read_bytes() == other.read_bytes()


def test_beginning_anew_is_asked_for(small, trains, fails):
    trains("small.yaml", "-o", "run")
    assert "another training" in fails("train", "small.yaml", "-o", "run", "--learning-rate", "0.02")
    assert "Training small.yaml: 20 steps" in trains("small.yaml", "-o", "run", "--learning-rate", "0.02", "--fresh")[1]


def test_what_cannot_begin_removes_nothing(small, trains, fails):
    trains("small.yaml", "-o", "run")
    (small / "empty.txt").write_text("")
    assert "There is no text" in fails("train", "--data", "empty.txt", "-o", "run", "--fresh")
    assert (small / "run" / "step-000020" / "state.json").exists()


def test_beginning_anew_in_a_folder_forgets_what_was_asked_before(small, trains):
    trains("small.yaml", "-o", "run", "--steps", "3")
    assert "Training small.yaml: 20 steps" in trains("run", "--fresh")[1]


def test_the_name_of_a_scenario_means_the_scenario(small, trains, works):
    trains("copy", "--steps", "2", "--save-steps", "1")
    shown = [works("trace", name, "--run", "step2", "--step", "loss") for name in ("copy", "./copy")]
    assert shown[0] == shown[1]
    assert "continues from step 2" in trains("copy", "--steps", "2", "--save-steps", "1")[1]


def test_a_text_that_has_moved_is_known_by_its_content(small, trains, fails):
    text = small / "rhyme.txt"
    text.write_text("one two buckle my shoe three four knock at the door\n" * 40)
    trains("--data", "rhyme.txt", "--steps", "2", "--save-steps", "1")
    text.rename(small / "moved.txt")
    assert "There is no file" in fails("train", "rhyme")
    assert "continues from step 2" in trains("rhyme", "--data", "moved.txt")[1]


def test_a_text_file_is_learned_by_its_characters(small, trains, works):
    (small / "rhyme.txt").write_text("one two buckle my shoe three four knock at the door\n" * 40)
    trains("--data", "rhyme.txt", "--steps", "2", "--save-steps", "1")
    state = json.loads((small / "rhyme" / "step-000002" / "state.json").read_text())
    assert sorted(state["vocabulary"]["tokens"]) == sorted(set((small / "rhyme.txt").read_text()))
    assert works("generate", "rhyme", "one ", "--max-new-tokens", "5").startswith("one ")


BAD = {
    "nothing": ([], "There is nothing to train"),
    "no scenario": (["smal"], "no scenario with this name"),
    "no training": (["example-1"], "Nothing is trained here"),
    "lines": (["lines.yaml"], "nothing to store in a checkpoint"),
    "a calculator": (["calculator.yaml"], "not in calculator 3 significant"),
    "no file": (["--data", "nowhere.txt"], "There is no file"),
    "empty": (["--data", "empty.txt"], "There is no text"),
    "binary": (["--data", "binary.bin"], "not text in UTF-8"),
    "short": (["--data", "short.txt"], "too short"),
    "keep": (["small.yaml", "--keep", "ten"], "not a list of steps"),
    "kept too late": (["small.yaml", "--keep", "200"], "200"),
    "run": (["small.yaml", "--run", "other"], "other"),
    "a file as folder": (["small.yaml", "-o", "empty.txt"], "could not be written"),
    "steps": (["small.yaml", "--steps", "0"], "out of range"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_in_a_sentence(case, small, fails):
    (small / "lines.yaml").write_text(
        "scenario: 1\nparameters: {W: [[1.0]]}\ncalculate: [loss = sum(relu(W))]\ntrain: {learning_rate: 0.1}\n"
    )
    (small / "calculator.yaml").write_text(SMALL.replace("float32", "calculator 3 significant"))
    (small / "empty.txt").write_text("")
    (small / "binary.bin").write_bytes(bytes(range(256)))
    (small / "short.txt").write_text("abc")
    arguments, said = BAD[case]
    assert said in fails("train", *arguments)


def test_an_interrupt_says_from_where_it_goes_on(small):
    command = [sys.executable, "-m", "workings", "train", "small.yaml", "-o", "run", "--steps", "100000"]
    with started(*command, cwd=small, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        for _ in range(600):
            if any((small / "run").glob("step-*[1-9]*")):  # a later one than step-000000
                break
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    step = int(re.search(rb"Stopped after step (\d+)", err)[1])
    assert (small / "run" / f"step-{step:06d}" / "state.json").exists()
    assert not list((small / "run").glob(".unfinished*"))
    assert b"Traceback" not in err


def test_a_text_stands_beside_its_scenario(small, trains, monkeypatch):
    (small / "deep").mkdir()
    (small / "deep" / "rhyme.txt").write_text("one two buckle my shoe three four knock at the door\n" * 40)
    data = "data: {text: rhyme.txt, context: 8}"
    (small / "deep" / "rhyme.yaml").write_text(SMALL.replace(TASK, data))
    trains("deep/rhyme.yaml", "-o", "run", "--steps", "2")
    monkeypatch.chdir(small / "deep")
    assert "continues from step 2 of 2" in trains("../run")[1]
