"""What the trainings that come with the package learn, with the settings that they have. Slow: minutes each."""

import os
import re
import subprocess
import sys
import time
from importlib import resources
from pathlib import Path

import pytest

from workings.scenarios.running.checkpoints import load_checkpoint
from workings.scenarios.running.recipe import Recipe
from workings.training.checkpoint import steps_in
from workings.training.session import LAST_CHECK_TEXTS, Session

pytestmark = pytest.mark.slow

SCENARIOS = resources.files("workings.scenarios") / "library"
GUIDE = Path(__file__).parents[2] / "docs/python.md"
LEAST = {"copy": 0.999, "reverse": 0.999, "sort": 0.999, "addition": 0.99, "dates": 0.99}


@pytest.mark.parametrize("task", LEAST)
def test_a_task_is_learned_on_what_was_never_seen(task, tmp_path):
    recipe = Recipe(task, (SCENARIOS / f"{task}.yaml").read_text())
    session = Session(recipe, tmp_path)
    for _ in session.run():
        pass
    assert session.setup.source.most_held_out >= LAST_CHECK_TEXTS
    assert session.checks[-1].step == session.steps
    assert session.checks[-1].exact >= LEAST[task]


def commands():
    """The four commands of the guide: train, go on, write, open a step."""
    block = re.search(r"```sh\n(workings train characters.*?)```", GUIDE.read_text(), re.DOTALL)[1]
    found = [re.split(r"\s+#", line)[0].strip() for line in block.splitlines()]
    assert [line.split()[1] for line in found] == ["train", "train", "generate", "trace"]
    return found


def started(command, folder):
    """A command of the guide as a process of its own."""
    import shlex

    words = [sys.executable, "-m", "workings", *shlex.split(command)[1:]]
    return subprocess.Popen(
        words, cwd=folder, env=os.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_the_four_commands_of_the_guide(tmp_path):
    train, again, write, trace = commands()
    first = started(train, tmp_path)
    while not any(step >= 250 for step in steps_in(tmp_path / "chars")):
        assert first.poll() is None, first.communicate()[1]
        time.sleep(0.5)
    first.kill()
    first.communicate()
    printed = {}
    for command in (again, write, trace):
        process = started(command, tmp_path)
        printed[command], err = process.communicate()
        assert process.returncode == 0, err
    assert printed[trace].startswith("chars, step 100\n")
    assert "\nblock4.feed_forward\n" in printed[trace]
    assert printed[write].startswith("def ")
    # What it writes looks like Python: calls, and lines that are indented by fours.
    sample = printed[write] + started(f"{write} --max-new-tokens 600 --seed 3", tmp_path).communicate()[0]
    indents = [len(line) - len(line.lstrip(" ")) for line in sample.splitlines()[1:-1] if line.strip()]
    assert sum(indent % 4 == 0 for indent in indents) >= 0.8 * len(indents)
    assert re.search(r"\w\(.*\)", sample)
    assert re.search(r"\b(self|return|def|if|import|class|for)\b", sample)
    found = load_checkpoint(tmp_path / "chars")
    assert found.step == found.recipe.options.steps
    assert found.checks[-1].loss < 1.6  # nats per character, of text that was held out
