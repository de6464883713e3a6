"""What a scenario file may say, as frozen records: the keys of the YAML are the fields here.

The reader (scenario_reading.py) turns a file into a `Plan`, and the schema file is derived from these
records, so that a key is described in one place. A field that is None says nothing: the convention, or
what is usual, decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple

from .line_parsing import Line

# A matrix as people write it: rows of numbers, one number, or words: `0.1 I`, `zeros`, `ones`.
Matrix = Annotated[Any, "matrix"]


@dataclass(frozen=True)
class ConventionPlan:
    """A convention by name, with other choices (the fields of `workings.conventions.Convention`)."""

    profile: str = "seed"
    changes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class VocabularyPlan:
    """The tokens that a text is made of, in the order of their ids; without them, those of the text to learn from."""

    tokens: tuple[str, ...] = ()
    unit: Literal["word", "character", "byte-pair"] = "word"
    special: tuple[str, ...] = ()
    size: int | None = None


@dataclass(frozen=True)
class ModelPlan:
    """A transformer: its kind, its sizes, and which parts it has."""

    kind: Literal["encoder", "decoder", "encoder-decoder"]
    width: int
    heads: int = 1
    head_size: int | None = None
    layers: int = 1
    decoder_layers: int | None = None
    hidden: int | None = None
    feed_forward: Literal["relu", "gelu", "gelu_tanh"] | None = None
    norm: Literal["none", "layer", "rms"] = "layer"
    final_norm: bool = False
    residual: Literal["all", "none", "attention", "feed_forward"] = "all"
    mask: Literal["none", "causal"] | None = None
    position: Literal["none", "convention", "interleaved", "concatenated", "learned"] = "none"
    positions: int | None = None
    projections: Literal["packed", "per-head"] = "packed"
    output_projection: bool | None = None
    embedding: Literal["learned", "fixed"] = "learned"
    head: Literal["none", "last-token", "all-tokens", "masked-tokens", "token-sigmoid", "classifier"] = "last-token"
    classes: int | tuple[str, ...] | None = None
    dropout: float = 0.0


@dataclass(frozen=True)
class ParametersPlan:
    """Where weights come from: some are given by their path, the others drawn from a seed."""

    seed: int = 0
    draw: Literal["tenths", "normal"] = "tenths"
    values: Mapping[str, Matrix] = field(default_factory=dict)


@dataclass(frozen=True)
class GivenValue:
    """A value to start from: real numbers, with a word for each axis if they say so."""

    value: Matrix
    axes: tuple[str, ...] = ()


@dataclass(frozen=True)
class GivenIds:
    """Token numbers or labels to start from: whole numbers, which have no gradient."""

    ids: Matrix
    axes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ExamplePlan:
    """One row of the data: what goes in, and what should come out."""

    input: str | tuple[str | int, ...]
    target: str | int | tuple[str | int | float, ...] | None = None
    decoder: str | tuple[str | int, ...] | None = None


@dataclass(frozen=True)
class TaskPlan:
    """A task whose questions and answers are made up, as many as are needed."""

    task: Literal["copy", "reverse", "sort", "addition", "dates"]
    settings: Mapping[str, int | bool | str] = field(default_factory=dict)


@dataclass(frozen=True)
class TextPlan:
    """A long text, of which windows are cut."""

    text: str
    context: int = 64


@dataclass(frozen=True)
class OptimiserPlan:
    """How a gradient changes a weight."""

    name: Literal["sgd", "momentum", "adam", "adamw"] = "sgd"
    settings: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class TrainPlan:
    """Changing the weights: by what loss, how, how often, and which steps are kept whole."""

    loss: str | None = None
    optimiser: OptimiserPlan = OptimiserPlan()
    rate: float = 0.1
    trainable: Literal["all"] | tuple[str, ...] = "all"
    steps: int = 1
    keep: tuple[int, ...] | None = None
    batch: Literal["average", "one-by-one"] = "average"
    size: int = 32
    parts: int = 1
    average: Literal["tokens", "sequences"] = "tokens"
    warmup: int = 0
    fall: Literal["none", "linear", "cosine"] = "none"
    floor: float = 0.0
    clip: float | None = None
    check: int = 250
    save: int = 250


@dataclass(frozen=True)
class GeneratePlan:
    """Writing a text token by token, with the weights as they are when all training is done."""

    prompt: str | tuple[str | int, ...]
    tokens: int = 8
    greedy: bool = False
    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None
    seed: int = 0
    beams: int | None = None
    length_penalty: float = 0.0
    cache: bool = True


@dataclass(frozen=True)
class BackwardPlan:
    """Going back from a step that is no loss: how much each of its entries counts."""

    of: str
    cotangent: Matrix = None


@dataclass(frozen=True)
class NotationPlan:
    """How things are written; no number changes."""

    symbols: Mapping[str, str] = field(default_factory=dict)
    count_from: Literal[0, 1] = 0
    vectors: Literal["row", "column"] = "row"


@dataclass(frozen=True)
class Plan:
    """One run of a scenario: everything that is to be computed."""

    scenario: Literal[1]
    title: str = ""
    about: str = ""
    source: str = ""
    convention: ConventionPlan = ConventionPlan()
    precision: str = "float64"
    vocabulary: VocabularyPlan | None = None
    model: ModelPlan | None = None
    calculate: tuple[Line, ...] = ()
    parameters: ParametersPlan = ParametersPlan()
    given: Mapping[str, GivenValue | GivenIds] = field(default_factory=dict)
    data: tuple[ExamplePlan, ...] | TaskPlan | TextPlan = ()
    train: TrainPlan | None = None
    generate: GeneratePlan | None = None
    backward: BackwardPlan | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)
    notation: NotationPlan = NotationPlan()
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def examples(self) -> tuple[ExamplePlan, ...]:
        """The data, where it is written out."""
        return self.data if isinstance(self.data, tuple) else ()


# What each key says: the page docs/scenario-keys.md is derived from this, and from the types and what is usual above.
ABOUT: Mapping[type, Mapping[str, str]] = {
    Plan: {
        "scenario": "the version of this format",
        "title": "the title of the page; else the name of the file",
        "about": "what it is about, in a few sentences",
        "source": "where the example comes from",
        "convention": "what authors do differently",
        "precision": "`float64`, `float32`, or `calculator 4 significant`, `calculator 3 decimals`",
        "vocabulary": "the tokens of the texts; a text such as `A B C`, a list, or the keys below",
        "model": "the transformer; either this or `calculate`",
        "calculate": "lines such as `weights = softmax(scores, axis=key)`, instead of a model",
        "parameters": "the weights",
        "given": "what the lines start from; of a model, steps that are pinned to these values",
        "data": "the texts, one or a list of them; or a task, or a long text, to learn from",
        "train": "how the weights learn",
        "generate": "a text that the model writes when it has learned; what it begins with, or the keys below",
        "backward": "the step to go back from where there is no loss; its name, or the keys below",
        "aliases": "other names under which steps are found: `step: name`",
        "notation": "how things are written; no number changes",
        "labels": "words for the places along an axis: `key: The cat sat`; else those of the texts and the vocabulary",
    },
    ConventionPlan: {
        "profile": "the name of a convention: `paper`, `pytorch`, `gpt2`, `bert`, `annotated` or `seed`",
        "changes": "choices that are made in another way",
    },
    VocabularyPlan: {
        "tokens": "the words in the order of their ids; else those of the long text",
        "unit": "into what a text is cut",
        "special": "tokens such as `<unk>`, `<mask>` and `<s>`; their ids come first",
        "size": "of byte pairs: how many tokens are learned from the long text",
    },
    ModelPlan: {
        "kind": "what it is",
        "width": "the numbers that each token has",
        "heads": "of attention",
        "head_size": "the columns of each head; else width / heads",
        "layers": "how many blocks; of an encoder-decoder, those of the encoder",
        "decoder_layers": "those of the decoder; else as many as `layers`",
        "hidden": "the width inside the feed-forward layer; else there is no such layer",
        "feed_forward": "its activation; else as the convention says",
        "norm": "which norm the blocks have; the convention says where it stands",
        "final_norm": "one more norm after the last block",
        "residual": "where what came in is added to what came out",
        "mask": "whether a token sees only those before it; else causal in a decoder",
        "position": "what is added for the places of tokens",
        "positions": "the rows of the learned table; else as many as the longest text has tokens",
        "projections": "the matrices of all heads side by side, or `W_Q1`, `W_Q2` apart",
        "output_projection": "whether there is a `W_O`; else with several heads, and in an encoder-decoder",
        "embedding": "whether training changes the embeddings",
        "head": "what is asked of the last block",
        "classes": "of a classifier: how many, or their names",
        "dropout": "the share of entries that are set to 0 after each part",
    },
    ParametersPlan: {
        "seed": "from which weights are drawn that are not given",
        "draw": "tenths from -0.9 to 0.9, or a bell curve that suits large models",
        "values": "a weight by its path, or by the end of it",
    },
    GivenValue: {
        "value": "real numbers",
        "axes": "a word for each axis: `query key`",
    },
    GivenIds: {
        "ids": "instead of `value`: tokens or labels, whole numbers counted from 0",
        "axes": "a word for each axis: `token`",
    },
    ExamplePlan: {
        "input": "the text that goes in; without a vocabulary, a list of ids",
        "target": "what should come out: a word, a word for each token, a class, or numbers from 0 to 1",
        "decoder": "of an encoder-decoder: the text that its target continues",
    },
    TaskPlan: {
        "task": "what is to be learned",
        "settings": "its settings, by their names: `longest: 12`",
    },
    TextPlan: {
        "text": "the path of a text file, or `standard library`: the source of the Python that runs",
        "context": "the tokens of a window",
    },
    TrainPlan: {
        "loss": "`cross_entropy mean` or `cross_entropy sum`, over the tokens of a text; else as the convention says",
        "optimiser": "its name, or the keys below",
        "rate": "how far a step goes",
        "trainable": "the weights that change",
        "steps": "how many updates; one by one, how often all examples are gone through",
        "keep": "the steps that are recorded whole, counted from 1; else the first",
        "batch": "one update for all examples, or one after each",
        "size": "the texts of a batch, where they are drawn from a task or a long text",
        "parts": "the batches whose gradients are added up before an update",
        "average": "what counts alike in such a batch: every token, or every text",
        "warmup": "the steps in which the rate rises to its height",
        "fall": "how the rate falls afterwards, down to the last step",
        "floor": "the share of the rate that is left then",
        "clip": "the greatest norm of all gradients together; a longer one is shortened",
        "check": "after how many steps `workings train` looks at what was held out",
        "save": "after how many steps `workings train` writes a checkpoint",
    },
    OptimiserPlan: {
        "name": "the rule of the update",
        "settings": "its settings, by their names",
    },
    GeneratePlan: {
        "prompt": "the text that it goes on with; an encoder-decoder reads it, and writes another",
        "tokens": "how many tokens it writes at most; its end token ends the text earlier",
        "greedy": "whether the likeliest token is taken each time; else one is drawn",
        "temperature": "what the scores are divided by before a token is drawn",
        "top_k": "how many of the likeliest tokens can be drawn; else all",
        "top_p": "the share that the likeliest tokens must make up together; only these can be drawn",
        "seed": "from which the drawn numbers come",
        "beams": "how many texts are followed at once to find the likeliest; then nothing is drawn",
        "length_penalty": "of beams: 0 compares texts by their totals, 1 by the mean of their tokens",
        "cache": "whether keys and values of earlier tokens are kept; else the whole text is read again each time",
    },
    BackwardPlan: {
        "of": "the step",
        "cotangent": "how much each of its entries counts; not needed for one number",
    },
    NotationPlan: {
        "symbols": "letters for steps: `weights: α`",
        "count_from": "the number of the first row and column",
        "vectors": "whether the vector of a token is a row or a column",
    },
}

# What a record is whose file says less than a mapping: `optimiser: adam` is {name: adam}.
MAIN: Mapping[type, str] = {
    ConventionPlan: "profile",
    VocabularyPlan: "tokens",
    OptimiserPlan: "name",
    GeneratePlan: "prompt",
    BackwardPlan: "of",
    GivenValue: "value",
}

# Data as a line: `A B -> C`.
ARROW = "->"

# Where the other keys of a mapping go: {name: adam, beta1: 0.9} has the setting beta1.
REST: Mapping[type, str] = {
    ConventionPlan: "changes",
    ParametersPlan: "values",
    OptimiserPlan: "settings",
    TaskPlan: "settings",
}


class Limits(NamedTuple):
    """Numbers from `least` up to, but not including, `below`."""

    least: float
    below: float = 10_000_000


LIMITS: Mapping[tuple[type, str], Limits] = {
    **{(ModelPlan, name): Limits(1) for name in ("width", "heads", "head_size", "hidden", "positions", "classes")},
    (ModelPlan, "layers"): Limits(1, 1001),
    (ModelPlan, "decoder_layers"): Limits(1, 1001),
    (ModelPlan, "dropout"): Limits(0, 1),
    (ParametersPlan, "seed"): Limits(-(2**53), 2**53),
    (ExamplePlan, "input"): Limits(0),
    (ExamplePlan, "decoder"): Limits(0),
    (TrainPlan, "rate"): Limits(0),
    (TrainPlan, "steps"): Limits(1, 1_000_001),
    (TrainPlan, "keep"): Limits(1),
    **{(TrainPlan, name): Limits(1, 1_000_001) for name in ("size", "parts", "check", "save")},
    (TrainPlan, "warmup"): Limits(0, 1_000_001),
    (TrainPlan, "floor"): Limits(0, 1),
    (TrainPlan, "clip"): Limits(1e-9),
    **{(GeneratePlan, name): Limits(1, 1001) for name in ("tokens", "beams")},
    (GeneratePlan, "prompt"): Limits(0),
    (GeneratePlan, "seed"): Limits(-(2**53), 2**53),
    (GeneratePlan, "length_penalty"): Limits(0, 101),
    (TextPlan, "context"): Limits(1, 1_000_001),
    (VocabularyPlan, "size"): Limits(256),
}
