"""Event buffer of observed operations. See event_buffer.pxd; event_writer.pyx writes it, the profiler reads it."""
cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc, PyMem_RawRealloc
from cpython.ref cimport Py_XDECREF, Py_XINCREF

from wengert_engine.observe.clock cimport has_counter, instant, slope
from wengert_engine.anomaly.frames cimport (Frame, frame_code, frame_instruction, innermost_frame, line_at,
                                            outer_frame)
from wengert_engine.observe.interned_shapes cimport free_shapes, intern

cdef enum:
    MAX_STACK = 128  # innermost calls of a stack that are kept
    MAX_SPARE = 4    # chunks that are kept for the next recording: fresh pages cost as much as the records

cdef int64_t SERIAL = 0
cdef Event* SPARE[MAX_SPARE]
cdef int N_SPARE = 0


cdef Event* make_chunk() noexcept:
    global N_SPARE
    if N_SPARE:
        N_SPARE -= 1
        return SPARE[N_SPARE]
    return <Event*> PyMem_RawMalloc(CHUNK * sizeof(Event))


cdef void free_chunk(Event* chunk) noexcept:
    global N_SPARE
    if chunk != NULL and N_SPARE < MAX_SPARE:
        SPARE[N_SPARE] = chunk
        N_SPARE += 1
    else:
        PyMem_RawFree(chunk)


@cython.binding(False)
cdef class Recording:
    """The events of a profile, from all threads that took part."""

    def __cinit__(self, int options, timer=None):
        global SERIAL
        SERIAL += 1
        self.serial = SERIAL & 0xFFFFFF
        self.options, self.timer = options, timer
        self.kept, self.codes = {}, []
        self.counter = has_counter()
        self.begin = instant()

    def __dealloc__(self):
        cdef uint32_t i
        for i in range(self.n_chunks):
            free_chunk(self.chunks[i])
        PyMem_RawFree(self.chunks)
        free_shapes(&self.words)
        free_shapes(&self.frames)

    def __len__(self):
        return self.n

    @property
    def started(self):
        """When it was made, in nanoseconds of the monotonic clock."""
        return self.begin.ns

    # ---- writing

    cdef Event* at(self, uint32_t index) noexcept:
        return &self.chunks[index // CHUNK][index % CHUNK]

    cdef bint add_chunk(self) noexcept:
        """Room for more events; False: there is no memory left, or the recording is closed."""
        cdef void* more
        cdef Event* chunk
        if self.closed:
            return False
        more = PyMem_RawRealloc(self.chunks, (self.n_chunks + 1) * sizeof(Event*))
        if more == NULL:
            return False
        self.chunks = <Event**> more
        chunk = make_chunk()
        if chunk == NULL:
            return False
        self.chunks[self.n_chunks] = chunk
        self.n_chunks += 1
        self.next_event, self.limit = chunk, chunk + CHUNK
        return True

    cdef void add_timed(self, PyObject* what) noexcept:
        self.known[<uint32_t> (<size_t> what >> 4) & 1023] = what
        self.kept[<size_t> what] = <object> what

    cdef uint32_t stack(self) noexcept:
        cdef Frame* frame = innermost_frame()
        cdef PyObject* found[MAX_STACK]
        cdef int offsets[MAX_STACK]
        cdef int64_t items[3]
        cdef uint32_t entry = 0, before
        cdef int i, n = 0
        while frame != NULL and n < MAX_STACK:
            found[n] = frame_code(frame)
            Py_XINCREF(found[n])
            offsets[n] = frame_instruction(frame)
            n += 1
            frame = outer_frame(frame)
        Py_XDECREF(<PyObject*> frame)
        for i in range(n - 1, -1, -1):
            items[0], items[1], items[2] = entry, <int64_t> <size_t> found[i], offsets[i]
            before = self.frames.used
            entry = intern(&self.frames, items, 3)
            if self.frames.used != before:
                self.codes.append(<object> found[i])
            Py_XDECREF(found[i])
        return entry

    # ---- reading

    cdef int64_t ns(self, int64_t ticks) noexcept:
        return self.begin.ns + <int64_t> (<double> (ticks - self.begin.ticks) * self.slope)

    def take(self, uint32_t number):
        """The events of a chunk as bytes: records as event_buffer.pxd describes them; None behind the last one.

        They are given once: the recording is closed by that, and keeps names, shapes and stacks only.
        """
        cdef uint32_t first = number * CHUNK, count, i
        cdef Event* event
        if not self.closed:
            self.closed = True
            self.next_event = self.limit
            self.slope = slope(self.begin, instant())
        if first >= self.n or self.chunks[number] == NULL:
            return None
        count = min(<uint32_t> CHUNK, self.n - first)
        taken = PyBytes_FromStringAndSize(<char*> self.chunks[number], count * sizeof(Event))
        free_chunk(self.chunks[number])
        self.chunks[number] = NULL
        event = <Event*> PyBytes_AS_STRING(taken)
        for i in range(count):
            event[i].start = self.ns(event[i].start)
            if event[i].end:
                event[i].end = self.ns(event[i].end)
        return taken

    def sequence(self, uint32_t entry):
        """The numbers of an entry of words, which describe shapes."""
        return [self.words.data[entry + 1 + i] for i in range(self.words.data[entry])] if entry else []

    def calls(self, uint32_t entry):
        """The calls of a stack, the innermost first: (file, line, function)."""
        cdef PyObject* code
        found = []
        while entry:
            code = <PyObject*> <size_t> self.frames.data[entry + 2]
            found.append(((<object> code).co_filename, line_at(code, <int> self.frames.data[entry + 3]),
                          (<object> code).co_qualname))
            entry = <uint32_t> self.frames.data[entry + 1]
        return found

    def nbytes(self):
        """The memory it takes."""
        return (<size_t> (0 if self.closed else self.n_chunks) * CHUNK * sizeof(Event)
                + (self.words.room + self.frames.room) * sizeof(int64_t)
                + (self.words.table_size + self.frames.table_size) * sizeof(uint32_t))
