"""Outside: what tensors from outside must be before a run.

Note [Tensors from outside are held weakly]
    A program uses their memory, and holds it while it runs. The tensors themselves belong to the user: where one is
    gone, the function reaches another in its place (a parameter that was assigned anew, a state that was loaded), and
    the program is stale. Tensors that the function itself makes on memory from outside, by ``detach()`` or as views,
    are gone when its recording is: those are not watched (``drop_temporaries``).
"""
cimport cython
from cpython.ref cimport PyObject, Py_INCREF, Py_XDECREF
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from weakref import ref

from wengert_core.extend cimport WG_GRAD, Storage, Tensor, alias
from wengert_replay.python_state.lookups cimport Lookups
from wengert_replay.python_state.weak cimport wengert_target
from wengert_replay.trace.overlap cimport is_foreign, overlaps
from wengert_replay.recording.calls cimport Call
from wengert_replay.recording.tracing cimport Recording

from wengert_replay.refusal import Refusal, ReplacedOutside

cdef inline PyObject* target_of(WatchedTensor* row) noexcept:
    """The tensor of a row, borrowed; NULL where it is gone."""
    return wengert_target(row.reference)


@cython.overflowcheck(False)            # the product wraps
cdef uint64_t geometry_of(Tensor t) noexcept:
    """A hash of sizes and strides."""
    cdef uint64_t found = t.rank
    cdef int i
    for i in range(2 * t.rank):
        found = (found ^ <uint64_t> t.dims[i]) * <uint64_t> 0x9E3779B97F4A7C15
        found ^= found >> 29
    return found


@cython.binding(False)
cdef class Outside:
    """Memory and tensors from outside, as they were when a program was recorded."""

    def __dealloc__(self):
        cdef Py_ssize_t i
        for i in range(self.n_tensors):
            Py_XDECREF(<PyObject*> self.tensors[i].reference)
        for i in range(self.n_memory):
            Py_XDECREF(<PyObject*> self.memory[i].holder)
        free(self.tensors)
        free(self.memory)

    cdef bint is_stale(self) noexcept:
        """Whether one has other memory, another shape or place, or is gone, so that the program never fits again; or
        requires gradients where it did not, or the other way round.
        """
        return self.is_lost() or self.differs_in_grad()

    cdef bint differs_in_grad(self) noexcept:
        """Whether one requires gradients where it did not, or the other way round. They are there."""
        cdef Py_ssize_t i
        for i in range(self.n_tensors):
            if (<Tensor> target_of(&self.tensors[i])).flags & WG_GRAD != self.tensors[i].requires_grad:
                return True
        return False

    cdef bint is_lost(self) noexcept:
        """Whether one has other memory, another shape or place, or is gone: the program never fits again."""
        return self.lost or self.was_replaced(True)

    cdef bint was_replaced(self, bint by_storage) noexcept:
        """The same for what has happened since the recording. by_storage: also where the same memory has another
        Storage.
        """
        cdef Py_ssize_t i
        cdef PyObject* found
        cdef WatchedTensor* row
        cdef HeldMemory* held
        cdef Storage s
        for i in range(self.n_tensors):
            row = &self.tensors[i]
            found = target_of(row)
            if found == NULL or (<Tensor> found).data != row.data \
                    or by_storage and <size_t> (<Tensor> found).storage != row.storage \
                    or geometry_of(<Tensor> found) != row.geometry:
                return True
        for i in range(self.n_memory):
            held = &self.memory[i]
            s = self.storage_of(held)
            if s.data != held.address or s.nbytes != held.nbytes:
                return True
        return False

    cdef bint finds_others(self) except -1:
        """Whether the function would find other tensors now. Note [Where a function finds its tensors] in lookups.pyx
        """
        return self.lookups is not None and not self.lookups.agree()

    cdef Storage storage_of(self, HeldMemory* row):
        """The Storage of a row, while the tensors are there."""
        if row.holder != NULL:
            return <Storage> (<Tensor> <PyObject*> row.holder).storage
        return <Storage> (<Tensor> target_of(&self.tensors[row.watched])).storage

    cdef bint meets(self, list inputs) except -1:
        """Whether an argument lies in memory from outside, while a run writes to one of the two."""
        cdef Tensor t
        cdef bint is_own
        cdef Py_ssize_t i
        if not self.writes:
            return False
        for t in inputs:
            if <size_t> t.storage in self.storages:
                return True
            is_own = not is_foreign(t.storage)
            if is_own and not self.has_foreign:
                continue
            for i in range(self.n_memory):
                if (not is_own or self.memory[i].foreign) \
                        and overlaps(t.storage, self.memory[i].address, self.memory[i].nbytes):
                    return True
        return False

    cdef int raise_versions(self) noexcept:
        """Let versions rise as a run has changed them; 1 where other Storages have the same version."""
        cdef Py_ssize_t i
        cdef Storage s
        cdef int found = 0
        for i in range(self.n_memory):
            if self.memory[i].versions:
                s = self.storage_of(&self.memory[i])
                s.version += self.memory[i].versions
                found |= s.linked != NULL
        return found

    cdef int join_versions(self, list inputs) except -1:
        """Let Storages that are linked have one version again."""
        cdef Tensor t
        cdef Py_ssize_t i
        for i in range(self.n_memory):
            join_linked(self.storage_of(&self.memory[i]))
        for t in inputs:
            join_linked(<Storage> t.storage)
        return 0

    cdef list hold(self):
        """The tensors that must live while a run uses their memory; they do now."""
        cdef Py_ssize_t i
        return [<object> target_of(&self.tensors[i]) for i in range(self.n_tensors)]

    def drop_temporaries(self):
        """Watch tensors no more that are gone now, with the recording; hold the memory of those alone.

        Where no other tensor on its memory is there, the function has put another one in the place of one that is gone;
        on memory of NumPy it was a constant.
        """
        cdef Py_ssize_t i, kept = 0
        cdef set gone = set()
        for i in range(self.n_tensors):
            if target_of(&self.tensors[i]) == NULL:
                gone.add(self.tensors[i].storage)
                Py_XDECREF(<PyObject*> self.tensors[i].reference)
            else:
                self.tensors[kept] = self.tensors[i]
                kept += 1
        self.n_tensors = kept
        watched = {self.tensors[i].storage: i for i in range(kept)}
        for i in range(self.n_memory):
            if self.memory[i].storage in gone and self.memory[i].storage not in watched:
                self.lost = self.lost or not self.memory[i].foreign
            if self.memory[i].storage in watched and self.memory[i].holder != NULL:
                self.memory[i].watched = watched[self.memory[i].storage]
                holder = self.memory[i].holder
                self.memory[i].holder = NULL
                Py_XDECREF(<PyObject*> holder)

    # ---- looking inside

    def memory_rows(self):
        """Memory from outside: (a tensor on it, its Storage's address, address, nbytes, versions that a run adds)."""
        cdef Py_ssize_t i
        cdef HeldMemory* row
        found = []
        for i in range(self.n_memory):
            row = &self.memory[i]
            there = <PyObject*> row.holder if row.holder != NULL else target_of(&self.tensors[row.watched])
            if there != NULL:
                found.append((<object> there, row.storage, <size_t> row.address, row.nbytes, row.versions))
        return found

    def tensor_rows(self):
        """Tensors from outside: (weak reference, address, Storage's address, whether it requires grad)."""
        cdef Py_ssize_t i
        return [(<object> <PyObject*> self.tensors[i].reference, <size_t> self.tensors[i].data, self.tensors[i].storage,
                 self.tensors[i].requires_grad) for i in range(self.n_tensors)]


