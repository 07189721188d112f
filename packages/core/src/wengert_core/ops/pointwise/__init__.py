"""Rows of pointwise ops: arithmetic, comparison, exponentials, activations."""
