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
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from .arrays import Array, is_array
from .context import CONTEXT
from .errors import CallError, PageError, WorkingsError
from .form import Form, Layout, elementwise, position
from .hand import Hand
from .leaves import leaf
from .page import Page, read_page
from .registry import OPS
from .sentences import say
from .settings import Settings, completed, key_of
from .tensor import Tensor

if TYPE_CHECKING:
    from .recording import Recording

Kind = Literal["leaf", "primitive", "composite", "group"]
Stage = Literal["forward", "backward", "update"]

NEW = re.compile(r"_new\d*$")  # how the name of an updated weight ends


class Op:
    """The base of all ops. Subclass `Primitive`, `Composite` or `Group`, never an op."""

    kind: ClassVar[Kind]
    stage: ClassVar[Stage] = "forward"
    page: ClassVar[Page]
    forward: Callable[..., Any]
    by_hand: Callable[..., Hand]
    check: Callable[..., None] | None = None  # refuses values, before anything is computed

    def __init_subclass__(cls, base: bool = False) -> None:
        super().__init_subclass__()
        if not base:
            cls.page = read_page(cls)

    def __init__(self) -> None:
        self.closed: dict[Any, Any] = {}  # see closed.py
        if OPS.setdefault(self.name, self) is not self:
            raise PageError("page", op=self.name, missing="a name of its own (another page has this one)")

    @property
    def name(self) -> str:
        return self.page.name

    def __call__(self, *inputs: Any, name: str = "", **settings: Any) -> Tensor:
        context = CONTEXT.get()
        if context.recorder is not None:
            return context.recorder.record(self, inputs, settings, name)
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
            names = ", ".join(page.inputs)
            raise CallError("inputs.count", op=self.name, needed=len(page.inputs), names=names, count=len(found))
        return found

    def _wrapped(self, value: Any) -> Tensor:
        if not is_array(value):
            raise CallError("inputs.type", op=self.name, type=type(value).__name__)
        return leaf(value)

    def complete(self, settings: Mapping[str, Any]) -> Settings:
        """All settings of this op, defaults filled in; lists become tuples. Nobody changes what comes back."""
        if not settings:
            return self._completed(())
        try:
            return self._completed(key_of(settings))
        except TypeError:  # a list cannot be looked up, a tuple can; an array cannot, and is refused
            return completed(self.page, settings)

    @lru_cache(maxsize=1024)  # noqa: B019 - ops live as long as the program
    def _completed(self, given: tuple[tuple[str, Any, str], ...]) -> Settings:
        return completed(self.page, {key: value for key, value, _ in given})

    def own_name(self, recording: Recording, tensors: tuple[Tensor, ...]) -> str:
        """What a step of this op is called if nobody gives it a name: a new weight after the old one."""
        if self.stage != "update":
            return self.page.name
        weight = NEW.sub("", recording.step(recording.id_of(tensors[0])).name)
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
        """One name for each of `count` inputs; several of a variadic input are told apart by number."""
        names = [self.input_name(slot) for slot in range(count)]
        first = len(self.page.inputs) - 1
        if not self.page.variadic:
            return names
        return [name if slot < first else f"{name}{slot - first + 1}" for slot, name in enumerate(names)]

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
        self._refuse_unless(value in choices, setting, value, ", ".join(str(choice) for choice in choices))

    def positive(self, setting: str, value: float) -> None:
        """Refuse a setting that is not above 0."""
        self._refuse_unless(value > 0, setting, value, say("setting.positive"))

    def not_negative(self, setting: str, value: float) -> None:
        """Refuse a setting below 0."""
        self._refuse_unless(value >= 0, setting, value, say("setting.not_negative"))

    def share(self, setting: str, value: float) -> None:
        """Refuse a setting that is not a share of the whole: from 0 up to, but not including, 1."""
        self._refuse_unless(0 <= value < 1, setting, value, say("setting.share"))

    def _refuse_unless(self, fits: bool, setting: str, value: object, choices: str) -> None:
        if not fits:
            raise CallError("setting.choice", op=self.name, setting=setting, value=value, choices=choices)

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


def first_of(output: Any) -> Tensor:
    """The result of an op; of a group with several, such as a new weight and its moments, the first."""
    found: Tensor = output[0] if isinstance(output, tuple) else output
    return found


def _described(value: Any) -> str:
    return " × ".join(map(str, value.shape)) or "one number" if is_array(value) else type(value).__name__


class Primitive(Op, base=True):
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


class Composite(Op, base=True):
    """Written in ops, recorded as one closed step, with closed-form rules."""

    kind = "composite"


class Group(Op, base=True):
    """Written in ops whose steps all lie in the trace under a common path; no rules of its own.

    One that updates a weight may return a tuple: the new weight first, then what the next update starts from.
    """

    kind = "group"
