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

from .engine.errors import ConventionError, did_you_mean
from .engine.op import Op
from .engine.settings import BELOW_ONE


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
    tied_embeddings: bool

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
        Layer norm comes before attention and feed-forward in gpt2, after the residual is added in bert.
        The epsilon of layer norm is 1e-05 in gpt2, 1e-12 in bert.
        Feed-forward layers use the tanh approximation of GELU in gpt2, GELU in bert.
        """
        return tuple(
            Difference(field, self, other) for field in CHOICES if getattr(self, field) != getattr(other, field)
        )

    def __str__(self) -> str:
        """Its name; of one that is changed, what is different.

        >>> print(convention("bert", norm_place="pre"))
        bert, changed (Layer norm comes before attention and feed-forward)
        """
        known = PROFILES.get(self.profile, self)
        changed = [field for field in CHOICES if getattr(self, field) != getattr(known, field)]
        facts = [f"{subject(field)} {words(field, getattr(self, field))}" for field in changed]
        return f"{self.profile}, changed ({'. '.join(facts)})" if facts else self.profile


class Difference(NamedTuple):
    """One field in which two conventions differ."""

    field: str
    one: Convention
    other: Convention

    def __str__(self) -> str:
        one, other = (words(self.field, getattr(side, self.field)) for side in (self.one, self.other))
        return f"{subject(self.field)} {one} in {self.one.profile}, {other} in {self.other.profile}."

    def __repr__(self) -> str:
        return str(self)


CHOICES = tuple(field.name for field in fields(Convention) if field.name != "profile")
RENAMED = {"tied_output": "tied_embeddings"}  # choices that had another name in files of version 0.8

# What each choice is about, and each of its values in words.
_WORDS: Mapping[str, tuple[str, Mapping[Any, str]]] = {
    "norm_place": (
        "Layer norm comes", {"pre": "before attention and feed-forward", "post": "after the residual is added"}
    ),
    "norm_correction": ("The variance of layer norm is divided", {0: "by n", 1: "by n - 1"}),
    "norm_epsilon": ("The epsilon of layer norm is", {}),
    "norm_epsilon_place": (
        "The epsilon of layer norm is added", {"inside": "inside the square root", "outside": "outside the square root"}
    ),
    "activation": (
        "Feed-forward layers use", {"relu": "ReLU", "gelu": "GELU", "gelu_tanh": "the tanh approximation of GELU"}
    ),
    "position": (
        "Positions are",
        {
            "interleaved": "alternating sines and cosines",
            "concatenated": "sines and then cosines",
            "learned": "learned",
        },
    ),
    "attention_scale": (
        "Attention scores are divided by the square root", {"head": "of the head size", "model": "of the model's width"}
    ),
    "loss_reduction": ("The losses of all positions are", {"mean": "averaged", "sum": "summed"}),
    "biases": (
        "Biases are used",
        {"all": "in every linear layer", "feed_forward": "in the feed-forward layers only", "none": "nowhere"},
    ),
    "tied_embeddings": (
        "The output layer", {True: "is the transposed embedding matrix", False: "has weights of its own"}
    ),
}  # fmt: skip

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
    tied_embeddings=False,
)

PROFILES: Mapping[str, Convention] = {
    "paper": replace(_PYTORCH, profile="paper", norm_epsilon=1e-6, biases="feed_forward", tied_embeddings=True),
    "pytorch": _PYTORCH,
    "gpt2": replace(
        _PYTORCH, profile="gpt2", norm_place="pre", activation="gelu_tanh", position="learned", tied_embeddings=True
    ),
    "bert": replace(
        _PYTORCH, profile="bert", norm_epsilon=1e-12, activation="gelu", position="learned", tied_embeddings=True
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
        near = did_you_mean(str(profile).lower(), PROFILES)
        raise ConventionError(f"There is no convention '{profile}'.", hint=f"{near}Known: {', '.join(PROFILES)}.")
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
    return f"{value:g}" if get_type_hints(Convention)[field] is float else _WORDS[field][1][value]


def subject(field: str) -> str:
    """What a choice is about: the sentence that `words` ends."""
    return _WORDS[field][0]


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
    given = f"{field}={value!r}"[:60]
    if field not in CHOICES:
        near = f"It is called {RENAMED[field]} now. " if field in RENAMED else did_you_mean(field, CHOICES)
        raise ConventionError(
            f"A convention has no choice '{field}'.", given=given, hint=f"{near}Choices: {', '.join(CHOICES)}."
        )
    near = ""
    if field == "norm_epsilon":
        fits, listed = type(value) in (int, float) and 0 <= value < 1, BELOW_ONE
    else:
        words = [str(choice) for choice in choices(field)]
        fits = any(value == choice and type(value) is type(choice) for choice in choices(field))
        near, listed = did_you_mean(str(value), words), ", ".join(words)
    if not fits:
        raise ConventionError(
            f"The choice {field} of a convention cannot be {repr(value)[:60]}.",
            given=given,
            hint=f"{near}Give one of: {listed}.",
        )
