"""Drivers of losses with a kernel of their own."""
