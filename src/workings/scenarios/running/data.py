"""The examples of a plan as numbers: each text as ids, each target as what the head is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...engine.errors import ScenarioError, did_you_mean
from ..reading.location import about
from ..reading.plan import ExamplePlan, Plan
from .building import Built, encoded


@dataclass(frozen=True)
class Row:
    """One example: the ids of the text that is read and of the decoder's text, the masked positions, the target."""

    tokens: list[int]
    decoder_tokens: list[int] | None
    places: list[int]
    target: Any  # None: nothing to compare with
    target_is_ids: bool


def rows_of(plan: Plan, built: Built) -> tuple[Row, ...]:
    """All examples; an error has the keys of the example that it is about."""
    if not plan.examples:
        raise ScenarioError(
            "There is a model, but no input for it.",
            hint="Add `data: {input: A B}`, with a `target` if there should be a loss.",
            keys=("model",),
        )
    return tuple(_row(plan, built, example, number) for number, example in enumerate(plan.examples))


def _row(plan: Plan, built: Built, example: ExamplePlan, number: int) -> Row:
    architecture = built.architecture
    with about("data", number, "input"):
        tokens = _encoded(example.input, built)
        places = _masked(tokens, built) if architecture.head == "masked-tokens" else []
    decoder_tokens = None
    if architecture.kind == "encoder-decoder":
        if example.decoder is None:
            raise ScenarioError(
                "An encoder-decoder reads one text and continues another, and the second text is missing.",
                hint="Add `decoder: <s> ...` next to `input`: the text that its target continues.",
                keys=("data", number),
            )
        with about("data", number, "decoder"):
            decoder_tokens = _encoded(example.decoder, built)
    elif example.decoder is not None:
        raise ScenarioError(
            f"Only an encoder-decoder has a second text; this model is of the kind {architecture.kind}.",
            hint="Leave out `decoder`, or use `kind: encoder-decoder`.",
            keys=("data", number, "decoder"),
        )
    target = None
    if example.target is not None:
        with about("data", number, "target"):
            target = _target(example.target, plan, built, len(places or decoder_tokens or tokens))
    return Row(tokens, decoder_tokens, places, target, architecture.head != "token-sigmoid")


def _encoded(text: Any, built: Built) -> list[int]:
    """The ids of a text. A learned table has a row for each position that a text may have."""
    tokens = encoded(text, built.vocabulary)
    most = built.architecture.max_positions
    if built.architecture.position == "learned" and len(tokens) > most:
        raise ScenarioError(
            f"The text has {len(tokens)} tokens, and there are positions for {most}.",
            hint=f"Shorten the text, or give the model more positions (`max_positions: {len(tokens)}`).",
        )
    return tokens


def _masked(tokens: list[int], built: Built) -> list[int]:
    """The positions of the mask token."""
    mask = None if built.vocabulary is None else built.vocabulary.mask
    places = [place for place, token in enumerate(tokens) if token == mask]
    if not places:
        raise ScenarioError(
            "The head predicts masked tokens, and no token of this text is masked.",
            hint="Put `<mask>` in place of a word, and `<mask>` into the vocabulary.",
        )
    return places


def _target(target: Any, plan: Plan, built: Built, needed: int) -> Any:
    """One token or class, or one for each position that the head predicts."""
    head = built.architecture.head
    if head == "token-sigmoid":
        return _probabilities(target, needed)
    if head == "classifier":
        return _class(target, plan, built)
    if head == "none":
        raise ScenarioError(
            "There is a target, but no head to compare it with.",
            hint="Choose a head in `model:`, such as `head: last-token`, or leave out the target.",
        )
    words = encoded((target,) if isinstance(target, int) else target, built.vocabulary)
    if head == "last-token":
        if len(words) != 1:
            raise ScenarioError(
                f"The target is one token, the next one, and {len(words)} are given.",
                hint="Give one token, or predict one at every position with `head: all-tokens`.",
            )
        return words[0]
    if len(words) != needed:
        raise _wrong_count(len(words), needed)
    return words


def _probabilities(target: Any, needed: int) -> list[float]:
    values = target.split() if isinstance(target, str) else target if isinstance(target, tuple) else (target,)
    try:
        labels = [float(value) for value in values]
    except (TypeError, ValueError):
        labels = []
    if len(labels) != needed:
        raise _wrong_count(len(values), needed)
    if not all(0 <= label <= 1 for label in labels):
        raise ScenarioError(
            f"Each target is yes (1), no (0) or a probability in between: {', '.join(map(str, values))}.",
            hint="Give numbers from 0 to 1.",
        )
    return labels


def _wrong_count(count: int, needed: int) -> ScenarioError:
    return ScenarioError(
        f"The model makes {needed} predictions, and the target has {count}.", hint="Give one for each."
    )


def _class(target: Any, plan: Plan, built: Built) -> int:
    names = plan.model.classes if plan.model is not None else None
    if isinstance(names, tuple) and isinstance(target, str):
        if target not in names:
            raise ScenarioError(
                f"There is no class '{target}'.",
                hint=f"{did_you_mean(target, names)}The classes are: {', '.join(names)}.",
            )
        return names.index(target)
    if not isinstance(target, int) or not 0 <= target < built.architecture.classes:
        raise ScenarioError(
            f"The target {target} is no class: they count from 0 to {built.architecture.classes - 1}.",
            hint="Give a number in this range, or list the names of the classes in the model.",
        )
    return target
