"""Calls of batching rules: their arguments, and layouts of batches for an op."""
