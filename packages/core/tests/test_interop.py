"""Memory shared with NumPy and by DLPack, conversions, copies and pickles."""

from __future__ import annotations

import copy
import ctypes
import gc
import io
import math
import pickle
import sys
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import wengert_core as wg

from .creation_facts import check, load

FACTS = load("conversion")
DTYPES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64",
          "complex128", "uint16", "uint32", "uint64")  # fmt: skip
NUMPY_DTYPES = tuple(name for name in DTYPES if name != "bfloat16")


@pytest.mark.parametrize(("expression", "want"), FACTS, ids=[expression for expression, _ in FACTS])
def test_same_as_recorded(expression: str, want: dict[str, Any]) -> None:
    check(expression, want)


def layouts() -> dict[str, Any]:
    """Tensors whose elements lie in memory in various ways."""
    x = wg.arange(24.0).reshape(2, 3, 4)
    return {"contiguous": x, "transposed": x.permute(2, 0, 1), "part": x.narrow(2, 1, 2),
            "expanded": wg.ones(1).expand(3),
            "number": wg.tensor(2.5), "empty": wg.zeros(2, 0, 3)}  # fmt: skip


# ---- NumPy


@pytest.mark.parametrize("name", NUMPY_DTYPES)
def test_arrays_share_memory_both_ways(name: str) -> None:
    a = np.zeros((2, 3), name)
    t = wg.from_numpy(a)
    assert t.dtype.name == name
    a[1, 2] = 1
    assert t[1, 2].item() == 1
    t[0, 0] = 1
    assert a[0, 0] == 1
    assert np.shares_memory(t.numpy(), a)
    assert t.numpy().strides == a.strides


def test_an_array_lives_as_long_as_its_tensor() -> None:
    a = np.arange(1000.0)
    t = wg.from_numpy(a)
    view = t[10:]
    del a, t
    gc.collect()
    assert view.sum().item() == sum(range(10, 1000))


def test_a_tensors_memory_lives_as_long_as_its_array() -> None:
    a = wg.full((1000,), 3.0).numpy()
    wg.memory.empty_cache()
    assert (a == 3).all()


@pytest.mark.parametrize("name", layouts())
def test_layouts_go_to_numpy_as_they_are(name: str) -> None:
    t = layouts()[name]
    a = t.numpy()
    assert a.tolist() == t.tolist()
    assert a.strides == tuple(4 * stride if t.numel() else 0 for stride in t.stride())


def test_bfloat16_comes_in_from_ml_dtypes() -> None:
    a = np.array([1.5, -2.0, math.inf], ml_dtypes.bfloat16)
    t = wg.from_numpy(a)
    assert t.dtype is wg.bfloat16
    assert t.tolist() == [1.5, -2.0, math.inf]
    a[0] = 3
    assert t[0].item() == 3


def test_read_only_arrays_warn_and_stay_read_only() -> None:
    a = np.zeros(2)
    a.flags.writeable = False
    with pytest.warns(UserWarning, match="is not writable"):
        t = wg.from_numpy(a)
    assert not t.numpy().flags.writeable


@pytest.mark.parametrize(("array", "error", "phrase"), [
    (np.arange(6.0).reshape(2, 3)[:, ::-1], ValueError, "At least one stride in the given numpy array is negative"),
    (np.zeros(3, dtype=[("a", "i1"), ("b", "<i4")])["b"], ValueError, "not a multiple of the element byte size"),
    (np.frombuffer(bytearray(9), np.uint8)[1:].view(np.float32), ValueError, "not aligned"),
    (np.zeros(2, ">f4"), ValueError, "byte order different from the native byte order"),
    (np.array([None]), TypeError, "can't convert np.ndarray of type numpy.object_"),
    (np.zeros(2, np.longdouble), TypeError, "can't convert np.ndarray of type numpy.longdouble"),
    ([1.0], TypeError, "expected np.ndarray (got list)")], ids=str)  # fmt: skip
