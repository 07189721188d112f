"""Calls of scipy.fft and scipy.linalg."""

from __future__ import annotations

from typing import Any

from scipy import constants, fft, linalg

from .client_calls import ClientCall
from .numpy_calls import of, varying

TO_NUMPY = "Can't call numpy() on Tensor that requires grad"


def call(name: str, *args: Any, **kwargs: Any) -> ClientCall:
    """Return a call of a function of scipy.fft."""
    return ClientCall(name, getattr(fft, name), *args, **kwargs)


X = varying(3, 6, seed=1)
C = of(varying(3, 6, seed=2).array + 1j * varying(3, 6, seed=3).array)

CALLS = [
    *(call(name, array, **kwargs) for name in ("fft", "ifft", "hfft", "irfft") for array in (X, C)
      for kwargs in ({}, {"n": 5}, {"axis": 0, "norm": "ortho"}) if name not in ("hfft", "irfft") or array is C),
    *(call(name, X, **kwargs) for name in ("rfft", "ihfft") for kwargs in ({}, {"n": 8},
        {"axis": 0, "norm": "forward"})),
    *(call(name, C) for name in ("fft2", "ifft2", "fftn", "ifftn", "hfft2", "hfftn", "irfft2", "irfftn")),
    *(call(name, X) for name in ("rfft2", "rfftn", "ihfft2", "ihfftn", "fftshift", "ifftshift")),
    *(call(name, X, type=kind, refused=TO_NUMPY) for name in ("dct", "idct", "dst", "idst") for kind in (1, 2, 3, 4)),
    *(call(name, X, norm="ortho", refused=TO_NUMPY) for name in ("dctn", "idctn", "dstn", "idstn")),
    call("fht", varying(8), 0.1, 0.5), call("ifht", varying(8), 0.1, 0.5, offset=0.2),
    ClientCall("block_diag", linalg.block_diag, varying(2, 2), varying(1, 3)),
    ClientCall("fiedler", linalg.fiedler, varying(4)),
    ClientCall("orthogonal_procrustes", linalg.orthogonal_procrustes, varying(4, 3, seed=1), varying(4, 3, seed=2)),
    ClientCall("convert_temperature", constants.convert_temperature, X, "C", "F"),
    ClientCall("lambda2nu", constants.lambda2nu, X), ClientCall("nu2lambda", constants.nu2lambda, X),
]
