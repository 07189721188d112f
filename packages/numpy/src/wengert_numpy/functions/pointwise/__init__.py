"""Functions of each element: comparison, rounding, bits, differences."""
