"""The layouts of this package."""

from wengert_core.extend import layout

SPARSE_COO = layout("sparse_coo", "Sparse")
SPARSE_CSR = layout("sparse_csr", "SparseCsr")
SPARSE_CSC = layout("sparse_csc", "SparseCsc")
SPARSE_BSR = layout("sparse_bsr", "SparseBsr")
SPARSE_BSC = layout("sparse_bsc", "SparseBsc")
COMPRESSED = (SPARSE_CSR, SPARSE_CSC, SPARSE_BSR, SPARSE_BSC)
ROWS = (SPARSE_CSR, SPARSE_BSR)
"""The layouts whose compressed dim is that of the rows."""
BLOCKS = (SPARSE_BSR, SPARSE_BSC)
"""The layouts whose values are blocks."""
