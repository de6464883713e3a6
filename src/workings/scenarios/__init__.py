"""Scenarios: a YAML file -> plans -> runs.

scenario.py       Scenario: the runs of a file as traces
scenario_page.py  a run as a document
labels.py         the words along the axes of a run
reading/          from the text of a file to plans
running/          from a plan to a model, its examples, its training and its text
pages/            pages about training: how losses are averaged, and what training changed
library/          the scenarios of the package
templates/        what `workings new-scenario` writes
"""
