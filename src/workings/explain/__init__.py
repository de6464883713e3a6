"""From a trace to an explanation: numbers, formulas, hand calculations and stories, all as data.

hand_calculation   which hand calculation belongs to an entry, and which rule computed a step
line               one line of a hand calculation, in letters and in numbers
guard_digits       how many digits it needs to follow from what is printed
long_sums          which terms of a long sum are written out
cell               the hand calculation of one entry
step_formula       the formula of a step, in the names of its trace
step_blocks        one step as blocks: title, formula, value, shape, an entry by hand
story              a whole trace as a document
step_view          `StepView`: one step as users see it
heads              `HeadView`: one head of packed heads
mistakes           the mistakes that can be made in a trace, and what each would give
mistake_titles     what they are called on a page
run                what a trace carries besides its steps
stored_check       what is checked when a stored trace is read, and what is not
trace              `Trace`: what users hold
op_page            one op page with given numbers
op_example         an op page with its own example
rule_proof         backward rules, proven by finite differences
convention_page    the conventions that a page depends on, and all of them side by side
byte_pair_page     how a text becomes tokens, and the merges that were learned
"""
