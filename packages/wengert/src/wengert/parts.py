"""Names that optional parts of wengert bring: they are known, and are wengert's, before the part is loaded."""

PARTS = {
    "autograd.functional": "functional", "vmap": "functional", "func": "functional", "autograd.gradcheck": "gradcheck",
    "autograd.gradgradcheck": "gradcheck", "autograd.profiler": "profiler", "autograd.profiler_util": "profiler",
    "profiler": "profiler",
    "utils.checkpoint": "graph",
    "autograd.graph.Drawing": "graph", "autograd.graph.draw": "graph", "autograd.graph.explain_grad": "graph",
    "autograd.graph.saved_memory": "graph", "autograd.graph.walk": "graph",
}
"""Names that optional distributions bring, and the extra of ``pip install wengert[...]`` each comes with."""
PARTS |= dict.fromkeys("""
    polygamma igamma igammac i0 special.polygamma special.gammainc special.gammaincc special.i0 special.i0e special.i1
    special.i1e special.erfcx special.log_ndtr special.ndtri special.entr special.xlog1py special.zeta special.airy_ai
    special.bessel_j0 special.bessel_j1 special.bessel_y0 special.bessel_y1 special.modified_bessel_i0
    special.modified_bessel_i1 special.modified_bessel_k0 special.modified_bessel_k1
    special.scaled_modified_bessel_k0 special.scaled_modified_bessel_k1 special.spherical_bessel_j0
    special.chebyshev_polynomial_t special.chebyshev_polynomial_u special.chebyshev_polynomial_v
    special.chebyshev_polynomial_w special.shifted_chebyshev_polynomial_t special.shifted_chebyshev_polynomial_u
    special.shifted_chebyshev_polynomial_v special.shifted_chebyshev_polynomial_w special.hermite_polynomial_h
    special.hermite_polynomial_he special.laguerre_polynomial_l special.legendre_polynomial_p
""".split(), "special")
PARTS |= dict.fromkeys("""
    sparse_coo sparse_csr sparse_csc sparse_bsr sparse_bsc sparse_coo_tensor sparse_compressed_tensor sparse_csr_tensor
    sparse_csc_tensor sparse_bsr_tensor sparse_bsc_tensor smm sspaddmm hspmm sparse.mm sparse.addmm sparse.sampled_addmm
    sparse.spsolve sparse.from_scipy sparse.to_scipy sparse.sum sparse.softmax sparse.log_softmax sparse.spdiags
    sparse.check_sparse_tensor_invariants
""".split(), "sparse")
METHODS = dict.fromkeys("i0 i0_ igamma igamma_ igammac igammac_ polygamma polygamma_".split(), "special")
METHODS |= dict.fromkeys("""
    to_sparse to_sparse_csr to_sparse_csc to_sparse_bsr to_sparse_bsc to_dense sparse_mask coalesce is_coalesced
    indices values
    _indices _values _nnz sparse_dim dense_dim crow_indices col_indices ccol_indices row_indices sparse_resize_
    sparse_resize_and_clear_ smm sspaddmm
""".split(), "sparse")
"""Methods of Tensor that optional distributions bring with their op tables, and their extras."""
