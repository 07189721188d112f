"""CPU kernels which NumPy lacks; reached from Cython through the .pxd files, from tests through ``testing``."""
