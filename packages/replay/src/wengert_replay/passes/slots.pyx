"""Slots: where the small values of a program lie.

Note [Values and slots]
    A program works on blocks of memory that are used again and again. What a launch writes there is a value, until
    something else is written. A value of few bytes gets a slot: bytes in a dense array, from the launch that makes it
    to the last that reads it. Thousands of numbers then lie behind each other, where blocks would lie 64 bytes apart;
    a copy needs no instruction, as its result is the same value; and memory is written only where somebody looks:
    when a run stops or ends, or when bytes of several values are read at once.
    Values are found by the cells of operands (Note [Cells] in ranges.pyx). What lies in memory when it is read first
    is loaded into a slot; it is loaded again when memory may have changed.
"""
cimport cython
from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset

from wengert_core.extend cimport (LAUNCH_CALL, LAUNCH_COPY, LAUNCH_FILL, LAUNCH_MOVE, LAUNCH_STORE, OPERAND_CONSTANT,
                                  OPERAND_READ, OPERAND_UPDATED, OPERAND_WRITTEN, CopyLaunch, dtype_facts)
from wengert_replay.passes.common cimport CommonParts
from wengert_replay.passes.ranges cimport NO_CELL, Cells
from wengert_replay.passes.schedule cimport (ALONE, FACT_NAMES, FACT_NUMBERS, FACT_SMALL, FACT_STOPS, is_dense,
                                             is_small, overwrites)

cdef enum:
    VECTOR = 16                        # WG_VECTOR of programs/machine.h
    MOST_SLOTS = 0x7fff0000            # bytes, which an int32_t counts
    TABLE = 2048                       # of numbers
    MOST_PROBES = 8                    # in it
    FIRST_ROOM = 1024                  # for values, beside one for each launch
    N_SIZES = 33                       # of slots: 8 bytes, and up to MOST_BYTES in vectors


