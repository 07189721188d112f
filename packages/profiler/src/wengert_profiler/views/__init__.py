"""Views of a profile: tables, call trees, the memory of saved tensors, comparisons."""
