"""Tensors as NumPy arrays and back without copying; copies with conversion."""
from wengert_core.tensors.tensor cimport Tensor

cdef object array_of(Tensor t)                     # ndarray on t's memory; bfloat16: a float32 copy
cdef Tensor tensor_of_array(object array)          # on the array's memory where dtype and strides allow
cdef Tensor tensor_of_result(object array, int code)   # contiguous result of a computation, as dtype code
cdef int array_into(object array, Tensor t) except -1  # copy an array (broadcast) into t with conversion
cdef int copy_into(Tensor target, Tensor source) except -1   # same shape or broadcast; converts
cdef Tensor contiguous_copy(Tensor t)
cdef Tensor row_major(Tensor t)                   # t where it is contiguous, else a copy
cdef Tensor row_major_as(Tensor t, int code)       # the same in dtype code
cdef bint is_host_array(Tensor t, int code) noexcept   # strided, of the CPU, of dtype code: what kernels read
cdef Tensor without_alias(Tensor t, Tensor out)            # t, or a copy where it may meet out
cdef Tensor convert_copy(Tensor t, int code)          # contiguous copy in another dtype
cdef int fill_number(Tensor t, object value) except -1
