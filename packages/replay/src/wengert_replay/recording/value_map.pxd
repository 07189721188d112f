"""ValueMap: which value is where in memory while a function is recorded. See value_map.pyx."""
cimport cython
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.extend cimport Block, Op, Pool, Recorder, Storage, Tensor
from wengert_engine.extend cimport Tracer
from wengert_replay.trace.steps cimport Steps
from wengert_replay.trace.tables cimport Table, Words

cdef enum:
    UNKNOWN = 0xE0000000               # TAG_UNKNOWN, of no number
    MOST_STORED = 0x100000             # bytes of a tensor of Python data
    OPERAND_BITS = 4                   # of an operand's number, behind a launch's

cdef enum WriteMark:                     # Block.written
    WRITTEN = 1                        # what it holds is computed again at each replay
    DOUBTFUL = 2                       # it may be part of an operation that is called

cdef enum Owner:                       # whose the memory of a Storage is that is in no block of the pool
    OWNER_INPUT = 1
    OWNER_OUTSIDE = 2
    OWNER_RESULT = 3                   # memory that is not the allocator's

cdef struct BlockNote:                 # of a block of the pool, by its number
    char* data                         # the first byte of ``main``
    uint32_t type                      # the type of ``main``
    uint32_t main                      # the result that lies in it; others in it, views, are in ``values``
    uint32_t since                     # results before this number are not in it any more
    Py_ssize_t serial                  # of the allocation whose first launch is known; -1


@cython.overflowcheck(False)           # that checks the difference of the addresses, and gives it
cdef inline Py_ssize_t block_number(Pool* pool, Block* block) noexcept:
    return block - pool.blocks


cdef class ValueMap(Tracer):
    cdef Recorder recorder
    cdef Pool* pool                    # NULL: it was given to a program, or freed
    cdef char* last_address            # of the block that was looked for last; NULL: none
    cdef Py_ssize_t last_place         # its number
    cdef readonly Steps steps
    cdef readonly dict outside         # by the Storage's address: (Tensor, version when first seen, address, nbytes)
    cdef readonly dict tensors         # of outside, by id: (Tensor, address, Storage's address, requires_grad)
    cdef readonly list views           # of outside: (reference to a Tensor, address, Storage's address, requires_grad)
    cdef readonly dict leaves          # by id: (Tensor, its gradient when first seen)
    cdef set read_gradients            # ids of tensors whose gradient is read or set
    cdef readonly set made             # ids of tensors that operations have made on memory from outside
    cdef readonly set own_storages     # addresses of Storages on memory from outside that the function has made
    cdef readonly dict own_leaves      # weak references to leaves among those, by id
    cdef dict aliases                  # by id: references to tensors on arguments' memory of unknown origin
    cdef readonly set arrays           # addresses of the Storages of arrays that the function makes tensors of
    cdef readonly list foreign         # Storages of results on memory that is not the allocator's
    cdef readonly list inputs          # the tensors among the arguments
    cdef readonly str refusal          # why it cannot be replayed; None
    cdef set storages                  # addresses of the Storages of the inputs
    cdef Py_ssize_t noted              # launches that belong to a step
    cdef Table values                  # by address and type: the word of the value there
    cdef Table owners                  # by a Storage's address: Owner
    cdef Table seen                    # by a tensor's address and its WG_GRAD, of a view its data: it has been noted
    cdef BlockNote* block_notes        # owned
    cdef Py_ssize_t n_notes
    cdef Py_ssize_t notes_room
    cdef Words first_writes            # rising: (launch, operand) that writes to a block first after its allocation
    cdef char** result_data            # by the number of a result: its address; owned
    cdef Py_ssize_t data_room

    cdef int refuse(self, str why) except -1
    cdef Block* find_block(self, char* address) noexcept     # of the pool, that begins there; NULL
    cdef Block* block_of(self, Storage s) noexcept
    cdef bint overlaps_input(self, Storage s) noexcept
    # tensors that are used
    cdef int add_input(self, Tensor t, uint32_t number) except -1
    cdef uint32_t last_word_of(self, Tensor t) except? 0xFFFFFFFF     # of its value after the last step; ABSENT
    cdef uint32_t word_of(self, Tensor t) except? 0xFFFFFFFF
    cdef uint32_t word_in_block(self, Tensor t, Block* block) except? 0xFFFFFFFF
    cdef uint32_t word_outside(self, Tensor t) except? 0xFFFFFFFF
    cdef uint32_t find_in_block(self, Tensor t, uint32_t type_number, Block* block) except? 0xFFFFFFFF
    cdef uint32_t add_view(self, uint32_t type_number, char* data, uint32_t base, char* base_data) except? 0xFFFFFFFF
    cdef int store_data(self, Tensor t) except -1
    cdef int note_on_argument(self, Tensor t) except -1
    cdef int watch_outside(self, Tensor t) except -1
    cdef int add_outside(self, Tensor t) except -1
    cdef int see_leaf(self, Tensor t) except -1
    cdef int see_gradient(self, Tensor t) except -1
    cdef int keep_own_leaves(self) except -1
    cdef bint is_input(self, Tensor t)
    cdef bint is_python_data(self, Tensor t) noexcept     # nothing has written its memory
    # results
    cdef int mark_written(self, Block* block) except -1
    cdef int mark_launches(self, Py_ssize_t first) except -1
    cdef int note_first_write(self, Py_ssize_t number, int operand, Block* block) except -1
    cdef int note_output(self, Op op, Tensor t) except -1
    cdef uint32_t name_result(self, uint32_t type_number, char* data, Block* block) except? 0xFFFFFFFF
