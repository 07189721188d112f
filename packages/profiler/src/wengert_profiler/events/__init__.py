"""Events as objects with PyTorch's fields: one for each that ran, and their sums."""
