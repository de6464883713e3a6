"""Documents: the kinds of block and span that every page is made of, and how numbers and names are written.

spans       pieces of a line of text: words, numbers, links, formulas
figure_data the data of figures
blocks      headings, texts, matrices, derivations, tables, ...: the kinds of block, and the whole document
from_data   documents from their JSON data
displayed   what a notebook shows of a block
numbers     how many digits, which decimal sign
notation    symbols of steps, first index 0 or 1, row or column vectors
monospace   matrices and hand calculations in letters of one width
"""