@cython.overflowcheck(False)            # versions wrap
cdef int join_linked(Storage s) noexcept:
    """Let Storages that ``x.data = y`` has linked have the newest of their versions: each write raises that of all."""
    cdef PyObject* storage = <PyObject*> s
    cdef PyObject* other = s.linked
    cdef uint32_t newest = s.version
    while other != NULL and other != storage:
        if <int32_t> ((<Storage> other).version - newest) > 0:
            newest = (<Storage> other).version
        other = (<Storage> other).linked
    while other != NULL:
        (<Storage> other).version = newest
        other = (<Storage> other).linked if (<Storage> other).linked != storage else NULL
    return 0


cdef Lookups lookups_of(Recording recording):
    """Where a recorded function finds the tensors that it uses; None where that is not known. Refusal where it would
    find others now.
    """
    cdef Lookups made
    cdef Tensor t
    if recording.lookups is None:
        return None
    found = [one for one, *_ in recording.tensors.values()]
    for call in recording.calls.values():
        found += (<Call> call).generators()
    for t, *_ in recording.outside.values():
        if (<Storage> t.storage).owner != NULL:        # a generator's state
            found.append(<object> (<Storage> t.storage).owner)
    made = (<Lookups> recording.lookups).among(found)
    if made is not None and not made.agree():
        raise ReplacedOutside("the function puts another tensor in the place of one that it uses", transient=True)
    return made


cdef Outside outside_of(Recording recording):
    """Note what a recording has found outside. Versions have risen as they do in each run."""
    cdef Outside made = Outside.__new__(Outside)
    cdef Py_ssize_t i
    cdef HeldMemory* row
    cdef WatchedTensor* watched
    cdef Tensor t
    if recording.lacks_outside():
        raise ReplacedOutside("a tensor from outside was replaced between a call and its backward", transient=True)
    rows = [(ref(one), *facts) for one, *facts in recording.tensors.values() if id(one) not in recording.made]
    made.lookups = lookups_of(recording)
    rows += [facts for facts in recording.views if facts[0]() is not None and id(facts[0]()) not in recording.made]
    made.tensors = <WatchedTensor*> calloc(len(rows) + 1, sizeof(WatchedTensor))
    made.memory = <HeldMemory*> calloc(len(recording.outside) + 1, sizeof(HeldMemory))
    if made.tensors == NULL or made.memory == NULL:
        raise MemoryError()
    for reference, address, storage, requires_grad in rows:
        Py_INCREF(reference)
        watched = &made.tensors[made.n_tensors]
        watched.reference, watched.data = <void*> <PyObject*> reference, <char*> <size_t> address
        watched.storage, watched.requires_grad = storage, requires_grad
        watched.geometry = geometry_of(<Tensor?> reference())
        made.n_tensors += 1
    for storage, (t, version, address, nbytes) in recording.outside.items():
        row = &made.memory[made.n_memory]
        holder = alias(t)
        Py_INCREF(holder)
        row.watched, row.holder, row.storage = -1, <void*> <PyObject*> holder, storage
        row.address, row.nbytes = <char*> <size_t> address, nbytes
        row.foreign = is_foreign(t.storage)
        made.has_foreign |= row.foreign
        row.versions = (<Storage> t.storage).version - <unsigned int> version \
            - <unsigned int> recording.python_versions.get(storage, 0)
        made.n_memory += 1
        if row.versions and storage in recording.arrays:
            raise Refusal("the function writes to an array that it makes a tensor of")
        made.writes = made.writes or row.versions != 0
        if storage in recording.own_storages:      # as ``data`` gives: each call of the function makes another one
            row.versions = 0
    for i, t in enumerate(recording.inputs):
        made.writes = made.writes or (<Storage> t.storage).version != <unsigned int> recording.versions[i]
    made.storages = set(recording.outside) if made.writes else None
    return made
