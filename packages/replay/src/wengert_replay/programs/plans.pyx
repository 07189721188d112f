# cython: auto_pickle=False
"""Plans: what a replay does with arguments, results and gradients.

Note [Arguments and results in place]
    Of an argument that a run does not write, and that is large beside the addresses which the stream has for it, no
    copy is made: each run writes its address into the stream. So for a result, whose tensor is made before the run,
    where its memory holds nothing else. That is for programs whose memory is all planned (Note [Spans] in
    wengert_replay/memory/arena.pyx): they never stop on the way. All others are copied in and out.
"""
cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.ref cimport Py_INCREF, PyObject
from libc.stdint cimport int32_t
from libc.string cimport memcpy

from wengert_core.extend cimport (BOOL, LAUNCH_POINTWISE, TF_INFERENCE, WG_GRAD, Launch, Storage, Tensor, alias,
                                  bytes_between, itemsize_of, new_empty, new_on_memory, new_view, set_contiguity,
                                  strides_of, track)
from wengert_engine.extend cimport numbered_hooks
from wengert_replay.memory.arena cimport AT_START, NO_SPAN, Fields, Span
from wengert_replay.passes.fused cimport FusedPlan
from wengert_replay.passes.reach cimport Reach
from wengert_replay.python_state.weak cimport wengert_target
from wengert_replay.memory.kept_gradients cimport KeptGradient, kept_gradient

cdef enum:
    ADDRESS_BYTES = 16                 # copied in the time in which an address is written


@cython.binding(False)
cdef class InputPlan:
    """An argument that is a tensor: the program has its elements in a block of its own, or reads them where they are.
    """

    cdef int find_position(self, Arena arena) except -1:
        """Decide which of the two. Only the elements that are used count."""
        cdef int32_t region = arena.region_at(<size_t> self.block) if self.nbytes and self.block != NULL else -1
        cdef int32_t span = arena.first[region] if region >= 0 else NO_SPAN
        if span == NO_SPAN or not arena.spans[span].n_fields:
            self.block, self.written = NULL, False
            return 0
        self.low += arena.spans[span].low - <size_t> self.block
        self.nbytes = arena.spans[span].high - arena.spans[span].low
        self.block = <char*> arena.spans[span].low
        if not self.written and self.nbytes >= ADDRESS_BYTES * arena.spans[span].n_fields:
            self.fields = arena.move(span, <size_t> self.block)
        return 0

    cdef int go_there(self, Arena arena) except -1:
        if self.block != NULL and self.fields is None:
            self.block = arena.address_in(arena.first[arena.region_at(<size_t> self.block)], <size_t> self.block)
        return 0

    cdef int take(self, Tensor t) except -1:
        """Copy an argument's elements to where the program has them, or let the program read them there."""
        if self.fields is not None:
            self.fields.set_base(t.data + self.low)
        elif self.nbytes and self.block != NULL:
            memcpy(self.block, t.data + self.low, self.nbytes)
        return 0

    cdef int give_back(self, Tensor t) except -1:
        """Copy them back where a run has written to them, and let the version rise; 1 where others have it, too."""
        if self.written and self.nbytes:
            memcpy(t.data + self.low, self.block, self.nbytes)
        (<Storage> t.storage).version += self.versions
        return self.versions and (<Storage> t.storage).linked != NULL


