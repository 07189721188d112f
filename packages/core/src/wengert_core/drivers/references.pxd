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

cdef object call_reference(Op op, list arguments)    # what the op's reference gives, there where the driver runs
cdef object call_this(Op op, object reference, list arguments)    # ... what another one of the row's references gives
cdef int result_into(Op op, object computed, Tensor out) except -1  # the one result, of out's shape and kind, into out
# ... of the kind of another dtype than out's
cdef int converted_into(Op op, object computed, Tensor out, int code) except -1
cdef int results_into(Op op, object computed, list outs) except -1            # as many results as there are tensors
# ... in any shape of as many elements; empties the list
cdef int as_many_into(Op op, list results, list outs) except -1
cdef int sample_into(Op op, object computed, Tensor out) except -1  # ... of any real numbers, converted to out's dtype
cdef list result_list(Op op, object computed, int n)              # n results as they are, in a new list
cdef list result_arrays(Op op, object computed, int n)    # n results as arrays with dtypes of ours, in a new list
cdef object result_array(Op op, object computed)                  # the one result
cdef int check_kind(Op op, object array, int code, int k, int n) except -1  # result k of n: the kind that ``code`` has
cdef int check_shape(Op op, object array, tuple shape, int k, int n) except -1
cdef tuple geometry_result(Op op, object found)    # sizes, strides (tuples of as many integers) and offset, as integers
cdef object wrong_result(Op op, str expected, str got)            # the error
