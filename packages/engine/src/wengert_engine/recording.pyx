"""Recording: what observed operations leave behind. See recording.pxd; observing.pyx writes it, the profiler reads it."""
cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc, PyMem_RawRealloc
from cpython.ref cimport Py_XDECREF, Py_XINCREF
from libc.string cimport memcmp, memcpy, memset

cdef extern from "Python.h":
    ctypedef struct PyFrameObject
    ctypedef struct PyCodeObject
    PyFrameObject* PyEval_GetFrame() noexcept                   # borrowed
    PyFrameObject* PyFrame_GetBack(PyFrameObject* frame) noexcept
    PyCodeObject* PyFrame_GetCode(PyFrameObject* frame) noexcept
    int PyFrame_GetLasti(PyFrameObject* frame) noexcept
    int PyCode_Addr2Line(PyCodeObject* code, int offset) noexcept

cdef extern from *:
    """
    #include <time.h>
    static inline int64_t wengert_now(void) {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    }
    """
    int64_t wengert_now() noexcept nogil

cdef enum:
    MAX_STACK = 128                    # innermost calls of a stack that are kept

cdef int64_t SERIAL = 0


cdef int64_t clock() noexcept nogil:
    return wengert_now()


def now():
    """Nanoseconds of the clock that events are timed with."""
    return wengert_now()


