"""Grading: answers are compared with what the trace gives, and with what each mistake would give.

grade           w.grade: a graded sheet and its JSON
filled_sheet    the answers to a sheet, read
grade_file      the answers in a stored grade, whose points must follow
grader          goes through the steps once and gives each answer its verdict
expected_step   what a step should be from the learner's own numbers, and how far off an answer may be
lines           the marks of lines on the way to an entry
mistake_search  which mistake gives the answers of a step
other_inputs    a step computed from other numbers than those that belong there
other_operations  a step with a function or a table too many
slips           a right number noted wrongly: its sign, its point, a digit, a term
few_digits      how many digits an answer needs, and to how many a learner works
verdicts        the verdicts, their points and their words
feedback        the page about a graded sheet
accepted        what each blank accepts, for a page that checks answers without a lab
"""
