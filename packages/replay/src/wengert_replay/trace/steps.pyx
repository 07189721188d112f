"""Steps: what a program does, operation by operation, as it is printed, called and saved.

Note [Steps are rows]
    A program has tens of thousands of steps, so a step is a row of bytes (packed.pyx). Its arguments are words, one for
    each that is not its parameter's default; a result is the number of its type (dtype, sizes, strides). Operations,
    lines, constants and types stand in tables, each once. Objects (``Step``, ``Value``) are made for whoever looks.
Note [Names are of memory]
    A value is known by its first byte and its type: tensors that agree in both are the same elements, whoever made
    them. What was there before is another value, which the step that wrote the memory gives its number.
"""
cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.object cimport PyTypeObject
from libc.stdlib cimport free
from libc.string cimport memcmp, memcpy

from wengert_core.extend cimport dtype_facts, dtype_of, not_made_by_hand
from wengert_replay.trace.lines cimport Lines
from wengert_replay.trace.packed cimport PackedSteps, Row
from wengert_replay.trace.tables cimport (ABSENT, Words, append_word, find, fit_words, free_table, grow, mix, put,
                                          shorten)

from wengert_replay.trace.values import PSEUDO_OPS, PseudoOp, UnknownArgument, Value

cdef extern from "Python.h":
    bint PyFloat_CheckExact(PyObject* o) noexcept
    bint PyLong_CheckExact(PyObject* o) noexcept
    long long PyLong_AsLongLongAndOverflow(object o, int* overflow) except? -1
    bint PyCallable_Check(PyObject* o) noexcept
    bint PyType_Check(PyObject* o) noexcept

cdef enum Kind:                        # of constants, in the keys of their table
    KIND_OBJECT = 0                    # by its address
    KIND_FLOAT = 1
    KIND_INT = 2

cdef enum:
    N_ROWS = 3                         # Steps.row

cdef tuple WAYS = ("launches", "view", "store", "call", "guard", "python", "error")
cdef dict KINDS = {TAG_RESULT: "result", TAG_INPUT: "input", TAG_OUTSIDE: "outside"}


