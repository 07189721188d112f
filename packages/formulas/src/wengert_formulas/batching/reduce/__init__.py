"""Batching rules of reductions, scans, sorting and softmax."""
