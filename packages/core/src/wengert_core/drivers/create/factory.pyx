"""The driver of the factory family: ops that make tensors from sizes, numbers and data.

All factories share their options: dtype, layout, device, pin_memory, requires_grad, out, memory_format. A row's kind
says how the tensor comes about; F_MADE leaves that to a Python function. Another device's factories are run by its
package (intercept).
"""

from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t
from libc.stdlib cimport malloc

from wengert_core.dispatch.arguments cimport scalar_name
from wengert_core.dispatch.dispatcher cimport dispatch, intercept, watch_only
from wengert_core.dispatch.exact_values cimport is_plain_ints
from wengert_core.dispatch.op cimport Op, call_bound, op_error
from wengert_core.drivers.create.make_filled cimport make_filled
from wengert_core.drivers.references cimport wrong_result
from wengert_core.drivers.resize cimport resize_to
from wengert_core.dtypes.dtypes cimport CAT_FLOAT, DTypeFacts, dtype_facts, dtype_of
from wengert_core.exchange.arrays cimport copy_into
from wengert_core.exchange.device_memory cimport runs_on_device
from wengert_core.exchange.from_data cimport dtype_code, tensor_of_data
from wengert_core.rng.pcg64 cimport is_draw_into
from wengert_core.runtime.launches cimport count_recorders, recorder, tell_complete
from wengert_core.runtime.state cimport WG_BATCHED, WG_FOREIGN, WG_GRAD, WG_OBSERVE, thread_state
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.requires_grad cimport requires_grad as has_grad
from wengert_core.tensors.tensor cimport (Tensor, alias, bump_version, is_strided, new_view, same_shape,
                                          shape_overlap, shape_tuple)

from wengert_core.devices import device as _device
from wengert_core.devices import layout as _layout
from wengert_core.drivers.memory_overlap import expanded_target as _expanded_target

cdef extern from "Python.h":
    bint PyIndex_Check(PyObject* o) noexcept
    bint PyBool_Check(PyObject* o) noexcept
    bint PySequence_Check(PyObject* o) noexcept
    bint PyTuple_CheckExact(PyObject* o) noexcept
    bint PyUnicode_Check(PyObject* o) noexcept

cdef DTypeFacts* FACTS = dtype_facts()
cdef const int* RECORDERS = count_recorders()
cdef object REQUIRES_GRAD_HOOK = None
cdef object YES = True
cdef object STRIDED = _layout.strided
cdef object LAYOUT = _layout.layout
cdef tuple SEQUENCES = ("arange", "range", "linspace", "logspace")

cdef extern from *:
    """
    /* this thread's default device, as Tensor's number of it */
    static __thread unsigned int wengert_default_device_number = 0;
    static inline unsigned int wengert_default_device(void) { return wengert_default_device_number; }
    static inline void wengert_set_default_device(unsigned int place) { wengert_default_device_number = place; }
    """
    unsigned int wengert_default_device() noexcept nogil
    void wengert_set_default_device(unsigned int device_number) noexcept nogil


# ---- requires_grad

def set_requires_grad_hook(hook):
    """Tell core how a new tensor comes to require gradients: hook(tensor, True); None: not at all. Returns the hook
    before.

    The engine calls this when it is imported.
    """
    global REQUIRES_GRAD_HOOK
    before, REQUIRES_GRAD_HOOK = REQUIRES_GRAD_HOOK, hook
    return before


cdef int mark_grad(Tensor t) except -1:
    if FACTS.category[t.code] < CAT_FLOAT:
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients: this one is "
                           f"{dtype_of(t.code)!r} (see docs/errors/dtype-mismatch)")
    if REQUIRES_GRAD_HOOK is None:
        raise ImportError("requires_grad=True needs automatic differentiation: import wengert (or wengert_engine). If "
                          "that is not installed: pip install wengert-engine wengert-formulas (or: pip install "
                          "wengert)")
    REQUIRES_GRAD_HOOK(t, True)
    return 0


def mark_requires_grad(Tensor tensor, bint flag=True):
    """Make a new tensor require gradients, or do nothing; returns it.

    RuntimeError for a dtype that cannot, ImportError when the engine is not installed.
    """
    if flag:
        mark_grad(tensor)
    return tensor


