"""What practice says."""

from __future__ import annotations

from ...engine.sentences import add_sentences, say

add_sentences(
    "practice",
    {
        "shape": "The shape of {name}",
        "shape.label": "shape of {name}",
        "positions": "The positions that {name} must not see",
        "positions.label": "hidden in {name}",
        "choice": "The most likely word of {name}",
        "choice.label": "most likely of {name}",
    },
)

add_sentences(
    "error",
    {
        "practice.unknown": "There is no lesson and no scenario '{name}'. Near it: {nearest}.",
        "practice.unknown.try": "See `workings lessons` and `workings trace`; a file of your own ends in .md or .yaml.",
        "practice.unknown.none": "There is no lesson and no scenario '{name}'.",
        "practice.unknown.none.try": "See `workings lessons` and `workings trace`; files end in .md or .yaml.",
        "practice.long": "The run {run} of {name} has {count} steps, and nobody works out more than {limit} by hand.",
        "practice.long.try": "Choose a shorter one with --run, such as a run of a single training step.",
        "practice.no_variant": "None of {tries} sets of numbers can be worked out by hand here.",
        "practice.no_variant.try": "Try another seed, or more digits.",
        "practice.blanks": "A sheet leaves {choices} blanks, not '{blanks}'.",
        "practice.blanks.try": "Write --blanks some.",
        "sheet.missing": "There is no sheet '{path}': no file, code, lesson or scenario of that name.",
        "sheet.missing.try": "Give the file of the sheet, or the code that is printed on it.",
        "sheet.answers": "{path} is a file of answers, and no sheet.",
        "sheet.answers.try": "Name the sheet first, then the answers: `workings grade sheet.json answers.csv`.",
        "sheet.generator": "The sheet {code} was made by generator {made}, and this version has generator {now}.",
        "sheet.generator.try": "Grade it with the file of the sheet, which every version can read.",
        "sheet.checksum": "The numbers that are printed on the sheet {code} are others than this version makes.",
        "sheet.checksum.try": "Look whether the code is copied right; or grade it with the file of the sheet.",
        "sheet.large": "{path} is {size} MB long, and a sheet has no more than {most} MB.",
        "sheet.large.try": "Give the JSON file of the sheet: `workings worksheet example-1 -o sheet.json`.",
        "sheet.unread": "{path} cannot be read: {reason}.",
        "sheet.unread.try": "Give the JSON file of the sheet: `workings worksheet example-1 -o sheet.json`.",
        "sheet.schema": "{path} is no sheet that this version knows: it says '{schema}', not {known}.",
        "sheet.schema.try": "Give the JSON file of the sheet: `workings worksheet example-1 -o sheet.json`.",
        "sheet.newer": "{path} was written as {schema}, and this version reads {known}.",
        "sheet.newer.try": "Install the version that wrote it: `pip install --upgrade workings`.",
        "sheet.json": "{path} is no whole sheet: it is cut off, or no JSON.",
        "sheet.json.try": "Make it again: `workings worksheet example-1 -o sheet.json`.",
        "sheet.broken": "This is no whole sheet: {part} cannot be {value}.",
        "sheet.broken.try": "Make it again: `workings worksheet example-1 -o sheet.json`.",
        "sheet.broken.missing": "This is no whole sheet: {part} is missing.",
        "sheet.broken.missing.try": "Make it again: `workings worksheet example-1 -o sheet.json`.",
        "sheet.source": "The sheet {code} was made from a file called {name}, and there is none in this folder or "
        "below it.",
        "sheet.source.try": "Go to the folder of {name}.yaml or {name}.md, or give the file of the sheet: "
        "`workings grade sheet.json ANSWERS`.",
    },
)

__all__ = ["say"]
