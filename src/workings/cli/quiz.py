"""`workings quiz`: a quiz in the terminal, or with the answers from a pipe."""

from __future__ import annotations

import io
import select
import shlex
import sys
from typing import TYPE_CHECKING, Annotated, TypeAlias
from unicodedata import category

import typer

from ..document.blocks import Document, Text, Words
from ..document.monospace import has_signs, in_signs_of
from ..engine.errors import InputError, WorkingsError
from ..engine.files import reason_of
from ..loading import INTERRUPTED
from ..practice.answers.matrix import read_matrix
from ..practice.answers.number import is_blank, read_number
from ..render.terminal import show
from .options import Run
from .streams import print_note, print_text

if TYPE_CHECKING:
    from ..practice.blanks import Blank
    from ..practice.quiz.drill import Drill
    from ..practice.quiz.question import QuizQuestion
    from ..practice.quiz.quiz import Quiz

    Asking: TypeAlias = Quiz | Drill

MAX_ANSWER_CHARS = 20_000  # of a line, or of a matrix on several lines
UNREADABLE = "\ufffd"
HINT, ANSWER, STOP = "?", "=", ("q", "quit", "exit")
OPENING, CLOSING = ("[", "{", "(", "\\begin"), ("]", "}", ")", "\\end")

KEYS = (
    "Type a number, or paste the whole matrix. ? gives a hint, = the answer, q ends the quiz. Press Enter to leave a "
    "blank open."
)
AGAIN = "Try again; or ? for a hint, = for the answer, Enter to leave it open."


def quiz_command(
    name: Annotated[str, typer.Argument(help="a lesson or a scenario, or the file of one")],
    mistake: Annotated[str | None, typer.Option("--mistake", help="practice only this: softmax.wrong_axis")] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="each seed gives other numbers")] = 1,
    run: Run = None,
    blanks: Annotated[str, typer.Option("--blanks", help="how many entries to fill in: few, some or all")] = "few",
) -> None:
    """A quiz: one step at a time, each from the correct numbers before it, with hints and named mistakes.

    workings quiz example-1

    workings quiz example-1 --mistake softmax.wrong_axis
    """
    from ..practice.exercise import exercise
    from ..practice.quiz.drill import Drill
    from ..practice.quiz.quiz import Quiz
    from ..practice.sheet import make_sheet

    if sys.stderr.isatty():
        print_note(f"Choosing numbers for {name} ...")
    command = shlex.quote(name) + ("" if run is None else f" --run {shlex.quote(run)}")
    if mistake is None:
        quiz: Asking = Quiz(make_sheet(name, seed, blanks, run=run), command)  # type: ignore[arg-type]  # it is checked there
    else:
        quiz = Drill(exercise(name, run), mistake, seed, command=command)
    if ask_all(quiz):
        raise typer.Exit(INTERRUPTED)


class QuizStopped(Exception):
    """The learner has ended the quiz."""


def ask_all(quiz: Asking) -> bool:
    """Ask until the quiz is over or stopped, and show the summary. Whether Ctrl-C ended it."""
    interrupted = False
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # bytes that are no text are no number either
    _show(quiz.introduction)
    _show_text(KEYS)
    try:
        while (question := quiz.question) is not None:
            _ask_step(quiz, question)
    except QuizStopped:
        pass
    except KeyboardInterrupt:
        interrupted = True
        _next_line()
    _show(quiz.summary().document())
    return interrupted


def _ask_step(quiz: Asking, question: QuizQuestion) -> None:
    """One step, until nothing of it is open."""
    _show(question.document())
    _next_line()
    now: QuizQuestion | None = question
    while now is not None and now.heading == question.heading:
        answers: dict[str, str] = {}
        try:
            left = _collect(quiz, now, answers)
        finally:  # answers given before the quiz is stopped count too
            reply = quiz.answer(answers) if answers else None
            if reply is not None:
                _show(reply.document())
        if left:
            quiz.skip(*left)
        now = quiz.question
        if reply is not None and now is not None and now.heading == question.heading:
            _show_text(AGAIN)
            _next_line()


def _collect(quiz: Asking, question: QuizQuestion, answers: dict[str, str]) -> list[str]:
    """Collect the answers to one step by label, and return the labels that are left open. The answer to an entry may be
    the whole matrix, which answers all others.
    """
    left: list[str] = []
    for number, blank in enumerate(question.fields, 1):
        text = _answer(quiz, blank)
        if text is None:
            if number < len(question.fields):
                _next_line()
            continue
        if blank.kind == "number":
            text = _with_more_lines(text, shape := quiz.sheet.trace[question.step].shape)
            if shape and _numbers(text, shape) > 1:
                answers[question.name] = text
                return []
        if is_blank(text):
            left.append(blank.label)
        else:
            answers[blank.label] = text
    return left


def _answer(quiz: Asking, blank: Blank) -> str | None:
    """The answer for one entry; none if the solution was shown instead."""
    while True:
        text = _read(_prompt(blank))
        if text.strip() == HINT:
            _show(quiz.hint(blank.label))
        elif text.strip() == ANSWER:
            _show(quiz.give_up(blank.label))
        elif text.strip().casefold() in STOP and text.strip() not in blank.choices:
            raise QuizStopped
        else:
            return text
        if not _is_open(quiz, blank):
            return None
        _next_line()


def _is_open(quiz: Asking, blank: Blank) -> bool:
    question = quiz.question
    return question is not None and blank in question.fields


def _prompt(blank: Blank) -> str:
    if blank.kind == "number":
        return f"{blank.label} ="
    if blank.choices:
        return f"{blank.question} ({', '.join(blank.choices)}):"
    return f"{blank.question}:"


# -- matrices ---------------------------------------------------------------------------------------------


def _with_more_lines(text: str, shape: tuple[int, ...]) -> str:
    """A pasted matrix takes several lines: until its brackets are closed, or it has all of its rows."""
    while _opened(text) > 0 and len(text) < MAX_ANSWER_CHARS and (more := _read("")).strip():
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
    """How many numbers the text holds, as far as they can be read."""
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
    """One line from the keyboard or a pipe; a line from a pipe is printed, as a terminal would echo it."""
    _write(f"{prompt} " if prompt else "")
    try:
        if sys.stdin.isatty() and sys.platform != "win32":
            _wait_for_line()
        line = sys.stdin.readline(MAX_ANSWER_CHARS)
    except OSError as error:
        raise InputError(
            f"The answers cannot be read: {reason_of(error)}.", hint="Type them, or give them in a pipe or a file."
        ) from None
    text = _visible(line.rstrip("\r\n"))
    if not sys.stdin.isatty():
        _write(f"{text}\n")
    if not line:
        raise QuizStopped
    return text


def _wait_for_line() -> None:
    """Wait in short pieces: of a Ctrl-C just before a read, Python takes notice only when the read has returned."""
    while not select.select([sys.stdin], [], [], 0.2)[0]:
        pass


def _visible(text: str) -> str:
    """The text without characters that would move the cursor or cannot be printed."""
    return "".join(
        sign if sign.isprintable() or sign == "\t" or category(sign) == "Zs" else UNREADABLE for sign in text
    )


def _show_text(text: str) -> None:
    _show(Document("", (Text((Words(text),)),)))


def _next_line() -> None:
    _write("\n")


def _write(text: str) -> None:
    encoding = sys.stdout.encoding or "ascii"
    print_text(text if has_signs(encoding) else in_signs_of(encoding, text))


def _show(document: Document) -> None:
    show(document)
    sys.stdout.flush()
