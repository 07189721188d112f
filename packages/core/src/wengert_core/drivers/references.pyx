"""References: the call of a row's reference, and the check of what it returns. See references.pxd."""
from operator import index

import numpy as np
cimport numpy as cnp

from wengert_core.dtypes.dtypes cimport (CAT_BOOL, CAT_COMPLEX, CAT_FLOAT, CAT_INT, N_DTYPES, DTypeFacts, dtype_facts,
                                         dtype_of)
from wengert_core.dtypes.dtypes import ALL as DTYPES
from wengert_core.exchange.arrays cimport array_into
from wengert_core.exchange.device_memory cimport runs_on_device, namespace, reference_of
from wengert_core.runtime.state cimport thread_state
from wengert_core.tensors.tensor cimport shape_tuple

from wengert_core.devices import device as _device
from wengert_core.messages.owners import table_of, with_distribution

cnp.import_array()

cdef DTypeFacts* FACTS = dtype_facts()
cdef tuple KINDS = ("bool", "integer", "floating", "complex")
cdef dict CATEGORIES = {"b": CAT_BOOL, "i": CAT_INT, "u": CAT_INT, "f": CAT_FLOAT, "c": CAT_COMPLEX}
cdef tuple WIDEST = (np.dtype(bool), np.dtype(np.int64), np.dtype(np.float64), np.dtype(np.complex128))   # by category
cdef dict WORDS = {"random": "sampler", "factory": "impl"}      # what else than a reference rows of a family have
cdef tuple NUMBERS = (bool, int, float, complex, np.generic)
cdef enum:
    MOST_RANK = 64                     # dims that a tensor can have


# ---- the call

cdef object call_reference(Op op, list arguments):
    """Call the op's reference, or the device's kernel for the op, with these arguments."""
    return call_this(op, reference_of(op), arguments)


cdef object call_this(Op op, object reference, list arguments):
    if reference is None or isinstance(reference, UfuncOfNumPy) and namespace() is not np:
        raise no_reference(op, reference)
    if not callable(reference):
        raise TypeError(f"{op.name}: {source_of(op)} is an object of type {type(reference).__name__}, expected a "
                        "function of an array namespace and the inputs")
    try:
        with np.errstate(all="ignore"):
            return reference(namespace(), *arguments)
    except Exception as error:
        # Core's own references raise torch's errors, and fit their rows.
        if op.owner != "core" or reference_of(op) is not op.reference:
            error.add_note(f"raised by {source_of(op)} for the operation '{op.name}', {op.schema}")
        raise


class UfuncOfNumPy:
    """The reference of a row that has none, but a ufunc which is not NumPy's own: it computes arrays of NumPy alone."""

    def __init__(self, ufunc):
        self.ufunc = ufunc

    def __call__(self, xp, *arrays):
        return self.ufunc(*arrays)


cdef object no_reference(Op op, object reference):
    where = f"a device of type '{device_type()}' needs" if runs_on_device() \
        else "WENGERT_KERNELS=python, and dtypes without a kernel, need"
    why = "" if reference is None else f" and its ufunc '{reference.ufunc.__name__}' computes arrays of NumPy alone;"
    return NotImplementedError(f"{op.name}: the row in {table_of(op.owner)} has no reference, which {where};{why} give "
                               "the row reference=, a function of an array namespace and the inputs, as lambda xp, x: "
                               "xp.exp(x), or compute it on the CPU")


cdef str device_type():
    return str(_device.DEVICES[thread_state().device_number].type)


def source_of(Op op):
    """Name the Python function that computes an op: the reference of its table, or the kernel of a device's plugin."""
    if runs_on_device() and op.family != "random" and reference_of(op) is not op.reference:
        return f"the kernel of {with_distribution('devices', 'devices of type', device_type())}"
    return f"the {WORDS.get(op.family, 'reference')} in {table_of(op.owner)}"


