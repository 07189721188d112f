"""Files made to do harm: nothing runs, nothing crashes, and memory does not grow beyond the file."""

from __future__ import annotations

import io
import pickle
import struct
import subprocess
import sys
import zipfile
from contextlib import suppress
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import numpy as np
import pytest
import wengert as wg
from wengert_serialization.archive_writer import ArchiveWriter, Entry

from .archives import PROTO, archive, call_of, load_bytes, name, number, numbers, save_to_bytes, storage, tensor, text

EXPECTED = (UnpicklingError, RuntimeError, ValueError, EOFError)
FLOATS = np.arange(4, dtype=np.float32).tobytes()
HOOKS = name("collections.OrderedDict") + b")R"


def sparse(layout: str, *parts: bytes) -> bytes:
    """Return the instructions that put a sparse tensor on the stack."""
    made = name("torch.serialization._get_layout") + text(f"torch.{layout}") + b"\x85R"
    return call_of("torch._utils._rebuild_sparse_tensor", made, b"(" + b"".join(parts) + b"t")


X = tensor(storage("Float", 4), (4,))
INT = tensor(storage("Int", 4), (4,))
INDEX = tensor(storage("Long", 2), (1, 2), (2, 1))

REFUSED: dict[str, bytes] = {
    # code
    "system": name("os.system") + text("touch /tmp/hostile") + b"\x85R",
    "posix": name("posix.system") + text("touch /tmp/hostile") + b"\x85R",
    "eval": name("builtins.eval") + text("1") + b"\x85R",
    "getattr": name("builtins.getattr") + text("a") + text("upper") + b"\x86R",
    "name_by_stack": text("os") + text("system") + b"\x93",
    "module_of_wengert": name("wengert.load") + text("x") + b"\x85R",
    "load_of_torch": name("torch.load") + text("x") + b"\x85R",
    "function_of_torch": name("torch.nn.functional.relu"),
    "attribute_in_a_name": name("torch.Tensor.__init__.__globals__"),
    "call_of_a_tensor": X + b")R",
    "call_of_a_type": X + b"\x85R",
    "call_of_a_storage_type": name("torch.FloatStorage") + number(10**12) + b"\x85R",
    "new_storage": name("torch.storage.UntypedStorage") + number(10**12) + b"\x85\x81",
    "new_dict_with_keywords": name("collections.OrderedDict") + b")}" + text("a") + b"K\1s\x92",
    "state_of_a_function": name("torch._utils._rebuild_tensor_v2") + b"}" + text("__code__") + b"Nsb",
    "state_of_a_class": name("torch.Tensor") + b"}" + text("numpy") + b"Nsb",
    "state_of_a_module_function": name("torch.serialization._get_layout") + b"N}\x86b",
    "method_of_an_ordered_dict": HOOKS + b"}" + text("items") + b"Nsb",
    "class_of_an_ordered_dict": HOOKS + b"}" + text("__class__") + b"Nsb",
    "extension_code": b"\x82\x01",
    "instance": b"(ios\nsystem\n",
    "buffer": b"\x97",
    # attributes of tensors
    "data_of_a_tensor": call_of("torch._tensor._rebuild_from_type_v2", name("torch._utils._rebuild_tensor_v2"),
                               name("torch.Tensor"), b"(" + storage("Float", 4) + b"K\0)" + b")\x89Nt",
                               b"}" + text("data") + b"Ns"),
    "class_of_a_tensor": call_of("torch._tensor._rebuild_from_type_v2", name("torch._utils._rebuild_tensor_v2"),
                                name("torch.Tensor"), b"(" + storage("Float", 4) + b"K\0)" + b")\x89Nt",
                                b"}" + text("__class__") + b"Ns"),
    "type_of_another_kind": call_of("torch._tensor._rebuild_from_type_v2", name("torch._utils._rebuild_tensor_v2"),
                                   name("builtins.set"), b"(" + storage("Float", 4) + b"K\0)" + b")\x89Nt", b"N"),
    "rebuilding_by_another_function": call_of("torch._tensor._rebuild_from_type_v2", name("builtins.set"),
                                             name("torch.Tensor"), b")", b"N"),
    "rebuilding_by_itself": call_of("torch._tensor._rebuild_from_type_v2", name("torch._tensor._rebuild_from_type_v2"),
                                   name("torch.Tensor"), b")", b"N"),
    "parameter_of_a_number": call_of("torch._utils._rebuild_parameter", b"K\1", b"\x88", HOOKS),
    "parameter_of_ints_with_grad": call_of("torch._utils._rebuild_parameter", INT, b"\x88", HOOKS),
    # geometry
    "beyond_the_storage": tensor(storage("Float", 4), (5,)),
    "far_beyond_the_storage": tensor(storage("Float", 4), (2, 3), (2**61, 1)),
    "offset_beyond": tensor(storage("Float", 4), (1,), offset=4),
    "negative_offset": tensor(storage("Float", 4), (1,), offset=-1),
    "negative_size": tensor(storage("Float", 4), (-1,)),
    "two_negative_sizes": tensor(storage("Float", 4), (-1, -4), (1, 1)),
    "negative_stride": tensor(storage("Float", 4), (4,), (-1,), offset=3),
    "more_strides_than_sizes": tensor(storage("Float", 4), (1,), (1, 1)),
    "too_many_dims": tensor(storage("Float", 4), (1,) * 100, (1,) * 100),
    "number_of_elements_overflows": tensor(storage("Float", 4), (2**40, 2**40), (0, 0)),
    "size_of_200_bits": tensor(storage("Float", 4), (2**200,), (0,)),
    "offset_of_200_bits_of_an_empty_tensor": tensor(storage("Float", 4), (0,), (1,), offset=2**200),
    "bool_as_size": tensor(storage("Float", 4)).replace(numbers((1,)), b"(\x88t", 1),
    "grad_of_ints": tensor(storage("Int", 4), (4,), requires_grad=True),
    "storage_of_another_kind": tensor(b"K\1"),
    "tensor_as_storage": tensor(X),
    "odd_metadata": tensor(storage("Float", 4), extra=b"}" + text("other") + b"\x88s"),
    "conjugate_of_reals": tensor(storage("Float", 4), extra=b"}" + text("conj") + b"\x88s"),
    "dtype_that_is_none": call_of("torch._utils._rebuild_tensor_v3", storage("Byte", 16), b"K\0))\x89N", b"K\1"),
    "quantized": call_of("torch._utils._rebuild_qtensor", b"N"),
    "meta": call_of("torch._utils._rebuild_meta_tensor_no_storage", b"N"),
    # sparse
    "coo_indices_out_of_range": sparse("sparse_coo", INDEX, tensor(storage("Float", 2, "1"), (2,)), numbers((1,))),
    "coo_of_floats_as_indices": sparse("sparse_coo", X, X, numbers((4,))),
    "coo_coalesced_untruly": sparse("sparse_coo", tensor(storage("Long", 2), (1, 2), (0, 0)),
                                    tensor(storage("Float", 2, "1"), (2,)), numbers((9,)), b"\x88"),
    "coo_of_sparse_values": sparse("sparse_coo", INDEX, sparse("sparse_coo", INDEX, X, numbers((4,))), numbers((4,))),
    "csr_rows_do_not_fit": sparse("sparse_csr", tensor(storage("Long", 2), (2,)), tensor(storage("Long", 2), (2,)),
                                  tensor(storage("Float", 2, "1"), (2,)), numbers((1, 2))),
    "csr_expanded": sparse("sparse_csr", tensor(storage("Long", 2), (10**11,), (0,)), tensor(storage("Long", 2), (2,)),
                           tensor(storage("Float", 2, "1"), (2,)), numbers((10**11 - 1, 2))),
    "strided_as_sparse": sparse("strided", X, X, numbers((4,))),
    "unknown_layout": sparse("sparse_other", X, X, numbers((4,))),
    "layout_that_is_a_module": sparse("nn", X, X, numbers((4,))),
    # storages
    "no_tuple": b"K\1Q",
    "empty_tuple": b")Q",
    "other_kind_of_object": b"(" + text("module") + b"NNNtQ",
    "storage_type_that_is_a_class": b"(" + text("storage") + name("torch.Tensor") + text("0") + text("cpu") + b"K\4tQ",
    "key_that_is_a_number": b"(" + text("storage") + name("torch.FloatStorage") + b"K\0" + text("cpu") + b"K\4tQ",
    "negative_count": storage("Float", -1),
    "count_that_is_a_float": b"(" + text("storage") + name("torch.FloatStorage") + text("0") + text("cpu")
                             + b"G" + bytes(8) + b"tQ",
    # sizes
    "long_text": b"X\xff\xff\xff\xffa",
    "long_text_of_8_bytes": b"\x8d" + b"\xff" * 8,
    "long_bytes": b"\x8e" + struct.pack("<Q", 2**40),
    "long_bytearray": b"\x96" + struct.pack("<Q", 2**40),
    "long_int": b"\x8b" + struct.pack("<I", 2**31),
    "bytearray_of_a_size": name("builtins.bytearray") + number(10**12) + b"\x85R",
    "bytes_of_a_size": name("builtins.bytes") + number(10**12) + b"\x85R",
    "other_encoding": name("_codecs.encode") + text("a") + text("zlib") + b"\x86R",
    "set_of_a_number": name("builtins.set") + b"K\1\x85R",
    "counter_of_a_text": name("collections.Counter") + text("aab") + b"\x85R",
    # keys
    "list_as_key": b"}]Ns",
    "list_in_a_set": name("builtins.set") + b"](]e\x85R",
    "list_in_a_tuple_as_key": b"}]\x85Ns",
    "deep_tuple_as_key": b"})" + b"\x85" * 100000 + b"Ns",
    "tuple_that_doubles_as_key": b"}K\1" + b"q\0h\0\x86" * 49 + b"Ns",
    # the pickle itself
    "empty_stack": b"",
    "pop_of_nothing": b"0",
    "no_mark": b"t",
    "absent_memo": b"h\5",
    "key_without_value": b"}(K\1u",
    "arguments_that_are_no_tuple": name("torch.Size") + b"]R",
    "keywords_that_are_no_dict": name("collections.OrderedDict") + b"))\x92",
    "name_that_is_a_number": b"K\1K\2\x93",
    "wrong_text": b"X\1\0\0\0\xff",
    "wrong_name": b"c\xff\n\xff\n",
    "unfinished_name": b"ctorch",
    "endless_name": b"c" + b"a" * 10000,
    "later_protocol": b"\x80\x63",
}


