"""What is said about the runs of scenarios, and about those that can be read and still cannot be carried out."""

from __future__ import annotations

from ..engine.sentences import add_sentences

add_sentences(
    "error",
    {
        "run.no_model": "This run has no model: it is a calculation of lines.",
        "run.no_model.try": "Choose a run that has `model:`.",
        "run.weight": "The model has no weight '{name}'.",
        "run.weight.try": "Did you mean {nearest}? Its weights are: {paths}.",
        "run.weight.none": "The model has no weight '{name}'.",
        "run.weight.none.try": "Its weights are: {paths}.",
        "run.weight.several": "'{name}' could be any of several weights: {paths}.",
        "run.weight.several.try": "Write more of the path.",
        "run.no_vocabulary": "'{text}' is a text, and without a vocabulary nobody knows its tokens.",
        "run.no_vocabulary.try": "Add `vocabulary:` with its words, or give ids: [0, 1].",
        "run.no_data": "There is a model, but nothing to put into it.",
        "run.no_data.try": "Add `data: {{input: A B}}`, with a `target` if there is to be a loss.",
        "run.decoder": "An encoder-decoder reads one text and writes another; here it is not said what it has written.",
        "run.decoder.try": "Add `decoder: <s> ...` beside `input`: the text that its target continues.",
        "run.decoder.none": "Only an encoder-decoder has a second text; this model is of the kind {kind}.",
        "run.decoder.none.try": "Take `decoder` away, or use `kind: encoder-decoder`.",
        "run.mask": "The head asks for covered words, and no word of this text is covered.",
        "run.mask.try": "Put `<mask>` in the place of a word, and `<mask>` into the vocabulary.",
        "run.target.none": "There is a target, but no head that could be measured against it.",
        "run.target.none.try": "Choose a head in `model:`, such as `head: last-token`, or take the target away.",
        "run.target.one": "The target is one word, the one that follows; {count} are given.",
        "run.target.one.try": "Give one word, or ask after every token with `head: all-tokens`.",
        "run.target.count": "{needed} answers are asked for, and the target has {count}.",
        "run.target.count.try": "Give one for each.",
        "run.target.share": "Each answer is yes (1) or no (0), or a share in between: {values}.",
        "run.target.share.try": "Give numbers from 0 to 1.",
        "run.class": "There is no class '{name}'.",
        "run.class.try": "Did you mean {nearest}? The classes are: {names}.",
        "run.class.number": "The target {value} is no class: they count from 0 to {most}.",
        "run.class.number.try": "Give a number in this range, or list the names of the classes in the model.",
        "run.loss": "The loss '{loss}' does not fit a head of the kind {head}.",
        "run.loss.try": "Leave it out, or choose one of: {choices}. Other losses are computed by `calculate:` lines.",
        "run.no_loss": "There is nothing to train on: no loss is computed.",
        "run.no_loss.try": "Give the data a target, or add a line `loss = ...`.",
        "run.loss.shape": "The loss must be one number to go back from; it has {form}.",
        "run.loss.shape.try": "Add up its entries, or take their mean.",
        "run.unknown": "There is no run '{run}'.",
        "run.unknown.try": "Did you mean {nearest}? The runs are: {runs}.",
        "run.unknown.none": "There is no run '{run}'.",
        "run.unknown.none.try": "The runs are: {runs}.",
        "run.file.none": "There is no file {path}, and no scenario of that name.",
        "run.file.none.try": "These come with the package: {names}.",
        "run.class.none": "There is no class '{name}'.",
        "run.class.none.try": "The classes are: {names}.",
        "run.file": "There is no file {path}, and no scenario of that name.",
        "run.file.try": "Did you mean {nearest}? These come with the package: {names}.",
        "run.file.closed": "{path} cannot be read: {reason}.",
        "run.file.closed.try": "Check the path, and that it is a file that may be read.",
    },
)

# The page of a run.
add_sentences(
    "scenario",
    {
        "run": "{title} (run {run})",
        "source": "Source: {source}.",
        "seed": "Weights that are not given are drawn from the seed {seed}.",
        "losses": "Training",
        "losses.step": "step",
        "losses.loss": "loss",
    },
)
