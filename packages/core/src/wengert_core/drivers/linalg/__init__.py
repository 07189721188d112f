"""Drivers of products of matrices and of factorizations."""
