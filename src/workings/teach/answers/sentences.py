"""What can be wrong with an answer, and what to try, under stable keys. See engine/sentences.py."""

from __future__ import annotations

from ...engine.sentences import add_sentences, say

add_sentences(
    "error",
    {
        "answers.number": "'{text}' is not a number.",
        "answers.number.try": "Write it as 0.25, 0,25, 1/4, 2.5e-1 or 25 %, or leave it blank.",
        "answers.number.long": "'{text}' has {count} characters, too many for one number.",
        "answers.number.long.try": "Round it: at most {most} characters are read.",
        "answers.number.outside": "'{text}' lies outside the range of numbers.",
        "answers.number.outside.try": "Numbers reach from about {smallest} to {largest}; for more, write inf or 0.",
        "answers.number.zero": "'{text}' divides by 0.",
        "answers.number.zero.try": "Write inf if that is what you mean, or leave it blank.",
        "answers.number.signs": "'{text}' has more than one decimal sign.",
        "answers.number.signs.try": "Write one point or comma, and nothing between the thousands: 1234.5.",
        "answers.number.formula": "A formula stands here, and its value is not stored in the file: open the file in a "
        "spreadsheet program and save it.",
        "answers.number.formula.try": "Formulas are not carried out here; you can also type the number.",
        "answers.number.date": "'{text}' is a date.",
        "answers.number.date.try": "Spreadsheet programs take a fraction such as 3/8 for a date: write =3/8, or the "
        "decimal number.",
        "answers.matrix.long": "'{text}' has {count} characters, too many for one answer.",
        "answers.matrix.long.try": "Give fewer numbers: at most {most} characters are read.",
        "answers.matrix.many": "'{text}' has {count} numbers, too many for one answer.",
        "answers.matrix.many.try": "Give fewer: at most {most} are read.",
        "answers.matrix.number": "'{text}' is not a matrix of numbers: {why}.",
        "answers.matrix.number.try": 'Write rows with ; between them: "2 1.5; 1 0".',
        "answers.matrix.words": "'{text}' is not a matrix of numbers: '{word}' is more than a number.",
        "answers.matrix.words.try": 'Write rows with ; between them, and nothing around them: "2 1.5; 1 0".',
        "answers.matrix.empty": "'{text}' is not a matrix of numbers: it has none.",
        "answers.matrix.empty.try": 'Write rows with ; between them: "2 1.5; 1 0".',
        "answers.matrix.bracket": "'{text}' is not a matrix of numbers: its brackets do not belong together.",
        "answers.matrix.bracket.try": "Close each bracket once, and put equally many around each row: "
        "[[2, 1.5], [1, 0]].",
        "answers.matrix.deep": "'{text}' is not a matrix of numbers: its brackets are too deep.",
        "answers.matrix.deep.try": "Write at most {most} brackets in each other.",
        "answers.matrix.ragged": "The rows are not equally long: numbers in row 0: {one}, in row {row}: {other}.",
        "answers.matrix.ragged.try": "Give as many numbers in each row, and _ for what is left open.",
        "answers.matrix.summary": "'{text}' is not all of it: some numbers are left out with dots.",
        "answers.matrix.summary.try": "Print all of them: numpy.set_printoptions(threshold=10**9), or "
        "torch.set_printoptions(profile='full').",
        "answers.matrix.comma": "'{text}' can be read as {one}, or as {other}.",
        "answers.matrix.comma.try": 'Write decimals with a point: "{other}". Write "{one}" if the commas stand '
        "between numbers.",
        "answers.matrix.lines": "'{text}' can be read as {one}, or as {other}.",
        "answers.matrix.lines.try": "Put brackets around each row, or write all numbers of a vector on one line.",
        "answers.shape": "'{text}' is not a shape.",
        "answers.shape.try": "Write it as 2 x 3 or (2, 3), and () for a single number.",
        "answers.positions": "'{text}' is not a set of positions.",
        "answers.positions.try": "Write them as 0, 2 or {{0, 2}}, counted from 0, or none.",
        "answers.choice": "'{text}' is not one of the choices.",
        "answers.choice.try": "Choose one of: {choices}.",
    },
)

