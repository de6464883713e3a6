"""The parts of an op page.

choices        the values of a setting that has only a few (optional)
conventions    the choices (conventions.py) that it depends on, each with the setting that follows it (optional)
forward        with @formula(latex), and one more for each setting that changes it
rules          one per input: @rule("x", latex), with more formulas in the same way, or no_rule = {"ids": "the reason"}
derivation     why the rules are so: (latex, reason) lines
by_hand        one entry with a pencil; by_hand_dx for the gradient of the input x
mistakes       @mistake("hint"): executable wrong versions of forward, of the rule for one input, or across steps
check          value checks for the eager path (optional)
example        a tiny input with a cotangent
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar

from .tensor import Tensor

Across = Literal["", "wire", "setting"]
Method = TypeVar("Method", bound=Callable[..., Any])
Formulas: TypeAlias = tuple[tuple[str, Mapping[str, Any]], ...]  # each with the settings that it is for
# From the site (site.py) at which a mistake is made to the sites of its inputs; None where it cannot be made.
Surroundings: TypeAlias = Callable[[Any], Mapping[str, Any] | None]

CO_VARARGS, CO_VARKEYWORDS = 4, 8  # as in the module inspect
ANY_INPUT = "*"  # what a mistake is `of` that fits the rule for each input: see in_rule.py


def formula(latex: str, **when: Any) -> Callable[[Method], Method]:
    """The formula of `forward`, in the letters of its inputs; a second one, `when` settings have these values."""

    def mark(method: Method) -> Method:
        method.formulas = ((latex, when), *getattr(method, "formulas", ()))  # type: ignore[attr-defined]
        return method

    return mark


def fitting(formulas: Formulas, settings: Mapping[str, Any]) -> str:
    """The formula that holds with these settings: of several, the one that asks for most of them."""
    found = [(latex, when) for latex, when in formulas if when.items() <= settings.items()]
    return max(found, key=lambda pair: len(pair[1]))[0] if found else ""


@dataclass(frozen=True)
class Signature:
    """Which inputs and settings a method of a page asks for, read off its parameters."""

    reads: tuple[str, ...]
    settings: tuple[str, ...]
    defaults: Mapping[str, Any]
    variadic: bool

    @classmethod
    def of(cls, method: Callable[..., Any], skip: int, whole: Signature | None = None) -> Signature:
        """That of a method; one with `**settings` asks for all settings of the op, whose signature is `whole`."""
        # Read off the code object: hundreds are read while the package is imported, and
        # inspect.signature would take half of that time.
        code = method.__code__
        names, count, keywords = code.co_varnames, code.co_argcount, code.co_kwonlyargcount
        variadic = bool(code.co_flags & CO_VARARGS)
        rest = names[count + keywords : count + keywords + variadic]
        takes_all = code.co_flags & CO_VARKEYWORDS
        return cls(
            names[skip:count] + rest,
            whole.settings if whole is not None and takes_all else names[count : count + keywords],
            dict(method.__kwdefaults__ or {}),
            variadic,
        )

    def slot_names(self, count: int) -> list[str]:
        """One name for each of `count` inputs; several of a variadic input get a number each."""
        last = len(self.reads) - 1
        names = [self.reads[min(slot, last)] for slot in range(count)]
        return [f"{name}{n - last + 1}" if self.variadic and n >= last else name for n, name in enumerate(names)]


@dataclass(frozen=True)
class Rule:
    """The backward rule for one input, a method of the op. It is called with the gradient of the output and with
    just those inputs, settings and `out` that its parameters name: the tape keeps no others.
    """

    input: str
    formulas: Formulas
    function: Callable[..., Tensor]
    signature: Signature

    @property
    def latex(self) -> str:
        """The formula that holds unless a setting says otherwise."""
        return self.latex_for({})

    def latex_for(self, settings: Mapping[str, Any]) -> str:
        """The formula that holds with these settings."""
        return fitting(self.formulas, settings)

    def __call__(self, g: Tensor, known: Callable[[str], Any], settings: Mapping[str, Any]) -> Tensor:
        """Apply it; `known` hands out inputs and `out` by name."""
        arguments = [known(name) for name in self.signature.reads]
        chosen = {name: settings[name] for name in self.signature.settings}
        return self.function(g, *arguments, **chosen)


def rule(input: str, latex: str, **when: Any) -> Callable[[Method], Method]:
    """Marks the backward rule for one input, written in ops; a second formula, `when` settings have these values."""

    def mark(method: Method) -> Method:
        formulas = ((latex, when), *(method.rule.formulas if hasattr(method, "rule") else ()))
        method.rule = Rule(input, formulas, method, Signature.of(method, skip=2))  # type: ignore[attr-defined]
        return method

    return mark


@dataclass(frozen=True)
class Mistake:
    """An executable wrong version of a page's forward, or of its rule for one input (`of`); or one that is made
    `across` steps, by reading another value (a wire) or taking another number (a setting): see site.py. A wrong version
    that reads what the page does not says where to find it: `surroundings`. A wrong rule that cannot be made everywhere
    looks at the surroundings of the forward step.

    Its id, `softmax.wrong_axis`, stays stable.
    """

    page: str
    name: str
    hint: str
    of: str
    across: Across
    function: Callable[..., Any] = field(
        repr=False
    )  # a method of the op: gives a Tensor; across steps, Changes or None
    signature: Signature = field(repr=False)
    call: Signature = field(repr=False)  # of the op itself
    surroundings: Surroundings | None = field(default=None, repr=False)

    kind: ClassVar[Literal["composite"]] = "composite"  # it is written in ops, like one

    @property
    def id(self) -> str:
        return f"{self.page}.{self.name}"

    def run(self, tensors: tuple[Tensor, ...], settings: Mapping[str, Any]) -> Tensor:
        """Apply it to the inputs that `slot_names` lists."""
        chosen = {name: settings[name] for name in self.signature.settings if name in settings}
        arguments: list[Any] = list(tensors)
        if "which" in self.signature.reads:
            arguments.insert(self.signature.reads.index("which") + bool(self.of), settings["which"])
        wrong: Tensor = self.function(*arguments, **chosen)
        return wrong

    def slot_names(self, count: int) -> list[str]:
        """One name for each of `count` inputs; a wrong rule reads the gradient first."""
        if not self.of and self.surroundings is not None and not self.signature.variadic:
            return list(self.signature.reads)
        if not self.of:
            return self.call.slot_names(count)
        names = ["g", *(name for name in self.signature.reads if name != "which")]
        return names + [f"{names[-1]}{n}" for n in range(2, count - len(names) + 2)]


def mistake(
    hint: str,
    *,
    of: str = "",
    across: Across = "",
    surroundings: Surroundings | None = None,
) -> Callable[[Method], Method]:
    """Marks a wrong version, named after the method: of `forward`, of the rule for the input `of`, or one that is
    made across steps. With `surroundings`, a wrong version of `forward` whose inputs are found around the step, or a
    wrong rule that can be made only where they are found.
    """

    def mark(method: Method) -> Method:
        made_across = "wire" if surroundings and not of else across
        method.mistake = (hint, of, made_across, surroundings)  # type: ignore[attr-defined]
        return method

    return mark


@dataclass(frozen=True)
class Values:
    """Numbers on a page, as nested lists, with their axis words."""

    numbers: Any
    axes: tuple[str, ...]


def values(numbers: Any, axes: str = "") -> Values:
    """
    >>> values([[1, 2], [3, 4]], "query key").axes
    ('query', 'key')
    """
    return Values(numbers, tuple(axes.split()))


class Example:
    """A tiny call of the op, and how much each entry of its result counts (the cotangent)."""

    def __init__(self, *inputs: Values, cotangent: Any = None, **settings: Any) -> None:
        self.inputs = inputs
        self.cotangent = cotangent
        self.settings: Mapping[str, Any] = MappingProxyType(settings)


@dataclass(frozen=True)
class OpPage:
    """Everything that a page says, gathered once when its op is made."""

    name: str
    summary: str
    formulas: Formulas
    call: Signature
    inputs: tuple[str, ...]
    variadic: bool
    settings: tuple[str, ...]
    defaults: Mapping[str, Any]
    types: Mapping[str, str]  # of the settings, as the page writes them
    choices: Mapping[str, tuple[object, ...]]  # of those settings that have only a few values
    returns: str  # the type of the result
    doc: str  # the summary, and more about the settings
    rules: Mapping[str, Rule]
    no_rule: Mapping[str, str]
    derivation: tuple[tuple[str, str], ...]
    mistakes: Mapping[str, Mistake]
    conventions: Mapping[str, str]  # a choice of a convention -> the setting that follows it, or what this page is
    examples: tuple[Example, ...]
    complete: bool  # every setting has a default
    slot_rules: tuple[Rule | None, ...]  # the rule for each input; the last one serves all that are variadic

    @property
    def example(self) -> Example:
        return self.examples[0]

    @property
    def formula(self) -> str:
        """The formula that holds unless a setting says otherwise."""
        return self.formula_for({})

    def formula_for(self, settings: Mapping[str, Any]) -> str:
        """The formula that holds with these settings."""
        return fitting(self.formulas, settings)
