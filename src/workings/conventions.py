"""Conventions: what papers, libraries and textbooks do differently, each as an explicit choice.

A convention is a frozen record of such choices. Six are known by name:

paper      "Attention Is All You Need", with the epsilon of its own code
pytorch    the defaults of torch.nn.Transformer, with the positions of its tutorial
gpt2       GPT-2
bert       BERT
annotated  "The Annotated Transformer", as its program computes (its text differs)
seed       the teaching documents that this project started from

A page whose result depends on a choice names the field in `conventions`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, NamedTuple, get_args, get_type_hints

from .engine.errors import ConventionError
from .engine.op import Op
from .engine.registry import nearest
from .engine.sentences import add_sentences, say


@dataclass(frozen=True)
class Convention:
    """One choice for everything on which authors differ."""

    profile: str
    norm_place: Literal["pre", "post"]
    norm_correction: Literal[0, 1]
    norm_epsilon: float
    norm_epsilon_place: Literal["inside", "outside"]
    activation: Literal["relu", "gelu", "gelu_tanh"]
    position: Literal["interleaved", "concatenated", "learned"]
    attention_scale: Literal["head", "model"]
    loss_reduction: Literal["mean", "sum"]
    biases: Literal["all", "feed_forward", "none"]
    tied_output: bool

    def but(self, **changes: Any) -> Convention:
        """The same convention with other choices, checked.

        >>> convention("gpt2").but(norm_place="post").norm_place
        'post'
        """
        for field, value in changes.items():
            _refuse_unfit(field, value)
        return replace(self, **changes)

    def differences(self, other: Convention) -> tuple[Difference, ...]:
        r"""What the two do differently, in words.

        >>> print(*convention("gpt2").differences(convention("bert")), sep="\n")
        Layer norm stands before attention and feed-forward in gpt2, after the residual is added in bert.
        The epsilon of layer norm is 1e-05 in gpt2, 1e-12 in bert.
        Feed-forward layers use GELU by its tanh approximation in gpt2, GELU in bert.
        """
        return tuple(
            Difference(field, self, other) for field in CHOICES if getattr(self, field) != getattr(other, field)
        )

    def __str__(self) -> str:
        """Its name; of one that is changed, what is different.

        >>> print(convention("bert", norm_place="pre"))
        bert, changed (Layer norm stands before attention and feed-forward)
        """
        known = PROFILES.get(self.profile, self)
        changed = [field for field in CHOICES if getattr(self, field) != getattr(known, field)]
        told = [f"{say(f'convention.{field}')} {words(field, getattr(self, field))}" for field in changed]
        return say("convention.changed", profile=self.profile, changes=". ".join(told)) if told else self.profile


class Difference(NamedTuple):
    """One field in which two conventions differ."""

    field: str
    one: Convention
    other: Convention

    def __str__(self) -> str:
        one, other = (words(self.field, getattr(side, self.field)) for side in (self.one, self.other))
        subject, names = say(f"convention.{self.field}"), (self.one.profile, self.other.profile)
        return say("convention.difference", subject=subject, one=one, other=other, first=names[0], second=names[1])

    __repr__ = __str__


CHOICES = tuple(field.name for field in fields(Convention) if field.name != "profile")

_PYTORCH = Convention(
    profile="pytorch",
    norm_place="post",
    norm_correction=0,
    norm_epsilon=1e-5,
    norm_epsilon_place="inside",
    activation="relu",
    position="interleaved",
    attention_scale="head",
    loss_reduction="mean",
    biases="all",
    tied_output=False,
)

PROFILES: Mapping[str, Convention] = {
    "paper": replace(_PYTORCH, profile="paper", norm_epsilon=1e-6, biases="feed_forward", tied_output=True),
    "pytorch": _PYTORCH,
    "gpt2": replace(
        _PYTORCH, profile="gpt2", norm_place="pre", activation="gelu_tanh", position="learned", tied_output=True
    ),
    "bert": replace(
        _PYTORCH, profile="bert", norm_epsilon=1e-12, activation="gelu", position="learned", tied_output=True
    ),
    "annotated": replace(
        _PYTORCH,
        profile="annotated",
        norm_place="pre",
        norm_correction=1,
        norm_epsilon=1e-6,
        norm_epsilon_place="outside",
    ),
    "seed": replace(_PYTORCH, profile="seed", norm_place="pre", norm_epsilon=1e-6, biases="feed_forward"),
}


def convention(profile: str | Convention = "pytorch", **changes: Any) -> Convention:
    """A convention by its name, with some choices changed.

    >>> convention("annotated").norm_correction
    1
    >>> convention("seed", norm_epsilon=1e-5).norm_epsilon
    1e-05
    """
    if isinstance(profile, Convention):
        return profile.but(**changes)
    if not isinstance(profile, str) or profile not in PROFILES:
        near = nearest(str(profile).lower(), PROFILES, most=1)
        raise ConventionError("convention.profile", name=profile, nearest=near, known=", ".join(PROFILES))
    return PROFILES[profile].but(**changes)


def settings_from(op: Op, choice: Convention) -> dict[str, Any]:
    """The settings of an op that a convention decides.

    >>> from workings.ops import layer_norm
    >>> settings_from(layer_norm, convention("bert"))
    {'correction': 0, 'epsilon': 1e-12, 'place': 'inside'}
    """
    followed = {setting: field for field, setting in op.page.conventions.items() if setting in op.page.settings}
    return {setting: getattr(choice, field) for setting, field in followed.items()}


def words(field: str, value: Any) -> str:
    """A choice in words: `divides by n`; a number stays a number."""
    return f"{value:g}" if get_type_hints(Convention)[field] is float else say(f"convention.{field}.{value}")


def choices(field: str) -> tuple[Any, ...]:
    """What can be chosen; of a number, what the profiles choose.

    >>> choices("norm_place")
    ('pre', 'post')
    """
    kind = get_type_hints(Convention)[field]
    if kind is bool:
        return (False, True)
    return get_args(kind) or tuple(dict.fromkeys(getattr(profile, field) for profile in PROFILES.values()))


def _refuse_unfit(field: str, value: Any) -> None:
    if field not in CHOICES:
        near = nearest(field, CHOICES, most=1)
        raise ConventionError("convention.field", field=field, nearest=near, known=", ".join(CHOICES))
    if field == "norm_epsilon":
        fits, listed = type(value) in (int, float) and 0 <= value < 1, say("setting.share")
    else:
        fits = any(value == choice and type(value) is type(choice) for choice in choices(field))
        listed = ", ".join(str(choice) for choice in choices(field))
    if not fits:
        raise ConventionError("convention.choice", field=field, value=repr(value)[:60], choices=listed)


add_sentences(
    "convention",
    {
        "changed": "{profile}, changed ({changes})",
        "difference": "{subject} {one} in {first}, {other} in {second}.",
        "norm_place": "Layer norm stands",
        "norm_place.pre": "before attention and feed-forward",
        "norm_place.post": "after the residual is added",
        "norm_correction": "The variance of layer norm is divided",
        "norm_correction.0": "by n",
        "norm_correction.1": "by n - 1",
        "norm_epsilon": "The epsilon of layer norm is",
        "norm_epsilon_place": "The epsilon of layer norm is added",
        "norm_epsilon_place.inside": "under the root",
        "norm_epsilon_place.outside": "after the root is taken",
        "activation": "Feed-forward layers use",
        "activation.relu": "ReLU",
        "activation.gelu": "GELU",
        "activation.gelu_tanh": "GELU by its tanh approximation",
        "position": "Positions are",
        "position.interleaved": "sines and cosines that take turns",
        "position.concatenated": "sines and then cosines",
        "position.learned": "learned",
        "attention_scale": "Scores are divided by the root",
        "attention_scale.head": "of the head size",
        "attention_scale.model": "of the model's width",
        "loss_reduction": "The losses of all positions are",
        "loss_reduction.mean": "averaged",
        "loss_reduction.sum": "added up",
        "biases": "Biases are there",
        "biases.all": "in every linear layer",
        "biases.feed_forward": "in the feed-forward layers only",
        "biases.none": "nowhere",
        "tied_output": "The output layer",
        "tied_output.True": "is the embedding table once more",
        "tied_output.False": "has weights of its own",
    },
)
