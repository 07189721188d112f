"""Runs: a call of a captured function, what its node keeps of it, and the ways from there to gradients.

Note [A call and its backward]
    Both are replays of a few microseconds, so what they do besides is compiled: a call makes its node without a Python
    function, and a backward whose gradients are as those of the one before goes on in the same program. Everything else
    is the History's: recordings, runs of the function again, derivatives that are differentiated.
"""
cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.ref cimport PyObject
from libc.string cimport memcmp

from weakref import ref

from wengert_core.extend cimport (TF_INFERENCE, WG_BATCHED, WG_GRAD, WG_OBSERVE, Storage, Tensor, is_strided,
                                  thread_state)
from wengert_engine.extend cimport record_function
from wengert_replay.recording.python_calls cimport forget_calls
from wengert_replay.recording.tracing cimport Recording

from wengert_engine import Function
from wengert_engine.extend import is_dual_level_open, is_released

from wengert_replay.history.outside import versions_of
from wengert_replay.recording.tracing import is_unusual
from wengert_replay.refusal import RETAINED as _RETAINED


@cython.binding(False)
cdef class Form:
    """The form of a function's results."""

    def __init__(self, structure, list outputs not None, list ends not None, list leaves not None, list read not None,
                 list own not None, list tensors not None):
        """own: those of the leaves that the function has made, on memory that was there: nobody else has them.
        tensors: from ``tensors_outside``.
        """
        self.tensors, self.structure, self.outputs, self.ends, self.read = tensors, structure, outputs, ends, read
        self.references, self.own, self.retained = [ref(one) for one in leaves], own, []

    def note_retained(self, list results not None):
        """Note which outputs keep their gradients, by ``retain_grad()``; return why they cannot: "" or words."""
        self.retained = [i for i in self.outputs if results[i].retains_grad]
        return _RETAINED if any([results[i]._backward_hooks for i in self.retained]) else ""

    @property
    def leaves(self):
        """Leaves from outside that outputs depend on; they get gradients too. All are there while a node is."""
        return [one() for one in self.references]

    cdef list leaves_there(self):
        """The leaves; None where one is gone."""
        cdef list found = self.leaves
        for one in found:
            if one is None:
                return None
        return found


@cython.binding(False)
cdef class Origins:
    """Where the gradient of each end comes from. Note [Gradients that share memory] in shared_gradients.py"""

    def __cinit__(self, list numbers not None, Py_ssize_t n_given, list parts not None):
        """numbers: of each end's gradient among those that the results get, ``n_given``, then those that a program
        computes, then the parts; None: there is none.   parts: views, each (number of the base, shape, strides, the
        elements from the base's first one to its own).
        """
        self.parts = parts
        self.is_plain = not parts and all([one is None or one >= n_given for one in numbers])
        self.numbers = [one if one is None or not self.is_plain else one - n_given for one in numbers]

    cdef list gradients(self, list found, list given):
        """The gradients for all ends, of those that a program has computed and of those of the results."""
        if not self.is_plain:
            found = [*given, *found]
            for number, shape, strides, offset in self.parts:
                found.append(found[number].as_strided(shape, strides, found[number].storage_offset() + offset))
        return [None if number is None else found[number] for number in self.numbers]

    def for_ends(self, list found not None, list given not None):
        """Return gradients for all ends, None for those that get none.

        found: those that a program has computed.   given: those of the results.
        """
        return self.gradients(found, given)


@cython.binding(False)
cdef class Joint:
    """A program of a function, and of its gradients where it has a return point."""

    def __init__(self, JointProgram program not None, Form form not None, Origins origins not None):
        self.program, self.form, self.origins = program, form, origins


cdef tuple describe(Tensor t):
    """The facts that a gradient must have in common with those of a recording; None for one that no program takes."""
    if t.device or t.flags & (WG_BATCHED | TF_INFERENCE) or not is_strided(t):
        return None
    return t.code, PyBytes_FromStringAndSize(<char*> t.dims, 2 * t.rank * sizeof(Py_ssize_t)), t.flags & WG_GRAD


def describe_grads(grads not None):
    """Return dtypes, sizes and strides of tensors, and what requires grad; None for what no program can take."""
    found = tuple([describe(<Tensor?> t) for t in grads])
    return None if None in found else found