cdef tuple geometry_result(Op op, object found):
    """Return the result of a row's geometry function, (sizes, strides, offset), in Python integers."""
    try:
        sizes, strides, offset = found
        sizes = tuple([index(size) for size in sizes])
        strides = tuple([index(stride) for stride in strides])
        offset = index(offset)
    except (TypeError, ValueError):
        raise RuntimeError(f"{op.name}: the geometry in {table_of(op.owner)} returned {found!r:.100}, expected (sizes, "
                           "strides, offset): two sequences of integers and one integer, in elements; "
                           f"the schema is {op.schema}") from None
    if len(sizes) != len(strides) or len(sizes) > MOST_RANK or min(sizes, default=0) < 0:
        raise RuntimeError(f"{op.name}: the geometry in {table_of(op.owner)} returned the sizes {list(sizes)} and the "
                           f"strides {list(strides)}, expected as many of the one as of the other, at most "
                           f"{MOST_RANK}, and no negative size; the schema is {op.schema}")
    return sizes, strides, offset


# ---- the check

cdef object wrong_result(Op op, str expected, str got):
    return RuntimeError(f"{op.name}: {source_of(op)} returned {got}, expected {expected}; the schema is {op.schema}")


cdef str name_of(int k, int n):
    """Result k of n, in words."""
    return "a result" if n == 1 else f"result {k + 1} of {n}"


cdef int category_of(object dtype) except -2:
    """The category of a dtype as arrays have it; -1: it is no number."""
    try:
        if dtype.name == "bfloat16":
            return CAT_FLOAT
        return CATEGORIES.get(dtype.kind, -1)
    except Exception:                  # of a device's arrays it may be anything
        return -1


cdef bint is_plain(object computed) noexcept:
    """Return whether it is an array of NumPy itself with a dtype of ours: most results are."""
    cdef int i, number
    if type(computed) is not cnp.ndarray or not cnp.PyArray_ISNOTSWAPPED(computed):
        return False
    number = cnp.PyArray_TYPE(computed)
    for i in range(N_DTYPES):
        if FACTS.numpy_type[i] == number:
            return True
    return False


cdef object dtype_like(object dtype):
    """The dtype of ours with the name of this one, else the widest of its category, as NumPy's."""
    return np.dtype(dtype.name) if dtype.name in DTYPES else WIDEST[category_of(dtype)]


cdef object as_result(Op op, object computed, int k, int n):
    """The result as an array whose dtype is one of ours: itself, or converted to another dtype of its kind."""
    if is_plain(computed):
        return computed
    if isinstance(computed, NUMBERS) \
            or isinstance(computed, cnp.ndarray) and not isinstance(computed, np.ma.MaskedArray):
        array = np.asarray(computed)
    elif runs_on_device() and not isinstance(computed, (Tensor, np.ndarray)) and hasattr(computed, "shape") \
            and hasattr(computed, "dtype"):
        array = computed
    else:
        raise wrong_result(op, f"an array as {name_of(k, n)}", describe_result(computed))
    if category_of(array.dtype) < 0 or len(array.shape) > MOST_RANK:
        raise wrong_result(op, f"an array of numbers, of at most {MOST_RANK} dims, as {name_of(k, n)}",
                           describe_result(array))
    if type(array) is cnp.ndarray and not is_plain(array) and array.dtype.name != "bfloat16":
        return array.astype(dtype_like(array.dtype))      # long double, another C type of one size or byte order
    return array


cdef str describe_result(object value):
    """Describe the result of a reference in words."""
    if value is None:
        return "None"
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, np.ma.MaskedArray):
        return "a masked array, whose mask would be lost"
    if isinstance(value, np.ndarray) or runs_on_device() and hasattr(value, "shape") and hasattr(value, "dtype"):
        return f"an array of {value.dtype}{list(value.shape)}"
    return f"an object of type {type(value).__name__}"


cdef int check_kind(Op op, object array, int code, int k, int n) except -1:
    """RuntimeError for numbers of another kind than those of the dtype ``code``."""
    cdef int category = category_of(array.dtype)
    if category == FACTS.category[code]:
        return 0
    kind = "numbers that are " + KINDS[FACTS.category[code]] if FACTS.category[code] else "truth values, bool"
    raise wrong_result(op, f"{kind}, for {dtype_of(code)!r}, as {name_of(k, n)}", describe_result(array))


