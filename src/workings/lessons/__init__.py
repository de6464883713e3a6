"""Lessons: a text in Markdown -> a document in which every number comes from a run.

lesson.py      a lesson, its runs, its document           contents.py   which lessons there are, in which order
reading/       text -> head, directives, names of entries runs.py       the runs a lesson refers to
page.py        builds the document                        measured.py   what a lesson computes besides its runs
directives/    one function per directive                 roles.py      numbers inside a sentence
prose.py       Markdown -> blocks                         frame.py      what is above and below every lesson
rewriting.py   blocks with their runs                     cache.py      documents kept between sessions
built.py       a lesson with all it computed              book/         all lessons as one document
naming.py      steps by name in a text                    coded.py      figures of a lesson, for Python
library/       the lessons themselves                     templates/    what `workings new-lesson` writes
citations.py   works that lessons cite                    pictures.py   pictures of a lesson of one's own
prepare.py     computes all of them beforehand
"""
