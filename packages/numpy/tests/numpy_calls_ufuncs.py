"""Calls of ufuncs and of their methods."""

from __future__ import annotations

import numpy as np

from .numpy_calls import Call, of, varying

ANY, UNIT, ABOVE_1 = varying(2, 3, low=-1.9, high=2.1), varying(2, 3, low=-0.9, high=0.9), varying(2, 3, low=1.1)
POSITIVE = varying(2, 3)
COMPLEX = of(ANY.array + 1j * varying(2, 3, seed=1).array)
OTHER, COMPLEX_OTHER = varying(3, seed=2), of(varying(3, seed=2).array - 0.5j)
INTEGERS, SMALL = of([[3, -4, 5], [6, 7, 1]]), of([3, 2, 5], np.int8)

ON_ANY = """sin cos sinh cosh tanh arcsinh arctan exp exp2 expm1 square floor ceil trunc rint isnan isinf isfinite
    signbit logical_not positive negative absolute fabs sign cbrt deg2rad rad2deg degrees radians reciprocal
    conjugate modf frexp""".split()
ON_POSITIVE = "log log2 log10 log1p sqrt tan".split()
ON_UNIT = "arcsin arccos arctanh".split()
ON_COMPLEX = """sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh arccosh arctanh exp exp2 expm1 log log2 log10
    log1p sqrt square reciprocal negative positive absolute sign conjugate isnan isfinite isinf logical_not
    rint""".split()
OF_TWO = """add subtract multiply divide floor_divide remainder fmod arctan2 hypot maximum minimum fmax fmin logaddexp
    logaddexp2 copysign equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor
    heaviside float_power power divmod""".split()
OF_TWO_COMPLEX = """add subtract multiply divide power float_power equal not_equal less less_equal greater greater_equal
    maximum minimum fmax fmin logical_and logical_or logical_xor""".split()
OF_INTEGERS = """bitwise_and bitwise_or bitwise_xor left_shift right_shift gcd lcm floor_divide remainder fmod divide
    divmod""".split()

FUNCTIONS = [
    *(Call(name, ANY) for name in ON_ANY),
    *(Call(name, POSITIVE) for name in ON_POSITIVE),
    *(Call(name, UNIT) for name in ON_UNIT),
    Call("arccosh", ABOVE_1),
    *(Call(name, COMPLEX, gradient=name != "sign") for name in ON_COMPLEX),
    *(Call(name, POSITIVE, OTHER) for name in OF_TWO),
    *(Call(name, POSITIVE.array, OTHER) for name in OF_TWO),
    *(Call(name, POSITIVE, OTHER.array) for name in OF_TWO),
    *(Call(name, COMPLEX, COMPLEX_OTHER) for name in OF_TWO_COMPLEX),
    *(Call(name, COMPLEX, OTHER) for name in OF_TWO_COMPLEX),
    *(Call(name, INTEGERS, of([2, 3, 4])) for name in OF_INTEGERS),
    *(Call(name, of([2, 3, 4]), SMALL) for name in OF_INTEGERS),
    Call("nextafter", POSITIVE, OTHER, gradient=False),
    Call("invert", INTEGERS),
    Call("bitwise_count", INTEGERS),
    Call("ldexp", POSITIVE, SMALL),
    Call("ldexp", of([1e-300, 1.0, 0.0, np.inf]), of([1100, -1074, 5000, -5000]), gradient=False),
    Call("cbrt", of([0.0, -8.0, 27.0]), gradient=False),
]
"""A call of each ufunc of elements."""

OPERANDS = [
    *(call for other in (2, 2.5, True, 1j, np.float64(2.5), np.int8(2), [1.0, 2.0, 3.0], (1, 2, 3), range(1, 4),
                         np.array(2.0), np.float32([1.0, 2.0, 3.0]), np.array([[1], [2]]),
                         np.array([True, False, True]))
      for call in (Call("multiply", ANY, other), Call("add", other, ANY), Call("power", ABOVE_1, other))),
    Call("subtract", of([1.5, 2.0], np.float32), np.float64(0.3), gradient=False,
         function=lambda x, y: np.subtract(x, float(y))),
    Call("subtract", of([1.5, 2.0], np.float32), np.array(0.3), gradient=False),
    Call("multiply", of(2.0), of(3.0)),
    Call("multiply", of(2.0, np.float32), np.float16([1.0, 2.0]), gradient=False),
    Call("multiply", of(3.0), SMALL),
    Call("add", ANY, [OTHER, 2.0 * OTHER.array]),
    Call("add", of(np.zeros((0, 3))), OTHER),
    Call("add", varying(2, 1), varying(1, 3)),
    Call("less", of([1, 2], np.uint8), 300),
    Call("greater_equal", 300, of([1, 2], np.uint8)),
    Call("not_equal", of([1, 2], np.uint8), -1),
    Call("add", of([True, False]), 2),
]
"""Kinds of operands."""

