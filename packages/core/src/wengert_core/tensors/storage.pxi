# Part of tensor.pyx: Storage, from being made to being freed.

cdef PyObject* STORAGES[WENGERT_FREELIST_SIZE]
cdef int N_STORAGES = 0


@cython.binding(False)
@cython.embedsignature(True)
cdef class Storage:
    """A block of memory with its version counter; shared by a tensor and its views."""

    _REFUSAL = (TypeError, "cannot create 'Storage' instances: make a tensor and use untyped_storage()")

    def data_ptr(self):
        """Address of the first byte."""
        return <Py_ssize_t> self.data

    def size(self):
        """Usable bytes."""
        return self.nbytes

    def __len__(self):
        return self.nbytes

    def __repr__(self):
        return f"<wengert.Storage of {self.nbytes} bytes at {<Py_ssize_t> self.data:#x}, version {self.version}>"


cdef Storage blank_storage():
    cdef PyObject* o = wengert_take(STORAGES, &N_STORAGES, <PyTypeObject*> Storage)
    cdef Storage s = <Storage> o
    Py_DECREF(o)                       # s holds the only reference now
    s.owner = NULL
    s.data = NULL
    s.nbytes = 0
    s.bin = FOREIGN_BIN
    s.version = 0
    s.readonly = s.pool = 0
    s.birth = 0
    s.linked = NULL
    return s


cdef Storage new_storage(Py_ssize_t nbytes):
    """Fresh memory of our own, not cleared."""
    cdef Storage s = blank_storage()
    s.data = allocate(nbytes, &s.bin)
    s.nbytes = nbytes
    return s


cdef Storage foreign_storage(char* data, Py_ssize_t nbytes, PyObject* owner):
    """Memory that ``owner`` keeps alive."""
    cdef Storage s = blank_storage()
    s.data = data
    s.nbytes = nbytes
    Py_XINCREF(owner)
    s.owner = owner
    return s


# ---- one version counter for several storages. Only borrowed casts here: a reference taken to a dying object would
# kill it twice.

cdef inline PyObject** next_linked(PyObject* storage) noexcept:
    return &(<Storage> storage).linked


cdef void link_versions(PyObject* storage, PyObject* other) noexcept:
    """Let a new storage have the version counter of another one."""
    cdef PyObject* following = next_linked(storage)[0]
    next_linked(other)[0] = following if following != NULL else storage
    next_linked(storage)[0] = other
    (<Storage> other).version = (<Storage> storage).version


cdef void propagate_version(PyObject* storage) noexcept:
    cdef PyObject* other = next_linked(storage)[0]
    while other != storage:
        (<Storage> other).version = (<Storage> storage).version
        other = next_linked(other)[0]


cdef void unlink_version(PyObject* storage) noexcept:
    cdef PyObject* before = storage
    while next_linked(before)[0] != storage:
        before = next_linked(before)[0]
    next_linked(before)[0] = next_linked(storage)[0]
    if next_linked(before)[0] == before:
        next_linked(before)[0] = NULL


cdef void storage_dealloc(PyObject* o) noexcept:
    if (<Storage> o).linked != NULL:
        unlink_version(o)
    if (<Storage> o).bin != FOREIGN_BIN:
        release((<Storage> o).data, (<Storage> o).bin)
    wengert_clear_ref(&(<Storage> o).owner)
    wengert_keep(STORAGES, &N_STORAGES, <PyTypeObject*> Storage, o)


wengert_type_set(<PyTypeObject*> Storage, "nbytes", Storage.size)    # not in the class: a C field has the name
wengert_set_dealloc(<PyTypeObject*> Storage, <destructor> storage_dealloc)
not_made_by_hand(<PyTypeObject*> Storage)
