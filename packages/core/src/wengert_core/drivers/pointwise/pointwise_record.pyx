"""Records of pointwise ops: made from the settings of a row, chosen by the value of a variant argument."""
from cpython.mem cimport PyMem_Calloc
from cpython.ref cimport Py_INCREF, PyObject

import numpy as np

from wengert_core.dispatch.op cimport K_TENSOR, K_TENSOR_OR_NUMBER, Op
from wengert_core.dtypes.dtypes cimport code_of
from wengert_core.tensors.tensor cimport Tensor

cdef extern from "Python.h":
    bint PyUnicode_Check(PyObject* o) noexcept

cdef dict PROMOTIONS = {"same": PROMOTE_SAME, "float": PROMOTE_FLOAT, "compare": PROMOTE_COMPARE,
                        "logical": PROMOTE_LOGICAL, "where": PROMOTE_WHERE, "real": PROMOTE_TO_REAL,
                        "float_real": PROMOTE_FLOAT_REAL, "strict": PROMOTE_STRICT}

cdef dict CHECKS = {None: CHECK_NONE, "divisor": CHECK_DIVISOR, "exponent": CHECK_EXPONENT, "no_bool": CHECK_NO_BOOL,
                    "true_division": CHECK_TRUE_DIVISION, "bound": CHECK_BOUND, "factor": CHECK_FACTOR}

cdef dict NARROWED = {None: NARROW_NONE, "numbers": NARROW_NUMBERS, "first": NARROW_FIRST, "quotient": NARROW_QUOTIENT}


cdef int check_room(Op op, int n_in, kernels) except -1:
    """ValueError for a row with more inputs than the arrays here, and in strided_loop.pyx, have places for."""
    cdef int i, n_tensors = 0, n_params = op.n_params if op.out_slot < 0 else op.out_slot
    for i in range(min(n_in, n_params)):
        n_tensors += op.kinds[i] & 63 in (K_TENSOR, K_TENSOR_OR_NUMBER)
    widest = max([getattr(kernel, "nin", 0) for kernel in kernels], default=0)
    if not 1 <= n_in <= MOST_INPUTS or n_in > n_params or n_tensors > MOST_OPERANDS or widest > MOST_OPERANDS:
        raise ValueError(f"pointwise row '{op.name}': {n_in} inputs, {n_tensors} of them tensors; a row has 1 to "
                         f"{MOST_INPUTS} of its schema's {n_params} arguments as inputs, at most {MOST_OPERANDS} "
                         f"tensors among them, and a ufunc at most {MOST_OPERANDS} inputs")
    return 0


cdef Pointwise* new_record(int n_in, str promotion, kernels, reference, check, narrow) except NULL:
    cdef Pointwise* p = <Pointwise*> PyMem_Calloc(1, sizeof(Pointwise))
    if p == NULL:
        raise MemoryError()
    p.n_in = n_in
    p.promotion = PROMOTIONS[promotion]
    p.check, p.narrow = CHECKS[check], NARROWED[narrow]
    p.variant_slot = p.alpha_slot = -1
    p.kernels = <PyObject*> kernels
    p.reference = <PyObject*> reference
    Py_INCREF(kernels)
    Py_INCREF(reference)
    return p


cdef int add_variants(Op op, Pointwise* p, int slot, dict variants) except -1:
    """Records of their own for values of one argument; the default's is ``p``."""
    cdef Pointwise* v
    cdef dict addresses = {}
    p.variant_slot = slot
    if op.defaults[slot] != NULL:
        addresses[<object> op.defaults[slot]] = <size_t> p
    for value, row in variants.items():
        check_room(op, row.get("n_in", p.n_in), row.get("kernels", ()))
        v = new_record(row.get("n_in", p.n_in), "same", tuple(row.get("kernels", ())), row["reference"], None,
                       row.get("narrow"))
        v.promotion = PROMOTIONS[row["promotion"]] if "promotion" in row else p.promotion
        v.n_promote, v.alpha_slot, v.accepts = p.n_promote, p.alpha_slot, p.accepts
        if "dtypes" in row:
            v.accepts = 0
            for d in row["dtypes"]:
                v.accepts |= 1 << code_of(d)
        v.check = CHECKS[row["check"]] if "check" in row else p.check
        addresses[value] = <size_t> v
    p.variants = <PyObject*> addresses
    Py_INCREF(addresses)
    return 0


cdef Pointwise* choose_record(Op op, PyObject** slots) except NULL:
    """Return the record for this call: the op's own, or that of its variant argument (pow with 2, div with "floor")."""
    cdef Pointwise* p = <Pointwise*> op.data
    cdef PyObject* value
    cdef object address
    if p.variant_slot < 0:
        return p
    value = slots[p.variant_slot]
    if value == op.defaults[p.variant_slot] \
            or (not PyUnicode_Check(value) and isinstance(<object> value, (Tensor, np.ndarray))):
        return p
    address = (<dict> p.variants).get(<object> value)
    if address is None:
        address = (<dict> p.variants).get(Ellipsis)
    if address is not None:
        return <Pointwise*> <size_t> address
    message = op.options.get("variant_error")
    if message is not None:
        raise RuntimeError(message.format(<object> value))
    return p
