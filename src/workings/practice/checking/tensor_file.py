"""Named arrays from a file: .npz, .safetensors or .json. Nothing in such a file is ever executed."""

from __future__ import annotations

import io
import json
import math
import zipfile
import zlib
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy
from numpy.lib.format import read_array_header_1_0, read_array_header_2_0, read_magic

from ...engine.arrays import Array
from ...engine.errors import InputError
from ...engine.files import read_user_file
from .user_array import UserArray

Order: TypeAlias = Literal["C", "F"]
MAX_TENSOR_BYTES = 200_000_000  # of the file, and of what is unpacked from it
MAX_HEADER_BYTES = 10_000_000
# The types of safetensors; bfloat16 is the upper half of a float32.
SAFE_TYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1",
    "U8": "u1", "BOOL": "?",
}  # fmt: skip
HEADERS = {(1, 0): read_array_header_1_0, (2, 0): read_array_header_2_0}  # of arrays in .npz, by their version
# What reading a damaged file may raise; RuntimeError is that of a zip archive with a password.
DAMAGED = (
    ValueError, KeyError, TypeError, IndexError, AttributeError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


def read_tensors(path: Path) -> dict[str, Any]:
    """Every array of a file, by its name there; a file that is too large is refused before it is read."""
    readers = {".npz": _npz, ".safetensors": _safetensors, ".json": _json}
    if path.suffix.lower() not in readers:
        raise InputError(
            f"Arrays cannot be read from {path}.",
            hint=f"Give one that ends in one of: {', '.join(readers)}.",
        )
    content = read_user_file(path, MAX_TENSOR_BYTES)
    try:
        found = readers[path.suffix.lower()](path, content)
    except DAMAGED:
        raise InputError(
            f"{path} cannot be read as {path.suffix}: it is damaged, or something else.",
            hint="Write it again: numpy.savez(path, scores=scores), or a JSON object of nested lists.",
        ) from None
    if not found:
        raise InputError(
            f"There is no array in {path}.",
            hint="Save arrays under the names of the steps: numpy.savez(path, scores=scores).",
        )
    return found


def _npz(path: Path, content: bytes) -> dict[str, Any]:
    """A zip archive of arrays; the shape in each header must match its number of bytes."""
    found: dict[str, Any] = {}
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        members = [member for member in packed.infolist() if member.filename.endswith(".npy")]
        if sum(member.file_size for member in members) > MAX_TENSOR_BYTES:
            raise InputError(
                f"{path} is too large: it unpacks to more than {MAX_TENSOR_BYTES // 10**6} MB.",
                hint="Save only the steps that you want to compare.",
            )
        for member in members:
            name = member.filename.removesuffix(".npy")
            with packed.open(member) as stream:
                shape, in_columns, kind = HEADERS[read_magic(stream)](stream)
                if kind.hasobject:  # they would have to be unpickled
                    raise InputError(
                        f"{name} in {path} holds Python objects, not numbers; we do not open them.",
                        hint="Save plain numbers: numpy.asarray(x, dtype=float).",
                    )
                numbers = stream.read()
            found[name] = _array(numbers, kind, shape, "F" if in_columns else "C")
    return found


def _safetensors(path: Path, content: bytes) -> dict[str, Any]:
    """8 bytes with the length of the header, the header as JSON, and the numbers, one array right after another."""
    length = int.from_bytes(content[:8], "little")
    if length > min(MAX_HEADER_BYTES, len(content) - 8):
        raise ValueError(length)
    header, numbers = json.loads(content[8 : 8 + length]), memoryview(content)[8 + length :]
    entries = {name: header[name] for name in header if name != "__metadata__"}
    found: dict[str, Any] = {}
    at = 0
    for name, entry in sorted(entries.items(), key=lambda item: item[1]["data_offsets"]):
        if entry["dtype"] not in SAFE_TYPES:
            raise InputError(
                f"{name} in {path} has the unknown type {entry['dtype']}.",
                hint="Save it as float32.",
            )
        begin, end = entry["data_offsets"]
        if begin != at or not at <= end <= len(numbers):  # overlapping ones would be unpacked again and again
            raise ValueError(name)
        array = _array(numbers[begin:end], numpy.dtype(SAFE_TYPES[entry["dtype"]]), tuple(entry["shape"]))
        found[name] = _widened(array) if entry["dtype"] == "BF16" else array
        at = end
    if at != len(numbers):
        raise ValueError(at)
    return {name: found[name] for name in entries}


def _array(numbers: bytes | memoryview, kind: numpy.dtype[Any], shape: tuple[int, ...], order: Order = "C") -> Array:
    """An array of these bytes; refused if the shape needs another number of them."""
    if kind.itemsize * math.prod(shape) != len(numbers):
        raise ValueError(shape)
    array: Array = numpy.frombuffer(numbers, kind).reshape(shape, order=order)
    return array


def _widened(array: Array) -> UserArray:
    wide = (array.astype(numpy.uint32) << 16).view(numpy.float32)
    return UserArray(wide.astype(numpy.float64), "bfloat16")


def _json(path: Path, content: bytes) -> dict[str, Any]:
    """Nested lists by name. A filled sheet has single entries instead, and is graded."""
    data = json.loads(content.decode("utf-8-sig"))
    if not isinstance(data, dict):
        raise ValueError(type(data))
    if isinstance(data.get("answers"), dict):
        raise InputError(
            f"{path} holds the answers to a sheet, not arrays of steps.",
            hint=f"Grade them with `workings grade SHEET {path}`, or write arrays under the names of steps.",
        )
    return data
