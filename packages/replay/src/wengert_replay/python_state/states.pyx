"""States: what programs of a function have taken for constant. See walker.pyx."""
cimport cython

from wengert_replay.python_state.walker cimport Walker, walk
from wengert_replay.python_state.walker cimport new_walker as walker_without_names

from contextlib import suppress

from wengert_replay.python_state.uses import names_read
from wengert_replay.python_state.walker import walk_for_changes


@cython.binding(False)
cdef class PythonStates:
    """The states that calls of a function have met, each with its number."""
    cdef list states                   # the last one found is the last
    cdef list numbers
    cdef list held
    cdef dict marks                    # by number: names of what was found
    cdef Py_ssize_t limit
    cdef set names                     # by which code reads something, when the first call was made

    def __init__(self, Py_ssize_t limit):
        self.states, self.numbers, self.held, self.marks, self.limit = [], [], [], {}, limit

    def number(self, function, args not None):
        """Return the number of the state that a function meets now; -1 where it is new and ``limit`` states are known.

        args: further objects, such as arguments; tensors among them are passed over.
        """
        cdef Py_ssize_t n = len(self.states), i
        cdef Walker walker
        cdef list found
        if self.names is None and not n:
            with suppress(Exception):  # of a list or a class of the user's that cannot be looked into
                found, _, codes, _ = walk_for_changes(function, args)
                self.names = names_read(codes, found)
        found = walk(self.new_walker(), function, args)
        for i in range(n - 1, -1, -1):
            if found == self.states[i]:
                if i < n - 1:
                    self.states.append(self.states.pop(i))
                    self.numbers.append(self.numbers.pop(i))
                return self.numbers[n - 1]
        if n >= self.limit:
            return -1
        walker = self.new_walker()
        walker.held, walker.marks = [], []
        if len(walk(walker, function, args)) == len(found):
            self.marks[n] = walker.marks
        self.held.append(walker.held)
        self.states.append(found)
        self.numbers.append(n)
        return n

    cdef Walker new_walker(self):
        cdef Walker made = walker_without_names()
        made.names = self.names
        return made

    def facts(self, Py_ssize_t number):
        """Return a state by its number: what ``walk`` gives, and the marks of what has a name."""
        return self.states[self.numbers.index(number)], self.marks.get(number, [])
