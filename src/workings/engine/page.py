"""The parts of an op page, and the check that none is missing.

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

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, TypeVar

from .errors import PageError
from .registry import OPS
from .sentences import add_sentences

if TYPE_CHECKING:
    from .op import Op
    from .site import Site
    from .tensor import Tensor

Across = Literal["", "wire", "setting"]
Method = TypeVar("Method", bound=Callable[..., Any])
Formulas: TypeAlias = tuple[tuple[str, Mapping[str, Any]], ...]  # each with the settings that it is for

CO_VARARGS = 4  # as in the module inspect
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
    def of(cls, method: Callable[..., Any], skip: int) -> Signature:
        # Read off the code object: hundreds are read while the package is imported, and
        # inspect.signature would take half of that time.
        code = method.__code__
        names, count, keywords = code.co_varnames, code.co_argcount, code.co_kwonlyargcount
        variadic = bool(code.co_flags & CO_VARARGS)
        rest = names[count + keywords : count + keywords + variadic]
        return cls(
            names[skip:count] + rest,
            names[count : count + keywords],
            dict(method.__kwdefaults__ or {}),
            variadic,
        )


@dataclass(frozen=True)
class Rule:
    """The backward rule for one input. It is called with the gradient of the output and with
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

    def __call__(self, op: Op, g: Tensor, known: Callable[[str], Any], settings: Mapping[str, Any]) -> Tensor:
        """Apply it; `known` hands out inputs and `out` by name."""
        arguments = [known(name) for name in self.signature.reads]
        chosen = {name: settings[name] for name in self.signature.settings}
        return self.function(op, g, *arguments, **chosen)


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
    that reads what the page does not says where to find it: `beside`.

    Its id, `softmax.wrong_axis`, stays stable.
    """

    page: str
    name: str
    hint: str
    of: str
    across: Across
    function: Callable[..., Any] = field(repr=False)  # gives a Tensor; across steps, Changes or None
    signature: Signature = field(repr=False)
    beside: Callable[[Site], Mapping[str, Site] | None] | None = field(default=None, repr=False)

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
        wrong: Tensor = self.function(OPS[self.page], *arguments, **chosen)
        return wrong

    def slot_names(self, count: int) -> list[str]:
        """One name for each of `count` inputs; a wrong rule reads the gradient first."""
        if self.beside is not None:
            return list(self.signature.reads)
        if not self.of:
            return OPS[self.page].slot_names(count)
        names = ["g", *(name for name in self.signature.reads if name != "which")]
        return names + [f"{names[-1]}{n}" for n in range(2, count - len(names) + 2)]


def mistake(
    hint: str,
    *,
    of: str = "",
    across: Across = "",
    beside: Callable[[Site], Mapping[str, Site] | None] | None = None,
) -> Callable[[Method], Method]:
    """Marks a wrong version, named after the method: of `forward`, of the rule for the input `of`, or one that is
    made across steps. With `beside`, a wrong version of `forward` whose inputs are found around the step.
    """

    def mark(method: Method) -> Method:
        method.mistake = (hint, of, "wire" if beside else across, beside)  # type: ignore[attr-defined]
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
class Page:
    """Everything that a page says, gathered once when its class is made."""

    name: str
    summary: str
    formulas: Formulas
    inputs: tuple[str, ...]
    variadic: bool
    settings: tuple[str, ...]
    defaults: Mapping[str, Any]
    types: Mapping[str, str]  # of the settings, as the page writes them
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


def read_page(cls: type[Op]) -> Page:
    """Gather the parts of a page; refuse it if one is missing."""
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()
    if name in OPS:
        raise PageError("page", op=name, missing="a name of its own (another page has this one)")
    forward = getattr(cls, "forward", None)
    if forward is None:
        raise PageError("page", op=name, missing="forward")
    call = Signature.of(forward, skip=1)
    methods = [value for value in vars(cls).values() if callable(value)]
    rules = {m.rule.input: m.rule for m in methods if hasattr(m, "rule")}
    page = Page(
        name=name,
        summary=" ".join((cls.__doc__ or "").split("\n\n")[0].split()),
        formulas=getattr(forward, "formulas", ()),
        inputs=call.reads,
        variadic=call.variadic,
        settings=call.settings,
        defaults=call.defaults,
        types=_types(cls, call.settings),
        rules=MappingProxyType(rules),
        no_rule=MappingProxyType(dict(getattr(cls, "no_rule", {}))),
        derivation=tuple(getattr(cls, "derivation", ())),
        mistakes=MappingProxyType(_mistakes(name, methods)),
        conventions=MappingProxyType(dict(getattr(cls, "conventions", {}))),
        examples=(*_listed(cls, "example"), *getattr(cls, "more_examples", ())),
        complete=len(call.defaults) == len(call.settings),
        slot_rules=tuple(rules.get(input) for input in call.reads),
    )
    _refuse_incomplete(cls, page)
    _catalogue(page)
    return page


def _types(cls: type[Op], settings: tuple[str, ...]) -> Mapping[str, str]:
    """The types of the settings: `layout`, if the page has one, takes them as the caller gives them."""
    written = {**cls.forward.__annotations__, **getattr(vars(cls).get("layout"), "__annotations__", {})}
    return {name: written[name] for name in settings if isinstance(written.get(name), str)}


def _mistakes(page: str, methods: list[Any]) -> dict[str, Mistake]:
    found = {}
    for method in methods:
        if hasattr(method, "mistake"):
            hint, of, across, beside = method.mistake
            signature = Signature.of(method, skip=2 if of else 1)
            found[method.__name__] = Mistake(page, method.__name__, hint, of, across, method, signature, beside)
    return found


def _listed(cls: type[Op], part: str) -> tuple[Any, ...]:
    return (getattr(cls, part),) if hasattr(cls, part) else ()


def _refuse_incomplete(cls: type[Op], page: Page) -> None:
    missing = [part for part in ("summary", "formula", "examples", "mistakes") if not getattr(page, part)]
    if cls.kind != "group":
        if not hasattr(cls, "by_hand"):
            missing.append("by_hand")
        if not page.derivation and page.rules:
            missing.append("derivation")
        for input in page.inputs:
            if input in page.rules:
                if not hasattr(cls, f"by_hand_d{input}"):
                    missing.append(f"by_hand_d{input}")
            elif input not in page.no_rule:
                missing.append(f"a rule for {input}, or the reason for having none")
    strangers = [name for name in (*page.rules, *page.no_rule) if name not in page.inputs]
    missing += [f"an input '{name}' for its rule" for name in strangers]
    lost = [m for m in page.mistakes.values() if m.of and m.of not in page.rules]
    missing += [f"a rule for {m.of}, which the mistake {m.name} is about" for m in lost]
    if missing:
        raise PageError("page", op=page.name, missing=", ".join(missing))


def _catalogue(page: Page) -> None:
    sentences = {"summary": page.summary}
    sentences |= {f"derivation.{n}": reason for n, (_, reason) in enumerate(page.derivation, 1)}
    sentences |= {f"no_rule.{name}": reason for name, reason in page.no_rule.items()}
    sentences |= {f"mistake.{name}": mistake.hint for name, mistake in page.mistakes.items()}
    add_sentences(f"op.{page.name}", sentences)
