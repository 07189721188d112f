"""Launches of pointwise loops. Note [Launches] in runtime/launches.pxd"""
from cpython.ref cimport PyObject

from wengert_core.dispatch.op cimport Op
from wengert_core.drivers.pointwise.loop_lookup cimport Loop
from wengert_core.drivers.pointwise.strided_loop cimport Operand
from wengert_core.kernels.types cimport npy_intp
from wengert_core.tensors.tensor cimport Tensor

cdef enum:
    MOST_POINTWISE_DIMS = 6

cdef struct PointwisePlan:             # plan of LAUNCH_POINTWISE
    Loop loop                          # loop.data: as the kernel gets it, ``params`` where it takes parameters
    double params[4]
    double numbers[4][2]               # inputs that are numbers, in the dtype that is computed in: OPERAND_CONSTANT
    int n_in                           # inputs; the operand behind them is the output
    int ndim                           # dims that could be merged are one
    bint large                         # by several threads
    bint plain                         # at most one dim, of the kernel's own dtypes: one call is all
    int dtypes[5]                      # DTypeCode of each operand in memory
    Py_ssize_t shape[MOST_POINTWISE_DIMS]
    Py_ssize_t strides[5][MOST_POINTWISE_DIMS]     # bytes, of each operand

# Run a loop as run_loop does (large: as run_large_loop), and tell it. constants: a bit for each input that is a number.
# params: the arguments that are the loop's parameters; one that is a tensor is read again by the launch.
cdef int run_as_launch(
    Op op, Loop* loop, int n_in, Operand* operands, int ndim, Py_ssize_t* shape, unsigned int constants, bint large,
    PyObject** params
) except -1
cdef bint is_readable_param(PyObject* value) noexcept
cdef void read_param(int code, char* data, double* param) noexcept nogil
# Tell one call of a loop on a result without gaps and operands like it, ``strides`` bytes from element to element.
cdef int tell_direct(
    Op op, Loop* loop, int n_in, char** args, const npy_intp* strides, Tensor out, unsigned int constants
) except -1
