"""Operations that move elements are replayed by launches: joining, indexing, masks, fills, triangles."""

from __future__ import annotations

import pytest
import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st

from .launched import check_launched, gradients_of, numbers, numbers_with_gaps

DTYPES = (wg.float32, wg.float64, wg.int64, wg.float16, wg.complex64, wg.bool)


@pytest.mark.parametrize("make", [numbers, numbers_with_gaps])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_joining(make, dtype):
    for dim in (0, 1, -1):
        check_launched(
            lambda x, y, dim=dim: (wg.cat([x, y, x], dim), wg.stack([x, y], dim), x.repeat(2, 3)),
            (make(3, 4, dtype=dtype), make(3, 4, dtype=dtype, shift=1)),
            (make(3, 4, dtype=dtype, shift=2), make(3, 4, dtype=dtype, shift=3)),
        )


def test_joining_of_several_dtypes_and_of_nothing():
    empty = wg.zeros(0)
    check_launched(lambda x, y: wg.cat([x, y, empty], 0), (numbers(3), numbers(2, dtype=wg.float64)))
    check_launched(lambda x: wg.cat([x[:, :0], x], 1), (numbers(2, 3),))


def test_joining_of_large_tensors_by_several_threads():
    check_launched(lambda x, y: (wg.cat([x, y], 1), x.repeat(1, 2)), (numbers_with_gaps(300, 200), numbers(300, 100)))


def test_joining_into_out():
    out = wg.zeros(4)

    def join(x, y):
        return wg.cat([x, y], out=out).clone()

    check_launched(join, (numbers(2), numbers(2, shift=1)), (numbers(2, shift=2), numbers(2, shift=3)))


def test_gradients_of_parts():
    check_launched(
        gradients_of(lambda x: [x.chunk(3, 1)[0] * 2, x.split(2)[1].sin(), x[1:, 0], x[0], x.T[1:3], x.diagonal()]),
        (numbers(5, 6),), (numbers(5, 6, shift=1),),
    )  # fmt: skip


def test_factories_and_fills():
    def make(x, number):
        y = wg.zeros_like(x) + wg.full((3, 4), 2.5) + wg.ones(4)
        y[1].fill_(number)
        y[2].zero_()
        y[0, 1:3] = 7
        return y, x.new_zeros(2), x.new_full((2,), 3.0)

    check_launched(make, (numbers(3, 4), numbers()), (numbers(3, 4, shift=1), numbers(shift=2)))


def test_reading_and_writing_along_a_dim():
    index = wg.tensor([[0, 2, 1], [1, 1, 0]])
    rows = wg.tensor([2, 0, 2], dtype=wg.int32)

    def read(x):
        return x.gather(1, index), x.index_select(1, rows), x[..., :2].gather(0, index[:, :1].expand(2, 2) % 2)

    def write(x, y):
        return [
            x.scatter(1, index, y), x.scatter(1, index, 0.5), x.scatter_add(1, index, y), x.index_add(1, rows, y),
            x.index_add(1, rows, y, alpha=2), x.index_copy(1, rows.long(), y), x.index_fill(1, rows.long(), 4),
        ]  # fmt: skip

    for make in (numbers, numbers_with_gaps):
        check_launched(gradients_of(read), (make(2, 4),), (make(2, 4, shift=1),))
        check_launched(gradients_of(write), (make(2, 4), make(2, 3, shift=1)), (make(2, 4, shift=2), make(2, 3)))


def test_indices_that_are_arguments_are_checked_at_each_call():
    check_launched(
        lambda x, i: (x.gather(0, i), x.index_select(0, i), x[i], x.index_add(0, i, x[:2])),
        (numbers(4), wg.tensor([0, 3])), (numbers(4), wg.tensor([1, 1])),
    )  # fmt: skip


@pytest.mark.parametrize("read", [
    lambda x, i: x.gather(0, i), lambda x, i: x.index_select(0, i), lambda x, i: x[i],
    lambda x, i: x.scatter(0, i, 1.0), lambda x, i: x.index_put((i,), x[:2]),
])  # fmt: skip
def test_an_index_out_of_range_is_an_error_in_a_replay(read):
    captured = wg.capture(read)
    for index in ([0, 1], [3, 2], [4, 0], [1, 0], [0, 99]):
        results = []
        for function in (read, captured):
            try:
                results.append(function(numbers(4), wg.tensor(index)).tolist())
            except (IndexError, RuntimeError) as error:
                results.append((type(error), str(error)))
        assert results[0] == results[1]
    assert wg.replay.explain(captured).replays >= 2


