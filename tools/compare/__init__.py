"""Times beside PyTorch's and NumPy's."""
