"""`workings generate` as its users meet it."""

import contextlib
import io
import json
import subprocess
import sys
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import workings as w
from workings import nn
from workings.cli.generate import GenerateOptions, generate_text
from workings.cli.main import main
from workings.cli.streams import print_text
from workings.engine.errors import CallError, InputError, VocabularyError
from workings.generation.beams import beam_search
from workings.generation.generate import generate
from workings.generation.sampling import Choice
from workings.scenarios.running.checkpoints import load_checkpoint
from workings.text.vocabulary import Vocabulary

DOCUMENT = jsonschema.Draft202012Validator(
    json.loads((Path(w.__file__).parent / "schema" / "document.json").read_text(encoding="utf-8"))
)
LETTERS = Vocabulary.characters("abcdefgh \n", special=("<s>", "</s>"))
SMALL = nn.Architecture(
    kind="decoder", vocab_size=len(LETTERS), width=4, heads=2, layers=2, hidden=6, position="learned", max_positions=8,
    head="all-tokens",
)  # fmt: skip


@dataclass(frozen=True)
class Trained:
    """What a checkpoint gives."""

    model: Any
    vocabulary: Any
    threads: int = 1


DECODER = Trained(nn.build(SMALL, nn.Drawn(7, "normal")), LETTERS)
PAIR = Trained(nn.build(replace(SMALL, kind="encoder-decoder", mask=None), nn.Drawn(7, "normal")), LETTERS)


@pytest.fixture
def printed(capsys):
    def go(options=None, prompt="abc", trained=DECODER, explain=False, format="terminal", output=None):
        generate_text(trained, prompt, options or GenerateOptions(6), explain, format, output)
        return capsys.readouterr().out

    return go


def text_of(tokens):
    return LETTERS.decode([id for id in tokens if id != LETTERS.end])


def test_a_text_goes_on_after_its_prompt(printed):
    tokens = list(generate(DECODER.model, LETTERS.encode("abc"), Choice(), 6, end=LETTERS.end))
    assert printed() == "abc" + text_of(tokens) + "\n"
    assert printed(GenerateOptions(6, cache=False)) == printed()
    assert printed(GenerateOptions(6, seed=0)) == printed()
    assert printed(GenerateOptions(6, seed=5)) != printed()


def test_settings_reach_the_choice(printed):
    options = GenerateOptions(6, temperature=0.5, top_k=4, top_p=0.8, seed=3)
    tokens = list(generate(DECODER.model, LETTERS.encode("abc"), Choice(0.5, 4, 0.8, seed=3), 6, end=LETTERS.end))
    assert printed(options) == "abc" + text_of(tokens) + "\n"
    tokens = list(generate(DECODER.model, LETTERS.encode("abc"), Choice(greedy=True), 6, end=LETTERS.end))
    assert printed(GenerateOptions(6, greedy=True)) == "abc" + text_of(tokens) + "\n"


def test_an_encoder_decoder_prints_only_what_it_writes(printed):
    tokens = list(generate(PAIR.model, LETTERS.encode("abc"), Choice(), 6, start=LETTERS.start, end=LETTERS.end))
    assert printed(trained=PAIR) == text_of(tokens) + "\n"


def test_pieces_are_printed_as_they_come(monkeypatch):
    """Each is flushed before the next token is computed."""

    class Screen(io.StringIO):
        encoding = "utf-8"

        def flush(self):
            seen.append(self.getvalue())

    seen = []
    monkeypatch.setattr(sys, "stdout", Screen())
    generate_text(DECODER, "abc", GenerateOptions(6), False, "terminal", None)
    assert seen[0] == "abc"
    assert len(seen) > 5
    assert all(after.startswith(before) and len(after) > len(before) for before, after in pairwise(seen))


def test_a_screen_without_a_character_shows_a_question_mark(monkeypatch):
    screen = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", screen)
    print_text("größer")
    assert screen.buffer.getvalue() == b"gr??er"


def test_explained_there_is_a_table_for_each_token(printed):
    options = GenerateOptions(2, temperature=0.7, top_k=3)
    out = printed(options, explain=True)
    assert printed(options).splitlines()[0].rstrip() in out
    assert "Token 1: " in out
    assert "Token 2: " in out
    assert "running total" in out
    assert "Drawn: " in out
    assert max(len(line) for line in out.splitlines()) <= 80


