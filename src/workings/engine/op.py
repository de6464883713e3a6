"""Op: one operation, one page. Three kinds of step come from three kinds of op.

* a `Primitive` is one array expression;
* a `Composite` is written in other ops and has closed-form rules of its own;
* a `Group` is written in other ops too, but its members lie in the trace one by one, and
  backward walks through them.

Arrays are positional and settings are keywords, so that nothing else needs to know an op.
Calling an op asks the context what to do with it: an op never asks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, ClassVar, Literal

from .arithmetic import Kind
from .arrays import Array, is_array
from .context import CONTEXT
from .errors import CallError, PageError, WorkingsError, did_you_mean
from .form import Form, Layout, elementwise, position
from .hand import Hand
from .page import Mistake, OpPage, Signature
from .settings import BELOW_ONE, Settings, bad_setting, completed, key_of
from .signature import call_doc, call_signature, python_name
from .tensor import OPERATORS, Tensor, leaf

OPS: dict[str, Op] = {}  # all ops by name: filled while `workings.ops` is imported, and only read afterwards

Stage = Literal["forward", "backward", "update"]

NEW = re.compile(r"_new\d*$")  # how the name of an updated weight ends


class Op:
    """The base of all ops. Subclass `Primitive`, `Composite` or `Group`, never an op."""

    kind: ClassVar[Kind]
    stage: ClassVar[Stage] = "forward"
    forward: Callable[..., Any]
    by_hand: Callable[..., Hand]
    check: Callable[..., None] | None = None  # refuses values, before anything is computed

    def __init__(self) -> None:
        self.page = _read_page(self)
        self.name = self.page.name
        self.compiled: dict[Any, Any] = {}  # see compiled_recording.py
        OPS[self.name] = OPERATORS[self.name] = self
        # For help(), Jupyter and inspect.signature: an op looks like a function of its package.
        self.__name__, self.__module__ = python_name(self.name), type(self).__module__.rpartition(".")[0]
        self.__signature__, self.__doc__ = call_signature(self.page), call_doc(self.page)

    def __call__(self, *inputs: Any, name: str | None = None, **settings: Any) -> Tensor:
        context = CONTEXT.get()
        if context.recorder is not None:
            return context.recorder.record(self, inputs, settings, name or "")
        try:
            return context.arithmetic.run(self, self.tensors(inputs), self.complete(settings))
        except WorkingsError as error:
            self.place(error, name or self.name, inputs)
            raise

    def place(self, error: WorkingsError, where: str, inputs: tuple[Any, ...]) -> None:
        """Say where an error happened and what was given: what the caller sees, not what is inside a composite.
        Of a group the members are seen, so what they said stays.
        """
        if self.kind == "group" and error.where:
            return
        forms = [str(x.form) if isinstance(x, Tensor) else _described(x) for x in inputs]
        names = self.slot_names(len(inputs))
        error.where = where
        error.given = ", ".join(f"{name}: {form}" for name, form in zip(names, forms, strict=True))

    def tensors(self, inputs: tuple[Any, ...]) -> tuple[Tensor, ...]:
        """The inputs as tensors: bare arrays get axes without words."""
        page = self.page
        for x in inputs:
            if type(x) is not Tensor:
                inputs = tuple([x if type(x) is Tensor else self._wrapped(x) for x in inputs])
                break
        found = inputs
        if len(found) != len(page.inputs) and not (page.variadic and len(found) >= len(page.inputs)):
            raise wrong_count(self.name, page.inputs, len(found))
        return found

    def _wrapped(self, value: Any) -> Tensor:
        if not is_array(value):
            raise CallError(
                f"An input of {self.name} is a {type(value).__name__}, which is not an array.",
                hint="Wrap it: given([[1, 2], [3, 4]]).",
            )
        return leaf(value)

    def complete(self, settings: Mapping[str, Any]) -> Settings:
        """All settings of this op, defaults filled in; lists become tuples. The result is never changed."""
        if not settings:
            return self._completed(())
        try:
            return self._completed(key_of(settings))
        except TypeError:  # a list cannot be looked up, a tuple can; an array cannot, and is refused
            return completed(self.page, settings)

    @lru_cache(maxsize=1024)  # noqa: B019 - ops live as long as the program
    def _completed(self, given: tuple[tuple[str, Any, str], ...]) -> Settings:
        return completed(self.page, {key: value for key, value, _ in given})

    def own_name(self, first: str) -> str:
        """The name of a step of this op if the caller gives it none: a new weight is named after the old one.
        `first` is the name of its first input.
        """
        if self.stage != "update":
            return self.page.name
        weight = NEW.sub("", first)
        return weight if self.kind == "group" else f"{weight}_new"

    def known(self, tensors: tuple[Any, ...], out: Any, slot: int) -> Callable[[str], Any]:
        """What a rule may ask for by name: an input, `out`, or `which` of several variadic inputs it is for."""
        names, variadic = self.page.inputs, self.page.variadic

        def ask(name: str) -> Any:
            if name == "out":
                return out
            if name == "which":
                return slot - len(names) + 1
            place = names.index(name)
            return tensors[place:] if variadic and place == len(names) - 1 else tensors[place]

        return ask

    def input_name(self, slot: int) -> str:
        """The page's name for the input in this slot."""
        return self.page.inputs[min(slot, len(self.page.inputs) - 1)]

    def slot_names(self, count: int) -> list[str]:
        """One name for each of `count` inputs; several of a variadic input get a number each."""
        return self.page.call.slot_names(count)

    def positional(self, forms: tuple[Form, ...], settings: Mapping[str, Any]) -> dict[str, Any]:
        """The settings with the word of an axis turned into its position."""
        if self.kind == "primitive":
            own = forms if self.page.variadic else forms[: len(self.page.inputs)]  # a mistake may read more
            return self.laid_out(own, settings).settings
        if settings.get("axis") is None:
            return dict(settings)
        return {**settings, "axis": position(forms[0], settings["axis"])}

    def choice(self, setting: str, value: object, choices: tuple[object, ...]) -> None:
        """Refuse a setting that is not one of the choices."""
        words = [str(choice) for choice in choices]
        if value not in choices:
            near = did_you_mean(value, words) if isinstance(value, str) else ""
            raise CallError(
                f"The setting {setting} of {self.name} cannot be {value}.", hint=f"{near}Allowed: {', '.join(words)}."
            )

    def positive(self, setting: str, value: float) -> None:
        """Refuse a setting that is not above 0."""
        self._refuse_unless(value > 0, setting, value, "a number above 0")

    def not_negative(self, setting: str, value: float) -> None:
        """Refuse a setting below 0."""
        self._refuse_unless(value >= 0, setting, value, "0 or a number above 0")

    def below_one(self, setting: str, value: float) -> None:
        """Refuse a setting that is not a fraction: from 0 up to, but not including, 1."""
        self._refuse_unless(0 <= value < 1, setting, value, BELOW_ONE)

    def _refuse_unless(self, fits: bool, setting: str, value: object, allowed: str) -> None:
        if not fits:
            raise bad_setting(self.name, setting, value, allowed)

    def layout(self, *forms: Form, **settings: Any) -> Layout:
        """The form of the result; unless a primitive says otherwise, entry by entry."""
        form, broadcast = elementwise(*forms)
        return Layout(form, settings, broadcast)

    def laid_out(self, forms: tuple[Form, ...], settings: Mapping[str, Any]) -> Layout:
        """`layout`, remembered: the same forms come by many times."""
        return self._laid_out(forms, settings.key if type(settings) is Settings else key_of(settings))

    @lru_cache(maxsize=4096)  # noqa: B019 - ops live as long as the program
    def _laid_out(self, forms: tuple[Form, ...], settings: tuple[tuple[str, Any, str], ...]) -> Layout:
        return self.layout(*forms, **{key: value for key, value, _ in settings})

    def __repr__(self) -> str:
        return f"<op {self.name}>"


