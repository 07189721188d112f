"""Arena: where the values of a program lie, used again and again.

Note [Spans]
    The first run took a block for each tensor, of its own size, and fusion and slots leave many of them unused. So the
    memory of a program that nobody looks at while it runs is planned anew, when it is known which launches run and
    what they use in memory. A region is a block of the first run, an argument, or the block of a result; a span is
    what happens in one region from the launch that begins to write it until the last that reads it, or what a run
    begins or ends with. Spans that are in use at the same time lie apart in the arena, others share memory. Launches
    of a group count as one, and use all their memory at the same time.
    A write that is not known to be whole leaves something of what was there: it begins a span only where the recording
    has seen that it is the first in its block since somebody allocated that.
Note [Names of places]
    Which spans a stream uses is known when it is written, and only then are they placed. Until then addresses are
    names: the highest bit, the number of a span, and the distance from its start. Some spans are not placed at all: an
    argument is read where it is, and a result is written where it stays. Each run writes their addresses into the
    stream (Fields). So it does with those of the whole arena of a loop's body.
"""
cimport cython
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.stdint cimport uint32_t
from libc.string cimport memcpy, memset

from wengert_core.extend cimport OPERAND_READ, OPERAND_WRITTEN, Launch
from wengert_replay.passes.ranges cimport NO_CELL, Cells
from wengert_replay.passes.reach cimport Reach, reach_of
from wengert_replay.passes.schedule cimport ALONE, FACT_NAMES, Schedule, overwrites
from wengert_replay.passes.slots cimport NO_VALUE, VALUE_STORED
from wengert_replay.trace.tables cimport room_for_another, shorten
from wengert_replay.memory.layout cimport NARROW, WIDE, pack_spans

cdef enum:
    SHIFT = 39                         # of the number in a name, behind which the distance is
    MOST_SPANS = 0x1000000

cdef size_t NAMED = <size_t> 1 << 63
cdef size_t DISTANCE = (<size_t> 1 << SHIFT) - 1


@cython.binding(False)
cdef class Fields:
    """Addresses in a stream that each run writes."""

    def __dealloc__(self):
        free(self.items)
        free(self.far)

    @cython.overflowcheck(False)       # of what is not in the rows
    cdef int add(self, char* where, Py_ssize_t offset, Py_ssize_t n_bytes_of_rows) except -1:
        cdef size_t at = <size_t> where - <size_t> self.rows
        if at < <size_t> n_bytes_of_rows and 0 <= offset <= 0xffffffff:
            self.items = <Field*> room_for_another(self.items, self.n, sizeof(Field))
            self.items[self.n].at, self.items[self.n].offset = <uint32_t> at, <uint32_t> offset
            self.n += 1
        else:
            self.far = <FarField*> room_for_another(self.far, self.n_far, sizeof(FarField))
            self.far[self.n_far].where, self.far[self.n_far].offset = where, offset
            self.n_far += 1
        return 0

    cdef int shrink(self) except -1:
        self.items = <Field*> shorten(<char*> self.items, self.n * sizeof(Field))
        return 0

    cdef void set_base(self, char* base) noexcept nogil:
        """Let the stream use the memory that begins there."""
        set_fields(self.rows, self.items, self.n, self.far, self.n_far, base)

    cdef Py_ssize_t nbytes(self) noexcept:
        return self.n * <Py_ssize_t> sizeof(Field) + self.n_far * <Py_ssize_t> sizeof(FarField)


cdef void set_fields(
    char* rows, const Field* items, Py_ssize_t n, const FarField* far, Py_ssize_t n_far, char* base
) noexcept nogil:
    cdef Py_ssize_t i
    cdef char* address
    for i in range(n):
        address = base + items[i].offset
        memcpy(rows + items[i].at, &address, sizeof(address))
    for i in range(n_far):
        address = base + far[i].offset
        memcpy(far[i].where, &address, sizeof(address))


