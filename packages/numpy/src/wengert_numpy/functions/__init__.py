"""NumPy's functions on tensors: one module for each subject; table.py says which implementation a function has."""
