"""The page at the end of a training: how it does on held-out texts, and its losses."""

from __future__ import annotations

from ..document.blocks import Block, Document, Number, Table, Text, Words
from ..document.numbers import PLAIN, write
from ..figures.loss import training_curve
from .session import Session
from .sources import TaskSource

MAX_CHECKS_SHOWN = 5
STEP_TO_OPEN = 100  # that the page suggests, unless there are fewer


def training_document(session: Session) -> Document:
    """What a session has learned, and what to do with it."""
    blocks: list[Block] = []
    if session.checks:
        blocks.append(_checks(session))
    drawn = training_curve(session.losses, [(check.step, check.loss) for check in session.checks])
    if drawn is not None and len(session.losses) > 1:
        blocks.append(drawn)
    generate = f"workings generate {session.folder} {_prompt(session)}"
    trace = f"workings trace {session.folder} --run step{min(STEP_TO_OPEN, session.step)}"
    blocks.append(Text((Words(f"Generate text with it: {generate}. Open a training step: {trace}."),)))
    return Document(f"What {session.recipe.name} has learned", tuple(blocks))


def _prompt(session: Session) -> str:
    """What the model can continue: for a task, a question that it has not seen."""
    source = session.setup.source
    return f'"{source.held_out_pairs(1)[0].question}"' if isinstance(source, TaskSource) else "TEXT"


def _checks(session: Session) -> Table:
    """The last few evaluations."""
    headings = ["step", "held-out texts", "loss"]
    if session.setup.source is not None and session.setup.source.has_answers:
        headings.append("right answers")
    rows = []
    for index, check in list(enumerate(session.checks))[-MAX_CHECKS_SHOWN:]:
        loss = Number(write(check.loss, PLAIN), check.loss, "held_out", (index,), "history")
        exact = () if check.exact is None else ((Words(f"{check.exact:.2%}"),),)
        rows.append(((Words(str(check.step)),), (Words(str(check.texts)),), (loss,), *exact))
    return Table(tuple(headings), tuple(rows))
