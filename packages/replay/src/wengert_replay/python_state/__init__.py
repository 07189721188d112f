"""The state of Python that a function depends on, finds its tensors by, or changes."""
