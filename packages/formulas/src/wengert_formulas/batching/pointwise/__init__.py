"""Batching rules of pointwise ops."""
