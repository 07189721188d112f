"""Recording: a function's operations and launches, noted while it runs. See tracing.pyx."""
from wengert_core.extend cimport Tensor
from wengert_replay.recording.calls cimport Call
from wengert_replay.recording.traced_operations cimport TracedOperations


cdef class Recording(TracedOperations):
    cdef readonly list versions        # of the inputs when the recording began
    cdef dict python_versions          # by the Storage's address: rises of versions inside of Python calls
    cdef readonly list construct_notes  # reasons why constructs in it are recorded operation by operation
    cdef readonly list sharing         # results of constructs that may share memory: loops/unrolled.py
    cdef readonly dict facts           # of arguments that Python reads, by KINDS in arguments.pyx: words
    cdef public bint in_trial          # a construct runs operation by operation, to be looked at
    cdef readonly dict tried           # of these, results that may share memory, by names
    cdef public object unseen          # names of those that nobody sees; None: nobody asks
    cdef readonly object python        # Effects of hooks and custom Functions that have run
    cdef readonly bint is_open
    cdef readonly bint pauses          # it has stopped, and may go on: its pool takes back what is freed
    cdef public object turn            # of the function's calls: Turn; None where others are no matter
    cdef public object given           # the arguments of the captured function; None: made for the recording
    cdef public object changes         # of the state of Python by the function: Changes; None: nobody asks
    cdef public object lookups         # where the function finds tensors: Lookups; None: not known
    cdef list hooked                   # (id, reference or None, number of the input or -1, hooks) of tensors; None
    cdef list asked_in_bodies          # references to tensors from outside whose gradients bodies ask for
    cdef set wanted                    # addresses of nodes from outside whose gradients are asked for
    cdef list at_pause                 # versions of arguments and of memory from outside
    cdef list expected                 # references to tensors from outside at a pause, with their sizes and strides
    cdef readonly bint passes          # the refusal is of this time
    cdef readonly Recording around     # that is suspended while this records the body of a loop; None
    cdef bint watches                  # writes, for itself or one around it
    cdef dict watched                  # by the Storage's address: (Tensor, version, whether it is a copy of a row)
    cdef bint tells_writes             # to listeners, its own or those of one around it
    cdef readonly dict write_listeners  # by the address of memory: references to WriteListeners
    cdef public object before          # OutsideState of memory that is written to, as it was; None: nobody asks
    cdef bint is_trial                 # nothing outside of it may change: an eager call does not run it, or once
    cdef bint ends_outside             # a backward comes to nodes from outside, and no further

    cpdef Recording outermost(self)
    cdef int go_on(self) except -1
    cdef int let_go(self) except -1
    cdef int note_hooks(self) except -1
    cdef int note_body(self, Recording body) except -1
    cdef Tensor stand_in(self, Tensor t)
    cdef bint is_outside_pool(self, Tensor t) noexcept
    cdef int watch_source(self, Tensor source) except -1
    cdef void set_pauses(self, bint pauses) noexcept
    cdef void close_soon(self) noexcept
    cdef list versions_now(self)
    cdef int pass_over_writes(self) except -1
    cdef bytes live_marks(self)
    cdef str words_of(self, Py_ssize_t number)
    # a Python function
    cdef int open_call(self, list tensors) except -1
    cdef int add_call(self, Call call, list outputs, str name) except -1
