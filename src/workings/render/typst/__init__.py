"""Documents in the language of Typst, which sets them as PDF: see render/pdf.py."""