@cython.binding(False)
cdef class Derivative:
    """A way to gradients for some of the results: a program, or the reason why there is none."""

    def __init__(self, tuple pattern not None, described):
        """pattern: for each output whether it has a gradient.   described: those gradients, by ``describe_grads``."""
        rest = iter(described or ())
        self.refusal, self.expected = "", tuple([next(rest, None) if there else None for there in pattern])

    cdef bint fits(self, tuple grads) except -1:
        """Whether gradients are as those of the recording."""
        cdef Py_ssize_t i
        cdef Tensor t
        cdef bytes dims
        for i in range(len(grads)):
            if grads[i] is None or self.expected[i] is None:
                if grads[i] is not self.expected[i]:
                    return False
                continue
            t = <Tensor> grads[i]
            code, dims, has_grad = <tuple> self.expected[i]
            if t.device or t.flags & (WG_BATCHED | TF_INFERENCE) or not is_strided(t) or t.code != <int> code \
                    or t.flags & WG_GRAD != <unsigned int> has_grad \
                    or PyBytes_GET_SIZE(dims) != <Py_ssize_t> (2 * t.rank * sizeof(Py_ssize_t)) \
                    or memcmp(t.dims, PyBytes_AS_STRING(dims), PyBytes_GET_SIZE(dims)) != 0:
                return False
        return True


@cython.binding(False)
cdef class Way:
    """A way through a function: what its guards are found to be."""

    def __cinit__(self):
        self.derivatives = {}

    def programs(self):
        """Return the programs that there are, those of gradients and of their gradients among them."""
        cdef Derivative one
        found = [self.joint.program] if self.joint is not None else []
        for one in self.derivatives.values():
            if one.joint is not None and one.joint is not self.joint:
                found.append(one.joint.program)
            found += one.higher.programs() if one.higher is not None else []
        return found

    def run(self, history, state, list tensors not None):
        """Run the way's program for a call. Returns the result's structure and tensors, or what ``begin`` does."""
        cdef Joint joint = self.joint
        leaves = None if joint is None else joint.form.leaves_there()    # not gone before the node holds them
        found = None if leaves is None else joint.program.begin(tensors)
        if not found:
            forget_calls()
            return found
        residuals, results = <tuple> found
        attach(Run(history, joint.form, state, len(tensors), self, residuals), tensors, results)
        return joint.form.structure, results


@cython.binding(False)
cdef class Graph:
    """The results of a call with the graph of its operations, while its recording pauses. That ends with the graph."""

    def __init__(self, Recording recording not None, list results not None):
        self.recording, self.results = recording, results

    def take(self):
        """Return the results, and have them no more."""
        results, self.results, self.recording = self.results, [], None
        return results

    def __dealloc__(self):
        if self.recording is not None:
            self.recording.close_soon()


@cython.binding(False)
cdef class Run:
    """A call of a captured function, as its node keeps it."""

    def __init__(self, history, Form form not None, state, Py_ssize_t n_inputs, Way way not None,
                 Residuals residuals=None):
        """residuals: of the run of the way's program that the call was; None: it was no replay, or has none."""
        self.history, self.form, self.state, self.n_inputs = history, form, state, n_inputs
        self.way, self.joint, self.residuals = way, way.joint, residuals
        self.versions = versions_of(form.read) if form.read else []
        self.modes = thread_state().modes & ~(<unsigned int> WG_GRAD)

    cdef list go_on(self, tuple grads):
        """The gradients for all ends, by the program that the call ran; None where that cannot be."""
        cdef Derivative derivative = self.way.newest
        if derivative is None or self.residuals is None or derivative.joint is not self.joint \
                or thread_state().modes != self.modes or not derivative.fits(grads) \
                or is_unusual() or is_dual_level_open():
            return None
        given = [one for one in grads if one is not None]
        found = self.joint.program.go_on(self.residuals, given)
        if found is None:
            return None
        self.way.joint = self.joint
        return self.joint.origins.gradients(found, given)


