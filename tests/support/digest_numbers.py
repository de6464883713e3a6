"""Numbers in JSON, and a fingerprint of many of them: what digest.py is written in. All keys of JSON stand here."""

from __future__ import annotations

import base64
import re
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any, NamedTuple, TypeAlias

import numpy

# Names that changed since the digest was written, with what they were: keys of JSON, runs, parts of paths, verdicts,
# mistakes.
RENAMED: dict[str, str] = {}

KIND, NUMBER, VALUE, TEXT, STEP, INDEX = "kind", "number", "value", "text", "step", "index"  # of a printed number
DOCUMENT, RUNS = "document", "runs"
NAME, SEED, PRECISION, CONVENTION, PROFILE, HISTORY = "name", "seed", "precision", "convention", "profile", "history"
STEPS, ID, PATH, SETTINGS = "steps", "id", "path", "settings"
CODE, FIELDS, LABEL, TRUE, TOLERANCE, DIGITS = "code", "fields", "label", "true", "tolerance", "digits"  # of a sheet
SLIPS, TRACE = "slips", "trace"
KEY, INSIDE, LEVELS = "key", "inside", "levels"  # of an answer of the lab
SHOWN = ("matrix", "derivation", "figure", "ledger", "table", "answers")  # kinds of blocks that are computed as a whole
SPANS = ("number", "words", "math", "link", "reference")  # kinds of what stands in a line of text
WORDS = ("verdict", "mistake", "also", "first_wrong")  # texts that are results
PRINTED = ("text", "before", "value", "parameters")  # texts that may be a printed number
# No results: how a figure is laid out, what was typed into a request, how long a text takes to read.
SKIPPED = ("level", "row", "column", "through", "start", "end", "point", "labels", "shade", "minutes", "given", "code")
NUMERAL = re.compile(r"[-−]?\d[\d,]*(\.\d*)?(e[-+]?\d+)?")
NOT_FINITE = ("inf", "-inf", "nan")


def then(name: str) -> str:
    """What a name was when the digest was written; of a path, part by part."""
    return "".join(RENAMED.get(part, part) for part in re.split(r"([./: +\[])", name)) if RENAMED else name


# -- entries and their fingerprint -----------------------------------------------------------------

Array: TypeAlias = numpy.ndarray[Any, Any]
NOTHING = numpy.empty(0)


class Entry(NamedTuple):
    """One number or an array of numbers, where it is, and its digits where they are printed."""

    place: str
    value: float | Array
    printed: str = ""


KEPT = ~numpy.uint64(0xFFF)
HALF = numpy.uint64(0x800)
MIX = tuple(map(numpy.uint64, (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)))  # of splitmix64
SHIFT = tuple(map(numpy.uint64, (30, 27, 31)))
PORTION = 1 << 16  # numbers that are mixed at a time, so that they stay in the cache of the processor


def rounded_bits(value: float | Array) -> Array:
    """Float64 numbers as 64 bits each, of which the last 12 are rounded away."""
    numbers = numpy.array(value, dtype=numpy.float64).reshape(-1)
    numbers[numpy.isnan(numbers)] = numpy.nan  # one of many
    bits = numbers.view(numpy.uint64)
    bits += HALF
    bits &= KEPT
    return bits


def mixed(bits: Array, salt: int) -> int:
    """The sum of a hash of each number: the same in every order."""
    total = 0
    for start in range(0, bits.size, PORTION):
        part = (bits[start : start + PORTION] ^ numpy.uint64(salt)) * MIX[0]
        part = (part ^ (part >> SHIFT[0])) * MIX[1]
        part = (part ^ (part >> SHIFT[1])) * MIX[2]
        total += int((part ^ (part >> SHIFT[2])).sum(dtype=numpy.uint64))
    return total


def fingerprint(entries: Iterable[Entry]) -> str:
    """How many numbers, a hash of them in their places, and a hash of them alone."""
    count, alone, placed = 0, 0, sha256()
    for place, value, printed in entries:
        bits = rounded_bits(value)
        count += bits.size
        alone += mixed(bits, zlib.crc32(printed.encode()))
        placed.update(f"{then(place)} {numpy.shape(value)} {printed}\n".encode())
        placed.update(bits)
    return f"{count} {placed.hexdigest()[:12]} {sha256(struct.pack('<Q', alone % 2**64)).hexdigest()[:12]}"


def lines_of(entries: Iterable[Entry]) -> Iterator[str]:
    """One number a line, to be read by people."""
    for place, value, printed in entries:
        array = numpy.asarray(value, dtype=numpy.float64)
        if not array.size:
            yield f"{then(place)} {printed}".rstrip()
        for index in numpy.ndindex(array.shape):
            at = "".join(f"[{number}]" for number in index)
            yield f"{then(place)}{at} = {array[index]:.12g}" + (f"  printed {printed}" if printed else "")


# -- numbers in JSON -------------------------------------------------------------------------------


