"""The compiled face for extenders: what a package that is written in Cython cimports of wengert-core.

As of extend.py, its names stay; other .pxd files may move. docs/plugin-reference.md describes each of them. A package
is built for one minor version of wengert-core, whose structs it knows.
"""
from wengert_core.binding.torch_function cimport disable_tensors, restore
from wengert_core.dtypes.dtypes cimport dtype_facts, dtype_of
from wengert_core.exchange.numpy_bridge cimport array_code, tensor_at
from wengert_core.geometry.size_math cimport add_overflows, bytes_between, mul_overflows
from wengert_core.kernels.types cimport (BOOL, COMPLEX64, COMPLEX128, FLOAT16, FLOAT32, FLOAT64, INT32, INT64, loop_t,
                                         npy_intp, reduce_fn)
from wengert_core.kernels.reduce.reduce cimport find_reduction
from wengert_core.layouts.components cimport new_of_layout, tensor_components
from wengert_core.dispatch.op cimport MAX_SLOTS, OP_INPLACE, OP_MULTI_VIEW, OP_VIEW, Op
from wengert_core.drivers.linalg.product_launch cimport AddRowPlan, ProductPlan
from wengert_core.drivers.pointwise.loop_lookup cimport LOOP_NATIVE, Loop, resolve
from wengert_core.drivers.pointwise.pointwise_launch cimport PointwisePlan
from wengert_core.drivers.reduce.reduce cimport ReducePlan
from wengert_core.exchange.arrays cimport copy_into
from wengert_core.exchange.copy_launch cimport CopyLaunch, FillPlan
from wengert_core.runtime.allocator cimport (Block, Pool, allocate, block_at, close_pool, free_pool, open_pool,
                                             pause_pool, release, resume_pool)
from wengert_core.runtime.launches cimport (
    LAUNCH_ADD_ROW, LAUNCH_CALL, LAUNCH_COPY, LAUNCH_FILL, LAUNCH_GUARD, LAUNCH_MOVE, LAUNCH_POINTWISE, LAUNCH_PRODUCT,
    LAUNCH_REDUCE, LAUNCH_STORE, MOST_OPERANDS_OF_LAUNCH, OPERAND_CONSTANT, OPERAND_READ, OPERAND_UPDATED,
    OPERAND_WRITTEN, Launch, Recorder, StorePlan, add_launch, add_operand, fail_fn, free_launch, launch_fn,
    set_recorder, tell_store)
from wengert_core.runtime.pyobject cimport not_made_by_hand
from wengert_core.runtime.state cimport (WG_BATCHED, WG_CAST, WG_FOREIGN, WG_GRAD, WG_GUARD, WG_OBSERVE, WG_ON_DEVICE,
                                         WG_STRONG, WG_TELL, WgState, thread_state)
from wengert_core.runtime.thread_pool cimport GRAIN, GRAIN_SLOW, LARGE, UNIT, parallel_for
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, TF_INFERENCE, Storage, Tensor, alias, is_strided, new_empty
from wengert_core.tensors.tensor cimport new_on_memory, new_view, same_shape, set_contiguity, shape_tuple, strides_of
from wengert_core.tensors.tensor cimport subclass_result, track


cdef inline Py_ssize_t itemsize_of(Tensor t) noexcept:
    """The bytes of an element."""
    return dtype_facts().itemsize[t.code]


cdef inline bint is_plain(Tensor t) noexcept:
    """Whether an operation on a tensor, of whatever layout, is nothing but its kernel: nothing is recorded, observed,
    batched or cast. Note [One test decides] in runtime/state.pxd
    """
    return (t.flags & thread_state().modes & ~(<unsigned int> WG_FOREIGN)) == 0