cdef Tensor with_requested_grad(Tensor t, object requested):
    """Return what a factory has made with the requires_grad that it was given; None: as it is, with a warning."""
    if requested:
        if not t.flags & WG_GRAD:
            mark_grad(t)
    elif has_grad(t):                  # asarray of a tensor that requires grad
        if requested is not None:
            return alias(t)
        warn_user("torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False. Pass "
                  "requires_grad=False explicitly to get the old behavior and silence this warning.")
    return t


# ---- the default device

def default_device_number():
    """The device of factories that are told none, in this thread: Tensor's number of it."""
    return wengert_default_device()


def set_default_device_number(unsigned int device_number):
    """Let factories that are told no device make their tensors on this one, by its number; gives the one before."""
    before = wengert_default_device()
    wengert_set_default_device(device_number)
    return before


# ---- options

cdef int check_options(Op op, FactoryRow* row, PyObject** slots) except -1:
    cdef PyObject* value = option(slots, row.layout)
    if value != <PyObject*> None and value != <PyObject*> STRIDED:
        raise TypeError(f"{op.name}(): argument 'layout' must be torch.layout, not {type(<object> value).__name__}")
    if option(slots, row.pin_memory) != <PyObject*> None and <object> slots[row.pin_memory] and not _device.can_pin():
        raise RuntimeError("pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator "
                           f"is available on this system ({op.name})")
    return 0


cdef bint names_layout(FactoryRow* row, PyObject** slots) noexcept:
    """Whether layout= names another layout than strided: its plugin makes the tensor."""
    cdef PyObject* value = option(slots, row.layout)
    return value != <PyObject*> None and value != <PyObject*> STRIDED and isinstance(<object> value, LAYOUT)


cdef object make_in_layout(Op op, FactoryRow* row, PyObject** slots):
    from wengert_core.layouts.lookup import load_for
    load_for(<object> slots[row.layout], op.name)
    return intercept(op, slots, WG_FOREIGN)


cdef bint names_another(Op op, FactoryRow* row, PyObject** slots) except -1:
    """Whether device=, or this thread's default, names another device than the one that tensors are made on, or device=
    another one than data have.
    """
    cdef PyObject* value = option(slots, row.device)
    cdef unsigned int device_number
    if value == <PyObject*> None:      # the default is the user's: not for a driver that runs for another device
        return wengert_default_device() != 0 and row.like < 0 and row.device >= 0 and thread_state().modes & WG_FOREIGN
    device_number = _device.device_number(<object> value, op.name)
    return device_number != (thread_state().device_number if runs_on_device() else 0) \
        or has_data_on_another(row, slots, device_number)


cdef inline bint has_data_on_another(FactoryRow* row, PyObject** slots, unsigned int device_number) noexcept:
    """Whether data are a strided tensor of another device."""
    return row.kind >= F_DATA and row.like < 0 and isinstance(<object> slots[0], Tensor) \
        and (<Tensor> slots[0]).device != device_number and is_strided(<Tensor> slots[0])


# ---- making

cdef Tensor of_data(Op op, FactoryRow* row, PyObject** slots, int code):
    """tensor(data) and x.new_tensor(data). None: data are a tensor of a device, where the copy is to be made."""
    data = <object> slots[row.value]
    if isinstance(data, Tensor):
        if row.like < 0 and (<Tensor> data).device and is_strided(<Tensor> data):
            return None
        caller = "torch.tensor" if row.like < 0 else "tensor.new_tensor"
        warn_user("To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
                  f"sourceTensor.detach().clone().requires_grad_(True), rather than {caller}(sourceTensor).")
    if row.like >= 0 and code < 0:
        code = (<Tensor> slots[row.like]).code
    return tensor_of_data(data, code)


