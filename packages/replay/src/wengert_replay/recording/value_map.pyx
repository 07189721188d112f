"""ValueMap: which value is where in memory while a function is recorded.

Note [Whose memory it is]
    A tensor lies in a block of the recording's pool, in an argument, or outside. A block that nothing has written when
    it is first used holds Python data, which a step stores. What is outside is held, so that its address stays true.
    Memory that is not the allocator's and comes from an operation is a result.
Note [Memory of two Storages]
    ``x.data`` and what DLPack gives have a Storage of their own on the memory of another one. In a block of the pool
    that makes no difference, as whoever lives there has the block. On the memory of an argument it does: a replay could
    not tell such a tensor from one that was there before, so it is refused.
Note [Blocks are used again]
    The pool gives the memory of a tensor that is gone to another one. ``BlockNote.since`` says which results are gone
    with it: a tensor of the same address and type that no step made is not taken for one of them.
"""
cimport cython
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t
from libc.stdlib cimport free
from libc.string cimport memset

import gc
from weakref import ref

from wengert_core.extend cimport (LAUNCH_MOVE, LAUNCH_POINTWISE, LAUNCH_REDUCE, LAUNCH_STORE, OPERAND_WRITTEN,
                                  WG_FOREIGN, WG_GRAD, Block, Launch, Op, Storage, Tensor, block_at, bytes_between,
                                  dtype_facts, dtype_of, is_strided, tell_store)
from wengert_replay.trace.overlap cimport FOREIGN_BIN, share_memory
from wengert_replay.trace.steps cimport (PSEUDO_STORE, PSEUDO_VIEW, TAG_INPUT, TAG_OUTSIDE, TAG_SHIFT, WAY_STORE,
                                         WAY_VIEW, Steps)
from wengert_replay.trace.tables cimport ABSENT, Words, append_word, find, free_table, grow, put

# Kinds of launches that say themselves whether a write is whole.
cdef int WHOLE = 1 << LAUNCH_POINTWISE | 1 << LAUNCH_REDUCE | 1 << LAUNCH_MOVE | 1 << LAUNCH_STORE
cdef str NOT_MADE = "an operation that replays call makes a value, such as a tangent, that they would not compute again"
cdef str SHARES = "a tensor shares the memory of an argument, and has versions of its own, as x.data does"


cdef inline bint has_main(BlockNote* note) noexcept:
    return note.main != ABSENT and note.main >= note.since


