"""The words of the book that stand in no lesson, under stable keys. See engine/sentences.py."""

from __future__ import annotations

from ...engine.sentences import add_sentences, say

add_sentences(
    "book",
    {
        "title": "The transformer that shows its workings",
        "subtitle": "From two small matrices to a whole model, with examples that you can calculate by hand",
        "front": "Before you begin",
        "front.about": "What this book promises, how its pages are made, and what its signs mean.",
        "theory": "Theory",
        "theory.about": "What transformers are for, and the three ideas that they are built from: matrices, words as "
        "rows of numbers, and attention as a search.",
        "examples": "Six examples by hand",
        "examples.about": "One model that grows: first a prediction, then one step of training, then all of it. Its "
        "matrices are so small that a pencil is enough.",
        "longer": "Four longer examples",
        "longer.about": "Whole passes through four other models: one that cannot learn until a way is opened, one "
        "that is saturated, one with two heads, and one with the sizes of a real model.",
        "pieces": "Piece by piece",
        "pieces.about": "Each part of a transformer by itself: what it does, what it costs, and what goes wrong "
        "with it.",
        "appendices": "Appendices",
        "appendices.about": "Every rule with its proof, tips for calculating, every mistake with what it gives, all "
        "answers, and an index.",
        "chapter": "{number} {title}",
        "to_chapter": "chapter {number}",
        "to_appendix": "appendix {number}",
        "to_front": "the beginning of this book",
        "answers": "Answers",
        "answers.about": "One answer for each exercise and each question of the book, in their order.",
        "answers.of": "Answers of {chapter}",
        "answer": "{number} {title}",
        "answer.untitled": "{number}",
        "to_answer": "Answer",
        "index": "Index",
        "index.about": "Each word leads to the sections that explain it.",
    },
)

__all__ = ["say"]
