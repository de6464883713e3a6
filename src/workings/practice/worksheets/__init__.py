"""A sheet on paper: the worksheet to fill in, its key, and an empty table for the answers.

worksheet   the page that a learner fills in
key         what is right, what is accepted, and what each known mistake gives
template    a table with the columns entry and answer
"""
