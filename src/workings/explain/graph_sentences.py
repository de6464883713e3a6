"""The sentences of flow charts that are read backwards, of computational graphs and of treemaps."""

from __future__ import annotations

from ..engine.sentences import add_sentences, say

add_sentences(
    "explain",
    {
        "figure.backward": "The way back of the gradient",
        "figure.backward.under": "The way back of the gradient in {under}",
        "figure.backward.node": "{name} comes from {inputs}; largest: {place} = {value}.",
        "figure.backward.seed": "It begins with {place} = {value}.",
        "figure.backward.none": "No gradient: {names}.",
        "figure.backward.learns": "These learn: {names}.",
        "figure.graph": "What {name} is made from",
        "figure.graph.told": "{told}.",
        "figure.graph.note": "Each single number with its value, and below it its gradient.",
        "figure.graph.cut": "Only the {shown} ops nearest to the result are drawn.",
        "figure.treemap": "Where the parameters are",
        "figure.treemap.of": "Shares of {names}",
        "figure.treemap.all": "All parameters: {total}. {parts}.",
        "figure.treemap.parts": "{parts}.",
        "figure.treemap.more": "{count} smaller ones",
        "figure.treemap.folded": "There are {count} weights: those of a module are drawn as one.",
        "figure.backward.note": "Each step with its gradient, and the entry of that which is largest by size. What "
        "learns is marked with *.",
    },
)
add_sentences(
    "error",
    {
        "figure.graph": "{step} is not made from {name}, or {name} is not drawn any more.",
        "figure.graph.try": "Name steps that lead to it.",
        "figure.treemap": "{name} is {value}, and has no area.",
        "figure.treemap.try": "Name single numbers that are above 0.",
        "figure.treemap.none": "There are no parameters here.",
        "figure.treemap.none.try": "Choose a model, or name single numbers: treemap:attention,feed_forward.",
        "figure.backward": "No gradient flows back through these steps.",
        "figure.backward.try": "Choose a run with a backward pass, and a module or steps that lie on its way.",
    },
)

__all__ = ["say"]
