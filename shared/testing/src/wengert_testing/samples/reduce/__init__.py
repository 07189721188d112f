"""Samples of reductions, scans, sorting and softmax."""
