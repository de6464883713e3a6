"""What a training has learned, as a page: what was held out, and the losses."""

from __future__ import annotations

from ...engine.sentences import add_sentences, say
from ...explain.curve import training_curve
from ...explain.document import Block, Document, Number, Table, Text, Words
from ...explain.numbers import PLAIN, write
from ...ops.drawing import Draws
from ...train.sources import TEST_SEED, OfTask
from ..running.computation import BatchComputation
from .session import Session

FEW = 5


def learned_document(session: Session) -> Document:
    """The page at the end of a training."""
    blocks: list[Block] = []
    if session.checks:
        blocks.append(_checks(session))
    drawn = training_curve(session.losses, [(check.step, check.loss) for check in session.checks])
    if drawn is not None and len(session.losses) > 1:
        blocks.append(drawn)
    prompt = _prompt(session)
    blocks.append(
        Text((Words(say("learned.next", folder=session.folder, prompt=prompt, step=min(100, session.step))),))
    )
    return Document(say("learned.title", name=session.recipe.name), tuple(blocks))


def _prompt(session: Session) -> str:
    """What it can be asked to go on with: of a task, a question that it has not seen."""
    source = session.computation.source if isinstance(session.computation, BatchComputation) else None
    if not isinstance(source, OfTask):
        return say("learned.text")
    return f'"{source.task.draw(Draws(TEST_SEED), 1, held_out=True)[0].question}"'


def _checks(session: Session) -> Table:
    """What was held out, at the last few looks."""
    has_answers = isinstance(session.computation, BatchComputation) and session.computation.source.has_answers
    keys = ("step", "texts", "loss", *(("exact",) if has_answers else ()))
    rows = []
    for index, check in list(enumerate(session.checks))[-FEW:]:
        loss = Number(write(check.loss, PLAIN), check.loss, "held_out", (index,), "history")
        exact = () if check.exact is None else ((Words(f"{check.exact:.2%}"),),)
        rows.append(((Words(str(check.step)),), (Words(str(check.texts)),), (loss,), *exact))
    return Table(tuple(say(f"learned.{key}") for key in keys), tuple(rows))


add_sentences(
    "learned",
    {
        "text": "TEXT",
        "title": "What {name} has learned",
        "step": "step",
        "texts": "texts held out",
        "loss": "their loss",
        "exact": "answers without a mistake",
        "next": "Go on with it: workings generate {folder} {prompt}. Open a step of the training: "
        "workings trace {folder} --run step{step}.",
    },
)
