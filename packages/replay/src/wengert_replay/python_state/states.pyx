"""States: what programs of a function have taken for constant. See walker.pyx."""
cimport cython

from wengert_replay.python_state.walker cimport Walker, new_walker, walk


@cython.binding(False)
cdef class PythonStates:
    """The states that calls of a function have met, each with its number."""
    cdef list states                   # the last one found is the last
    cdef list numbers
    cdef list held
    cdef dict marks                    # by number: names of what was found
    cdef Py_ssize_t limit

    def __init__(self, Py_ssize_t limit):
        self.states, self.numbers, self.held, self.marks, self.limit = [], [], [], {}, limit

    def number(self, function, args not None):
        """Return the number of the state that a function meets now; -1 where it is new and ``limit`` states are known.

        args: further objects, such as arguments; tensors among them are passed over.
        """
        cdef list found = walk(new_walker(), function, args)
        cdef Py_ssize_t n = len(self.states), i
        cdef Walker walker
        for i in range(n - 1, -1, -1):
            if found == self.states[i]:
                if i < n - 1:
                    self.states.append(self.states.pop(i))
                    self.numbers.append(self.numbers.pop(i))
                return self.numbers[n - 1]
        if n >= self.limit:
            return -1
        walker = new_walker()
        walker.held, walker.marks = [], []
        if len(walk(walker, function, args)) == len(found):
            self.marks[n] = walker.marks
        self.held.append(walker.held)
        self.states.append(found)
        self.numbers.append(n)
        return n

    def facts(self, Py_ssize_t number):
        """Return a state by its number: what ``walk`` gives, and the marks of what has a name."""
        return self.states[self.numbers.index(number)], self.marks.get(number, [])
