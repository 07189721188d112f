"""Samples of Fourier transforms and windows."""
