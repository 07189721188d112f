"""PendingChain: pointwise operations on a device that wait, to be computed by one kernel.

Note [Chains on a device]
    While a function is recorded, its pointwise operations wait, as long as each has as many elements as those before,
    of one dtype. Whatever else is queued on the device comes behind them (core's ``do_deferred_work``): then the plugin
    computes all that wait by one kernel. In it a result is a number that a thread has. It is written where its memory
    is still there when the kernel is queued; elsewhere nobody can read it. Memory from before the recording is always
    there, because the watch holds it until the first replay; so is what the chain reads, which it holds itself.
    A thread has element i of everything contiguous, and reads it before it writes. So an operation that reads or writes
    a part of what the chain writes, or in another order, or that writes what is read so, begins another chain.
"""
cimport cython

from weakref import ref

from wengert_core.extend cimport FLOAT32, FLOAT64, TF_CONTIGUOUS, Op, Tensor, itemsize_of

from wengert_core.extend import FusedExpression, FusedOperand, FusedStep, device_memory_of, step_name

import numpy as np

cdef enum:
    MOST_STEPS = 64                    # of a kernel
    MOST_ARRAYS = 24                   # that it reads; with those it writes, and the numbers, it fits CUDA's 4 kB
    MOST_NUMBERS = 32

cdef object LARGEST_INT = 9007199254740992         # 2**53: above, one would be rounded to float64, then to float32
cdef object FLAT = None                # the layout of contiguous memory: FusedExpression.inputs
cdef object CONFLICT = object()        # an input that has to wait for what the chain writes


@cython.binding(False)
@cython.auto_pickle(False)
cdef class Region:
    """Contiguous memory that a chain reads or writes."""


@cython.binding(False)
cdef class PendingChain:
    """The operations of a recording that wait."""

    def __init__(self, plugin, int index, unsigned int device):
        self.plugin, self.index, self.device = plugin, index, device
        self.clear()

    cdef void clear(self):
        self.steps, self.inputs, self.numbers, self.read, self.regions, self.strided = [], [], [], {}, {}, []
        self.stream = None

    # ---- taking

    cdef bint take(self, Op op, object reference, list inputs, Tensor out) except -1:
        """Let an operation wait. False: it cannot, and nothing has changed."""
        cdef Tensor t
        name = step_name(op, reference)
        if self.failure is not None or out.device != self.device or not out.flags & TF_CONTIGUOUS or not out.count \
                or (out.code != FLOAT32 and out.code != FLOAT64) or name not in self.plugin.fusible:
            return False
        for value in inputs:
            if isinstance(value, Tensor):
                t = <Tensor> value
                if t.device != self.device or t.code != out.code or layout_of(t, out) is CONFLICT:
                    return False
            elif not is_exact(value):
                return False
        stream = self.plugin.current_stream(self.index)
        if self.steps and (self.n != out.count or self.code != out.code or self.stream != stream
                           or len(self.steps) == MOST_STEPS or len(self.inputs) + len(inputs) > MOST_ARRAYS
                           or len(self.numbers) + len(inputs) > MOST_NUMBERS):
            self.run()
        if self.add(name, inputs, out, stream):
            return True
        if not self.steps:
            self.clear()
            return False
        self.run()
        if self.add(name, inputs, out, stream):
            return True
        self.clear()
        return False

    cdef bint add(self, object name, list inputs, Tensor out, object stream) except -1:
        """Add an operation; return False where it does not go together with those that wait."""
        cdef size_t low = <size_t> out.data, high = low + out.count * itemsize_of(out)
        cdef Region region
        self.n, self.code, self.stream = out.count, out.code, stream
        operands = []
        for value in inputs:
            operand = self.operand_of(value, out)
            if operand is CONFLICT:
                return False
            operands.append(operand)
        if self.meets_write(low, high, low) or self.meets_read(low, high, low):
            return False
        memory = device_memory_of(out)
        region = self.region_at(low, memory)
        if region is None:
            region = Region()
            region.memory, region.high = ref(memory), high
            self.regions[low] = region
        region.operand, region.is_written = FusedOperand("step", len(self.steps)), True
        self.steps.append((name, tuple(operands)))
        return True

    cdef object operand_of(self, object value, Tensor out):
        """Return the operand for an argument; CONFLICT where its memory is written by the chain."""
        cdef Tensor t
        cdef Region region
        cdef size_t low, high
        if not isinstance(value, Tensor):
            self.numbers.append(float(value))
            return FusedOperand("number", len(self.numbers) - 1)
        t = <Tensor> value
        memory, layout, low = device_memory_of(t), layout_of(t, out), <size_t> t.data
        if layout is not FLAT:
            high = low + sum([(size - 1) * stride for size, stride in layout], 1) * itemsize_of(t)
            if self.meets_write(low, high, 0):
                return CONFLICT
            operand = self.read_memory(memory, low, layout)
            self.strided.append((low, high))
            return operand
        high = low + t.count * itemsize_of(t)
        region = self.region_at(low, memory)
        if region is not None:
            return region.operand
        if self.meets_write(low, high, low):
            return CONFLICT
        region = Region()
        region.memory, region.high, region.is_read = ref(memory), high, True
        region.operand = self.read_memory(memory, low, FLAT)
        self.regions[low] = region
        return region.operand

    cdef Region region_at(self, size_t address, object memory):
        """Return the region at an address, if it is in this memory; what was there before in other memory is gone."""
        cdef Region region = self.regions.get(address)
        return region if region is not None and region.memory() is memory else None

    cdef object read_memory(self, object memory, size_t address, object layout):
        """Return the operand of an array that the kernel reads."""
        found = self.read.get((address, layout))
        if found is None:
            found = self.read[address, layout] = FusedOperand("input", len(self.inputs))
            self.inputs.append((memory, address, layout))
        return found

    cdef bint meets_write(self, size_t low, size_t high, size_t own) except -1:
        """Return whether memory overlaps with what the chain writes, but for the region at ``own``."""
        cdef Region region
        cdef size_t start
        for address, region in self.regions.items():
            start = address
            if region.is_written and start < high and low < region.high and start != own \
                    and region.memory() is not None:
                return True
        return False

    cdef bint meets_read(self, size_t low, size_t high, size_t own) except -1:
        """Return whether memory overlaps with what the chain reads, but for the region at ``own``."""
        cdef Region region
        cdef size_t start, end
        for address, region in self.regions.items():
            start = address
            if region.is_read and start < high and low < region.high and start != own:
                return True
        for start, end in self.strided:
            if start < high and low < end:
                return True
        return False

    # ---- running

    cdef int run(self) except -1:
        """Queue a kernel for what waits."""
        if not self.steps:
            return 0
        try:
            self.queue()
        except Exception as error:
            self.failure = error
            raise
        finally:
            self.clear()
        return 0

    cdef int queue(self) except -1:
        cdef Region region
        cdef size_t address
        outputs = []                   # (step, address, memory)
        for address, region in self.regions.items():
            memory = region.memory()
            if region.is_written and memory is not None:
                outputs.append((region.operand.position, address, memory))   # no two have one step
        if not outputs:
            return 0
        outputs.sort()
        expression, inputs, numbers = self.expression(outputs)
        plugin, index = self.plugin, self.index
        dtype = np.dtype(np.float32 if self.code == FLOAT32 else np.float64)
        current = plugin.current_stream(index)
        token = plugin.enter(index)
        try:
            if current != self.stream:
                plugin.set_stream(self.stream)
            arrays = [array_of(plugin, memory, address, layout, self.n, dtype) for memory, address, layout in inputs]
            results = [array_of(plugin, memory, address, FLAT, self.n, dtype) for _, address, memory in outputs]
            kernel = plugin.fuse(expression)
            if kernel is None:
                raise RuntimeError("it has no kernel for " + ", ".join([step.op for step in expression.steps]))
            kernel(index, self.n, arrays, numbers, results)
            if current != self.stream:
                current.wait_stream(self.stream)
        finally:
            if current != self.stream:
                plugin.set_stream(current)
            plugin.leave(token)
        return 0

    cdef tuple expression(self, list outputs):
        """Return the expression of what is written, with the inputs and numbers that it uses."""
        steps, inputs, numbers = {}, {}, {}
        wanted = {step for step, _, _ in outputs}
        for k in range(len(self.steps) - 1, -1, -1):
            if k in wanted:
                wanted.update([one.position for one in self.steps[k][1] if one.kind == "step"])
        tables = {"step": steps, "input": inputs, "number": numbers}
        written = []
        for k, (name, operands) in enumerate(self.steps):
            if k in wanted:
                found = [FusedOperand(one.kind, tables[one.kind].setdefault(one.position, len(tables[one.kind])))
                         for one in operands]
                steps[k] = len(written)
                written.append(FusedStep(name, tuple(found)))
        layouts = tuple([self.inputs[k][2] for k in inputs])
        found = FusedExpression("f" if self.code == FLOAT32 else "d", layouts, len(numbers), tuple(written),
                                tuple([steps[step] for step, _, _ in outputs]))
        return found, [self.inputs[k] for k in inputs], [self.numbers[k] for k in numbers]


