"""Anomaly mode: see anomaly.pxd. The messages are made in anomaly_mode.py."""
import weakref

from cpython.ref cimport Py_INCREF, PyObject

from wengert_core.dispatch.op cimport Op
from wengert_core.drivers.pointwise.pointwise_checks import every_sample
from wengert_core.dtypes.dtypes cimport CAT_FLOAT, COMPLEX64, COMPLEX128, FLOAT32, FLOAT64, DTypeFacts, dtype_facts
from wengert_core.runtime.state cimport WG_BATCHED
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, TF_VIEW, Tensor, is_strided, version_of
from wengert_engine.anomaly.trace cimport capture
from wengert_engine.graph.formula cimport Formula
from wengert_engine.graph.node cimport SAVED_OUTPUT, SAVED_TENSOR, node_extra, saved_slots, set_origin_hook
from wengert_engine.graph.visible_edges cimport shown_number
from wengert_core.devices.device import PLUGIN_DEVICES as _PLUGIN_DEVICES
from wengert_engine.record.record cimport base_hooks, inplace_fn, record_fn, set_base

cdef extern from "Python.h":
    unsigned long PyThread_get_thread_ident() noexcept

cdef DTypeFacts* FACTS = dtype_facts()
cdef record_fn RECORD = base_hooks().record
cdef inplace_fn RECORD_INPLACE = base_hooks().record_inplace

cdef int FLAGS = ANOMALY_NAN
cdef dict EVALUATING = {}              # thread -> the node that it is running backward
cdef dict WRITES = {}                  # address of a storage -> (weak reference to who was written to, list of writes)
cdef object REPORT = None


def set_report(report):
    """``report(phase, name, index, value, inputs, trace)`` makes the error for a value that is not finite."""
    global REPORT
    REPORT = report


def get_flags():
    """(on, check_nan, check_inf, check_forward)."""
    return bool(FLAGS & ANOMALY_ON), bool(FLAGS & ANOMALY_NAN), bool(FLAGS & ANOMALY_INF), bool(FLAGS & ANOMALY_FORWARD)


def set_flags(bint on, bint check_nan, bint check_inf, bint check_forward):
    """Switch the mode, for the whole process."""
    global FLAGS
    FLAGS = on * ANOMALY_ON | check_nan * ANOMALY_NAN | check_inf * ANOMALY_INF | check_forward * ANOMALY_FORWARD
    set_origin_hook(NULL)
    set_base(<record_fn> record_checked if on and check_forward else NULL, <inplace_fn> record_write if on else NULL)
    if on:
        set_origin_hook(note_origin)
    else:
        WRITES.clear()


cdef int anomaly_flags() noexcept:
    return FLAGS


# ---- where things come from

cdef void note_origin(Node node) noexcept:
    """Let a new node know where it was recorded, and during whose derivative."""
    cdef Trace trace = capture()
    if EVALUATING:
        trace.parent = EVALUATING.get(PyThread_get_thread_ident())
    Py_INCREF(trace)
    node_extra(node).trace = <PyObject*> trace


cdef Trace trace_of(Node node):
    return <Trace> node.extra.trace if node.extra != NULL and node.extra.trace != NULL else None


def node_trace(Node node):
    """The Trace of a node; None when it was recorded without anomaly mode."""
    return trace_of(node)


cdef object enter_node(Node node):
    cdef unsigned long thread = PyThread_get_thread_ident()
    before = EVALUATING.get(thread)
    EVALUATING[thread] = node
    return before


cdef int leave_node(object before) except -1:
    cdef unsigned long thread = PyThread_get_thread_ident()
    if before is None:
        EVALUATING.pop(thread, None)
    else:
        EVALUATING[thread] = before
    return 0


# ---- searching for nan and infinities