@cython.binding(False)
cdef class ValueMap(Tracer):
    """A map of memory while a function is recorded: which value is where."""

    def __cinit__(self):
        self.steps, self.foreign, self.storages, self.views = Steps(), [], set(), []
        self.made, self.arrays, self.own_storages, self.aliases = set(), set(), set(), {}
        self.read_gradients = set()
        self.outside, self.tensors, self.leaves, self.own_leaves = {}, {}, {}, {}
        memset(&self.recorder, 0, sizeof(self.recorder))

    def __dealloc__(self):
        free(self.block_notes)
        free(self.result_data)
        free(self.first_writes.items)
        free_table(&self.values)
        free_table(&self.owners)
        free_table(&self.seen)

    cdef int refuse(self, str why) except -1:
        """It cannot be replayed; the first reason counts."""
        cdef str line
        if self.refusal is None:
            line = self.steps.lines.text(self.steps.lines.current())
            self.refusal = f"{why} ({line})" if line else why
        return 0

    cdef Block* find_block(self, char* address) noexcept:
        cdef Block* block
        if address == self.last_address and address != NULL:         # as of many, which were just written
            return &self.pool.blocks[self.last_place]
        block = block_at(self.pool, address)
        if block != NULL:
            self.last_address, self.last_place = address, block_number(self.pool, block)
        return block

    cdef Block* block_of(self, Storage s) noexcept:
        """The block of the pool that a storage lies in; NULL. Note [Memory of two Storages]"""
        cdef Block* block = block_at(self.pool, s.data)
        cdef Py_ssize_t i
        if s.bin != FOREIGN_BIN:
            return block
        if block == NULL and find(&self.owners, <size_t> <PyObject*> s, 0) == ABSENT:
            for i in range(self.pool.n):           # a view that DLPack gave, or what is outside and was never seen
                block = &self.pool.blocks[i]
                if block.live and block.address < s.data < block.address + block.nbytes:
                    return block
            return NULL
        return block if block != NULL and block.live else NULL

    cdef bint overlaps_input(self, Storage s) noexcept:
        """Whether memory of a storage that is not known is that of an argument."""
        if find(&self.owners, <size_t> <PyObject*> s, 0) != ABSENT:
            return False
        for t in self.inputs:
            if share_memory((<Tensor> t).storage, <PyObject*> s):
                return True
        return False

    def value_of(self, Tensor t not None):
        """Return the value that a tensor is after the last step; None where no step knows it."""
        cdef uint32_t word = self.last_word_of(t)
        return None if word == ABSENT else self.steps.value_of_word(word)

    def value_named(self, Tensor t not None):
        """Return the value that a tensor is after the last step, of another form than what a step has written, too."""
        cdef Block* block = self.block_of(<Storage> t.storage) if self.pool != NULL else NULL
        cdef uint32_t word = self.last_word_of(t)
        cdef Py_ssize_t place
        if word == ABSENT and block != NULL and block.written == WRITTEN:
            place = block_number(self.pool, block)
            if place < self.n_notes and has_main(&self.block_notes[place]):
                word = self.add_view(self.steps.type_of(t), t.data, self.block_notes[place].main,
                                     self.block_notes[place].data)
        return None if word == ABSENT else self.steps.value_of_word(word)

    cdef uint32_t last_word_of(self, Tensor t) except? 0xFFFFFFFF:
        cdef uint32_t number = self.steps.type_of(t)
        cdef Block* block = self.block_of(<Storage> t.storage) if self.pool != NULL else NULL
        if block != NULL:
            return self.find_in_block(t, number, block)
        return find(&self.values, <size_t> t.data, number)

    # ---- tensors that are used

    cdef int add_input(self, Tensor t, uint32_t number) except -1:
        """Let an argument be a value."""
        cdef uint32_t type_number = self.steps.type_of(t)
        append_word(&self.steps.input_types, type_number)
        if find(&self.values, <size_t> t.data, type_number) == ABSENT:
            put(&self.values, <size_t> t.data, type_number, <uint32_t> TAG_INPUT << TAG_SHIFT | number)
        self.storages.add(<size_t> t.storage)
        put(&self.owners, <size_t> t.storage, 0, OWNER_INPUT)
        return self.see_leaf(t)

    cdef uint32_t word_of(self, Tensor t) except? 0xFFFFFFFF:
        """The word of a tensor that is used: what was there before is held, what no step has made is stored."""
        cdef Storage s
        cdef Block* block
        if t.device or t.flags & WG_FOREIGN or not is_strided(t):
            self.refuse(f"a tensor of another device or layout ({(<object> t).device})")
            return UNKNOWN
        s = <Storage> t.storage
        block = self.block_of(s)
        if block != NULL and block.live:
            return self.word_in_block(t, block)
        if self.overlaps_input(s):
            self.refuse(SHARES)
            return UNKNOWN
        return self.word_outside(t)

    cdef uint32_t word_in_block(self, Tensor t, Block* block) except? 0xFFFFFFFF:
        cdef uint32_t number = self.steps.type_of(t), word
        cdef Py_ssize_t place = block_number(self.pool, block)
        if block.written == DOUBTFUL:
            self.refuse(NOT_MADE)
            return UNKNOWN
        if not block.written:
            if (<Storage> t.storage).nbytes > MOST_STORED:
                self.refuse(f"a tensor of {(<Storage> t.storage).nbytes} bytes is made of Python data")
                return UNKNOWN
            self.mark_written(block)
            self.block_notes[place].serial = block.serial
            self.store_data(t)
            return self.name_result(number, t.data, block)
        word = self.find_in_block(t, number, block)
        if word != ABSENT:
            return word
        if place >= self.n_notes or not has_main(&self.block_notes[place]):
            return UNKNOWN
        return self.add_view(number, t.data, self.block_notes[place].main, self.block_notes[place].data)

    cdef uint32_t find_in_block(self, Tensor t, uint32_t type_number, Block* block) except? 0xFFFFFFFF:
        """The result that a tensor of the pool's memory is; ABSENT where it is none."""
        cdef Py_ssize_t place = block_number(self.pool, block)
        cdef BlockNote* note
        cdef uint32_t word
        if place >= self.n_notes:
            return ABSENT
        note = &self.block_notes[place]
        if has_main(note) and note.data == t.data:
            if note.type == 0:         # bytes of the engine, which this tells the type of
                note.type = type_number
                self.steps.set_type(note.main, type_number)
            if note.type == type_number:
                return note.main
        word = find(&self.values, <size_t> t.data, type_number)
        return word if word != ABSENT and word >= note.since else <uint32_t> ABSENT

    cdef uint32_t word_outside(self, Tensor t) except? 0xFFFFFFFF:
        """The word of a tensor on memory that is not the pool's."""
        cdef uint32_t number = self.steps.type_of(t), word = find(&self.values, <size_t> t.data, number)
        cdef uint32_t owner = find(&self.owners, <size_t> t.storage, 0)
        cdef Tensor base = None
        cdef Py_ssize_t i
        if owner == ABSENT or owner == OWNER_OUTSIDE:
            self.watch_outside(t)
        elif owner == OWNER_INPUT and id(t) not in self.made:
            self.note_on_argument(t)
        if word != ABSENT:
            return word
        if owner == OWNER_RESULT:
            return UNKNOWN
        if owner == OWNER_INPUT:
            for i, base in enumerate(self.inputs):
                if base.storage == t.storage:
                    return self.add_view(number, t.data, <uint32_t> TAG_INPUT << TAG_SHIFT | <uint32_t> i, base.data)
        if t.base != NULL and (<Tensor> t.base).storage == t.storage:
            return self.add_view(number, t.data, self.word_outside(<Tensor> t.base), (<Tensor> t.base).data)
        for i, reference in enumerate(self.steps.outside_references):
            base = reference()
            if base is not None and base.storage == t.storage:
                return self.add_view(number, t.data, <uint32_t> TAG_OUTSIDE << TAG_SHIFT | <uint32_t> i, base.data)
        word = <uint32_t> TAG_OUTSIDE << TAG_SHIFT | <uint32_t> self.steps.outside_types.n
        append_word(&self.steps.outside_types, number)
        self.steps.outside_references.append(ref(t))   # programs hold memory alone
        self.steps.outside_places.append((<size_t> t.storage, <size_t> t.data))
        put(&self.values, <size_t> t.data, number, word)
        return word

    def why_not_made(self, list tensors not None):
        """Return why a replay would not make one of these results or gradients; "" where it does."""
        cdef Tensor t
        cdef Block* block
        for t in tensors:
            block = NULL if t.device or not is_strided(t) else block_at(self.pool, (<Storage> t.storage).data)
            if block != NULL and block.live and block.written == DOUBTFUL:
                return NOT_MADE
        return ""

    def reaches_argument(self):
        """Whether the function has used the memory of an argument by another tensor that was there before."""
        if any([one() is not None for one in self.aliases.values()]):
            gc.collect()
        return any([one() is not None for one in self.aliases.values()])

    cdef int note_on_argument(self, Tensor t) except -1:
        """Note a tensor on the memory of an argument that the function has not made."""
        if not any([own is t for own in self.inputs]):
            self.aliases[id(t)] = ref(t)
        return 0

    cdef int watch_outside(self, Tensor t) except -1:
        """Hold what was there before, where that has not been done.

        A tensor that is not held may be gone, and another one be at its address: its Storage is a new one then.
        """
        cdef bint is_new = find(&self.owners, <size_t> t.storage, 0) == ABSENT
        if t.base != NULL:
            if is_new or find(&self.seen, <size_t> <PyObject*> t, <size_t> t.data) == ABSENT:
                self.add_outside(t)
            return self.see_leaf(t)
        if is_new or find(&self.seen, <size_t> <PyObject*> t, t.flags & WG_GRAD) == ABSENT:
            self.add_outside(t)
        return 0

    cdef int add_outside(self, Tensor t) except -1:
        """Hold what was there before."""
        cdef Storage s = <Storage> t.storage
        key = <size_t> t.storage
        if key not in self.outside:
            self.outside[key] = (t, s.version, <size_t> s.data, s.nbytes)
            if id(t) in self.made:
                self.own_storages.add(key)
            put(&self.owners, key, 0, OWNER_OUTSIDE)
        if t.base == NULL and id(t) not in self.made:
            self.tensors.setdefault(id(t), (t, <size_t> t.data, key, t.flags & WG_GRAD))
            put(&self.seen, <size_t> <PyObject*> t, t.flags & WG_GRAD, 1)
        else:                          # not held: whether it is gone counts
            self.views.append((ref(t), <size_t> t.data, key, t.flags & WG_GRAD))
            put(&self.seen, <size_t> <PyObject*> t, <size_t> t.data if t.base != NULL else t.flags & WG_GRAD, 1)
        return self.see_leaf(t)

    cdef int see_leaf(self, Tensor t) except -1:
        """Note the gradient that a leaf has before anything changes it."""
        return self.see_gradient(t) if t.flags & WG_GRAD else 0

    cdef int see_gradient(self, Tensor t) except -1:
        """Note the gradient that a tensor has before anything changes it: one that requires none may have one, too."""
        if t.grad_fn != NULL or id(t) in self.leaves or self.block_of(<Storage> t.storage) != NULL:
            return 0
        if id(t) in self.made and not t.flags & WG_GRAD:
            return 0
        if id(t) in self.made:         # not held: whether backward takes over its gradient depends on who has that
            self.own_leaves[id(t)] = ref(t)
            return 0
        grad = <object> t.extra.grad if t.extra != NULL and t.extra.grad != NULL else None
        self.leaves[id(t)] = (t, grad)
        return 0

    cdef int keep_own_leaves(self) except -1:
        """Let leaves that the function has made, and that are there when it ends, be leaves as others."""
        for reference in self.own_leaves.values():
            leaf = reference()
            if leaf is not None:
                self.leaves.setdefault(id(leaf), (leaf, None))
        return 0

    cdef bint is_input(self, Tensor t):
        return find(&self.owners, <size_t> t.storage, 0) == OWNER_INPUT or self.overlaps_input(<Storage> t.storage)

    cdef bint is_python_data(self, Tensor t) noexcept:
        cdef Block* block = self.block_of(<Storage> t.storage)
        return block != NULL and not block.written

    cdef int store_data(self, Tensor t) except -1:
        """Append a step that stores what Python has made."""
        cdef Words words
        cdef Storage s = <Storage> t.storage
        cdef object offset = bytes_between(s.data, t.data)
        memset(&words, 0, sizeof(Words))
        self.recorder.step = <uint32_t> self.steps.n
        tell_store(s.data, s.nbytes)
        try:
            append_word(&words, self.steps.bytes_constant(s.data, s.nbytes))
            append_word(&words, self.steps.constant(<PyObject*> offset))
            self.steps.add_record(PSEUDO_STORE, 3, self.steps.lines.current(), WAY_STORE, &words)
        finally:
            free(words.items)
        self.noted = self.recorder.n
        return 0

    cdef uint32_t add_view(self, uint32_t type_number, char* data, uint32_t base, char* base_data) except? 0xFFFFFFFF:
        """Append a step for a view that no operation made; return its word. base_data: the first byte of the base."""
        cdef Words words
        cdef Py_ssize_t* geometry = self.steps.geometry + self.steps.types.items[type_number]
        cdef Py_ssize_t rank = geometry[1], itemsize = dtype_facts().itemsize[geometry[0]]
        cdef Py_ssize_t i
        shape = tuple([geometry[2 + i] for i in range(rank)])
        strides = tuple([geometry[2 + rank + i] // itemsize for i in range(rank)])
        memset(&words, 0, sizeof(Words))
        try:
            append_word(&words, base)
            for part in (dtype_of(<int> geometry[0]), shape, strides, bytes_between(base_data, data)):
                append_word(&words, self.steps.shared_constant(part) if type(part) is tuple
                            else self.steps.constant(<PyObject*> part))
            self.steps.add_record(PSEUDO_VIEW, 31, self.steps.lines.current(), WAY_VIEW, &words)
        finally:
            free(words.items)
        return self.name_result(type_number, data, NULL)

    # ---- results

    cdef int mark_written(self, Block* block) except -1:
        """Remember that a block is written at each replay; results that were in it before are not any more."""
        cdef Py_ssize_t place = block_number(self.pool, block)
        cdef BlockNote* note
        while place >= self.n_notes:
            self.block_notes = <BlockNote*> grow(self.block_notes, self.n_notes, &self.notes_room, sizeof(BlockNote))
            note = &self.block_notes[self.n_notes]
            note.since, note.main, note.serial = 0, ABSENT, -1
            self.n_notes += 1
        if block.written != WRITTEN:
            block.written = WRITTEN
            self.block_notes[place].since = <uint32_t> self.steps.rows.n_results
        return 0

    cdef int mark_launches(self, Py_ssize_t first) except -1:
        """Remember what launches write."""
        cdef Launch* launch
        cdef Block* block
        cdef Py_ssize_t i
        cdef int k
        for i in range(first, self.recorder.n):
            launch = &self.recorder.launches[i]
            for k in range(launch.n_operands):
                if launch.role[k] & OPERAND_WRITTEN:
                    block = self.find_block(launch.data[k])
                    if block != NULL:
                        self.mark_written(block)
                        self.note_first_write(i, k, block)
        return 0

    cdef int note_first_write(self, Py_ssize_t number, int operand, Block* block) except -1:
        """Note a write before which nothing in the block counts, where its launch does not say that it is whole."""
        cdef BlockNote* note = &self.block_notes[block_number(self.pool, block)]
        if block.born <= number and note.serial != block.serial:
            note.serial = block.serial
            if not WHOLE >> self.recorder.launches[number].kind & 1:
                append_word(&self.first_writes, <uint32_t> (number << OPERAND_BITS | operand))

    cdef int note_output(self, Op op, Tensor t) except -1:
        """Name a result, and remember that it is written at each replay."""
        cdef Storage s
        cdef Block* block
        cdef BlockNote* note
        if t.device or not is_strided(t):
            self.refuse(f"{op.name if op is not None else 'a function'} gives a tensor of another device or layout")
            return 0
        s = <Storage> t.storage
        block = self.find_block(s.data) if s.bin != FOREIGN_BIN else self.block_of(s)
        if block != NULL:
            self.mark_written(block)
            note = &self.block_notes[block_number(self.pool, block)]
            note.serial = block.serial         # nothing later is the first write
        elif self.overlaps_input(s):
            self.refuse(SHARES)
            return 0
        elif s.bin == FOREIGN_BIN and find(&self.owners, <size_t> t.storage, 0) == ABSENT:
            self.foreign.append(s)
            put(&self.owners, <size_t> t.storage, 0, OWNER_RESULT)
        self.name_result(self.steps.type_of(t), t.data, block)
        return 0

    cdef uint32_t name_result(self, uint32_t type_number, char* data, Block* block) except? 0xFFFFFFFF:
        """Append a result of the last step, and let it be what is at an address; return its word."""
        cdef uint32_t number = self.steps.add_result(type_number)
        cdef BlockNote* note
        self.result_data = <char**> grow(self.result_data, number, &self.data_room, sizeof(char*))
        self.result_data[number] = data
        if block != NULL:
            note = &self.block_notes[block_number(self.pool, block)]
            if not has_main(note) or note.data == data and note.type == type_number:
                note.data, note.type, note.main = data, type_number, number
                return number
        put(&self.values, <size_t> data, type_number, number)
        return number