def test_the_best_of_several_beams_is_printed_and_explained(printed):
    best = beam_search(DECODER.model, LETTERS.encode("abc"), 3, 4, end=LETTERS.end)[0]
    assert printed(GenerateOptions(4, beams=3)) == "abc" + text_of(best.tokens) + "\n"
    out = printed(GenerateOptions(4, beams=3), explain=True)
    assert "log-probability" in out
    data = json.loads(printed(GenerateOptions(4, beams=3), format="json"))
    assert data["beams"][0]["total"] == best.total
    assert len(data["beams"]) == 3
    assert data["text"] == data["beams"][0]["text"]


@pytest.mark.parametrize("explain", [True, False])
def test_data_has_the_tokens_and_the_page(printed, explain):
    data = json.loads(printed(GenerateOptions(5, top_k=3, seed=4), format="json", explain=explain))
    assert data["schema"] == "workings/generation/1"
    assert data["prompt"] == LETTERS.encode("abc")
    assert data["tokens"] == list(generate(DECODER.model, data["prompt"], Choice(top_k=3, seed=4), 5, end=LETTERS.end))
    assert data["text"] + "\n" == printed(GenerateOptions(5, top_k=3, seed=4))
    assert data["settings"]["top_k"] == 3
    DOCUMENT.validate(data["document"])
    tables = [block for block in data["document"]["blocks"] if block["kind"] == "table"]
    assert len(tables) == (len(data["tokens"]) if explain else 0)


def test_markdown_and_files(printed, tmp_path):
    out = printed(format="md", explain=True)
    assert "## Token 1: " in out
    path = tmp_path / "text.md"
    assert printed(format="md", explain=True, output=path) == ""
    assert path.read_text(encoding="utf-8") == out


# -- from a checkpoint ---------------------------------------------------------------------------

TINY = """scenario: 1
precision: {precision}
model: {{kind: {kind}, width: 8, heads: 2, layers: 1, hidden: 8, position: learned, head: all-tokens}}
parameters: {{seed: 1, draw: normal}}
data: {{task: reverse}}
train: {{optimizer: adam, learning_rate: 0.01, batch_size: 4, steps: 2}}
"""


@pytest.fixture(scope="module", params=[("decoder", "float32"), ("encoder-decoder", "float64")])
def checkpoint(request, tmp_path_factory):
    """The folder of a training that was stopped almost at once."""
    folder = tmp_path_factory.mktemp("tiny")
    kind, precision = request.param
    (folder / "tiny.yaml").write_text(TINY.format(kind=kind, precision=precision))
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        assert main(["train", str(folder / "tiny.yaml"), "-o", str(folder / "trained")]) == 0
    return folder / "trained"


def test_a_checkpoint_goes_on_with_a_text(works, checkpoint):
    trained = load_checkpoint(checkpoint)
    vocabulary = trained.vocabulary
    translates = trained.architecture.kind == "encoder-decoder"
    places = {"start": vocabulary.start if translates else None, "end": vocabulary.end}
    tokens = list(generate(trained.model, vocabulary.encode("cab>"), Choice(0.5, 3, seed=2), 4, **places))
    words = ("cab>", "--max-new-tokens", 4, "--temperature", 0.5, "--top-k", 3, "--seed", 2)
    text = vocabulary.decode([id for id in tokens if id != vocabulary.end])
    assert works("generate", checkpoint, *words) == ("" if translates else "cab>") + text + "\n"
    assert works("generate", checkpoint, *words, "--no-cache") == works("generate", checkpoint, *words)
    data = json.loads(works("generate", checkpoint, *words, "--explain", "--format", "json"))
    assert data["tokens"] == tokens
    *_, last = sorted(checkpoint.glob("step-*"))
    assert works("generate", last, *words) == works("generate", checkpoint, *words)


