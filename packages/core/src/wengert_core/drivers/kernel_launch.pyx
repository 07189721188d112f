"""Launches of kernels whose plan is their driver's alone: see kernel_launch.pxd."""
from libc.stdint cimport uint8_t
from libc.stdlib cimport malloc
from libc.string cimport memcpy

from wengert_core.dtypes.dtypes cimport DTypeFacts, dtype_facts
from wengert_core.runtime.launches cimport LAUNCH_KERNEL, OPERAND_READ, add_launch, add_operand, add_strided

cdef enum:
    MOST_PLAN_WORDS = 0xff

cdef DTypeFacts* FACTS = dtype_facts()


cdef Launch* tell_kernel(launch_fn run, const void* plan, Py_ssize_t nbytes) except NULL:
    cdef void* own = malloc(nbytes)
    cdef Launch* launch
    if own == NULL:
        raise MemoryError()
    memcpy(own, plan, nbytes)
    launch = add_launch(run, LAUNCH_KERNEL, own)
    if nbytes % 8 == 0 and nbytes // 8 <= MOST_PLAN_WORDS:
        launch.plan_words = <uint8_t> (nbytes // 8)
    return launch


cdef int add_tensor(Launch* launch, Tensor t, int role) noexcept:
    if t is None:
        add_operand(launch, NULL, 0, 0, OPERAND_READ)
    else:
        add_strided(launch, t.data, t.rank, t.dims, t.dims + t.rank, FACTS.itemsize[t.code], role)
    return 0


cdef int add_section(Launch* launch, char* data, Py_ssize_t nbytes, int role) noexcept:
    add_operand(launch, data, 0, nbytes, role)
    return 0