@cython.binding(False)
cdef class InputKeeper:
    """The inputs of a call with several outputs, until each of them has had a backward.

    A backward from one output frees what the node has saved. As usual another one would have a graph of its own.
    """
    cdef readonly list inputs
    cdef list versions
    cdef set used                      # outputs that have had a backward

    def __init__(self, list inputs not None):
        self.inputs, self.versions, self.used = list(inputs), versions_of(inputs), set()

    cdef object get(self, ctx, tuple grads):
        """The inputs for a backward with these gradients. RuntimeError as for any graph that was freed."""
        wanted = {i for i, one in enumerate(grads) if one is not None}
        saved = self.inputs
        if not is_released(ctx) or wanted & self.used:
            saved = ctx.saved_tensors
        elif versions_of(self.inputs) != self.versions:
            raise RuntimeError(
                "one of the variables needed for gradient computation has been modified by an inplace operation: an "
                "argument of a captured function. Clone it before, or call backward() first"
            )
        self.used |= wanted
        if len(self.used) == len(grads):
            self.inputs = []
        return saved


cdef object gradients_of(Run run, saved, tuple grads):
    """The gradients for the inputs of a node, and for leaves."""
    found = run.go_on(grads)
    return run.history.gradients(run, list(saved[:run.n_inputs]), grads) if found is None else found


cdef list storages_of(list tensors):
    """The Storages of tensors on the host, which stay alive by that; None in place of another one's."""
    cdef Tensor t
    return [None if t.device else <object> t.storage for t in tensors]


cdef bint lie_in(saved, list storages) except -1:
    """Whether tensors have the memory that they had when ``storages_of`` gave these."""
    cdef Tensor t
    cdef Storage s
    cdef Py_ssize_t i = 0
    for t in saved:
        if storages[i] is not None and <PyObject*> storages[i] != t.storage:
            s = <Storage> storages[i]
            if t.device or not s.data <= t.data <= s.data + s.nbytes:
                return False           # else it is the same memory under another Storage, as behind ``x.data = x.data``
        i += 1
    return True


def run_backward(ctx, *grads):
    """Return the gradients for the inputs of a node, from those of its outputs."""
    cdef Run run = <Run?> ctx.run
    state = None if run.twin is None else run.twin.state(run.history)
    saved = ctx.saved_tensors if run.kept is None else (<InputKeeper> run.kept).get(ctx, grads)
    if run.storages is not None and not lie_in(saved, run.storages):
        raise RuntimeError("an argument of a captured function, or a leaf that it uses, was given other memory between "
                           "the call and its backward, as x.data = y does: call backward() first")
    if state is None:
        found = gradients_of(run, saved, grads)
    else:
        with state.answers.note():
            found = gradients_of(run, saved, grads)
    run.storages = None                # from now on the graph may be freed while the node is there
    if run.twin is not None and not thread_state().modes & WG_GRAD:
        run.twin.check(grads, found, state)
    return (None, None, None, *found) if run.applied else tuple(found)


class Replay(Function):
    """The node of a captured function."""

    _inside_transforms = True
    _skips_none = True

    @staticmethod
    def forward(ctx, run, inputs, outputs, *ends):
        ctx.run = run
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(*inputs, *run.form.leaves)
        return outputs

    backward = staticmethod(run_backward)


def attach(Run run not None, list inputs not None, list results not None):
    """Put outputs of a node in place of the results that have a graph."""
    cdef Form form = run.form
    cdef list leaves
    cdef tuple outputs, ends, made
    if not form.outputs:
        return
    if len(form.outputs) > 1:
        run.kept = InputKeeper(inputs)
    outputs = tuple([results[i] for i in form.outputs])
    leaves = form.leaves
    ends = (*[inputs[i] for i in form.ends], *leaves)
    run.applied = thread_state().modes & (WG_OBSERVE | WG_BATCHED) != 0 or is_dual_level_open()
    if thread_state().saved_hooks == NULL and not run.applied:     # what is saved are these tensors themselves
        run.storages = storages_of([*inputs, *leaves])
    if run.applied:
        made = Replay.apply(run, inputs, outputs, *ends)
    else:
        made = record_function(Replay, "run", run, ends, (*inputs, *leaves), outputs)
    for i, one in zip(form.outputs, made):
        results[i] = one
    for i in form.retained:
        results[i].retain_grad()
