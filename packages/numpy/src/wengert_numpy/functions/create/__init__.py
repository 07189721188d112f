"""Functions that make tensors: constants, ranges, grids."""
