"""Reading and writing at positions given by byte offsets. Note [How positions become offsets] in index_plan.pyx."""
from wengert_core.tensors.tensor cimport Tensor

cdef enum Move:
    MOVE_READ = 0
    MOVE_WRITE = 1
    MOVE_ADD = 2

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

# owner: the tensor that has plan.offsets
cdef int add_offsets(Plan* plan, Tensor owner, Tensor index, Py_ssize_t size, Py_ssize_t stride, int dim) except -1
# Between an indexed tensor and a row-major buffer of the result's shape, or from one of a single element; none is empty
cdef int move(Plan* plan, Tensor owner, Tensor indexed, Tensor buffer, Move what) except -1
