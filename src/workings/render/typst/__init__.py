"""Documents in the language of Typst, which sets them as PDF: see printing.py."""