def test_a_checkpoint_is_searched_and_explained(works, checkpoint, tmp_path):
    out = works("generate", checkpoint, "cab>", "--beams", 2, "--max-new-tokens", 2, "--explain")
    assert "log-probability" in out
    assert "Token 1: " in works("generate", checkpoint, "cab>", "--greedy", "--max-new-tokens", 2, "--explain")
    path = tmp_path / "page.md"
    assert works("generate", checkpoint, "cab>", "--explain", "--max-new-tokens", 2, "--format", "md", "-o", path) == ""
    assert "# The text" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("c?b>",), "The character '?' is not in the vocabulary"),
        (("",), "try:"),
        (("abcdefghijabcdefghijabcdefghijabcdefghij>",), "positions for"),
        (("cab>", "--temperature", "0"), "use greedy"),
        (("cab>", "--temperature", "-1"), "use greedy"),
        (("cab>", "--top-k", "999"), "Top-k cannot keep 999 tokens"),
        (("cab>", "--top-p", "1.5"), "at most 1, and is 1.5"),
        (("cab>", "--greedy", "--top-k", "2"), "takes the most likely token"),
        (("cab>", "--beams", "2", "--seed", "2"), "samples nothing"),
        (("cab>", "--max-new-tokens", "0"), "at least 1"),
        (("cab>", "--format", "docx"), "'docx' is not one of the choices for --format"),
    ],
)
def test_bad_input_is_answered_in_a_sentence(fails, checkpoint, words, said):
    assert said in fails("generate", checkpoint, *words)


def test_a_folder_without_a_checkpoint_is_said_so_in_a_fresh_process(tmp_path):
    """Here other tests have loaded all sentences; a user has loaded nothing."""
    words = [sys.executable, "-m", "workings", "generate", str(tmp_path), "abc"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("There is no checkpoint here.")


# -- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "prompt", "kind", "said"),
    [
        (GenerateOptions(6), "abxc", VocabularyError, "'x'"),
        (GenerateOptions(6), "", VocabularyError, ""),
        (GenerateOptions(6), "abcabcabc", CallError, "9 tokens, and this model has positions for 8"),
        (GenerateOptions(6, temperature=0), "abc", CallError, "0 is not above 0"),
        (GenerateOptions(6, temperature=-1.0), "abc", CallError, "-1 is not above 0"),
        (GenerateOptions(6, top_k=99), "abc", CallError, "cannot keep 99 tokens: the vocabulary has 12"),
    ],
)
def test_bad_input_is_answered_before_anything_is_printed(capsys, options, prompt, kind, said):
    with pytest.raises(kind) as caught:
        generate_text(DECODER, prompt, options, False, "terminal", None)
    assert said in str(caught.value)
    assert "try:" in str(caught.value)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("also", [{"temperature": 0.5}, {"top_k": 2}, {"top_p": 0.5}, {"greedy": True}, {"seed": 1}])
def test_beams_draw_nothing(also):
    with pytest.raises(InputError, match="samples nothing"):
        GenerateOptions(3, beams=2, **also)


def test_a_model_of_numbers_alone_cannot_read_a_text():
    with pytest.raises(InputError, match="no vocabulary to encode a text with"):
        generate_text(replace(DECODER, vocabulary=None), "abc", GenerateOptions(3), False, "terminal", None)


def test_a_vocabulary_without_a_beginning_cannot_translate():
    with pytest.raises(InputError, match="has no start token"):
        generate_text(
            replace(PAIR, vocabulary=Vocabulary.characters("abcdefgh \nij")),
            "abc",
            GenerateOptions(3),
            False,
            "terminal",
            None,
        )


@pytest.mark.parametrize(
    ("words", "said"), [(("--max-new-tokens", 0), "--max-new-tokens must be"), (("--beams", 0), "--beams must be")]
)
def test_numbers_that_are_too_small_are_refused_by_the_name_of_the_option(fails, checkpoint, words, said):
    assert said in fails("generate", checkpoint, "cab>", *words)


def test_a_file_has_the_text_and_nothing_else(works, checkpoint, tmp_path):
    path = tmp_path / "text.txt"
    assert works("generate", checkpoint, "cab>", "--max-new-tokens", 4, "-o", path) == ""
    assert path.read_text() == works("generate", checkpoint, "cab>", "--max-new-tokens", 4)


def test_a_model_that_looks_ahead_reads_the_text_anew(printed):
    ahead = Trained(nn.build(replace(SMALL, mask="none"), nn.Drawn(7, "normal")), LETTERS)
    assert printed(trained=ahead) == printed(GenerateOptions(6, cache=False), trained=ahead)
