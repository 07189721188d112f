"""JointProgram: a program that stops where its function has returned, and goes on with gradients.

A run up to the return point is a call of the function, and what follows its backward. What the first part computes for
the second stays in the program's memory until the next run, and in a copy then (residuals.pyx).
"""
cimport cython

from wengert_replay.history.residuals cimport Residuals, parts_behind, residual_memory
from wengert_replay.programs.plans cimport result_of
from wengert_replay.programs.program cimport OUTCOME_MISSED, Program
from wengert_replay.instructions.turns cimport PASSED, Turn
from wengert_replay.recording.calls cimport Call
from wengert_replay.recording.python_calls cimport forget_calls
from wengert_replay.recording.tracing cimport Recording

from weakref import ref

from wengert_replay.history.outside import versions_of
from wengert_replay.refusal import Refusal


@cython.binding(False)
cdef class ReturnPoint(Call):
    """The place where a function has returned: a call that does nothing."""
    cdef bytes live                    # of each block that there was: whether somebody used it

    @property
    def name(self):
        return "return"

    def words(self):
        return ("return",)

    cdef list run(self):
        return []


def add_return_point(Recording recording not None, backward not None):
    """Note in a recording that the function has returned. Returns the number of the launch.

    backward: the code of what runs the rest.
    """
    cdef ReturnPoint made = ReturnPoint.__new__(ReturnPoint)
    made.arguments, made.outputs, made.memory = [], [], []
    made.live = recording.live_marks()
    recording.note_hooks()
    recording.open_call([])
    recording.add_call(made, [], made.name)
    recording.steps.lines.set_floor(backward)
    return recording.recorder.n - 1


def has_no_graph(node):
    return False


