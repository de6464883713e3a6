"""A sheet on paper: the worksheet to fill in, its key, and an empty table for the answers.

worksheet         the page that a learner fills in
step_titles       its headings in words, from the structure of the trace
worked_lines      the blanks for the lines of a hand calculation
chapter           a worksheet in a book, with its answers
common_mistakes   the mistakes that people make most often on a sheet
lesson_parts      what a chapter takes from its lesson: checks that hold, insights, titles
key               what is right, what is accepted, and what each known mistake gives
template          a table with the columns entry and answer
"""
