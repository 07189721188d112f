"""Calls of scipy.signal and scipy.ndimage."""

from __future__ import annotations

from typing import Any

from scipy import ndimage, signal

from .client_calls import ClientCall, constant
from .numpy_calls import of, varying


def call(name: str, *args: Any, **kwargs: Any) -> ClientCall:
    """Return a call of a function of scipy.signal."""
    return ClientCall(name, getattr(signal, name), *args, **kwargs)


def image(name: str, *args: Any, **kwargs: Any) -> ClientCall:
    """Return a call of a function of scipy.ndimage."""
    return ClientCall(name, getattr(ndimage, name), *args, **kwargs)


X, Y = varying(16, seed=1), varying(5, seed=2)
IMAGE, KERNEL = varying(5, 6, seed=3), varying(3, 3, seed=4)
TABLE = varying(2, 12, seed=5)
B, A = of([0.2, 0.3]), of([1.0, -0.4])


SECTIONS = of([[0.1, 0.2, 0.1, 1.0, -0.3, 0.2]])
TO_NUMPY = "Can't call numpy() on Tensor that requires grad"


def second(result: Any) -> Any:
    """Return the response of a result whose first part, frequencies, does not depend on the filter."""
    return result[1]


CALLS = [
    call("convolve", X, Y, method="fft"), call("correlate", X, Y, method="fft"), call("fftconvolve", X, Y),
    call("fftconvolve", IMAGE, KERNEL, mode="same"), call("oaconvolve", X, Y), call("hilbert", X),
    call("hilbert2", IMAGE), call("envelope", X), call("resample", X, 8), call("resample", X, 24),
    call("vectorstrength", X, 0.5), call("freqz", B, A, 8, gradient=second),
    call("freqz_zpk", B, of([0.3, -0.4]), 1.5, 8, gradient=second),
    call("freqz_sos", constant(SECTIONS.array), 8, gradient=second),
    call("freqs", B, A, constant([0.1, 1.0]), gradient=second),
    call("group_delay", (B, A), 8, gradient=second), call("gauss_spline", X, 3),
    call("minimum_phase", of([0.1, 0.2, 0.5, 0.2, 0.1])), call("tf2zpk", of([1.0, 0.2, 0.8]), of([1.0, 0.3, 0.5])),
    call("lp2lp", B, A, 1.5), call("lp2hp_zpk", B, A, 1.5), call("normalize", B, A),
    # ---- by NumPy: values only
    *(call(name, X, Y, mode, refused=TO_NUMPY) for name in ("convolve", "correlate") for mode in ("full", "same",
        "valid")),
    *(call(name, *args, refused=TO_NUMPY) for name, *args in (
        ("convolve2d", IMAGE, KERNEL), ("correlate2d", IMAGE, KERNEL, "same"), ("detrend", TABLE),
        ("resample_poly", X, 2, 3), ("upfirdn", Y, X, 2), ("lfilter", B, A, X), ("filtfilt", B, A, varying(30)),
        ("savgol_filter", X, 5, 2), ("medfilt", X), ("wiener", IMAGE), ("sosfilt", SECTIONS, X),
        ("sosfiltfilt", SECTIONS, varying(30)), ("order_filter", X, constant([1.0, 1.0, 1.0]), 1),
        ("zpk2tf", of([0.1, 0.4]), of([0.2, 0.3]), 1.5), ("bilinear", B, A), ("lfilter_zi", B, A), ("cspline1d", X))),
    call("decimate", varying(40), 2, converts=True, refused=TO_NUMPY),
    call("czt", X, 4, converts=True, refused=TO_NUMPY),
    call("deconvolve", X, of([1.0, 0.4]), refused="could not convert b, a, and x to a common type"),
    *(image(name, *args, refused=TO_NUMPY) for name, *args in (
        ("gaussian_filter", IMAGE, 1.0), ("gaussian_filter1d", X, 1.0), ("uniform_filter", IMAGE, 3),
        ("convolve", IMAGE, KERNEL), ("correlate", IMAGE, KERNEL), ("convolve1d", X, Y), ("sobel", IMAGE),
        ("prewitt", IMAGE), ("laplace", IMAGE), ("gaussian_laplace", IMAGE, 1.0), ("zoom", IMAGE, 2),
        ("shift", IMAGE, 0.5), ("rotate", IMAGE, 30.0), ("median_filter", IMAGE, 3), ("maximum_filter", IMAGE, 3),
        ("grey_erosion", IMAGE, 3), ("spline_filter", IMAGE), ("map_coordinates", IMAGE, of([[1.2, 2.5], [0.3, 3.1]])),
        ("affine_transform", IMAGE, constant([[0.9, 0.0], [0.0, 0.9]])), ("mean", IMAGE), ("sum", IMAGE),
        ("variance", IMAGE), ("maximum", IMAGE), ("center_of_mass", IMAGE), ("histogram", IMAGE, 0, 2, 4),
        ("fourier_gaussian", IMAGE, 1.0))),
    image("vectorized_filter", IMAGE, lambda x, axis: x.sum(axis=axis), size=3, refused=TO_NUMPY),
    image("label", of([[1, 0, 1], [1, 0, 0]])), image("binary_dilation", of([[1, 0, 0], [0, 0, 0]])),
    image("distance_transform_edt", of([[1, 1, 0], [1, 1, 1]])),
]