cdef Tensor call_row_function(Op op, FactoryRow* row, PyObject** slots, int code):
    """What the row's Python function makes of the arguments that are not options, and of the dtype (or None)."""
    cdef int i
    cdef list arguments = []
    for i in range(op.n_params):
        if i != op.out_slot and i != row.dtype and i != row.layout and i != row.device and i != row.pin_memory \
                and i != row.requires_grad:
            arguments.append(<object> slots[i])
    result = op.impl(*arguments, None if code < 0 else dtype_of(code))
    if not isinstance(result, Tensor):
        raise wrong_result(op, "a Tensor", f"an object of type {type(result).__name__}")
    return <Tensor> result


cdef object write_out(str name, Tensor target, Tensor t, FactoryKind kind):
    """Let out= take the values; it gets the shape it needs, in its own memory."""
    if thread_state().modes & WG_GRAD and has_grad(target):
        from wengert_core.drivers.refused_writes import out_requires_grad
        raise out_requires_grad(name)
    if name in SEQUENCES and target.count == t.count:
        t = as_shape_of(t, target)     # numbers in a row fill an out= of any shape
    if not same_shape(target, t):
        warn_of_count(name, target, t)
        resize_to(target, t.rank, t.dims)
    elif kind > F_FULL and shape_overlap(target):      # below that all elements are one number
        raise _expanded_target(name, target)
    if kind != F_EMPTY:
        copy_into(target, t)
    bump_version(target)
    return target


def warn_of_count(str name, Tensor target, Tensor t):
    """arange's warning for an out= of another number of elements, which is resized."""
    if name == "arange" and target.count:
        warn_user(f"The number of elements in the out tensor of shape {list(shape_tuple(target))} is {target.count} "
                  f"which does not match the computed number of elements {t.count}. Note that this may occur as a "
                  f"result of rounding error. The out tensor will be resized to a tensor of shape {shape_tuple(t)}.")


cdef Tensor as_shape_of(Tensor t, Tensor target):
    """Contiguous t in the shape of a tensor of as many elements."""
    cdef Py_ssize_t strides[64]
    cdef Py_ssize_t step = FACTS.itemsize[t.code]
    cdef int i
    for i in range(target.rank - 1, -1, -1):
        strides[i] = step
        step *= target.dims[i] if target.dims[i] else 1
    return new_view(t, target.rank, target.dims, strides, t.data)


def finish(str name, Tensor tensor, out, bint requires_grad):
    """The end of a factory that is no op: the result in out=, or the tensor itself, which may come to require grad."""
    if out is not None:
        if not isinstance(out, Tensor):
            raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
        return write_out(name, <Tensor> out, tensor, F_MADE)
    if requires_grad:
        mark_grad(tensor)
    return tensor


cdef int out_code(Op op, PyObject* out, int code) except -1:
    """The dtype of out=, which a dtype= must agree with."""
    if not isinstance(<object> out, Tensor):
        raise op_error(op, op.out_slot, "Tensor", out)
    if code >= 0 and code != (<Tensor> out).code:
        raise RuntimeError(f"dtype {scalar_name(code)} does not match dtype of out parameter "
                           f"({scalar_name((<Tensor> out).code)}): {op.name}() was asked for {dtype_of(code)!r}, out= "
                           f"is {dtype_of((<Tensor> out).code)!r}")
    return (<Tensor> out).code


cdef object factory_run(Op op, PyObject** slots, uint32_t live):
    cdef FactoryRow* row = <FactoryRow*> op.data
    cdef int code
    cdef Py_ssize_t first
    cdef Tensor t
    if names_layout(row, slots) and thread_state().modes & WG_FOREIGN:
        return make_in_layout(op, row, slots)
    if names_another(op, row, slots) or row.kind >= F_DATA and runs_on_device():
        return intercept(op, slots, WG_FOREIGN)
    check_options(op, row, slots)
    code = dtype_code(<object> option(slots, row.dtype))
    if op.out_slot >= 0 and slots[op.out_slot] != <PyObject*> None:
        code = out_code(op, slots[op.out_slot], code)
    if row.kind == F_DATA:
        t = of_data(op, row, slots, code)
        if t is None:
            return intercept(op, slots, WG_FOREIGN)
    elif row.kind == F_MADE:
        first = recorder().n if RECORDERS[0] and recorder() != NULL else -1
        t = call_row_function(op, row, slots, code)
        if first >= 0 and recorder().n == first + 1 and is_draw_into(&recorder().launches[first], t):
            tell_complete(<void*> op)
    else:
        t = make_filled(op, row, slots, code)
        if RECORDERS[0]:
            tell_complete(<void*> op)
    if op.out_slot >= 0 and slots[op.out_slot] != <PyObject*> None:
        return write_out(op.name, <Tensor> slots[op.out_slot], t, <FactoryKind> row.kind)
    if row.pin_memory >= 0 and slots[row.pin_memory] == <PyObject*> YES:
        t = t.pin_memory()
    if row.requires_grad >= 0 and (<object> slots[row.requires_grad] or has_grad(t)):
        return with_requested_grad(t, <object> slots[row.requires_grad])
    return t


