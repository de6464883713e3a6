"""Files of arrays from others: what can be read, and what is refused before it does harm."""

import io
import json
import os
import tracemalloc
import zipfile

import numpy
import pytest
import torch
from safetensors.torch import save_file

from workings.engine.errors import InputError
from workings.practice.checking import tensor_file
from workings.practice.checking.tensor_file import read_tensors
from workings.practice.checking.user_array import to_user_array

SCORES = numpy.array([[0.1, 0.2], [0.3, 0.4]])


def test_three_kinds_of_file_hold_the_same_numbers(tmp_path):
    numpy.savez(tmp_path / "a.npz", scores=SCORES, ids=numpy.array([1, 2]))
    save_file({"scores": torch.tensor(SCORES), "ids": torch.tensor([1, 2])}, tmp_path / "a.safetensors")
    (tmp_path / "a.json").write_text(json.dumps({"scores": SCORES.tolist(), "ids": [1, 2]}), encoding="utf-8")
    for ending in ("npz", "safetensors", "json"):
        found = read_tensors(tmp_path / f"a.{ending}")
        assert sorted(found) == ["ids", "scores"]
        numpy.testing.assert_array_equal(to_user_array(found["scores"]).array, SCORES)
        numpy.testing.assert_array_equal(to_user_array(found["ids"]).array, [1, 2])


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16, torch.float32])
def test_types_of_safetensors(tmp_path, kind):
    tensor = torch.tensor(SCORES).to(kind)
    save_file({"scores": tensor}, tmp_path / "a.safetensors")
    found = to_user_array(read_tensors(tmp_path / "a.safetensors")["scores"])
    numpy.testing.assert_array_equal(found.array, tensor.double().numpy())
    assert f"torch.{found.dtype}" == str(kind)


def test_the_answers_to_a_sheet_are_graded_instead(tmp_path):
    (tmp_path / "a.json").write_text('{"sheet": "x", "answers": {"scores[1][0]": "0,25"}}', encoding="utf-8")
    with pytest.raises(InputError, match="answers to a sheet"):
        read_tensors(tmp_path / "a.json")


def test_arrays_by_columns_and_empty_ones(tmp_path):
    turned, empty = numpy.asfortranarray(numpy.arange(6.0).reshape(2, 3)), numpy.zeros((0, 3))
    numpy.savez_compressed(tmp_path / "a.npz", turned=turned, empty=empty, one=numpy.array(2.5))
    save_file({"empty": torch.zeros(0, 3), "one": torch.tensor(2.5)}, tmp_path / "a.safetensors")
    found = read_tensors(tmp_path / "a.npz")
    numpy.testing.assert_array_equal(found["turned"], turned)
    for arrays in (found, read_tensors(tmp_path / "a.safetensors")):
        assert (arrays["empty"].shape, float(arrays["one"])) == ((0, 3), 2.5)


def header(**entries):
    text = json.dumps(entries).encode()
    return len(text).to_bytes(8, "little") + text


