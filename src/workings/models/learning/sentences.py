"""What is said about checkpoints and training."""

from __future__ import annotations

from ...engine.sentences import add_sentences

add_sentences(
    "error",
    {
        "checkpoint.write": "The checkpoint could not be written: {reason}. That of step {step} is still there, whole.",
        "checkpoint.write.try": "Make room, and give the same command again: it goes on from step {step}.",
        "checkpoint.write.first": "The checkpoint could not be written: {reason}.",
        "checkpoint.write.first.try": "Choose a folder that can be written to: -o FOLDER.",
        "checkpoint.none": "There is no checkpoint here.",
        "checkpoint.none.try": "Make one: workings train characters -o FOLDER.",
        "checkpoint.step": "There is no checkpoint of step {step} here.",
        "checkpoint.step.try": "Those that there are: {steps}.",
        "checkpoint.run": "'{run}' is no step of a training.",
        "checkpoint.run.try": "Name a step by its number: --run step100.",
        "checkpoint.read": "The checkpoint could not be read: {reason}.",
        "checkpoint.read.try": "Each checkpoint is a folder with two files: weights.safetensors and state.json.",
        "checkpoint.damaged": "This file is damaged: its content is not what was written.",
        "checkpoint.damaged.try": "Move its folder away: an older checkpoint beside it is the last one then.",
        "checkpoint.format": "This is no checkpoint that can be read here: it calls itself {found}.",
        "checkpoint.format.try": "Checkpoints are written by workings train; their format is {needed}.",
        "checkpoint.package": "Checkpoints are safetensors files, and the package for them is not installed.",
        "checkpoint.package.try": 'Install it: pip install "workings[models]".',
        "checkpoint.busy": "Another training is writing into this folder.",
        "checkpoint.busy.try": "Wait for it, stop it, or choose another folder with -o.",
        "checkpoint.other": "In this folder something else is trained: {name}, up to step {step} ({differences}).",
        "checkpoint.other.try": "Choose another folder with -o, or --fresh to begin anew and lose what is there.",
        "checkpoint.falls": "The learning rate falls towards step {old}; for {new} steps it would have been another.",
        "checkpoint.falls.try": "Train anew in another folder with -o, or keep the number of steps.",
        "checkpoint.data": "The data is not what it was when this training began.",
        "checkpoint.data.try": "Bring the old data back, or train anew in another folder with -o.",
        "checkpoint.weights": "The weights in this checkpoint do not fit the model: {path}.",
        "checkpoint.weights.try": "The scenario in state.json was changed. Take the checkpoint as it was written.",
        "train.blown": "At step {step} the numbers grew out of all bounds, first at {path}. The rate was {rate}; the "
        "largest gradient before that was the one of {steepest}.",
        "train.blown.try": "Choose a smaller rate, a warm-up, or clip the gradient: `clip: 1`.",
        "train.blown.first": "At step {step} the numbers grew out of all bounds, first at {path}. The rate was {rate}.",
        "train.blown.first.try": "Choose a smaller rate, a warm-up, or clip the gradient: `clip: 1`.",
        "train.blown.update": "At step {step} the weights grew out of all bounds, with the rate {rate}; the largest "
        "gradient was the one of {steepest}.",
        "train.blown.update.try": "Choose a smaller rate, a warm-up, or clip the gradient: `clip: 1`.",
        "train.precision": "Long training runs in floating point, not in {precision}.",
        "train.precision.try": "Write `precision: float64` or `float32`; `workings trace` trains with a calculator.",
        "train.lines": "Lines to calculate have no model to store, so they leave no checkpoint.",
        "train.lines.try": "Train them with workings trace, or give the scenario a model.",
        "train.done": "This training has no step {step}: it has {steps}.",
        "train.done.try": "Choose a step from 1 to {steps}, or train on with more steps.",
    },
)
