"""The sentences of the command line, under stable keys. See engine/sentences.py for how they are found."""

from __future__ import annotations

from ..engine.sentences import add_sentences

add_sentences(
    "cli",
    {
        "traces": "Scenarios that are ready to run",
        "traces.name": "scenario",
        "traces.summary": "what it shows",
        "traces.runs": "other runs",
        "traces.step": "{name}, step {step}",
        "traces.again": "making step {done} of {steps} again",
        "new_scenario": "{path} is written. Try: workings trace {path}",
        "ops": "Op pages",
        "ops.name": "op",
        "ops.summary": "what it does",
        "fault": "Something went wrong inside workings: {error}\n"
        "  try:   Set WORKINGS_DEBUG=1 to see where, and report it.",
    },
)

# What can go wrong, and what to try; the errors of the engine are in engine/sentences.py.
add_sentences(
    "error",
    {
        "input.cell": "--cell {cell} does not say of which step.",
        "input.cell.try": "Name the step as well: --step scores --cell {cell}.",
        "input.convention.trace": "{name} follows no convention that could be changed.",
        "input.convention.trace.try": "Leave out --convention, or run its scenario with it.",
        "input.training": "The steps of {name} are shown as they were made.",
        "input.training.try": "Leave out --precision and --convention.",
        "input.run": "{name} is no scenario, and has no runs to choose from.",
        "input.run.try": "Leave out --run.",
        "input.scenario.name": "'{name}' cannot be the name of a scenario.",
        "input.scenario.name.try": "Give a name such as my-example.",
        "output.exists": "{path} is there already, and is left as it is.",
        "output.exists.try": "Choose another name.",
        "input.convention.page": "{profile} has another page: {page}.",
        "input.convention.page.try": "Look at `workings op {page}`.",
        "input.convention": "{op} has no setting that a convention decides.",
        "input.convention.try": "Leave out --convention; `workings op {op}` shows the settings.",
        "input.precision": "{path} was calculated in {precision}, and is shown as it was calculated.",
        "input.precision.try": "Leave out --precision, or make the trace anew with it.",
        "input.binary": "{path} is not a text file.",
        "input.binary.try": "Give the JSON file of a trace, written with --format json.",
        "numbers.comma": "'{text}' has commas and spaces between its numbers.",
        "numbers.comma.try": 'Write decimals with a point: "1.5 2.5".',
        "numbers.entry": "'{text}' is not an entry.",
        "numbers.entry.try": "Give one position for each axis, counted from 0: --cell 1,0.",
        "output.screen": "The result could not be printed: {reason}.",
        "output.screen.try": "Check where the output goes, or write it to a file with -o.",
        "input.option": "{op} has no input or setting '{option}'.",
        "input.option.try": "Known here: {known}. Did you mean --{nearest}? Several numbers go in quotes, with ; "
        "between rows.",
        "input.value": "{option} needs a value.",
        "input.value.try": 'Write the numbers in quotes: {option} "2 1.5; 1 0".',
        "input.missing": "{op} also needs {missing}.",
        "input.missing.try": "Give all inputs, or none to see the page's own example.",
        "input.trace": "There is no trace '{name}'.",
        "input.trace.try": "Give the file of a trace written with --format json, or one of: {names}.",
        "input.file": "{path} cannot be read: {reason}.",
        "input.file.try": "Check the path and that the file is text.",
        "output.format": "The format '{format}' is not there.",
        "output.format.try": "Formats: {formats}.",
        "output.path": "{path} cannot be written: {reason}.",
        "output.path.try": "Nothing was left there. Check the folder and the free space.",
        "numbers.text": "'{text}' is not a matrix of numbers.",
        "numbers.text.try": 'Write rows with ; between them: "2 1.5; 1 0".',
    },
)