@cython.binding(False)
cdef class ResultPlan:
    """A result that is a new tensor at each replay."""

    cdef Tensor make(self):
        """Return a tensor with the values that the program has now."""
        cdef Tensor made = self.prepared
        self.prepared = None
        if made is None:
            made = self.make_empty()
            if self.data != NULL:
                memcpy(made.data + self.low, self.data + self.low, self.high - self.low)
        (<Storage> made.storage).version = self.version
        if self.inference:
            made.flags |= TF_INFERENCE
        else:                          # made by the function in another mode: transforms leave inference mode
            made.flags &= ~<unsigned int> TF_INFERENCE
        if self.requires_grad:
            made.flags |= WG_GRAD
            if self.grad_fn is not None:
                Py_INCREF(self.grad_fn)
                made.grad_fn = <PyObject*> self.grad_fn
                made.output_nr = self.output_nr
                track(made)
        return made

    @property
    def form(self):
        """The way in which it differs from the value that was computed, as files name it."""
        return "leaf" if self.requires_grad and self.grad_fn is None else ""

    cdef Tensor make_empty(self):
        """Return a tensor of this geometry with memory of its own."""
        cdef Py_ssize_t nbytes = self.high - self.low
        cdef Tensor made, room
        cdef int i
        if self.kept is not None:
            made = self.kept.give()
            if made is not None:
                return made
        if nbytes == self.like.count * itemsize_of(self.like):
            made = new_empty(self.like.code, self.like.rank, self.like.dims)
            for i in range(self.like.rank):
                strides_of(made)[i] = strides_of(self.like)[i]
            set_contiguity(made)
            made.data -= self.low
        else:
            room = new_empty(BOOL, 1, &nbytes)
            made = new_on_memory(self.like.code, self.like.rank, self.like.dims, strides_of(self.like),
                                 room.data - self.low, room.data, nbytes, <object> room.storage)
        return made

    cdef int find_position(self, Arena arena) except -1:
        """Decide whether a run writes it where it stays. Note [Arguments and results in place]"""
        cdef size_t low = <size_t> (self.data + self.low), high = <size_t> (self.data + self.high)
        cdef int32_t region = arena.region_at(low) if low < high else -1
        cdef Span* span = &arena.spans[arena.last[region]] if region >= 0 else NULL
        if region < 0 and low < high and not arena.is_all:
            return 0                   # it is in a block of the first run
        if span == NULL or not span.n_fields:
            self.data = NULL           # it has no elements, or none that anything writes
        elif arena.is_all and low <= span.low and span.high <= high \
                and <Py_ssize_t> (high - low) >= ADDRESS_BYTES * span.n_fields and span.begin != AT_START \
                and <Py_ssize_t> (high - low) == self.like.count * itemsize_of(self.like):
            self.fields = arena.move(arena.last[region], low)
        return 0

    cdef int go_there(self, Arena arena) except -1:
        cdef size_t low = <size_t> (self.data + self.low)
        cdef int32_t region = arena.region_at(low) if self.data != NULL and self.fields is None else -1
        if region >= 0:
            self.data = arena.address_in(arena.last[region], low) - self.low
        return 0

    cdef int prepare(self) except -1:
        """Let a run write to the tensor that it makes."""
        self.prepared = self.make_empty()
        self.fields.set_base(self.prepared.data + self.low)
        return 0


@cython.binding(False)
cdef class OutsideResult:
    """A result on memory from outside: a tensor that was there, or one that the function makes of it.

    Tensors from outside are held weakly (Note in outside.pyx): the caller may have another in its place.
    """

    @property
    def form(self):
        """The way in which it differs from the tensor that was there, or its view, as files name it."""
        if self.source is not None:    # a view of a detached one is none of the tensor that was there
            return "" if self.source.form == "leaf" else self.source.form
        if self.like is None or self.where is not None:
            return ""
        return "leaf" if self.requires_grad else "data" if self.is_new else "detached"

    cdef Tensor give(self):
        """Return it, while the run holds what is outside."""
        cdef Tensor made
        if self.like is None:
            return <Tensor?> self.where()
        made = self.make()
        if self.requires_grad:
            made.flags |= WG_GRAD
        return made

    cdef Tensor make(self):
        """Return a new tensor as the one that the function has made."""
        cdef Tensor made, base
        cdef Storage s
        if self.where is None and self.source is None:
            s = <Storage> self.like.storage
            if not self.is_new or s.owner == NULL:
                return alias(self.like)
            made = new_on_memory(self.like.code, self.like.rank, self.like.dims, strides_of(self.like), self.like.data,
                                 s.data, s.nbytes, <object> s.owner)     # of data: with a version of its own
            (<Storage> made.storage).version = self.version
            return made
        base = self.source.give() if self.source is not None else <Tensor?> self.where()
        made = new_view(base, self.like.rank, self.like.dims, strides_of(self.like), self.like.data)
        made.code = self.like.code     # view_as_real gives numbers of another type
        made.flags = self.flags        # how a view came to be, and whether it has gaps, is among them
        track(made)
        return made


cdef object result_of(plan, list inputs):
    if isinstance(plan, ResultPlan):
        return (<ResultPlan> plan).make()
    if isinstance(plan, OutsideResult):
        return (<OutsideResult> plan).give()
    return inputs[plan] if isinstance(plan, int) else plan


cdef int see_addresses(Stream stream, Arena arena, bint counts) except -1:
    """Those in instructions, in launches beside them, in plans of groups, and of tensors of calls."""
    cdef Launch* launch
    cdef Reach reach
    cdef Py_ssize_t i
    cdef int k
    arena.rows, arena.n_bytes_of_rows = stream.rows, bytes_between(stream.rows, stream.end)
    for i in range(stream.n_sites):
        arena.see_field(stream.rows + stream.sites[i], counts)
    for i in range(stream.n_others):
        launch = &stream.others[i]
        for k in range(launch.n_operands):
            arena.see_field(<char*> &launch.data[k], counts)
        if launch.kind == LAUNCH_POINTWISE and not launch.n_operands:
            see_group(<FusedPlan*> launch.plan, arena, counts)
    for reach in stream.reaches.values() if stream.reaches is not None else ():
        for k in range(reach.n):
            arena.see_field(<char*> reach.rows[k].where, counts)
    return 0


