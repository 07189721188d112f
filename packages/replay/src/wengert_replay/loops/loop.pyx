"""Loop: a construct of control flow that a replay runs as one instruction.

Note [How a loop runs]
    An iteration runs the body's instructions on its arguments, copies results to their rows, and the carry from the
    results to the arguments: no Python, and no memory that grows with the number of iterations. The carry is an
    argument where the loop's result will be, and large rows are read where they are; small ones are copied. It holds
    the GIL where the body calls an operation's driver, and looks for signals from time to time. A carry whose strides
    are others in the next iteration has another body there (``following``).
Note [A loop names its memory]
    A run uses the memory of the loop's tensors, and comes back (passes/reach.pyx). So a program plans its memory around
    a loop as around a launch; what its bodies need meanwhile is one of these tensors (``scratch``), which others use
    before and behind it. A run that the recorded bodies do not suffice for raises Refusal, and the program begins anew.
Note [Empty loops]
    A loop with a gradient that has no iteration gives its carry with the graph of that, or without one. In the body of
    another loop that is the same program where its results have a graph as its carry has, or where the recording had no
    iteration there either: in the first iterations around it.
"""
cimport cython
from libc.stdint cimport int64_t
from libc.string cimport memcmp, memcpy

from wengert_core.extend cimport Tensor, close_pool, copy_into, free_pool, itemsize_of, open_pool, set_recorder
from wengert_replay.loops.body cimport Body, Port
from wengert_replay.loops.course cimport Course, check_strides, ends_behind, is_true, tensor_at
from wengert_replay.loops.operands cimport indices_among, indices_of_outside
from wengert_replay.loops.placement cimport take_scratch
from wengert_replay.programs.memory cimport extent
from wengert_replay.recording.calls cimport Call, on_captured_memory
from wengert_replay.recording.tracing cimport Recording

from wengert_core.extend import Tensor as TensorClass
from wengert_engine.extend import set_tracer

from wengert_replay.history.outside import copy_with_strides
from wengert_replay.recording.tracing import is_unusual
from wengert_replay.refusal import Refusal

cdef enum:
    ENDLESS = 0x7FFFFFFFFFFFFFFF       # iterations, where a test decides


