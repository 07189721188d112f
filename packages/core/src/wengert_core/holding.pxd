"""The tensors held by a kernel that gives the GIL up.

Note [What a kernel holds]
    While a kernel runs without the GIL another thread may give a tensor other memory or another shape: ``x.data = y``, ``set_``,
    ``resize_``, ``t_``. So what a driver reads and writes from the moment at which it may give the GIL up is a tensor of its own on
    the same storage, with sizes and strides of its own (``held``): that keeps the memory, and nobody else can reach it. What has
    a graph or is returned remains the caller's tensor. Small kernels keep the GIL, and need none of it: a driver that does not
    hold its arguments says so to whatever could give the GIL up (``in_pieces``).
"""
from cpython.ref cimport PyObject

from wengert_core.op cimport Op
from wengert_core.tensor cimport Tensor, alias
from wengert_core.workers cimport body_fn, LARGE, parallel_for

cdef inline Tensor held(Tensor t):                             # t's elements, which no other thread can take away
    return alias(t)

cdef inline Tensor held_if_large(Tensor t):                    # ... of a kernel that gives the GIL up for LARGE elements
    return alias(t) if t.count >= LARGE else t

cdef object held_slots(Op op, PyObject** slots, PyObject** own)        # the arguments for the kernel; the result keeps them alive
cdef bint any_large(Op op, PyObject** slots) noexcept          # whether an argument has LARGE elements: to copy it gives the GIL up

cdef inline void in_pieces(Py_ssize_t n, Py_ssize_t grain, body_fn body, void* ctx, bint held) noexcept:
    """A body on 0 .. n: in pieces by several threads and without the GIL, where what it reads and writes is held."""
    if held:
        with nogil:
            parallel_for(n, grain, body, ctx)
    else:
        body(0, n, ctx)