cdef bint has_bad(Tensor t):
    """Whether a tensor holds what the mode looks for; a batched one, for any sample."""
    if t.flags & WG_BATCHED:
        t = <Tensor> every_sample(t)
    cdef Py_ssize_t i, n = t.count
    cdef bint inf = FLAGS & ANOMALY_INF != 0
    cdef int bad = 0
    cdef float* singles
    cdef double* doubles
    if FACTS.category[t.code] < CAT_FLOAT or n == 0:
        return False
    if not is_strided(t):
        t = _PLUGIN_DEVICES[t.device][0].plugin.elements(t)
        n = t.count
    if not t.flags & TF_CONTIGUOUS:
        t = <Tensor> t.detach().contiguous()
    if t.device == 0 and (t.code == FLOAT32 or t.code == COMPLEX64):
        n *= 1 + (t.code == COMPLEX64)
        singles = <float*> t.data
        if inf:
            for i in range(n):         # x - x is 0 for finite values only
                bad |= singles[i] - singles[i] != 0
        else:
            for i in range(n):
                bad |= singles[i] != singles[i]
        return bad
    if t.device == 0 and (t.code == FLOAT64 or t.code == COMPLEX128):
        n *= 1 + (t.code == COMPLEX128)
        doubles = <double*> t.data
        if inf:
            for i in range(n):
                bad |= doubles[i] - doubles[i] != 0
        else:
            for i in range(n):
                bad |= doubles[i] != doubles[i]
        return bad
    return bool((t.detach().isfinite().logical_not() if inf else t.detach().isnan()).any())


cdef int check_gradients(Node node, list grads, list parts) except -1:
    """Raise an AnomalyError when a gradient that a node has computed is not a number."""
    cdef int i
    if not FLAGS & (ANOMALY_NAN | ANOMALY_INF):
        return 0
    for i in range(len(grads)):
        if isinstance(grads[i], Tensor) and has_bad(<Tensor> grads[i]):
            raise REPORT("backward", type(node).__name__, shown_number(node, i), every_sample(grads[i]),
                         inputs_of(node, parts), trace_of(node))
    return 0


cdef list inputs_of(Node node, list parts):
    """(name, tensor) of all that a node computed its gradients from."""
    cdef int i
    inputs = []
    for i in range(len(parts)):
        if isinstance(parts[i], Tensor):
            inputs.append((f"grad_outputs[{i}]", every_sample(parts[i])))
    for i in range(node.n_saved):
        if saved_slots(node)[i].kind == SAVED_TENSOR or saved_slots(node)[i].kind == SAVED_OUTPUT:
            name = (<Formula> node.formula).saved_names[i] if node.formula != NULL else i
            inputs.append((f"saved {name}", <object> saved_slots(node)[i].value))
    return inputs


cdef int record_checked(Op op, PyObject** slots, PyObject** outs, int n_outs) except -1:
    cdef int i
    RECORD(op, slots, outs, n_outs)
    for i in range(n_outs):
        check_result(op, slots, <Tensor> outs[i], i)
    return 0


cdef int check_result(Op op, PyObject** slots, Tensor out, int number) except -1:
    """Raise an AnomalyError when an operation that was recorded has computed something that is not a number."""
    cdef int i
    if not FLAGS & (ANOMALY_NAN | ANOMALY_INF) or not has_bad(out):
        return 0
    inputs = []
    for i in range(op.n_params):
        if slots[i] != NULL and isinstance(<object> slots[i], Tensor):
            inputs.append((op.params[i], <object> slots[i]))
    raise REPORT("forward", op.name, number, out, inputs, capture())


# ---- who has written

cdef int record_write(Op op, PyObject** slots, PyObject* keep) except -1:
    RECORD_INPLACE(op, slots, keep)
    note_write(<Tensor> slots[0], op.name)
    if FLAGS & ANOMALY_FORWARD:
        check_result(op, slots, <Tensor> slots[0], 0)
    return 0


cdef int note_write(Tensor t, str name) except -1:
    """Remember a recorded write as long as the tensor that was written to lives."""
    cdef Tensor whole = <Tensor> t.base if t.flags & TF_VIEW and t.base != NULL else t
    key = <Py_ssize_t> whole.storage
    entry = WRITES.get(key)
    if entry is None or entry[0]() is not whole:
        entry = WRITES[key] = (weakref.ref(whole, lambda gone: forget_writes(key, gone)), [])
    entry[1].append((version_of(t), name, capture()))
    if len(entry[1]) > 64:             # a loop that writes to one tensor: the oldest are of no interest any more
        del entry[1][:32]
    return 0


def forget_writes(key, gone):
    """A tensor that was written to is gone."""
    entry = WRITES.get(key)
    if entry is not None and entry[0] is gone:
        del WRITES[key]


def write_after(Tensor t, version):
    """(name of the op, Trace) of the first noted write to t's memory after ``version``; None when none is known."""
    entry = WRITES.get(<Py_ssize_t> t.storage)
    if entry is None or entry[0]() is None or (<Tensor> entry[0]()).storage != t.storage:
        return None
    for number, name, trace in entry[1]:
        if number > version:
            return name, trace
    return None
