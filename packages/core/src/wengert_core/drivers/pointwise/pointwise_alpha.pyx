"""The factor alpha of add and sub."""
from cpython.ref cimport PyObject

from wengert_core.dispatch.op cimport Op, op_error
from wengert_core.drivers.steps cimport common_code
from wengert_core.dtypes.dtypes cimport BOOL, CAT_COMPLEX, CAT_FLOAT, CAT_INT, DTypeFacts, dtype_facts
from wengert_core.dtypes.scalars cimport check_bound, number_code
from wengert_core.runtime.state cimport WG_TELL, thread_state
from wengert_core.tensors.tensor cimport Tensor, alias

cdef DTypeFacts* FACTS = dtype_facts()


cdef object scale_other(Op op, PyObject** slots, int alpha_slot):
    """other * alpha, for add and sub."""
    alpha = <object> slots[alpha_slot]
    cdef int code
    common_code(op, slots, 2, &code)
    if isinstance(alpha, Tensor):
        if is_launch_factor(slots[1], <Tensor> alpha, code):
            return <object> slots[1] * alias(<Tensor> alpha)
        alpha = alpha.item()
    if number_code(<PyObject*> alpha) < 0:
        raise op_error(op, alpha_slot, "Number", <PyObject*> alpha)
    other = <object> slots[1]
    if isinstance(alpha, bool) and code != BOOL:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if FACTS.category[code] != CAT_COMPLEX and isinstance(alpha, complex):
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")
    if FACTS.category[code] <= CAT_INT and isinstance(alpha, (float, complex)):
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if code != BOOL:
        check_bound(<PyObject*> alpha, code)
    return other * (bool(alpha) if code == BOOL else alpha)


cdef inline bint is_launch_factor(PyObject* other, Tensor alpha, int code) noexcept:
    """Whether a recording is told of the product with a tensor in place of its number, which gives the same."""
    return thread_state().modes & WG_TELL and alpha.rank == 0 and alpha.code == code and not alpha.device \
        and FACTS.category[code] >= CAT_FLOAT and isinstance(<object> other, Tensor) and (<Tensor> other).code == code
