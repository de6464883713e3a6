"""From a document to a page. A renderer contains no formula and no arithmetic, and only the words around a document.

by_kind      one method for each kind of block
navigation   headings, contents and links
terminal, markdown, html   documents in a terminal, as Markdown, as one HTML file
extra_files  the files beside a page: figures as pictures, the chapters of a book
page/        the pieces of an HTML page: tags, fields, style, scripts
notebook/    Jupyter notebooks, with and without blanks
tex/         LaTeX
typst/       Typst source, and PDF
"""