def test_arrays_that_cannot_be_shared(array: Any, error: type[Exception], phrase: str) -> None:
    with pytest.raises(error) as caught:
        wg.from_numpy(array)
    assert phrase in str(caught.value)


def test_a_c_long_long_is_int64() -> None:
    assert wg.from_numpy(np.zeros(2, np.longlong)).dtype is wg.int64


def test_array_protocol() -> None:
    t = wg.arange(3)
    assert np.shares_memory(np.asarray(t), t.numpy())
    assert not np.shares_memory(np.array(t), t.numpy())
    assert np.asarray(t, dtype=np.float32).dtype == np.float32
    assert np.shares_memory(np.asarray(t, copy=False), t.numpy())
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        np.asarray(t, dtype=np.float32, copy=False)


def test_bfloat16_has_no_array() -> None:
    with pytest.raises(TypeError, match="Got unsupported ScalarType BFloat16"):
        wg.ones(2, dtype=wg.bfloat16).numpy()


# ---- DLPack


@pytest.mark.parametrize("name", DTYPES)
def test_dlpack_to_ourselves(name: str) -> None:
    t = wg.ones(2, 3, dtype=getattr(wg, name)).t()
    u = wg.from_dlpack(t)
    assert (u.data_ptr(), u.dtype, u.stride(), u.tolist()) == (t.data_ptr(), t.dtype, t.stride(), t.tolist())


@pytest.mark.parametrize("name", NUMPY_DTYPES)
def test_dlpack_with_numpy_shares_memory_both_ways(name: str) -> None:
    t = wg.zeros(3, dtype=getattr(wg, name))
    a = np.from_dlpack(t)
    assert a.dtype == name
    t[1] = 1
    assert a.tolist() == t.tolist()
    source = np.zeros((2, 2), name)
    u = wg.from_dlpack(source)
    source[0, 1] = 1
    assert u.tolist() == source.tolist()


@pytest.mark.parametrize("version", [None, (0, 8), (1, 0), (2, 0)], ids=str)
def test_capsules_that_nobody_takes_free_their_tensor(version: Any) -> None:
    t = wg.zeros(1 << 16)
    capsule = t.__dlpack__(max_version=version)
    in_use = wg.memory.stats()["bytes_in_use"]
    del t
    assert wg.memory.stats()["bytes_in_use"] == in_use
    del capsule
    assert wg.memory.stats()["bytes_in_use"] <= in_use - (1 << 18)


def test_the_producer_is_told_when_its_memory_is_free() -> None:
    source = np.zeros(10)
    before = sys.getrefcount(source)
    t = wg.from_dlpack(source)
    assert sys.getrefcount(source) > before
    del t
    assert sys.getrefcount(source) == before


def test_a_capsule_is_taken_once() -> None:
    capsule = wg.ones(2).__dlpack__()
    assert wg.from_dlpack(capsule).tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="capsules can be consumed only once"):
        wg.from_dlpack(capsule)


def test_read_only_goes_through_dlpack() -> None:
    a = np.zeros(2)
    a.flags.writeable = False
    t = wg.from_dlpack(a)
    assert not np.from_dlpack(t).flags.writeable
    with pytest.raises(BufferError, match="read-only"):
        t.__dlpack__()


def test_copies_by_dlpack() -> None:
    source = np.zeros(2)
    t = wg.from_dlpack(source, copy=True)
    source[:] = 1
    assert t.tolist() == [0, 0]
    u = wg.from_dlpack(wg.arange(3).__dlpack__(copy=True, max_version=(1, 0)))
    assert u.tolist() == [0, 1, 2]


def capsule_of_24_bits() -> object:
    """A capsule of NumPy's whose type, behind a pointer, a device and a number of dims, is changed to no one's."""
    capsule = np.zeros(2, np.uint16).__dlpack__()
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    ctypes.c_uint8.from_address(pointer_of(capsule, b"dltensor") + 21).value = 24
    return capsule


