"""Checking a user's numbers against the true ones: where they differ (compare), and what produced them (why).

why            w.why: what gives these numbers
compare        w.compare: step by step, and what differs on its own
following      which steps follow from the user's own numbers, and the causes of the others
step_check     every step from the user's own earlier numbers, as the lab checks results
own_numbers    the user's numbers so far, and what later steps are from them
candidates     the conventions and mistakes that are possible on the way to a step
pairs          two mistakes at once
closeness      whether numbers are equal to rounding
noise          what rounding leaves over of a 0, which says nothing
rounding       to how many digits, or to which type, they were rounded
relations      factors, permutations and the like, which need no knowledge of the computation
other_inputs   the step itself, from other inputs
shapes         the true numbers in another shape
reference      an op or a module computed from the user's inputs
step_names     which of our steps a name of somebody else refers to
usual_names    what other people name the steps
user_array     arrays of any library
tensor_file    arrays from a file
why_page, compare_page, data    the results as documents and JSON
"""
