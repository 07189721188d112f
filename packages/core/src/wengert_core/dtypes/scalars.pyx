"""Python numbers as operands: which dtype they count as, and their bytes in a given dtype."""
from cpython.bool cimport PyBool_Check
from cpython.complex cimport PyComplex_Check
from cpython.float cimport PyFloat_AsDouble, PyFloat_Check
from cpython.long cimport PyLong_Check
from cpython.ref cimport PyObject
from libc.math cimport isfinite
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

import numpy as np

from wengert_core.dtypes.dtypes cimport (BFLOAT16, BOOL, CAT_COMPLEX, CAT_FLOAT, COMPLEX128, COMPLEX64, FLOAT16,
                                         FLOAT32, FLOAT64, INT16, INT32, INT64, INT8, UINT8, UINT16, UINT32, UINT64,
                                         DTypeFacts, dtype_facts)
from wengert_core.dtypes.dtypes import FILL_NAMES as _FILL_NAMES
from wengert_core.kernels.pointwise.casts cimport cast

cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object value, int* overflow) except? -1
    unsigned long long PyLong_AsUnsignedLongLong(object value) except? 0xFFFFFFFFFFFFFFFF
    bint PyFloat_CheckExact(PyObject* o) noexcept
    bint PyLong_CheckExact(PyObject* o) noexcept

cdef DTypeFacts* FACTS = dtype_facts()
cdef object GENERIC = np.generic
cdef object ARRAY = np.ndarray


cdef int number_code(PyObject* value) except -2:
    if PyFloat_CheckExact(value):
        return FACTS.default_float
    if PyLong_CheckExact(value):
        return INT64
    if PyBool_Check(<object> value):
        return BOOL
    if isinstance(<object> value, GENERIC):
        return {"b": BOOL, "i": INT64, "u": INT64, "f": FACTS.default_float,
                "c": FACTS.default_complex}.get((<object> value).dtype.kind, -1)
    if PyFloat_Check(<object> value):
        return FACTS.default_float
    if PyLong_Check(<object> value):
        return INT64
    if PyComplex_Check(<object> value):
        return FACTS.default_complex
    if isinstance(<object> value, (str, bytes, ARRAY)):
        return -1
    if hasattr(type(<object> value), "__index__"):
        return INT64
    return -1


cdef int store_number(PyObject* value, int code, char* where) except -1:
    """Write a number as dtype ``code``. RuntimeError when an integer does not fit into 64 bits."""
    cdef double real
    cdef long long whole
    cdef int overflow = 0
    if PyFloat_CheckExact(value):
        real = PyFloat_AsDouble(<object> value)
    elif FACTS.category[code] < CAT_FLOAT:
        if PyComplex_Check(<object> value):
            raise RuntimeError(f"value cannot be converted to type {_FILL_NAMES[code]} without overflow: "
                               f"{<object> value!r}")
        number = <object> value
        whole = PyLong_AsLongLongAndOverflow(int(number), &overflow)
        if overflow:
            check_whole(value)
            if code != UINT64:
                raise RuntimeError(f"value cannot be converted to type {_FILL_NAMES[code]} without overflow: "
                                   f"{number!r}")
            (<uint64_t*> where)[0] = PyLong_AsUnsignedLongLong(int(number))
            return 0
        cast(INT64, code)(<char*> &whole, 8, where, 16, 1)
        return 0
    elif PyComplex_Check(<object> value):
        return store_complex(complex(<object> value), code, where)
    else:
        check_whole(value)
        real = PyFloat_AsDouble(<object> value)
    if code == FLOAT32:
        (<float*> where)[0] = <float> real
    elif code == FLOAT64:
        (<double*> where)[0] = real
    else:
        cast(FLOAT64, code)(<char*> &real, 8, where, 16, 1)
    return 0


cdef int check_whole(PyObject* value) except -1:
    """OverflowError for an int beyond 64 bits, signed or unsigned: torch takes none, whatever the dtype."""
    cdef int overflow = 0
    if PyLong_Check(<object> value):
        PyLong_AsLongLongAndOverflow(<object> value, &overflow)
        if overflow:
            PyLong_AsUnsignedLongLong(<object> value)
    return 0


cdef dict WHOLE_RANGES = {
    <int> BOOL: (0, 1), <int> INT8: (-2**7, 2**7 - 1), <int> INT16: (-2**15, 2**15 - 1),
    <int> INT32: (-2**31, 2**31 - 1), <int> INT64: (-2**63, 2**63 - 1), <int> UINT8: (-255, 255),
    <int> UINT16: (1 - 2**16, 2**16 - 1), <int> UINT32: (1 - 2**32, 2**32 - 1), <int> UINT64: (-2**63, 2**64 - 1),
}
# what converts to each dtype of integers; negative numbers wrap around in the unsigned ones, as in torch


cdef int check_bound(PyObject* value, int code) except -1:
    """RuntimeError for a number that a dtype does not hold."""
    if FACTS.category[code] >= CAT_FLOAT:
        return check_range(<object> value, code)
    check_whole(value)
    if PyComplex_Check(<object> value):
        raise RuntimeError(f"value cannot be converted to type {_FILL_NAMES[code]} without overflow: "
                           f"{<object> value!r}")
    low, high = WHOLE_RANGES[code]
    if not low <= <object> value <= high:
        raise RuntimeError(f"value cannot be converted to type {_FILL_NAMES[code]} without overflow: "
                           f"{<object> value!r}")
    return 0


cdef int check_range(object number, int code) except -1:
    """RuntimeError for a finite number beyond the largest one of a floating dtype."""
    cdef double limit = (65504.0 if code == FLOAT16 else 3.3895313892515355e38 if code == BFLOAT16
                         else 3.4028234663852886e38 if code == FLOAT32 or code == COMPLEX64 else 0.0)
    cdef double part
    if limit == 0.0:
        return 0
    for part in ((number.real, number.imag) if PyComplex_Check(number) else (PyFloat_AsDouble(number),)):
        if not -limit <= part <= limit and isfinite(part):
            raise RuntimeError(f"value cannot be converted to type {_FILL_NAMES[code]} without overflow: {number!r}")
    return 0


cdef int store_complex(object value, int code, char* where) except -1:
    cdef double parts[2]
    if FACTS.category[code] != CAT_COMPLEX and value.imag != 0:
        raise RuntimeError(f"value cannot be converted to type {_FILL_NAMES[code]} without overflow: {value!r}")
    parts[0], parts[1] = value.real, value.imag
    cast(COMPLEX128, code)(<char*> parts, 16, where, 16, 1)
    return 0


cdef object load_number(const char* where, int code):
    cdef float single
    if code == FLOAT32:
        return <double> (<float*> where)[0]
    if code == FLOAT64:
        return (<double*> where)[0]
    if code == INT64:
        return (<int64_t*> where)[0]
    if code == BOOL:
        return where[0] != 0
    if code == INT32:
        return (<int32_t*> where)[0]
    if code == INT16:
        return (<int16_t*> where)[0]
    if code == INT8:
        return <int> (<int8_t*> where)[0]
    if code == UINT8:
        return <int> (<uint8_t*> where)[0]
    if code == UINT16:
        return <int> (<uint16_t*> where)[0]
    if code == UINT32:
        return (<uint32_t*> where)[0]
    if code == UINT64:
        return (<uint64_t*> where)[0]
    if code == COMPLEX64:
        return complex((<float*> where)[0], (<float*> where)[1])
    if code == COMPLEX128:
        return complex((<double*> where)[0], (<double*> where)[1])
    cast(code, FLOAT32)(<char*> where, 2, <char*> &single, 4, 1)
    return <double> single