cdef int see_group(FusedPlan* plan, Arena arena, bint counts) except -1:
    cdef int m, k
    for m in range(plan.n_members):
        for k in range(plan.members[m].n_sides):
            arena.see_field(<char*> &plan.members[m].sides[k].data, counts)
        arena.see_field(<char*> &plan.members[m].memory, counts)
    return 0


cdef list pack_values(Arena arena, Stream stream, Memory memory, list inputs, list plans):
    cdef InputPlan taken
    cdef ResultPlan plan
    cdef list direct = []
    plans = [one for i, one in enumerate(plans) if isinstance(one, ResultPlan) and one not in plans[:i]]
    see_addresses(stream, arena, True)
    for taken in inputs if arena.is_all else ():
        taken.find_position(arena)
    for plan in plans:
        plan.find_position(arena)
        if plan.fields is not None:
            direct.append(plan)
            memory.nbytes += plan.high - plan.low          # a run holds it
    arena.pack()
    if arena.nbytes:
        arena.base = memory.allocate_block(arena.nbytes)
    see_addresses(stream, arena, False)
    for taken in inputs if arena.is_all else ():
        taken.go_there(arena)
    for plan in plans:
        plan.go_there(arena)
    for fields in arena.moving:
        (<Fields> fields).shrink()
    return direct


cdef object geometry_of(Tensor t):
    """The address of a tensor, its sizes and strides, to be compared."""
    return <size_t> t.data, PyBytes_FromStringAndSize(<char*> t.dims, 2 * t.rank * sizeof(Py_ssize_t))


@cython.binding(False)
cdef class HookPlan:
    """The hooks of a tensor that a backward inside of the function may call: with others it is another program."""

    cdef bint fits(self, list inputs) except -1:
        cdef Tensor t = <Tensor> inputs[self.input] if self.input >= 0 else <Tensor> self.where()
        return t is not None and numbered_hooks(t) == self.hooks


@cython.binding(False)
cdef class LeafPlan:
    """A leaf: what its gradient must be before a replay, and what it is afterwards."""

    @property
    def leaf(self):
        """The leaf; None where it is an argument, or gone."""
        return None if self.where is None else self.where()

    cdef Tensor leaf_of(self, list inputs):
        cdef PyObject* found
        if self.input >= 0:
            return <Tensor> inputs[self.input]
        found = wengert_target(<void*> self.where)
        return None if found == NULL else <Tensor> found

    cdef bint fits(self, list inputs) except -1:
        """Whether the gradient is as it was: there or not, and the same memory where the program uses it; hooks too."""
        cdef Tensor leaf
        cdef bint has_grad
        if self.is_temporary:
            return True
        leaf = self.leaf_of(inputs)
        if leaf is None:
            return False
        has_grad = leaf.extra != NULL and leaf.extra.grad != NULL
        if has_grad != self.had_grad:
            return False
        if self.grad_storage and (<size_t> (<Tensor> leaf.extra.grad).storage != self.grad_storage
                                  or geometry_of(<Tensor> leaf.extra.grad) != self.grad_geometry):
            return False
        if leaf.extra == NULL and self.hooks is None:
            return True
        hooks = numbered_hooks(leaf)
        return hooks is self.hooks or hooks == self.hooks

    cdef int take_gradient(self, list inputs) except -1:
        """Let the gradient be where the program uses it. Note [Gradients that are made anew] in kept_gradients.pyx"""
        cdef Tensor leaf = None if self.kept is None else self.leaf_of(inputs)
        if leaf is not None:
            self.kept.take_over(leaf)
        return 0

    cdef bint has_other_grad(self, list inputs) except -1:
        """Whether the program uses the memory of a gradient that the leaf has no more."""
        cdef Tensor leaf
        if self.is_temporary or not self.grad_storage or self.input < 0 and self.where() is None:
            return False
        leaf = self.leaf_of(inputs)
        return leaf.extra == NULL or leaf.extra.grad == NULL \
            or <size_t> (<Tensor> leaf.extra.grad).storage != self.grad_storage \
            or geometry_of(<Tensor> leaf.extra.grad) != self.grad_geometry

    cdef int assign(self, list inputs, list leaves) except -1:
        """Give the leaf its new gradient. leaves: the plans of all."""
        if not self.changes or self.is_temporary:
            return 0
        cdef KeptGradient kept
        grad = self.grad
        if self.alike >= 0:
            grad = (<object> (<LeafPlan> leaves[self.alike]).leaf_of(inputs)).grad
        else:
            grad = result_of(grad, inputs)
            if isinstance(self.grad, ResultPlan) and self.kept is None:     # else the next run reads it where that is
                kept = kept_gradient(self.leaf_of(inputs))
                if kept is not None and kept.tensor is not grad:
                    kept.keep(<Tensor> grad)
                    (<ResultPlan> self.grad).kept = kept
        (<object> self.leaf_of(inputs)).grad = grad
        return 0
