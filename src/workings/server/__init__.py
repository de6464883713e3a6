"""The lab over HTTP: thin routes around `workings.lab`, and everything that keeps a public door safe.

app         the routes and the front end, behind the guards       routes/    the routes themselves
asking      what a request may ask, each with its limit           desk       where an answer is made
guard       who may come in; headers of every answer              rates      how often
limits      everything that is limited, in one place              workers    threads that work through a queue
problems    errors as answers                                     errors     what is refused, with its status
pages       the files of the front end                            service    what the routes of one lab share
listening   a port of this machine, until Ctrl-C                  settings   where it listens, and under which names
progress    a learner's progress                                  tables, database, codes   how it is kept
"""
