"""Functions that view: shapes, axes, parts, diagonals."""
