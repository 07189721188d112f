"""Function: differentiable operations that users define."""
