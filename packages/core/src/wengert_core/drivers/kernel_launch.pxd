"""Launches of kernels whose plan is their driver's alone. Note [Operands of a launch] in runtime/launches.pxd"""
from wengert_core.runtime.launches cimport Launch, launch_fn
from wengert_core.tensors.tensor cimport Tensor

# A launch with a copy of ``nbytes`` of a plan. A driver runs its kernel by that function, from a plan of its own.
cdef Launch* tell_kernel(launch_fn run, const void* plan, Py_ssize_t nbytes) except NULL
cdef int add_tensor(Launch* launch, Tensor t, int role) noexcept               # None: nothing, at NULL
cdef int add_section(Launch* launch, char* data, Py_ssize_t nbytes, int role) noexcept
