"""Pages about training: how losses were averaged, and what training changed.

averaging.py        the numbers of the averaging ledger
ledger_page.py      the ledger as a document
comparison.py       the first and the last recorded training step, compared
comparison_page.py  the comparison as a document
side_trace.py       numbers that a page needs and the run does not
"""
