"""Constructs of ``wengert.func`` as one instruction: bodies that are recorded once, and gradients of loops."""