@pytest.mark.parametrize("case", REFUSED)
def test_hostile_pickles_are_refused(case: str) -> None:
    data = archive(PROTO + REFUSED[case] + b".", FLOATS, FLOATS[:8])
    with pytest.raises((UnpicklingError, RuntimeError), match=r"Weights only load failed|record size") as info:
        load_bytes(data)
    assert info.type is UnpicklingError or "record size" in str(info.value)
    assert not Path("/tmp/hostile").exists()


def test_a_class_of_wengert_stays_as_it_is() -> None:
    before = (wg.Tensor.__dict__.copy(), vars(wg._utils._rebuild_tensor_v2).copy())
    for case in ("state_of_a_class", "state_of_a_function", "state_of_a_module_function"):
        with pytest.raises(UnpicklingError):
            load_bytes(archive(PROTO + REFUSED[case] + b"."))
    assert (wg.Tensor.__dict__.copy(), vars(wg._utils._rebuild_tensor_v2).copy()) == before


def test_what_data_need_is_loaded() -> None:
    """The pieces that the hostile pickles are made of do work."""
    assert load_bytes(archive(PROTO + X + b".", FLOATS)).tolist() == [0, 1, 2, 3]
    expanded = load_bytes(archive(PROTO + tensor(storage("Float", 4), (10**12,), (0,)) + b".", FLOATS))
    assert expanded.shape == (10**12,)
    values = tensor(storage("Float", 2, "1"), (2,))
    index = np.array([0, 1]).tobytes()
    x = load_bytes(archive(PROTO + sparse("sparse_coo", INDEX, values, numbers((2,))) + b".", index, FLOATS[:8]))
    assert x.to_dense().tolist() == [0, 1]
    assert load_bytes(archive(PROTO + b"Nr\xff\xff\xff\xff.")) is None
    assert load_bytes(archive(PROTO + b"}(K\1K\2)Nu.")) == {1: 2, (): None}


