"""The lab without its network: what is asked about a trace, and the answers, as data for a page.

traces/    which trace is asked for, with its edits; its cost and its memory; those that are kept
answers/   the types of the answers, shared with the front end through schema/lab.json
pages/     how an answer is made: a step, an entry, a part of a matrix, a lesson, practice, a check
offline/   one HTML file with recorded answers instead of a server
app/       the front end as `web/` builds it
addresses.py  texts in addresses          errors.py  what can go wrong
"""
