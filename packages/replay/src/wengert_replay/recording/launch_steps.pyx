"""LaunchSteps: steps of what the engine does between operations.

Gradients that are copied or filled, and numbers that Python reads, are launches that belong to no operation: each is a
step of its own, which knows the values that it works on by their addresses.
"""
cimport cython
from libc.stdint cimport uint32_t
from libc.stdlib cimport free
from libc.string cimport memset

from wengert_core.extend cimport (LAUNCH_COPY, LAUNCH_FILL, LAUNCH_GUARD, LAUNCH_MOVE, OPERAND_WRITTEN, Block,
                                  CopyLaunch, FillPlan, Launch, StorePlan, Tensor, block_at, dtype_facts)
from wengert_replay.recording.value_map cimport UNKNOWN, WRITTEN, ValueMap, block_number
from wengert_replay.trace.steps cimport (PSEUDO_COPY, PSEUDO_FILL, PSEUDO_GUARD, PSEUDO_LAUNCH, TAG_INPUT, TAG_OUTSIDE,
                                         TAG_SHIFT, TAG_TUPLE, WAY_GUARD, WAY_LAUNCHES)
from wengert_replay.trace.tables cimport Words, append_word


@cython.binding(False)
cdef class LaunchSteps(ValueMap):
    """Steps of launches that belong to no operation."""

    def __cinit__(self):
        self.last_guard = -1

    cdef int note_engine(self) except -1:
        """Note launches that belong to no operation: gradients that are copied or filled, numbers that are read."""
        while self.noted < self.recorder.n:
            self.note_launch(self.noted)
            self.noted += 1
        return 0

    cdef int note_launch(self, Py_ssize_t number) except -1:
        """Append a step for a launch."""
        cdef Launch* launch = &self.recorder.launches[number]
        cdef Block* block
        cdef Words words
        cdef FillPlan* fill
        cdef CopyLaunch* copy
        cdef uint32_t type_number = 0, given = 1
        cdef uint32_t read = self.word_of_read(launch.data[0]) if launch.kind == LAUNCH_GUARD else UNKNOWN
        cdef int k, op = PSEUDO_LAUNCH, n_sources = 0, target = -1
        launch = &self.recorder.launches[number]
        launch.step = <uint32_t> self.steps.n
        memset(&words, 0, sizeof(Words))
        for k in range(launch.n_operands):
            if launch.role[k] & OPERAND_WRITTEN:
                target = k
            else:
                n_sources += 1
        try:
            if launch.kind == LAUNCH_GUARD:
                self.last_guard = number
                append_word(&words, read)
                append_word(&words, self.steps.bytes_constant((<StorePlan*> launch.plan).bytes,
                                                              (<StorePlan*> launch.plan).nbytes))
                return self.steps.add_record(PSEUDO_GUARD, 3, self.steps.lines.current(), WAY_GUARD, &words)
            if launch.kind == LAUNCH_FILL:
                fill, op = <FillPlan*> launch.plan, PSEUDO_FILL
                append_word(&words, self.steps.bytes_constant(fill.number, dtype_facts().itemsize[fill.dtype]))
                type_number = self.steps.layout_type(fill.dtype, fill.ndim, fill.shape, fill.strides)
            elif launch.kind == LAUNCH_COPY or launch.kind == LAUNCH_MOVE:
                op, copy = PSEUDO_COPY, <CopyLaunch*> launch.plan
                append_word(&words, self.word_of_source(launch))
                if launch.kind == LAUNCH_COPY:
                    type_number = self.steps.layout_type(copy.target_dtype, copy.ndim, copy.shape, copy.target)
            else:
                append_word(&words, <uint32_t> TAG_TUPLE << TAG_SHIFT | <uint32_t> n_sources)
                for k in range(launch.n_operands):
                    if not launch.role[k] & OPERAND_WRITTEN:
                        append_word(&words, self.word_at(launch.data[k]))
            block = block_at(self.pool, launch.data[target]) if target >= 0 else NULL
            if block != NULL and block.born > number:
                block = NULL           # the block has been given to another tensor since
            if target >= 0 and (block == NULL or block.written == WRITTEN):
                given |= 2
                append_word(&words, self.word_at(launch.data[target]))
            if block != NULL:
                self.mark_written(block)
                self.note_first_write(number, target, block)
            self.steps.add_record(op, given, self.steps.lines.current(), WAY_LAUNCHES, &words)
            if target >= 0:
                self.name_result(type_number, launch.data[target], block)
        finally:
            free(words.items)
        return 0

    cdef uint32_t word_of_read(self, char* address) except? 0xFFFFFFFF:
        """The word of a number that Python reads. A tensor from outside is used by that, if by nothing else before."""
        cdef uint32_t word = self.word_at(address)
        cdef Tensor t = self.tensor_at(address) if word == UNKNOWN and block_at(self.pool, address) == NULL else None
        return word if t is None else self.word_of(t)

    cdef Tensor tensor_at(self, char* address):
        """The tensor from outside that begins at an address, where the function may look it up; None."""
        return None

    cdef uint32_t word_of_source(self, Launch* launch) except? 0xFFFFFFFF:
        """The word of what a launch copies, as the tensor that it reads."""
        cdef CopyLaunch* copy = <CopyLaunch*> launch.plan
        cdef uint32_t base = self.word_at(launch.data[0]), number
        if launch.kind == LAUNCH_MOVE or base == UNKNOWN:
            return base
        number = self.steps.layout_type(copy.source_dtype, copy.ndim, copy.shape, copy.source)
        if self.steps.type_of_word(base) == number:
            return base
        return self.add_view(number, launch.data[0], base, launch.data[0])

    cdef uint32_t word_at(self, char* address) except? 0xFFFFFFFF:
        """The word of the last value that begins at an address."""
        cdef Py_ssize_t i
        cdef Tensor t
        cdef Block* block = block_at(self.pool, address)
        cdef Py_ssize_t place = block_number(self.pool, block) if block != NULL else 0
        cdef uint32_t oldest = self.block_notes[place].since if block != NULL and place < self.n_notes else 0
        for i in range(self.steps.rows.n_results - 1, <Py_ssize_t> oldest - 1, -1):
            if self.result_data[i] == address:
                return <uint32_t> i
        if block != NULL:
            return UNKNOWN
        for i, t in enumerate(self.inputs):
            if t.data == address:
                return <uint32_t> TAG_INPUT << TAG_SHIFT | <uint32_t> i
        for i, reference in enumerate(self.steps.outside_references):
            found = reference()
            if found is not None and (<Tensor> found).data == address:
                return <uint32_t> TAG_OUTSIDE << TAG_SHIFT | <uint32_t> i
        return UNKNOWN
