"""Batching rules of the exponential of matrices and of products of reflections."""

from __future__ import annotations

from wengert_formulas.batching.calls.call import rule
from wengert_formulas.batching.calls.matrices import all_expanded, of_matrices

rule("linalg_matrix_exp")(of_matrices)
rule("linalg_householder_product", "ormqr")(all_expanded)