@pytest.mark.parametrize(("call", "error", "phrase"), [
    (lambda: wg.from_dlpack(np.arange(3)[::-1]), ValueError, "negative"),
    (lambda: wg.from_dlpack(capsule_of_24_bits()), BufferError, "no dtype for DLPack's type code 1 with 24 bits"),
    (lambda: wg.from_dlpack(object()), RuntimeError, "received an invalid capsule"),
    (lambda: wg.from_dlpack(np.zeros(2), device="cuda"), RuntimeError, "Torch not compiled with CUDA enabled"),
    (lambda: wg.ones(2).__dlpack__(stream=3), AssertionError, "stream should be None on cpu"),
    (lambda: wg.ones(2).__dlpack__(dl_device=(2, 0)), BufferError, "cannot be exported")])  # fmt: skip
def test_dlpack_that_cannot_be(call: Any, error: type[Exception], phrase: str) -> None:
    with pytest.raises(error, match=phrase):
        call()


# ---- conversions


@pytest.mark.filterwarnings("ignore:Casting complex values")
@pytest.mark.parametrize("target", DTYPES)
@pytest.mark.parametrize("source", DTYPES)
def test_conversion_between_all_dtypes(source: str, target: str) -> None:
    t = wg.tensor([[0, 1], [1, 0], [1, 1]], dtype=getattr(wg, source)).t()
    u = t.to(getattr(wg, target))
    assert u.dtype.name == target
    assert u.tolist() == [[0, 1, 1], [1, 0, 1]]
    assert u.stride() == t.stride()
    assert (u is t) == (source == target)


def test_no_copy_where_nothing_changes() -> None:
    t = wg.ones(2)
    for same in (
        t.to(wg.float32),
        t.to("cpu"),
        t.float(),
        t.cpu(),
        t.type_as(t),
        t.to(t),
        t.to(device="cpu", dtype=None),
    ):
        assert same is t
    for other in (t.to(wg.float32, copy=True), t.to("cpu", copy=True), t.to(t, False, True)):
        assert other is not t
        assert other.data_ptr() != t.data_ptr()


@pytest.mark.parametrize(
    ("method", "dtype"),
    [
        ("float", "float32"),
        ("double", "float64"),
        ("half", "float16"),
        ("bfloat16", "bfloat16"),
        ("int", "int32"),
        ("long", "int64"),
        ("short", "int16"),
        ("char", "int8"),
        ("byte", "uint8"),
        ("bool", "bool"),
        ("cfloat", "complex64"),
        ("cdouble", "complex128"),
    ],
)
def test_shorthands(method: str, dtype: str) -> None:
    t = getattr(wg.tensor([[0, 1]], dtype=wg.int16), method)()
    assert (t.dtype.name, t.tolist()) == (dtype, [[0, 1]])


def test_casting_complex_to_real_warns() -> None:
    with pytest.warns(UserWarning, match="discards the imaginary part"):
        assert wg.tensor([1 + 2j]).float().tolist() == [1]


# ---- copies and pickles


def copies() -> dict[str, Any]:
    """Ways to copy a tensor."""
    ways: dict[str, Any] = {f"pickle{p}": lambda t, p=p: pickle.loads(pickle.dumps(t, p)) for p in range(2, 6)}
    return ways | {"copy": copy.copy, "deepcopy": copy.deepcopy}


@pytest.mark.parametrize("way", copies())
@pytest.mark.parametrize("name", layouts())
def test_copies_keep_values_and_strides(name: str, way: str) -> None:
    t = layouts()[name]
    u = copies()[way](t)
    assert u is not t
    assert (u.tolist(), u.stride(), tuple(u.shape), u.dtype) == (t.tolist(), t.stride(), tuple(t.shape), t.dtype)
    assert (u.data_ptr() == t.data_ptr()) == (way == "copy")
    assert not u._is_view()


