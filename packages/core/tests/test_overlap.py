"""Memory that an operation reads and writes, where PyTorch does not look: what a copy would give, or an error.

What PyTorch refuses, warns of or does right is in tests/torch_parity/recorded/cases: memory_overlap.txt and
memory_out.txt.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import wengert_core as wg
from wengert_core.exchange.arrays import from_array, to_array
from wengert_core.tensors.tensor import Tensor

Written = Callable[[Tensor, Tensor], Any]
INDEX = wg.tensor([2, 0, 1])
PLACES = wg.tensor([[1, 0, 1], [0, 0, 0], [1, 1, 1]])


def view_maker(strides: tuple[int, int], offset: int) -> Callable[[Tensor], Tensor]:
    return lambda base: base.as_strided((3, 3), strides, offset)


LAYOUTS = {  # target and source in a base of 20 elements: one of the two has gaps
    "both_with_gaps": (view_maker((6, 2), 2), view_maker((6, 2), 0)),
    "source_with_gaps": (view_maker((3, 1), 0), view_maker((1, 4), 1)),
    "target_with_gaps": (view_maker((1, 4), 1), view_maker((3, 1), 0)),
    "interleaved": (view_maker((6, 2), 0), view_maker((6, 2), 1)),
    "beside": (view_maker((3, 1), 0), view_maker((3, 1), 9)),
}
ALWAYS_COPIED = {  # these read all before they write: nothing that overlaps is refused
    "mm": lambda t, s: wg.mm(s, s, out=t),
    "addmm_": lambda t, s: t.addmm_(s, wg.ones(3, 3)),
    "baddbmm_": lambda t, s: t.unsqueeze(0).baddbmm_(s.unsqueeze(0), s.unsqueeze(0)),
    "sum": lambda t, s: wg.sum(s.unsqueeze(0), 0, out=t),
    "amax": lambda t, s: wg.amax(s.unsqueeze(0), 0, out=t),
    "prod": lambda t, s: wg.prod(s.unsqueeze(0), 0, out=t),
    "softmax": lambda t, s: wg.softmax(s, 1, out=t),
    "tril": lambda t, s: wg.tril(s, out=t),
    "map_": lambda t, s: t.map_(s, lambda a, b: a + b),
    "masked_scatter_": lambda t, s: t.masked_scatter_(wg.ones(3, 3) > 0, s),
}
WRITES: dict[str, Written] = ALWAYS_COPIED | {
    "copy_": lambda t, s: t.copy_(s),
    "assigned": lambda t, s: t.__setitem__(slice(None), s),
    "add_": lambda t, s: t.add_(s),
    "exp": lambda t, s: wg.exp(s, out=t),
    "lerp_": lambda t, s: t.lerp_(s, 0.5),
    "where": lambda t, s: wg.where(s > 3, s, s * 2, out=t),
    "cumsum": lambda t, s: wg.cumsum(s, 0, out=t),
    "sort": lambda t, s: wg.sort(s, 0, descending=True, out=(t, wg.empty(0, dtype=wg.int64))),
    "cat": lambda t, s: wg.cat([s[1:], s[:1]], out=t),
    "stack": lambda t, s: wg.stack([s[2], s[1], s[0]], out=t),
    "gather": lambda t, s: wg.gather(s, 0, PLACES, out=t),
    "index_select": lambda t, s: wg.index_select(s, 0, INDEX, out=t),
    "take": lambda t, s: wg.take(s, wg.arange(9).flip(0).reshape(3, 3), out=t),
    "scatter_": lambda t, s: t.scatter_(0, PLACES, s),
    "scatter_add_": lambda t, s: t.scatter_add_(0, PLACES, s),
    "scatter_reduce_": lambda t, s: t.scatter_reduce_(0, PLACES, s, "sum"),
    "index_add_": lambda t, s: t.index_add_(0, INDEX, s),
    "index_copy_": lambda t, s: t.index_copy_(0, INDEX, s),
    "index_put_": lambda t, s: t.index_put_((INDEX,), s),
    "index_put_added": lambda t, s: t.index_put_((INDEX,), s, accumulate=True),
    "put_": lambda t, s: t.put_(wg.arange(9).flip(0), s),
}
DENSE = {
    "itself": (lambda base: base[:9].view(3, 3), lambda base: base[:9].view(3, 3)),
    "shifted": (lambda base: base[3:12].view(3, 3), lambda base: base[:9].view(3, 3)),
    "transposed": (lambda base: base[:9].view(3, 3), lambda base: base[:9].view(3, 3).t()),
}


def assert_as_of_a_copy(write: Written, places: tuple[Any, Any]) -> None:
    base = wg.arange(20.0) / 4 + 1
    target, source = places[0](base), places[1](base)
    expected = target.clone()
    write(expected, source.clone())
    write(target, source)
    np.testing.assert_array_equal(to_array(target), to_array(expected))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", WRITES)
def test_where_elements_may_be_shared_a_copy_is_read(name: str, layout: str) -> None:
    assert_as_of_a_copy(WRITES[name], LAYOUTS[layout])


@pytest.mark.parametrize("layout", DENSE)
@pytest.mark.parametrize("name", ALWAYS_COPIED)
def test_what_reads_all_first_may_write_anywhere(name: str, layout: str) -> None:
    assert_as_of_a_copy(ALWAYS_COPIED[name], DENSE[layout])


@pytest.mark.parametrize("name", ["add_", "index_copy_", "cat"])
def test_the_error_names_op_and_argument(name: str) -> None:
    place = {"add_": "other", "index_copy_": "source", "cat": "tensors"}[name]
    base = wg.arange(12.0)
    with pytest.raises(RuntimeError, match=rf"{name}: '{place}' of shape .* lies in memory that is written to"):
        WRITES[name](base[3:].view(3, 3), base[:9].view(3, 3))


def test_arrays_on_one_memory_are_seen() -> None:
    array = np.arange(8.0)
    from_array(array[1:]).copy_(from_array(array[:-1]))
    np.testing.assert_array_equal(array, [0, 0, 1, 2, 3, 4, 5, 6])
    t = wg.arange(5.0)
    t[::2].add_(from_array(to_array(t)[1:4]))
    assert t.tolist() == [1, 1, 4, 3, 7]


def test_another_dtype_of_the_same_memory_is_seen() -> None:
    t = wg.zeros(4)
    with pytest.raises(RuntimeError, match="refer to a single memory location"):
        t.view(wg.int16)[:4].add_(t.view(wg.int32))


TWO = {
    "sort": lambda i, a, b: wg.sort(i, 0, out=(a, b)),
    "topk": lambda i, a, b: wg.topk(i, 2, 0, out=(a, b)),
    "max": lambda i, a, b: wg.max(i, 0, out=(a, b)),
    "cummax": lambda i, a, b: wg.cummax(i, 0, out=(a, b)),
    "mode": lambda i, a, b: wg.mode(i, 0, out=(a, b)),
    "aminmax": lambda i, a, b: wg.aminmax(i, dim=0, out=(a, b)),
}


@pytest.mark.parametrize("name", TWO)
def test_outputs_in_one_memory_are_refused(name: str) -> None:
    given = wg.tensor([[3, 1], [1, 2]])
    shape = (2,) if name in ("max", "mode", "aminmax") else (2, 2)
    room = wg.zeros(8, dtype=wg.int64)
    size = wg.zeros(shape).numel()
    with pytest.raises(RuntimeError, match="some elements of two written-to tensors refer to a single memory location"):
        TWO[name](given, room[:size].view(shape), room[1 : size + 1].view(shape))
    TWO[name](given, room[:size].view(shape), room[4 : size + 4].view(shape))


def test_an_input_as_one_of_two_outputs_is_read_before() -> None:
    t = wg.tensor([[3.0, 1.0], [1.0, 2.0]])
    low, high = wg.aminmax(t, dim=0, out=(t[0], wg.empty(2)))
    assert (low.tolist(), high.tolist()) == ([1.0, 1.0], [3.0, 2.0])


def test_out_is_resized_when_its_inputs_were_read() -> None:
    for write, expected in (
        (lambda a: wg.prod(a, 0, out=a), 24.0),
        (lambda a: wg.sum(a, 0, out=a), 10.0),
        (lambda a: wg.matmul(wg.ones(2, 4), a, out=a), [10.0, 10.0]),
        (lambda a: wg.mm(a.view(2, 2), wg.ones(2, 1), out=a), [[3.0], [7.0]]),
        (lambda a: wg.softmax(a.view(2, 2) * 0, 1, out=a), [[0.5, 0.5], [0.5, 0.5]]),
    ):
        a = wg.arange(1.0, 5.0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert write(a).tolist() == expected


def test_out_that_does_not_fit_is_refused_where_others_look_into_its_memory() -> None:
    base = wg.zeros(8)
    with pytest.warns(UserWarning, match="was resized"), pytest.raises(RuntimeError, match="other tensors look into"):
        wg.add(wg.ones(2, 2), 1, out=base[6:])
    assert base.tolist() == [0.0] * 8
    with pytest.raises(RuntimeError, match="other tensors look into it"):
        wg.arange(4, out=base[8:])


def test_a_view_that_alone_is_left_of_its_base_grows() -> None:
    out = wg.empty(3).view(3, 1)
    out.resize_(0)
    wg.cumsum(wg.ones(5), 0, out=out)
    assert out.tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]


def test_conj_physical_in_place_of_real_tensors_is_a_write() -> None:
    t = wg.ones(3)
    for _ in range(100):
        assert t.conj_physical_() is t
    assert t._version == 100


@pytest.mark.parametrize(("name", "shape", "factor"), [
    ("pixel_unshuffle", (1, 2, 2), 2), ("pixel_unshuffle", (1, 2, 2), 1), ("pixel_shuffle", (4, 1, 1), 2),
    ("pixel_shuffle", (1, 2, 2), 1),
])  # fmt: skip
def test_a_result_that_moves_nothing_has_memory_of_its_own(name, shape, factor):
    x = wg.arange(4.0).reshape(shape)
    y = wg.TABLE.ops[name](x, factor)
    y.add_(1)
    assert x.flatten().tolist() == [0.0, 1.0, 2.0, 3.0]
    assert y.flatten().tolist() == [1.0, 2.0, 3.0, 4.0]
