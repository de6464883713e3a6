"""From a plan to a model: its architecture under a convention, its vocabulary, and its weights by path."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from ...conventions import Convention
from ...engine.errors import ScenarioError, WorkingsError
from ...engine.names import ends_in, few
from ...engine.sentences import say
from ...nn.architecture import Architecture
from ...nn.build import build
from ...nn.model import EncoderDecoder, Transformer
from ...nn.weights import Drawn, Given, Shapes
from ...ops.drawing import Draws
from ...text import Vocabulary
from ...text.tokens import Tokens
from ...train.sources import Source
from ..reading.likely import likely
from ..reading.matrix_reading import check_matrix, matrix_of
from ..reading.plan import ModelPlan, Plan
from .sources import source_of

# `W_Q2` is how textbooks write the W_Q of the second head.
OF_A_HEAD = re.compile(r"(?P<name>[A-Za-z_]+)(?P<number>[1-9][0-9]*)")


@dataclass(frozen=True)
class Built:
    """A model that is ready to run, and the vocabulary that its texts are written in."""

    architecture: Architecture
    model: Transformer | EncoderDecoder
    vocabulary: Tokens | None
    draws: Draws | None = None  # of dropout

    def quiet(self) -> Transformer | EncoderDecoder:
        """The same model without dropout, as it is used once it has learned."""
        return build(self.architecture, Given({p: w.array for p, w in self.model.parameters().items()}, Shapes()))


@dataclass(frozen=True)
class Texts:
    """What has to be known of the data to build a model: its vocabulary, and how long its texts are."""

    vocabulary: Tokens | None
    longest: int


def texts_of(plan: Plan, source: Source | None = None) -> Texts:
    """Those of a plan; where it learns from a task or a long text, of that source."""
    if source is None and plan.data and not plan.examples:
        source = source_of(plan)
    if source is not None:
        return Texts(source.vocabulary, source.longest)
    words = plan.vocabulary
    if words is None:
        return Texts(None, _longest(plan, None))
    if not words.tokens or words.unit == "byte-pair":
        raise ScenarioError("run.vocabulary.text", where="vocabulary")
    vocabulary = Vocabulary(words.tokens, words.unit, words.special)
    return Texts(vocabulary, _longest(plan, vocabulary))


def architecture_of(plan: Plan, convention: Convention, texts: Texts | None = None) -> Architecture:
    """Every choice made: by the plan, or else by the convention, or else as is usual."""
    model = plan.model
    if model is None:
        raise ScenarioError("run.no_model")
    _refuse_idle(model)
    texts = texts or texts_of(plan)
    vocabulary = texts.vocabulary
    position = convention.position if model.position == "convention" else model.position
    classes = model.classes if isinstance(model.classes, int) else len(model.classes or ())
    size = len(vocabulary) if vocabulary is not None else _ids_used(plan)
    positions = (model.positions or texts.longest) if position == "learned" else 0
    with _about_the_model():
        return Architecture(
            kind=model.kind,
            vocabulary=size,
            width=model.width,
            heads=model.heads,
            head_size=model.head_size or 0,
            layers=model.layers,
            decoder_layers=model.decoder_layers or 0,
            hidden=model.hidden or 0,
            activation=model.feed_forward or convention.activation,
            norm=model.norm,
            norm_place=convention.norm_place,
            norm_epsilon=convention.norm_epsilon,
            norm_correction=convention.norm_correction,
            norm_epsilon_place=convention.norm_epsilon_place,
            final_norm=model.final_norm,
            residual=model.residual,
            causal=model.kind == "decoder" if model.mask is None else model.mask == "causal",
            attention_scale=convention.attention_scale,
            packed=model.projections == "packed",
            output_projection=_has_output_projection(model),
            biases=convention.biases,
            position=position,
            positions=positions,
            head=model.head,
            tied=convention.tied_output,
            head_bias=False,
            classes=classes,
            dropout=model.dropout,
        )


def _refuse_idle(model: ModelPlan) -> None:
    """Keys that would do nothing in this model are surely meant for another one."""
    idle = {
        "classes": model.classes is not None and model.head != "classifier",
        "positions": model.positions is not None and model.position not in ("learned", "convention"),
        "decoder_layers": model.decoder_layers is not None and model.kind != "encoder-decoder",
        "mask": model.mask is not None and model.kind == "encoder-decoder",
        "feed_forward": model.feed_forward is not None and model.hidden is None,
    }
    for key, is_idle in idle.items():
        if is_idle:
            raise ScenarioError("run.idle", name=key, needs=say(f"scenario.idle.{key}"), where=f"model.{key}")


@contextmanager
def _about_the_model() -> Iterator[None]:
    """Sizes that do not go together stand under `model:`."""
    try:
        yield
    except WorkingsError as error:
        error.where = "model.heads" if error.key == "shape.heads" else "model"
        raise


def _has_output_projection(model: ModelPlan) -> bool:
    """One head needs nothing that mixes heads, unless the plan says so; an encoder-decoder has it as a rule."""
    if model.output_projection is not None:
        return model.output_projection
    return model.heads > 1 or model.kind == "encoder-decoder"


def build_model(plan: Plan, convention: Convention, own: Convention, texts: Texts | None = None) -> Built:
    """The model of a plan under a convention. Weights are given by the names that they have under the plan's own; those
    that are not there under this one are left out.
    """
    texts = texts or texts_of(plan)
    architecture = architecture_of(plan, convention, texts)
    shapes = _shapes(architecture)
    known = shapes if own == convention else _shapes(architecture_of(plan, own, texts))
    given: dict[str, Any] = {}
    for key, value in plan.parameters.values.items():
        path = weight_called(key, known, f"parameters.{key}")
        if path in given:
            raise ScenarioError("run.weight.twice", name=key, path=path, where=f"parameters.{key}")
        if path in shapes:
            given[path] = matrix_of(value, shapes[path], f"parameters.{key}")
    drawn = Drawn(plan.parameters.seed, plan.parameters.draw)
    # Only a model that is trained drops something out.
    draws = Draws(plan.parameters.seed + 1) if architecture.dropout and plan.train is not None else None
    return Built(architecture, build(architecture, Given(given, drawn), draws), texts.vocabulary, draws)


def _shapes(architecture: Architecture) -> dict[str, tuple[int, ...]]:
    """The shape of every weight, by its path."""
    return {path: weight.shape for path, weight in build(architecture, Shapes()).parameters().items()}


def weight_called(name: str, paths: Iterable[str], where: str = "") -> str:
    """The path of the one weight that a name means: a path, the end of one, a module with a single weight, `W_Q2`.

    >>> weight_called("embedding", ["embedding.E", "block1.attention.W_Q"])
    'embedding.E'
    >>> weight_called("W_Q2", ["attention.head1.W_Q", "attention.head2.W_Q"])
    'attention.head2.W_Q'
    """
    paths = list(paths)
    if name in paths:
        return name
    found = [path for path in paths if ends_in(path, name)]
    found = found or [path for path in paths if ends_in(path.rpartition(".")[0], name)]
    if not found and (numbered := OF_A_HEAD.fullmatch(name)):
        ending = f"head{numbered['number']}.{numbered['name']}"
        found = [path for path in paths if ends_in(path, ending)]
    if len(found) == 1:
        return found[0]
    if found:
        raise ScenarioError("run.weight.several", name=name, paths=few(found), where=where)
    endings = [path.rpartition(".")[2] for path in paths]
    near = likely(name, list(dict.fromkeys([*endings, *paths])))
    key = "run.weight" if near else "run.weight.none"
    raise ScenarioError(key, name=name, nearest=near, paths=few(paths), where=where)


def _ids_used(plan: Plan) -> int:
    """How many tokens there must be where texts are given as ids: as many as the table has rows, or as ids occur."""
    for name in ("embedding", "E", "embedding.E", "encoder.embedding.E"):
        shape = check_matrix(plan.parameters.values[name], name) if name in plan.parameters.values else None
        if shape:
            return shape[0]
    most = 0
    for row in plan.examples:
        for text in (row.input, row.decoder, row.target):
            for token in text if isinstance(text, tuple) else (text,):
                most = max(most, int(token)) if isinstance(token, int) else most
    for token in plan.generate.prompt if plan.generate is not None else ():
        most = max(most, token) if isinstance(token, int) else most
    return most + 1


def _longest(plan: Plan, vocabulary: Tokens | None) -> int:
    """The tokens of the longest text of the examples; without any, of the text that is written."""
    texts = [(text, 0) for row in plan.examples for text in (row.input, row.decoder) if text is not None]
    if plan.generate is not None and not texts:
        texts.append((plan.generate.prompt, plan.generate.tokens))
    lengths = [1]
    for text, more in texts:
        with suppress(WorkingsError):  # what is wrong with a text is said where it is read
            lengths.append(len(encoded(text, vocabulary)) + more)
    return max(lengths)


def encoded(text: Any, vocabulary: Tokens | None) -> list[int]:
    """A text as ids. Whole numbers are ids already, unless they are words of the vocabulary: then they are words."""
    if isinstance(text, tuple) and all(isinstance(token, int) for token in text):
        if vocabulary is None:
            return list(text)
        if not any(str(token) in vocabulary for token in text):
            return vocabulary.checked(text)
        text = tuple(str(token) for token in text)
    if vocabulary is None:
        raise ScenarioError("run.no_vocabulary", text=str(text)[:60])
    return vocabulary.encode(text)
