"""Results into tensors that out= gives: of ops whose kernels make a tensor of their own, and of composites."""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.arrays cimport copy_into
from wengert_core.driving cimport given_out, prepare_out
from wengert_core.op cimport Op
from wengert_core.overlap cimport apart
from wengert_core.state cimport thread_state
from wengert_core.tensor cimport Tensor, alias, bump_version

cdef dict OPS = {}  # an op without a kernel for each composite's name: it names what refuses


cdef Tensor into_out(Op op, PyObject** slots, Tensor result, uint32_t live):
    """The tensor given as out= with the result in it; None where none is given."""
    if given_out(op, slots) == <PyObject*> None:
        return None
    given = prepare_out(op, slots, slots[op.out_slot], result.code, result.rank, result.dims, live)
    copy_into(given, apart(result, given))
    bump_version(given)
    return given


def into(str name, Tensor result, out):
    """out with a composite's result in it: resized where it must be, checked as the out= of any op."""
    cdef Op op = OPS.get(name)
    cdef Tensor given
    if op is None:
        op = OPS[name] = Op(f"{name}(*, Tensor? out=None) -> Tensor", "composite")
    if isinstance(out, Tensor) and (<Tensor> out).device != result.device:
        raise RuntimeError("Expected all tensors to be on the same device, but found at least two devices, "
                           f"{out.device} and {alias(result).device}! {name} got out= of shape {list(out.shape)} and computes a "
                           f"result on {alias(result).device}; move one with .to()")
    given = prepare_out(op, NULL, <PyObject*> out, result.code, result.rank, result.dims, result.flags & thread_state().modes)
    copy_into(given, apart(alias(result), given))
    bump_version(given)
    return given
