"""Drivers of pointwise ops: promotion, broadcasting, and an inner loop run over n dims."""