@cython.binding(False)
cdef class JointProgram(Program):
    """A recorded function and, behind a return point, its gradients."""

    def __init__(self, Recording recording not None, list results not None, set live not None, Py_ssize_t n_inputs,
                 Py_ssize_t n_results, Py_ssize_t return_point, list leaves not None):
        """Take over a recording that has stopped. Raises Refusal.

        results: those of the function, then the gradients.   live: as for Program.   n_inputs: of the function; further
        inputs are gradients of results.   return_point: from ``add_return_point``; -1: there are no gradients.
        leaves: those that nodes save, with their versions.
        """
        cdef ReturnPoint place
        if return_point >= 0:
            place = <ReturnPoint> recording.calls[return_point]
            self.parts = parts_behind(recording, return_point, place.live, n_inputs)
            self.read_later, place.live = self.parts.tensors_read(leaves), None
        Program.__init__(self, recording, results, live, has_no_graph)
        self.n_inputs, self.n_results, self.return_point = n_inputs, n_results, return_point

    cdef int note_memory(self) except -1:
        if self.parts is not None:
            self.residuals, self.parts = residual_memory(self.parts, self.memory), None
        return 0

    cdef bint may_branch(self) noexcept:
        return False                   # another way through the function is another Way

    cdef int enter_run(self) except -1:
        """Hold tensors from outside, whose memory is used, while the program runs."""
        self.held = self.surroundings.hold()
        self.occupy()
        return 0

    cdef int leave_run(self) except -1:
        self.busy, self.held = 0, None
        return 0

    cdef int run_forward(self, list inputs) except -1:
        """Run up to the return point, or the end; returns an Outcome. Where it fails, writes outside are undone."""
        cdef int outcome
        if self.residuals is not None:
            self.residuals.put_aside()
        self.copy_in(inputs)
        self.snapshot.save()
        try:
            outcome = self.run_from(self.stream.rows)
        except BaseException:
            self.snapshot.restore()
            raise
        if outcome == OUTCOME_MISSED:
            self.snapshot.restore()
        else:
            self.behind = self.at
        self.found = None
        return outcome

    cdef bint run_through(self, list inputs) except -1:
        """Run the function; False where a guard differs or an operation fails: a run as usual raises its error. That
        of a Python function is raised here, as it is called once.
        """
        try:
            if self.run_forward(inputs) != OUTCOME_MISSED:
                return True
        except Exception:
            if self.fails_in_python():
                raise
            return False
        self.guard_failures += 1
        return False

    cdef Residuals note_run(self):
        """Return the residuals of the run that has come to the return point; None where there is none."""
        cdef Residuals made
        if self.residuals is None:
            return None
        made = Residuals.__new__(Residuals)
        made.versions = versions_of(self.read_later) if self.read_later else None
        self.residuals.current = ref(made)
        return made

    cdef list run_backward(self, Residuals residuals, list grads):
        """Run from the return point on; return the gradients."""
        self.copy_in(grads, self.n_inputs)
        forget_calls()
        if self.run_from(self.behind) == OUTCOME_MISSED:
            return None
        self.residuals.use(residuals)
        return self.collect_from(self.n_results, len(self.results), None)

    def begin(self, list inputs not None):
        """Run the function. Returns the run's residuals, or None without gradients, and the results; None where the
        program does not fit, False where a guard differs or an operation fails, with nothing outside changed.
        """
        cdef Turn turn
        if self.take_turn() == PASSED:
            return False
        turn = self.turn
        try:
            if self.surroundings.meets(inputs):
                return False
            if not self.fits(inputs) or not self.finds_arguments(inputs):
                return None
            self.enter_run()
            try:
                if not self.run_through(inputs):
                    return False
                self.finish(inputs)
                self.replays += 1
                return self.note_run(), self.collect_from(0, self.n_results, inputs)
            finally:
                self.leave_run()
        finally:
            turn.leave()

    def go_on(self, Residuals residuals not None, list grads not None):
        """Return the gradients of a run, from gradients of results; None where its residuals are gone."""
        cdef Turn turn
        if self.take_turn() == PASSED:
            return None
        turn = self.turn
        try:
            if self.surroundings.is_stale() \
                    or self.read_later and versions_of(self.read_later) != residuals.versions \
                    or not self.residuals.take_over(residuals):
                return None
            self.enter_run()
            try:
                return self.run_backward(residuals, grads)
            except Refusal:            # a loop goes on where it ended in the recording
                return None
            finally:
                self.leave_run()
        finally:
            turn.leave()

    def run_plainly(self, list inputs not None):
        """Run the function, and return its results; versions of what it writes stay. None where the program does not
        fit.
        """
        cdef Turn turn
        if self.take_turn() == PASSED:
            return None
        turn = self.turn
        try:
            if not self.fits(inputs):
                return None
            self.enter_run()
            try:
                if not self.run_through(inputs):
                    return None
                self.note_run()            # nobody has its residuals
                return self.collect_from(0, self.n_results, inputs)
            finally:
                self.leave_run()
        finally:
            turn.leave()

    def run_again(self, list inputs not None, list grads not None, Residuals before or None):
        """Run the function; return the run's residuals and gradients; versions of what it writes stay. None where the
        program does not fit. before: residuals of the same call, which are gone; or None.
        """
        cdef Residuals residuals
        cdef Turn turn
        if self.take_turn() == PASSED:
            return None
        turn = self.turn
        try:
            if not self.fits(inputs):
                return None
            self.enter_run()
            try:
                if self.run_forward(inputs) == OUTCOME_MISSED:
                    return None
                self.reruns += 1
                residuals = self.note_run()
                residuals.uses = 0 if before is None else before.uses
                found = self.run_backward(residuals, grads)
                return None if found is None else (residuals, found)
            except Refusal:
                return None
            finally:
                self.leave_run()
        finally:
            turn.leave()

    cdef list collect_from(self, Py_ssize_t first, Py_ssize_t last, list inputs):
        """The results of the run, from one number to another."""
        return [result_of(plan, inputs) for plan in self.results[first:last]]
