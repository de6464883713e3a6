"""Scenarios that write a text: which weights write it, what is recorded, its page, its labels, and what is refused."""

import json

import pytest
from judge.evaluate import disagreements
from judge.numbers import judge_document
from judge.runs import Runs

import workings as w
from workings.engine.errors import WorkingsError
from workings.generation.generate import generate
from workings.generation.generated_text import generated_ids, words_at
from workings.generation.sampling import Choice
from workings.scenarios.reading.scenario_file import read_scenario
from workings.scenarios.scenario import Scenario
from workings.scenarios.scenario_page import scenario_document

TEXT = """scenario: 1
vocabulary: {tokens: the cat sat down dog, special: [<s>, </s>]}
model: {kind: decoder, width: 4, heads: 2, hidden: 4, head: all-tokens}
parameters: {seed: 3, draw: normal}
generate: {prompt: <s> the cat, max_new_tokens: 3, greedy: true}
runs:
  drawn: {generate: {greedy: null, temperature: 0.8, top_k: 4, top_p: 0.9, seed: 5}}
  anew: {generate: {cache: false}}
  beams: {generate: {greedy: null, beams: 2}}
  learned:
    data: [{input: <s> the cat sat, target: the cat sat </s>}, {input: <s> the dog, target: the dog </s>}]
    train: {optimizer: adam, learning_rate: 0.05, steps: 60}
    generate: {prompt: <s> the, max_new_tokens: 9}
  one-step: {data: [<s> -> the], train: {steps: 1}}
  dropped: {model: {dropout: 0.2}, data: [<s> -> the], train: {steps: 2}}
  positions: {model: {position: learned, max_positions: 3}}
  numbers: {vocabulary: null, generate: {prompt: [4, 1]}}
  translate: {model: {kind: encoder-decoder}, generate: {prompt: the cat sat}}
  task: {vocabulary: null, data: {task: copy, longest: 3}, train: {steps: 2, batch_size: 2}, generate: {prompt: abc>}}
"""


def made(text=TEXT):
    return Scenario("writes.yaml", read_scenario(text, "writes.yaml"), text)


WRITES = made()


def judged(run):
    trace = WRITES.trace(run)
    page = scenario_document(WRITES, run, trace)
    data = json.loads(json.dumps(trace.to_data("writes", name=run, document=page), allow_nan=False))
    return data, Runs(data["runs"], {run: trace.values()})


@pytest.mark.parametrize("run", ["drawn", "anew", "beams", "translate"])
def test_every_step_and_every_number_of_the_page_is_what_the_judge_computes(run):
    data, runs = judged(run)
    assert list(disagreements(data["runs"][0], runs.runs[run].judged)) == []
    assert judge_document(data["document"], runs) == []


def test_the_judge_notices_a_wrong_rest():
    vocabulary = w.text.Vocabulary.characters("abcdefghijkl")
    model = w.nn.build(w.nn.Architecture(kind="decoder", vocab_size=12, width=4), w.nn.Drawn(7))
    trace = w.Trace()
    list(generate(model, [0, 1], max_new_tokens=1, record=trace))
    from workings.generation.generation_page import choice_document

    data = json.loads(json.dumps(trace.to_data("x", document=choice_document(trace, vocabulary)), allow_nan=False))
    assert judge_document(data["document"], data["runs"]) == []
    table = next(block for block in data["document"]["blocks"] if block["kind"] == "table")
    (rest,) = (span for cell in table["rows"][-1] for span in cell if span.get("role") == "rest")
    rest["value"] += 1e-6
    assert len(judge_document(data["document"], data["runs"])) == 1


def test_the_trained_weights_write_the_text():
    trainer, written = WRITES.trainer("learned"), WRITES.trace("learned")
    for _ in range(WRITES.plan("learned").train.steps):
        trainer.advance()
    model = trainer.computation.built.model.with_parameters(trainer.weights())
    tokens = list(generate(model, [0, 2], Choice(greedy=True), 9, end=1))
    assert generated_ids(written) == tokens
    # It has learned how its texts end.
    assert tokens[-1] == 1
    assert len(tokens) < 9
    assert written["token1.embedding.X"].step.inputs[0] == written["trained.embedding.E"].step.id


