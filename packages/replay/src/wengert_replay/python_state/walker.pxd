"""A look at what a function can reach. See walker.pyx."""
from wengert_replay.python_state.kinds cimport Kind


cdef class Walker:
    cdef list found                    # what is compared
    cdef list held                     # objects that are compared by their address; or None
    cdef dict seen                     # by addresses of functions and objects that have been looked into: a number
    cdef list marks                    # of what has a name: see Mark in values.py; or None
    cdef dict codes                    # see ``walk_for_changes``, by address; None: it is no look for changes
    cdef size_t around                 # the id of the code that reaches something by its closure or names; 0: an object
    cdef set names                     # by which code reads something, for options of optimizers; None: all are added
    cdef list sources                  # of random numbers, (index of the mark, source), in a look for changes

    cdef int add_identity(self, object value) except -1
    cdef int add_reference(self, object value) except -1
    cdef int see(self, object value) except -1
    cdef int note_code(self, object code, str name) except -1
    cdef int mark(self, Py_ssize_t first, name, str owner) except -1
    cdef int add(self, object value, int depth) except -1
    cdef int add_attributes_of_tensor(self, value) except -1
    cdef int add_items(self, value, cls, int depth) except -1
    cdef int add_set(self, value) except -1
    cdef int add_dict(self, dict value, int depth, str owner) except -1
    cdef int add_function(self, object function, int depth, str in_class) except -1
    cdef int look_into_function(self, object function, int depth) except -1
    cdef int add_named(self, value, tuple names) except -1
    cdef int add_class(self, cls) except -1
    cdef int add_object(self, object value, object cls, int depth) except -1
    cdef int look_into_options(self, object value, object cls) except -1
    cdef int add_option(self, name, object value, object cls) except -1
    cdef int look_into_optimizer(self, object value, object cls) except -1
    cdef int look_into_object(self, object value, object cls, Kind kind) except -1


cdef Walker new_walker()
cdef list walk(Walker walker, function, args)
