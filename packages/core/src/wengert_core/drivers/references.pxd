"""References: the call of a row's reference, or of a device's kernel in its place, and the check of what it returns.

Note [What references return]
    References, kernels of devices and samplers are Python functions, often a stranger's, and drivers in C read the
    memory of the arrays that they return. So every driver takes these arrays through this module, always: how many
    there are, whether they are arrays at all (no tensors, lists, masked arrays), their shape, and the kind of their
    numbers (bool, integer, floating, complex). Within a kind numbers are converted, as float16 comes from references
    that compute in float32; between kinds they are not: a cut-off fraction is a wrong result, and a comparison where
    numbers are expected is a wrong row. Where the reference decides about the shape (array rows, kernels of devices for
    staged ops) the tensor gets that of the array. Kernels of ours, which write into memory that the driver allocated,
    do not come here.
"""
from wengert_core.dispatch.op cimport Op
from wengert_core.tensors.tensor cimport Tensor

# What the op's reference, or another one of the row's references, gives there where the driver runs.
cdef object call_reference(Op op, list arguments)
cdef object call_this(Op op, object reference, list arguments)
# The one result, of out's shape and kind, into out; convert_into: of the kind that ``code`` has.
cdef int result_into(Op op, object computed, Tensor out) except -1
cdef int convert_into(Op op, object computed, Tensor out, int code) except -1
# As many results as there are tensors; as_many_into: in any shape of as many elements, and it empties the list.
cdef int results_into(Op op, object computed, list outs) except -1
cdef int as_many_into(Op op, list results, list outs) except -1
# The one result, of out's shape and any real numbers, which are converted to out's dtype.
cdef int sample_into(Op op, object computed, Tensor out) except -1
# n results in a new list, as they are or as arrays with dtypes of ours; the one result as such an array.
cdef list result_list(Op op, object computed, int n)
cdef list result_arrays(Op op, object computed, int n)
cdef object result_array(Op op, object computed)
# RuntimeError unless result k of n has the kind that ``code`` has, or the shape.
cdef int check_kind(Op op, object array, int code, int k, int n) except -1
cdef int check_shape(Op op, object array, tuple shape, int k, int n) except -1
# Sizes, strides (tuples of as many integers) and offset, as integers.
cdef tuple geometry_result(Op op, object found)
cdef object wrong_result(Op op, str expected, str got)  # the error
