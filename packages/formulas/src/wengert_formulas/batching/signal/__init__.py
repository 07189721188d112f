"""Batching rules of Fourier transforms."""
