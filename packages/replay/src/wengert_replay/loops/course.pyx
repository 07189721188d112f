"""Course: what iterations with one body copy and run.

A row that the body reads is an argument where it is, if it has the strides that the body was recorded with; a small one
is copied, which costs less than to write its addresses. Rows with other strides are copied element by element.
"""
cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int64_t, uint8_t, uint16_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

from wengert_core.extend cimport (COMPLEX64, COMPLEX128, FLOAT16, FLOAT32, FLOAT64, Launch, Tensor, copy_into,
                                  dtype_facts, itemsize_of, new_on_memory, same_shape, strides_of)
from wengert_replay.loops.body cimport Body, Port
from wengert_replay.memory.arena cimport Fields, set_fields
from wengert_replay.trace.tables cimport room_for_another
from wengert_replay.programs.stream cimport STOP_END, STOP_FAILED, Row

from wengert_replay.refusal import Refusal

cdef enum:
    CHUNK = 0x40                       # iterations between two looks for signals
    STOP_TEST = 100                    # the test does not hold


cdef int add_feed(Feeds* feeds, char* source, Py_ssize_t source_step, char* target, Py_ssize_t target_step,
                  Py_ssize_t nbytes) except -1:
    cdef Feed* grown
    if nbytes == 0:
        return 0
    grown = <Feed*> realloc(feeds.items, (feeds.n + 1) * sizeof(Feed))
    if grown == NULL:
        raise MemoryError()
    feeds.items = grown
    feeds.items[feeds.n].source, feeds.items[feeds.n].target = source, target
    feeds.items[feeds.n].source_step, feeds.items[feeds.n].target_step = source_step, target_step
    feeds.items[feeds.n].nbytes = nbytes
    feeds.n += 1
    return 0


cdef void copy_all(Feeds* feeds, Py_ssize_t i) noexcept nogil:
    cdef Py_ssize_t k
    cdef Feed* feed
    for k in range(feeds.n):
        feed = &feeds.items[k]
        if feed.nbytes == 8:
            (<int64_t*> (feed.target + i * feed.target_step))[0] = (<int64_t*> (feed.source + i * feed.source_step))[0]
        else:
            memcpy(feed.target + i * feed.target_step, feed.source + i * feed.source_step, feed.nbytes)


cdef inline void step_all(Steps* steps, Py_ssize_t i) noexcept nogil:
    cdef Py_ssize_t k
    cdef Step* own
    for k in range(steps.n):
        own = &steps.items[k]
        set_fields(own.rows, own.items, own.n, own.far, own.n_far, own.row + i * own.step)


cdef bint is_true(const char* data, int code, Py_ssize_t itemsize) noexcept nogil:
    """Whether a number is not 0."""
    cdef Py_ssize_t k
    if code == FLOAT64:
        return (<double*> data)[0] != 0
    if code == FLOAT32:
        return (<float*> data)[0] != 0
    if code == COMPLEX128:
        return (<double*> data)[0] != 0 or (<double*> data)[1] != 0
    if code == COMPLEX64:
        return (<float*> data)[0] != 0 or (<float*> data)[1] != 0
    if itemsize == 2 and dtype_facts().category[code] == dtype_facts().category[<int> FLOAT16]:
        return (<uint16_t*> data)[0] & 0x7FFF != 0
    for k in range(itemsize):
        if (<uint8_t*> data)[k]:
            return True
    return False


cdef int check_strides(str construct, Tensor target, Tensor last) except -1:
    cdef int i
    if construct.endswith("_backward"):        # leaves take gradients with strides of their own
        return 0
    for i in range(last.rank):         # what follows would have other kernels, and other bits
        if last.dims[i] > 1 and strides_of(target)[i] != strides_of(last)[i]:
            raise Refusal(f"{construct} ends with a carry of other strides than in the recording")
    return 0


cdef bint is_alike(Tensor t, Tensor other) noexcept:
    """Whether two tensors have the same geometry."""
    cdef int i
    if t.code != other.code or not same_shape(t, other):
        return False
    for i in range(t.rank):
        if strides_of(t)[i] != strides_of(other)[i]:
            return False
    return True


cdef bint is_row_of(Tensor rows, Tensor like) noexcept:
    cdef int i
    for i in range(like.rank):
        if like.dims[i] > 1 and strides_of(rows)[i + 1] != strides_of(like)[i]:
            return False
    return True


cdef bint is_dense_port(Port* port, Tensor like) noexcept:
    return port.nbytes <= like.count * itemsize_of(like)


