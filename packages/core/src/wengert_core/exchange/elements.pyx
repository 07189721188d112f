"""Elements: a Python number into the memory of one, as a dtype."""
from cpython.ref cimport PyObject
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint64_t

from operator import index

import numpy as np

from wengert_core.dtypes.dtypes cimport (BFLOAT16, BOOL, CAT_COMPLEX, CAT_FLOAT, FLOAT16, FLOAT64, INT16, INT32, INT64,
                                         INT8, UINT8, UINT16, UINT32, UINT64, DTypeFacts, dtype_facts, dtype_of)
from wengert_core.dtypes.dtypes import FILL_NAMES as _FILL_NAMES
from wengert_core.dtypes.scalars cimport check_range, check_whole, store_number
from wengert_core.kernels.pointwise.casts cimport cast
from wengert_core.tensors.tensor cimport Tensor

cdef extern from "Python.h":
    bint PyFloat_Check(PyObject* o) noexcept
    bint PyLong_Check(PyObject* o) noexcept
    bint PyComplex_Check(PyObject* o) noexcept
    double PyFloat_AS_DOUBLE(PyObject* o) noexcept
    double PyFloat_AsDouble(PyObject* o) except? -1
    long long PyLong_AsLongLongAndOverflow(PyObject* o, int* overflow) except? -1
    unsigned long long PyLong_AsUnsignedLongLong(object o) except? 0xFFFFFFFFFFFFFFFF

cdef DTypeFacts* FACTS = dtype_facts()
cdef object NDARRAY = np.ndarray
cdef object GENERIC = np.generic


cdef RuntimeError no_room(int code, object value, bint filling=False):
    """torch's error for a number that a dtype cannot hold; it names the dtype in one way for data, in another for fill
    values.
    """
    return RuntimeError(f"value cannot be converted to type {_FILL_NAMES[code] if filling else dtype_of(code).name} "
                        f"without overflow: {value!r}")


cdef inline bint fits(long long whole, int code) noexcept:
    """Whether an integer can be stored; negative ones wrap in the unsigned dtypes as they do in torch."""
    if code == UINT8:
        return -255 <= whole <= 255
    if code == UINT16:
        return -65535 <= whole <= 65535
    if code == UINT32:
        return -4294967295LL <= whole <= 4294967295LL
    if code == INT8:
        return -128 <= whole <= 127
    if code == INT16:
        return -32768 <= whole <= 32767
    if code == INT32:
        return -2147483648LL <= whole <= 2147483647LL
    return True


cdef int store_whole(long long whole, int code, char* where, object value) except -1:
    if not fits(whole, code):
        raise no_room(code, value)
    if code == INT64 or code == UINT64:
        (<int64_t*> where)[0] = whole
    elif code == INT32 or code == UINT32:
        (<int32_t*> where)[0] = <int32_t> whole
    elif code == INT16 or code == UINT16:
        (<int16_t*> where)[0] = <int16_t> whole
    else:
        (<uint8_t*> where)[0] = <uint8_t> whole
    return 0


cdef int store_truncated(double real, int code, char* where, object value) except -1:
    """A float in an integer dtype: its whole part, if it has one that fits. Unsigned dtypes take nothing negative."""
    if code == UINT64 and 9223372036854775808.0 <= real < 18446744073709551616.0:
        (<uint64_t*> where)[0] = <uint64_t> real
        return 0
    if not (-9223372036854775808.0 <= real < 9223372036854775808.0) or (real < 0 and not FACTS.is_signed[code]) \
            or not fits(<long long> real, code) or (code == INT8 and real < -128) or (code == INT16 and real < -32768) \
            or (code == INT32 and real < -2147483648.0):
        raise no_room(code, value)
    return store_whole(<long long> real, code, where, value)


