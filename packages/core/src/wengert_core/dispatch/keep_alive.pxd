"""The tensors held by a kernel that gives the GIL up.

Note [What a kernel holds]
    While a kernel runs without the GIL another thread may give a tensor other memory or another shape: ``x.data = y``,
    ``set_``, ``resize_``, ``t_``. So what a driver reads and writes from the moment at which it may give the GIL up is
    a tensor of its own on the same storage, with sizes and strides of its own (``hold``): that keeps the memory, and
    nobody else can reach it. What has a graph or is returned remains the caller's tensor. Small kernels keep the GIL,
    and need none of it: a driver that does not hold its arguments says so to whatever could give the GIL up
    (``in_pieces``).

Note [What a warning may change]
    A warning runs Python: a filter, a hook of the user, another thread. A driver that warns when it has looked at its
    arguments (an out= that is resized, a write to an expanded tensor) does so by ``warn_in_call``, which refuses
    arguments that have other memory or another shape after it. So does what else runs Python there, by the two
    functions that this is made of.
"""
from cpython.ref cimport PyObject
from libc.stdint cimport uint64_t

from wengert_core.dispatch.op cimport Op
from wengert_core.runtime.thread_pool cimport body_fn, LARGE, parallel_for
from wengert_core.tensors.tensor cimport Tensor, alias

cdef inline Tensor hold(Tensor t):    # t's elements, which no other thread can take away
    return alias(t)

cdef inline Tensor hold_if_large(Tensor t):    # for a kernel that gives the GIL up for LARGE elements
    return alias(t) if t.count >= LARGE else t

# the arguments for the kernel; the result keeps them alive
cdef object hold_slots(Op op, PyObject** slots, PyObject** own)
cdef uint64_t layout_of_arguments(Op op, PyObject** slots) noexcept     # where they lie, and how: all but out=
cdef int check_layout(Op op, PyObject** slots, uint64_t before) except -1      # RuntimeError where that has changed
cdef int warn_in_call(Op op, PyObject** slots, str text) except -1
# whether an argument has LARGE elements: to copy it gives the GIL up
cdef bint any_large(Op op, PyObject** slots) noexcept

cdef inline void in_pieces(Py_ssize_t n, Py_ssize_t grain, body_fn body, void* ctx, bint held) noexcept:
    """A body on 0 .. n: in pieces by several threads and without the GIL, where what it reads and writes is held."""
    if held:
        with nogil:
            parallel_for(n, grain, body, ctx)
    else:
        body(0, n, ctx)