cdef class Recording:
    """The events of a profile, from all threads that took part."""

    def __cinit__(self, int options):
        global SERIAL
        SERIAL += 1
        self.serial = SERIAL & 0xFFFFFF
        self.options = options
        self.kept, self.codes = {}, []

    def __dealloc__(self):
        cdef uint32_t i
        for i in range(self.n_chunks):
            PyMem_RawFree(self.chunks[i])
        PyMem_RawFree(self.chunks)
        PyMem_RawFree(self.words.data)
        PyMem_RawFree(self.words.table)
        PyMem_RawFree(self.frames.data)
        PyMem_RawFree(self.frames.table)

    def __len__(self):
        return self.n

    # ---- writing

    cdef Event* at(self, uint32_t index) noexcept:
        return &self.chunks[index // CHUNK][index % CHUNK]

    cdef Event* add(self) noexcept:
        cdef void* more
        cdef Event* event
        if self.closed:
            return NULL
        if self.n == self.n_chunks * CHUNK:
            more = PyMem_RawRealloc(self.chunks, (self.n_chunks + 1) * sizeof(Event*))
            if more == NULL:
                return NULL
            self.chunks = <Event**> more
            self.chunks[self.n_chunks] = <Event*> PyMem_RawMalloc(CHUNK * sizeof(Event))
            if self.chunks[self.n_chunks] == NULL:
                return NULL
            self.n_chunks += 1
        event = self.at(self.n)
        memset(event, 0, sizeof(Event))
        self.n += 1
        return event

    cdef void keep(self, PyObject* what) noexcept:
        cdef uint32_t place = <uint32_t> (<size_t> what >> 4) & 1023
        if self.known[place] != what:
            self.known[place] = what
            self.kept[<size_t> what] = <object> what

    @cython.overflowcheck(False)
    cdef uint32_t intern(self, Words* words, const int64_t* items, int n) noexcept:
        """The entry of a sequence; 0 when there is no memory left."""
        cdef uint64_t h = 1469598103934665603
        cdef uint32_t place, entry
        cdef int i
        if words.used * 2 >= words.table_size and not widen(words):
            return 0
        for i in range(n):
            h = (h ^ <uint64_t> items[i]) * <uint64_t> 1099511628211
        h ^= h >> 32
        place = <uint32_t> h & (words.table_size - 1)
        while words.table[place]:
            entry = words.table[place]
            if words.data[entry] == n and memcmp(&words.data[entry + 1], items, n * sizeof(int64_t)) == 0:
                return entry
            place = (place + 1) & (words.table_size - 1)
        if not make_room(words, n + 1):
            return 0
        entry = words.n
        words.data[entry] = n
        memcpy(&words.data[entry + 1], items, n * sizeof(int64_t))
        words.n += n + 1
        words.table[place] = entry
        words.used += 1
        return entry

    cdef uint32_t stack(self) noexcept:
        cdef PyFrameObject* frame = PyEval_GetFrame()
        cdef PyFrameObject* back
        cdef PyObject* found[MAX_STACK]
        cdef int offsets[MAX_STACK]
        cdef int64_t items[3]
        cdef uint32_t entry = 0, before
        cdef int i, n = 0
        Py_XINCREF(<PyObject*> frame)
        while frame != NULL and n < MAX_STACK:
            found[n] = <PyObject*> PyFrame_GetCode(frame)
            offsets[n] = PyFrame_GetLasti(frame)
            n += 1
            back = PyFrame_GetBack(frame)
            Py_XDECREF(<PyObject*> frame)
            frame = back
        Py_XDECREF(<PyObject*> frame)
        for i in range(n - 1, -1, -1):
            items[0], items[1], items[2] = entry, <int64_t> <size_t> found[i], offsets[i]
            before = self.frames.used
            entry = self.intern(&self.frames, items, 3)
            if self.frames.used != before:
                self.codes.append(<object> found[i])
            Py_XDECREF(found[i])
        return entry

    # ---- reading

    def take(self, uint32_t number):
        """The events of a chunk as bytes: records as recording.pxd describes them; None behind the last one.

        They are given once: the recording is closed by that, and keeps names, shapes and stacks only.
        """
        cdef uint32_t first = number * CHUNK, count
        self.closed = True
        if first >= self.n:
            return None
        count = min(<uint32_t> CHUNK, self.n - first)
        taken = PyBytes_FromStringAndSize(<char*> self.chunks[number], count * sizeof(Event))
        PyMem_RawFree(self.chunks[number])
        self.chunks[number] = NULL
        return taken

    def sequence(self, uint32_t entry):
        """The numbers of an entry of words, which describe shapes."""
        return [self.words.data[entry + 1 + i] for i in range(self.words.data[entry])] if entry else []

    def calls(self, uint32_t entry):
        """The calls of a stack, the innermost first: (file, line, function)."""
        cdef PyCodeObject* code
        found = []
        while entry:
            code = <PyCodeObject*> <size_t> self.frames.data[entry + 2]
            found.append(((<object> <PyObject*> code).co_filename, PyCode_Addr2Line(code, <int> self.frames.data[entry + 3]),
                          (<object> <PyObject*> code).co_qualname))
            entry = <uint32_t> self.frames.data[entry + 1]
        return found

    def nbytes(self):
        """The memory it takes."""
        return (<size_t> (0 if self.closed else self.n_chunks) * CHUNK * sizeof(Event) + (self.words.room + self.frames.room) * sizeof(int64_t)
                + (self.words.table_size + self.frames.table_size) * sizeof(uint32_t))


cdef bint make_room(Words* words, int n) noexcept:
    """Room for n more numbers. Entry 0 is no entry."""
    cdef uint32_t room
    cdef void* data
    if words.n == 0:
        words.n = 1
    if words.n + n > words.room:
        room = max(2 * words.room, words.n + n + 1024)
        data = PyMem_RawRealloc(words.data, room * sizeof(int64_t))
        if data == NULL:
            return False
        words.data, words.room = <int64_t*> data, room
    return True


@cython.overflowcheck(False)
cdef bint widen(Words* words) noexcept:
    """A table of twice the size."""
    cdef uint32_t size = max(1024, 2 * words.table_size), place, entry, i
    cdef uint32_t* table = <uint32_t*> PyMem_RawCalloc(size, sizeof(uint32_t))
    cdef uint64_t h
    cdef int64_t k
    if table == NULL:
        return False
    for i in range(words.table_size):
        entry = words.table[i]
        if entry == 0:
            continue
        h = 1469598103934665603
        for k in range(words.data[entry]):
            h = (h ^ <uint64_t> words.data[entry + 1 + k]) * <uint64_t> 1099511628211
        h ^= h >> 32
        place = <uint32_t> h & (size - 1)
        while table[place]:
            place = (place + 1) & (size - 1)
        table[place] = entry
    PyMem_RawFree(words.table)
    words.table, words.table_size = table, size
    return True
