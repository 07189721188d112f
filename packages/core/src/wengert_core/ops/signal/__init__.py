"""Rows of Fourier transforms and windows."""
