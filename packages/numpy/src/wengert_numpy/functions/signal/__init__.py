"""Fourier transforms, convolutions, polynomials."""