# ---- archives
def test_compressed_records_are_refused() -> None:
    data = archive(PROTO + X + b".", FLOATS, compression=zipfile.ZIP_DEFLATED)
    with pytest.raises(RuntimeError, match="compressed or encrypted"):
        load_bytes(data)


def test_records_that_overlap_are_refused() -> None:
    """A thousand entries for the same megabyte would load as a gigabyte."""
    buffer = io.BytesIO()
    writer = ArchiveWriter(buffer, "archive")
    writer.write("data.pkl", PROTO + b"(" + b"".join(storage("Byte", 1 << 20, str(key)) for key in range(1000)) + b"t.")
    writer.write("data/0", bytes(1 << 20))
    first = writer.entries[-1]
    writer.entries += [Entry(f"archive/data/{key}".encode(), *first[1:]) for key in range(1, 1000)]
    writer.close()
    with pytest.raises(RuntimeError, match="does not lie in the file"):
        load_bytes(buffer.getvalue())


def test_two_records_of_one_name_are_refused() -> None:
    buffer = io.BytesIO()
    writer = ArchiveWriter(buffer, "archive")
    for data in (b"N.", b"K\1."):
        writer.write("data.pkl", data)
    writer.close()
    with pytest.raises(RuntimeError, match=r"two records are called 'archive/data\.pkl'"):
        load_bytes(buffer.getvalue())


