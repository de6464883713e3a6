"""Formulas: a closed LaTeX subset -> tree -> LaTeX, Typst, text, speech.

tree      the nodes of a formula, its signs, and how a tree is renamed or moved to other axes
columns   a formula for column vectors instead of rows
parse     LaTeX -> tree; the commands that we read
writers   tree -> LaTeX, Unicode, ASCII
typst     tree -> Typst
speech    tree -> words for a screen reader
"""
