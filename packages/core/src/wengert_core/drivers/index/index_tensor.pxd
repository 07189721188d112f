"""Reading and writing at positions given by tensors. Note [How positions become offsets] in index_tensor.pyx."""
from wengert_core.dispatch.op cimport Op
from wengert_core.tensors.tensor cimport Tensor

cdef struct Plan:
    Py_ssize_t* offsets                # byte offset of each indexed position; memory of ``kept`` tensors
    Py_ssize_t n                       # positions
    int n_index                        # dims of the index tensors together
    int n_before                       # dims that stand before the positions in the result
    int n_after                        # dims behind them
    Py_ssize_t index_shape[64]
    Py_ssize_t before[64]              # sizes
    Py_ssize_t before_strides[64]      # bytes in the indexed tensor
    Py_ssize_t after[64]
    Py_ssize_t after_strides[64]

cdef Tensor make_plan(Op op, Tensor t, object indices, Plan* plan)       # the tensor that owns plan.offsets
