"""`workings count` as its users meet it."""

import json
from pathlib import Path

import jsonschema
import pytest

import workings as w
from workings.counting.presets import PRESETS
from workings.scenarios.scenario import scenario

DOCUMENT = jsonschema.Draft202012Validator(
    json.loads((Path(w.__file__).parent / "schema" / "document.json").read_text(encoding="utf-8"))
)
CONFIG = {
    "model_type": "gpt2", "n_embd": 768, "n_head": 12, "n_layer": 12, "n_positions": 1024, "vocab_size": 50257,
}  # fmt: skip


def squeezed(text):
    """Words with one space between them, so that widths of columns do not matter."""
    return " ".join(text.split())


# -- what is shown -----------------------------------------------------------------------------


def test_without_a_name_all_models_are_listed_with_their_totals(works):
    out = works("count")
    for name in PRESETS:
        assert f"\n  {name} " in out
    assert "gpt2 124,439,808 a decoder of 12 blocks, 768 wide" in squeezed(out)
    DOCUMENT.validate(json.loads(works("count", "--format", "json")))


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_counted_on_a_page_that_fits(works, name):
    out = works("count", name)
    assert out.startswith(f"{name}\n")
    assert max(len(line) for line in out.splitlines()) <= 80


def test_a_number_stands_beside_how_it_is_worked_out(works):
    out = squeezed(works("count", "gpt2"))
    for line in (
        "attention.W_Q model 768 × joined 768 589,824",
        "one block 7,087,872 12 blocks 12 × 7,087,872 85,054,464",
        "Total: 124,439,808. Of these, biases of linear layers (lines that begin with b_): 82,944.",
        "would add 50,257 × 768 = 38,597,376, and make it 163,037,184.",
        "With a single head of size 768, this model has 124,439,808 parameters too.",
        "attention.scores 2 × 64 × 12 × 1,024 × 1,024 1,610,612,736",
        "logits 2 × 79,047,426,048 158,094,852,096",
        "gives 6 × 124,439,808 = 746,638,848; the true number is 1.14 times as large.",
        "of its own text 2 × 12 × 1,024 × 12 × 64 × 4 75,497,472",
    ):
        assert line in out


def test_both_counts_of_the_source_document_are_named(works):
    out = squeezed(works("count", "bert-base-source"))
    assert "Total: 108,450,816. Of these, biases" in out
    assert "46,080. Without them: 108,404,736." in out
    assert "one block 7,084,800 12 blocks 12 × 7,084,800 85,017,600" in out
    assert "There is none: this model reads the whole text at once" in out
    assert "A table of its own" not in out


def test_columns_of_numbers_end_below_each_other(works):
    rows = [
        line for line in works("count", "gpt2").splitlines() if line.startswith(("  attention.W_", "  feed_forward.W_"))
    ]
    assert len(rows) == 6
    assert len({len(row) for row in rows}) == 1


def test_tokens_batch_and_type_change_the_count(works):
    out = squeezed(works("count", "gpt2", "--tokens", "10", "--batch-size", "3", "--dtype", "bfloat16"))
    assert "Texts: 3, tokens in each: 10. Numbers: bfloat16, 2 bytes each." in out
    assert "attention.scores 2 × 64 × 3 × 12 × 10 × 10 460,800" in out
    assert "attention.weights 2 × 3 × 12 × 10 × 10 7,200" in out
    assert "2 × 12 × 10 × 12 × 64 × 2 × 3 1,105,920" in out
    assert "parameters 124,439,808" in out


def test_data_has_every_line_and_the_page(works):
    data = json.loads(works("count", "bert-base", "--format", "json", "--tokens", "4"))
    assert data["schema"] == "workings/count/1"
    assert data["parameters"]["total"] == 109_482_240
    assert data["cache"] == []
    block = data["forward"]["sections"][0]
    assert block["times"] == 12
    assert block["lines"][0] == {"name": "attention.Q", "expression": "2 × 768 × 4 × 768", "value": 4_718_592}
    DOCUMENT.validate(data["document"])


