"""NumPy's protocols: what its functions call when a tensor is among their arguments."""
