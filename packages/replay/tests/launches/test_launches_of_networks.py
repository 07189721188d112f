"""Convolutions and attention are replayed by launches, to the bits of eager calls."""

from __future__ import annotations

import pytest
import wengert as wg
import wengert.nn.functional as F

from .launched import check_launched, gradients_of, numbers, numbers_with_gaps

FLOATS = (wg.float32, wg.float64, wg.float16, wg.bfloat16)


def twice(*shapes, make=numbers, dtype=wg.float32):
    """Return two sets of arguments."""
    return [tuple(make(*shape, dtype=dtype, shift=shift + i) for i, shape in enumerate(shapes)) for shift in (0, 5)]


CONVOLUTIONS = {
    "one dim": (F.conv1d, (2, 3, 9), (4, 3, 3), {}),
    "stride": (F.conv1d, (2, 3, 9), (4, 3, 3), {"stride": 2, "padding": 1}),
    "two dims": (F.conv2d, (2, 3, 6, 5), (4, 3, 3, 3), {"padding": 1}),
    "dilation": (F.conv2d, (1, 8, 7, 7), (4, 8, 3, 2), {"dilation": 2, "padding": (2, 1)}),
    "groups": (F.conv2d, (2, 4, 6, 6), (8, 2, 3, 3), {"groups": 2, "stride": 2}),
    "depthwise": (F.conv2d, (2, 4, 6, 6), (4, 1, 3, 3), {"groups": 4, "padding": 1}),
    "three dims": (F.conv3d, (1, 2, 4, 4, 3), (3, 2, 2, 2, 2), {}),
    "transposed": (F.conv_transpose2d, (1, 4, 3, 3), (4, 3, 3, 3), {"stride": 2, "output_padding": 1}),
    "transposed with gaps": (F.conv_transpose1d, (1, 4, 3), (4, 3, 2), {"stride": 3, "dilation": 2}),
}


@pytest.mark.parametrize("name", CONVOLUTIONS)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_convolutions(name, dtype):
    function, x, w, options = CONVOLUTIONS[name]
    outputs = w[0] if "transpose" not in function.__name__ else w[1]

    def run(x, w, bias):
        return function(x, w, bias, **options), function(x, w, None, **options)

    for make in (numbers, numbers_with_gaps):
        check_launched(gradients_of(run), *twice(x, w, (outputs,), make=make, dtype=dtype))


def test_convolutions_by_several_threads():
    def run(x, w):
        return F.conv2d(x, w, padding=1)

    check_launched(gradients_of(run), *twice((4, 16, 30, 30), (24, 16, 3, 3)))
    check_launched(
        gradients_of(lambda x, w: F.conv_transpose2d(x, w, stride=2)), *twice((4, 16, 20, 20), (16, 8, 3, 3))
    )
    check_launched(gradients_of(lambda x, w: F.conv2d(x, w)), *twice((8, 2, 60, 60), (3, 2, 3, 3)))


def test_convolutions_of_channels_last_of_complex_numbers_and_of_nothing():
    def last(x, w):
        return F.conv2d(x.contiguous(memory_format=wg.channels_last), w)

    check_launched(gradients_of(last), *twice((2, 3, 5, 5), (4, 3, 2, 2)))
    check_launched(gradients_of(lambda x, w: F.conv1d(x, w)), *twice((0, 3, 5), (4, 3, 2)))

    def parts(x, w):
        found = F.conv1d(wg.complex(x, x + 1), wg.complex(w, w * w))
        return found.real, found.imag

    check_launched(
        lambda x, w: parts(x, w)[0] + parts(x, w)[1], *twice((2, 3, 5), (4, 3, 2)), but=("complex", "convolution")
    )


def test_second_derivatives_of_a_convolution():
    def run(x, w):
        x, w = x.detach().requires_grad_(), w.detach().requires_grad_()
        (first,) = wg.autograd.grad(F.conv2d(x, w, padding=1).square().sum(), x, create_graph=True)
        return list(wg.autograd.grad(first.square().sum(), (x, w)))

    check_launched(run, *twice((2, 3, 5, 5), (4, 3, 3, 3)))


def attention_of_scale(scale):
    def run(q, k, v, mask):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale)

    return run


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_attention(dtype):
    shapes = [(2, 3, 5, 8), (2, 3, 7, 8), (2, 3, 7, 4)]
    for make in (numbers, numbers_with_gaps):
        check_launched(gradients_of(F.scaled_dot_product_attention), *twice(*shapes, make=make, dtype=dtype))
        causal = gradients_of(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True))
        check_launched(causal, *twice(*shapes, make=make, dtype=dtype))
    with_mask = [(*args, numbers(5, 7, dtype=dtype)) for args in twice(*shapes, dtype=dtype)]

    def run(q, k, v, mask):
        return gradients_of(lambda *a: attention_of_scale(0.3)(*a, mask))(q, k, v)

    check_launched(run, *with_mask)


def test_attention_by_several_threads_and_of_no_keys():
    check_launched(
        gradients_of(F.scaled_dot_product_attention), *twice((2, 4, 100, 32), (2, 4, 90, 32), (2, 4, 90, 32))
    )
    check_launched(gradients_of(F.scaled_dot_product_attention), *twice((2, 5, 8), (2, 0, 8), (2, 0, 4)))
    check_launched(gradients_of(F.scaled_dot_product_attention), *twice((0, 5, 8), (0, 3, 8), (0, 3, 4)))


def test_factors_that_are_tensors():
    def run(x, y, factor):
        return wg.add(x, y, alpha=factor), wg.sub(x, y, alpha=factor), x.clone().add_(y, alpha=factor)

    for dtype in (wg.float32, wg.float64, wg.float16):
        args = [
            (numbers(4, dtype=dtype), numbers(4, dtype=dtype, shift=1), wg.tensor(f, dtype=dtype)) for f in (2.5, -1.3)
        ]
        check_launched(run, *args)


def test_xlogy():
    def args(dtype, shift):
        return numbers(3, 7, dtype=dtype, shift=shift).round(), numbers(3, 7, dtype=dtype, shift=shift + 1).abs()

    for dtype in FLOATS:
        check_launched(gradients_of(wg.xlogy), args(dtype, 0), args(dtype, 1))
    check_launched(lambda x: (wg.xlogy(x, 2.5), wg.xlogy(0.5, x)), (numbers(5),), (numbers(5, shift=2),))