cdef bint has_shape(object array, Tensor t) except -1:
    cdef int i
    if type(array) is not cnp.ndarray:
        return tuple(array.shape) == shape_tuple(t)
    if cnp.PyArray_NDIM(array) != t.rank:
        return False
    for i in range(t.rank):
        if cnp.PyArray_DIM(array, i) != t.dims[i]:
            return False
    return True


cdef int check_shape(Op op, object array, tuple shape, int k, int n) except -1:
    """RuntimeError for an array of another shape."""
    if tuple(array.shape) == shape:
        return 0
    raise wrong_result(op, f"the shape {list(shape)} of {name_of(k, n)}", describe_result(array))


cdef int into(Op op, object array, Tensor out, int code, int k, int n) except -1:
    """``array``, which as_result has seen, into out. It must be the caller's alone: Note [Results taken over]."""
    if not has_shape(array, out):
        raise wrong_result(op, f"the shape {list(shape_tuple(out))} of {name_of(k, n)}", describe_result(array))
    check_kind(op, array, code, k, n)
    return array_into(array, out)


cdef int sample_into(Op op, object computed, Tensor out) except -1:
    array = as_result(op, computed, 0, 1)
    if category_of(array.dtype) == CAT_COMPLEX and FACTS.category[out.code] != CAT_COMPLEX:
        check_kind(op, array, out.code, 0, 1)
    check_shape(op, array, shape_tuple(out), 0, 1)
    return array_into(array, out)


cdef int convert_into(Op op, object computed, Tensor out, int code) except -1:
    if is_plain(computed):
        return into(op, computed, out, code, 0, 1)
    if runs_on_device() and as_result(op, computed, 0, 1) is computed:
        return into(op, computed, out, code, 0, 1)
    return into(op, as_result(op, computed, 0, 1), out, code, 0, 1)


cdef int result_into(Op op, object computed, Tensor out) except -1:
    return convert_into(op, computed, out, out.code)


cdef list result_list(Op op, object computed, int n):
    """The results in a new list: of several, they are a tuple or a list of exactly so many."""
    if n == 1 and not isinstance(computed, tuple):
        return [computed]              # which as_result looks at
    if not isinstance(computed, (tuple, list)) or len(computed) != n:
        raise wrong_result(op, f"{n} arrays, as a tuple" if n > 1 else "one array", describe_result(computed))
    return list(computed)


cdef int results_into(Op op, object computed, list outs) except -1:
    cdef list results = result_list(op, computed, <int> len(outs))
    cdef int k, n = <int> len(outs)
    for k in range(n):
        into(op, as_result(op, results[k], k, n), <Tensor> outs[k], (<Tensor> outs[k]).code, k, n)
    return 0


cdef int as_many_into(Op op, list results, list outs) except -1:
    cdef int k, n = <int> len(outs)
    cdef Tensor out
    for k in range(n):
        out = <Tensor> outs[k]
        array = as_result(op, results[k], k, n)
        results[k] = None              # the array is known here only: Note [Results taken over]
        if not has_shape(array, out):
            if count_of(array) != out.count:
                expected = f"{out.count} elements, in the shape {list(shape_tuple(out))}, as {name_of(k, n)}"
                raise wrong_result(op, expected, describe_result(array))
            array = array.reshape(shape_tuple(out))
        into(op, array, out, out.code, k, n)
    return 0


cdef object count_of(object array):
    """Return the number of elements of an array."""
    count = 1
    for size in array.shape:
        count *= size
    return count


cdef list result_arrays(Op op, object computed, int n):
    cdef list results = result_list(op, computed, n)
    cdef int k
    for k in range(n):
        results[k] = as_result(op, results[k], k, n)
    return results


cdef object result_array(Op op, object computed):
    if isinstance(computed, (tuple, list)):
        raise wrong_result(op, "one array", describe_result(computed))
    return as_result(op, computed, 0, 1)