@cython.binding(False)
cdef class Loop(Call):
    """A loop over a body."""

    label = "loop"
    resets_versions = True

    @property
    def name(self):
        return self.construct

    def words(self):
        bodies = [body.words() for body in self.all_bodies()]
        bounds = [isinstance(one, int) and one for one in self.bounds or ()]
        return (self.construct, self.source, self.count, self.backwards, self.kept, self.index_step, bounds, bodies)

    def all_bodies(self):
        """Its bodies, and those of the test."""
        return [*self.bodies, *self.tests]

    def written_outside(self):
        found = {}
        for body in self.all_bodies():
            found.update(body.all_states())
        return [(address, address + nbytes) for _, _, address, nbytes in found.values()]

    def generators(self):
        found = []
        for body in self.all_bodies():
            found += [one for one in body.generators() if one not in found]
        return found

    cdef list run(self):
        return []

    cdef object settle(self, list results):
        """Run it."""
        if not self.run_into(self.outputs):
            raise Refusal(f"{self.construct} has an iteration, and had none in the recording")
        return None

    def agrees(self):
        """Run it into memory of its own, and return whether the numbers are those of the recording's run. Carries that
        are kept are written where they will stay.
        """
        cdef Tensor own, target
        cdef Py_ssize_t low = 0, high = 0
        n = len(self.outputs) - len(self.kept) - self.counts
        with Aside():
            targets = [copy_with_strides(t) for t in self.outputs[:n]]
            self.run_into([*targets, *self.outputs[n:]])
            for own, target in zip(self.outputs, targets):
                extent(own, &low, &high)
                if memcmp(own.data + low, target.data + low, high - low):
                    return False
        return True

    cdef bint run_into(self, list targets) except -1:
        cdef Py_ssize_t at = 0, following, number = 0, last, count
        cdef int64_t lower = 0
        cdef bint from_arguments = True, repeats, keeps = self.room >= 0 and not self.drops
        cdef Body body
        cdef list courses = [None] * len(self.bodies)
        cdef Course course
        count = self.count_now(&lower)
        if self.room >= 0:
            if keeps and count > self.room and not self.tests or count <= 0 and not self.may_have_none():
                raise self.no_room()
            count = min(count, self.room) if keeps else count
        for body in self.all_bodies():
            body.enter(self.scratch.data + self.arena_offset)
        if count <= 0 or not self.bodies:
            if self.begins(count):
                return False
            for target, source in zip(targets, self.carry):
                if (<Tensor> target).count != (<Tensor> source).count:
                    raise self.other_gradients()
                check_strides(self.construct, target, source)
                copy_into(<Tensor> target, <Tensor> source)
            return True
        courses[0] = self.course_of(0, targets, count)
        self.load_carry(self.bodies[0])
        while True:
            course, repeats = courses[number], self.following[number] == number
            following = course.run(at, lower, repeats)
            if repeats or following == at:
                break
            at = following
            if at == count:
                from_arguments = False
                break
            if self.following[number] < 0:
                if self.ending_offsets and ends_behind(self.tests[len(self.bodies)], self.bodies[number],
                                                       self.scratch.data, self.ending_offsets):
                    from_arguments = False
                    break
                raise Refusal(f"{self.construct} goes on longer than in the recording, with a carry of other strides")
            last, number = number, self.following[number]
            if courses[number] is None:
                courses[number] = self.course_of(number, targets, count)
            self.move_carry(self.bodies[last], self.bodies[number])
        if self.room >= 0 and self.tests \
                and (following == 0 and not self.may_have_none() or keeps and following == count):
            raise self.no_room()
        if self.counts:
            (<int64_t*> (<Tensor> targets[len(targets) - 1]).data)[0] = following
        self.give_carry(self.bodies[number], from_arguments, targets)
        return True

    cdef bint may_have_none(self) noexcept:
        """Whether a loop in a body may have no iteration. Note [Empty loops]"""
        return self.drops and (self.may_be_empty or self.is_excused)

    def other_gradients(self):
        return Refusal(f"{self.construct} ends with gradients of other tensors than in the recording")

    def no_room(self):
        """Return the error of a run with a gradient that has another number of iterations than there is memory for."""
        return Refusal(f"{self.construct} has no iteration, or more than the carries that are kept have room for")

    cdef Py_ssize_t count_now(self, int64_t* lower) except -2:
        """The number of iterations; ENDLESS where a test decides. lower: the first number of a range."""
        if self.bounds is None:
            return self.count if self.count >= 0 else ENDLESS
        first, last = [one if isinstance(one, int) else number_in(<Tensor> one) for one in self.bounds]
        lower[0] = first if self.index_step > 0 else last - 1
        return max(last - first, 0)

    cdef bint begins(self, Py_ssize_t count) except -1:
        """Whether there is an iteration, of a loop without a body."""
        cdef Body test
        cdef Tensor like
        cdef Py_ssize_t k
        if self.bodies or not self.tests:
            return count > 0
        test = self.tests[0]
        for k in range(test.n_inputs):
            test.put_input(k, self.scratch.data + <Py_ssize_t> self.input_offsets[0][k])
        self.load_carry(test)
        test.run()
        like = test.like_results[0]
        return is_true(test.results[0].data, like.code, itemsize_of(like))

    cdef Course course_of(self, Py_ssize_t number, list targets, Py_ssize_t count):
        """The course of iterations with a body in this run."""
        cdef Course made = Course.__new__(Course)
        cdef Py_ssize_t k, n_carry = len(self.carry), n_rows = len(self.rows)
        cdef Body body = self.bodies[number]
        cdef list offsets = self.input_offsets[number]
        made.body, made.strided, made.end = body, [], count
        for k in range(body.n_inputs):
            if offsets[k] != IN_PLACE:
                body.put_input(k, self.scratch.data + <Py_ssize_t> offsets[k])
            elif k < n_carry:
                body.put_input(k, (<Tensor> targets[k]).data + body.inputs[k].low)
        for k in range(n_carry):
            if body.result_fields[k] is not None:
                body.put_result(k, self.scratch.data + <Py_ssize_t> self.result_offsets[number][k]
                                if self.result_offsets[number][k] != IN_PLACE
                                else (<Tensor> targets[k]).data + body.results[k].low)
        if self.tests:
            made.set_test(self.tests[number], n_carry)
        for k in range(n_rows):
            made.add_input(n_carry + k, self.rows[k], self.backwards[k], offsets[n_carry + k] == IN_PLACE)
        for k in range(self.n_outputs):
            made.add_output(n_carry + k, targets[n_carry + k], self.backwards[n_rows + k])
        for k, kept in enumerate([] if self.drops else self.kept):
            made.add_kept(kept, targets[n_carry + self.n_outputs + k])
        made.add_moves(n_carry)
        made.n_empty, made.excused = self.n_empty, body.loops() if self.n_empty else []
        if self.index_step:
            made.index_step = self.index_step
            made.index = made.body.inputs[n_carry + n_rows].data
        return made

    cdef int load_carry(self, Body body) except -1:
        cdef Py_ssize_t k
        cdef Port* port
        for k in range(len(self.carry)):
            port = &body.inputs[k]
            memcpy(port.data, (<Tensor> self.carry[k]).data + port.low, port.nbytes)
        return 0

    cdef int move_carry(self, Body body, Body following) except -1:
        """From the results of a body to the arguments of another one."""
        cdef Py_ssize_t k
        for k in range(len(self.carry)):
            if following.inputs[k].data != body.results[k].data:
                memcpy(following.inputs[k].data, body.results[k].data, following.inputs[k].nbytes)
        return 0

    cdef int give_carry(self, Body body, bint from_arguments, list targets) except -1:
        """To the results of the loop."""
        cdef Py_ssize_t k
        cdef Port* port
        cdef Tensor like
        for k in range(len(self.carry)):
            port = &body.inputs[k] if from_arguments else &body.results[k]
            like = body.like_inputs[k] if from_arguments else body.like_results[k]
            if (0 if like is None else like.count) != (<Tensor> targets[k]).count:
                raise self.other_gradients()
            if port.nbytes:
                check_strides(self.construct, targets[k], like)
            if port.nbytes and port.data - port.low != (<Tensor> targets[k]).data:
                copy_into(<Tensor> targets[k], tensor_at(like, port.data - port.low))
        return 0

    @property
    def nbytes(self):
        """Bytes of the bodies' memory for values."""
        return sum([(<Body> body).nbytes for body in self.all_bodies()])

    @property
    def stream_nbytes(self):
        """Bytes of what runs in the bodies."""
        return sum([(<Body> body).stream_nbytes for body in self.all_bodies()])