cdef int store_leaf(PyObject* item, int code, char* where) except -1:
    """One element of a sequence. TypeError for what is no number, RuntimeError or ValueError for what does not fit."""
    cdef long long whole
    cdef double real
    cdef int overflow = 0
    if isinstance(<object> item, (Tensor, NDARRAY, GENERIC)):
        single = single_value(<object> item)
        return store_leaf(<PyObject*> single, code, where)
    if code == BOOL:
        where[0] = bool(<object> item)
    elif FACTS.category[code] == CAT_FLOAT:
        real = PyFloat_AsDouble(item)
        cast(FLOAT64, code)(<char*> &real, 8, where, 16, 1)
    elif FACTS.category[code] == CAT_COMPLEX:
        number = complex(<object> item)
        store_number(<PyObject*> number, code, where)
    elif PyFloat_Check(item):
        store_truncated(PyFloat_AS_DOUBLE(item), code, where, <object> item)
    elif code == UINT64:               # OverflowError, Python's own, as in torch
        (<uint64_t*> where)[0] = PyLong_AsUnsignedLongLong(index(<object> item))
    else:
        whole = PyLong_AsLongLongAndOverflow(item, &overflow)
        if overflow:
            raise ValueError(f"Overflow when unpacking long long: {<object> item!r} does not fit into 64 bits")
        store_whole(whole, code, where, <object> item)
    return 0


cdef object single_value(object item):
    """The Python number in a tensor, array or NumPy scalar."""
    if isinstance(item, Tensor):
        if (<Tensor> item).count != 1:
            raise ValueError("only one element tensors can be converted to Python scalars: a sequence holds a tensor "
                             f"of shape {list(item.shape)}; use wengert.stack to join tensors")
        return item.item()
    if item.size != 1:
        raise ValueError("only one element arrays can be converted to Python scalars, "
                         f"got one of shape {list(item.shape)}")
    number = item.item()
    if isinstance(number, GENERIC):    # a long double: Python has no number of that precision
        return complex(number) if number.dtype.kind == "c" else float(number)
    return number


cdef int store_checked(PyObject* value, int code, char* where) except -1:
    """A fill value (a number, or a tensor of one element) as dtype ``code``; an error when it does not fit."""
    number = <object> value
    if isinstance(number, (Tensor, NDARRAY, GENERIC)):
        number = single_value(number)
    check_whole(<PyObject*> number)
    if FACTS.category[code] >= CAT_FLOAT:
        check_range(number, code)
    return store_single(number, code, where)


cdef int store_assigned(PyObject* value, int code, char* where) except -1:
    """As store_checked, for ``x[i] = number``: torch makes a tensor of the number first, which it converts to 16 bits
    unchecked.
    """
    number = <object> value
    cdef int overflow = 0
    if isinstance(number, (Tensor, NDARRAY, GENERIC)):
        number = single_value(number)
    if PyLong_Check(<PyObject*> number):
        PyLong_AsLongLongAndOverflow(<PyObject*> number, &overflow)
        if overflow and code != UINT64:
            raise ValueError(f"Overflow when unpacking long long: {number!r} does not fit into 64 bits")
    if FACTS.category[code] >= CAT_FLOAT and code != FLOAT16 and code != BFLOAT16:
        check_range(number, code)
    return store_single(number, code, where)


cdef int store_single(object number, int code, char* where) except -1:
    """Store a Python number as dtype ``code``; RuntimeError where that cannot hold it, or its imaginary part."""
    if PyComplex_Check(<PyObject*> number) and code != BOOL and FACTS.category[code] != CAT_COMPLEX:
        if number.imag != 0:
            raise no_room(code, number, True)
        number = number.real
    if code == UINT64 and PyLong_Check(<PyObject*> number) and -2**63 <= number < 0:
        number = int(number) + 2**64   # here negative numbers wrap, as in the narrower dtypes
    try:
        return store_leaf(<PyObject*> number, code, where)
    except (RuntimeError, ValueError, OverflowError):
        raise no_room(code, number, True) from None