add_sentences(
    "error",
    {
        "answers.file.missing": "There is no file {path}.",
        "answers.file.missing.try": "It was looked for in the folder {folder}: check its name.",
        "answers.file.folder": "{path} is a folder.",
        "answers.file.folder.try": "Name a file in it; answers are read from {endings}.",
        "answers.file.device": "{path} is no ordinary file.",
        "answers.file.device.try": "Save the answers in a file, and give its name.",
        "answers.file.large": "{path} has {size}, too much for a sheet of answers.",
        "answers.file.large.try": "At most {most} are read: check that it is the right file.",
        "answers.file.read": "{path} cannot be read: {reason}.",
        "answers.file.read.try": "Check the path, and that you may open it.",
        "answers.file.ending": "{path} is no kind of file from which answers are read.",
        "answers.file.ending.try": "Save it as one of {endings}.",
        "answers.file.binary": "The file is not text.",
        "answers.file.binary.try": "Its ending says that it is: check that it is the right file, and how it was saved.",
        "answers.file.none": "There is no answer in the file, and no entry that one could belong to.",
        "answers.file.none.try": "Fill in the worksheet itself, or write a table with the columns entry and answer.",
        "answers.file.blank": "Nothing is filled in: the file has blank entries only ({count}).",
        "answers.file.blank.try": "Fill in at least one, and save the file.",
        "answers.file.label": "'{label}' is not the name of an entry.",
        "answers.file.label.try": "Write it as the sheet does: scores[1][0], loss.",
        "answers.file.twice": "There are two answers for {label}: {one} ({first}) and {other}.",
        "answers.file.twice.try": "Leave only the one that you mean.",
        "answers.file.sheets": "The file names two sheets: {one} and {other}.",
        "answers.file.sheets.try": "Keep the answers to each sheet in a file of their own.",
        "answers.json": "The file is not JSON: {reason}.",
        "answers.json.try": "Save it again, or write the answers into a table in CSV.",
        "answers.json.deep": "The lists in the file lie too deep in each other.",
        "answers.json.deep.try": "Write a matrix as a list of rows: [[2, 1.5], [1, 0]].",
        "answers.json.form": "The file has no answers where they are looked for.",
        "answers.json.form.try": 'Write it as {{"sheet": "CODE", "answers": {{"loss": 0.25}}}}.',
        "answers.json.value": "The answer for {label} is neither a number nor a text nor a list.",
        "answers.json.value.try": 'Write "{label}": 0.25, or a list of rows.',
        "answers.csv": "The table cannot be read: {reason}.",
        "answers.csv.try": "Save it again as CSV, with the columns entry and answer.",
        "answers.csv.columns": "The table has no columns that are called entry and answer.",
        "answers.csv.columns.try": "Write entry,answer above it, and one entry with its answer on each line.",
        "answers.xlsx": "The spreadsheet cannot be read: it is damaged, locked with a password, or of another kind.",
        "answers.xlsx.try": "Save it again in a spreadsheet program, as .xlsx without a password, or as .csv.",
        "answers.xlsx.columns": "The sheet has no columns that are called entry and answer.",
        "answers.xlsx.columns.try": "Write entry and answer above them, on the first sheet or on one called answers.",
        "answers.xlsx.package": "The package that reads spreadsheets, openpyxl, is not there.",
        "answers.xlsx.package.try": 'Install it with pip install "workings[print]". Or save the sheet as .csv.',
        "answers.xlsx.parts": "The spreadsheet consists of {count} parts, too many for a sheet of answers.",
        "answers.xlsx.parts.try": "At most {most} are read: copy the two columns into a new file.",
        "answers.xlsx.large": "The spreadsheet becomes too large when it is unpacked.",
        "answers.xlsx.large.try": "At most {most} and {rows} rows are read: copy the two columns into a new file.",
        "answers.xlsx.definition": "The spreadsheet contains definitions that no spreadsheet program writes.",
        "answers.xlsx.definition.try": "Copy the two columns into a new file.",
    },
)

add_sentences(
    "answers",
    {
        "place.line": "line {line}",
        "place.cell": "cell {cell}",
        "place.key": "key {name}",
    },
)

__all__ = ["say"]
