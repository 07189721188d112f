"""Structured control flow: ``scan``, ``while_loop``, ``fori_loop`` and ``cond``, plain loops over operations."""