def numbers_in(data: Any, key: str = "", names: Mapping[str, str] | None = None) -> Iterator[Entry]:
    """Every number in some JSON, whatever the order of its keys. `names` are the paths of steps by their ids."""
    if isinstance(data, dict):
        if data.get(KIND) == NUMBER and VALUE in data:
            yield _printed_number(data, names or {})
            return
        for old, new in sorted((then(new), new) for new in data):
            if old not in SKIPPED:
                yield from numbers_in(data[new], old, names)
    elif isinstance(data, list):
        for part in data:
            yield from numbers_in(part, key, names)
    elif isinstance(data, str):
        yield from _number_in_text(data, key)
    elif isinstance(data, int | float) and not isinstance(data, bool):
        yield Entry(key, float(data))


def _printed_number(data: Mapping[str, Any], names: Mapping[str, str]) -> Entry:
    step, value = str(data[STEP]), data[VALUE]
    number = float(value) if not isinstance(value, str) or value in NOT_FINITE else NOTHING  # a blank has none
    return Entry(f"{names.get(step, step)}{data[INDEX]}", number, _digits(data[TEXT]))


def _number_in_text(text: str, key: str) -> Iterator[Entry]:
    if key == LEVELS:  # of a tile: one byte each
        yield Entry(key, numpy.frombuffer(base64.b64decode(text), dtype=numpy.uint8).astype(float))
    elif text in NOT_FINITE:
        yield Entry(key, float(text))
    elif key in WORDS:
        yield Entry(f"{key} {text}", NOTHING)
    elif key in PRINTED and NUMERAL.fullmatch(text):
        yield Entry(key, float(text.replace("−", "-").replace(",", "")), _digits(text))


def _digits(text: str) -> str:
    return "".join(re.findall(r"[\d.]", text))


def array_of(value: Any) -> Array:
    return numpy.array(value, dtype=numpy.float64)  # which reads "inf", too


def run_entries(run: Mapping[str, Any], arrays: Mapping[str, Array]) -> Iterator[Entry]:
    """A run of a trace: its settings, history, and the values of all steps. `arrays` has those that JSON leaves out."""
    name = run[NAME]
    profile = run[CONVENTION].get(PROFILE, "none")
    yield Entry(f"{name} seed {run[SEED]} precision {run[PRECISION]} convention {profile}", NOTHING)
    yield from numbers_in(run[CONVENTION], CONVENTION)
    for row in run[HISTORY]:
        yield Entry(f"{name} history {row[NAME]}", array_of(row[VALUE]))
    for row in run[STEPS]:
        value = arrays.get(row[PATH]) if row[VALUE] is None else array_of(row[VALUE])
        if value is not None:
            yield Entry(f"{name} {row[PATH]}", value)
        yield from numbers_in(row[SETTINGS], SETTINGS)


def names_of(runs: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """The paths of steps by how a document names them: `18`, and in a lesson `default:18`."""
    found = {}
    for run in runs:
        for row in run[STEPS]:
            found[row[ID]] = row[PATH]
            found[f"{run[NAME]}:{row[ID]}"] = f"{run[NAME]}:{row[PATH]}"
    return found


def printed_in(data: Mapping[str, Any]) -> tuple[Iterator[Entry], Iterator[Entry]]:
    """The printed numbers of a lesson or trace: in blocks that are computed as a whole, and in running text."""
    blocks: list[Any] = []
    text: list[Any] = []
    _sort_parts(data[DOCUMENT], blocks, text)
    names = names_of(data[RUNS])
    return numbers_in(blocks, names=names), numbers_in(text, names=names)


def _sort_parts(node: Any, blocks: list[Any], text: list[Any]) -> None:
    if isinstance(node, list):
        for part in node:
            _sort_parts(part, blocks, text)
    elif isinstance(node, dict):
        if node.get(KIND) in SHOWN:
            blocks.append(node)
        elif node.get(KIND) in SPANS:
            text.append(node)
        else:
            for _, key in sorted((then(key), key) for key in node):
                _sort_parts(node[key], blocks, text)


def data_entries(data: Mapping[str, Any]) -> Iterator[Entry]:
    """All numbers of what a command writes: runs where there are some, and everything else."""
    runs = data.get(RUNS, [])
    for run in runs:
        yield from run_entries(run, {})
    yield from numbers_in({key: part for key, part in data.items() if key != RUNS}, names=names_of(runs))


# -- sheets ----------------------------------------------------------------------------------------


def sheet_entries(data: Mapping[str, Any]) -> Iterator[Entry]:
    """What a sheet gives and asks for, with its key."""
    yield Entry(data[CODE], NOTHING)
    for row in data[FIELDS]:
        place = f"{row[LABEL]} at {row[STEP]}{row[INDEX]}, {row[KIND]}"
        is_word = isinstance(row[TRUE], str) and row[TRUE] not in NOT_FINITE
        yield Entry(f"{place} {row[TRUE]}", NOTHING) if is_word else Entry(place, array_of(row[TRUE]))
        yield Entry(f"{place} tolerance", row[TOLERANCE])
    for slip in data[SLIPS]:
        yield Entry(f"{slip[ID]} at {slip[STEP]}", array_of(slip[VALUE]))
    yield from run_entries(data[TRACE], {})
