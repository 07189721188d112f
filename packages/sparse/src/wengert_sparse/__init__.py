"""wengert-sparse: tensors of the sparse layouts, operations on them, and gradients that are sparse.

The names are in ``wengert`` (``sparse_coo_tensor``, ``sparse_coo``, ...) and ``wengert.sparse``; plugin.py is the
entrance. A layout's tensors consist of strided tensors (components.py), on which the kernels below ``coo`` and
``compressed`` compute with wengert's own operations and SciPy's routines.
"""

__version__ = "0.1.0"