def find_op(name: str) -> Op:
    """The page of this name.

    >>> import workings
    >>> find_op("softmax").name
    'softmax'
    """
    if name not in OPS:
        raise CallError(
            f"There is no op '{name}'.", hint=did_you_mean(name, OPS, 3).strip() or "See `workings op` for the list."
        )
    return OPS[name]


def wrong_count(function: str, inputs: Sequence[str], given: int) -> CallError:
    """A call with too many or too few arrays."""
    needed = "1 input" if len(inputs) == 1 else f"{len(inputs)} inputs"
    return CallError(
        f"{function} takes {needed} ({', '.join(inputs)}), but {given} {'was' if given == 1 else 'were'} given.",
        hint="Arrays are positional, settings are written with their name.",
    )


def _incomplete(op: str, missing: str) -> PageError:
    return PageError(
        f"The page of {op} lacks {missing}.",
        hint="A page has a summary, formula, rules (or a reason for having none), derivation, by_hand, mistakes and an "
        "example.",
    )


def first_of(output: Any) -> Tensor:
    """The result of an op; of a group with several, such as a new weight and its moments, the first."""
    found: Tensor = output[0] if isinstance(output, tuple) else output
    return found


def _described(value: Any) -> str:
    return " × ".join(map(str, value.shape)) or "one number" if is_array(value) else type(value).__name__


