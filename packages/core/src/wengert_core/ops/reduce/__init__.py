"""Rows of reductions, scans, sorting and statistics."""
