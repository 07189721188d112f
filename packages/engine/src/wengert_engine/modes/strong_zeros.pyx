"""Products in derivatives, for a thread that asked for strong zeros.

Note [Strong zeros]
    WG_STRONG in a thread's modes says that it asked. Then the engine has WG_DERIVING on, too, while it makes gradients
    by a node's rule or tangents by a formula: drivers hand each op to ``run_in_derivative``, as every tensor has that
    bit. It switches the bit off and asks the table of strong products; an op that is not in it runs as always. What a
    backward computes that is no derivative runs without: hooks, unpacking, forward of a Function, and what is under
    ``enable_grad`` (as a checkpoint is, which computes values again). Where nobody asks, the engine tests a bit of a
    word that it has read, and drivers test nothing.
"""
cimport cython
from cpython.object cimport PyTypeObject
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.dispatcher cimport dispatch
from wengert_core.dispatch.hooks cimport hooks
from wengert_core.dispatch.op cimport Op
from wengert_core.runtime.pyobject cimport not_made_by_hand
from wengert_core.runtime.state cimport WG_DERIVING, WG_STRONG, WgState, thread_state

cdef dict PRODUCTS = {}                # of core's ops, by their names: functions of a Product


@cython.binding(False)
cdef class Product:
    """One call of an op by a formula: its arguments, and the call itself."""
    cdef readonly Op op
    cdef readonly list arguments       # in the order of its schema; None for what was not given
    cdef PyObject** slots

    def run(self):
        """The op's result, as without strong zeros."""
        if self.slots == NULL:
            raise RuntimeError(f"{self.op.name}: the call is over, run() belongs to the rule that got it")
        return dispatch(self.op, self.slots)


cdef object run_in_derivative(Op op, PyObject** slots, uint32_t live):
    cdef WgState* state = thread_state()
    cdef Product product
    cdef int i
    rule = PRODUCTS.get(op.name) if op.owner == "core" else None
    state.modes &= ~(<unsigned int> WG_DERIVING)
    try:
        if rule is None:
            return dispatch(op, slots)
        product = Product.__new__(Product)
        product.op, product.slots = op, slots
        product.arguments = [None if slots[i] == NULL else <object> slots[i] for i in range(op.n_params)]
        try:
            return rule(product)
        finally:
            product.slots = NULL
    finally:
        state.modes |= WG_DERIVING


def set_products(dict products):
    """Install the strong products: by names of core's ops, functions that get a Product and return its op's result."""
    global PRODUCTS
    PRODUCTS = products


def is_strong():
    """Whether this thread has strong zeros."""
    return bool(thread_state().modes & WG_STRONG)


def switch_strong(bint on):
    """Let this thread's derivatives have strong zeros or not."""
    cdef WgState* state = thread_state()
    state.modes = state.modes | WG_STRONG if on else state.modes & ~(<unsigned int> WG_STRONG)


hooks().run_in_derivative = run_in_derivative
not_made_by_hand(<PyTypeObject*> Product)