@pytest.mark.parametrize("field", range(46))
def test_any_byte_of_a_directory_entry(field: int) -> None:
    original = save_to_bytes(wg.arange(4.0))
    for value in (0, 1, 127, 255):
        data = bytearray(original)
        data[data.index(b"PK\1\2") + field] = value
        with suppress(*EXPECTED):
            assert load_bytes(bytes(data)).tolist() == [0, 1, 2, 3]


def test_a_file_that_is_no_checkpoint() -> None:
    for data in (b"hello world", b"PK\3\4", b"PK\5\6" + bytes(18), b"\x80\x02", bytes(1000), b"PK\3\4" + bytes(1000)):
        with pytest.raises(EXPECTED):
            load_bytes(data)
    with pytest.raises(EOFError):
        load_bytes(b"")


def test_every_truncated_file() -> None:
    for legacy in (False, True):
        data = save_to_bytes({"a": wg.arange(3.0), "b": [1, "text"]}, _use_new_zipfile_serialization=not legacy)
        for end in range(len(data)):
            with pytest.raises(EXPECTED):
                load_bytes(data[:end])


def test_keys_that_look_like_paths(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(FLOATS)
    for key in ("../../secret", "/etc/passwd", "../data.pkl", ""):
        with pytest.raises(RuntimeError, match="file not found"):
            load_bytes(archive(PROTO + storage("Float", 4, key) + b".", FLOATS))


# ---- legacy files
def legacy(pickled: bytes, keys: Any = (), rest: bytes = b"") -> bytes:
    """Return a legacy file with a pickle, keys of storages, and what follows."""
    return save_to_bytes(1, _use_new_zipfile_serialization=False)[:137] + pickled + pickle.dumps(list(keys), 2) + rest


def old_storage(kind: str, count: int, key: str = "7", part: bytes = b"N") -> bytes:
    return storage(kind, count, key)[:-2] + part + b"tQ"


@pytest.mark.parametrize(("keys", "rest", "message"), [
    ([], b"", "not those that its pickle needs"), (["8"], b"", "not those that its pickle needs"),
    (["7", "7"], b"", "not those that its pickle needs"), ([7], b"", "bytes left"), (["7"], b"", "bytes left"),
    (["7"], (4).to_bytes(8, "little") + bytes(15), "bytes left"), (["7"], (2**60).to_bytes(8, "little"), "elements"),
])
def test_storages_of_legacy_files(keys: Any, rest: bytes, message: str) -> None:
    data = legacy(PROTO + tensor(old_storage("Float", 4), (4,)) + b".", keys, rest)
    with pytest.raises(EXPECTED, match=message):
        load_bytes(data)


def test_large_counts_in_legacy_files_allocate_nothing() -> None:
    data = legacy(PROTO + old_storage("Float", 2**50) + b".", ["7"], (2**50).to_bytes(8, "little"))
    with pytest.raises(RuntimeError, match="bytes left"):
        load_bytes(data)
    twice = PROTO + old_storage("Float", 4) + old_storage("Double", 4) + b"\x86."
    with pytest.raises(UnpicklingError, match="has two sizes"):
        load_bytes(legacy(twice, ["7"], (4).to_bytes(8, "little") + bytes(16)))


@pytest.mark.parametrize("part", [(-1, 2), (0, 5), (4, 1), (2**70, 1)])
def test_parts_beyond_a_storage(part: tuple[int, int]) -> None:
    place = b"(" + text("part") + number(part[0]) + number(part[1]) + b"t"
    data = legacy(PROTO + old_storage("Float", 4, part=place) + b".", ["7"], (4).to_bytes(8, "little") + bytes(16))
    with pytest.raises(UnpicklingError, match="does not lie in a storage"):
        load_bytes(data)


@pytest.mark.parametrize("case", ["system", "eval", "beyond_the_storage", "long_text", "state_of_a_class"])
def test_hostile_pickles_in_legacy_files(case: str) -> None:
    pickled = PROTO + REFUSED[case].replace(storage("Float", 4), old_storage("Float", 4)) + b"."
    keys = ["7"] if b"storage" in pickled else []
    with pytest.raises(EXPECTED):
        load_bytes(legacy(pickled, keys, (4).to_bytes(8, "little") + FLOATS if keys else b""))


# ---- bombs
@pytest.mark.host("memory of a process")
def test_small_files_do_not_take_much_memory() -> None:
    """Peak memory is at most a few hundred times the file: an empty set of a byte in the pickle takes 200 bytes."""
    output = subprocess.check_output([sys.executable, str(Path(__file__).with_name("bombs.py"))], text=True)
    factors = {title: float(factor) for title, factor in (line.split(": ") for line in output.splitlines())}
    assert len(factors) == 14
    assert all(factor < 500 for factor in factors.values()), factors
