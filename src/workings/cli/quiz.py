"""`workings quiz`: a quiz in the terminal, or with the answers from a pipe."""

from __future__ import annotations

import io
import shlex
import sys
from typing import TYPE_CHECKING, Annotated, TypeAlias
from unicodedata import category

import typer

from ..engine.errors import InputError, WorkingsError
from ..engine.sentences import add_sentences, say
from ..explain.document import Document, Text, Words
from ..render.lines import has_signs, in_signs_of
from ..render.terminal import show
from ..teach.answers.matrix import read_matrix
from ..teach.answers.number import is_blank, read_number
from .output import ReaderLeft

if TYPE_CHECKING:
    from ..teach.practice.asked import Field
    from ..teach.quiz.drill import Drill
    from ..teach.quiz.question import Question
    from ..teach.quiz.quiz import Quiz

    Asking: TypeAlias = Quiz | Drill

LONGEST = 20_000  # characters of a line, or of a matrix that goes over several
INTERRUPTED = 130  # the exit code after Ctrl-C
UNREADABLE = "\ufffd"
HINT, ANSWER, STOP = "?", "=", ("q", "quit", "exit")
OPENING, CLOSING = ("[", "{", "(", "\\begin"), ("]", "}", ")", "\\end")

add_sentences(
    "cli",
    {
        "quiz.keys": "Type a number, or paste the whole matrix. ? gives a hint, = the answer, q ends the quiz. Enter "
        "alone leaves it open.",
        "quiz.choosing": "Choosing numbers for {name} ...",
        "quiz.again": "Try again; or ? for a hint, = for the answer, Enter to leave it.",
        "quiz.ask.number": "{label} =",
        "quiz.ask.other": "{question}:",
        "quiz.ask.choice": "{question} ({choices}):",
    },
)


def quiz_command(
    name: Annotated[str, typer.Argument(help="a lesson or a scenario, or the file of one")],
    mistake: Annotated[str | None, typer.Option("--mistake", help="practise only this: softmax.wrong_axis")] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="another one gives other numbers")] = 1,
    run: Annotated[str | None, typer.Option("--run", help="which run of the lesson or scenario")] = None,
    blanks: Annotated[str, typer.Option("--blanks", help="how much is asked: few, some or all")] = "few",
) -> None:
    """A quiz: one step at a time, each from the true numbers before it, with hints and named mistakes.

    workings quiz example-1

    workings quiz example-1 --mistake softmax.wrong_axis
    """
    from ..teach.practice.exercise import exercise
    from ..teach.practice.sheet import make_sheet
    from ..teach.quiz.drill import Drill
    from ..teach.quiz.quiz import Quiz

    if sys.stderr is not None and sys.stderr.isatty():
        sys.stderr.write(say("cli.quiz.choosing", name=name) + "\n")
    command = shlex.quote(name) + ("" if run is None else f" --run {shlex.quote(run)}")
    if mistake is None:
        quiz: Asking = Quiz(make_sheet(name, seed, blanks, run=run), command)  # type: ignore[arg-type]  # it is checked there
    else:
        quiz = Drill(exercise(name, run), mistake, seed, command=command)
    if ask_all(quiz):
        raise typer.Exit(INTERRUPTED)


class Stopped(Exception):
    """Whoever answers has had enough."""


def ask_all(quiz: Asking) -> bool:
    """Ask until the quiz is over or stopped, and say how it went. Whether it was interrupted."""
    interrupted = False
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # what is no text cannot be read as a number either
    _show(quiz.introduction)
    _tell("cli.quiz.keys")
    try:
        while (question := quiz.question) is not None:
            _ask_step(quiz, question)
    except Stopped:
        pass
    except KeyboardInterrupt:
        interrupted = True
        _next_line()
    _show(quiz.summary().document())
    return interrupted


def _ask_step(quiz: Asking, question: Question) -> None:
    """One step, until nothing of it is open."""
    _show(question.document())
    _next_line()
    now: Question | None = question
    while now is not None and now.heading == question.heading:
        answers: dict[str, str] = {}
        try:
            left = _collect(quiz, now, answers)
        finally:  # what was answered before somebody stops counts too
            reply = quiz.answer(answers) if answers else None
            if reply is not None:
                _show(reply.document())
        if left:
            quiz.skip(*left)
        now = quiz.question
        if reply is not None and now is not None and now.heading == question.heading:
            _tell("cli.quiz.again")
            _next_line()


