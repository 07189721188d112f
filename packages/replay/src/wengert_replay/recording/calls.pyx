"""Calls: what a replay calls with the GIL: drivers of operations that tell no launches, and Python functions."""
cimport cython
from cpython.ref cimport PyObject

from wengert_core.extend cimport (MAX_SLOTS, WG_GRAD, Storage, Tensor, WgState, copy_into, new_on_memory, same_shape,
                                  shape_tuple, strides_of, thread_state)

from wengert_core.extend import Tensor as TensorClass
from wengert_core.extend import rng_states


cdef Tensor on_captured_memory(Tensor t):
    """A tensor of the same geometry on the same memory, which it does not keep alive."""
    cdef Storage s = <Storage> t.storage
    return new_on_memory(t.code, t.rank, t.dims, strides_of(t), t.data, s.data, s.nbytes, None)


cdef list tensors_in(object value, list found):
    """Append the tensors of a result or an argument: itself, or those of a sequence."""
    if isinstance(value, TensorClass):
        found.append(value)
    elif isinstance(value, (tuple, list)):
        for item in value:
            tensors_in(item, found)
    return found


cdef object without_tensors(value):
    """An argument to be compared: numbers and names, no addresses."""
    if isinstance(value, TensorClass):
        return (<Tensor> value).code, shape_tuple(<Tensor> value)
    if isinstance(value, (tuple, list)):
        return [without_tensors(item) for item in value]
    return value


@cython.binding(False)
cdef class Call:
    """An operation whose driver is called at each replay."""

    resets_versions = False            # its results have version 0, whatever a plain run does to them

    @property
    def name(self):
        """The operation's name."""
        return self.op.name

    def words(self):
        """Return the name and the arguments, without addresses of tensors: equal for calls that do the same."""
        return self.op.name, [without_tensors(value) for value in self.arguments]

    def lasting_words(self):
        """Return ``words`` without what each call reads anew."""
        return self.words()

    def generators(self):
        """Return the generators that a call draws from."""
        if self.op is None or "generator" not in self.op.params:
            return []
        generator = self.arguments[self.op.params.index("generator")]
        return [rng_states()[0][0] if generator is None else generator]

    def written_outside(self):
        """Return ranges of memory from outside, beside its results, that a call writes to: states of generators."""
        return []

    cdef list run(self):
        cdef PyObject* slots[MAX_SLOTS]
        cdef WgState* state = thread_state()
        cdef unsigned int modes = state.modes
        cdef int i
        for i in range(self.op.n_params):
            slots[i] = <PyObject*> self.arguments[i]
        state.modes = modes & ~(<unsigned int> WG_GRAD)
        try:
            return tensors_in(self.op.run(self.op, slots, 0), [])
        except Exception as error:
            error.add_note(f"raised in a replay by {self.name}, which was recorded at {self.step.line}")
            raise
        finally:
            state.modes = modes

    cdef object settle(self, list results):
        """Copy results to where the first run had them; return None, or shapes and dtypes where those are others."""
        cdef Tensor target, source
        if len(results) != len(self.outputs):
            return self.facts_of(results)
        for target, source in zip(self.outputs, results):
            if source.code != target.code or not same_shape(source, target):
                return self.facts_of(results)
        for target, source in zip(self.outputs, results):
            if source.data != target.data:
                copy_into(target, source)
        return None

    @staticmethod
    def facts_of(results):
        """Dtypes and shapes, to be compared."""
        return tuple([((<Tensor> t).code, shape_tuple(<Tensor> t)) for t in results])

    def facts(self):
        """Dtypes and shapes of the recorded results."""
        return self.facts_of(self.outputs)
