"""Choice: a construct that a replay runs as one of two bodies, as a number of the program says.

The bodies have no arguments: whatever they use is read where it is (Note [A body's memory] in body.pyx). Results are
written where they stay, where their memory holds nothing else.
"""
cimport cython

from wengert_core.extend cimport Tensor, copy_into, itemsize_of
from wengert_replay.loops.body cimport Body, Port
from wengert_replay.loops.course cimport is_true, tensor_at
from wengert_replay.loops.loop cimport Loop
from wengert_replay.loops.placement cimport take_scratch
from wengert_replay.recording.calls cimport on_captured_memory


@cython.binding(False)
cdef class Choice(Loop):
    """A choice between two bodies: the first for a number that is not 0, the other one for 0."""

    label = "choice"

    cdef bint run_into(self, list targets) except -1:
        cdef Tensor predicate = self.predicate
        cdef bint holds = is_true(predicate.data, predicate.code, itemsize_of(predicate))
        cdef Body body = self.bodies[0 if holds else 1]
        cdef Py_ssize_t k
        cdef Port* port
        body.enter(self.scratch.data)
        for k in range(len(targets)):
            if body.result_fields[k] is not None:
                body.put_result(k, (<Tensor> targets[k]).data + body.results[k].low)
        body.run()
        for k in range(len(targets)):
            port = &body.results[k]
            if port.nbytes and body.result_fields[k] is None:
                copy_into(<Tensor> targets[k], tensor_at(body.like_results[k], port.data - port.low))
        return True


def make_choice(str construct not None, str source not None, Tensor predicate not None, list bodies not None,
                list outputs not None):
    """Return a choice on tensors of a recording. bodies: for a number that is not 0, and for 0."""
    cdef Choice made = Choice.__new__(Choice)
    cdef Body body
    made.construct, made.source, made.count, made.room, made.writes = construct, source, 1, -1, False
    made.bodies, made.tests, made.following, made.backwards, made.kept = bodies, [], [], [], []
    made.carry, made.rows, made.arguments, made.n_outputs = [], [], [], len(outputs)
    made.predicate = on_captured_memory(predicate)
    made.outputs = [on_captured_memory(t) for t in outputs]
    made.memory = [made.predicate, *made.outputs]
    for body in bodies:
        made.memory += body.imported + body.external
    take_scratch(made)
    made.sources = [predicate]
    return made
