"""What the scenarios say that are made for somebody's own words and matrices, and what cannot be made into one."""

from __future__ import annotations

from ..engine.sentences import add_sentences

add_sentences(
    "lab",
    {
        "starter.sentence.name": "your-sentence",
        "starter.sentence.title": "Your sentence: {words}",
        "starter.sentence.about": "A small decoder reads your words up to the last but one and guesses what comes "
        "next. It has learned nothing yet: its weights are tenths, drawn from a fixed seed, and every number can be "
        "followed by hand.",
        "starter.matrices.name": "your-matrices",
        "starter.matrices.title": "Attention on your own matrices",
        "starter.matrices.about": "Every query is compared with every key, and the values are mixed by what comes of "
        "it, with the numbers that you gave.",
    },
)

add_sentences(
    "error",
    {
        "lab.sentence.short": "There are {count} different words, and it takes two: one to read and one to guess.",
        "lab.sentence.short.try": "Write a short sentence, such as `the cat sat on the mat`.",
        "lab.sentence.long": "There are {count} words, and a page that can be followed has no more than {most}.",
        "lab.sentence.long.try": "Write a shorter sentence.",
        "lab.sentence.characters": "There are {count} characters, and a sentence has no more than {most} here.",
        "lab.sentence.characters.try": "Write a shorter sentence.",
        "lab.sentence.word": "The word {word} has {count} characters, and no more than {most} fit beside a matrix.",
        "lab.sentence.word.try": "Write a shorter word, or cut it in two.",
        "lab.matrices.unknown": "There is no input called {name}.",
        "lab.matrices.unknown.try": "Give {queries}, or {projected}; beside them, {more} if you like.",
        "lab.matrices.missing": "Something is missing: {missing}.",
        "lab.matrices.missing.try": "Give {queries}, or {projected}.",
        "lab.matrices.both": "{names} follow from X and the weights, so they cannot be given as well.",
        "lab.matrices.both.try": "Put them under what you got, or leave X and the weights out.",
        "lab.matrices.shapes": "{one}, and {other}.",
        "lab.matrices.shapes.try": "Make these equal: {why}.",
        "lab.matrices.heads": "{width} columns of {name} cannot be shared out evenly among {heads} heads.",
        "lab.matrices.heads.try": "Give a number of heads from 1 up that divides {width}.",
        "lab.matrices.mask": "The mask {mask} is not known.",
        "lab.matrices.mask.try": "Choose none, or causal.",
        "lab.matrices.causal": "A causal mask needs as many queries as keys: {queries} is not {keys}.",
        "lab.matrices.causal.try": "Give Q and K the same number of rows, or take the mask away.",
    },
)
add_sentences(
    "lab",
    {
        "matrices.rows": "{name} has {count} rows",
        "matrices.columns": "{name} has {count} columns",
        "matrices.compared": "a row of Q is compared with a row of K, column by column",
        "matrices.mixed": "each key has one value",
        "matrices.projected": "a row of X is multiplied by the columns of the weight",
        "matrices.joined": "a row of what was mixed is multiplied by the columns of W_O",
        "matrices.cotangent": "each entry of the result has one entry of the cotangent",
    },
)