def test_indexing_by_tensors():
    i, j = wg.tensor([0, 2, -1]), wg.tensor([[1], [0]])

    def read(x):
        return [x[i], x[:, i], x[i, :, i], x[j, i], x[:, j], x[None, i, 0], wg.nn.functional.embedding(i % 3, x[0])]

    def write(x, y):
        x = x.clone()
        x[i] = y
        x[:, j] = 2.5
        x[:, :, i] += 1
        return x.index_put((i, i), y[0, 0, 0]), x.index_put((j,), x[0], accumulate=True), x

    check_launched(gradients_of(read), (numbers(3, 4, 5),), (numbers_with_gaps(3, 4, 5)[:, :, :].contiguous(),))
    check_launched(gradients_of(read), (numbers_with_gaps(3, 4, 5),))
    check_launched(gradients_of(write), (numbers(3, 4, 5), numbers(3, 4, 5, shift=1)))


def test_large_indexing_by_several_threads():
    i = (wg.arange(500) * 7) % 400
    check_launched(
        lambda x, y: (x[i], x.index_select(0, i), x.index_add(0, i, y), x.index_put((i,), y, accumulate=True)),
        (numbers(400, 120), numbers(500, 120, shift=1)),
    )


def test_masks_of_fixed_results():
    def fill(x, y):
        z = x.masked_fill(x > y, -1.5).masked_fill(x[:, :1] > 0, y[0, 0])
        z.masked_fill_(y < 0, float("nan"))
        z[x < -1] = 0.5
        return z, wg.where(x > y, x, y)

    for make in (numbers, numbers_with_gaps):
        check_launched(gradients_of(fill), (make(3, 4), make(3, 4, shift=1)), (make(3, 4, shift=2), make(3, 4)))


def test_masks_whose_results_depend_on_values_are_called():
    check_launched(lambda x: x[x > -9], (numbers(5),), but=("index",))


def test_triangles_and_turns():
    def turn(x):
        y = x.clone().tril_(-1)
        return x.tril(), x.triu(1), y, x.flip(0), x.flip(0, 1), x.roll(1), x.roll((1, 2), (0, 1))

    # roll() of a tensor with gaps, as if it were flat, is NumPy's
    for make, but in ((numbers, ()), (numbers_with_gaps, ("roll",))):
        check_launched(gradients_of(turn), (make(3, 5),), (make(3, 5, shift=1),), but=but)
        check_launched(lambda x: (x.tril(), x.triu(-1)), (make(2, 3, 3),))
    check_launched(lambda x: (x.tril(), x.flip(1)), (numbers(0, 4),))


def test_padding():
    pad = wg.nn.functional.pad
    for make in (numbers, numbers_with_gaps):
        check_launched(
            gradients_of(lambda x: (pad(x, (1, 2)), pad(x, (0, -1, 1, 0), value=2.5))),
            (make(3, 4),), (make(3, 4, shift=1),),
        )  # fmt: skip


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_random_reads_at_positions(data):
    shape = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    key = []
    for size in shape:
        at = st.integers(-size, size - 1)
        kind = data.draw(st.sampled_from(["all", "one", "part", "list", "pairs"]))
        if kind == "all":
            key.append(slice(None))
        elif kind == "one":
            key.append(data.draw(at))
        elif kind == "part":
            key.append(slice(0, data.draw(at)))
        elif kind == "list":
            key.append(wg.tensor(data.draw(st.lists(at, min_size=2, max_size=2))))
        else:
            key.append(wg.tensor([[data.draw(at)], [data.draw(at)]]))
    make = data.draw(st.sampled_from([numbers, numbers_with_gaps]))
    check_launched(gradients_of(lambda x: x[tuple(key)]), (make(*shape),))


@pytest.mark.parametrize("reduce", ["sum", "prod", "mean", "amax", "amin"])
@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("dtype", [wg.float32, wg.float64, wg.float16, wg.bfloat16], ids=str)
def test_reductions_of_what_is_scattered(dtype, include_self, reduce):
    index, where = wg.tensor([[0, 2, 1, 2], [1, 1, 0, 2], [0, 0, 0, 0]]), wg.tensor([2, 0, 2])

    def run(x, source):
        found = [x.scatter_reduce(0, index, source, reduce, include_self=include_self)]
        found.append(x.scatter_reduce(1, index, source, reduce, include_self=include_self))
        if reduce != "sum":
            found.append(x.index_reduce(0, where, source, reduce, include_self=include_self))
        return [*found, x.clone().scatter_reduce_(-1, index, source, reduce, include_self=include_self)]

    for make in (numbers, numbers_with_gaps):
        check_launched(
            run,
            (make(3, 4, dtype=dtype), make(3, 4, dtype=dtype, shift=1)),
            (make(3, 4, dtype=dtype, shift=2), make(3, 4, dtype=dtype, shift=4)),
        )


def test_a_scattered_index_out_of_range_is_an_error_of_a_replay():
    def run(x, index):
        return x.scatter_reduce(0, index, x, "amax")

    captured = wg.capture(run)
    x, good, bad = numbers(3), wg.tensor([0, 2, 2]), wg.tensor([0, 3, 2])
    captured(x, good), captured(x, good)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="index 3 is out of bounds for dimension 0 with size 3"):
            captured(x, bad)
    assert captured(x, good).tolist() == run(x, good).tolist()
