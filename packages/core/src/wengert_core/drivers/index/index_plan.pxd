"""The plan of an index by tensors. Note [How positions become offsets] in index_plan.pyx."""
from wengert_core.drivers.index.index_moves cimport Plan
from wengert_core.tensors.tensor cimport Tensor

cdef Tensor make_plan(Tensor t, object indices, Plan* plan)            # the tensor that owns plan.offsets
cdef int result_shape(Plan* plan, Py_ssize_t* shape) except -1         # how many dims
cdef int check_mask(Tensor t, Tensor mask, int dim) except -1          # IndexError where it does not fit t from dim on
