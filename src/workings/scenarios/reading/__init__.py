"""From the text of a scenario file to plans.

scenario_file.py    read_scenario: the text of a file -> a plan for each of its runs
yaml_tree.py        YAML as a tree of nodes that know their line
overlay.py          a run laid over its file
records.py          a tree -> a frozen record, checked by the types of its fields
plan.py             the records, and what each key means
plan_checks.py      what goes together in a plan
matrices.py         matrices as people write them
calculate_lines.py  a `calculate:` line -> a tree of calls
calculate_names.py  the names in these lines
location.py         file, line and keys of a value, for errors
upgrade.py          the keys of version 0.8 -> those of this one
"""