OPTIONS = [
    Call("add", ANY, OTHER, dtype=np.float32, gradient=False),
    Call("add", of([1, 2]), 1, dtype="float64"),
    Call("add", of([1, 2]), 1, dtype=np.complex64),
    Call("multiply", ANY, OTHER, signature="ff->f", gradient=False),
    Call("multiply", ANY, OTHER, signature=("f4", None, "f4"), gradient=False),
    Call("multiply", ANY, OTHER, sig="dd->d"),
    Call("subtract", ANY, 2, casting="no", gradient=False, dtype=np.float64),
    Call("add", ANY, OTHER, order="F", subok=False),
    Call("add", ANY, OTHER, where=True),
    Call("sin", of([1, 2], np.int8), dtype=np.float64),
]
"""Arguments that all ufuncs have."""

A, B = varying(2, 3, 4), varying(4, 5)
CORE = [
    Call("matmul", A, B),
    Call("matmul", A, varying(2, 4, 3)),
    Call("matmul", varying(4), B),
    Call("matmul", A, varying(4)),
    Call("matmul", varying(4), varying(4, seed=1)),
    Call("matmul", A.array, B),
    Call("matmul", [[1.0, 2.0]], varying(2, 3)),
    Call("matmul", COMPLEX, of(COMPLEX.array.T)),
    Call("matmul", A, varying(5, 4), axes=[(-2, -1), (-1, -2), (0, 1)]),
    Call("matmul", varying(3, 4, 2), varying(2, 4, 3), axes=[(0, 1), (1, 2), (0, 2)]),
    Call("matmul", varying(4), varying(5, 4), axes=[0, (1, 0), 0]),
    Call("matmul", A, B, dtype=np.float32, gradient=False),
    Call("vecdot", A, varying(3, 4)),
    Call("vecdot", A, varying(1, 3, 4), axis=1),
    Call("vecdot", A, A.array, axis=1, keepdims=True),
    Call("vecdot", A, varying(3), axes=[1, 0]),
    Call("vecdot", A, varying(3), axes=[(1,), (0,), ()]),
    Call("vecdot", A, varying(3), axes=[1, 0, 0], keepdims=True),
    Call("vecdot", A, varying(4), keepdims=True),
    Call("vecdot", COMPLEX, COMPLEX_OTHER),
    *([
        Call("matvec", A, varying(4)),
        Call("matvec", A, varying(2, 4)),
        Call("matvec", A, varying(3), axes=[(2, 1), 0, 0]),
        Call("vecmat", varying(3), A),
        Call("vecmat", of(COMPLEX.array[0]), of(COMPLEX.array.T)),
        Call("vecmat", varying(4), A, axes=[0, (2, 1), -1]),
    ] if hasattr(np, "matvec") else []),
]  # fmt: skip
"""Ufuncs of vectors and matrices."""

METHODS = [
    Call("add.reduce", ANY),
    Call("add.reduce", ANY, axis=None),
    Call("add.reduce", ANY, axis=(0, 1), keepdims=True),
    Call("add.reduce", ANY, axis=1, dtype=np.float32, gradient=False),
    Call("add.reduce", SMALL),
    Call("multiply.reduce", ANY, 1),
    Call("multiply.reduce", of([[1.0, 0.0, 3.0], [0.0, 0.0, 1.0]]), 1),
    Call("maximum.reduce", ANY, axis=1, initial=1.0),
    Call("minimum.reduce", ANY, axis=1, where=[True, False, True], initial=5.0),
    Call("subtract.reduce", ANY, axis=1),
    Call("divide.reduce", ABOVE_1, axis=1),
    Call("logaddexp.reduce", ANY, axis=None),
    Call("hypot.reduce", POSITIVE, axis=0),
    Call("logical_and.reduce", ANY, axis=1),
    Call("bitwise_or.reduce", INTEGERS, axis=1),
    Call("gcd.reduce", INTEGERS, axis=0),
    Call("add.accumulate", ANY, 1),
    Call("multiply.accumulate", ANY, axis=-1),
    Call("maximum.accumulate", ANY, axis=1),
    Call("subtract.accumulate", ANY, axis=1),
    Call("add.outer", ANY, OTHER),
    Call("multiply.outer", 2.0, OTHER),
    Call("multiply.outer", OTHER.array, ANY),
    Call("less.outer", OTHER, [1.0, 2.0]),
    Call("add.reduceat", ANY, [0, 2, 1], axis=1),
    Call("multiply.reduceat", ANY, [0, 1], axis=0),
]
"""Methods of ufuncs."""

CALLS = [*FUNCTIONS, *OPERANDS, *OPTIONS, *CORE, *METHODS]