def test_markdown_and_files(works, tmp_path):
    out = works("count", "gpt2", "--format", "md")
    assert out.startswith("# gpt2\n")
    assert "| attention.W_Q " in out
    path = tmp_path / "count.md"
    assert works("count", "gpt2", "--format", "md", "-o", path) == ""
    assert path.read_text(encoding="utf-8") == out


def test_a_configuration_is_counted_like_the_preset(works, tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    for source in (tmp_path, tmp_path / "config.json"):
        out = works("count", source)
        assert out.partition("\n\n")[2] == works("count", "gpt2").partition("\n\n")[2]


def test_a_scenario_is_counted_by_its_name_or_file(works, tmp_path):
    model = scenario("cat-sat-encoder").architecture()
    out = squeezed(works("count", "cat-sat-encoder", "--tokens", "3"))
    assert f"model {model.width:,}, heads {model.heads}" in out
    path = tmp_path / "own.yaml"
    path.write_text(
        "scenario: 1\nvocabulary: {tokens: [a, b, c]}\n"
        "model: {kind: decoder, width: 2, layers: 2, hidden: 4, norm: none}\n"
        "data: [{input: a b, target: c}]\n"
    )
    assert "block1 to block2: 2 equal blocks" in works("count", path)


# -- what is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "meant"), [("gpt-2", "gpt2"), ("bert", "bert-base"), ("papr-base", "paper-base")])
def test_an_unknown_model_is_answered_with_the_nearest(fails, name, meant):
    error = fails("count", name)
    assert error.startswith(f"There is no model '{name}'.")
    assert meant in error.partition("Known")[0]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--tokens", "0"), "tokens must be a whole number from 1"),
        (("--tokens", "-5"), "and is -5"),
        (("--tokens", "2000"), "1,024 positions, too few for 2,000 tokens"),
        (("--batch-size", "0"), "batch_size must be a whole number"),
        (("--batch-size", "1000000"), "more than 16,777,216 tokens"),
        (("--dtype", "int8"), "'int8' is not one of the choices for dtype"),
        (("--format", "docx"), "'docx' is not one of the choices for --format"),
    ],
)
def test_bad_numbers_are_answered_in_a_sentence(fails, words, said):
    assert said in fails("count", "gpt2", *words)


@pytest.mark.parametrize("words", [("--tokens", "many"), ("--nonsense",)])
def test_what_the_command_line_itself_refuses_ends_with_2(run, words):
    code, _, err = run("count", "gpt2", *words)
    assert code == 2
    assert "Usage: " in err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nonsense", "cannot be read as JSON"),
        ("[]", "this is a list"),
        ('{"model_type": "llama"}', 'The model type "llama" is not known'),
        (json.dumps({**CONFIG, "n_head": 7}), "cannot be divided evenly among 7 heads"),
        (json.dumps({**CONFIG, "n_layer": -1}), "'n_layer' must be a whole number"),
        (json.dumps({**CONFIG, "n_layer": 10**9}), "'n_layer' must be a whole number"),
    ],
)
def test_a_bad_configuration_is_answered_in_a_sentence(fails, tmp_path, text, said):
    path = tmp_path / "config.json"
    path.write_text(text)
    assert said in fails("count", path)


def test_files_that_are_not_there(fails, tmp_path):
    assert "There is no file" in fails("count", tmp_path / "config.json")
    assert "There is no file" in fails("count", tmp_path)  # a folder without a configuration


def test_a_run_of_a_scenario_is_counted_for_its_own_text(works, fails):
    out = squeezed(works("count", "example-6", "--run", "width-4"))
    assert "model 4, heads 2 of size 2, hidden 8" in out
    assert "tokens in each: 2" in out
    assert "no runs to choose from" in fails("count", "gpt2", "--run", "twin")
    assert "There is no run 'width4'" in fails("count", "example-6", "--run", "width4")