cdef int64_t number_in(Tensor t) except? -1:
    """The whole number that a tensor with one element holds."""
    return int(<object> t)


@cython.binding(False)
cdef class Aside:
    """A context whose memory is none of the recording that is suspended: a plain loop runs in it."""

    def __enter__(self):
        if self.pool == NULL:
            self.pool = open_pool()

    def __exit__(self, *error):
        cdef Pool* pool = self.pool
        if pool != NULL:
            self.pool = NULL
            close_pool(pool)
            free_pool(pool)


def refuse_once(Recording recording not None, str why not None):
    """Let a recording be none that is replayed, while another one of the same function may be."""
    if recording.refusal is None:
        recording.refuse(why)
        recording.passes = True


def nest(Recording recording not None, Recording around not None, bint ends_outside=False, bint is_trial=False):
    """Let a recording be a part of another one, which is suspended. ends_outside: backward comes to nodes from outside,
    where whoever asks for gradients there goes no further.   is_trial: it may change nothing outside of it, as an eager
    call does not run it, or not twice.
    """
    recording.around, recording.ends_outside = around, ends_outside
    recording.is_trial = is_trial or around.is_trial
    recording.watches = around.watches or is_trial
    recording.tells_writes = around.tells_writes


def suspend(Recording recording not None):
    """Record no more for now, in the midst of a recording. False where operations run that are recorded as a whole, and
    inside of ``vmap``, casts, or hooks for saved tensors.
    """
    if recording.recorder.depth:
        return False
    recording.settle()
    set_tracer(None)
    set_recorder(NULL)
    if is_unusual():
        resume(recording)
        return False
    return True