def test_a_choice_is_made_as_the_file_says():
    model = WRITES.trainer("one-step").computation.built.model
    choice = Choice(0.8, 4, 0.9, False, 5)
    trace = WRITES.trace("drawn")
    assert generated_ids(trace) == list(generate(model, [0, 2, 3], choice, 3, end=1))
    # What is drawn follows from the seed and the position of the token alone.
    for number in range(1, len(generated_ids(trace)) + 1):
        assert float(trace[f"token{number}.drawn"].value) == Choice(seed=5).number(2 + number)


def test_a_last_step_that_is_recorded_leads_to_the_text():
    trace = WRITES.trace("one-step")
    assert not [path for path in trace.recording.paths if path.startswith("trained.")]
    embedded = trace["token1.embedding.X"]
    assert trace.recording.step(embedded.step.inputs[0]).path == "embedding.E_new"
    other = trace.replay(values={"embedding.E": trace["embedding.E"].value * 2})
    assert other["token1.shares"].value.tolist() != trace["token1.shares"].value.tolist()


def test_dropout_is_for_training_only():
    assert not [path for path in WRITES.trace("dropped").recording.paths if path.startswith("token") and "drop" in path]


@pytest.mark.parametrize("run", ["numbers", "task"])
def test_texts_of_numbers_and_of_tasks_are_written_too(run):
    trace = WRITES.trace(run)
    vocabulary = WRITES.vocabulary(run)
    titles = [block.text for block in scenario_document(WRITES, run, trace).blocks if block.kind == "heading"]
    said = [f"Token {n}: {vocabulary.token(id)!r}" for n, id in enumerate(generated_ids(trace), start=1)]
    assert len(said) == 3
    assert [title for title in titles if title in said] == said


def test_a_calculator_writes_too():
    trace = WRITES.trace(precision="calculator 4 significant")
    shares = trace["token1.shares"].value
    assert generated_ids(trace)[0] == int(shares.argmax())
    assert all(float(f"{share:.4g}") == share for share in shares)


# -- labels ------------------------------------------------------------------------------------------


def labels(run, path):
    trace = WRITES.trace(run)
    view = trace[path]
    return trace.labels(view)


def test_words_stand_along_the_axes_of_a_text_that_grows():
    chosen = [WRITES.vocabulary("default").token(id) for id in generated_ids(WRITES.trace())]
    at = labels("default", "token2.block1.attention.weights")
    assert at["key"] == ("<s>", "the", "cat", chosen[0])
    assert at["query"] == (chosen[0],)
    assert labels("default", "token1.block1.attention.K_cache")["token"] == ("<s>", "the", "cat")
    assert labels("default", "token1.text")["token"] == ("<s>", "the", "cat", chosen[0])
    assert labels("default", "prompt")["token"] == ("<s>", "the", "cat")
    assert len(labels("default", "token1.shares")["vocab"]) == 7
    assert labels("anew", "token2.block1.attention.weights")["query"][:2] == ("<s>", "the")


def test_the_source_of_an_encoder_decoder_has_words_of_its_own():
    source = ("the", "cat", "sat")
    crossed = labels("translate", "token3.decoder.block1.cross_attention.weights")
    assert crossed["key"] == source
    assert crossed["query"] != source[-1:]
    assert labels("translate", "token3.decoder.block1.attention.weights")["key"][0] == "<s>"
    assert labels("translate", "encoder.block1.attention.weights")["query"] == source
    assert labels("translate", "decoder.block1.cross_attention.K")["token"] == source


def test_a_step_that_belongs_to_no_text_has_no_words_of_one():
    trace = WRITES.trace("learned")
    view = trace["example1.block1.attention.weights"]
    assert words_at(trace, view.path, view.form, WRITES.vocabulary("learned")) == {}
    beams = WRITES.trace("beams")
    view = beams["token2.block1.attention.weights"]
    assert words_at(beams, view.path, view.form, WRITES.vocabulary("beams")) == {}