# ---- short ways in

cdef inline bint are_sizes(PyObject* o) noexcept:
    if PyIndex_Check(o):
        return not PyBool_Check(o)
    return PySequence_Check(o) and not PyUnicode_Check(o) and not isinstance(<object> o, Tensor)


cdef object factory_call1(Op op, PyObject* a):
    """One positional argument: sizes, data, or the tensor to be like."""
    cdef FactoryRow* row = <FactoryRow*> op.data
    cdef PyObject* slots[16]
    cdef int i
    if row.sizes == 0 and not are_sizes(a):
        raise op_error(op, 0, "tuple of ints", a)
    if row.like == 0 and not isinstance(<object> a, Tensor):
        raise op_error(op, 0, "Tensor", a)
    if row.sizes == 0 and not is_plain_ints(a):
        return call_bound(op, &a, 1, NULL)
    slots[0] = a
    for i in range(1, op.n_params):
        slots[i] = op.defaults[i]
    return dispatch(op, slots)


cdef object factory_call2(Op op, PyObject* a, PyObject* b):
    """Two positional arguments: two sizes."""
    cdef PyObject* slots[16]
    cdef int i
    if not PyIndex_Check(a):
        if are_sizes(a):
            raise TypeError(f"{op.name}() takes 1 positional argument but 2 were given; its signature is {op.schema}")
        raise op_error(op, 0, "tuple of ints", a)
    if not is_plain_ints(a) or not is_plain_ints(b) or PyTuple_CheckExact(b):
        slots[0], slots[1] = a, b
        return call_bound(op, slots, 2, NULL)
    sizes = (<object> a, <object> b)
    slots[0] = <PyObject*> sizes
    for i in range(1, op.n_params):
        slots[i] = op.defaults[i]
    return dispatch(op, slots)


cdef int slot_called(Op op, str name) except -2:
    cdef int i
    for i in range(op.n_params):
        if op.params[i] == name:
            return i
    return -1


def configure(Op op, str kind, str like or None, impl):
    """Make ``op`` a factory. kind: "empty", "zeros", "ones", "full", "data", "made"; like: a parameter or None."""
    cdef FactoryRow* row = <FactoryRow*> malloc(sizeof(FactoryRow))
    cdef int i, required = 0
    if row == NULL:
        raise MemoryError()
    row.kind = ("empty", "zeros", "ones", "full", "data", "made").index(kind)
    row.like = slot_called(op, like) if like is not None else -1
    row.sizes = slot_called(op, "size") if row.kind < F_DATA else -1
    row.value = slot_called(op, "data" if row.kind == F_DATA else "fill_value")
    row.dtype, row.layout = slot_called(op, "dtype"), slot_called(op, "layout")
    row.device, row.pin_memory = slot_called(op, "device"), slot_called(op, "pin_memory")
    row.requires_grad = slot_called(op, "requires_grad")
    row.memory_format = slot_called(op, "memory_format") if row.kind < F_DATA else -1
    op.data = row
    op.impl = impl
    op.run = factory_run
    op.always = WG_OBSERVE | WG_BATCHED    # inside of vmap it may be random
    watch_only(op, row.like)
    for i in range(op.n_params):
        required += op.defaults[i] == NULL
    if required == 1 and row.kind != F_MADE and op.n_positional == 1:
        op.call1 = factory_call1
        if row.sizes == 0:
            op.call2 = factory_call2
