"""Sweeps over batches of matrices by LAPACK and gemm, and register tiles for products of our own."""
