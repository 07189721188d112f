"""Bounds and parts of random numbers, and other answers of PyTorch that were missed once."""

from __future__ import annotations

import pytest
import wengert_core as wc

RRELU, UNFOLD = (wc.TABLE.ops[f"nn.functional.{name}"] for name in ("rrelu", "unfold"))


def test_random_draws_below_to() -> None:
    assert wc.empty(50).random_(to=1).unique().tolist() == [0]
    assert wc.empty(50, dtype=wc.int64).random_(to=3).max().item() < 3
    assert wc.empty(3).random_(5, to=6).tolist() == [5, 5, 5]
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        wc.empty(3).random_(1.5)


def test_randint_takes_size_by_name() -> None:
    assert wc.randint(1, size=(2,)).tolist() == [0, 0]
    assert wc.randint(1, 2, size=(2,)).tolist() == [1, 1]
    assert wc.randint(high=1, size=(2,)).tolist() == [0, 0]
    with pytest.raises(ValueError, match="Overflow when unpacking long long"):
        wc.randint(0, 2**63, (2,))


@pytest.mark.parametrize("high", [70000, 2**20])
def test_whole_numbers_that_a_dtype_does_not_hold_are_refused(high: int) -> None:
    with pytest.raises(RuntimeError, match="to - 1 is out of bounds for c10::Half"):
        wc.randint(0, high, (2,), dtype=wc.float16)
    with pytest.raises(RuntimeError, match="to - 1 is out of bounds for c10::Half"):
        wc.empty(2, dtype=wc.float16).random_(0, high)


def test_whole_numbers_that_a_dtype_holds_in_part_are_warned_of() -> None:
    with pytest.warns(UserWarning, match=r"to - 1 is out of bounds \[-\(2\^24\), 2\^24\]"):
        assert wc.empty(9).random_(0, 2**40).max().item() < 2**40
    assert wc.empty(9).random_(-(2**24), 2**24 + 1).abs().max().item() <= 2**24


@pytest.mark.parametrize(
    ("name", "end", "cpp"), [("float32", 3e38, "Float"), ("float64", 1e308, "Double"), ("float16", 6e4, "Half")]
)
def test_uniform_refuses_an_interval_that_is_too_long(name: str, end: float, cpp: str) -> None:
    with pytest.raises(RuntimeError, match=rf"expects to-from <= std::numeric_limits<{cpp}>::max\(\)"):
        wc.empty(3, dtype=getattr(wc, name)).uniform_(-end, end)


def test_complex_numbers_are_filled_in_both_parts() -> None:
    x = wc.empty(1000, dtype=wc.complex64).uniform_(1, 2)
    for part in (wc.real(x), wc.imag(x)):
        assert 1 <= part.min().item() < 1.1
        assert 1.9 < part.max().item() <= 2
    assert wc.empty(2, dtype=wc.complex64).normal_(2, 0).tolist() == [2 + 2j, 2 + 2j]
    assert wc.normal(1.0, 0.0, (2,), dtype=wc.complex64).tolist() == [1 + 1j, 1 + 1j]


def test_rrelu_takes_a_generator_and_checks_its_bounds() -> None:
    x = -wc.ones(4)
    draws = [wc.rrelu(x, 0.1, 0.9, True, wc.Generator().manual_seed(3)).tolist() for _ in range(2)]
    assert draws[0] == draws[1] == wc.rrelu_(-wc.ones(4), 0.1, 0.9, True, wc.Generator().manual_seed(3)).tolist()
    for call in (RRELU, wc.rrelu):
        for training in (False, True):
            with pytest.raises(RuntimeError, match="Lower bound should be less than or equal to the upper bound"):
                call(x, 1, 0.5, training)


def test_take_of_one_position_is_a_copy() -> None:
    x = wc.tensor([1.0, 2.0, 3.0])
    wc.take(x, wc.tensor(1)).mul_(100)
    assert x.tolist() == [1, 2, 3]
    assert wc.take(x, wc.tensor(-1)).shape == ()


@pytest.mark.parametrize("padding", [0, 1, 2])
def test_unfold_of_channels_last_is_that_of_contiguous(padding: int) -> None:
    x = wc.arange(24.0).view(1, 2, 3, 4)
    last = x.contiguous(memory_format=wc.channels_last)
    assert wc.equal(UNFOLD(last, 2, padding=padding), UNFOLD(x, 2, padding=padding))


def test_small_answers() -> None:
    assert wc.promote_types(type1=wc.int8, type2=wc.float16) is wc.float16
    with pytest.raises(TypeError, match=r"data must be a sequence \(got bool\)"):
        wc.Tensor(True)