def resume(Recording recording not None):
    """Go on with a recording."""
    set_tracer(recording)
    set_recorder(&recording.recorder)


def make_body(Recording recording not None, Recording around not None, list results not None, list positions=None,
              list result_positions=None, Py_ssize_t n_carry=0, bint in_place=False):
    """Return the body of a recording that has stopped, inside of another one. Raises Refusal.

    positions, result_positions: as for Body.take; all that there are, in their order, where nothing is said.
    n_carry: so many results are arguments of the next run.   in_place: a run may write results where they stay.
    """
    cdef Body made = Body.__new__(Body)
    made.take(recording, around, results, list(range(len(recording.inputs))) if positions is None else positions,
              list(range(len(results))) if result_positions is None else result_positions, n_carry, in_place)
    return made


def run_loop(Loop loop not None):
    """Run it, on the memory of the recording."""
    loop.run_into(loop.outputs)


def make_loop(str construct not None, str source not None, list carry not None, list rows not None,
              list backwards not None, list bodies not None, list tests not None, list following not None,
              list outputs not None, Py_ssize_t count=-1, list bounds=None, list kept=None, int index_step=0,
              Py_ssize_t room=-1, bint counts=False, Py_ssize_t n_into=0):
    """Return a loop on tensors of a recording.

    outputs: the last carry, rows of outputs, carries that are kept, and the number of iterations.   n_into: the last
    outputs, where these are parts of tensors that the recording knows.
    """
    cdef Loop made = Loop.__new__(Loop)
    cdef Body body
    made.construct, made.source, made.count, made.index_step, made.writes = construct, source, count, index_step, False
    made.backwards, made.following, made.kept = backwards, following, kept or []
    made.bodies, made.tests = bodies, tests
    made.room, made.counts, made.n_into = room, counts, n_into
    made.n_outputs = len(outputs) - len(carry) - len(made.kept) - counts
    made.carry, made.rows = [on_captured_memory(t) for t in carry], [on_captured_memory(t) for t in rows]
    made.bounds = None if bounds is None else [
        on_captured_memory(one) if isinstance(one, TensorClass) else int(one) for one in bounds]
    made.outputs = [on_captured_memory(t) for t in outputs]
    made.arguments = []
    made.memory = [*made.carry, *made.rows, *made.outputs]
    made.memory += [one for one in made.bounds or () if isinstance(one, TensorClass)]
    for body in (*bodies, *tests):
        made.memory += body.imported + body.external
    take_scratch(made)
    made.sources = [None if bodies and bodies[0].like_inputs[k] is None else one for k, one in enumerate(carry)]
    made.sources += [*rows, *[one for one in bounds or () if isinstance(one, TensorClass)],
                     *outputs[len(outputs) - n_into:]]
    return made


def add_loop(Recording recording not None, Loop loop not None, list operands not None, list outputs not None):
    """Append a loop to a recording. operands: its tensors; what its bodies read is appended to them."""
    cdef Body body
    operands = list(operands)
    loop.places = indices_among(operands, loop.sources)
    loop.sources = None                # programs hold tensors weakly
    for body in loop.all_bodies():
        operands += [one for one in body.outside if all([one is not other for other in operands])]
        body.places = indices_of_outside(operands, body.steps)
    recording.open_call(operands)
    recording.add_call(loop, outputs, loop.construct)
    for body in loop.all_bodies():
        for key, row in body.states.items():
            recording.outside.setdefault(key, row)
        body.outside = []              # programs hold tensors from outside weakly
    loop.holder = None                 # the recording may give this memory to others
