"""Anomaly mode: where an operation was recorded, bad gradients, and writes to saved tensors."""