def _collect(quiz: Asking, question: Question, answers: dict[str, str]) -> list[str]:
    """Put what is answered to one step into `answers`, by label; the labels of what is left open. The answer to an
    entry may be the whole matrix, which answers all others.
    """
    left: list[str] = []
    for number, field in enumerate(question.fields, 1):
        text = _answer(quiz, field)
        if text is None:
            if number < len(question.fields):
                _next_line()
            continue
        if field.kind == "number":
            text = _with_more_lines(text, shape := quiz.sheet.trace[question.step].shape)
            if shape and _numbers(text, shape) > 1:
                answers[question.name] = text
                return []
        if is_blank(text):
            left.append(field.label)
        else:
            answers[field.label] = text
    return left


def _answer(quiz: Asking, field: Field) -> str | None:
    """What is written for one entry; nothing if it was shown instead."""
    while True:
        text = _read(_prompt(field))
        if text.strip() == HINT:
            _show(quiz.hint(field.label))
        elif text.strip() == ANSWER:
            _show(quiz.give_up(field.label))
        elif text.strip().casefold() in STOP and text.strip() not in field.choices:
            raise Stopped
        else:
            return text
        if not _is_open(quiz, field):
            return None
        _next_line()


def _is_open(quiz: Asking, field: Field) -> bool:
    question = quiz.question
    return question is not None and field in question.fields


def _prompt(field: Field) -> str:
    if field.kind == "number":
        return say("cli.quiz.ask.number", label=field.label)
    if field.choices:
        return say("cli.quiz.ask.choice", question=field.question, choices=", ".join(field.choices))
    return say("cli.quiz.ask.other", question=field.question)


# -- matrices ---------------------------------------------------------------------------------------------


def _with_more_lines(text: str, shape: tuple[int, ...]) -> str:
    """A matrix that was pasted goes over several lines: until its brackets are closed, or all of its rows are there."""
    while _opened(text) > 0 and len(text) < LONGEST and (more := _read("")).strip():
        text = f"{text}\n{more}"
    is_row = len(shape) == 2 and not any(sign in text for sign in (*OPENING, ";"))
    for _ in range(shape[0] - 1 if is_row and _numbers(text, shape[1:]) == shape[1] > 1 else 0):
        if not (more := _read("")).strip():
            break
        text = f"{text}\n{more}"
    return text


def _opened(text: str) -> int:
    return sum(text.count(sign) for sign in OPENING) - sum(text.count(sign) for sign in CLOSING)


def _numbers(text: str, shape: tuple[int, ...]) -> int:
    """How many numbers are written here, as far as they can be read."""
    try:
        return 0 if read_number(text) is None else 1
    except WorkingsError:
        pass
    try:
        return len(read_matrix(text, shape).entries)
    except WorkingsError:
        return 0


# -- the terminal -----------------------------------------------------------------------------------------


def _read(prompt: str) -> str:
    """One line of what is typed or piped; what comes from a pipe is shown, as it would stand on a screen."""
    _write(f"{prompt} " if prompt else "")
    if sys.stdin is None:
        raise Stopped
    line = sys.stdin.readline(LONGEST)
    text = _visible(line.rstrip("\r\n"))
    if not sys.stdin.isatty():
        _write(f"{text}\n")
    if not line:
        raise Stopped
    return text


def _visible(text: str) -> str:
    """The text without what would move the cursor or cannot be written down again."""
    return "".join(
        sign if sign.isprintable() or sign == "\t" or category(sign) == "Zs" else UNREADABLE for sign in text
    )


def _tell(key: str) -> None:
    _show(Document("", (Text((Words(say(key)),)),)))


def _next_line() -> None:
    _write("\n")


def _write(text: str) -> None:
    try:
        encoding = sys.stdout.encoding or "ascii"
        sys.stdout.write(text if has_signs(encoding) else in_signs_of(encoding, text))
        sys.stdout.flush()
    except BrokenPipeError:
        raise ReaderLeft from None
    except OSError as error:
        raise InputError("output.screen", reason=error.strerror) from None


def _show(document: Document) -> None:
    try:
        show(document)
        sys.stdout.flush()
    except BrokenPipeError:
        raise ReaderLeft from None
    except OSError as error:
        raise InputError("output.screen", reason=error.strerror) from None
