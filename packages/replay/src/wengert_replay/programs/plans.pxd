"""Plans: what a replay does with arguments, results and gradients. See plans.pyx."""
from libc.stdint cimport uint32_t

from wengert_core.extend cimport Tensor
from wengert_replay.memory.arena cimport Arena, Fields
from wengert_replay.memory.kept_gradients cimport KeptGradient
from wengert_replay.programs.memory cimport Memory
from wengert_replay.programs.stream cimport Stream


cdef class InputPlan:
    cdef char* block                   # where the program has the elements
    cdef Py_ssize_t low                # bytes from a tensor's first element to the first in memory
    cdef Py_ssize_t nbytes
    cdef readonly bint written
    cdef readonly unsigned int versions    # that a run adds
    cdef Fields fields                 # where the stream names the argument itself, in place of a block; None

    cdef int find_position(self, Arena arena) except -1       # before spans are placed
    cdef int go_there(self, Arena arena) except -1         # when they are
    cdef int take(self, Tensor t) except -1
    cdef int give_back(self, Tensor t) except -1


cdef class ResultPlan:
    cdef char* data                    # in the program's memory; NULL: no run writes it
    cdef Py_ssize_t low
    cdef Py_ssize_t high
    cdef Tensor like                   # its geometry, without memory
    cdef unsigned int version
    cdef bint inference                # it is a tensor of inference mode
    cdef bint requires_grad
    cdef object grad_fn                # a node that has nothing to compute; or None
    cdef unsigned int output_nr
    cdef Tensor prepared               # that a run writes to; None
    cdef Fields fields                 # where the stream names it, in place of the program's memory; None
    cdef KeptGradient kept             # the tensor that it gives out again; None

    cdef Tensor make(self)
    cdef Tensor make_empty(self)
    cdef int find_position(self, Arena arena) except -1
    cdef int go_there(self, Arena arena) except -1
    cdef int prepare(self) except -1


cdef class OutsideResult:
    cdef object where                  # a weak reference to it, or to what it is a view of; None: a detached tensor
    cdef OutsideResult source          # what it is a view of, where the function makes that, too; or None
    cdef Tensor like                   # one that the function makes: its geometry and memory; None: it was there
    cdef uint32_t flags                # of a view
    cdef bint is_new                   # it has a Storage that the function makes, as what ``data`` gives
    cdef bint requires_grad            # it is a leaf
    cdef uint32_t version              # of that

    cdef Tensor give(self)
    cdef Tensor make(self)


cdef class HookPlan:
    cdef object where                  # a weak reference to the tensor; None: an argument
    cdef Py_ssize_t input              # its number; -1: none
    cdef object hooks                  # ``numbered_hooks``

    cdef bint fits(self, list inputs) except -1


cdef class LeafPlan:
    cdef object where                  # a weak reference to the leaf; None: an argument
    cdef readonly int input            # its number; -1: none
    cdef readonly bint had_grad        # before a run
    cdef readonly size_t grad_storage  # the address of that gradient's Storage where the program uses it; 0
    cdef object grad_geometry          # its address, sizes and strides there
    cdef object hooks                  # of the leaf: ``numbered_hooks``
    cdef readonly bint changes         # a run replaces the gradient
    cdef readonly int alike            # the number of an earlier leaf that gets the same gradient; -1
    cdef readonly object grad          # ResultPlan, a tensor, or None
    cdef readonly object value         # the recorded value of the new gradient, or None
    cdef bint is_temporary             # the function has made it on memory that was there, and nobody has it any more
    cdef KeptGradient kept             # the tensor in which a run finds the gradient; None: that of the recording

    cdef Tensor leaf_of(self, list inputs)

    cdef int take_gradient(self, list inputs) except -1
    cdef bint fits(self, list inputs) except -1
    cdef bint has_other_grad(self, list inputs) except -1
    cdef int assign(self, list inputs, list leaves) except -1


# Let the arena count the places in it that a stream names, or put addresses in their place.
cdef int see_addresses(Stream stream, Arena arena, bint counts) except -1
# Place all that a stream uses of an arena's regions, arguments and results too; return the results that a run writes
# where they stay.
cdef list pack_values(Arena arena, Stream stream, Memory memory, list inputs, list plans)
cdef object geometry_of(Tensor t)
# A result of the run that has ended: by its plan, of the arguments by its number.
cdef object result_of(plan, list inputs)
