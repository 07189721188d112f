"""Contents: what lists, dicts and tuples have in them, and a quick look whether they still do.

Note [Contents that are looked at in each replay]
    An optimizer's step depends on its groups and its state, which are lists and dicts of Python: a replay has to know
    whether they are what they were in the recording, and they nearly always are. So each item has a row, and a look
    compares addresses: of containers, of tensors and of their memory, of values; numbers and strings of other
    addresses are compared by value. Tensors are known by weak references, and containers by their addresses alone, so
    that nothing is kept alive. A look may miss that two things are equal, never that they differ: who wants to know
    more looks at what has changed.
"""
cimport cython
from cpython.dict cimport PyDict_Next, PyDict_Size
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.object cimport PyTypeObject
from cpython.ref cimport PyObject
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE
from libc.string cimport memcmp

from weakref import ref

from wengert_core.extend cimport Tensor, not_made_by_hand
from wengert_replay.python_state.weak cimport wengert_target

cdef enum Kind:
    SKIPPED                            # whatever it is
    OBJECT                             # anything but a tensor
    TENSOR
    VALUE
    LIST
    TUPLE
    DICT

cdef enum:
    MOST_LEVELS = 8

cdef tuple PLAIN = (bool, int, float, str, type(None))


@cython.final
@cython.binding(False)
cdef class Item:
    """An item of a container."""
    cdef Kind kind
    cdef object key                    # of a dict: itself, or a weak reference to a tensor
    cdef bint has_tensor               # as its key
    cdef object value                  # a weak reference to a tensor, or a plain value
    cdef char* data                    # of a tensor
    cdef PyObject* address             # of a container, borrowed
    cdef list items                    # of a container

    cdef bint fits(self, PyObject* value) except -1:
        """Whether a value is what this item was. No code of a user runs, so borrowed references are safe."""
        cdef Py_ssize_t i, at = 0, n
        cdef PyObject* key
        cdef PyObject* found
        cdef Item item
        if self.kind == TENSOR:
            return value == wengert_target(<void*> <PyObject*> self.value) and (<Tensor> value).data == self.data
        if self.kind == VALUE:
            return value == <PyObject*> self.value or is_equal(<object> value, self.value)
        if self.kind == SKIPPED:
            return True
        if self.kind == OBJECT:
            return not isinstance(<object> value, Tensor)
        if value != self.address:
            return False
        n = len(self.items)
        if self.kind == DICT:
            if not isinstance(<object> value, dict) or PyDict_Size(<object> value) != n:
                return False
            for i in range(n):
                item = <Item> PyList_GET_ITEM(self.items, i)
                if not PyDict_Next(<object> value, &at, &key, &found) or not item.has_key(key) or not item.fits(found):
                    return False
            return True
        if self.kind == LIST:
            if type(<object> value) is not list or PyList_GET_SIZE(<object> value) != n:
                return False
            for i in range(n):
                if not (<Item> PyList_GET_ITEM(self.items, i)).fits(PyList_GET_ITEM(<object> value, i)):
                    return False
            return True
        if type(<object> value) is not tuple or PyTuple_GET_SIZE(<object> value) != n:
            return False
        for i in range(n):
            if not (<Item> PyList_GET_ITEM(self.items, i)).fits(PyTuple_GET_ITEM(<object> value, i)):
                return False
        return True

    cdef bint has_key(self, PyObject* key) except -1:
        if self.has_tensor:
            return key == wengert_target(<void*> <PyObject*> self.key)
        return key == <PyObject*> self.key or is_equal(<object> key, self.key)


cdef bint is_equal(value, other) except -1:
    """Whether two values are plain, of one type, and have the same bits."""
    cdef double one, two
    if type(value) is not type(other) or type(value) not in PLAIN:
        return False
    if type(value) is float:           # 0.0 == -0.0, and NaN != NaN
        one, two = value, other
        return memcmp(&one, &two, sizeof(double)) == 0
    return value == other


cdef Item item_of(value, skip, bint numbers, int levels):
    """Return the row of a value, and of what is in it. numbers: whether plain values are compared."""
    cdef Item made = Item.__new__(Item)
    if isinstance(value, Tensor):
        made.kind, made.value, made.data = TENSOR, ref(value), (<Tensor> value).data
        return made
    made.kind = OBJECT
    if type(value) in PLAIN:
        if numbers:
            made.kind, made.value = VALUE, value
        return made
    if not levels or not isinstance(value, dict) and type(value) is not list and type(value) is not tuple:
        return made
    made.address = <PyObject*> value
    made.kind = DICT if isinstance(value, dict) else LIST if type(value) is list else TUPLE
    if made.kind == DICT:
        made.items = [with_key(item_of(one, skip, numbers, levels - 1), key, skip)
                      for key, one in (<dict> value).items()]
    else:
        made.items = [item_of(one, skip, numbers, levels - 1) for one in value]
    return made


cdef Item with_key(Item item, key, skip):
    """Give a row of a dict its key."""
    item.has_tensor = isinstance(key, Tensor)
    item.key = ref(key) if item.has_tensor else key
    if not item.has_tensor and key in skip:
        item.kind, item.value, item.items = SKIPPED, None, None
    return item


@cython.final
@cython.binding(False)
cdef class Contents:
    """The contents of a list, a dict or a tuple, and of those inside, as they are now.

    value: the container; at most eight levels are looked at.   skip: keys of dicts whose values may change.   numbers:
    whether numbers, strings and None are compared; tensors are in any case, by their identity and their memory.

    >>> import wengert as wg
    >>> group = {"params": [wg.ones(2)], "lr": 0.1, "momentum": 0.9}
    >>> contents = wg.replay.Contents(group, skip=("lr",))
    >>> group["lr"] = 0.05
    >>> contents.agree(group)
    True
    >>> group["params"].append(wg.ones(3))
    >>> contents.agree(group)
    False
    """
    cdef Item item

    def __init__(self, value, *, skip=(), numbers=True):
        self.item = item_of(value, skip, numbers, MOST_LEVELS)

    def agree(self, value):
        """Return whether a container is the one that was noted, with the same in it."""
        return self.item is not None and self.item.fits(<PyObject*> value)


not_made_by_hand(<PyTypeObject*> Item)
