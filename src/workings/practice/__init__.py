"""Practice: sheets with blanks, grading with error carried forward, a quiz, and checking a user's own numbers.

exercise          what is practiced: one run of a lesson or a scenario
training_step     the first training step of a trace, as it is done by hand
variant           the same computation with new numbers in which mistakes show
variant_values    how these numbers are drawn
mistakes          which mistakes can be made in a trace, and what numbers each leaves behind
tolerance         how far an answer on a sheet may be off (for why and compare: checking/closeness)
blanks            which entries are filled in
giveaways         what on a sheet would give a blank away
lines             the lines of a hand calculation as blanks
own_paper        how far answers move on a paper of one's own
changed_lines     a step computed with one thing in its lines changed, or a simple multiple of it
carried_forward   the computation with the learner's own numbers in it
sheet             a sheet: blanks, tolerances, mistakes and the trace
sheet_code        the code printed on a sheet, and the sheet made again from it
sheet_file        a sheet read from its JSON file
sheet_check       whether its key follows from its trace
sheet_data        that JSON, as types

answers/          reading what people write: numbers, matrices, files
grading/          w.grade: verdicts, marks, feedback
quiz/             one step at a time, with hints; drills on one mistake
worksheets/       a sheet on paper, and its key
checking/         w.why and w.compare: a user's numbers against the true ones
"""
