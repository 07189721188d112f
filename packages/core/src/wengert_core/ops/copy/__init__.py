"""Rows of ops that copy and rearrange: casts, cat, flip, roll, pixel_shuffle."""
