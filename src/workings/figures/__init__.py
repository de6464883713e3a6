"""Figures: one figure is one page, found by its file.

Each file of this folder is the page of one figure: its data, its options, how it is made from a trace, its SVG (or its
chart in Vega-Lite), its text form, what it says in words, and an example. Adding a figure is adding a file: lessons,
`workings figure`, the JSON schema, every renderer and docs/figures.md read what is there.

matrices   heatmap mask heads links windows product  graphs   flow graph backward block numbers
attention  attention temperature path               training   update mirror
charts     loss bars plane vectors                  others   chain treemap

`parts` holds what pages share:

page             what a page consists of, the registry of pages, and what a lesson or a command asks of them
options          options with their types, and how they are read
output           a figure as SVG, PNG, PDF or text, whichever page it is from
axes             axes with round numbers
numbers          which numbers can be drawn, and the notes about the others
matrix_window    the part of a step that a figure shows
grid             the entries of a matrix as data, on a scale      (heatmap, mask, links, windows, heads)
matrix_cells     a matrix of cells with its labels, as SVG and text  (heatmap, mask)
points           rows of a matrix as places in a plane            (plane, vectors)
label_placement  where the labels of points have room             (plane)
step_graph       the steps of a forward pass as a graph           (flow, backward)
flow_chart       nodes and edges as data, and as SVG              (flow, backward, graph, heads)
flow_layout      where nodes are, so that few edges cross         (flow, backward, graph)
transformer_block  a block of a trace: its sublayers, and how wide they are  (block)
block_drawing    a block as SVG                                   (block)
next_tokens      what a model predicts at each position          (windows)
attention_heads  the heads of attention in a trace                (heads)
attention_row    one row of attention in a trace                  (attention)
chart            what charts in Vega-Lite have in common          (loss, bars, plane)
svg, colors      elements of SVG, and colors of numbers
drawn            boxes, arrows, matrices and hues of figures composed by hand
matrix_part      some rows and columns of a matrix                (update, mirror, numbers)
layers           boxes from left to right, after what they come from  (mirror, numbers)
operations       how a step is computed, in a few signs           (attention, numbers)
weight_update    the update of a weight, and what it changes      (update)
matrix_product   which rows, columns and terms of a product are shown  (product)
text_labels      labels in monospaced text
text_matrix      small matrices in monospaced text, with brackets  (product)
text_plot        two axes in monospaced text                      (loss, plane, vectors)
"""

from __future__ import annotations

import os
from importlib import import_module

from .parts.output import KINDS, figure_rows, page_of, picture, remarks, svg_of
from .parts.page import PAGES

for _file in sorted(os.listdir(__path__[0])):
    if _file.endswith(".py") and not _file.startswith("_"):
        import_module(f"{__name__}.{_file.removesuffix('.py')}")

_pages = dict(sorted(PAGES.items()))  # a page may have been imported by another one
PAGES.clear()
PAGES.update(_pages)

__all__ = ["KINDS", "PAGES", "figure_rows", "page_of", "picture", "remarks", "svg_of"]