@cython.binding(False)
cdef class Steps:
    """The steps of a program: a sequence of ``Step``."""

    def __cinit__(self):
        self.outside_references, self.outside_places, self.constants, self.lines = [], [], [], Lines()
        self.tuple_numbers, self.contents, self.late_types, self.rows = {}, {}, {}, PackedSteps()
        self.ops = list(PSEUDO_OPS)
        append_word(&self.types, 0)

    def __dealloc__(self):
        cdef int i
        for i in range(N_ROWS):
            free(self.row(i).items)
        self.free_tables()
        free(self.geometry)

    cdef Words* row(self, int number) noexcept:
        """One of the rows of words."""
        if number == 0:
            return &self.input_types
        return &self.outside_types if number == 1 else &self.types

    cdef void free_tables(self) noexcept:
        free_table(&self.op_numbers)
        free_table(&self.constant_numbers)
        free_table(&self.type_numbers)

    # ---- while it is written

    cdef uint32_t op_number(self, Op op) except? 0xFFFFFFFF:
        cdef uint32_t number = find(&self.op_numbers, <size_t> <PyObject*> op, 0)
        if number == ABSENT:
            number = self.add_op(op)
            put(&self.op_numbers, <size_t> <PyObject*> op, 0, number)
        return number

    cdef uint32_t function_number(self, str name) except? 0xFFFFFFFF:
        """The number of a Python function among the operations."""
        op = PseudoOp(name, ("arguments",))
        return self.ops.index(op) if op in self.ops else self.add_op(op)

    cdef uint32_t add_op(self, op) except? 0xFFFFFFFF:
        if len(self.ops) > 0xFFFF:
            raise OverflowError("a program of more than 65,000 operations that differ")
        self.ops.append(op)
        return <uint32_t> (len(self.ops) - 1)

    cdef uint32_t type_of(self, Tensor t) except? 0xFFFFFFFF:
        """The number of a tensor's dtype, sizes and strides."""
        if t.rank == 0 and self.scalar_types[t.code]:
            return <uint32_t> self.scalar_types[t.code]
        return self.type_number(t.code, t.rank, t.dims)

    cdef uint32_t type_number(self, int code, int rank, const Py_ssize_t* dims) except? 0xFFFFFFFF:
        """dims: sizes, then strides in bytes."""
        cdef size_t hash_ = mix(code, rank)
        cdef Py_ssize_t* words
        cdef uint32_t number, count = 0
        cdef int i, n = 2 * rank
        for i in range(n):
            hash_ = mix(hash_, <size_t> dims[i])
        while True:
            number = find(&self.type_numbers, hash_, count)
            if number == ABSENT:
                break
            words = self.geometry + self.types.items[number]
            if words[0] == code and words[1] == rank and memcmp(words + 2, dims, n * sizeof(Py_ssize_t)) == 0:
                return number
            count += 1
        number = <uint32_t> self.types.n
        put(&self.type_numbers, hash_, count, number)
        append_word(&self.types, <uint32_t> self.n_geometry)
        for i in range(-2, n):
            self.geometry = <Py_ssize_t*> grow(self.geometry, self.n_geometry, &self.geometry_room,
                                               sizeof(Py_ssize_t))
            self.geometry[self.n_geometry] = code if i == -2 else rank if i == -1 else dims[i]
            self.n_geometry += 1
        if rank == 0:
            self.scalar_types[code] = number
        return number

    cdef uint32_t layout_type(
        self, int dtype, int ndim, const Py_ssize_t* shape, const Py_ssize_t* strides
    ) except? 0xFFFFFFFF:
        cdef Py_ssize_t dims[16]
        cdef int i
        for i in range(ndim):
            dims[i], dims[ndim + i] = shape[i], strides[i]
        return self.type_number(dtype, ndim, dims)

    cdef uint32_t constant(self, PyObject* value) except? 0xFFFFFFFF:
        """The word of an argument that is no tensor and no sequence: it is held, each once where that is cheap."""
        cdef size_t bits = <size_t> value
        cdef int kind = KIND_OBJECT, overflow = 0
        cdef double number
        cdef long long integer
        cdef uint32_t known
        if PyFloat_CheckExact(value):
            number = <double> (<object> value)
            memcpy(&bits, &number, sizeof(double))
            kind = KIND_FLOAT
        elif PyLong_CheckExact(value):
            integer = PyLong_AsLongLongAndOverflow(<object> value, &overflow)
            if not overflow:
                bits, kind = <size_t> integer, KIND_INT
        known = find(&self.constant_numbers, bits, kind)
        if known != ABSENT:
            return known
        kept = <object> value
        if PyCallable_Check(value) and not PyType_Check(value):
            kept = UnknownArgument(type(kept).__name__)     # it may hold anything, and is at this address by chance
            return self.add_constant(kept)
        known = self.add_constant(kept)
        put(&self.constant_numbers, bits, kind, known)
        return known

    cdef uint32_t add_constant(self, value) except? 0xFFFFFFFF:
        self.constants.append(value)
        return <uint32_t> TAG_CONSTANT << TAG_SHIFT | <uint32_t> (len(self.constants) - 1)

    cdef uint32_t shared_constant(self, value) except? 0xFFFFFFFF:
        """The word of a tuple of ints, or of bytes, which are compared by value."""
        known = self.tuple_numbers.get(value)
        if known is None:
            known = self.tuple_numbers[value] = self.add_constant(value)
        return known

    cdef uint32_t bytes_constant(self, const char* data, Py_ssize_t nbytes) except? 0xFFFFFFFF:
        return self.shared_constant(PyBytes_FromStringAndSize(data, nbytes))

    cdef int add_record(self, uint32_t op, uint32_t given, uint32_t line, int way, Words* words) except -1:
        """Append a step; its results are what is added next."""
        self.rows.add_step(op, given, line, <uint32_t> way, words)
        self.n = self.rows.n
        return 0

    cdef uint32_t add_result(self, uint32_t type_number) except? 0xFFFFFFFF:
        """Append a result of the last step, and return its word."""
        if self.rows.n_results >= NUMBER_MASK:
            raise OverflowError("a program of more than 500,000,000 results")
        self.rows.add_result(type_number)
        return <uint32_t> (self.rows.n_results - 1)

    cdef int set_type(self, uint32_t number, uint32_t type_number) except -1:
        self.late_types[number] = type_number
        return 0

    cdef int shrink(self) except -1:
        """Nothing is written any more: drop tables and room."""
        cdef int i
        self.rows.shrink()
        for i in range(N_ROWS):
            fit_words(self.row(i))
        self.geometry = <Py_ssize_t*> shorten(<char*> self.geometry, self.n_geometry * sizeof(Py_ssize_t))
        self.geometry_room = self.n_geometry
        self.free_tables()
        self.tuple_numbers = {}
        self.lines.forget_tables()
        return 0

    # ---- for whoever looks

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        cdef Py_ssize_t number
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self.n))]
        number = index
        if number < 0:
            number += self.n
        if not 0 <= number < self.n:
            raise IndexError(f"step {index} of {self.n}")
        return self.step_at(number)

    cdef object step_at(self, Py_ssize_t number):
        """Return the step of a number, which may be noted next."""
        cdef Step step = Step.__new__(Step)
        step.steps, step.number = self, number
        return step

    def __iter__(self):
        for number in range(self.n):
            yield self[number]

    def step_of(self, Py_ssize_t number):
        """Return the step of that number, or the nearest; None where there is none."""
        return self[max(0, min(number, self.n - 1))] if self.n else None

    @property
    def outside(self):
        """The tensors from outside by the numbers of their values; None for one that is gone. They are held weakly."""
        return [reference() for reference in self.outside_references]

    @property
    def n_inputs(self):
        return self.input_types.n

    @property
    def nbytes(self):
        """Bytes of the rows and tables, without the objects that are constants."""
        cdef Py_ssize_t n = self.rows.size() + self.n_geometry * sizeof(Py_ssize_t)
        cdef int i
        for i in range(N_ROWS):
            n += self.row(i).n * sizeof(uint32_t)
        return n + 8 * (len(self.constants) + len(self.ops) + len(self.outside_references) + 2 * self.lines.n)

    cdef uint32_t type_of_result(self, Row* row, uint32_t number) except? 0xFFFFFFFF:
        """row: the step that has made it."""
        cdef uint32_t found = self.rows.type_at(row, number - row.first)
        return found if found else <uint32_t> self.late_types.get(number, 0)

    cdef uint32_t type_of_word(self, uint32_t word) except? 0xFFFFFFFF:
        cdef uint32_t tag = word >> TAG_SHIFT, number = word & NUMBER_MASK
        cdef Row row
        if tag == TAG_RESULT:
            self.rows.find_result(number, &row)
            return self.type_of_result(&row, number)
        return self.input_types.items[number] if tag == TAG_INPUT else self.outside_types.items[number]

    cdef object value_of_word(self, uint32_t word):
        cdef uint32_t tag = word >> TAG_SHIFT, number = word & NUMBER_MASK, type_number
        cdef Py_ssize_t* geometry
        cdef int rank, itemsize
        cdef Row row
        made_by = None
        if tag == TAG_RESULT:
            self.rows.find_result(number, &row)
            made_by, place, type_number = row.number, number - row.first, self.type_of_result(&row, number)
            name = f"%{made_by}.{place}" if place else f"%{made_by}"
        else:
            name, type_number = f"{'a' if tag == TAG_INPUT else 'w'}{number}", self.type_of_word(word)
        if type_number == 0:
            return Value(KINDS[tag], number, name, None, (), (), made_by)
        geometry = self.geometry + self.types.items[type_number]
        rank, itemsize = <int> geometry[1], dtype_facts().itemsize[geometry[0]]
        shape = tuple([geometry[2 + i] for i in range(rank)])
        strides = tuple([geometry[2 + rank + i] // itemsize for i in range(rank)])
        return Value(KINDS[tag], number, name, dtype_of(<int> geometry[0]), shape, strides, made_by)

    cdef object decode(self, Row* row, Py_ssize_t* at):
        """The argument that the words from ``at[0]`` on stand for."""
        cdef uint32_t word = self.rows.take_word(row, at)
        cdef uint32_t tag = word >> TAG_SHIFT, number = word & NUMBER_MASK
        if tag == TAG_CONSTANT:
            return self.constants[number]
        if tag == TAG_TUPLE or tag == TAG_LIST:
            items = [self.decode(row, at) for _ in range(number)]
            return items if tag == TAG_LIST else tuple(items)
        if tag == TAG_SLICE:
            return slice(*[self.decode(row, at) for _ in range(3)])
        if tag == TAG_UNKNOWN:
            return UnknownArgument("Tensor")
        return self.value_of_word(word)

    cdef object arguments_of(self, Py_ssize_t number, bint only_given):
        cdef Row row
        cdef Py_ssize_t at
        cdef int i
        self.rows.read(number, &row)
        at = row.words
        cdef Op op = self.ops[row.op] if isinstance(self.ops[row.op], Op) else None
        arguments = []
        for i in range(len(self.ops[row.op].params)):
            if row.given >> i & 1:
                arguments.append(self.decode(&row, &at))
            elif not only_given:
                arguments.append(<object> op.defaults[i] if op is not None and op.defaults[i] != NULL else None)
        return tuple(arguments)


@cython.no_gc
@cython.binding(False)
cdef class Step:
    """An operation that was recorded, or what the engine did between operations."""

    cdef Row row(self) noexcept:
        cdef Row found
        self.steps.rows.read(self.number, &found)
        return found

    @property
    def op(self):
        """An Op, or a PseudoOp: a Python function, or what the engine does."""
        return self.steps.ops[self.row().op]

    @property
    def name(self):
        return self.op.name

    @property
    def way(self):
        """The way in which it is replayed: "launches", "view", "store", "call", "guard", "python", "error"."""
        return WAYS[self.row().way]

    @property
    def arguments(self):
        """One for each parameter: values for tensors, others as they are, defaults where nothing was given."""
        return self.steps.arguments_of(self.number, False)

    @property
    def inputs(self):
        """The arguments that are not defaults: names of values, others as they are."""
        return tuple([name_of(one) for one in self.steps.arguments_of(self.number, True)])

    @property
    def stored_bytes(self):
        """The bytes of the result's storage where the operation's arguments may not give them; or None."""
        return self.steps.contents.get(self.number)

    @property
    def results(self):
        """The values that it made. A write gives another value for the same memory."""
        cdef Row row = self.row()
        return tuple([self.steps.value_of_word(i) for i in range(row.first, row.first + row.n_results)])

    @property
    def outputs(self):
        """(name, dtype, shape) of each result."""
        return tuple([(one.name, one.dtype, one.shape) for one in self.results])

    @property
    def code(self):
        """The code object of the line that called it; None where no Python code did."""
        return self.steps.lines.code_of(self.row().line)

    @property
    def line(self):
        """The place in the program that called it: "file:line"; "" where no Python code did."""
        return self.steps.lines.text(self.row().line)

    def __repr__(self):
        return f"<wengert.replay.Step {self.number}: {self.name}>"


cdef object name_of(value):
    if isinstance(value, Value):
        return value.name
    if type(value) in (tuple, list):
        return type(value)([name_of(item) for item in value])
    return value


not_made_by_hand(<PyTypeObject*> Step)
