"""Reductions of a function of the elements: kernels/reduce/mapped.h. No tensor holds the function's values.

>>> from wengert_core import tensor
>>> reduce_mapped(tensor([[3.0, -4.0], [0.0, 1.0]]), "square_sum", 1, False)
tensor([25.,  1.])
"""
from wengert_core.dispatch.keep_alive cimport hold_if_large
from wengert_core.drivers.reduce.reduce cimport REDUCE_SAME, REDUCE_SUM, Reduction, dims_mask, new_reduction
from wengert_core.drivers.reduce.reduce_dims cimport reduce_fresh
from wengert_core.exchange.arrays cimport convert_copy
from wengert_core.exchange.device_memory cimport runs_on_device
from wengert_core.tensors.tensor cimport Tensor

cdef tuple NAMES = ("nansum", "square_sum", "size_sum", "size_amax", "size_amin")
cdef Reduction* REDUCTIONS[5]

for _position, _name in enumerate(NAMES):
    REDUCTIONS[_position] = new_reduction(_name, REDUCE_SAME if "_am" in _name else REDUCE_SUM)


def reduce_mapped(Tensor self, str name, object dim, bint keepdim):
    """The reduction ``name`` over dims, in self's dtype; None: not for these arguments.

    nansum (of numbers that are no NaN) takes float16 and bfloat16, too, square_sum (of squares), size_sum, size_amax
    and size_amin (of magnitudes) float32 and float64. Raises what a reduction raises for a dim.
    """
    cdef Reduction* r = REDUCTIONS[<int> NAMES.index(name)]
    cdef Tensor out
    if r.fns[self.code] == NULL or self.device or runs_on_device() or (r.kind == REDUCE_SAME and not self.count):
        return None
    out = reduce_fresh(None, r, hold_if_large(self), dims_mask(dim, self.rank), keepdim)
    return out if out.code == self.code else convert_copy(out, self.code)