cdef bint is_row_like(Tensor rows, Tensor like, Port* port, bint reads) noexcept:
    """Whether a row is the bytes of a tensor of the body, and few others."""
    return is_row_of(rows, like) and (port.nbytes == like.count * itemsize_of(like)
                                      or reads and is_dense_port(port, like))


cdef Tensor tensor_at(Tensor like, char* data):
    """A tensor of the same geometry with its first element there."""
    return new_on_memory(like.code, like.rank, like.dims, strides_of(like), data, data, 0, None)


cdef bint ends_behind(Body test, Body body, char* scratch, list offsets) except -1:
    """Whether a test does not hold for the carry that a body gives, from which no body goes on. It has a copy of the
    carry, in ``scratch``, as both need the memory of the arenas.
    """
    cdef Tensor like = test.like_results[0]
    cdef Py_ssize_t k
    cdef bint holds
    for k in range(test.n_inputs):
        if not is_alike(test.like_inputs[k], body.like_results[k]):
            return False
    for k in range(test.n_inputs):
        test.put_input(k, scratch + <Py_ssize_t> offsets[k])
        memcpy(test.inputs[k].data, body.results[k].data, test.inputs[k].nbytes)
    test.run()
    holds = is_true(test.results[0].data, like.code, itemsize_of(like))
    for k in range(test.n_inputs):
        memcpy(body.results[k].data, test.inputs[k].data, test.inputs[k].nbytes)
    return not holds


