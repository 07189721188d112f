"""Arrays inside differentiated code: a subclass of tensors with NumPy's operators, methods and attributes."""
