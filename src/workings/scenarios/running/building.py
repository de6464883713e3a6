"""From a plan to a model: its architecture under a convention, its vocabulary, and its weights by path."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ...conventions import Convention
from ...engine.errors import Keys, ScenarioError, WorkingsError, did_you_mean
from ...engine.names import ends_in, few
from ...nn.architecture import Architecture
from ...nn.build import build
from ...nn.model import EncoderDecoder, Transformer
from ...nn.weights import Drawn, Given, Shapes
from ...ops.parts.drawing import Draws
from ...text import Vocabulary
from ...text.tokens import Tokens
from ...training.sources import Source
from ..reading.location import about_options
from ..reading.matrices import check_matrix, matrix_of
from ..reading.plan import ModelPlan, Plan
from .sources import source_of

# `W_Q2` is the W_Q of the second head, as textbooks write it.
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
    """The texts of a plan, or of the task or long text that it learns from."""
    if source is None and plan.data and not plan.examples:
        source = source_of(plan)
    if source is not None:
        return Texts(source.vocabulary, source.longest)
    words = plan.vocabulary
    if words is None:
        return Texts(None, _longest(plan, None))
    if not words.tokens or words.unit == "byte-pair":
        raise ScenarioError(
            "These tokens are learned from a long text, and there is none.",
            hint="Write them out: `vocabulary: A B C`; or add `data: {text: FILE}`.",
            keys=("vocabulary",),
        )
    vocabulary = Vocabulary(words.tokens, words.unit, words.special)
    return Texts(vocabulary, _longest(plan, vocabulary))


def architecture_of(plan: Plan, convention: Convention, texts: Texts | None = None) -> Architecture:
    """Every choice made: by the plan, or else by the convention, or else by the defaults."""
    model = plan.model
    if model is None:
        raise ScenarioError(
            "This run has no model: it is a calculation of lines.", hint="Choose a run that has `model:`."
        )
    _refuse_idle(model)
    texts = texts or texts_of(plan)
    vocabulary = texts.vocabulary
    position = convention.position if model.position == "convention" else model.position
    classes = model.classes if isinstance(model.classes, int) else len(model.classes or ())
    size = len(vocabulary) if vocabulary is not None else _ids_used(plan)
    max_positions = (model.max_positions or texts.longest) if position == "learned" else 0
    with about_options("model"):
        return Architecture(
            kind=model.kind,
            vocab_size=size,
            width=model.width,
            heads=model.heads,
            head_size=model.head_size or 0,
            layers=model.layers,
            decoder_layers=model.decoder_layers or 0,
            hidden=model.hidden or 0,
            activation=model.activation or convention.activation,
            norm=model.norm,
            norm_place=convention.norm_place,
            norm_epsilon=convention.norm_epsilon,
            norm_correction=convention.norm_correction,
            norm_epsilon_place=convention.norm_epsilon_place,
            final_norm=model.final_norm,
            residual=model.residual,
            mask=model.mask,
            attention_scale=convention.attention_scale,
            projections=model.projections,
            output_projection=_has_output_projection(model),
            biases=convention.biases,
            position=position,
            max_positions=max_positions,
            head=model.head,
            tied_embeddings=convention.tied_embeddings,
            head_bias=False,
            classes=classes,
            dropout=model.dropout,
        )


# The keys that do something only in some models, and what these models are.
NEEDED_BY = {
    "classes": "a head of the kind classifier",
    "max_positions": "learned positions",
    "decoder_layers": "an encoder-decoder",
    "mask": "an encoder or a decoder alone; the two sides of an encoder-decoder have their own masks",
    "activation": "a feed-forward network, which has a size: `hidden`",
}


def _refuse_idle(model: ModelPlan) -> None:
    """A key that would do nothing in this model is probably meant for another one."""
    is_idle = {
        "classes": model.head != "classifier",
        "max_positions": model.position not in ("learned", "convention"),
        "decoder_layers": model.kind != "encoder-decoder",
        "mask": model.kind == "encoder-decoder",
        "activation": model.hidden is None,
    }
    for key, needed_by in NEEDED_BY.items():
        if is_idle[key] and getattr(model, key) is not None:
            raise ScenarioError(
                f"The key `{key}` does nothing in this model: it is for {needed_by}.",
                hint="Leave it out, or change the model.",
                keys=("model", key),
            )


def _has_output_projection(model: ModelPlan) -> bool:
    """By default, several heads have a W_O, and every encoder-decoder."""
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
        path = find_weight(key, known, ("parameters", key))
        if path in given:
            raise ScenarioError(
                f"'{key}' is given twice: it is {path}, which another key names, too.",
                hint="Remove one of them.",
                keys=("parameters", key),
            )
        if path in shapes:
            given[path] = matrix_of(value, shapes[path], ("parameters", key))
    drawn = Drawn(plan.parameters.seed, plan.parameters.draw)
    # Only training uses dropout.
    draws = Draws(plan.parameters.seed + 1) if architecture.dropout and plan.train is not None else None
    return Built(architecture, build(architecture, Given(given, drawn), draws), texts.vocabulary, draws)


def _shapes(architecture: Architecture) -> dict[str, tuple[int, ...]]:
    """The shape of every weight, by its path."""
    return {path: weight.shape for path, weight in build(architecture, Shapes()).parameters().items()}


def find_weight(name: str, paths: Iterable[str], keys: Keys = ()) -> str:
    """The path of the one weight with this name: a path, the end of one, a module with a single weight, or `W_Q2`.

    >>> find_weight("embedding", ["embedding.E", "block1.attention.W_Q"])
    'embedding.E'
    >>> find_weight("W_Q2", ["attention.head1.W_Q", "attention.head2.W_Q"])
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
        raise ScenarioError(
            f"'{name}' could be any of several weights: {few(found)}.", hint="Write more of the path.", keys=keys
        )
    endings = [path.rpartition(".")[2] for path in paths]
    raise ScenarioError(
        f"The model has no weight '{name}'.",
        hint=f"{did_you_mean(name, dict.fromkeys([*endings, *paths]))}Its weights are: {few(paths)}.",
        keys=keys,
    )


def _ids_used(plan: Plan) -> int:
    """How many tokens there must be where texts are given as ids: as many as the table has rows, or as ids occur."""
    for name in ("embedding", "E", "embedding.E", "encoder.embedding.E"):
        shape = check_matrix(plan.parameters.values[name]) if name in plan.parameters.values else None
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
    """The tokens of the longest example; without examples, of the text that is generated."""
    texts = [(text, 0) for row in plan.examples for text in (row.input, row.decoder) if text is not None]
    if plan.generate is not None and not texts:
        texts.append((plan.generate.prompt, plan.generate.max_new_tokens))
    lengths = [1]
    for text, more in texts:
        with suppress(WorkingsError):  # an error in a text is reported where it is read
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
        raise ScenarioError(
            f"'{str(text)[:60]}' is a text, and there is no vocabulary to read it with.",
            hint="Add `vocabulary:` with its words, or give ids: [0, 1].",
        )
    return vocabulary.encode(text)
