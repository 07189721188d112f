"""Windows, outputs and counts of sizes that no memory holds: refused at once, in torch's words."""

import pytest
import wengert_core as wc
from wengert_core.optable.core_table import TABLE

HUGE = (2**40, 2**61, 2**62, 2**63 - 1)
TOO_LARGE = "value cannot be converted to type int without overflow"


def op(name):
    return wc.TABLE.ops[name]


def images(n):
    return wc.ones(1, 2, *[3] * n)


@pytest.mark.parametrize("size", HUGE)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_huge_window_is_refused(n, size):
    for kind in ("max", "avg"):
        with pytest.raises(RuntimeError, match=TOO_LARGE):
            op(f"nn.functional.{kind}_pool{n}d")(images(n), size, 1, size // 2)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_huge_dilation_is_refused(n):
    with pytest.raises(RuntimeError, match=TOO_LARGE):
        op(f"max_pool{n}d")(images(n), 2, 1, 0, 2**62)


@pytest.mark.parametrize("stride", HUGE)
@pytest.mark.parametrize("ceil_mode", [False, True])
def test_a_huge_stride_leaves_the_first_window(stride, ceil_mode):
    x = wc.arange(6.0).reshape(1, 2, 3)
    assert op("max_pool1d")(x, 2, stride, 0, 1, ceil_mode).tolist() == [[[1.0], [4.0]]]
    assert op("avg_pool1d")(x, 2, stride, 0, ceil_mode).tolist() == [[[0.5], [3.5]]]


def test_padding_far_wider_than_the_input_takes_no_time():
    x = wc.arange(3.0).reshape(1, 1, 3)
    assert op("max_pool1d")(x, 2**31 - 1, 1, 2**30 - 1).tolist() == [[[2.0, 2.0, 2.0]]]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_padding_of_dilated_windows_meets_the_elements_of_the_input(n):
    # begin is the first of -padding, -padding + dilation, ... that is not negative
    x = wc.arange(float(5**n)).reshape(1, 1, *[5] * n)
    found = op(f"max_pool{n}d")(x, 3, 1, 2, 2)
    taps = [[i - 2 + 2 * k for k in range(3) if 0 <= i - 2 + 2 * k < 5][-1] for i in range(5)]
    assert found.reshape(-1)[-1].item() == sum(taps[-1] * 5**axis for axis in range(n))
    assert found.reshape(-1)[0].item() == sum(taps[0] * 5**axis for axis in range(n))


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("kind", ["avg", "max"])
def test_a_huge_output_of_adaptive_pooling_is_refused(kind, n):
    pool = op(f"nn.functional.adaptive_{kind}_pool{n}d")
    for size in (2**61, 2**62):
        with pytest.raises(RuntimeError, match="Storage size calculation overflowed"):
            pool(images(n), size)
    if n == 1:
        with pytest.raises(RuntimeError, match="can't allocate memory: you tried to allocate 8796093022208 bytes"):
            pool(images(1), 2**40)
    with pytest.raises((MemoryError, RuntimeError), match=r"do not fit into memory|Stride calculation overflowed"):
        pool(wc.ones(0, 2, *[3] * n), 2**61)


def test_counts_that_no_memory_holds_are_refused():
    bincount = op("bincount")
    with pytest.raises(RuntimeError, match="maximum value of input overflowed, it should be < 9223372036854775807"):
        bincount(wc.tensor([2**32, 2**63 - 1]))
    for x, least in (([2**61], 0), ([1], 2**62), ([1], 2**63 - 1), ([], 2**62)):
        with pytest.raises(RuntimeError, match="Storage size calculation overflowed"):
            bincount(wc.tensor(x, dtype=wc.int64), minlength=least)
    for name in ("histc", "histogram"):
        with pytest.raises(RuntimeError, match="Storage size calculation overflowed"):
            op(name)(wc.ones(3), 2**62)
    assert bincount(wc.tensor([0, 2, 2]), minlength=4).tolist() == [1, 0, 2, 0]


@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
def test_padding_of_no_elements_lists_no_places(mode):
    x = wc.empty(0, 2**40)
    assert TABLE.ops["nn.functional.pad"](x, (3, 2), mode=mode).shape == (0, 2**40 + 5)


def test_images_of_no_elements_list_no_places():
    x = wc.empty(0, 1, 2**40)
    assert TABLE.ops["nn.functional.interpolate"](x, size=2**41).shape == (0, 1, 2**41)
    assert TABLE.ops["nn.functional.interpolate"](x, scale_factor=2, mode="linear").shape == (0, 1, 2**41)
