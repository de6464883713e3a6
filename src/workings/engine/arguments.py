"""Calls with wrong arguments are refused in a sentence that names what fits, not with Python's TypeError."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import cache, wraps
from types import UnionType
from typing import Any, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from .errors import CallError, OptionError, did_you_mean

P = ParamSpec("P")
R = TypeVar("R")

MAX_SHOWN_CHARS = 60  # of a value that an error repeats


def unknown_choice(option: str, value: object, choices: Iterable[object]) -> OptionError:
    """The error about a value that is not one of the choices of an option; on the command line, the option begins
    with --.

    >>> print(unknown_choice("mask", "casual", ["none", "causal"]))
    'casual' is not one of the choices for mask.
      given: mask='casual'
      try:   Did you mean causal? Choices: none, causal.
    """
    words = [str(choice) for choice in choices]
    given = f"{option} {value}" if option.startswith("-") else f"{option}={value!r}"
    return OptionError(
        f"'{str(value)[:MAX_SHOWN_CHARS]}' is not one of the choices for {option}.",
        option=option,
        given=given[:MAX_SHOWN_CHARS],
        hint=f"{did_you_mean(str(value), words)}Choices: {', '.join(words)}.",
    )


class CheckedCall(type):
    """The type of classes that explain which of their arguments is unknown or missing. A class may list the names that
    its arguments had in earlier versions under `RENAMED`.
    """

    def __call__(cls, *arguments: Any, **options: Any) -> Any:
        try:
            return super().__call__(*arguments, **options)
        except (TypeError, AttributeError):
            refuse_arguments(cls, arguments, options, getattr(cls, "RENAMED", {}))
            raise

    @property
    def __signature__(cls) -> inspect.Signature:
        """That of `__init__`, so that help() shows the arguments and not those of `__call__` above."""
        signature = inspect.signature(getattr(cls, "__init__"))  # noqa: B009 - mypy forbids it on an instance
        return signature.replace(parameters=list(signature.parameters.values())[1:])


def checks_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Decorates a function so that wrong arguments are explained.

    >>> @checks_arguments
    ... def draw(seed, spread=1.0): ...
    >>> try:
    ...     draw(7, spraed=2.0)
    ... except CallError as error:
    ...     print(error)
    draw has no option 'spraed'.
      given: spraed=2.0
      try:   Did you mean spread? Options of draw: seed, spread.
    """

    @wraps(function)
    def checked(*arguments: P.args, **options: P.kwargs) -> R:
        try:
            return function(*arguments, **options)
        except (TypeError, AttributeError):
            refuse_arguments(function, arguments, options)
            raise

    return checked


def refuse_arguments(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    options: Mapping[str, Any],
    renamed: Mapping[str, str] | None = None,
    name: str = "",
) -> None:
    """Raise the error that says what is wrong with these arguments; nothing happens if they fit the signature."""
    name = name or function.__name__
    signature = dict(inspect.signature(function).parameters)
    if next(iter(signature), "") == "self":  # a method, called with its object
        del signature["self"]
        arguments = arguments[1:]
    kinds = {parameter.kind for parameter in signature.values()}
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    parameters = {key: parameter for key, parameter in signature.items() if parameter.kind not in variadic}
    if inspect.Parameter.VAR_KEYWORD not in kinds:
        for option, value in options.items():
            if option not in parameters:
                raise _unknown_option(name, option, value, list(parameters), (renamed or {}).get(option, ""))
    positional = [key for key, parameter in parameters.items() if parameter.kind is not parameter.KEYWORD_ONLY]
    extra = arguments[len(positional) :]
    if extra and inspect.Parameter.VAR_POSITIONAL not in kinds:
        most = f"at most {len(positional)}" if positional else "no"
        raise CallError(
            f"{name} takes {most} positional argument{'s' * (len(positional) != 1)}.",
            given=str(len(arguments)),
            hint=f"Positional arguments: {', '.join(positional)}." if positional else "",
        )
    _refuse_twice_or_missing(name, parameters, len(arguments) - len(extra), options)
    refuse_types(name, function, {**dict(zip(positional, arguments, strict=False)), **options})
    for rest in (key for key, parameter in signature.items() if parameter.kind is parameter.VAR_POSITIONAL):
        for value in extra:
            refuse_types(name, function, {rest: value})


