"""What goes together in a plan: keys that need each other, keys that would do nothing, and names from other rooms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from ...conventions import CHOICES, convention
from ...engine.arithmetic import arithmetic
from ...engine.errors import ScenarioError, did_you_mean
from ...engine.op import OPS
from ...text.vocabulary import Vocabulary
from .calculate_names import check_names
from .location import MAX_SHOWN_CHARS, Location
from .plan import ExamplePlan, GeneratePlan, Plan, TextPlan, TrainPlan, VocabularyPlan
from .records import missing_key, unknown_key
from .yaml_tree import MappingNode

# Keys of `train:` that would do nothing where the examples are written out, and where they are drawn.
IDLE_WITH_EXAMPLES = ("accumulation_steps", "average")
IDLE_WITH_SOURCES = ("loss",)
SAMPLING = ("greedy", "temperature", "top_k", "top_p", "seed")  # idle with beams; and all but the first, with greedy

At: TypeAlias = Callable[..., Location]  # from keys to their location


def check_plan(plan: Plan, tree: MappingNode, at: At) -> None:
    """Refuse a plan whose parts do not go together."""
    _check_names(plan, tree, at)
    _check_train(plan, at)
    _check_generate(plan, at)
    _check_whole(plan, at)


def _check_names(plan: Plan, tree: MappingNode, at: At) -> None:
    """Names that are defined elsewhere: conventions and their choices, precisions, tokens."""
    with at("convention", "profile").around():
        convention(plan.convention.profile)
    for choice, value in plan.convention.changes.items():
        here = at("convention", choice)
        if choice not in CHOICES:
            raise unknown_key(here, ["profile", *CHOICES])
        with here.around():
            convention(plan.convention.profile).but(**{choice: value})
    is_long = len(plan.precision) > MAX_SHOWN_CHARS
    with at("precision").around():
        arithmetic(f"{plan.precision[:MAX_SHOWN_CHARS]}..." if is_long else plan.precision)
    if plan.vocabulary is not None:
        _check_vocabulary(plan, plan.vocabulary, tree, at)


def _check_vocabulary(plan: Plan, vocabulary: VocabularyPlan, tree: MappingNode, at: At) -> None:
    """Tokens are written out, or learned from a long text."""
    here = at("vocabulary")
    if vocabulary.size is not None and vocabulary.unit != "byte-pair":
        raise at("vocabulary", "size").error(
            f"A size is for byte pairs, and the unit here is {vocabulary.unit}.",
            hint="Use `unit: byte-pair`, or leave out the size.",
        )
    if vocabulary.unit == "byte-pair":
        if vocabulary.tokens or not isinstance(plan.data, TextPlan):
            raise here.error(
                "Byte pairs are learned from a long text, not written out.",
                hint="Leave out `tokens`, and add `data: {text: FILE}`.",
            )
    elif vocabulary.tokens or "tokens" in getattr(tree.entries["vocabulary"], "entries", {"tokens": None}):
        with here.around():
            Vocabulary(vocabulary.tokens, vocabulary.unit, vocabulary.special)
    elif not isinstance(plan.data, TextPlan):
        raise missing_key(here, "tokens")


def _check_train(plan: Plan, at: At) -> None:
    if plan.train is None:
        return
    train, optimizer = plan.train, plan.train.optimizer
    known = [name for name in OPS[optimizer.name].page.settings if name not in ("rate", "t")]
    for setting in optimizer.settings:
        if setting not in known:
            raise at("train", "optimizer", setting).error(
                f"{optimizer.name} has no setting '{setting[:MAX_SHOWN_CHARS]}'.",
                hint=f"{did_you_mean(setting, known)}Settings of {optimizer.name}: {', '.join(known) or 'none'}. "
                "The learning rate is the key learning_rate under train:.",
            )
    idle = IDLE_WITH_EXAMPLES if isinstance(plan.data, tuple) else IDLE_WITH_SOURCES
    for key in idle:
        if getattr(train, key) != getattr(TrainPlan(), key):
            other = "drawn from a task or a long text" if isinstance(plan.data, tuple) else "written out"
            raise at("train", key).error(
                f"With this data, {key} would do nothing.", hint=f"Leave it out: it is for examples that are {other}."
            )
    for step in train.keep or ():
        if step > train.steps:
            raise at("train", "keep").error(
                f"Step {step} cannot be kept: there are {train.steps}.", hint=f"Steps count from 1 to {train.steps}."
            )


def _check_generate(plan: Plan, at: At) -> None:
    """The prompt, and keys that would do nothing next to each other."""
    if plan.generate is None:
        return
    if plan.model is None:
        raise at("generate").error(
            "Only a model can generate a text, and here are lines to calculate.",
            hint="Leave out `generate`, or use `model:` instead of `calculate:`.",
        )
    generate, default = plan.generate, GeneratePlan("")
    if generate.beams is None and generate.length_penalty != default.length_penalty:
        raise at("generate", "length_penalty").error(
            "A length penalty compares the texts of a beam search, and here is only one text.",
            hint="Add `beams: 2`, or leave out the penalty.",
        )
    for key in SAMPLING if generate.beams is not None else SAMPLING[1:] if generate.greedy else ():
        if getattr(generate, key) != getattr(default, key):
            other = "beams" if generate.beams is not None else "greedy"
            raise at("generate", key).error(
                f"With {other} nothing is sampled, so {key} would do nothing.",
                hint=f"Leave out {key}, or leave out {other}.",
            )
    _check_text(plan, generate.prompt, at("generate", "prompt"))


def _check_whole(plan: Plan, at: At) -> None:
    """A model or lines, and what each of them needs."""
    if plan.model is not None and plan.calculate:
        raise at("calculate").error(
            "There is a model, and there are lines to calculate.", hint="Keep one of the two: model: or calculate:."
        )
    if plan.model is None and not plan.calculate:
        raise at().error("There is nothing to compute.", hint="Add a model: or lines under calculate:.")
    if plan.calculate:
        if plan.data:
            raise at("data").error(
                "Lines to calculate read no data.",
                hint="Give the values under given:, token ids as {ids: [0, 1]}.",
            )
        try:
            check_names(plan.calculate, [*plan.given, *plan.parameters.values])
        except ScenarioError as error:
            here = at(*error.keys)
            line = plan.calculate[int(error.keys[-1])].line
            error.where = str(Location(here.file, line, here.keys))
            raise
    for number, example in enumerate(plan.examples):
        _check_example(plan, number, example, at)


def _check_example(plan: Plan, number: int, example: ExamplePlan, at: At) -> None:
    has_decoder = plan.model is not None and plan.model.kind == "encoder-decoder"
    if example.decoder is not None and not has_decoder:
        raise at("data", number, "decoder").error(
            "This model has no decoder that reads a second text.", hint="Leave it out, or use `kind: encoder-decoder`."
        )
    for key in ("input", "decoder"):
        if getattr(example, key) is not None:
            _check_text(plan, getattr(example, key), at("data", number, key))


def _check_text(plan: Plan, tokens: Any, here: Location) -> None:
    """A text has tokens; words need a vocabulary, which a task or a long text provides."""
    if not (tokens.strip() if isinstance(tokens, str) else tokens):
        raise here.error("There are no tokens here.", hint="Write at least one token.")
    has_words = plan.vocabulary is not None or not isinstance(plan.data, tuple)
    if not has_words and any(isinstance(token, str) for token in tokens):
        raise here.error(
            f"'{str(tokens)[:MAX_SHOWN_CHARS]}' cannot be turned into token ids: there is no vocabulary.",
            hint="Add `vocabulary: [...]`, or give the ids as a list.",
        )
