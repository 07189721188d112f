"""The functions that other packages and rooms install in core: one table, each entry with one owner and one place in
the order.

Note [Order of hooks]
    A call of an op asks who runs it in this order, whatever was imported first: casts of arguments
    (dispatch/argument_casts), the observer, strong products of a formula, a batch, another layout, another device; then
    its driver.
    After the driver the engine records. Who takes a call over switches his own bit off and calls ``dispatch`` again, so
    that the next in the order is asked. An entry is written by its owner once, when that is loaded, and read by
    dispatch/dispatcher.pyx and drivers/steps.pyx; nobody puts a function around another's.

Note [Who is observed]
    An op is handed to ``run_op`` by the test with which its driver looks for other devices and batches
    (dispatch/dispatcher.pyx); a function of ops, a node that is run backward and a user's Function are put between
    ``begin`` and ``end``. Nobody else asks; functions of ops get another entry while some thread is observed, as many
    are so small that a test would show.
    What ``begin`` gives stands for the event; negative: nothing was recorded.
"""
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t, uint32_t

from wengert_core.dispatch.op cimport Op
from wengert_core.tensors.tensor cimport Tensor

cdef enum EventKind:
    EVENT_OP = 0                       # a row of an op table
    EVENT_FUNCTION = 1                 # a function of other ops
    EVENT_NODE = 2                     # a node, run backward
    EVENT_LABEL = 3                    # record_function
    EVENT_CUSTOM = 4                   # a user's Function, forward
    EVENT_ROOT = 5                     # the start of a backward
    EVENT_MEMORY = 6                   # what was freed or allocated between ops

ctypedef object (*intercept_fn)(Op op, PyObject** slots, uint32_t live)

ctypedef struct Hooks:                 # NULL: its owner is not loaded
    # ---- who runs a call instead of its driver, in their order
    intercept_fn run_observed       # engine: live & WG_OBSERVE
    intercept_fn run_in_derivative  # engine: WG_DERIVING: an op of a formula, in a thread that asked for strong zeros
    intercept_fn run_batched        # engine: WG_BATCHED or WG_FOREIGN; what is not batched it hands on
    intercept_fn run_on_layout      # layouts: WG_FOREIGN; what is strided it hands on to run_on_device
    intercept_fn run_on_device      # backends: WG_FOREIGN
    # ---- around a driver: the engine
    # after a kernel, when live & WG_RECORD: give the outputs their history
    int (*record)(Op op, PyObject** slots, PyObject** outs, int n_outs) except -1
    # before an in-place kernel: refuse what must be refused; *keep gets a clone of slot 0 where the formula needs the
    # old value (owned by the caller). Called when live & WG_RECORD, or when slot 0 is a view or an inference tensor.
    int (*before_inplace)(Op op, PyObject** slots, PyObject** keep) except -1
    int (*record_inplace)(Op op, PyObject** slots, PyObject* keep) except -1
    # a view's grad_fn, made anew if its base has changed; borrowed
    PyObject* (*view_grad_fn)(Tensor t) except? NULL
    # function(), one operation for the thread's hooks of saved tensors: they are called when it is over
    object (*call_before_packing)(object function)
    # whether a tensor has a tangent of the open level of forward mode. Called while one is open and tangents are wanted
    bint (*has_tangent)(Tensor t) except -1
    # ---- around a driver that ran for a device: backends; told of what was recorded
    int (*note_stream)(Tensor t) except -1
    # ---- events beside ops: the engine
    # what: the object that names the event, args: n of its arguments, borrowed, each may be NULL
    int64_t (*begin_event)(int kind, PyObject* what, PyObject* const* args, Py_ssize_t n) noexcept
    void (*end_event)(int64_t event) noexcept
    # ---- a thread that is traced (WG_TELL): the engine
    int (*note_grad)(Tensor leaf) except -1                        # before ``grad`` is replaced
    # given by composite.pyx: let functions of ops look whether their thread is observed. Off, their calls test nothing.
    void (*observe_functions)(bint on) noexcept


cdef Hooks* hooks() noexcept nogil