@cython.binding(False)
cdef class Slots:
    """The values of a schedule, and the slots of the small ones. Note [Values and slots]"""

    def __dealloc__(self):
        free(self.values)
        free(self.value)
        free(self.loads)
        free(self.current)
        free(self.numbers)

    cdef int lay_out(self, Schedule schedule) except -1:
        cdef Py_ssize_t k, n_operands = schedule.cells.n_operands
        cdef int32_t at, last = -1, i
        self.schedule, self.common = schedule, CommonParts()
        self.value, self.loads = <int32_t*> malloc(4 * n_operands + 4), <uint8_t*> calloc(n_operands + 1, 1)
        self.current = <int32_t*> malloc(4 * schedule.cells.n + 4)
        if self.value == NULL or self.loads == NULL or self.current == NULL:
            raise MemoryError()
        for k in range(n_operands):
            self.value[k] = NO_VALUE
        for k in range(schedule.cells.n):
            self.current[k] = NO_VALUE
        (<CommonParts> self.common).lay_out(schedule.n)
        self.room = <int32_t> schedule.n + FIRST_ROOM
        self.values = <Value*> malloc(self.room * sizeof(Value))
        if self.values == NULL:
            raise MemoryError()
        self.number_numbers()
        for at in range(schedule.n):
            i = schedule.order[at]
            last = max(last, at)
            while last + 1 < schedule.n and schedule.group[i] != ALONE \
                    and schedule.group[schedule.order[last + 1]] == schedule.group[i]:
                last += 1
            if not schedule.dropped[i]:
                self.see_launch(i, last)
        if schedule.kept is None:
            self.store_all()
        else:
            self.store_kept()
        return self.assign()

    # ---- values

    cdef int32_t add_value(self, size_t address, Py_ssize_t nbytes, int32_t at, int flags) except -1:
        cdef Value* grown
        cdef Value* made
        if self.n == self.room:
            grown = <Value*> realloc(self.values, (2 * self.room + FIRST_ROOM) * sizeof(Value))
            if grown == NULL:
                raise MemoryError()
            self.values, self.room = grown, 2 * self.room + FIRST_ROOM
        made = &self.values[self.n]
        made.address, made.nbytes, made.root, made.offset = address, <int32_t> nbytes, self.n, 0
        made.last, made.slot, made.flags = at, -1, <uint8_t> flags
        self.n += 1
        return self.n - 1

    cdef int32_t value_at(self, int32_t operand) noexcept:
        """The one value that all cells of an operand have; NO_VALUE where there is none."""
        cdef Cells cells = self.schedule.cells
        cdef int32_t cell, value
        if cells.first[operand] == NO_CELL:
            return NO_VALUE
        value = self.current[cells.first[operand]]
        for cell in range(cells.first[operand] + 1, cells.end[operand]):
            if self.current[cell] != value:
                return NO_VALUE
        return value if value >= self.forgotten else NO_VALUE

    cdef void set_cells(self, int32_t operand, int32_t value) noexcept:
        cdef int32_t cell
        if self.schedule.cells.first[operand] != NO_CELL:
            for cell in range(self.schedule.cells.first[operand], self.schedule.cells.end[operand]):
                self.current[cell] = value

    cdef void store(self, int32_t value) noexcept:
        if value >= self.forgotten and not self.values[value].flags & VALUE_IN_MEMORY:
            self.values[value].flags |= VALUE_STORED

    cdef void store_in(self, int32_t operand) noexcept:
        """Have in memory what the cells of an operand have."""
        cdef int32_t cell
        if self.schedule.cells.first[operand] != NO_CELL:
            for cell in range(self.schedule.cells.first[operand], self.schedule.cells.end[operand]):
                self.store(self.current[cell])

    cdef void store_all(self) noexcept:
        """Have in memory what any cell has."""
        cdef Cells cells = self.schedule.cells
        cdef int32_t value, cell
        for value in range(max(self.barrier, self.forgotten), self.n):
            for cell in range(cells.cell_of(self.values[value].address),
                              cells.cell_of(self.values[value].address + self.values[value].nbytes)):
                if self.current[cell] == value:
                    self.store(value)
        self.barrier = self.n

    cdef void store_kept(self) noexcept:
        cdef Cells cells = self.schedule.cells
        cdef Py_ssize_t k
        cdef int32_t cell
        for k in range(self.schedule.kept.n):
            for cell in range(cells.cell_of(self.schedule.kept.bounds[2 * k]),
                              cells.cell_of(self.schedule.kept.bounds[2 * k + 1])):
                self.store(self.current[cell])

    # ---- launches

    cdef bint is_move(self, int32_t i) noexcept:
        """Whether a launch copies a small value as it is."""
        cdef Launch* launch = &self.schedule.launches[i]
        cdef CopyLaunch* plan = <CopyLaunch*> launch.plan
        if launch.kind == LAUNCH_MOVE:
            return is_small(launch, 0)
        return launch.kind == LAUNCH_COPY and is_small(launch, 0) and plan.target_dtype == plan.source_dtype \
            and overwrites(self.schedule, i, 1) \
            and is_dense(plan.shape, plan.source, plan.ndim, dtype_facts().itemsize[plan.source_dtype])

    cdef int see_launch(self, int32_t i, int32_t at) except -1:
        """Note the values that a launch reads and makes; at: the place behind which it has run."""
        cdef Launch* launch = &self.schedule.launches[i]
        cdef const int32_t* operands = self.schedule.cells.operands + i
        cdef const uint8_t* roles = self.schedule.roles + operands[0]
        cdef bint alone = self.schedule.group[i] == ALONE
        cdef bint instruction = alone and self.schedule.facts[i] & FACT_SMALL
        cdef CommonParts common = <CommonParts> self.common
        cdef int32_t known
        cdef int k, flags = 0, n = operands[1] - operands[0]
        if self.schedule.facts[i] & FACT_STOPS:
            self.store_all()
            if launch.kind == LAUNCH_CALL:
                self.forgotten = self.n
            return 0
        if self.schedule.facts[i] & FACT_NAMES:
            self.see_call(i)
            return 0
        if alone and not instruction and self.is_move(i):
            return self.share(i, at)
        for k in range(n):
            if roles[k] == OPERAND_READ:
                self.read(i, k, at, instruction)
        if instruction and self.is_fixed(i) \
                or alone and (launch.kind == LAUNCH_STORE or launch.kind == LAUNCH_FILL):
            flags = VALUE_FIXED
        known = common.find(self, i) if instruction and not flags else <int32_t> NO_VALUE
        if known != NO_VALUE:
            return self.reuse(i, known, at)
        for k in range(n):
            if roles[k] == OPERAND_UPDATED:
                self.update(i, k, at)
            elif roles[k] == OPERAND_WRITTEN:
                self.write(i, k, at, flags)
        if instruction and not flags:
            common.add(i)
        return 0

    cdef void see_call(self, int32_t i) noexcept:
        """A call that names its memory reads and writes it there."""
        cdef int32_t operand, first = self.schedule.cells.operands[i], end = self.schedule.cells.operands[i + 1]
        for operand in range(first, end):
            if self.schedule.roles[operand] & OPERAND_READ:
                self.store_in(operand)
        for operand in range(first, end):
            if self.schedule.roles[operand] & OPERAND_WRITTEN:
                self.set_cells(operand, NO_VALUE)

    cdef bint is_fixed(self, int32_t i) noexcept:
        """Whether all that a launch reads is the same in each run."""
        cdef int32_t value, operand
        for operand in range(self.schedule.cells.operands[i], self.schedule.cells.operands[i + 1] - 1):
            if self.schedule.roles[operand] != OPERAND_CONSTANT:
                value = self.value[operand]
                if value == NO_VALUE or not self.values[value].flags & VALUE_FIXED:
                    return False
        return True

    cdef int read(self, int32_t i, int k, int32_t at, bint loads) except -1:
        """loads: what lies in memory is to be in a slot."""
        cdef Launch* launch = &self.schedule.launches[i]
        cdef int32_t operand = self.schedule.cells.operands[i] + k
        cdef int32_t value = self.value_at(operand)
        if value == NO_VALUE:
            self.store_in(operand)
            if not loads or self.schedule.cells.first[operand] == NO_CELL:
                return 0
            value = self.add_value(<size_t> (launch.data[k] + launch.low[k]), launch.high[k] - launch.low[k], at,
                                   VALUE_IN_MEMORY)
            self.set_cells(operand, value)
            self.loads[operand] = True
        self.value[operand] = value
        self.values[self.values[value].root].last = at
        return 0

    cdef int write(self, int32_t i, int k, int32_t at, int flags) except -1:
        cdef Launch* launch = &self.schedule.launches[i]
        cdef int32_t operand = self.schedule.cells.operands[i] + k
        cdef int32_t value = NO_VALUE
        if is_small(launch, k) and overwrites(self.schedule, i, k):
            value = self.add_value(<size_t> (launch.data[k] + launch.low[k]), launch.high[k] - launch.low[k], at, flags)
        elif not overwrites(self.schedule, i, k):
            self.store_in(operand)     # what it leaves there stays
        self.value[operand] = value
        self.set_cells(operand, value)
        return 0

    cdef int update(self, int32_t i, int k, int32_t at) except -1:
        """An operand that is read and written: in its slot, where nothing else has that."""
        cdef Launch* launch = &self.schedule.launches[i]
        cdef int32_t operand = self.schedule.cells.operands[i] + k
        cdef int32_t value = self.value_at(operand), root, made = NO_VALUE
        cdef Py_ssize_t nbytes = launch.high[k] - launch.low[k]
        if value != NO_VALUE:
            root = self.values[value].root
            if self.values[value].nbytes == nbytes and not self.values[root].flags & (VALUE_SHARED | VALUE_FIXED):
                made = self.add_value(self.values[value].address, nbytes, at, 0)
                self.values[made].root = root
                self.values[root].last = at
                self.values[root].flags |= VALUE_UPDATED
        if made == NO_VALUE:
            self.store_in(operand)
        self.value[operand] = made
        self.set_cells(operand, made)
        return 0

    cdef int share(self, int32_t i, int32_t at) except -1:
        """The target of a copy is the same value as its source, at another address."""
        cdef Launch* launch = &self.schedule.launches[i]
        cdef int32_t operand = self.schedule.cells.operands[i], value, root, made
        self.read(i, 0, at, True)
        value = self.value[operand]
        root = self.values[value].root
        made = self.add_value(<size_t> (launch.data[1] + launch.low[1]), launch.high[1] - launch.low[1], at,
                              self.values[root].flags & VALUE_FIXED)
        self.values[made].root = root
        self.values[made].offset = self.values[value].offset \
            + <int32_t> (<size_t> (launch.data[0] + launch.low[0]) - self.values[value].address)
        self.values[root].flags |= VALUE_SHARED
        self.value[operand + 1] = made
        self.set_cells(operand + 1, made)
        return 0

    cdef int reuse(self, int32_t i, int32_t value, int32_t at) except -1:
        """The result of a launch is a value that was there before."""
        cdef Launch* launch = &self.schedule.launches[i]
        cdef int32_t last = launch.n_operands - 1, operand = self.schedule.cells.operands[i] + last
        cdef int32_t root = self.values[value].root
        cdef int32_t made = self.add_value(<size_t> (launch.data[last] + launch.low[last]),
                                           launch.high[last] - launch.low[last], at, 0)
        self.values[made].root, self.values[made].offset = root, self.values[value].offset
        self.values[root].flags |= VALUE_SHARED
        self.values[root].last, self.value[operand] = at, made
        self.set_cells(operand, made)
        return 0

    # ---- numbers

    cdef int number_numbers(self) except -1:
        """Give operands that are numbers fixed values, equal ones the same where that is soon found."""
        cdef Launch* launch
        cdef int32_t table[TABLE]
        cdef int32_t i, value
        cdef size_t at
        cdef int k, _probe
        memset(table, 0xff, sizeof(table))
        for i in range(<int32_t> self.schedule.n):
            launch = &self.schedule.launches[i]
            if self.schedule.dropped[i] or not self.schedule.facts[i] & FACT_NUMBERS:
                continue
            for k in range(launch.n_operands):
                if launch.role[k] == OPERAND_CONSTANT:
                    at = hash_of(launch.data[k]) % TABLE
                    for _probe in range(MOST_PROBES):
                        value = table[at]
                        if value == NO_VALUE or memcmp(self.numbers[value], launch.data[k], NUMBER_BYTES) == 0:
                            break
                        at = (at + 1) % TABLE
                    else:
                        value = NO_VALUE
                    if value == NO_VALUE:
                        value = table[at] = self.add_number(launch.data[k])
                    self.value[self.schedule.cells.operands[i] + k] = value
        self.barrier = self.n
        return 0

    cdef int32_t add_number(self, char* data) except -1:
        cdef char** grown
        cdef int32_t value = self.add_value(0, NUMBER_BYTES, 0, VALUE_FIXED)
        if not value & value - 1:
            grown = <char**> realloc(self.numbers, max(2 * value, 1) * sizeof(char*))
            if grown == NULL:
                raise MemoryError()
            self.numbers = grown
        self.numbers[value], self.n_numbers = data, value + 1
        self.values[value].slot = <int32_t> self.nbytes
        self.nbytes += NUMBER_BYTES
        return value

    # ---- slots

    cdef int assign(self) except -1:
        """Give each value a slot, which is used again behind its last reader."""
        cdef int32_t* after            # by place in the order: the first value that ends there; by value: the next
        cdef int32_t* following
        cdef int32_t unused[N_SIZES]
        cdef int32_t value, at, i, operand, first, end
        cdef int k
        after = <int32_t*> malloc(4 * self.schedule.n + 4)
        following = <int32_t*> malloc(4 * self.n + 4)
        if after == NULL or following == NULL:
            free(after)
            free(following)
            raise MemoryError()
        memset(after, 0xff, 4 * self.schedule.n)
        for k in range(N_SIZES):
            unused[k] = NO_VALUE
        for value in range(self.n):
            if self.values[value].root != value or self.values[value].slot >= 0:
                continue
            if self.values[value].flags & VALUE_FIXED:
                self.assign_slot(value, NULL, following)
            else:
                following[value] = after[self.values[value].last]
                after[self.values[value].last] = value
        for at in range(<int32_t> self.schedule.n):
            i = self.schedule.order[at]
            first = self.schedule.cells.operands[i]
            end = first if self.schedule.dropped[i] else self.schedule.cells.operands[i + 1]
            for operand in range(first, end):
                value = self.value[operand]
                if value >= self.n_numbers and self.values[value].root == value and self.values[value].slot < 0:
                    self.assign_slot(value, unused, following)
            value = after[at]
            while value != NO_VALUE:
                after[at] = following[value]
                k = size_class(self.values[value].nbytes)
                following[value], unused[k] = unused[k], value
                value = after[at]
        free(after)
        free(following)
        if self.nbytes > MOST_SLOTS:
            raise MemoryError("the small values of a program take more than 2 GB")
        return 0

    cdef void assign_slot(self, int32_t value, int32_t* unused, int32_t* following) noexcept:
        """Find a slot, a free one of the size first. unused: NULL: a slot of its own for good."""
        cdef int k = size_class(self.values[value].nbytes)
        if unused != NULL and unused[k] != NO_VALUE:
            self.values[value].slot = self.values[unused[k]].slot
            unused[k] = following[unused[k]]
            return
        if k:
            self.nbytes = (self.nbytes + VECTOR - 1) // VECTOR * VECTOR
        self.values[value].slot = <int32_t> self.nbytes
        self.nbytes += k * VECTOR if k else 8


cdef inline int size_class(int32_t nbytes) noexcept nogil:
    """0: up to 8 bytes; else the number of vectors."""
    return 0 if nbytes <= 8 else (nbytes + VECTOR - 1) // VECTOR


@cython.overflowcheck(False)            # the product wraps
cdef inline size_t hash_of(const char* number) noexcept nogil:
    cdef uint64_t words[2]
    memcpy(words, number, NUMBER_BYTES)
    return ((words[0] ^ words[1] * 3) * <uint64_t> 0x9e3779b97f4a7c15) >> 30