cdef object array_of(plugin, memory, size_t address, layout, Py_ssize_t n, dtype):
    """Return the plugin's array for an operand."""
    pairs = ((n, 1),) if layout is FLAT else layout
    return plugin.array(memory, address - <size_t> memory.address, tuple([size for size, _ in pairs]),
                        tuple([stride * dtype.itemsize for _, stride in pairs]), dtype)


cdef bint is_exact(value) except -1:
    """Return whether a number reaches the kernel as the operation would have it."""
    if type(value) is int:
        return -LARGEST_INT <= value <= LARGEST_INT
    return type(value) is float


cdef object layout_of(Tensor t, Tensor out):
    """Return how a kernel with the elements of ``out`` reads a tensor; CONFLICT where it cannot."""
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    cdef int d, k, n = 0, before = out.rank - t.rank
    cdef Py_ssize_t stride, itemsize = itemsize_of(t)
    cdef bint is_number = True
    if t.rank > out.rank:
        return CONFLICT
    for d in range(out.rank - 1, -1, -1):          # from the innermost
        k = d - before
        if out.dims[d] == 1:
            continue
        stride = 0
        if k >= 0 and t.dims[k] != 1:
            stride = t.dims[t.rank + k]
            if t.dims[k] != out.dims[d] or stride < 0 or stride % itemsize:
                return CONFLICT
        stride //= itemsize
        is_number = is_number and stride == 0
        if n and stride == sizes[n - 1] * strides[n - 1]:
            sizes[n - 1] *= out.dims[d]
        else:
            sizes[n], strides[n] = out.dims[d], stride
            n += 1
    if out.count == 1 or n == 1 and strides[0] == 1:
        return FLAT
    return () if is_number else tuple([(sizes[k], strides[k]) for k in range(n - 1, -1, -1)])
