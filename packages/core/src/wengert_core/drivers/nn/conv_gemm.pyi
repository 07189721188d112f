# Nothing for Python: reached by cimport, see conv_gemm.pxd.
