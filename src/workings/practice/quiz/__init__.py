"""The quiz: one step at a time from true numbers, with hints that come from the op pages.

quiz       asks for the blanks of a sheet, step by step
drill      practices one mistake until it no longer happens
question   one step of a quiz
reply      what a quiz says to an answer
entry      how one entry went, and its points
summary    how a quiz went
hints      the hints to one blank, from true numbers or from the learner's own
"""
