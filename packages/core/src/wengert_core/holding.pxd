"""What a kernel holds that gives the GIL up.

Note [What a kernel holds]
    While a kernel runs without the GIL another thread may give a tensor other memory or another shape: ``x.data = y``, ``set_``,
    ``resize_``, ``t_``. So what a driver reads and writes from the moment at which it may give the GIL up is a tensor of its own on
    the same storage, with sizes and strides of its own (``held``): that keeps the memory, and nobody else can reach it. What has
    a graph or is returned remains the caller's tensor. Small kernels keep the GIL, and need none of it.
"""
from cpython.ref cimport PyObject

from wengert_core.op cimport Op
from wengert_core.tensor cimport Tensor, alias
from wengert_core.workers cimport LARGE

cdef inline Tensor held(Tensor t):                             # t's elements, which no other thread can take away
    return alias(t)

cdef inline Tensor held_if_large(Tensor t):                    # ... of a kernel that gives the GIL up for LARGE elements
    return alias(t) if t.count >= LARGE else t

cdef object held_slots(Op op, PyObject** slots, PyObject** own)        # the arguments for the kernel; the result keeps them alive