# -- what is refused ------------------------------------------------------------------------------------

ASKED = "prompt: <s> the cat, max_new_tokens: 3, greedy: true"
ALONE = "model: {kind: decoder, width: 4, head: all-tokens}\ngenerate: {prompt: the}"
BAD = {
    "temperature: 0": ("generate.temperature", "0 is not above 0", "greedy"),
    "temperature: -1": ("generate.temperature", "-1 is not above 0", "greedy"),
    "top_k: 0": ("generate.top_k", "at least 1, and is 0", "leave it out"),
    "top_k: 99": ("generate.top_k", "the vocabulary has 7", "from 1 to 7"),
    "top_p: 1.5": ("generate.top_p", "at most 1, and is 1.5", "0.9"),
    "max_new_tokens: 0": ("generate.max_new_tokens", "out of range", "from 1"),
    "beams: 0": ("generate.beams", "out of range", "from 1"),
    "greedy: true, top_k: 3": ("generate.top_k", "With greedy nothing is sampled", "leave out greedy"),
    "beams: 2, seed: 3": ("generate.seed", "With beams nothing is sampled", "leave out beams"),
    "length_penalty: 1": ("generate.length_penalty", "only one text", "beams: 2"),
    "greedy: maybe": ("generate.greedy", "'maybe' does not fit", "true or false"),
    "gredy: true": ("generate.gredy", "no key 'gredy'", "mean greedy"),
    "prompt: the elephant": ("generate.prompt", "elephant", "Its words"),
    "prompt: ''": ("generate.prompt", "no tokens", "at least one"),
}
BAD_MODELS = {
    "mask: none, head: all-tokens": ("generate.cache", "This attention is not causal", "without the cache"),
    "head: classifier, classes: 2": ("generate", "does not predict the next token", "head: all-tokens"),
    "head: none": ("generate", "does not predict the next token", "head: all-tokens"),
}


def said_about(text):
    with pytest.raises(WorkingsError) as caught:
        made(text).trace()
    return caught.value


@pytest.mark.parametrize(("asked", "where", "what", "hint"), [(asked, *said) for asked, said in BAD.items()])
def test_what_cannot_be_written_is_refused_with_line_and_key(asked, where, what, hint):
    prompt = "" if "prompt" in asked else "prompt: <s> the, "
    error = said_about(TEXT.partition("runs:")[0].replace(ASKED, prompt + asked))
    assert error.where.startswith(f"writes.yaml, line 5, {where}")
    assert error.keys == tuple(where.split("."))
    assert what in error.what
    assert hint in error.hint


def test_a_prompt_that_is_too_long_is_refused():
    with pytest.raises(WorkingsError) as caught:
        WRITES.changed("generate: {prompt: the cat sat down}", "positions").trace("positions")
    assert caught.value.where.endswith("runs.positions.generate.prompt")
    assert "4 tokens, and this model has positions for 3" in caught.value.what


@pytest.mark.parametrize(("model", "where", "what", "hint"), [(model, *said) for model, said in BAD_MODELS.items()])
def test_models_that_cannot_write_are_refused(model, where, what, hint):
    error = said_about("scenario: 1\nvocabulary: the cat\n" + ALONE.replace("head: all-tokens", model))
    assert error.where == f"writes.yaml, line 4, {where}"
    assert what in error.what
    assert hint in error.hint


def test_a_text_of_its_own_needs_a_token_to_begin_with():
    error = said_about(
        "scenario: 1\nvocabulary: the cat\n" + ALONE.replace("decoder, width", "encoder-decoder, hidden: 4, width")
    )
    assert error.where == "writes.yaml, line 4, generate"
    assert "no token to begin it with" in error.what


def test_lines_write_no_text():
    with pytest.raises(WorkingsError, match="Only a model can generate a text"):
        made("scenario: 1\ngiven: {X: 1 2}\ncalculate: [y = relu(X)]\ngenerate: {prompt: [0]}")
