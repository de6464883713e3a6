"""The command line.

main        the command from start to end: its exit status, and how anything that goes wrong is said
commands    all commands with their arguments, options and help
options     options that several commands have        numbers  numbers as people type them
output      where a result goes, in which format      pager    a text page by page
streams     standard output that is closed or full

Each command has a file of its own: book, compare, count, figure, generate, grade, lesson (and lessons), new_file
(new-scenario, new-lesson), op, quiz, serve, trace, train, why, worksheet.
"""
