"""Functions that copy and rearrange: joining, repetition, padding."""