@cython.binding(False)
cdef class Course:
    """Copies and runs of the iterations with one body."""

    def __dealloc__(self):
        free(self.before.items)
        free(self.behind.items)
        free(self.moves.items)
        free(self.steps.items)

    # ---- what is copied

    cdef int add_input(self, Py_ssize_t k, Tensor rows, bint backwards, bint in_place) except -1:
        """Let argument ``k`` be a row of a tensor: in iteration 0 the first, or the last one."""
        cdef Py_ssize_t step = strides_of(rows)[0]
        if in_place:
            if self.body.inputs[k].nbytes == 0 or self.end == 0:
                return 0
            self.check_rows(rows)
            return self.add_step(k, rows.data + (self.end - 1) * step if backwards else rows.data, -step if backwards
                                 else step)
        return self.add_rows(&self.body.inputs[k], self.body.like_inputs[k], rows, backwards, True)

    cdef int add_output(self, Py_ssize_t k, Tensor rows, bint backwards) except -1:
        """Let result ``k`` become a row of a tensor."""
        return self.add_rows(&self.body.results[k], self.body.like_results[k], rows, backwards, False)

    cdef int add_rows(self, Port* port, Tensor like, Tensor rows, bint backwards, bint reads) except -1:
        cdef Py_ssize_t step = strides_of(rows)[0]
        cdef char* data = rows.data
        cdef Tensor row
        if port.nbytes == 0 or self.end == 0:
            return 0
        self.check_rows(rows)
        if backwards:
            data, step = data + (self.end - 1) * step, -step
        if not is_row_like(rows, like, port, reads):
            row = new_on_memory(rows.code, rows.rank - 1, rows.dims + 1, strides_of(rows) + 1, data, data, 0, None)
            self.strided.append([row, <size_t> data, step, tensor_at(like, port.data - port.low), reads])
            return 0
        if reads:
            return add_feed(&self.before, data + port.low, step, port.data, 0, port.nbytes)
        return add_feed(&self.behind, port.data, 0, data + port.low, step, port.nbytes)

    cdef int check_rows(self, Tensor rows) except -1:
        if self.end > rows.dims[0]:
            raise IndexError(f"row {rows.dims[0]} of a tensor of {rows.dims[0]} rows")
        return 0

    cdef int add_step(self, Py_ssize_t k, char* row, Py_ssize_t step) except -1:
        cdef Fields fields = self.body.input_fields[k]
        cdef Step* own
        if fields is None:             # nobody reads it
            return 0
        self.steps.items = <Step*> room_for_another(self.steps.items, self.steps.n, sizeof(Step))
        own = &self.steps.items[self.steps.n]
        own.row, own.step, own.rows = row + self.body.inputs[k].low, step, fields.rows
        own.items, own.n, own.far, own.n_far = fields.items, fields.n, fields.far, fields.n_far
        self.steps.n += 1
        return 0

    cdef int add_kept(self, Py_ssize_t k, Tensor rows) except -1:
        """Keep carry ``k`` of each iteration, as bytes."""
        return add_feed(&self.before, self.body.inputs[k].data, 0, rows.data, self.body.inputs[k].nbytes,
                        self.body.inputs[k].nbytes)

    cdef int set_test(self, Body test, Py_ssize_t n_carry) except -1:
        """Let a body decide whether there is another iteration, from the carry where it is."""
        cdef Tensor like = test.like_results[0]
        cdef Py_ssize_t k
        for k in range(n_carry):
            test.put_input(k, self.body.inputs[k].data)
        self.test, self.test_code, self.test_itemsize = test, like.code, itemsize_of(like)
        return 0

    cdef int add_moves(self, Py_ssize_t n_carry) except -1:
        """Let the carry that an iteration gives be that of the next one with the same body."""
        cdef Py_ssize_t k
        cdef char* scratch = self.body.scratch
        cdef Port* source
        cdef Port* target
        for k in range(n_carry):       # those in arguments first: a move may overwrite them
            source, target = &self.body.results[k], &self.body.inputs[k]
            if source.input >= 0 and source.data != target.data:
                add_feed(&self.moves, source.data, 0, scratch, 0, source.nbytes)
                scratch += source.nbytes
        scratch = self.body.scratch
        for k in range(n_carry):
            source, target = &self.body.results[k], &self.body.inputs[k]
            if source.input < 0:
                add_feed(&self.moves, source.data, 0, target.data, 0, target.nbytes)
            elif source.data != target.data:
                add_feed(&self.moves, scratch, 0, target.data, 0, target.nbytes)
                scratch += source.nbytes
        return 0

    # ---- what runs

    cdef bint ends(self) except -1:
        if self.test is None:
            return False
        self.test.run()
        return not is_true(self.test.results[0].data, self.test_code, self.test_itemsize)

    cdef Py_ssize_t run(self, Py_ssize_t at, int64_t lower, bint repeats) except -1:
        cdef int stop = STOP_END
        cdef Py_ssize_t end = self.end if repeats else at + 1
        cdef Launch* launch
        if not repeats or self.strided or self.body.calls or self.test is not None and self.test.calls:
            while at < end and not self.ends():
                self.run_once(at, lower)
                at += 1
                if at & 0xF == 0:
                    PyErr_CheckSignals()
                if repeats:
                    copy_all(&self.moves, 0)
            return at
        while at < end and stop == STOP_END:
            with nogil:
                at = self.run_chunk(at, min(end, at + CHUNK), lower, &stop)
            if stop == STOP_FAILED:
                launch = <Launch*> (<Row*> self.failed).data
                launch.fail(launch)
            PyErr_CheckSignals()
        return at

    cdef Py_ssize_t run_chunk(self, Py_ssize_t at, Py_ssize_t end, int64_t lower, int* stop) noexcept nogil:
        """Run iterations of a body that calls no Python. stop: STOP_END; STOP_TEST where the test does not hold;
        STOP_FAILED where a launch meets a value that it refuses, which ``failed`` is then.
        """
        cdef char* place
        while at < end:
            if self.test is not None:
                place = self.test.stream.run(self.test.stream.rows, stop)
                if stop[0] != STOP_END:
                    self.failed = place
                    return at
                if not is_true(self.test.results[0].data, self.test_code, self.test_itemsize):
                    stop[0] = STOP_TEST
                    return at
            copy_all(&self.before, at)
            step_all(&self.steps, at)
            if self.index != NULL:
                (<int64_t*> self.index)[0] = lower + self.index_step * at
            place = self.body.stream.run(self.body.stream.rows, stop)
            if stop[0] != STOP_END:
                self.failed = place
                return at
            copy_all(&self.behind, at)
            at += 1
            copy_all(&self.moves, 0)
        return at

    cdef int run_once(self, Py_ssize_t at, int64_t lower) except -1:
        cdef Tensor row
        if self.n_empty and (at == 0 or at == self.n_empty):
            for loop in self.excused:
                loop.is_excused = at < self.n_empty
        copy_all(&self.before, at)
        step_all(&self.steps, at)
        for row, data, step, other, reads in self.strided:
            if reads:
                row.data = <char*> <size_t> data + at * <Py_ssize_t> step
                copy_into(<Tensor> other, row)
        if self.index != NULL:
            (<int64_t*> self.index)[0] = lower + self.index_step * at
        self.body.run()
        copy_all(&self.behind, at)
        for row, data, step, other, reads in self.strided:
            if not reads:
                row.data = <char*> <size_t> data + at * <Py_ssize_t> step
                copy_into(row, <Tensor> other)
        return 0
