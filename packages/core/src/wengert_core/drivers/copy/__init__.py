"""Drivers that copy tensors: casts, copy_ and fill_, cat, flip, pad, tril."""