def _unknown_option(name: str, option: str, value: object, known: list[str], new_name: str) -> OptionError:
    near = f"Did you mean {new_name}? " if new_name else did_you_mean(option, known)
    return OptionError(
        f"{name} has no option '{option}'.",
        option=option,
        given=f"{option}={value!r}"[:MAX_SHOWN_CHARS],
        hint=f"{near}Options of {name}: {', '.join(known)}.",
    )


def _refuse_twice_or_missing(
    name: str, parameters: Mapping[str, inspect.Parameter], given: int, options: Mapping[str, Any]
) -> None:
    for place, (option, parameter) in enumerate(parameters.items()):
        if place < given and option in options:
            raise CallError(
                f"{name} gets '{option}' twice: once by its position and once by its name.",
                hint="Leave one of them out.",
            )
        if place >= given and option not in options and parameter.default is parameter.empty:
            raise OptionError(f"{name} needs the argument '{option}'.", option=option, hint=f"Give it as {option}=...")


def refuse_types(name: str, function: Callable[..., Any], values: Mapping[str, object]) -> None:
    """Raise if a value is not of the type that the signature of `function` gives; types that cannot be checked at run
    time fit everything.
    """
    source = getattr(function, "__init__") if inspect.isclass(function) else function  # noqa: B009 - mypy forbids it
    types = _types(getattr(source, "__func__", source))  # not the method of one object, which would be kept alive
    for option, value in values.items():
        if not _fits(value, types.get(option, Any)):
            raise OptionError(
                f"{name} takes {_words(types[option])} for {option}, not {value!r:.{MAX_SHOWN_CHARS}}.",
                option=option,
                given=f"{option}: {type(value).__name__}",
                hint=_meaning(types[option]),
            )


@cache
def _types(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return get_type_hints(function)
    except NameError:  # a type that is imported for checkers only
        return {}


def _fits(value: object, annotation: Any) -> bool:
    origin = get_origin(annotation)
    if origin in (Union, UnionType):
        return any(_fits(value, choice) for choice in get_args(annotation))
    if origin is tuple and get_args(annotation)[1:] == (Ellipsis,):
        return isinstance(value, list | tuple) and all(_fits(one, get_args(annotation)[0]) for one in value)
    if annotation is None or annotation is type(None):
        return value is None
    if annotation is float:
        return isinstance(value, int | float) or hasattr(value, "__float__")
    if annotation is int:
        return hasattr(value, "__index__")
    if annotation is Any or not inspect.isclass(annotation):
        return True
    if getattr(annotation, "_is_protocol", False):
        return all(hasattr(value, member) for member in _members(annotation)) and not inspect.isclass(value)
    return isinstance(value, annotation)


def _meaning(annotation: Any) -> str:
    """What the first class of a type is, from its docstring."""
    kind = next((one for one in get_args(annotation) or (annotation,) if inspect.isclass(one)), object)
    first = (kind.__doc__ or "").strip().splitlines()[:1]
    return f"{kind.__name__}: {first[0]}" if first and kind.__module__ != "builtins" else ""


def _members(protocol: type) -> list[str]:
    return [name for name in vars(protocol) if name == "__call__" or not name.startswith("_")]


def _words(annotation: Any) -> str:
    """A type as a sentence names it: a Tensor or None."""
    choices = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    return " or ".join("None" if one is type(None) else _with_article(one) for one in choices)


def _with_article(kind: Any) -> str:
    if get_origin(kind) is tuple:
        return f"a tuple of {getattr(get_args(kind)[0], '__name__', 'values')}"
    name = getattr(kind, "__name__", str(kind))
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"
