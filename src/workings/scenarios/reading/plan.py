"""The keys of a scenario file, as frozen records: each key is a field.

The reader (scenario_file.py) turns a file into a `Plan`, and the JSON schema is derived from these records, so that a
key is described in one place. Where a field is None, the convention decides, or the default that `ABOUT` names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple

from ...nn.architecture import Activation, HeadKind, Kind, MaskKind, Norm, Projections, ResidualPlace
from ...nn.weights import Draw
from .calculate_lines import CalculateLine

# A matrix as people write it: rows of numbers, one number, or words: `0.1 I`, `zeros`, `ones`.
Matrix = Annotated[Any, "matrix"]

DRAWN_BATCH_SIZE = 32


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

    kind: Kind
    width: int
    heads: int = 1
    head_size: int | None = None
    layers: int = 1
    decoder_layers: int | None = None
    hidden: int | None = None
    activation: Activation | None = None
    norm: Norm = "layer"
    final_norm: bool = False
    residual: ResidualPlace = "all"
    mask: MaskKind | None = None
    position: Literal["none", "convention", "interleaved", "concatenated", "learned"] = "none"
    max_positions: int | None = None
    projections: Projections = "packed"
    output_projection: bool | None = None
    embedding: Literal["learned", "fixed"] = "learned"
    head: HeadKind = "last-token"
    classes: int | tuple[str, ...] | None = None
    dropout: float = 0.0


@dataclass(frozen=True)
class ParametersPlan:
    """Where weights come from: some are given by their path, the others drawn from a seed."""

    seed: int = 0
    draw: Draw = "tenths"
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
class OptimizerPlan:
    """How a gradient changes a weight."""

    name: Literal["sgd", "momentum", "adam", "adamw"] = "sgd"
    settings: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class TrainPlan:
    """Changing the weights: by what loss, how, how often, and which steps are kept whole."""

    loss: str | None = None
    optimizer: OptimizerPlan = OptimizerPlan()
    learning_rate: float = 0.1
    trainable: Literal["all"] | tuple[str, ...] = "all"
    steps: int = 1
    keep: tuple[int, ...] | None = None
    batch_size: int | None = None
    accumulation_steps: int = 1
    average: Literal["tokens", "sequences"] = "tokens"
    warmup_steps: int = 0
    schedule: Literal["constant", "linear", "cosine"] = "constant"
    end_factor: float = 0.0
    max_grad_norm: float | None = None
    eval_steps: int = 250
    save_steps: int = 250

    @property
    def drawn_batch_size(self) -> int:
        """The texts of a batch that is drawn from a task or a long text."""
        return self.batch_size or DRAWN_BATCH_SIZE


@dataclass(frozen=True)
class GeneratePlan:
    """Writing a text token by token, with the weights as they are when all training is done."""

    prompt: str | tuple[str | int, ...]
    max_new_tokens: int = 8
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
    calculate: tuple[CalculateLine, ...] = ()
    parameters: ParametersPlan = ParametersPlan()
    given: Mapping[str, GivenValue | GivenIds] = field(default_factory=dict)
    data: tuple[ExamplePlan, ...] | TaskPlan | TextPlan = ()
    train: TrainPlan | None = None
    generate: GeneratePlan | None = None
    backward: BackwardPlan | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)
    notation: NotationPlan = NotationPlan()
    labels: Mapping[str, str] = field(default_factory=dict)
    fixed: tuple[str, ...] = ()
    frozen: tuple[str, ...] = ()
    points: Mapping[str, float] = field(default_factory=dict)

    @property
    def examples(self) -> tuple[ExamplePlan, ...]:
        """The data, where it is written out."""
        return self.data if isinstance(self.data, tuple) else ()


# What each key means: docs/scenario-keys.md is derived from this, and from the types and defaults above.
ABOUT: Mapping[type, Mapping[str, str]] = {
    Plan: {
        "scenario": "the version of this format",
        "title": "the title of the page; default: the name of the file",
        "about": "what the scenario shows, in a few sentences",
        "source": "where the example comes from",
        "convention": "which convention it follows where authors differ",
        "precision": "`float64`, `float32`, or `calculator 4 significant`, `calculator 3 decimals`",
        "vocabulary": "the tokens: a text such as `A B C`, a list, or the keys below",
        "model": "the transformer; either this or `calculate`",
        "calculate": "lines such as `weights = softmax(scores, axis=key)`, instead of a model",
        "parameters": "the weights",
        "given": "the inputs of the lines; with a model, steps that are pinned to these values",
        "data": "one example or a list of them; or a task or a long text to train on",
        "train": "how the weights are trained",
        "generate": "a text that the model generates after training: the prompt, or the keys below",
        "backward": "the step where the backward pass starts, if not at a loss: its name, or the keys below",
        "aliases": "other names for steps: `step: name`",
        "notation": "how things are written; no number changes",
        "labels": "words along an axis: `key: The cat sat`; default: the tokens of the texts and of the vocabulary",
        "fixed": "given values that stay the same on every worksheet, whatever its seed: `[X]`",
        "frozen": "weights that stay the same on every worksheet, and that training does not change: `[W_Q, W_K]`",
        "points": "how many points all blanks of a step are worth together: `{scores: 2}`; default: one for each blank",
    },
    ConventionPlan: {
        "profile": "the name of a convention: `paper`, `pytorch`, `gpt2`, `bert`, `annotated` or `seed`",
        "changes": "single choices that differ from it",
    },
    VocabularyPlan: {
        "tokens": "the tokens in the order of their ids; default: those of the long text",
        "unit": "how a text is split",
        "special": "tokens such as `<unk>`, `<mask>` and `<s>`; their ids come first",
        "size": "with byte pairs: the number of tokens to learn from the long text",
    },
    ModelPlan: {
        "kind": "the kind of transformer",
        "width": "the size of a token's vector (`d_model`)",
        "heads": "the number of attention heads",
        "head_size": "the size of each head; default: width / heads",
        "layers": "the number of blocks; in an encoder-decoder, those of the encoder",
        "decoder_layers": "the number of decoder blocks in an encoder-decoder; default: as many as `layers`",
        "hidden": "the size of the feed-forward network's hidden layer; without it there is no feed-forward network",
        "activation": "the nonlinearity of the feed-forward network; default: as in the convention",
        "norm": "the norm of the blocks; the convention says where it is",
        "final_norm": "whether one more norm follows the last block",
        "residual": "where residual connections are",
        "mask": "`causal`: each token attends to itself and earlier tokens; default: `causal` in a decoder",
        "position": "what is added to the embeddings to encode positions",
        "max_positions": "the rows of a learned position table; default: the tokens of the longest text",
        "projections": "one `W_Q` for all heads side by side, or `W_Q1`, `W_Q2` for each head",
        "output_projection": "whether there is a `W_O`; default: with several heads, and in an encoder-decoder",
        "embedding": "whether training changes the embeddings",
        "head": "what the model predicts",
        "classes": "the classes of a classifier: their number, or their names",
        "dropout": "the probability with which an entry is set to 0 in training",
    },
    ParametersPlan: {
        "seed": "the seed of the weights that are not given",
        "draw": "how they are drawn: tenths from -0.9 to 0.9, or a normal distribution, which suits large models",
        "values": "a weight by its path, or by the end of its path",
    },
    GivenValue: {
        "value": "real numbers",
        "axes": "a word for each axis: `query key`",
    },
    GivenIds: {
        "ids": "instead of `value`: token ids or labels, whole numbers counted from 0",
        "axes": "a word for each axis: `token`",
    },
    ExamplePlan: {
        "input": "the text that the model reads; without a vocabulary, a list of ids",
        "target": "what it should predict: a token, a token for each position, a class, or numbers from 0 to 1",
        "decoder": "in an encoder-decoder: the text that its target continues",
    },
    TaskPlan: {
        "task": "what the model should learn",
        "settings": "the settings of the task: `longest: 12`",
    },
    TextPlan: {
        "text": "the path of a text file, or `standard library`: the source code of the running Python",
        "context": "the number of tokens in a window",
    },
    TrainPlan: {
        "loss": "`cross_entropy mean` or `cross_entropy sum`, over the tokens of a text; default: as in the convention",
        "optimizer": "its name, or the keys below",
        "learning_rate": "the learning rate",
        "trainable": "the weights that training changes",
        "steps": "the number of training steps; with a `batch_size` below the number of examples, of epochs",
        "keep": "the steps that are recorded in full, counted from 1; default: the first",
        "batch_size": "how many examples an update uses; default: all that are written out, or 32 that are drawn",
        "accumulation_steps": "the number of drawn batches whose gradients are added up before an update",
        "average": "what has the same weight in the loss of such a batch: every token, or every sequence",
        "warmup_steps": "the number of steps in which the learning rate rises linearly",
        "schedule": "how the learning rate falls after that, until the last step",
        "end_factor": "the fraction of the learning rate that is left at the last step",
        "max_grad_norm": "gradients are clipped to this norm, all of them taken together",
        "eval_steps": "after how many steps `workings train` evaluates the held-out data",
        "save_steps": "after how many steps `workings train` writes a checkpoint",
    },
    OptimizerPlan: {
        "name": "the update rule",
        "settings": "its settings, by name",
    },
    GeneratePlan: {
        "prompt": "the text to continue; an encoder-decoder reads it and generates another",
        "max_new_tokens": "how many tokens it generates at most; the end token stops it earlier",
        "greedy": "whether the most probable token is chosen each time; default: a token is sampled",
        "temperature": "the logits are divided by this before a token is sampled",
        "top_k": "sample only from the k most probable tokens",
        "top_p": "sample only from the most probable tokens whose probabilities sum to p",
        "seed": "the seed of the sampling",
        "beams": "the number of beams; beam search samples nothing",
        "length_penalty": "with beams: 0 compares texts by their log-probability, 1 by its mean per token",
        "cache": "whether keys and values of earlier tokens are cached; if not, each token reads the whole text again",
    },
    BackwardPlan: {
        "of": "the step",
        "cotangent": "its upstream gradient; not needed for a single number",
    },
    NotationPlan: {
        "symbols": "letters for steps: `weights: α`",
        "count_from": "the number of the first row and column",
        "vectors": "whether the vector of a token is a row or a column",
    },
}

# The key of a record that a single value stands for: `optimizer: adam` is {name: adam}.
MAIN: Mapping[type, str] = {
    ConventionPlan: "profile",
    VocabularyPlan: "tokens",
    OptimizerPlan: "name",
    GeneratePlan: "prompt",
    BackwardPlan: "of",
    GivenValue: "value",
}

# An example as a line: `A B -> C`.
ARROW = "->"

# The field for keys that are no fields: in {name: adam, beta1: 0.9}, beta1 is one of the settings.
REST: Mapping[type, str] = {
    ConventionPlan: "changes",
    ParametersPlan: "values",
    OptimizerPlan: "settings",
    TaskPlan: "settings",
}


class NumberRange(NamedTuple):
    """Numbers from `least` up to, but not including, `below`."""

    least: float
    below: float = 10_000_000


LIMITS: Mapping[tuple[type, str], NumberRange] = {
    **{
        (ModelPlan, name): NumberRange(1)
        for name in ("width", "heads", "head_size", "hidden", "max_positions", "classes")
    },
    (ModelPlan, "layers"): NumberRange(1, 1001),
    (ModelPlan, "decoder_layers"): NumberRange(1, 1001),
    (ModelPlan, "dropout"): NumberRange(0, 1),
    (ParametersPlan, "seed"): NumberRange(-(2**53), 2**53),
    (ExamplePlan, "input"): NumberRange(0),
    (ExamplePlan, "decoder"): NumberRange(0),
    (TrainPlan, "learning_rate"): NumberRange(0),
    (TrainPlan, "steps"): NumberRange(1, 1_000_001),
    (TrainPlan, "keep"): NumberRange(1),
    **{
        (TrainPlan, name): NumberRange(1, 1_000_001)
        for name in ("batch_size", "accumulation_steps", "eval_steps", "save_steps")
    },
    (TrainPlan, "warmup_steps"): NumberRange(0, 1_000_001),
    (TrainPlan, "end_factor"): NumberRange(0, 1),
    (TrainPlan, "max_grad_norm"): NumberRange(1e-9),
    **{(GeneratePlan, name): NumberRange(1, 1001) for name in ("max_new_tokens", "beams")},
    (GeneratePlan, "prompt"): NumberRange(0),
    (GeneratePlan, "seed"): NumberRange(-(2**53), 2**53),
    (GeneratePlan, "length_penalty"): NumberRange(0, 101),
    (TextPlan, "context"): NumberRange(1, 1_000_001),
    (VocabularyPlan, "size"): NumberRange(256),
}
