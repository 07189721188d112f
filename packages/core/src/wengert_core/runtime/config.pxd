cdef bint ONLY_REFERENCES              # WENGERT_KERNELS=python: NumPy's functions compute in place of kernels
