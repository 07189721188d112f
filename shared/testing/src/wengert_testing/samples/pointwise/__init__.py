"""Samples of pointwise ops."""
