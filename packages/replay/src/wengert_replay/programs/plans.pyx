"""Plans: what a replay does with arguments, results and gradients.

Note [Results that are written directly]
    The program has a block for a result, from which its elements are copied to a tensor at each replay. A large result
    is written to that tensor at once: its memory stands in place of the block while the program runs. That is for
    programs which never stop on the way, for blocks that hold nothing else, and where the addresses that have to be
    replaced are few beside the bytes.
"""
cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.ref cimport Py_INCREF, PyObject
from libc.string cimport memcpy

from wengert_core.extend cimport (BOOL, LAUNCH_CALL, LAUNCH_GUARD, TF_INFERENCE, WG_GRAD, Launch, Storage, Tensor,
                                  itemsize_of, new_empty, new_on_memory, set_contiguity, strides_of, track)

cdef enum:
    LEAST_BYTES = 0x10000              # of a result that is written directly
    ADDRESS_BYTES = 64                 # copied in the time in which an address is replaced


@cython.binding(False)
cdef class InputPlan:
    """An argument that is a tensor: the program has its elements in a block of its own."""

    cdef int take(self, Tensor t) except -1:
        """Copy an argument's elements to where the program has them."""
        if self.nbytes and self.block != NULL:
            memcpy(self.block, t.data + self.low, self.nbytes)
        return 0

    cdef int give_back(self, Tensor t) except -1:
        """Copy them back where a run has written to them, and let the version rise."""
        if self.written and self.nbytes:
            memcpy(t.data + self.low, self.block, self.nbytes)
        (<Storage> t.storage).version += self.versions
        return 0


@cython.binding(False)
cdef class ResultPlan:
    """A result that is a new tensor at each replay."""

    cdef Tensor make(self):
        """Return a tensor with the values that the program has now."""
        cdef Tensor made = self.prepared
        self.prepared = None
        if made is None:
            made = self.make_empty()
            memcpy(made.data + self.low, self.data + self.low, self.high - self.low)
        (<Storage> made.storage).version = self.version
        if self.inference:
            made.flags |= TF_INFERENCE
        if self.requires_grad:
            made.flags |= WG_GRAD
            if self.grad_fn is not None:
                Py_INCREF(self.grad_fn)
                made.grad_fn = <PyObject*> self.grad_fn
                made.output_nr = self.output_nr
                track(made)
        return made

    cdef Tensor make_empty(self):
        """Return a tensor of this geometry with memory of its own."""
        cdef Py_ssize_t nbytes = self.high - self.low
        cdef Tensor made, room
        cdef int i
        if nbytes == self.like.count * itemsize_of(self.like):
            made = new_empty(self.like.code, self.like.rank, self.like.dims)
            for i in range(self.like.rank):
                strides_of(made)[i] = strides_of(self.like)[i]
            set_contiguity(made)
            made.data -= self.low
        else:
            room = new_empty(BOOL, 1, &nbytes)
            made = new_on_memory(self.like.code, self.like.rank, self.like.dims, strides_of(self.like),
                                 room.data - self.low, room.data, nbytes, <object> room.storage)
        return made

    cdef bint is_direct(self, Stream stream, Launch* launches, Py_ssize_t n) noexcept:
        """Whether a run may write it where it will stay. Note [Results that are written directly]"""
        cdef char* low = self.data + self.low
        cdef char* high = self.data + self.high
        cdef char* first
        cdef Py_ssize_t i
        cdef int k
        if high - low != self.like.count * itemsize_of(self.like) \
                or high - low < LEAST_BYTES + ADDRESS_BYTES * stream.n_addresses():
            return False
        for i in range(n):
            for k in range(launches[i].n_operands):
                first = launches[i].data[k] + launches[i].low[k]
                if first < high and low < launches[i].data[k] + launches[i].high[k] \
                        and not (low <= first and launches[i].data[k] + launches[i].high[k] <= high):
                    return False
        return True

    cdef int prepare(self, Stream stream) except -1:
        """Let a run write to the tensor that it makes."""
        self.prepared = self.make_empty()
        self.address = self.prepared.data + self.low
        stream.redirect(self.data + self.low, self.high - self.low, self.address)
        return 0

    cdef void withdraw(self, Stream stream) noexcept:
        """Let the stream use the program's memory again."""
        if self.address != NULL:
            stream.redirect(self.address, self.high - self.low, self.data + self.low)
        self.address, self.prepared = NULL, None


