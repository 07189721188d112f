"""Reading and writing at positions given by tensors. Note [How positions become offsets] in index_tensor.pyx."""
from wengert_core.dispatch.op cimport Op
from wengert_core.drivers.index.index_moves cimport Plan
from wengert_core.tensors.tensor cimport Tensor

cdef Tensor make_plan(Op op, Tensor t, object indices, Plan* plan)       # the tensor that owns plan.offsets
