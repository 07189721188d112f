"""The compiled face for extenders: what a package that is written in Cython cimports of wengert-core.

As of extend.py, its names stay; other .pxd files may move. docs/plugin-reference.md describes each of them. A package
is built for one minor version of wengert-core, whose structs it knows.
"""
from wengert_core.binding.torch_function cimport disable_tensors, restore
from wengert_core.dtypes.dtypes cimport dtype_facts
from wengert_core.exchange.numpy_bridge cimport array_code, tensor_at
from wengert_core.geometry.size_math cimport add_overflows, mul_overflows
from wengert_core.kernels.types cimport BOOL, COMPLEX64, COMPLEX128, FLOAT16, FLOAT32, FLOAT64, INT32, INT64
from wengert_core.layouts.components cimport new_of_layout, tensor_components
from wengert_core.runtime.state cimport WG_FOREIGN, thread_state
from wengert_core.runtime.thread_pool cimport GRAIN, LARGE, parallel_for
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, Tensor, alias, is_strided, new_empty, same_shape
from wengert_core.tensors.tensor cimport subclass_result


cdef inline Py_ssize_t itemsize_of(Tensor t) noexcept:
    """The bytes of an element."""
    return dtype_facts().itemsize[t.code]


cdef inline bint is_plain(Tensor t) noexcept:
    """Whether an operation on a tensor, of whatever layout, is nothing but its kernel: nothing is recorded, observed,
    batched or cast. Note [One test decides] in runtime/state.pxd
    """
    return (t.flags & thread_state().modes & ~(<unsigned int> WG_FOREIGN)) == 0
