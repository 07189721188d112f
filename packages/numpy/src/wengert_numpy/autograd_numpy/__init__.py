"""``wengert.numpy``: NumPy and derivatives in HIPS autograd's terms.

``import autograd.numpy as np`` becomes ``import wengert.numpy as np``, ``from autograd import grad`` becomes
``from wengert.numpy import grad``. All names of NumPy are here; its functions take tensors by its protocols, so they
are NumPy's own, but for constructors and lists of arrays, of which NumPy asks no protocol.

>>> import numpy as np
>>> grad(lambda x: x.max() * np.tanh(x[0]))(np.array([0.0, 2.0]))
array([2., 0.])
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import Any

import numpy as _numpy

from wengert_numpy.autograd_numpy import constructors as _constructors
from wengert_numpy.autograd_numpy import differential_operators as _operators
from wengert_numpy.autograd_numpy import extend as _extend
from wengert_numpy.autograd_numpy.arrays import array as _array

_LATE = (
    "char",
    "ctypeslib",
    "dtypes",
    "exceptions",
    "f2py",
    "lib",
    "ma",
    "polynomial",
    "rec",
    "strings",
    "test",
    "testing",
    "typing",
)
"""Names of NumPy that are modules, some of which NumPy loads when they are asked for."""
_OWN_MODULES = ("builtins", "core", "extend", "fft", "linalg", "misc", "numpy_boxes", "numpy_vjps", "random",
                "test_util", "tracer", "util", "wrap_util")  # fmt: skip
_OPERATORS = ("checkpoint", "deriv", "elementwise_grad", "grad", "grad_and_aux", "grad_named",
              "hessian", "hessian_tensor_product", "hessian_vector_product", "holomorphic_grad", "jacobian",
              "make_ggnvp", "make_hvp", "make_jvp", "make_jvp_reversemode", "make_vjp", "multigrad_dict",
              "tensor_jacobian_product", "value_and_grad", "vector_jacobian_product")  # fmt: skip

_names: dict[str, Any] = {
    name: getattr(_numpy, name) for name in _numpy.__all__ if name not in _LATE and name not in _OWN_MODULES
}
_names.update(_constructors.functions_of(_numpy))
_names.update({one.__name__: one for one in _constructors.CONSTRUCTORS})
_names.update({name: getattr(_operators, name) for name in _OPERATORS})
_names.update(c_=_constructors.c_, r_=_constructors.r_, ndarray=_array.ndarray, primitive=_extend.primitive)
globals().update(_names)
for _name in (*_OWN_MODULES, "differential_operators", "misc.fixed_points", "misc.flatten", "misc.optimizers"):
    _import_module(f"{__name__}.{_name}")

__all__ = [*_names]
__changing__ = _LATE


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(_numpy, name)


def __dir__() -> list[str]:
    return sorted({*__all__, *_LATE, *_OWN_MODULES})
