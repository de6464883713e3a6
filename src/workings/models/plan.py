"""What a scenario file may say, as frozen records: the keys of the YAML are the fields here.

The reader (scenario_reading.py) turns a file into a `Plan`, and the schema file is derived from these
records, so that a key is described in one place. A field that is None says nothing: the convention, or
what is usual, decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple

from .calculate import Line

# A matrix as people write it: rows of numbers, one number, or words: `0.1 I`, `zeros`, `ones`.
Matrix = Annotated[Any, "matrix"]


@dataclass(frozen=True)
class ConventionPlan:
    """A convention by name, with other choices (the fields of `workings.conventions.Convention`)."""

    profile: str = "seed"
    changes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class VocabularyPlan:
    """The tokens that a text is made of, in the order of their ids."""

    tokens: tuple[str, ...]
    unit: Literal["word", "character"] = "word"
    special: tuple[str, ...] = ()


@dataclass(frozen=True)
class ModelPlan:
    """A transformer: its kind, its sizes, and which parts it has."""

    kind: Literal["encoder", "decoder", "encoder-decoder"]
    width: int
    heads: int = 1
    head_size: int | None = None  # else width / heads
    layers: int = 1
    decoder_layers: int | None = None  # else as many as `layers`
    hidden: int | None = None  # of the feed-forward layer; without it there is none
    feed_forward: Literal["relu", "gelu", "gelu_tanh"] | None = None  # else as the convention says
    norm: Literal["none", "layer", "rms"] = "layer"
    final_norm: bool = False
    residual: Literal["all", "none", "attention", "feed_forward"] = "all"
    mask: Literal["none", "causal"] | None = None  # else causal in a decoder
    position: Literal["none", "convention", "interleaved", "concatenated", "learned"] = "none"
    positions: int | None = None  # the longest sequence; else as long as the data
    projections: Literal["packed", "per-head"] = "packed"
    output_projection: bool | None = None  # W_O; else only where there are several heads
    embedding: Literal["learned", "fixed"] = "learned"
    head: Literal["none", "last-token", "all-tokens", "masked-tokens", "token-sigmoid", "classifier"] = "last-token"
    classes: int | tuple[str, ...] | None = None  # of a classifier
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
    decoder: str | tuple[str | int, ...] | None = None  # of an encoder-decoder: what it has written so far


@dataclass(frozen=True)
class OptimiserPlan:
    """How a gradient changes a weight."""

    name: Literal["sgd", "momentum", "adam", "adamw"] = "sgd"
    settings: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class TrainPlan:
    """Changing the weights: by what loss, how, how often, and which steps are kept whole."""

    loss: str | None = None  # `cross_entropy mean`; else what fits the head, as the convention reduces it
    optimiser: OptimiserPlan = OptimiserPlan()
    rate: float = 0.1
    trainable: Literal["all"] | tuple[str, ...] = "all"
    steps: int = 1
    keep: tuple[int, ...] | None = None  # else the first step alone
    batch: Literal["average", "one-by-one"] = "average"


@dataclass(frozen=True)
class BackwardPlan:
    """Going back from a step that is no loss: how much each of its entries counts."""

    of: str
    cotangent: Matrix = None


@dataclass(frozen=True)
class NotationPlan:
    """How things are written; no number changes."""

    symbols: Mapping[str, str] = field(default_factory=dict)  # `weights: α`
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
    data: tuple[ExamplePlan, ...] = ()
    train: TrainPlan | None = None
    backward: BackwardPlan | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)
    notation: NotationPlan = NotationPlan()


# What a record is whose file says less than a mapping: `optimiser: adam` is {name: adam}.
MAIN: Mapping[type, str] = {
    ConventionPlan: "profile",
    VocabularyPlan: "tokens",
    OptimiserPlan: "name",
    BackwardPlan: "of",
    GivenValue: "value",
}

# Where the other keys of a mapping go: {name: adam, beta1: 0.9} has the setting beta1.
REST: Mapping[type, str] = {ConventionPlan: "changes", ParametersPlan: "values", OptimiserPlan: "settings"}


class Limits(NamedTuple):
    """Numbers from `least` up to, but not including, `below`."""

    least: float
    below: float = 10_000_000


LIMITS: Mapping[tuple[type, str], Limits] = {
    **{
        (ModelPlan, name): Limits(1)
        for name in ("width", "heads", "head_size", "layers", "decoder_layers", "hidden", "positions", "classes")
    },
    (ModelPlan, "dropout"): Limits(0, 1),
    (ParametersPlan, "seed"): Limits(-(2**53), 2**53),
    (ExamplePlan, "input"): Limits(0),
    (ExamplePlan, "decoder"): Limits(0),
    (TrainPlan, "rate"): Limits(0),
    (TrainPlan, "steps"): Limits(1),
    (TrainPlan, "keep"): Limits(1),
}
