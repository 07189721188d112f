"""Batching rules of eigenvalues, singular values and QR."""

from __future__ import annotations

from wengert_formulas.batching.calls.call import rule
from wengert_formulas.batching.calls.matrices import decompositions, of_matrices

rule("linalg_eig", "_geqrf")(of_matrices)
rule("linalg_eigh", "linalg_svd", "linalg_qr")(decompositions)