@pytest.mark.parametrize("way", copies())
@pytest.mark.parametrize("dtype", DTYPES)
def test_copies_keep_the_dtype(dtype: str, way: str) -> None:
    t = wg.ones(3, dtype=getattr(wg, dtype))
    u = copies()[way](t)
    assert (u.dtype, u.tolist()) == (t.dtype, t.tolist())


@pytest.mark.parametrize("way", copies())
def test_copies_keep_attributes_and_class(way: str) -> None:
    t = Subclass([1.0, 2.0])
    t.tag = ["a"]
    u = copies()[way](t)
    assert type(u) is Subclass
    assert u.tag == ["a"]
    assert (u.tag is t.tag) == (way == "copy")


class Subclass(wg.Tensor):
    """A subclass that pickle can find."""


def test_deep_copies_share_what_was_shared() -> None:
    a = wg.zeros(3)
    first, part, again = copy.deepcopy([a, a[1:], a])
    assert first is again
    first[1] = 5
    assert part.tolist() == [5, 0]
    assert a.tolist() == [0, 0, 0]


def test_pickle_5_carries_the_bytes_out_of_band() -> None:
    buffers: list[Any] = []
    t = wg.arange(1000)
    data = pickle.dumps(t, 5, buffer_callback=buffers.append)
    assert len(data) < 500
    assert pickle.loads(data, buffers=buffers).tolist() == t.tolist()


@pytest.mark.parametrize("protocol", [2, 5])
def test_a_part_is_pickled_with_all_of_its_memory(protocol: int) -> None:
    t = wg.arange(6, dtype=wg.float64)[2:4]
    u = pickle.loads(pickle.dumps(t, protocol))
    assert (u.storage_offset(), u.untyped_storage().nbytes(), u._version) == (2, 48, 1)
    assert u.as_strided((6,), (1,), 0).tolist() == [0, 1, 2, 3, 4, 5]


def test_pickles_of_parts_begin_anywhere_in_memory() -> None:
    memory = np.arange(20, dtype=np.uint8)
    for part in (wg.from_numpy(memory[4:12]), wg.from_numpy(memory[4:12]).view(wg.int16)[1:3], wg.zeros(4)[4:],
                 wg.zeros(2, 0, 3)[:, :, 1], wg.empty(0)):
        again = pickle.loads(pickle.dumps(part))
        assert (again.tolist(), again.stride()) == (part.tolist(), part.stride())
        if part.untyped_storage().nbytes():
            assert again.storage_offset() == part.storage_offset()


@pytest.mark.parametrize("parts", [
    (wg.Tensor, b"\0" * 8, "float32", (3,), (4,), False), (wg.Tensor, b"\0" * 8, "float32", (2,), (-4,), False),
    (wg.Tensor, b"\0" * 8, "float32", (2, 1), (4,), False),
    (wg.Tensor, b"\0" * 8, "float32", (2,), (4,), False, None, 4),
    (wg.Tensor, b"\0" * 8, "float32", (1,), (4,), False, None, -4),
    (wg.Tensor, b"\0" * 8, "float32", (1,), (4,), False, None, 2)], ids=str)  # fmt: skip
def test_pickles_whose_parts_do_not_belong_together(parts: Any) -> None:
    function = wg.ones(1).__reduce_ex__(4)[0]
    with pytest.raises(ValueError, match="not a pickled tensor"):
        function(*parts)


@pytest.mark.parametrize(
    "value", [wg.float32, wg.device("cuda", 1), wg.strided, wg.Generator().manual_seed(3)],
    ids=lambda value: type(value).__name__,
)
def test_other_objects_can_be_pickled(value: Any) -> None:
    again = pickle.loads(pickle.dumps(value))
    if isinstance(value, wg.Generator):
        assert again.initial_seed() == 3
    else:
        assert again == value


def test_tensors_go_through_files() -> None:
    file = io.BytesIO()
    pickle.dump({"weight": wg.ones(2)}, file)
    file.seek(0)
    assert pickle.load(file)["weight"].tolist() == [1, 1]