cdef list direct_results(list plans, list inputs, rows, Stream stream, Launch* launches, Py_ssize_t n):
    cdef ResultPlan plan
    cdef InputPlan taken
    cdef Py_ssize_t i
    cdef list found = [], ranges = [(address, address + nbytes) for _, _, address, nbytes, _ in rows]
    for i in range(n):
        if launches[i].kind == LAUNCH_CALL or launches[i].kind == LAUNCH_GUARD:
            return []
    for taken in inputs:
        ranges.append((<size_t> taken.block, <size_t> taken.block + taken.nbytes))
    plans = [one for i, one in enumerate(plans) if isinstance(one, ResultPlan) and one not in plans[:i]]
    for plan in plans:
        ranges.append((<size_t> plan.data + plan.low, <size_t> plan.data + plan.high))
    for plan in plans:
        first, last = <size_t> plan.data + plan.low, <size_t> plan.data + plan.high
        met = [low for low, high in ranges if low < last and first < high]
        if len(met) == 1 and plan.is_direct(stream, launches, n):      # its own range alone
            found.append(plan)
    return found


cdef object geometry_of(Tensor t):
    """The address of a tensor, its sizes and strides, to be compared."""
    return <size_t> t.data, PyBytes_FromStringAndSize(<char*> t.dims, 2 * t.rank * sizeof(Py_ssize_t))


cdef object hooks_of(Tensor leaf):
    """The hooks of a leaf, to be compared; None: there are none."""
    if leaf.extra == NULL or leaf.extra.hooks == NULL and leaf.extra.post_hooks == NULL:
        return None
    found = []
    for hooks in ((<object> leaf.extra.hooks) if leaf.extra.hooks != NULL else None,
                  (<object> leaf.extra.post_hooks) if leaf.extra.post_hooks != NULL else None):
        found += [(number, id(hook)) for number, hook in dict(hooks or ()).items()]
    return found or None


@cython.binding(False)
cdef class LeafPlan:
    """A leaf: what its gradient must be before a replay, and what it is afterwards."""

    @property
    def leaf(self):
        """The leaf; None where it is an argument, or gone."""
        return None if self.where is None else self.where()

    cdef Tensor leaf_of(self, list inputs):
        return <Tensor> inputs[self.input] if self.input >= 0 else <Tensor?> self.where()

    cdef bint fits(self, list inputs) except -1:
        """Whether the gradient is as it was: there or not, and the same memory where the program uses it; hooks too."""
        cdef Tensor leaf
        cdef bint has_grad
        if self.input < 0 and self.where() is None:
            return False
        leaf = self.leaf_of(inputs)
        has_grad = leaf.extra != NULL and leaf.extra.grad != NULL
        if has_grad != self.had_grad:
            return False
        if self.grad_storage and (<size_t> (<Tensor> leaf.extra.grad).storage != self.grad_storage
                                  or geometry_of(<Tensor> leaf.extra.grad) != self.grad_geometry):
            return False
        return leaf.extra == NULL and self.hooks is None or hooks_of(leaf) == self.hooks

    cdef int assign(self, list inputs, list leaves) except -1:
        """Give the leaf its new gradient. leaves: the plans of all."""
        if not self.changes:
            return 0
        grad = self.grad
        if self.alike >= 0:
            grad = (<object> (<LeafPlan> leaves[self.alike]).leaf_of(inputs)).grad
        elif isinstance(grad, ResultPlan):
            grad = (<ResultPlan> grad).make()
        (<object> self.leaf_of(inputs)).grad = grad
        return 0