@cython.binding(False)
cdef class Arena:
    """The spans of a program, and one block for them. Note [Spans]"""

    def __cinit__(self):
        self.moving = []

    def __dealloc__(self):
        free(self.bounds)
        free(self.pinned)
        free(self.first)
        free(self.last)
        free(self.spans)
        free(self.positions)
        self.free_tables()

    cdef void free_tables(self) noexcept:
        free(self.region)
        free(self.live)
        free(self.n_live)
        free(self.open)
        free(self.span)
        self.region = self.n_live = self.open = self.span = NULL
        self.live = NULL

    cdef int add_region(self, size_t low, size_t high, bint pinned) except -1:
        self.bounds = <size_t*> room_for_another(self.bounds, self.n_regions, 2 * sizeof(size_t))
        self.pinned = <uint8_t*> room_for_another(self.pinned, self.n_regions, 1)
        self.bounds[2 * self.n_regions], self.bounds[2 * self.n_regions + 1] = low, high
        self.pinned[self.n_regions] = pinned
        self.n_regions += 1
        return 0

    cdef int32_t region_at(self, size_t address) noexcept:
        cdef Py_ssize_t low = 0, high = self.n_regions, middle
        while low < high:
            middle = (low + high) // 2
            if self.bounds[2 * middle] <= address:
                low = middle + 1
            else:
                high = middle
        return <int32_t> (low - 1) if low and address < self.bounds[2 * low - 1] else -1

    # ---- spans

    cdef int lay_out(self, Slots slots) except -1:
        cdef Schedule schedule = slots.schedule
        cdef int32_t at = <int32_t> schedule.n - 1, begin, k
        self.allocate_tables(slots)
        self.keep_ends(slots)
        while at >= 0:                 # backward; the launches of a group together
            begin = at
            while begin and schedule.group[schedule.order[at]] != ALONE \
                    and schedule.group[schedule.order[begin - 1]] == schedule.group[schedule.order[at]]:
                begin -= 1
            for k in range(at, begin - 1, -1):
                if schedule.facts[schedule.order[k]] & FACT_NAMES:
                    self.see_call(slots, schedule.order[k])
                elif not schedule.dropped[schedule.order[k]]:
                    self.see_launch(slots, schedule.order[k], at)
            for k in range(begin, at + 1):
                self.close_spans(slots, schedule.order[k], begin)
            at = begin - 1
        for k in range(<int32_t> self.n_regions):
            self.first[k] = self.open[k]
        self.name_positions(slots)
        self.free_tables()
        return 0

    cdef int allocate_tables(self, Slots slots) except -1:
        cdef Cells cells = slots.schedule.cells
        cdef Py_ssize_t i, k = 0
        self.region, self.live = <int32_t*> malloc(4 * cells.n + 4), <uint8_t*> calloc(cells.n + 1, 1)
        self.n_live, self.open = <int32_t*> calloc(self.n_regions + 1, 4), <int32_t*> malloc(4 * self.n_regions + 4)
        self.first, self.last = <int32_t*> malloc(4 * self.n_regions + 4), <int32_t*> malloc(4 * self.n_regions + 4)
        self.span = <int32_t*> malloc(4 * cells.n_operands + 4)
        self.positions = <char**> calloc(slots.n + 1, sizeof(char*))
        if self.region == NULL or self.live == NULL or self.n_live == NULL or self.open == NULL or self.first == NULL \
                or self.last == NULL or self.span == NULL or self.positions == NULL:
            raise MemoryError()
        memset(self.open, 0xff, 4 * self.n_regions)
        memset(self.span, 0xff, 4 * cells.n_operands)
        for i in range(cells.n):       # both are by rising addresses
            while k < self.n_regions and self.bounds[2 * k + 1] <= cells.edges[i]:
                k += 1
            self.region[i] = <int32_t> k if k < self.n_regions and self.bounds[2 * k] <= cells.edges[i] else -1
        return 0

    cdef int32_t touch(self, int32_t region, size_t low, size_t high, int32_t end) except -2:
        """The span of a region that is in use up to a place, where these bytes are used."""
        cdef Span* grown
        cdef Span* span
        if self.open[region] == NO_SPAN:
            if self.n == self.room:
                if self.n >= MOST_SPANS:
                    raise OverflowError("a program of more than 16,000,000 values in memory")
                grown = <Span*> realloc(self.spans, (2 * self.room + 64) * sizeof(Span))
                if grown == NULL:
                    raise MemoryError()
                self.spans, self.room = grown, 2 * self.room + 64
            span = &self.spans[self.n]
            span.low, span.high, span.begin, span.end, span.n_fields, span.moving = low, high, AT_START, end, 0, -1
            self.open[region] = <int32_t> self.n
            self.n += 1
        span = &self.spans[self.open[region]]
        span.low, span.high = min(span.low, low), max(span.high, high)
        return self.open[region]

    cdef int keep_ends(self, Slots slots) except -1:
        """Open the spans of what counts when a run ends."""
        cdef Cells cells = slots.schedule.cells
        cdef int32_t end = <int32_t> slots.schedule.n, cell, k
        for k in range(<int32_t> slots.schedule.kept.n):
            for cell in range(cells.cell_of(slots.schedule.kept.bounds[2 * k]),
                              cells.cell_of(slots.schedule.kept.bounds[2 * k + 1])):
                if self.region[cell] >= 0 and not self.live[cell]:
                    self.touch(self.region[cell], cells.edges[cell], cells.edges[cell + 1], end)
                    self.live[cell] = True
                    self.n_live[self.region[cell]] += 1
        for k in range(<int32_t> self.n_regions):
            if self.pinned[k]:
                self.touch(k, self.bounds[2 * k], self.bounds[2 * k + 1], end)
            self.last[k] = self.open[k]
        return 0

    cdef int see_launch(self, Slots slots, int32_t i, int32_t end) except -1:
        """Note what a launch uses: what it overwrites is not read from before it, what it reads is."""
        cdef Launch* launch = &slots.schedule.launches[i]
        cdef Cells cells = slots.schedule.cells
        cdef int32_t operand, value, cell, region
        cdef bint reads, writes
        cdef int k
        for k in range(launch.n_operands):
            operand = cells.operands[i] + k
            if cells.first[operand] == NO_CELL:
                continue
            value, region = slots.value[operand], self.region[cells.first[operand]]
            reads = launch.role[k] & OPERAND_READ and (value == NO_VALUE or slots.loads[operand])
            writes = launch.role[k] & OPERAND_WRITTEN and (value == NO_VALUE
                                                           or slots.values[value].flags & VALUE_STORED)
            if region < 0 or not (reads or writes):
                continue
            self.span[operand] = self.touch(region, cells.edges[cells.first[operand]], cells.edges[cells.end[operand]],
                                            end)
            if writes and (value != NO_VALUE or overwrites(slots.schedule, i, k)):
                self.forget(cells.first[operand], cells.end[operand])
            if slots.schedule.begins[operand]:
                self.forget(cells.cell_of(self.bounds[2 * region]), cells.cell_of(self.bounds[2 * region + 1]))
        for k in range(launch.n_operands):
            operand = cells.operands[i] + k
            if self.span[operand] != NO_SPAN and launch.role[k] & OPERAND_READ \
                    and (slots.value[operand] == NO_VALUE or slots.loads[operand]):
                for cell in range(cells.first[operand], cells.end[operand]):
                    self.n_live[self.region[cell]] += not self.live[cell]
                    self.live[cell] = True
        return 0

    cdef int see_call(self, Slots slots, int32_t i) except -1:
        """Note what a call that names its memory uses; it runs alone. What it overwrites is not read from before it,
        what it reads is.
        """
        cdef Cells cells = slots.schedule.cells
        cdef int32_t operand, cell
        for operand in range(cells.operands[i], cells.operands[i + 1]):
            if self.region[cells.first[operand]] < 0:
                continue
            self.span[operand] = self.touch(self.region[cells.first[operand]], cells.edges[cells.first[operand]],
                                            cells.edges[cells.end[operand]], i)
            if slots.schedule.roles[operand] == OPERAND_WRITTEN:
                self.forget(cells.first[operand], cells.end[operand])
        for operand in range(cells.operands[i], cells.operands[i + 1]):
            if self.span[operand] != NO_SPAN and slots.schedule.roles[operand] & OPERAND_READ:
                for cell in range(cells.first[operand], cells.end[operand]):
                    self.n_live[self.region[cell]] += not self.live[cell]
                    self.live[cell] = True
        return 0

    cdef void forget(self, int32_t first, int32_t end) noexcept:
        """Nobody reads what these cells of a region hold from here backward."""
        cdef int32_t cell
        for cell in range(first, end):
            if self.live[cell]:
                self.n_live[self.region[cell]] -= 1
                self.live[cell] = False

    cdef void close_spans(self, Slots slots, int32_t i, int32_t begin) noexcept:
        """Close the spans of a launch of whose regions nothing is read that was there before."""
        cdef Cells cells = slots.schedule.cells
        cdef int32_t region, operand
        for operand in range(cells.operands[i], cells.operands[i + 1]):
            if self.span[operand] == NO_SPAN:
                continue
            region = self.region[cells.first[operand]]
            if self.open[region] != NO_SPAN and not self.n_live[region] and not self.pinned[region]:
                self.spans[self.open[region]].begin = begin
                self.open[region] = NO_SPAN

    cdef int name_positions(self, Slots slots) except -1:
        """Let operands and values that are in memory name their places. Note [Names of places]"""
        cdef Cells cells = slots.schedule.cells
        cdef Launch* launch
        cdef Span* span
        cdef int32_t i, operand, value
        cdef int k
        for k in range(self.n):
            span = &self.spans[k]
            span.start = span.low & ~<size_t> ((WIDE if span.high - span.low >= WIDE else NARROW) - 1)
            if span.high - span.start > DISTANCE:
                raise OverflowError("a program with a value of more than 500 GB")
        for i in range(<int32_t> slots.schedule.n):
            launch = &slots.schedule.launches[i]
            if slots.schedule.facts[i] & FACT_NAMES:
                self.name_call(slots, i)
                continue
            for k in range(launch.n_operands):
                operand = cells.operands[i] + k
                if self.span[operand] == NO_SPAN:
                    continue
                value = slots.value[operand]
                if value == NO_VALUE:
                    launch.data[k] = <char*> self.name_of(self.span[operand], <size_t> launch.data[k])
                else:
                    self.positions[value] = <char*> self.name_of(self.span[operand], slots.values[value].address)
        return 0

    cdef int name_call(self, Slots slots, int32_t i) except -1:
        cdef Reach reach = reach_of(slots.schedule.reaches, i)
        cdef int32_t first = slots.schedule.cells.operands[i]
        cdef int k
        for k in range(reach.n):
            if self.span[first + k] != NO_SPAN:
                reach.rows[k].where[0] = <char*> self.name_of(self.span[first + k], <size_t> reach.rows[k].where[0])
        return 0

    cdef size_t name_of(self, int32_t span, size_t address) noexcept:
        return (NAMED | <size_t> span << SHIFT) + (address - self.spans[span].start)

    # ---- places

    cdef int see_field(self, char* where, bint counts) except -1:
        cdef char* address
        cdef Span* span
        memcpy(&address, where, sizeof(address))
        if not is_named(address):
            return 0
        span = &self.spans[(<size_t> address & ~NAMED) >> SHIFT]
        if counts:
            span.n_fields += 1
            return 0
        if span.moving >= 0:
            fields = <Fields> self.moving[span.moving]
            return fields.add(where, <Py_ssize_t> (span.start + (<size_t> address & DISTANCE) - fields.origin),
                              self.n_bytes_of_rows)
        if self.own is not None:
            return self.own.add(where, span.offset + <Py_ssize_t> (<size_t> address & DISTANCE), self.n_bytes_of_rows)
        address = self.base + span.offset + (<size_t> address & DISTANCE)
        memcpy(where, &address, sizeof(address))
        return 0

    cdef Fields move(self, int32_t span, size_t origin):
        cdef Fields fields = Fields.__new__(Fields)
        fields.origin, fields.rows = origin, self.rows
        self.moving.append(fields)
        self.move_too(span)
        return fields

    cdef void move_too(self, int32_t span) noexcept:
        self.spans[span].moving = <int32_t> len(self.moving) - 1

    cdef char* address_in(self, int32_t span, size_t address) noexcept:
        return self.base + self.spans[span].offset + (address - self.spans[span].start)

    cdef int pack(self) except -1:
        cdef Py_ssize_t n = 0, i
        cdef int32_t* numbers = <int32_t*> malloc(4 * self.n + 4)
        if numbers == NULL:
            raise MemoryError()
        for i in range(self.n):
            if self.spans[i].n_fields and self.spans[i].moving < 0:
                numbers[n] = <int32_t> i
                n += 1
        try:
            self.nbytes = pack_spans(self.spans, numbers, n)
        finally:
            free(numbers)
        return 0
