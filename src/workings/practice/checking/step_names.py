"""Which of our steps a name in somebody else's program refers to: `attn_scores`, `block1.q`, `h.0.attn.c_proj.weight`.

Our own names always come first. A name may refer to several steps: programs write `scores` before and after scaling and
masking, or leave out the number of the block. The shape and the numbers decide which one it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from ...engine.errors import AmbiguousStepError, StepError, UnknownStepError, nearest
from ...explain.step_view import StepView
from ...explain.trace import Trace
from .usual_names import ATTENDED, BLOCK, MIDDLE, NAMES_IN, PARAMETERS, PARTS, RESULT, USUAL_NAMES, Endings

SEPARATORS = re.compile(r"[./:\[\]]+")
BLOCK_WORDS = ("h", "layer", "layers", "block", "blocks", "resblocks", "l", "blk")
HEAD_WORDS = ("head", "heads")
NUMBERED = re.compile(r"([a-z]+)_?(\d{1,4})(?:_(.+))?")  # block1, layer_0, l0_attn_q
SIDES = ("encoder", "decoder")
KINDS = ("weight", "bias")
GRADIENT = re.compile(r"(?:grad_(?:of_)?|d_)(.+)|(.+)_grad")


@dataclass(frozen=True)
class ReadName:
    """What a name says: the step, and where it is. Numbers are ours, from 1, the likeliest first."""

    word: str = ""  # q_proj; none for the output of a block
    part: str = ""  # attention, cross_attention, feed_forward
    blocks: tuple[int, ...] = ()
    heads: tuple[int, ...] = ()
    side: str = ""  # of an encoder-decoder
    kind: str = ""  # weight or bias
    is_gradient: bool = False

    @property
    def endings(self) -> Endings:
        """How the paths of the steps that it may refer to end."""
        place = self.part or ("block" if self.blocks else "")
        here = NAMES_IN.get(place, {})
        if not self.word:
            found = here.get("out", ())
        else:
            found = here.get(self.word) or USUAL_NAMES.get(self.word, ())
        if self.kind:
            found = tuple(filter(None, (_parameter(ending, self.kind) for ending in found)))
        return tuple(map(_gradient, found)) if self.is_gradient else found


def steps_named(trace: Trace, name: str, result: StepView | None = None, from_zero: bool = False) -> list[StepView]:
    """The steps that a name may refer to, the likeliest first; an unknown name is refused. `result` is the output of a
    module; `from_zero` says that names such as block1 count from 0.

    >>> import workings as w
    >>> trace = w.scenario("example-3").trace()
    >>> [view.path for view in steps_named(trace, "attn_weights")]
    ['block1.attention.weights']
    >>> [view.path for view in steps_named(trace, "h.0.attn.q_proj.weight.grad")]
    ['block1.attention.dW_Q']
    """
    found = _of_our_own(trace, name)
    read = read_name(name, from_zero)
    endings = USUAL_NAMES.get(name.lower(), ())
    is_result = endings is RESULT or (endings is ATTENDED and (result is None or result.name in ATTENDED))
    if is_result and result is not None:
        return [*found, result]
    found += _fitting(trace, read)
    if not found:
        raise _unknown(trace, name, read)
    if endings in (RESULT, ATTENDED):  # a result that is right before its last matrix is not right
        return [view for view in found if view.name == found[0].name]
    return list({view.path: view for view in found}.values())


def _of_our_own(trace: Trace, name: str) -> list[StepView]:
    """The steps of exactly this name: one, if it is clear."""
    every = trace.all(name)
    if not every and name not in trace.recording.steps and "/" not in name:
        return []
    try:
        return [trace[name]]
    except AmbiguousStepError:
        return sorted([view for view in every if view.step.stage == "forward"] or every, key=lambda v: _block(v.path))
    except UnknownStepError:
        return []


def count_from_zero(names: Iterable[str]) -> bool:
    """Whether names such as block0 are among them: then block1 is the second block."""
    return any(re.search(rf"(?:{'|'.join(BLOCK_WORDS[1:])})_?0(?![0-9])", name.lower()) for name in names)


def is_step_name(trace: Trace, name: str, result: StepView | None = None) -> bool:
    """Whether a name refers to a step, or to several."""
    try:
        return bool(steps_named(trace, name, result))
    except StepError:
        return False


def read_name(name: str, from_zero: bool = False) -> ReadName:
    """What the words of a name say; `from_zero`, if numbers within names count from 0.

    >>> read_name("h.0.attn.c_proj.weight.grad")
    ReadName(word='c_proj', part='attention', blocks=(1, 0), heads=(), side='', kind='weight', is_gradient=True)
    >>> read_name("dWq").word, read_name("dWq").is_gradient, read_name("block2.ffn_out").blocks
    ('wq', True, (2, 3))
    """
    words = [word for word in SEPARATORS.split(name.lower()) if word]
    read = ReadName()
    while len(words) > 1 and words[-1] in ("grad", *KINDS):
        last = words.pop()
        read = replace(read, is_gradient=True) if last == "grad" else replace(read, kind=last)
    while words:
        word = words.pop(0)
        is_index = bool(words) and words[0].isdigit()
        if is_index and word in (*BLOCK_WORDS, *HEAD_WORDS):
            read = _numbered(read, word, int(words.pop(0)), from_zero=True)
        elif words and word in PARTS:
            read = replace(read, part=PARTS[word])
        elif words and word in SIDES:
            read = replace(read, side=word)
        elif (number := NUMBERED.fullmatch(word)) and number[1] in (*BLOCK_WORDS[1:], *HEAD_WORDS) and not number[3]:
            read = _numbered(read, number[1], int(number[2]), from_zero)
        elif not words:
            read = _with_word(read, word, from_zero)
    return read


def _numbered(read: ReadName, word: str, number: int, from_zero: bool) -> ReadName:
    """Lists count from 0; a number within a name mostly counts from 1, as ours do."""
    numbers = (number + 1, number) if from_zero or not number else (number, number + 1)
    return replace(read, heads=numbers) if word in HEAD_WORDS else replace(read, blocks=numbers)


def _with_word(read: ReadName, word: str, from_zero: bool) -> ReadName:
    """The last word: a usual name, the gradient of one, or one with the block or the part in front (`l0_attn_q`)."""
    found = replace(read, word=word)
    if found.endings:
        return found
    gradient = GRADIENT.fullmatch(word)
    inner = (gradient[1] or gradient[2]) if gradient else word[1:] if word.startswith("d") else ""
    if inner:
        within = _with_word(replace(read, is_gradient=True), inner, from_zero)
        if within.endings:
            return within
    kind = next((kind for kind in KINDS if word.endswith(f"_{kind}")), "")
    if kind:
        return _with_word(replace(read, kind=kind), word.removesuffix(f"_{kind}"), from_zero)
    number = NUMBERED.fullmatch(word)
    if number and number[3] and number[1] in (*BLOCK_WORDS, *HEAD_WORDS):
        return _with_word(_numbered(read, number[1], int(number[2]), from_zero), number[3], from_zero)
    first, _, rest = word.partition("_")
    return _with_word(replace(read, part=PARTS[first]), rest, from_zero) if rest and first in PARTS else found


def _parameter(ending: str, kind: str) -> str:
    """The weight or the bias behind a step: that of Q is W_Q."""
    before, dot, last = ending.rpartition(".")
    pair = PARAMETERS.get(last)
    name = "" if pair is None else pair[KINDS.index(kind)]
    return f"{before}{dot}{name}" if name else ""


def _gradient(ending: str) -> str:
    before, dot, last = ending.rpartition(".")
    return f"{before}{dot}d{last}"


def _fitting(trace: Trace, read: ReadName) -> Iterator[StepView]:
    """The steps with such an ending, in the places that the name says; without a place, all of them."""
    views = [view for ending in read.endings for view in _ending_in(trace, read, ending)]
    views = [view for view in views if _is_in_part(view.path, read.part)]
    if read.endings in (MIDDLE, BLOCK):
        views.sort(key=lambda view: int(view.id), reverse=True)
    if read.side and any(_words(view.path)[0] == read.side for view in views):
        views = [view for view in views if _words(view.path)[0] == read.side]
    in_place = [view for number in read.blocks for view in views if _block(view.path) == number]
    if not read.blocks:
        in_place = sorted(views, key=lambda view: _block(view.path))
    yield from in_place or (view for view in views if not _block(view.path))


def _ending_in(trace: Trace, read: ReadName, ending: str) -> list[StepView]:
    """Every step whose path ends so; of one head, if the name says which. Only gradients are in the backward pass."""
    found: list[StepView] = []
    for number in read.heads or (None,):
        with suppress(StepError):
            found += trace.all(ending if number is None else f"head{number}.{ending}")
    return [view for view in found if read.is_gradient or view.step.stage != "backward"]


def _is_in_part(path: str, part: str) -> bool:
    return not part or part in _words(path) or not {"attention", "cross_attention", "feed_forward"} & set(_words(path))


def _words(path: str) -> list[str]:
    return path.split(".")


def _block(path: str) -> int:
    return next((int(word[5:]) for word in _words(path) if re.fullmatch(r"block\d+", word)), 0)


def _unknown(trace: Trace, name: str, read: ReadName) -> StepError:
    """The error about a name; of a path, what is most like its last word."""
    try:
        trace[name]
    except StepError as error:
        if read.word in ("", name.lower()):
            return error
    names = [*(step.name for step in trace), *(step.path for step in trace), *USUAL_NAMES]
    return UnknownStepError(f"There is no step '{name}'.", hint=f"Did you mean {nearest(read.word, names)}?")
