"""Drivers of reductions, scans, sorting and softmax."""
