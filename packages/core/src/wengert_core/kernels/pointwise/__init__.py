"""Loops over elements: arithmetic, activations, casts, strided copies and fills."""