def packed(shape, numbers=bytes(8), kind="<f8", version=1, password=False):
    """A .npz whose only array says that it has this shape."""
    text = repr({"descr": kind, "fortran_order": False, "shape": shape}).encode() + b"\n"
    member = b"\x93NUMPY" + bytes([version, 0]) + len(text).to_bytes(2, "little") + text + numbers
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as zipped:
        zipped.writestr("scores.npy", member)
    content = file.getvalue()
    return (
        content.replace(b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01") if password else content
    )


HALF = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
DAMAGED = {
    "words.json": b"[1, 2",
    "list.json": b"[1, 2]",
    "deep.json": b'{"a":' + b"[" * 100_000,
    "binary.json": b"\xff\xfe\x00\x80",
    "text.npz": b"no zip at all",
    "short.safetensors": b"\x01",
    "long.safetensors": (2**60).to_bytes(8, "little") + b"{}",
    "outside.safetensors": header(a={"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}),
    "shape.safetensors": header(a={"dtype": "F32", "shape": [3], "data_offsets": [0, 4]}) + b"1234",
    "negative.safetensors": header(a={"dtype": "F32", "shape": [1], "data_offsets": [-4, 0]}) + b"1234",
    "strange.safetensors": header(a=[1, 2]),
    "list.safetensors": (2).to_bytes(8, "little") + b"[]12",
    "twice.safetensors": header(a=HALF, b=HALF) + bytes(8),
    "overlap.safetensors": header(a=HALF, b={**HALF, "data_offsets": [4, 12]}) + bytes(12),
    "hole.safetensors": header(a=HALF, b={**HALF, "data_offsets": [12, 20]}) + bytes(20),
    "rest.safetensors": header(a=HALF) + bytes(9),
    "huge.npz": packed((10**13,)),
    "huge_strings.npz": packed((1,), kind="<U2000000000"),
    "nothing_each.npz": packed((10**13,), numbers=b"", kind="|V0"),
    "short.npz": packed((2,)),
    "negative.npz": packed((-1, -1)),
    "version.npz": packed((1,), version=9),
    "words.npz": packed("many"),
    "password.npz": packed((1,), password=True),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_what_is_damaged_is_refused_in_words(tmp_path, name):
    (tmp_path / name).write_bytes(DAMAGED[name])
    with pytest.raises(InputError, match="damaged, or something else"):
        read_tensors(tmp_path / name)


def test_many_arrays_of_the_same_bytes_take_no_room(tmp_path):
    numbers = bytes(2_000_000)
    entries = {f"a{n}": {"dtype": "BF16", "shape": [1_000_000], "data_offsets": [0, 2_000_000]} for n in range(50)}
    (tmp_path / "a.safetensors").write_bytes(header(**entries) + numbers)
    tracemalloc.start()
    with pytest.raises(InputError, match="damaged"):
        read_tensors(tmp_path / "a.safetensors")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 50_000_000


def test_a_pipe_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "a.json")
    with pytest.raises(InputError, match="device"):
        read_tensors(tmp_path / "a.json")


def test_objects_are_never_unpickled(tmp_path):
    class Bomb:
        def __reduce__(self):
            return (exec, ("raise SystemExit('unpickled')",))

    numpy.savez(tmp_path / "a.npz", scores=SCORES, bomb=numpy.array([Bomb()], dtype=object))
    with pytest.raises(InputError, match="Python objects"):
        read_tensors(tmp_path / "a.npz")


def test_large_files_are_refused_by_their_size(tmp_path, monkeypatch):
    monkeypatch.setattr(tensor_file, "MAX_TENSOR_BYTES", 1000)
    (tmp_path / "a.safetensors").write_bytes(bytes(1001))
    with pytest.raises(InputError, match="too large"):
        read_tensors(tmp_path / "a.safetensors")
    with zipfile.ZipFile(tmp_path / "b.npz", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("zeros.npy", bytes(100_000))
    assert (tmp_path / "b.npz").stat().st_size < 1000
    with pytest.raises(InputError, match="too large"):
        read_tensors(tmp_path / "b.npz")


def test_a_huge_file_is_refused_without_being_read(tmp_path):
    with (tmp_path / "a.npz").open("wb") as file:
        file.truncate(300_000_000)  # takes no room on the disk
    with pytest.raises(InputError, match=r"the limit is 200\.0 MB"):
        read_tensors(tmp_path / "a.npz")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("a.txt", "ends in one of"),
        ("missing.npz", "There is no file"),
        ("folder.npz", "is a folder"),
        ("e.json", "no array"),
    ],
)
def test_what_is_no_such_file(tmp_path, name, says):
    (tmp_path / "a.txt").write_text("1 2", encoding="utf-8")
    (tmp_path / "e.json").write_text("{}", encoding="utf-8")
    (tmp_path / "folder.npz").mkdir()
    with pytest.raises(InputError, match=says):
        read_tensors(tmp_path / name)


def test_a_type_that_is_not_known(tmp_path):
    entry = {"dtype": "F8_E4M3", "shape": [1], "data_offsets": [0, 1]}
    (tmp_path / "a.safetensors").write_bytes(header(scores=entry) + b"1")
    with pytest.raises(InputError, match="F8_E4M3"):
        read_tensors(tmp_path / "a.safetensors")
