"""Short last dims, many rows of which are one stretch, give what each row alone gives. Note [Short rows]"""

import numpy as np
import pytest
import wengert_core as wc

DTYPES = ["bool", "uint8", "int16", "int32", "float16", "bfloat16", "float32", "float64", "complex64", "complex128",
          "uint16", "uint32", "uint64"]  # fmt: skip


def numbers(shape, dtype="float32", start=1):
    x = wc.arange(start, start + int(np.prod(shape)), dtype=wc.float64).reshape(shape)
    return (x % 7 > 3).to(wc.bool) if dtype == "bool" else (x % 97).to(getattr(wc, dtype))


def row_by_row(op, *operands):
    """Each row in a call of its own: no two dims are left that could be joined."""
    shape = np.broadcast_shapes(*(tuple(x.shape) for x in operands))
    wide = [x.expand(shape).reshape(-1, shape[-1]) for x in operands]
    return wc.stack([op(*rows) for rows in zip(*(x.unbind(0) for x in wide), strict=True)]).reshape(shape)


PAIRS = {
    "a row for all": ((40, 4), (4,)),
    "a number for each row": ((50, 27), (50, 1)),
    "planes": ((5, 33, 3), (33, 3)),
    "rows of planes": ((5, 33, 3), (5, 1, 3)),
    "both": ((40, 1), (6,)),
    "many": ((1000, 5), (5,)),
    "blocks and a rest": ((16 * 7 + 5, 9), (1, 9)),
    "64": ((33, 64), (64,)),
    "65": ((33, 65), (65,)),
    "ones": ((50, 1), (1, 2)),
}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_pairs(name, dtype):
    x, y = (numbers(shape, dtype, start) for shape, start in zip(PAIRS[name], (1, 40), strict=True))
    assert wc.equal(x + y, row_by_row(wc.add, x, y))
    assert wc.equal(y * x, row_by_row(wc.mul, y, x))
    assert wc.equal(x == y, row_by_row(wc.eq, x, y))


@pytest.mark.parametrize("kinds", [("float32", "int32"), ("bfloat16", "float32"), ("complex64", "float64")])
def test_two_dtypes(kinds):
    x, y = numbers((70, 5), kinds[0]), numbers((5,), kinds[1], 3)
    assert wc.equal(x * y, row_by_row(wc.mul, x, y))


def test_strided_inputs():
    x = numbers((12, 50)).t()[:, ::2]
    y = numbers((6, 50, 2)).permute(1, 0, 2)[..., 1]
    assert wc.equal(x + y, row_by_row(wc.add, x, y))
    flipped = wc.flip(numbers((50, 6)), [0, 1])
    assert wc.equal(flipped - y, row_by_row(wc.sub, flipped, y))


def test_three_operands():
    mask, x, y = numbers((60, 7), "bool"), numbers((7,)), numbers((60, 1))
    assert wc.equal(wc.where(mask, x, y), row_by_row(wc.where, mask, x, y))
    assert wc.equal(wc.clamp(x.expand(60, 7), y, x * 2), row_by_row(wc.clamp, x, y, x * 2))


def test_in_place_and_out():
    x, row = numbers((60, 7)), numbers((7,), start=5)
    expected = x * row
    assert wc.equal(wc.mul(x, row, out=wc.empty(60, 7)), expected)
    assert wc.equal(wc.mul(x, row, out=wc.empty(7, 60).t()), expected)
    assert wc.equal(x.mul_(row), expected)


@pytest.mark.parametrize("threads", [1, 2])
def test_any_number_of_threads(threads):
    x, row, column = numbers((40_000, 27)), numbers((27,)), numbers((40_000, 1)) + 1
    before = wc.get_num_threads()
    wc.set_num_threads(threads)
    try:
        power, ratio = wc.pow(x, row / 50), x / column
    finally:
        wc.set_num_threads(before)
    assert wc.equal(power[17:3000], wc.pow(x[17:3000], row / 50))
    assert wc.equal(ratio, row_by_row(wc.div, x, column))
