"""What can go wrong in the lab, and what to try."""

from __future__ import annotations

from ..engine.errors import WorkingsError
from ..engine.sentences import add_sentences


class LabError(WorkingsError):
    """A wish that the lab cannot fulfil."""


class NoRoom(LabError):
    """Something that may go well later, when other things are computed."""


class Missing(LabError):
    """Something that is not there, or not any more."""


add_sentences(
    "error",
    {
        "lab.gone": "This trace is no longer kept.",
        "lab.gone.try": "Ask for it again: its address says everything that is needed to compute it.",
        "lab.source": "There is no lesson and no scenario called {name}.",
        "lab.source.try": "Choose one of the list, or give a scenario of your own.",
        "lab.nothing": "No lesson, no scenario and no text of a scenario was given.",
        "lab.nothing.try": "Give the name of one of the list, or a scenario of your own.",
        "lab.step": "There is no step {step} in this trace.",
        "lab.step.try": "Choose one of the list of steps; one inside a composite is called like 17.3.",
        "lab.file": "A scenario in the lab may not read a file.",
        "lab.file.try": "Write the texts under `data`, or run it on your own machine with `workings train`.",
        "lab.large": "This scenario takes about {cost} multiplications, and the lab computes up to {most}.",
        "lab.large.try": "Make the model smaller, the texts shorter or the training shorter, or run it on your own "
        "machine with `workings trace`.",
        "lab.memory": "This scenario takes about {size} MB, and the lab holds up to {memory} MB at once.",
        "lab.memory.try": "Make the model smaller or the texts shorter, leave the target out, keep fewer steps of a "
        "training, or start the lab with more --memory.",
        "lab.room": "Other computations take all the memory of the lab at this moment.",
        "lab.room.try": "Ask again in {retry} s, or start the lab with more --memory.",
        "lab.edit.memory": "This trace takes {size} MB: the {memory} MB of this lab have no room for a changed one "
        "beside it.",
        "lab.edit.memory.try": "Take the change away, make the model smaller, or start the lab with more --memory.",
        "lab.edit": "The edit {edit} cannot be read.",
        "lab.edit.try": "Write it as `W_Q[0][1]=0.3`, `W_Q=0.1 0; 0 0.2`, `input=A B` or `model.mask=causal`.",
        "lab.edit.many": "There are {count} edits, and the lab takes up to {most}.",
        "lab.edit.many.try": "Write the changes into a scenario of your own.",
        "lab.edit.entries": "{name} has the shape {shape}, and the edit gives {other}.",
        "lab.edit.entries.try": "Give one number for one entry, a row for a row, or the whole matrix.",
        "lab.edit.index": "{name} has the shape {shape}: there is no {index}.",
        "lab.edit.index.try": "Positions are counted from 0, row first.",
        "lab.edit.finite": "A number that can be computed with must stand here, not {value}.",
        "lab.edit.finite.try": "Give a decimal or a fraction, such as 0.25 or 1/4.",
        "lab.edit.ids": "{name} holds the numbers of tokens: {value} is none of them.",
        "lab.edit.ids.try": "Give a whole number from 0 to {last}, or edit the text: `input=A B`.",
        "lab.edit.key": "{setting} is no setting that can be edited here.",
        "lab.edit.key.try": "Settings of this scenario: {keys}.",
        "lab.edit.example": "This scenario has no text whose {setting} could be edited.",
        "lab.edit.example.try": "Edit a number instead, or write a scenario of your own.",
        "lab.digits": "A number cannot be shown with {digits} digits.",
        "lab.digits.try": "Choose from 1 to {most} digits: `digits=4`.",
        "lab.edit.run": "The edit {edit} changes a whole lesson: it cannot stand beside other settings or a "
        "scenario of one's own.",
        "lab.edit.run.try": "Leave the run and its colon away: `W_Q[0][1]=0.3`.",
        "lab.edit.made": "The numbers of {run} follow from other runs of the lesson.",
        "lab.edit.made.try": "Change a number of one of these runs: {runs}.",
        "lab.symbol": "The symbol {text} cannot be read.",
        "lab.symbol.try": "Write it as `weights=α`.",
    },
)
