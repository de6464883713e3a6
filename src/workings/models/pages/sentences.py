"""The sentences of the pages about training, under stable keys. See engine/sentences.py for how they are found."""

from __future__ import annotations

from ...engine.sentences import add_sentences

add_sentences(
    "averaging",
    {
        "title": "How the losses are averaged",
        "title.step": "How the losses of step {step} are averaged",
        "why": "Every token that counts has a loss. Each line has the number of these tokens, their losses added up, "
        "and the mean. The last column is what comes into the loss of the step: each loss times its share.",
        "heading.part": "part",
        "heading.text": "text",
        "heading.tokens": "tokens",
        "heading.sum": "sum",
        "heading.mean": "mean",
        "heading.counted": "in the loss",
        "heading.average": "average",
        "heading.worked": "worked out",
        "heading.value": "value",
        "all": "all",
        "more": "{count} more",
        "of.tokens": "mean of all tokens",
        "of.texts": "mean of the means of the texts",
        "of.parts": "mean of the means of the parts",
        "used.tokens": "The loss is the mean of all tokens, {loss}: every token has the same share in it.",
        "used.texts": "The loss is the mean of the means of the texts, {loss}: every text has the same share in it.",
        "used.either": "The loss is {loss}: every token has the same share in it, and so has every text.",
        "used.neither": "The loss is {loss}, and none of these averages: its shares were given in another way.",
        "agree": "The averages agree here, because {count} tokens count in every text.",
        "agree.means": "The averages agree here, because the means that are averaged are the same.",
        "differ": "The averages differ, because the texts have from {least} to {most} tokens that count. In a mean of "
        "means, a token counts for more where there are few of them.",
        "differ.parts": "The averages differ, because the parts have from {least} to {most} tokens that count. In a "
        "mean of means, a token counts for more where there are few of them.",
    },
)
add_sentences(
    "comparison",
    {
        "title": "What training changed from step {first} to step {last}",
        "why": "Both steps are compared as they begin, before their own updates.",
        "why.updates": "Weights are compared as the two steps begin, and each example as it is before its own update.",
        "batches": "Each step has texts of its own, so its loss also depends on which ones these are.",
        "heading.input": "input",
        "heading.target": "target",
        "heading.P": "P(target)",
        "heading.share": "P",
        "heading.after": "after",
        "heading.loss": "loss",
        "heading.weight": "weight",
        "heading.moved": "moved by",
        "heading.change": "largest change",
        "heading.at": "at",
        "more": "{count} more",
        "name": "{target} after {input}",
        "loss.fell": "The loss fell from {before} to {after}.",
        "loss.rose": "The loss did not fall: it was {before}, and is {after}.",
        "shares.all": "P(target) rose everywhere.",
        "shares.some": "P(target) rose in {improved} of {count} places. It did not rise for {names}.",
        "labels.all": "Every P came nearer to its target.",
        "labels.some": "P came nearer to its target in {improved} of {count} places. It did not for {names}.",
        "weights": "How far a weight moved is the norm of its change, all entries taken together.",
        "weights.some": "How far a weight moved is the norm of its change, all entries taken together. Of {all} "
        "weights, these {count} moved furthest.",
    },
)
add_sentences(
    "error",
    {
        "comparison.steps": "Before and after need two steps of training, and this trace does not tell two apart.",
        "comparison.steps.try": "Keep the first step and a later one: `train: {{steps: 100, keep: [1, 100]}}`.",
        "averaging.none": "Nothing is averaged here: there are no shares of tokens.",
        "averaging.none.try": "Take the trace of a scenario whose data is a task or a long text.",
    },
)
