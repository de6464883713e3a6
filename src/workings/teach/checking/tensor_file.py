"""Arrays by name from a file of others: .npz, .safetensors or .json. Nothing in such a file is ever executed."""

from __future__ import annotations

import json
import math
import stat
import zipfile
import zlib
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy
from numpy.lib.format import read_array_header_1_0, read_array_header_2_0, read_magic

from ...engine.arrays import Array
from ...engine.errors import InputError
from .received import Received

Order: TypeAlias = Literal["C", "F"]
LARGEST = 200_000_000  # bytes, of the file and of what is unpacked from it
LONGEST_HEADER = 10_000_000  # bytes
# The types of safetensors; bfloat16 is the upper half of a float32.
SAFE = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1",
    "U8": "u1", "BOOL": "?",
}  # fmt: skip
HEADERS = {(1, 0): read_array_header_1_0, (2, 0): read_array_header_2_0}  # of arrays in .npz, by their version
# What a file raises that is not what its ending says; RuntimeError is that of a zip with a password.
DAMAGED = (
    ValueError, KeyError, TypeError, IndexError, AttributeError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


def read_tensors(path: Path) -> dict[str, Any]:
    """Every array of a file, by its name there; too large a file is refused before it is read."""
    readers = {".npz": _npz, ".safetensors": _safetensors, ".json": _json}
    if path.suffix.lower() not in readers:
        raise InputError("tensors.ending", path=path, endings=", ".join(readers))
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):  # a pipe may never end
            raise InputError("tensors.device", path=path)
        if status.st_size > LARGEST:
            raise InputError("tensors.large", path=path, megabytes=LARGEST // 1_000_000)
        found = readers[path.suffix.lower()](path)
    except (*DAMAGED, OSError) as error:
        if isinstance(error, OSError) and error.strerror:
            raise InputError("tensors.file", path=path, reason=error.strerror) from None
        raise InputError("tensors.damaged", path=path, kind=path.suffix) from None
    if not found:
        raise InputError("tensors.empty", path=path)
    return found


def _npz(path: Path) -> dict[str, Any]:
    """A zip of arrays; each has a header with its shape, which is believed only if there are as many bytes."""
    found: dict[str, Any] = {}
    with zipfile.ZipFile(path) as packed:
        members = [member for member in packed.infolist() if member.filename.endswith(".npy")]
        if sum(member.file_size for member in members) > LARGEST:
            raise InputError("tensors.large", path=path, megabytes=LARGEST // 1_000_000)
        for member in members:
            name = member.filename.removesuffix(".npy")
            with packed.open(member) as stream:
                shape, in_columns, kind = HEADERS[read_magic(stream)](stream)
                if kind.hasobject:  # which would have to be unpickled
                    raise InputError("tensors.objects", path=path, name=name)
                numbers = stream.read()
            found[name] = _array(numbers, kind, shape, "F" if in_columns else "C")
    return found


def _safetensors(path: Path) -> dict[str, Any]:
    """8 bytes that say how long the header is, the header as JSON, and the numbers, one array right behind another."""
    content = memoryview(path.read_bytes())
    length = int.from_bytes(content[:8], "little")
    if length > min(LONGEST_HEADER, len(content) - 8):
        raise ValueError(length)
    header, numbers = json.loads(bytes(content[8 : 8 + length])), content[8 + length :]
    entries = {name: header[name] for name in header if name != "__metadata__"}
    found: dict[str, Any] = {}
    at = 0
    for name, entry in sorted(entries.items(), key=lambda item: item[1]["data_offsets"]):
        if entry["dtype"] not in SAFE:
            raise InputError("tensors.type", path=path, name=name, dtype=entry["dtype"])
        begin, end = entry["data_offsets"]
        if begin != at or not at <= end <= len(numbers):  # overlapping ones would be unpacked again and again
            raise ValueError(name)
        array = _array(numbers[begin:end], numpy.dtype(SAFE[entry["dtype"]]), tuple(entry["shape"]))
        found[name] = _widened(array) if entry["dtype"] == "BF16" else array
        at = end
    if at != len(numbers):
        raise ValueError(at)
    return {name: found[name] for name in entries}


def _array(numbers: bytes | memoryview, kind: numpy.dtype[Any], shape: tuple[int, ...], order: Order = "C") -> Array:
    """An array of these bytes; refused if the shape promises another number of them."""
    if kind.itemsize * math.prod(shape) != len(numbers):
        raise ValueError(shape)
    array: Array = numpy.frombuffer(numbers, kind).reshape(shape, order=order)
    return array


def _widened(array: Array) -> Received:
    wide = (array.astype(numpy.uint32) << 16).view(numpy.float32)
    return Received(wide.astype(numpy.float64), "bfloat16")


def _json(path: Path) -> dict[str, Any]:
    """Nested lists by name. A filled sheet has single entries instead, and is there to be graded."""
    data = json.loads(path.read_text(encoding="utf-8-sig"))
    if not isinstance(data, dict):
        raise ValueError(type(data))
    if isinstance(data.get("answers"), dict):
        raise InputError("tensors.answers", path=path)
    return data