class Primitive(Op):
    """One array expression. `layout` states what becomes of the axes.

    `emit` is the same expression as NumPy source, for `compile`: {0}, {1} are the inputs, {out} a buffer for
    the result. Where it depends on the forms of the inputs, `source` writes it; where it takes more than one
    expression, `into` is a method that computes the op into the buffer `out`. Where other ops do the same faster,
    `faster` answers with a function that calls them.
    `view` marks an op whose result shares the memory of its input; `adds` one whose terms may cancel,
    so that a tiny result can be mere rounding dust.
    """

    kind = "primitive"
    emit: ClassVar[str] = ""
    view: ClassVar[bool] = False
    adds: ClassVar[bool] = False

    into: Callable[..., Array] | None = None

    def source(self, *forms: Form, **settings: Any) -> str:
        if self.into is not None:
            return f"{self.name}({', '.join(f'{{{n}}}' for n in range(len(forms)))}, out={{out}}, **{{settings}})"
        return self.emit

    def faster(self, *forms: Form) -> Callable[..., Tensor] | None:
        return None


class Composite(Op):
    """Written in ops, recorded as one closed step, with closed-form rules."""

    kind = "composite"


class Group(Op):
    """Written in ops whose steps all lie in the trace under a common path; no rules of its own.

    One that updates a weight may return a tuple: the new weight first, then what the next update starts from.
    """

    kind = "group"


def _read_page(op: Op) -> OpPage:
    """Gather the parts of a page; refuse it if one is missing."""
    cls = type(op)
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__.removesuffix("Op")).lower()
    if name in OPS:
        raise _incomplete(name, "a name of its own (another page has this one)")
    if not hasattr(op, "forward"):
        raise _incomplete(name, "forward")
    call = Signature.of(op.forward, skip=1)
    methods = [getattr(op, part) for part in _marked(cls)]
    rules = {m.rule.input: replace(m.rule, function=m) for m in methods if hasattr(m, "rule")}
    page = OpPage(
        name=name,
        summary=" ".join((cls.__doc__ or "").split("\n\n")[0].split()),
        formulas=getattr(op.forward, "formulas", ()),
        call=call,
        inputs=call.reads,
        variadic=call.variadic,
        settings=call.settings,
        defaults=call.defaults,
        types=_types(cls, call.settings),
        choices=MappingProxyType(dict(getattr(cls, "choices", {}))),
        returns=str(cls.forward.__annotations__.get("return", "Tensor")),
        doc=cls.__doc__ or "",
        rules=MappingProxyType(rules),
        no_rule=MappingProxyType(dict(getattr(cls, "no_rule", {}))),
        derivation=tuple(getattr(cls, "derivation", ())),
        mistakes=MappingProxyType(_mistakes(name, methods, call)),
        conventions=MappingProxyType(dict(getattr(cls, "conventions", {}))),
        examples=(*([cls.example] if hasattr(cls, "example") else []), *getattr(cls, "more_examples", ())),
        complete=len(call.defaults) == len(call.settings),
        slot_rules=tuple(rules.get(input) for input in call.reads),
    )
    _refuse_incomplete(cls, page)
    return page


def _marked(cls: type[Op]) -> list[str]:
    """The rules and mistakes of a page, then those that it shares with other pages: see ops/parts."""
    parts = (item for base in cls.__mro__ if base is not Op for item in vars(base).items())
    return list(dict.fromkeys(part for part, value in parts if hasattr(value, "rule") or hasattr(value, "mistake")))


def _types(cls: type[Op], settings: tuple[str, ...]) -> Mapping[str, str]:
    """The types of the settings: `layout`, if the page has one, takes them as the caller gives them."""
    written = {**cls.forward.__annotations__, **getattr(vars(cls).get("layout"), "__annotations__", {})}
    return {name: written[name] for name in settings if isinstance(written.get(name), str)}


def _mistakes(page: str, methods: list[Any], call: Signature) -> dict[str, Mistake]:
    """Those of forward, those of the rules, those across steps; of each kind, first the page's own."""
    found: dict[str, Mistake] = {}
    for method in methods:
        if hasattr(method, "mistake"):
            hint, of, across, surroundings = method.mistake
            signature = Signature.of(method, skip=2 if of else 1, whole=call)
            found[method.__name__] = Mistake(
                page, method.__name__, hint, of, across, method, signature, call, surroundings
            )
    return dict(sorted(found.items(), key=lambda item: (bool(item[1].across), bool(item[1].of))))


def _refuse_incomplete(cls: type[Op], page: OpPage) -> None:
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
        raise _incomplete(page.name, ", ".join(missing))
