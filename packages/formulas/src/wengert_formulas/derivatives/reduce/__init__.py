"""Derivatives of reductions, scans, sorting and softmax."""
