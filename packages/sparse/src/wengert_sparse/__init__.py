"""wengert-sparse: tensors of the sparse layouts, operations on them, and gradients that are sparse.

The names are in ``wengert`` (``sparse_coo_tensor``, ``sparse_coo``, ...) and ``wengert.sparse``; plugin.py is the
entrance. A layout's tensors consist of strided tensors (components.pyx), on which the kernels below ``coo`` and
``compressed`` compute with wengert's own operations, SciPy's routines, and the compiled loops below ``loops``.
"""

from wengert_sparse import _native  # noqa: F401 - finds and loads the compiled modules, so it comes first

__version__ = "0.1.0"
