"""Derivatives of Fourier transforms."""
